// Both sides of a branch meet a barrier. Fault: it is not the same barrier.
#include "../engine/host.h"
const int T = 64;

__global__ void sides(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x;
#ifdef FIX
    s[t] = t < 32 ? in[t] : -in[t];
    __syncthreads();
#else
    if (t < 32) {
        s[t] = in[t];
        __syncthreads();
    } else {
        s[t] = -in[t];
        __syncthreads();
    }
#endif
    out[t] = s[T - 1 - t];
}

int main()
{
    int in[T], want[T];
    for (int i = 0; i < T; i++) in[i] = i + 3;
    for (int i = 0; i < T; i++) want[i] = T - 1 - i < 32 ? in[T - 1 - i] : -in[T - 1 - i];
    Dev<int> di(T), dout(T);
    di.put(in);
    sides<<<1, T>>>(di.p, dout.p);
    same("sides", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: barrier-divergence @15 @18
// errors: 1

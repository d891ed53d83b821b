// Sums of chunks, the rest of the last one short. Fault: the loop with the barriers runs a different number of
// times for different threads.
#include "../engine/host.h"
const int T = 128, N = 1000;

__global__ void spread(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x;
#ifdef FIX
    for (int base = 0; base < N; base += T) {
        int i = base + t;
        s[t] = i < N ? in[i] : 0;
        __syncthreads();
        if (i < N)
            out[i] = s[t] + s[t ^ 1];
        __syncthreads();
    }
#else
    for (int i = t; i < N; i += T) {
        s[t] = in[i];
        __syncthreads();
        out[i] = s[t] + s[t ^ 1];
        __syncthreads();
    }
#endif
}

int main()
{
    int in[N], want[N];
    for (int i = 0; i < N; i++) in[i] = i % 17;
    for (int i = 0; i < N; i++) want[i] = in[i] + in[i ^ 1];
    Dev<int> di(N), dout(N);
    di.put(in);
    spread<<<1, T>>>(di.p, dout.p);
    same("spread", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: barrier-divergence @20 @22

// Tree sum. Fault: the barrier stands inside the branch that only some threads take.
#include "../engine/host.h"
const int T = 256;

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * T + t];
    __syncthreads();
    for (int d = T / 2; d > 0; d >>= 1) {
        if (t < d) {
            s[t] += s[t + d];
#ifndef FIX
            __syncthreads();
#endif
        }
#ifdef FIX
        __syncthreads();
#endif
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

int main()
{
    const int B = 2;
    int in[B * T], want[B] = {};
    for (int i = 0; i < B * T; i++) want[i / T] += in[i] = i % 23;
    Dev<int> di(B * T), dout(B);
    di.put(in);
    sum<<<B, T>>>(di.p, dout.p);
    same("sum", dout.get(), want, B);
    return done();
}
// twin: -DFIX
// expect: barrier-divergence @15

// Scan in one pass, each block adds what the one before it has left. Fault: the value and its mark are two plain steps.
#include "../engine/host.h"
const int T = 64, B = 10;
__device__ int value[B];
__device__ unsigned mark[B];

__global__ void scan(const int *in, int *out)
{
    __shared__ int s[T];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = in[b * T + t];
    __syncthreads();
    for (int d = 1; d < T; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        before = 0;
        if (b > 0) {
            while (atomicAdd(&mark[b - 1], 0u) == 0)
                ;
            __threadfence();
            before = value[b - 1];
        }
        value[b] = before + s[T - 1];
#ifdef FIX
        __threadfence();
#endif
        atomicExch(&mark[b], 1u);
    }
    __syncthreads();
    out[b * T + t] = before + s[t];
}

int main()
{
    int in[B * T], want[B * T];
    for (int i = 0, sum = 0; i < B * T; i++) want[i] = sum += in[i] = i % 5 - 1;
    Dev<int> di(B * T), dout(B * T);
    di.put(in);
    scan<<<B, T>>>(di.p, dout.p);
    same("scan", dout.get(), want, B * T);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @28 @26 @32 @23

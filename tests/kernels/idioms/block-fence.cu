// Every block but the last leaves its sum and a mark, the last collects. Fault: fences of block scope.
#include "../engine/host.h"
const int B = 6, T = 64;
__device__ int part[B], mark[B];

#ifdef FIX
#define FENCE() __threadfence()
#else
#define FENCE() __threadfence_block()
#endif

__global__ void collect(const int *in, int *out)
{
    __shared__ int sum;
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[b * T + t]);
    __syncthreads();
    if (t != 0)
        return;
    if (b < B - 1) {
        part[b] = sum;
        FENCE();
        atomicExch(&mark[b], 1);
        return;
    }
    int all = sum;
    for (int i = 0; i < B - 1; i++) {
        while (atomicAdd(&mark[i], 0) == 0)
            ;
        FENCE();
        all += part[i];
    }
    *out = all;
}

int main()
{
    int in[B * T], want = 0;
    for (int i = 0; i < B * T; i++) want += in[i] = i % 11;
    Dev<int> di(B * T), dout(1);
    di.put(in);
    collect<<<B, T>>>(di.p, dout.p);
    same("collect", dout.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-scope @24 @34

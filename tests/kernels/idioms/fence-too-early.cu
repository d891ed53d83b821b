// The last block adds up what the others left. Fault: the fence stands before the store, not after it.
#include "../engine/host.h"
const int T = 64, B = 8;
__device__ int part[B];
__device__ unsigned n_done;

__global__ void total(const int *in, int *out)
{
    __shared__ int sum;
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * T + t]);
    __syncthreads();
    if (t == 0) {
#ifndef FIX
        __threadfence();
#endif
        part[blockIdx.x] = sum;
#ifdef FIX
        __threadfence();
#endif
        last = atomicAdd(&n_done, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && t == 0) {
        int all = 0;
        for (int i = 0; i < B; i++)
            all += part[i];
        *out = all;
    }
}

int main()
{
    int in[B * T], want = 0;
    for (int i = 0; i < B * T; i++) want += in[i] = i % 21;
    Dev<int> di(B * T), dout(1);
    di.put(in);
    total<<<B, T>>>(di.p, dout.p);
    same("total", dout.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @21 @32 @25

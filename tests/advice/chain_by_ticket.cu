// SPDX-License-Identifier: Apache-2.0
// Running totals: each block waits for the block before it, in the order of their tickets.
// expect: nothing
#include <cstdio>
#include <cuda_runtime.h>

__device__ int total[64], ready[64], next;

__global__ void chain(const int *in, int *out)
{
    if (threadIdx.x)
        return;
    int b = atomicAdd(&next, 1);
    int sum = in[b];
    if (b > 0) {
        // the block before
        while (atomicAdd(&ready[b - 1], 0) == 0)
            ;
        __threadfence();
        sum += total[b - 1];
    }
    total[b] = out[b] = sum;
    __threadfence();
    atomicExch(&ready[b], 1);
}

int main()
{
    int *d, h[64];
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&d, 128 * sizeof(int));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    chain<<<64, 32>>>(d, d + 64);
    cudaMemcpy(h, d + 64, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h[63]);
    return h[63] != 2016;
}

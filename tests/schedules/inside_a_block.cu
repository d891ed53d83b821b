// SPDX-License-Identifier: Apache-2.0
// Warp 1 counts; warp 0 looks at the counter once and reads the cell plainly if warp 1 is not done.
// Fault: line 18 against line 13 races only when warp 0 looks in between; ascending orders never do.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void peek(int *out)
{
    __shared__ int count, cell;
    if (threadIdx.x == 0)
        count = cell = 0;
    __syncthreads();
    if (threadIdx.x == 32) cell = 7;
    if (threadIdx.x == 32)
        for (int i = 0; i < 20; i++)
            atomicAdd(&count, 1);
    if (threadIdx.x == 0 && atomicAdd(&count, 0) > 3 && atomicAdd(&count, 0) < 20)
        *out = cell;
}

int main()
{
    int *d;
    cudaMalloc(&d, sizeof(int));
    cudaMemset(d, 0, sizeof(int));
    peek<<<1, 64>>>(d);
    cudaDeviceSynchronize();
    std::printf("done\n");
    return 0;
}
// expect: race-shared|fence-missing-release

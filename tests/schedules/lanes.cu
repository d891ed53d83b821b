// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp take tickets; a lane that finds lane 31 before it reads what that one wrote.
// Fault: lane 0 reads the cell of line 14 plainly; with lanes in ascending order it always comes first.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void tickets(int *out)
{
    __shared__ int next, cell;
    if (threadIdx.x == 0)
        next = cell = 0;
    __syncwarp();
    if (threadIdx.x == 31)
        cell = 5;
    int mine = atomicAdd(&next, 1);
    if (threadIdx.x == 0 && mine > 0)
        *out = cell;
}

int main()
{
    int *d;
    cudaMalloc(&d, sizeof(int));
    cudaMemset(d, 0, sizeof(int));
    tickets<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    std::printf("done\n");
    return 0;
}
// expect: race-warp

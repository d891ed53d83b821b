// SPDX-License-Identifier: Apache-2.0
// A whole block waits for a flag with a barrier in each turn, and nobody sets it: passing the barrier is no progress.
// expect: deadlock-spin
// exit: 1
// stdout: the launch timed out*
#include <cstdio>

__global__ void wait_for(volatile int *flag, int *out)
{
    while (*flag == 0)
        __syncthreads();
    out[threadIdx.x] = 1;
}

int main()
{
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    wait_for<<<2, 64>>>(p, p + 64);
    cudaError_t e = cudaDeviceSynchronize();
    puts(cudaGetErrorString(e));
    return e != cudaSuccess;
}

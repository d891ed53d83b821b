// SPDX-License-Identifier: Apache-2.0
// A counter is set to zero by an atomic of the kernel that counts: blocks that came earlier have added already.
// expect: lost-addition=warning @17 @20
// stdout: PASS
// twin: -DFIX
#include <cstdio>

#define BLOCKS 8
__device__ unsigned counter;

__global__ void count(const int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef FIX
    if (i == 0) // the first of them
        // set anew
        atomicExch(&counter, 0u);
#endif
    if (x[i] > 0)
        atomicAdd(&counter, 1u);
}

int main()
{
    int *x;
    unsigned got;
    cudaMalloc(&x, BLOCKS * 32 * sizeof(int));
    cudaMemset(x, 1, BLOCKS * 32 * sizeof(int));
    count<<<BLOCKS, 32>>>(x);
    cudaMemcpyFromSymbol(&got, counter, sizeof got);
    printf("%s\n", got == BLOCKS * 32 ? "PASS" : "FAIL");
    return 0;
}

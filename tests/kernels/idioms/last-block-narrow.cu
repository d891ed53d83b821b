// SPDX-License-Identifier: Apache-2.0
// The last block adds up what the others left. The fence before the counter is one of block scope, and nothing acquires
// behind it: more than the missing acquire alone, which is advice.
// expect: race-scope @19 @26
// stdout: PASS
// twin: -DFIX
#include <cstdio>

#define BLOCKS 8
__device__ unsigned arrived;

__global__ void sum(int *part, int *total)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
#ifdef FIX
        part[blockIdx.x] = blockIdx.x, __threadfence();
#else
        part[blockIdx.x] = blockIdx.x, __threadfence_block();
#endif
        is_last = atomicAdd(&arrived, 1) == BLOCKS - 1;
#ifdef FIX
        __threadfence();
#endif
        for (int i = 0; is_last && i < BLOCKS; i++)
            *total += part[i];
    }
}

int main()
{
    int *part, *total, got;
    cudaMalloc(&part, BLOCKS * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    sum<<<BLOCKS, 32>>>(part, total);
    cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost);
    printf("%s\n", got == BLOCKS * (BLOCKS - 1) / 2 ? "PASS" : "FAIL");
    return 0;
}

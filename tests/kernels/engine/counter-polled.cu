// SPDX-License-Identifier: Apache-2.0
// A counter is set anew by the thread that has seen, by a volatile read, that all have added: coherence orders the two.
// expect: clean
// allow: race-volatile
// stdout: PASS
#include <cstdio>

#define BLOCKS 4
__device__ unsigned counter;

// One thread a block.
__global__ void count()
{
    atomicAdd(&counter, 1u);
    if (blockIdx.x == 0) {
        while (*(volatile unsigned *)&counter < BLOCKS) { }
        atomicExch(&counter, 0u);
    }
}

int main()
{
    unsigned got = 1;
    count<<<BLOCKS, 1>>>();
    cudaMemcpyFromSymbol(&got, counter, sizeof got);
    printf("%s\n", got == 0 ? "PASS" : "FAIL");
    return 0;
}

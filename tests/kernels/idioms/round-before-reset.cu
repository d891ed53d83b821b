// SPDX-License-Identifier: Apache-2.0
// The last block to come sets the counter of arrivals to zero and lets the others go on; without a fence between the
// two the next arrival may come before the reset, and is lost. No data is handed over: the counter alone.
// expect: fence-missing-release=warning @16 @24
// stdout: PASS
// twin: -DFIX
#include <cstdio>

#define BLOCKS 4
__device__ unsigned arrived, stage;

// One thread a block.
__global__ void twice(unsigned *out)
{
    if (atomicAdd(&arrived, 1u) == BLOCKS - 1) {
        atomicExch(&arrived, 0u);
#ifdef FIX
        __threadfence();
#endif
        atomicExch(&stage, 1u);
    }
    while (atomicAdd(&stage, 0u) == 0) { }
    __threadfence();
    out[blockIdx.x] = atomicAdd(&arrived, 1u);
}

int main()
{
    unsigned *out, got[BLOCKS], sum = 0;
    cudaMalloc(&out, sizeof got);
    twice<<<BLOCKS, 1>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BLOCKS; i++)
        sum += got[i];
    printf("%s\n", sum == BLOCKS * (BLOCKS - 1) / 2 ? "PASS" : "FAIL");
    return 0;
}

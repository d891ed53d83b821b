// SPDX-License-Identifier: Apache-2.0
// Additions that come after a write of the counter for reasons other than a barrier: their thread has read the counter
// itself (coherence), an earlier arrival of the same thread, a lock by exchange, and a flag with fences.
// expect: clean
// stdout: PASS
#include <cstdio>

#define BLOCKS 4
__device__ unsigned seen = 100, arrived, lock, held, stage, late = 100;

// One thread a block.
__global__ void all(unsigned *out)
{
    unsigned b = blockIdx.x;
    // Who has seen the value 0 adds behind it.
    if (b == 0)
        atomicExch(&seen, 0u);
    while (atomicAdd(&seen, 0u) >= 100) { }
    atomicAdd(&seen, 1u);
    // The last to come has added behind all others, and sets what it has added to.
    if (atomicAdd(&arrived, 1u) == BLOCKS - 1)
        atomicExch(&arrived, 0u);
    // A lock: nobody adds to it.
    while (atomicExch(&lock, 1u)) { }
    __threadfence();
    held++;
    __threadfence();
    atomicExch(&lock, 0u);
    // A flag.
    if (b == 0) {
        atomicExch(&late, 0u);
        __threadfence();
        atomicExch(&stage, 1u);
    }
    while (atomicAdd(&stage, 0u) == 0) { }
    __threadfence();
    out[b] = atomicAdd(&late, 1u);
}

int main()
{
    unsigned *out, got[BLOCKS], sum = 0, n;
    cudaMalloc(&out, sizeof got);
    all<<<BLOCKS, 1>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BLOCKS; i++)
        sum += got[i];
    cudaMemcpyFromSymbol(&n, seen, sizeof n);
    printf("%s\n", sum == BLOCKS * (BLOCKS - 1) / 2 && n == BLOCKS ? "PASS" : "FAIL");
    return 0;
}

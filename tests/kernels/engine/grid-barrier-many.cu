// SPDX-License-Identifier: Apache-2.0
// 2000 blocks meet at a grid barrier made by hand, by a generation and by a count that only grows. Blocks that wait
// must not be visited again for each one that starts: then this ends in seconds, also under check.
// expect: clean
// allow: race-volatile contention start-order
// stdout: PASS
#include "host.h"
#define BLOCKS 2000
#define TURNS 2
__device__ unsigned count, generation;
__device__ void by_generation(void)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned now = atomicAdd(&generation, 0);
        if (atomicAdd(&count, 1) == gridDim.x - 1) {
            atomicExch(&count, 0);
            __threadfence();
            atomicAdd(&generation, 1);
        } else {
            while (atomicAdd(&generation, 0) == now)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}
__device__ void by_count(unsigned target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&count, 1);
        while (*(volatile unsigned *)&count < target)
            ;
        __threadfence();
    }
    __syncthreads();
}
// Each turn a thread takes its right neighbour block's value and adds one.
__global__ void turns(int *a, int is_counted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int t = 0; t < TURNS; t++) {
        a[(t + 1) % 2 * all + i] = a[t % 2 * all + (i + blockDim.x) % all] + 1;
        if (is_counted)
            by_count((t + 1) * gridDim.x);
        else
            by_generation();
    }
}
int main()
{
    const int all = BLOCKS * 32;
    static int from[2 * BLOCKS * 32], want[BLOCKS * 32];
    for (int i = 0; i < all; i++) {
        from[i] = i * 7;
        want[i] = (i + TURNS * 32) % all * 7 + TURNS;
    }
    for (int way = 0; way < 2; way++) {
        Dev<int> a(2 * all);
        CK(cudaMemcpy(a.p, from, sizeof from, cudaMemcpyHostToDevice));
        turns<<<BLOCKS, 32>>>(a.p, way);
        same(way ? "count" : "generation", a.get(), want, all);
    }
    return done();
}

// SPDX-License-Identifier: Apache-2.0
// One warp looks twice at a counter. Only if it stands still in between for as long as the others take for a hundred
// steps does it write what another warp writes, too.
// expect: race-shared
#include <cstdio>

__global__ void watch(int *out)
{
    __shared__ unsigned steps;
    __shared__ int last;
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        steps = 0, last = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        if (warp == 0) {
            unsigned first = atomicAdd(&steps, 0);
            unsigned then = atomicAdd(&steps, 0);
            if (then - first > 100)
                last = 1;
        } else {
            for (int i = 0; i < 2000; i++)
                atomicAdd(&steps, 1);
            if (warp == 1)
                last = 2;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = last;
}

int main()
{
    int *out;
    cudaMalloc(&out, 8 * sizeof(int));
    watch<<<8, 96>>>(out);
    cudaDeviceSynchronize();
    printf("done\n");
    return 0;
}

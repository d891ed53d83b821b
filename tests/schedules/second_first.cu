// SPDX-License-Identifier: Apache-2.0
// Block 0 leaves its mark; block 1 reads the buffer plainly only when it finds no mark yet.
// Fault: which block comes first decides whether line 15 is run; in the plain order it never is.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void mark(int *flag, int *data, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[0] = 1;
        atomicExch(flag, 1);
    } else if (atomicAdd(flag, 0) == 0) {
        out[0] = data[0];
    }
}

int main()
{
    int *d;
    cudaMalloc(&d, 64 * sizeof(int));
    cudaMemset(d, 0, 64 * sizeof(int));
    mark<<<2, 32>>>(d, d + 16, d + 32);
    cudaDeviceSynchronize();
    std::printf("done\n");
    return 0;
}
// expect: race-global

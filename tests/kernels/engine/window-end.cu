// SPDX-License-Identifier: Apache-2.0
// A warp's store whose first lanes lie at the very end of what device addresses there are, the others behind it: an error
// of CUDA's, and nothing outside of device memory is written.
// expect: mem-bounds @11
// stdout: an illegal memory access was encountered
// exit: 1
#include "host.h"

__global__ void cross(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    int *p;
    CK(cudaMalloc(&p, 256));
    uintptr_t end = ((uintptr_t)p & ~(((uintptr_t)1 << 36) - 1)) + ((uintptr_t)256 << 30);
    cross<<<1, 32>>>((int *)end - 8);
    cudaError_t e = cudaDeviceSynchronize();
    puts(cudaGetErrorString(e));
    return e != cudaSuccess;
}

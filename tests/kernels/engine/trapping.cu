// SPDX-License-Identifier: Apache-2.0
// __trap() ends the grid with an error that stays; what other threads wrote before is not there to be had.
// expect: clean
// allow: *
// stdout: launch failure, sticky
// exit: 0
#include "host.h"

__global__ void trap(int *out, int n)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x == (unsigned)n)
        __trap();
    out[threadIdx.x] = 2;
}

int main()
{
    int *p, *q;
    CK(cudaMalloc(&p, 256));
    trap<<<1, 64>>>(p, 99); // nobody
    CK(cudaDeviceSynchronize());
    trap<<<1, 64>>>(p, 40);
    cudaError_t first = cudaDeviceSynchronize(), then = cudaMalloc(&q, 16);
    puts(first == cudaErrorLaunchFailure && then == first ? "launch failure, sticky" : "FAIL");
    return 0;
}

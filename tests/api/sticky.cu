// SPDX-License-Identifier: Apache-2.0
// After a fault in a kernel the context is of no use any more; every call that touches it says so.
// expect: mem-bounds
// stdout: PASS
#include "api.h"

__global__ void stray(int *p)
{
    p[1 << 28] = 1;
}

int main(void)
{
    int *d, n = 0;
    cudaStream_t s;
    cudaDeviceProp p;
    OK(cudaMalloc(&d, 4));
    stray<<<1, 1>>>((int *)0x10);
    EQ(cudaGetLastError(), cudaSuccess); // the launch itself was good
    EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EQ(cudaPeekAtLastError(), cudaErrorIllegalAddress);
    EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EQ(cudaGetLastError(), cudaSuccess); // reading clears, but the next call fails again
    IS(cudaMalloc(&d, 4), cudaErrorIllegalAddress);
    IS(cudaFree((void *)0), cudaErrorIllegalAddress);
    IS(cudaStreamCreate(&s), cudaErrorIllegalAddress);
    IS(cudaMemcpy(&n, &n, 4, cudaMemcpyHostToHost), cudaErrorIllegalAddress);
    stray<<<1, 1>>>(d);
    EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaGetDeviceCount(&n)); // needs no context
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaSetDevice(0));
    OK(cudaDeviceReset());
    IS(cudaMalloc(&d, 4), cudaErrorDevicesUnavailable);
    return finish();
}

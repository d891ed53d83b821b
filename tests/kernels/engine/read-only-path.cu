// SPDX-License-Identifier: Apache-2.0
// ld.global.nc of what the same kernel writes: behind a barrier a warning (PTX forbids it, GPUs do what is meant), without
// one a race.
// expect: race-global=warning @15
// expect: race-global=error @20-21
#include "host.h"

__device__ int nc(const int *p) { int v; asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }

__global__ void ordered(int *p)
{
    int t = threadIdx.x;
    int v = nc(p + (t ^ 40));
    __syncthreads();
    p[t] = v + 1;
}

__global__ void racing(int *p)
{
    int v = nc(p + (threadIdx.x ^ 40));
    p[threadIdx.x] = v + 1;
}

int main()
{
    Dev<int> p(64);
    ordered<<<1, 64>>>(p.p);
    racing<<<1, 64>>>(p.p);
    CK(cudaDeviceSynchronize());
    return done();
}

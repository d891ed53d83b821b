// SPDX-License-Identifier: Apache-2.0
// Many threads store one value to one place: a warning. Different values are an error.
// expect: race-shared=warning @16
// expect: race-global=warning @18
// expect: race-warp=warning @16
// expect: race-shared=error @27
#include "host.h"

__global__ void agree(const int *in, int *found)
{
    __shared__ bool any;
    if (threadIdx.x == 0)
        any = false;
    __syncthreads();
    if (in[threadIdx.x] > 3)
        any = true;
    __syncthreads();
    if (any) *found = 1;
}

__global__ void differ(int *out)
{
    __shared__ int last;
    if (threadIdx.x == 0)
        last = -1;
    __syncthreads();
    last = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = last;
}

int main()
{
    Dev<int> in(64), found(1), out(64);
    int v[64];
    for (int i = 0; i < 64; i++)
        v[i] = i;
    in.put(v);
    agree<<<1, 64>>>(in.p, found.p);
    differ<<<1, 64>>>(out.p);
    CK(cudaDeviceSynchronize());
    return done();
}

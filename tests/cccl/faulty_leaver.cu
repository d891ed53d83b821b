// SPDX-License-Identifier: Apache-2.0
// A thread leaves without arriving at the cuda::barrier that counts it: the others wait for ever.
// only: nvcc
// compiler: -std=c++17
// expect: deadlock-*
// options: --hang-ms 500
#include <cuda/barrier>

#include "verify.h"

__global__ void wait(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 5)
        return; // bar.arrive_and_drop() would be right
    bar.arrive_and_wait();
    out[threadIdx.x] = 1;
}

int main()
{
    on_device<int> out(64);
    wait<<<1, 64>>>(out.p);
    return cudaDeviceSynchronize() != cudaSuccess;
}

// SPDX-License-Identifier: Apache-2.0
// A permit is taken and not given back on one way out: the next one waits for ever.
// only: nvcc
// compiler: -std=c++17
// expect: deadlock-spin
// options: --hang-ms 500
#include <cuda/semaphore>

#include "verify.h"

using semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;

__global__ void make(semaphore *s) { new (s) semaphore(1); }

__global__ void take(semaphore *s, int *counter)
{
    if (threadIdx.x)
        return;
    s->acquire();
    if ((*counter)++ == 1)
        return; // without s->release()
    s->release();
}

int main()
{
    on_device<semaphore> s(1);
    on_device<int> counter(std::vector<int>{0});
    make<<<1, 1>>>(s.p);
    take<<<3, 32>>>(s.p, counter.p);
    return cudaDeviceSynchronize() != cudaSuccess;
}

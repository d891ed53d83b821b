// SPDX-License-Identifier: Apache-2.0
// libcu++ used wrongly: relaxed for release, block scope between blocks, copies that nobody waited for.
// only: nvcc
// compiler: -std=c++17
// expect: fence-missing-release @22 @27
// expect: race-scope @38
// expect: race-shared @49 @52
// expect: race-shared @63 @65
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/utility>

#include "verify.h"

// The flag is stored relaxed: what was written before it is not handed over.
__global__ void relaxed(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        f.store(1, cuda::std::memory_order_relaxed);
    } else {
        while (f.load(cuda::std::memory_order_acquire) == 0)
            ;
        *out = *data;
    }
}

// Both blocks add to one counter, each as if it were alone.
__global__ void narrow(int *counter)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> c(*counter);
    if (threadIdx.x == 0)
        // the line below is the finding's
        //
        c.fetch_add(1, cuda::std::memory_order_relaxed);
}

// The last stage is read without consumer_wait.
__global__ void no_wait(const int *in, int *out)
{
    __shared__ alignas(16) int s[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s, in, sizeof s, pipe);
    pipe.producer_commit();

    out[threadIdx.x] = s[63 - threadIdx.x];
}

// The barrier is arrived at, not waited for.
__global__ void no_barrier_wait(const int *in, int *out)
{
    __shared__ alignas(16) int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, 64);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], in + threadIdx.x, sizeof(int), bar);
    auto token = bar.arrive();
    out[threadIdx.x] = s[63 - threadIdx.x];
    bar.wait(cuda::std::move(token));
}

int main()
{
    on_device<int> d(std::vector<int>(64 * 4)), out(64);
    relaxed<<<2, 1>>>(d.p, d.p + 1, d.p + 2);
    narrow<<<2, 32>>>(d.p + 3);
    no_wait<<<1, 64>>>(d.p + 64, out.p);
    no_barrier_wait<<<1, 64>>>(d.p + 64, out.p);
    ok(cudaDeviceSynchronize(), "kernels");
}

// SPDX-License-Identifier: Apache-2.0
// cuda::pipeline and cuda::memcpy_async: of one thread, of a block, with producers and consumers, and with a barrier.
// only: nvcc
// compiler: -std=c++17
// expect: clean
// stdout: PASS
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "verify.h"

namespace cg = cooperative_groups;
static const int tile = 128, stages = 3;

// Each thread copies its own elements; the block shares what has come.
__global__ void of_block(const int *in, int *out, int tiles)
{
    __shared__ alignas(16) int s[stages][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int next = 0, i = 0; i < tiles; i++) {
        for (; next < tiles && next < i + stages; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % stages], in + next * tile, cuda::aligned_size_t<16>(sizeof(int) * tile), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[i % stages][(threadIdx.x + 1) % tile];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// Half of the block brings, half consumes.
__global__ void two_roles(const int *in, int *out, int tiles)
{
    __shared__ int s[stages][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    bool brings = block.thread_rank() < block.size() / 2;
    auto role = brings ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    int t = threadIdx.x % tile, sum = 0;
    for (int i = 0; i < tiles; i++)
        if (brings) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[i % stages][t], in + i * tile + t, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += s[i % stages][(t + 1) % tile];
            pipe.consumer_release();
        }
    if (!brings)
        out[t] = sum;
}

// A thread for itself: no other thread reads what it brings.
__global__ void of_thread(const int *in, int *out, int tiles)
{
    __shared__ int s[2][tile];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][t], in + t, sizeof(int), pipe);
    pipe.producer_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(i + 1) % 2][t], in + (i + 1) * tile + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        if (i + 1 == tiles)
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        sum += s[i % 2][t];
        pipe.consumer_release();
    }
    out[t] = sum;
}

// memcpy_async with a barrier, and with a group.
__global__ void by_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int s[2][tile];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, s[0], in, sizeof s[0], bar);
    bar.arrive_and_wait();
    cg::memcpy_async(block, s[1], in + tile, sizeof s[1]);
    cg::wait(block);
    out[threadIdx.x] = s[0][tile - 1 - threadIdx.x] + s[1][tile - 1 - threadIdx.x];
}

int main()
{
    const int tiles = 7;
    std::vector<int> in = some<int>(tile * tiles, 1000), next(tile), own(tile), two(tile);
    for (int t = 0; t < tile; t++) {
        for (int i = 0; i < tiles; i++) {
            next[t] += in[i * tile + (t + 1) % tile];
            own[t] += in[i * tile + t];
        }
        two[t] = in[tile - 1 - t] + in[2 * tile - 1 - t];
    }
    on_device<int> d(in), a(tile), b(tile), c(tile), e(tile);
    of_block<<<1, tile>>>(d.p, a.p, tiles);
    two_roles<<<1, 2 * tile>>>(d.p, b.p, tiles);
    of_thread<<<1, tile>>>(d.p, c.p, tiles);
    by_barrier<<<1, tile>>>(d.p, e.p);
    ok(cudaDeviceSynchronize(), "kernels");
    same("pipeline of a block", a.read(), next);
    same("producers and consumers", b.read(), next);
    same("pipeline of a thread", c.read(), own);
    same("barrier and group", e.read(), two);
    return verdict();
}

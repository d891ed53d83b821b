// SPDX-License-Identifier: Apache-2.0
// cuda::barrier in shared and in global memory, cuda::latch, cuda::counting_semaphore.
// only: nvcc
// compiler: -std=c++17
// expect: clean
// stdout: PASS
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/utility>

#include "verify.h"

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

// Rotates a row by one place per round; arrive and wait apart, and together.
__global__ void rotate(int *row, int rounds)
{
    __shared__ block_barrier bar;
    __shared__ int s[96];
    int t = threadIdx.x, n = blockDim.x;
    if (t == 0)
        init(&bar, n);
    __syncthreads();
    s[t] = row[t];
    for (int i = 0; i < rounds; i++) {
        bar.arrive_and_wait();
        int v = s[(t + 1) % n];
        auto token = bar.arrive();
        v++;
        bar.wait(cuda::std::move(token));
        s[t] = v;
    }
    row[t] = s[t];
}

// Threads leave the barrier one warp after the other; those that stay see what the leavers wrote.
__global__ void drop(int *out)
{
    __shared__ block_barrier bar;
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, 128);
    __syncthreads();
    s[t] = t;
    if (t >= 32) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    out[t] = s[t] + s[t + 32] + s[t + 64] + s[t + 96];
    bar.arrive_and_wait(); // of 32 now
}

// The completion of a phase is seen by its parity, a consumer that does not arrive.
__global__ void parity(int *out)
{
    __shared__ block_barrier bar;
    __shared__ int s[32];
    if (threadIdx.x == 0)
        init(&bar, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = 2 * threadIdx.x;
        (void)bar.arrive();
    } else {
        bar.wait_parity(false);
        out[threadIdx.x - 32] = s[63 - threadIdx.x];
    }
}

// All blocks meet at a barrier in global memory, one thread for each block.
__global__ void grid_wide(device_barrier *bar, int *cells, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x == 0)
            bar->arrive_and_wait();
        __syncthreads();
        int v = cells[(blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            bar->arrive_and_wait();
        __syncthreads();
        cells[blockIdx.x * blockDim.x + threadIdx.x] = v + 1;
        __syncthreads();
    }
}

__global__ void make(device_barrier *bar, int n) { new (bar) device_barrier(n); }

// Warps 1 to 3 count down when they have written, warp 0 waits.
__global__ void count_down(int *out)
{
    using block_latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(block_latch) char place[sizeof(block_latch)];
    __shared__ int s[96];
    block_latch &latch = *reinterpret_cast<block_latch *>(place);
    if (threadIdx.x == 0)
        new (&latch) block_latch(96);
    __syncthreads();
    if (threadIdx.x >= 32) {
        s[threadIdx.x - 32] = threadIdx.x;
        latch.count_down();
    } else {
        latch.wait();
        out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 32] + s[threadIdx.x + 64];
    }
}

// Three permits: never more than three inside. One permit: a lock around a plain counter.
struct gates {
    cuda::counting_semaphore<cuda::thread_scope_device, 3> three;
    cuda::binary_semaphore<cuda::thread_scope_device> lock;
    cuda::atomic<int, cuda::thread_scope_device> inside, most;
    int counter;
};

__global__ void open_gates(gates *g)
{
    new (&g->three) cuda::counting_semaphore<cuda::thread_scope_device, 3>(3);
    new (&g->lock) cuda::binary_semaphore<cuda::thread_scope_device>(1);
    new (&g->inside) cuda::atomic<int, cuda::thread_scope_device>(0);
    new (&g->most) cuda::atomic<int, cuda::thread_scope_device>(0);
    g->counter = 0;
}

__global__ void pass_gates(gates *g)
{
    if (threadIdx.x % 32)
        return;
    g->three.acquire();
    g->most.fetch_max(g->inside.fetch_add(1) + 1);
    g->inside.fetch_sub(1);
    g->three.release();
    g->lock.acquire();
    g->counter++;
    g->lock.release();
}

int main()
{
    std::vector<int> row(96), turned(96), sums, backwards, counted;
    for (int i = 0; i < 96; i++) {
        row[i] = i * 7;
        turned[i] = (i + 5) % 96 * 7 + 5;
    }
    for (int i = 0; i < 32; i++) {
        sums.push_back(4 * i + 32 + 64 + 96);
        backwards.push_back(2 * (31 - i));
        counted.push_back(3 * i + 32 + 64 + 96);
    }
    on_device<int> r(row), d(32), p(32), c(32);
    rotate<<<1, 96>>>(r.p, 5);
    drop<<<1, 128>>>(d.p);
    parity<<<1, 64>>>(p.p);
    count_down<<<1, 128>>>(c.p);
    ok(cudaDeviceSynchronize(), "block");
    same("rotation", r.read(), turned);
    same("drop", d.read(), sums);
    same("parity", p.read(), backwards);
    same("latch", c.read(), counted);

    on_device<device_barrier> bar(1);
    on_device<int> cells(row);
    make<<<1, 1>>>(bar.p, 3);
    grid_wide<<<3, 32>>>(bar.p, cells.p, 4);
    ok(cudaDeviceSynchronize(), "grid");
    for (int i = 0; i < 96; i++)
        turned[i] = row[(i + 4 * 32) % 96] + 4;
    same("grid barrier", cells.read(), turned);

    on_device<gates> g(1);
    on_device<int> inside(2);
    open_gates<<<1, 1>>>(g.p);
    pass_gates<<<4, 128>>>(g.p);
    ok(cudaDeviceSynchronize(), "gates");
    int counter, most;
    ok(cudaMemcpy(&counter, &g.p->counter, sizeof counter, cudaMemcpyDeviceToHost), "copy");
    ok(cudaMemcpy(&most, &g.p->most, sizeof most, cudaMemcpyDeviceToHost), "copy");
    same("lock", counter, 16);
    same("permits", most >= 1 && most <= 3, true);
    return verdict();
}

// SPDX-License-Identifier: Apache-2.0
// cuda::atomic and cuda::atomic_ref of all scopes and orders: operations give what they should, and a release with its
// acquire hands data over, in a block, between blocks, by fences too.
// only: nvcc
// compiler: -std=c++17
// expect: clean
// stdout: PASS
#include <cuda/atomic>

#include "verify.h"

using cuda::std::memory_order;
using cuda::std::memory_order_acq_rel;
using cuda::std::memory_order_acquire;
using cuda::std::memory_order_relaxed;
using cuda::std::memory_order_release;
using cuda::std::memory_order_seq_cst;

enum { ADD, SUB, AND, OR, XOR, MAX, MIN, SWAPS, CAS, KINDS };

template <cuda::thread_scope S>
__device__ void operate(int *cell, int t, memory_order o)
{
    cuda::atomic_ref<int, S> r[KINDS] = {cuda::atomic_ref<int, S>(cell[0]), cuda::atomic_ref<int, S>(cell[1]),
                                         cuda::atomic_ref<int, S>(cell[2]), cuda::atomic_ref<int, S>(cell[3]),
                                         cuda::atomic_ref<int, S>(cell[4]), cuda::atomic_ref<int, S>(cell[5]),
                                         cuda::atomic_ref<int, S>(cell[6]), cuda::atomic_ref<int, S>(cell[7]),
                                         cuda::atomic_ref<int, S>(cell[8])};
    r[ADD].fetch_add(t, o);
    r[SUB].fetch_sub(t, o);
    r[AND].fetch_and(~(1 << (t & 7)), o);
    r[OR].fetch_or(1 << (t & 15), o);
    r[XOR].fetch_xor(t, o);
    r[MAX].fetch_max(t * 3, o);
    r[MIN].fetch_min(-t, o);
    if (r[SWAPS].exchange(1, o) == 0) // one thread alone sees the 0
        r[ADD].fetch_add(1000000, o);
    int seen = r[CAS].load(memory_order_relaxed);
    while (!r[CAS].compare_exchange_weak(seen, seen + 2, o, memory_order_relaxed))
        ;
}

static const int threads = 96;

// Block scope: one cell set a block. Wider scopes: one for all.
__global__ void all_kinds(int *cells, int n_orders)
{
    const memory_order orders[] = {memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel,
                                   memory_order_seq_cst};
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    for (int o = 0; o < n_orders; o++) {
        int *set = cells + o * 6 * KINDS;
        operate<cuda::thread_scope_block>(set + blockIdx.x * KINDS, threadIdx.x, orders[o]);
        operate<cuda::thread_scope_device>(set + 2 * KINDS, t, orders[o]);
        operate<cuda::thread_scope_system>(set + 3 * KINDS, t, orders[o]);
        if (t == 0)
            operate<cuda::thread_scope_thread>(set + 4 * KINDS, 5, orders[o]);
    }
}

static void wants(const int *got, int n, const char *what)
{
    int all[KINDS] = {1000000, 0, 255, 0, 0, 0, 0, 1, 2 * n};
    for (int t = 0; t < n; t++) {
        all[ADD] += t;
        all[SUB] -= t;
        all[AND] &= ~(1 << (t & 7));
        all[OR] |= 1 << (t & 15);
        all[XOR] ^= t;
    }
    all[MAX] = 3 * (n - 1);
    all[MIN] = -(n - 1);
    same(what, std::vector<int>(got, got + KINDS), std::vector<int>(all, all + KINDS));
}

static void operations()
{
    std::vector<int> zero(5 * 6 * KINDS);
    for (size_t i = AND; i < zero.size(); i += KINDS)
        zero[i] = 255;
    on_device<int> d(zero);
    all_kinds<<<2, threads>>>(d.p, 5);
    ok(cudaDeviceSynchronize(), "operations");
    std::vector<int> got = d.read();
    for (int o = 0; o < 5; o++) {
        const int *set = got.data() + o * 6 * KINDS;
        wants(set, threads, "block scope, block 0");
        wants(set + KINDS, threads, "block scope, block 1");
        wants(set + 2 * KINDS, 2 * threads, "device scope");
        wants(set + 3 * KINDS, 2 * threads, "system scope");
        same("thread scope", set[4 * KINDS + CAS], 2);
    }
}

struct mail {
    cuda::atomic<int, cuda::thread_scope_device> flag;
    cuda::atomic<unsigned, cuda::thread_scope_device> by_fence;
    int letter[2];
};

// Block 0 writes, block 1 waits and reads.
__global__ void hand_over(mail *m, int *got)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        m->letter[0] = 41;
        m->flag.store(1, memory_order_release);
        m->letter[1] = 42;
        cuda::atomic_thread_fence(memory_order_release, cuda::thread_scope_device);
        m->by_fence.store(1, memory_order_relaxed);
        return;
    }
    while (m->flag.load(memory_order_acquire) == 0)
        ;
    got[0] = m->letter[0];
    while (m->by_fence.load(memory_order_relaxed) == 0)
        ;
    cuda::atomic_thread_fence(memory_order_acquire, cuda::thread_scope_device);
    got[1] = m->letter[1];
}

// Warp 0 writes, warp 1 waits with the waiting of the library and reads.
__global__ void in_block(int *got)
{
    __shared__ int letter;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
    if (threadIdx.x == 0)
        new (&flag) cuda::atomic<int, cuda::thread_scope_block>(0);
    __syncthreads();
    if (threadIdx.x == 0) {
        letter = 43;
        flag.store(1, memory_order_release);
        flag.notify_all();
    } else if (threadIdx.x == 32) {
        flag.wait(0, memory_order_acquire);
        *got = letter;
    }
}

// The sum of halves of doubles is exact in any order.
__global__ void floats(double *d, float *f)
{
    cuda::atomic_ref<double, cuda::thread_scope_device>(*d).fetch_add(threadIdx.x * 0.5);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*f).fetch_add(threadIdx.x * 0.5f, memory_order_relaxed);
}

int main()
{
    operations();
    on_device<mail> m(1);
    on_device<int> got(3);
    ok(cudaMemset(m.p, 0, sizeof(mail)), "memset");
    hand_over<<<2, 32>>>(m.p, got.p);
    in_block<<<1, 64>>>(got.p + 2);
    ok(cudaDeviceSynchronize(), "messages");
    same("messages", got.read(), std::vector<int>{41, 42, 43});
    on_device<double> d(std::vector<double>{0});
    on_device<float> f(std::vector<float>{0});
    floats<<<1, 64>>>(d.p, f.p);
    same("doubles", d.first(), 1008.0);
    same("floats", f.first(), 1008.0f);
    return verdict();
}

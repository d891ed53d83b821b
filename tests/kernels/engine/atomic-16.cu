// SPDX-License-Identifier: Apache-2.0
// Atomic objects of 16 bytes: exchange, compare and exchange, load and store by many threads.
// expect: clean
// stdout: PASS
// compiler: -std=c++17
// compiler nvcc: -arch=sm_90
// xfail-run nvcc: CUDA 13.0: <cuda/atomic> of 16 bytes does not compile
// xfail nvcc: CUDA 13.0: <cuda/atomic> of 16 bytes does not compile
#include "host.h"
#include <cuda/atomic>

struct __align__(16) Pair {
    long long sum;
    int count, check;
};

__global__ void add(Pair *p, Pair *last)
{
    cuda::atomic_ref<Pair, cuda::thread_scope_device> r(*p);
    Pair seen = r.load(cuda::std::memory_order_relaxed), next;
    do {
        next = Pair{seen.sum + (long long)(threadIdx.x + blockIdx.x * blockDim.x) * 1000000007ll, seen.count + 1, ~seen.count - 1};
    } while (!r.compare_exchange_weak(seen, next, cuda::std::memory_order_acq_rel));
    cuda::atomic_ref<Pair, cuda::thread_scope_system> l(*last);
    if (threadIdx.x == 0)
        l.exchange(Pair{(long long)blockIdx.x, 1, 2});
    else if (l.load().count > 1)
        l.store(Pair{-1, -1, -1});
}

int main()
{
    Dev<Pair> d(2);
    Pair zero[2] = {{0, 0, -1}, {0, 0, 0}};
    d.put(zero);
    add<<<8, 64>>>(d.p, d.p + 1);
    Pair *got = d.get(), want = {511ll * 512 / 2 * 1000000007ll, 512, ~512};
    same("pair", got, &want, 1);
    int ok = got[1].count == 1 && got[1].check == 2, one = 1;
    same("exchange", &ok, &one, 1);
    return done();
}

// SPDX-License-Identifier: Apache-2.0
// Cooperative groups of more than a warp: shuffles, votes, sums and barriers of tiles of 64 to 512 threads.
// expect: clean
// allow nvcc: race-warp race-shared
// stdout: PASS
// compiler nvcc: -std=c++17
#include "host.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

struct Pair {
    float a;
    int b;
};

template <unsigned Size> __global__ void tiles(int *out)
{
    __shared__ cg::block_tile_memory<1024> memory;
    __shared__ int passed[16];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<Size>(block);
    int t = threadIdx.x, tile_id = t / Size, rank = (int)tile.thread_rank();
    if (t < 16)
        passed[t] = 0;
    block.sync();
    int sum = cg::reduce(tile, t, cg::plus<int>());
    Pair p = tile.shfl(Pair{t * 0.5f, -t}, 33);
    int any = tile.any(t == 70), all = tile.all(rank < (int)Size - (tile_id & 1));
    for (int k = 0; k < tile_id + 2; k++) { // tiles pass their own barriers unevenly
        if (rank == k)
            passed[tile_id]++;
        tile.sync();
    }
    out[t] = sum + (int)(2 * p.a) * 3 + p.b + any * 100000 + all * 200000 + passed[tile_id] * 1000000;
}

template <unsigned Size> static void run(const char *name, int threads)
{
    Dev<int> d(threads);
    int want[1024];
    tiles<Size><<<1, threads>>>(d.p);
    for (int t = 0; t < threads; t++) {
        int n = Size, first = t / n * n, sum = 0;
        for (int i = first; i < first + n; i++)
            sum += i;
        want[t] = sum + (first + 33) * 3 - (first + 33) + (70 / n == t / n) * 100000 + !(t / n & 1) * 200000 + (t / n + 2) * 1000000;
    }
    same(name, d.get(), want, threads);
}

int main()
{
    run<64>("64", 256);
    run<128>("128", 128);
    run<256>("256", 1024);
    run<512>("512", 1024);
    return done();
}

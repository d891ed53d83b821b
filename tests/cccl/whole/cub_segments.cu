// SPDX-License-Identifier: Apache-2.0
// CUB over segments: reductions and sorts of many parts, empty ones among them.
// only: nvcc
// compiler: -std=c++17 --extended-lambda
// expect: clean
// allow: race-volatile mem-uninit
// stdout: PASS
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

#include "../verify.h"

static std::vector<int> cuts(int n, int parts)
{
    std::vector<int> at = some<int>(parts + 1, n + 1, n);
    at[0] = 0;
    at[parts] = n;
    at[1] = at[2]; // an empty one
    std::sort(at.begin(), at.end());
    return at;
}

int main()
{
    for (int parts : {3, 700}) {
        int n = 16384 + 91;
        std::vector<int> in = some<int>(n, 100000, n), at = cuts(n, parts), sums, sorted = in;
        for (int i = 0; i < parts; i++) {
            sums.push_back(std::accumulate(in.begin() + at[i], in.begin() + at[i + 1], 0));
            std::sort(sorted.begin() + at[i], sorted.begin() + at[i + 1]);
        }
        on_device<int> d(in), a(at), out(n), sum(parts);
        twice("segmented sum", [&](void *t, size_t &b) {
            return cub::DeviceSegmentedReduce::Sum(t, b, d.p, sum.p, parts, a.p, a.p + 1);
        });
        same("segmented sum", sum.read(), sums);
        twice("segmented sort", [&](void *t, size_t &b) {
            return cub::DeviceSegmentedSort::SortKeys(t, b, d.p, out.p, n, parts, a.p, a.p + 1);
        });
        same("segmented sort", out.read(), sorted);
        ok(cudaMemset(out.p, 0, n * sizeof(int)), "memset");
        twice("segmented radix sort", [&](void *t, size_t &b) {
            return cub::DeviceSegmentedRadixSort::SortKeys(t, b, d.p, out.p, n, parts, a.p, a.p + 1);
        });
        same("segmented radix sort", out.read(), sorted);
    }
    return verdict();
}

// SPDX-License-Identifier: Apache-2.0
// CUB over whole arrays: radix and merge sort, merging.
// only: nvcc
// compiler: -std=c++17 --extended-lambda
// expect: clean
// allow: race-volatile mem-uninit
// stdout: PASS
#include <cub/cub.cuh>

#include <algorithm>

#include "../verify.h"

static const int sizes[] = {1, 37, 20000 + 91};

struct by_low_bits {
    __host__ __device__ bool operator()(int a, int b) const { return (a & 255) < (b & 255); }
};

static void keys(int n)
{
    std::vector<unsigned> in = some<unsigned>(n, 1 << 24, n), wanted = in;
    on_device<unsigned> d(in), out(n);
    twice("sort keys", [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, d.p, out.p, n); });
    std::sort(wanted.begin(), wanted.end());
    same("sort keys", out.read(), wanted);
    std::vector<float> fin(n), fwanted(n);
    for (int i = 0; i < n; i++)
        fwanted[i] = fin[i] = (float)in[i] / 7 - 1e6f;
    on_device<float> fd(fin), fout(n);
    twice("sort keys descending", [&](void *t, size_t &b) {
        return cub::DeviceRadixSort::SortKeysDescending(t, b, fd.p, fout.p, n);
    });
    std::sort(fwanted.rbegin(), fwanted.rend());
    same("sort keys descending", fout.read(), fwanted);
}

static void pairs(int n)
{
    std::vector<unsigned> in = some<unsigned>(n, 5000, n), wanted(n);
    std::vector<int> order(n);
    for (int i = 0; i < n; i++)
        order[i] = i;
    on_device<unsigned> d(in), out(n);
    on_device<int> v(order), vout(n);
    twice("sort pairs", [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, d.p, out.p, v.p, vout.p, n); });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
    same("sort pairs", vout.read(), order);
}

static void merge_sort(int n)
{
    std::vector<int> in = some<int>(n, 1 << 20, n), wanted = in;
    on_device<int> d(in);
    twice("merge sort", [&](void *t, size_t &b) { return cub::DeviceMergeSort::StableSortKeys(t, b, d.p, n, by_low_bits()); });
    std::stable_sort(wanted.begin(), wanted.end(), by_low_bits());
    same("merge sort", d.read(), wanted);
}

static void merge(int n)
{
    std::vector<int> a = some<int>(n, 1 << 20, n), b = some<int>(n / 2 + 3, 1 << 20, n + 1), wanted;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(wanted));
    on_device<int> x(a), y(b), out(wanted.size());
    twice("merge", [&](void *t, size_t &s) {
        return cub::DeviceMerge::MergeKeys(t, s, x.p, (int)a.size(), y.p, (int)b.size(), out.p);
    });
    same("merge", out.read(), wanted);
}

int main()
{
    for (int n : sizes) {
        keys(n);
        pairs(n);
        merge_sort(n);
        merge(n);
    }
    return verdict();
}

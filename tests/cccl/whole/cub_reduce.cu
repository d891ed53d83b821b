// SPDX-License-Identifier: Apache-2.0
// CUB over whole arrays: reductions, scans, histograms, differences.
// only: nvcc
// compiler: -std=c++17 --extended-lambda
// expect: clean
// stdout: PASS
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

#include "../verify.h"

static const int sizes[] = {1, 37, 20000 + 91};

struct longer {
    __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

static void reduce(int n)
{
    std::vector<int> in = some<int>(n, 1000, n);
    on_device<int> d(in), out(1);
    on_device<cub::KeyValuePair<int, int>> pair(1);
    twice("sum", [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, d.p, out.p, n); });
    same("sum", out.first(), std::accumulate(in.begin(), in.end(), 0));
    twice("max", [&](void *t, size_t &b) { return cub::DeviceReduce::Reduce(t, b, d.p, out.p, n, longer(), -1); });
    same("max", out.first(), *std::max_element(in.begin(), in.end()));
    twice("min", [&](void *t, size_t &b) { return cub::DeviceReduce::Min(t, b, d.p, out.p, n); });
    same("min", out.first(), *std::min_element(in.begin(), in.end()));
}

static void scan(int n)
{
    std::vector<int> in = some<int>(n, 100, n), wanted(n);
    on_device<int> d(in), out(n);
    twice("inclusive sum", [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, d.p, out.p, n); });
    std::partial_sum(in.begin(), in.end(), wanted.begin());
    same("inclusive sum", out.read(), wanted);
    twice("exclusive sum", [&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, d.p, out.p, n); });
    for (int i = 0, sum = 0; i < n; sum += in[i++])
        wanted[i] = sum;
    same("exclusive sum", out.read(), wanted);
    twice("inclusive max", [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveScan(t, b, d.p, out.p, longer(), n); });
    std::partial_sum(in.begin(), in.end(), wanted.begin(), longer());
    same("inclusive max", out.read(), wanted);
}

static void scan_by_key(int n)
{
    std::vector<int> keys(n), in = some<int>(n, 100, n), wanted(n);
    for (int i = 0; i < n; i++)
        keys[i] = i / 53;
    on_device<int> k(keys), d(in), out(n);
    twice("scan by key", [&](void *t, size_t &b) {
        return cub::DeviceScan::InclusiveSumByKey(t, b, k.p, d.p, out.p, n);
    });
    for (int i = 0; i < n; i++)
        wanted[i] = in[i] + (i && keys[i] == keys[i - 1] ? wanted[i - 1] : 0);
    same("scan by key", out.read(), wanted);
}

static void histogram(int n)
{
    std::vector<int> in = some<int>(n, 256, n), even(16), range(4);
    std::vector<int> levels = {0, 3, 50, 51, 256};
    for (int x : in) {
        even[x / 16]++;
        range[std::upper_bound(levels.begin(), levels.end(), x) - levels.begin() - 1]++;
    }
    on_device<int> d(in), bins(16), bounds(levels);
    twice("histogram even", [&](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, d.p, bins.p, 17, 0, 256, n);
    });
    same("histogram even", bins.read(), even);
    twice("histogram range", [&](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramRange(t, b, d.p, bins.p, 5, bounds.p, n);
    });
    same("histogram range", bins.read(4), range);
}

static void difference(int n)
{
    std::vector<int> in = some<int>(n, 1000, n), wanted(n);
    on_device<int> d(in), out(n);
    twice("left difference", [&](void *t, size_t &b) {
        return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, d.p, out.p, n);
    });
    std::adjacent_difference(in.begin(), in.end(), wanted.begin());
    same("left difference", out.read(), wanted);
    twice("right difference", [&](void *t, size_t &b) { return cub::DeviceAdjacentDifference::SubtractRight(t, b, d.p, n); });
    for (int i = 0; i < n; i++)
        wanted[i] = i + 1 < n ? in[i] - in[i + 1] : in[i];
    same("right difference", d.read(), wanted);
}

int main()
{
    for (int n : sizes) {
        reduce(n);
        scan(n);
        scan_by_key(n);
        histogram(n);
        difference(n);
    }
    return verdict();
}

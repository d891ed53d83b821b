// SPDX-License-Identifier: Apache-2.0
// CUB over whole arrays: selection, partition, unique, run lengths, and work over several arrays at once. NonTrivialRuns
// stores what it drops into one spare cell, from many lanes: a race, though nobody reads it.
// only: nvcc
// compiler: -std=c++17 --extended-lambda
// expect: race-warp
// allow: mem-uninit
// stdout: PASS
#include <cub/cub.cuh>

#include <algorithm>

#include "../verify.h"

static const int sizes[] = {1, 37, 20000 + 91};

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

struct twofold {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};

static void select(int n)
{
    std::vector<int> in = some<int>(n, 1000, n), wanted;
    std::vector<char> flags = some<char>(n, 2, n + 1);
    on_device<int> d(in), out(n), count(1);
    on_device<char> f(flags);
    twice("select if", [&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, d.p, out.p, count.p, n, is_odd()); });
    std::copy_if(in.begin(), in.end(), std::back_inserter(wanted), is_odd());
    same("select if", out.read(count.first()), wanted);
    twice("select flagged", [&](void *t, size_t &b) { return cub::DeviceSelect::Flagged(t, b, d.p, f.p, out.p, count.p, n); });
    wanted.clear();
    for (int i = 0; i < n; i++)
        if (flags[i])
            wanted.push_back(in[i]);
    same("select flagged", out.read(count.first()), wanted);
}

static void partition(int n)
{
    std::vector<int> in = some<int>(n, 1000, n), wanted, rest;
    on_device<int> d(in), out(n), count(1);
    twice("partition", [&](void *t, size_t &b) { return cub::DevicePartition::If(t, b, d.p, out.p, count.p, n, is_odd()); });
    for (int x : in)
        (is_odd()(x) ? wanted : rest).push_back(x);
    same("partition: count", (size_t)count.first(), wanted.size());
    wanted.insert(wanted.end(), rest.rbegin(), rest.rend()); // CUB gives the others backwards
    same("partition", out.read(), wanted);
}

static void runs(int n)
{
    std::vector<int> in(n), wanted, lengths, starts;
    for (int i = 0; i < n; i++)
        in[i] = (i * 7 / 31) & 15;
    for (int i = 0; i < n; i++) {
        if (i && in[i] == in[i - 1]) {
            lengths.back()++;
            continue;
        }
        wanted.push_back(in[i]);
        lengths.push_back(1);
        starts.push_back(i);
    }
    on_device<int> d(in), out(n), len(n), start(n), count(1);
    twice("unique", [&](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, d.p, out.p, count.p, n); });
    same("unique", out.read(count.first()), wanted);
    twice("run lengths", [&](void *t, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(t, b, d.p, out.p, len.p, count.p, n);
    });
    same("run lengths: values", out.read(count.first()), wanted);
    same("run lengths", len.read(count.first()), lengths);
    twice("reduce by key", [&](void *t, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(t, b, d.p, out.p, d.p, len.p, count.p, cuda::std::plus<>(), n);
    });
    for (size_t i = 0; i < wanted.size(); i++)
        lengths[i] *= wanted[i];
    same("reduce by key", len.read(count.first()), lengths);
    twice("runs of more than one", [&](void *t, size_t &b) {
        return cub::DeviceRunLengthEncode::NonTrivialRuns(t, b, d.p, start.p, len.p, count.p, n);
    });
    size_t longer = 0;
    for (size_t i = 0; i < starts.size(); i++)
        if ((i + 1 < starts.size() ? starts[i + 1] : n) - starts[i] > 1)
            starts[longer++] = starts[i];
    starts.resize(longer);
    same("runs of more than one", start.read(count.first()), starts);
}

static void transform(int n)
{
    std::vector<int> in = some<int>(n, 1000, n), wanted(n);
    on_device<int> d(in), out(n);
    std::transform(in.begin(), in.end(), wanted.begin(), twofold());
    ok(cub::DeviceTransform::Transform(d.p, out.p, n, twofold()), "transform");
    ok(cudaDeviceSynchronize(), "transform");
    same("transform", out.read(), wanted);
    int *p = out.p;
    ok(cub::DeviceFor::Bulk(n, [p] __device__(int i) { p[i] = i * 3; }), "for");
    ok(cudaDeviceSynchronize(), "for");
    for (int i = 0; i < n; i++)
        wanted[i] = i * 3;
    same("for", out.read(), wanted);
}

// Eight parts of different lengths are copied elsewhere.
static void copies(int n)
{
    std::vector<int> in = some<int>(n, 1000, n), wanted(n);
    on_device<int> d(in), out(n);
    std::vector<const void *> from;
    std::vector<void *> to;
    std::vector<size_t> bytes;
    for (int i = 0, at = 0; i < 8; i++) {
        int len = i == 7 ? n - at : n * (i + 1) / 64;
        from.push_back(d.p + at);
        to.push_back(out.p + n - at - len);
        bytes.push_back(len * sizeof(int));
        std::copy_n(in.begin() + at, len, wanted.begin() + n - at - len);
        at += len;
    }
    on_device<const void *> f(from);
    on_device<void *> g(to);
    on_device<size_t> s(bytes);
    twice("copies", [&](void *t, size_t &b) { return cub::DeviceMemcpy::Batched(t, b, f.p, g.p, s.p, 8); });
    same("copies", out.read(), wanted);
}

int main()
{
    for (int n : sizes) {
        select(n);
        partition(n);
        runs(n);
        transform(n);
        copies(n);
    }
    return verdict();
}

// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms over device vectors, in order and on a stream. unique in place overwrites tiles that other blocks have
// read, ordered by relaxed stores only.
// only: nvcc
// compiler: -std=c++17 --extended-lambda
// expect: fence-missing-release
// allow: race-volatile mem-uninit race-global
// stdout: PASS
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "../verify.h"

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

struct shifted {
    __host__ __device__ int operator()(int x) const { return x * 3 - 7; }
};

static std::vector<int> back(const thrust::device_vector<int> &d)
{
    std::vector<int> v(d.size());
    thrust::copy(d.begin(), d.end(), v.begin());
    return v;
}

static void in_order(int n)
{
    std::vector<int> in = some<int>(n, 500, n), wanted(n);
    thrust::device_vector<int> d(in.begin(), in.end()), out(n);
    same("reduce", thrust::reduce(d.begin(), d.end()), std::accumulate(in.begin(), in.end(), 0));
    same("inner product", thrust::inner_product(d.begin(), d.end(), d.begin(), 0),
         std::inner_product(in.begin(), in.end(), in.begin(), 0));
    same("count", thrust::count_if(d.begin(), d.end(), is_odd()), std::count_if(in.begin(), in.end(), is_odd()));
    same("max", thrust::max_element(d.begin(), d.end()) - d.begin(), std::max_element(in.begin(), in.end()) - in.begin());
    thrust::transform(d.begin(), d.end(), out.begin(), shifted());
    std::transform(in.begin(), in.end(), wanted.begin(), shifted());
    same("transform", back(out), wanted);
    thrust::exclusive_scan(d.begin(), d.end(), out.begin(), 5);
    for (int i = 0, sum = 5; i < n; sum += in[i++])
        wanted[i] = sum;
    same("exclusive scan", back(out), wanted);
    auto end = thrust::copy_if(d.begin(), d.end(), out.begin(), is_odd());
    wanted.clear();
    std::copy_if(in.begin(), in.end(), std::back_inserter(wanted), is_odd());
    out.resize(end - out.begin());
    same("copy if", back(out), wanted);
}

static void sorted(int n)
{
    std::vector<int> in = some<int>(n, 500, n), at(n), keys, sums;
    std::iota(at.begin(), at.end(), 0);
    thrust::device_vector<int> d(in.begin(), in.end()), order(at.begin(), at.end()), k(n), s(n);
    thrust::stable_sort_by_key(d.begin(), d.end(), order.begin());
    std::stable_sort(at.begin(), at.end(), [&](int a, int b) { return in[a] < in[b]; });
    same("sort by key", back(order), at);
    std::sort(in.begin(), in.end());
    for (int i = 0; i < n; i++) {
        if (!i || in[i] != in[i - 1]) {
            keys.push_back(in[i]);
            sums.push_back(0);
        }
        sums.back() += at[i];
    }
    auto ends = thrust::reduce_by_key(d.begin(), d.end(), order.begin(), k.begin(), s.begin());
    k.resize(ends.first - k.begin());
    s.resize(ends.second - s.begin());
    same("reduce by key: keys", back(k), keys);
    same("reduce by key: sums", back(s), sums);
    d.erase(thrust::unique(d.begin(), d.end()), d.end());
    same("unique", back(d), keys);
}

static void on_stream(int n)
{
    cudaStream_t stream;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    thrust::device_vector<int> d(n), out(n);
    ok(cudaDeviceSynchronize(), "sync"); // the vectors are filled on the default stream
    auto on = thrust::cuda::par_nosync.on(stream);
    thrust::copy_n(on, thrust::counting_iterator<int>(0), n, d.begin());
    thrust::inclusive_scan(on, d.begin(), d.end(), out.begin());
    thrust::transform(on, out.begin(), out.end(), out.begin(), shifted());
    ok(cudaStreamSynchronize(stream), "sync");
    std::vector<int> wanted(n);
    for (int i = 0, sum = 0; i < n; i++)
        wanted[i] = shifted()(sum += i);
    same("on a stream", back(out), wanted);
    ok(cudaStreamDestroy(stream), "stream");
}

int main()
{
    for (int n : {1, 37, 20000 + 91}) {
        in_order(n);
        sorted(n);
        on_stream(n);
    }
    return verdict();
}

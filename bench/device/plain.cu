// SPDX-License-Identifier: Apache-2.0
// The kernels most programs start from, in the simplest correct form: a tree reduction in shared
// memory and one with warp shuffles, both ending in one float atomic a block; one atomic per counted
// element; histograms with global and with shared atomics. Sizes are 64 bits wide.
#include "baseline.h"

static const int threads = 256;

static __global__ void tree_sum(const float *in, float *out, size_t n)
{
    __shared__ float s[threads];
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}

static __device__ float warp_sum(float v)
{
    for (int half = 16; half > 0; half /= 2)
        v += __shfl_down_sync(0xffffffffu, v, half);
    return v;
}

static __global__ void shuffle_sum(const float *in, float *out, size_t n)
{
    __shared__ float s[threads / 32];
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
    float v = warp_sum(i < n ? in[i] : 0.0f);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_sum(threadIdx.x < threads / 32 ? s[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0)
            atomicAdd(out, v);
    }
}

static __global__ void atomic_count(const float *in, float bound, unsigned long long *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
    if (i < n && in[i] > bound)
        atomicAdd(out, 1ull);
}

static __global__ void global_histogram(const uint32_t *in, unsigned *counts, unsigned bins, size_t n)
{
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
    if (i < n && in[i] < bins)
        atomicAdd(&counts[in[i]], 1u);
}

static __global__ void shared_histogram(const uint32_t *in, unsigned *counts, unsigned bins, size_t n)
{
    extern __shared__ unsigned s[];
    for (unsigned b = threadIdx.x; b < bins; b += threads)
        s[b] = 0;
    __syncthreads();
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
    if (i < n && in[i] < bins)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < bins; b += threads)
        if (s[b])
            atomicAdd(&counts[b], s[b]);
}

static unsigned grid_for(size_t n)
{
    return (unsigned)((n + threads - 1) / threads);
}

cudaError_t plain_tree_sum(const float *in, float *out, size_t n, cudaStream_t s)
{
    cudaMemsetAsync(out, 0, sizeof *out, s);
    tree_sum<<<grid_for(n), threads, 0, s>>>(in, out, n);
    return cudaGetLastError();
}

cudaError_t plain_shuffle_sum(const float *in, float *out, size_t n, cudaStream_t s)
{
    cudaMemsetAsync(out, 0, sizeof *out, s);
    shuffle_sum<<<grid_for(n), threads, 0, s>>>(in, out, n);
    return cudaGetLastError();
}

cudaError_t plain_count(const float *in, float bound, unsigned long long *out, size_t n, cudaStream_t s)
{
    cudaMemsetAsync(out, 0, sizeof *out, s);
    atomic_count<<<grid_for(n), threads, 0, s>>>(in, bound, out, n);
    return cudaGetLastError();
}

cudaError_t plain_global_histogram(const uint32_t *in, unsigned *counts, unsigned bins, size_t n, cudaStream_t s)
{
    cudaMemsetAsync(counts, 0, bins * sizeof *counts, s);
    global_histogram<<<grid_for(n), threads, 0, s>>>(in, counts, bins, n);
    return cudaGetLastError();
}

cudaError_t plain_shared_histogram(const uint32_t *in, unsigned *counts, unsigned bins, size_t n, cudaStream_t s)
{
    cudaMemsetAsync(counts, 0, bins * sizeof *counts, s);
    shared_histogram<<<grid_for(n), threads, bins * sizeof *counts, s>>>(in, counts, bins, n);
    return cudaGetLastError();
}

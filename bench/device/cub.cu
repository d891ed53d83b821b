// SPDX-License-Identifier: Apache-2.0
// CUB's device algorithms behind the plain functions of baseline.h. Sizes are passed as 64-bit
// numbers, histogram counters are 32 bits wide (CUB's fastest choice); nothing else is set.
#include "baseline.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

struct is_greater {
    float bound;
    __host__ __device__ bool operator()(float x) const { return x > bound; }
};
struct is_greater_count {
    float bound;
    __host__ __device__ unsigned long long operator()(float x) const { return x > bound; }
};
struct plus_u64 {
    __host__ __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const
    {
        return a + b;
    }
};

#define SUM(sfx, T)                                                                                 \
    cudaError_t cub_sum_##sfx(void *t, size_t *b, const T *in, T *out, size_t n, cudaStream_t s)    \
    {                                                                                               \
        return cub::DeviceReduce::Sum(t, *b, in, out, (int64_t)n, s);                               \
    }
SUM(f32, float)
SUM(f64, double)
SUM(i32, int32_t)

cudaError_t cub_min_f32(void *t, size_t *b, const float *in, float *out, size_t n, cudaStream_t s)
{
    return cub::DeviceReduce::Min(t, *b, in, out, (int64_t)n, s);
}

cudaError_t cub_argmin_f32(void *t, size_t *b, const float *in, float *value, int64_t *index, size_t n,
                           cudaStream_t s)
{
    return cub::DeviceReduce::ArgMin(t, *b, in, value, index, (int64_t)n, s);
}

#define SCAN(sfx, T, Call)                                                                          \
    cudaError_t cub_##sfx(void *t, size_t *b, const T *in, T *out, size_t n, cudaStream_t s)        \
    {                                                                                               \
        return cub::DeviceScan::Call(t, *b, in, out, (int64_t)n, s);                                \
    }
SCAN(inclusive_f32, float, InclusiveSum)
SCAN(exclusive_f32, float, ExclusiveSum)
SCAN(inclusive_i32, int32_t, InclusiveSum)
SCAN(inclusive_f64, double, InclusiveSum)

cudaError_t cub_count_gt_f32(void *t, size_t *b, const float *in, float bound, unsigned long long *out,
                             size_t n, cudaStream_t s)
{
    return cub::DeviceReduce::TransformReduce(t, *b, in, out, (int64_t)n, plus_u64(),
                                              is_greater_count{bound}, 0ull, s);
}

cudaError_t cub_compact_gt_f32(void *t, size_t *b, const float *in, float bound, float *out,
                               unsigned long long *count, size_t n, cudaStream_t s)
{
    return cub::DeviceSelect::If(t, *b, in, out, count, (int64_t)n, is_greater{bound}, s);
}

#define EVEN(sfx, T, L)                                                                             \
    cudaError_t cub_even_##sfx(void *t, size_t *b, const T *in, unsigned *counts, int bins, L lower, \
                               L upper, size_t n, cudaStream_t s)                                   \
    {                                                                                               \
        return cub::DeviceHistogram::HistogramEven(t, *b, in, counts, bins + 1, lower, upper,       \
                                                   (int64_t)n, s);                                  \
    }
EVEN(u8, uint8_t, int)
EVEN(u16, uint16_t, int)
EVEN(u32, uint32_t, uint32_t)
EVEN(i32, int32_t, int32_t)
EVEN(f32, float, float)

// Counters as wide as ours.
cudaError_t cub_even_wide_u32(void *t, size_t *b, const uint32_t *in, unsigned long long *counts, int bins,
                              uint32_t lower, uint32_t upper, size_t n, cudaStream_t s)
{
    return cub::DeviceHistogram::HistogramEven(t, *b, in, counts, bins + 1, lower, upper, (int64_t)n, s);
}

#define EDGES(sfx, T)                                                                               \
    cudaError_t cub_edges_##sfx(void *t, size_t *b, const T *in, unsigned *counts, int bins,        \
                                const T *edges, size_t n, cudaStream_t s)                           \
    {                                                                                               \
        return cub::DeviceHistogram::HistogramRange(t, *b, in, counts, bins + 1, edges, (int64_t)n, \
                                                    s);                                             \
    }
EDGES(f32, float)
EDGES(i32, int32_t)

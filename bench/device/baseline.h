// SPDX-License-Identifier: Apache-2.0
// What the benchmark compares with: CUB's device algorithms behind plain functions (cub.cu, compiled
// once because CUB is slow to compile) and the textbook kernels most programs start from (plain.cu).
#ifndef BASELINE_H
#define BASELINE_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

cudaError_t cub_sum_f32(void *t, size_t *b, const float *in, float *out, size_t n, cudaStream_t s);
cudaError_t cub_sum_f64(void *t, size_t *b, const double *in, double *out, size_t n, cudaStream_t s);
cudaError_t cub_sum_i32(void *t, size_t *b, const int32_t *in, int32_t *out, size_t n, cudaStream_t s);
cudaError_t cub_min_f32(void *t, size_t *b, const float *in, float *out, size_t n, cudaStream_t s);
cudaError_t cub_argmin_f32(void *t, size_t *b, const float *in, float *value, int64_t *index, size_t n,
                           cudaStream_t s);
cudaError_t cub_inclusive_f32(void *t, size_t *b, const float *in, float *out, size_t n, cudaStream_t s);
cudaError_t cub_exclusive_f32(void *t, size_t *b, const float *in, float *out, size_t n, cudaStream_t s);
cudaError_t cub_inclusive_i32(void *t, size_t *b, const int32_t *in, int32_t *out, size_t n,
                              cudaStream_t s);
cudaError_t cub_inclusive_f64(void *t, size_t *b, const double *in, double *out, size_t n,
                              cudaStream_t s);
cudaError_t cub_count_gt_f32(void *t, size_t *b, const float *in, float bound, unsigned long long *out,
                             size_t n, cudaStream_t s);
cudaError_t cub_compact_gt_f32(void *t, size_t *b, const float *in, float bound, float *out,
                               unsigned long long *count, size_t n, cudaStream_t s);
cudaError_t cub_even_u8(void *t, size_t *b, const uint8_t *in, unsigned *counts, int bins, int lower,
                        int upper, size_t n, cudaStream_t s);
cudaError_t cub_even_u16(void *t, size_t *b, const uint16_t *in, unsigned *counts, int bins, int lower,
                         int upper, size_t n, cudaStream_t s);
cudaError_t cub_even_u32(void *t, size_t *b, const uint32_t *in, unsigned *counts, int bins,
                         uint32_t lower, uint32_t upper, size_t n, cudaStream_t s);
cudaError_t cub_even_wide_u32(void *t, size_t *b, const uint32_t *in, unsigned long long *counts, int bins,
                              uint32_t lower, uint32_t upper, size_t n, cudaStream_t s);
cudaError_t cub_even_i32(void *t, size_t *b, const int32_t *in, unsigned *counts, int bins, int32_t lower,
                         int32_t upper, size_t n, cudaStream_t s);
cudaError_t cub_even_f32(void *t, size_t *b, const float *in, unsigned *counts, int bins, float lower,
                         float upper, size_t n, cudaStream_t s);
cudaError_t cub_edges_f32(void *t, size_t *b, const float *in, unsigned *counts, int bins,
                          const float *edges, size_t n, cudaStream_t s);
cudaError_t cub_edges_i32(void *t, size_t *b, const int32_t *in, unsigned *counts, int bins,
                          const int32_t *edges, size_t n, cudaStream_t s);

// Textbook kernels; bins up to 12,288 for the shared histogram.
cudaError_t plain_tree_sum(const float *in, float *out, size_t n, cudaStream_t s);
cudaError_t plain_shuffle_sum(const float *in, float *out, size_t n, cudaStream_t s);
cudaError_t plain_count(const float *in, float bound, unsigned long long *out, size_t n, cudaStream_t s);
cudaError_t plain_global_histogram(const uint32_t *in, unsigned *counts, unsigned bins, size_t n,
                                   cudaStream_t s);
cudaError_t plain_shared_histogram(const uint32_t *in, unsigned *counts, unsigned bins, size_t n,
                                   cudaStream_t s);

#endif

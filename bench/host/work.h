// SPDX-License-Identifier: Apache-2.0
// The work that every rival of the benchmark does: inputs as functions of an index, and the test of each
// result. C17 and CUDA C++. Nothing here knows how a rival computes.
#ifndef WORK_H
#define WORK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define BLOCK 256       // threads of a one-dimensional block
#define TILE 32         // side of a transposed tile
#define MATRIX_TILE 16  // side of a tile of the matrix product
#define NUM_BINS 256

static inline uint32_t mixed(uint32_t i)
{
    i ^= i >> 15;
    i *= 0x2c1b3c6du;
    i ^= i >> 12;
    i *= 0x297a2d39u;
    return i ^ i >> 15;
}

// Floats in [-0.5, 0.5) of 16 bits, so that the sums of a block are nearly exact.
static inline float a_at(size_t i)
{
    return (float)(mixed((uint32_t)i) & 0xffff) / 65536.0f - 0.5f;
}

static inline float b_at(size_t i)
{
    return (float)(mixed((uint32_t)i ^ 0x5bd1e995u) >> 16) / 65536.0f - 0.5f;
}

static inline int data_at(size_t i)
{
    return (int)(mixed((uint32_t)i) % 1000);
}

// Side of the square that n floats fill.
static inline size_t square_side(size_t n)
{
    size_t side = TILE;
    while (side * side * 4 <= n)
        side *= 2;
    return side;
}

// Order of the matrices whose product takes 16 n multiplications: 256 for 2^20, 1024 for 2^26.
static inline size_t matrix_order(size_t n)
{
    size_t m = MATRIX_TILE;
    while (m * m * m < n * 16)
        m *= 2;
    return m;
}

static inline size_t blocks_of(size_t n)
{
    return (n + BLOCK - 1) / BLOCK;
}

// Sum of inputs first .. first + count - 1, ending at n.
static inline double sum_of(size_t first, size_t count, size_t n)
{
    double sum = 0;
    for (size_t i = first; i < first + count && i < n; i++)
        sum += (double)a_at(i);
    return sum;
}

// One sum for each block, over `width` inputs from the block's first.
static inline int is_block_sums(const float *out, size_t n, size_t width)
{
    for (size_t q = 0; q < blocks_of(n); q++)
        if (!(fabs((double)out[q] - sum_of(q * BLOCK, width, n)) < 1e-3))
            return 0;
    return 1;
}

static inline int is_total(float total, size_t n)
{
    return fabs((double)total - sum_of(0, n, n)) < 1e-3 + 1e-7 * (double)n;
}

static inline int is_block_scan(const float *out, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = i % BLOCK == 0 ? (double)a_at(i) : sum + (double)a_at(i);
        if (!(fabs((double)out[i] - sum) < 1e-3))
            return 0;
    }
    return 1;
}

static inline int is_histogram(const int *bins, size_t n)
{
    int want[NUM_BINS] = {0};
    for (size_t i = 0; i < n; i++)
        want[data_at(i) % NUM_BINS]++;
    for (int i = 0; i < NUM_BINS; i++)
        if (bins[i] != want[i])
            return 0;
    return 1;
}

static inline int is_count(int count, size_t n)
{
    int want = 0;
    for (size_t i = 0; i < n; i++)
        want += a_at(i) > 0;
    return count == want;
}

static inline int is_vector_sum(const float *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (out[i] != a_at(i) + b_at(i))
            return 0;
    return 1;
}

static inline int is_transposed(const float *out, size_t side)
{
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++)
            if (out[y * side + x] != a_at(x * side + y))
                return 0;
    return 1;
}

// Every entry of 16 rows spread over the product.
static inline int is_product(const float *out, size_t order)
{
    for (size_t row = 0; row < order; row += order / MATRIX_TILE)
        for (size_t column = 0; column < order; column++) {
            double want = 0;
            for (size_t k = 0; k < order; k++)
                want += (double)a_at(row * order + k) * (double)b_at(k * order + column);
            if (!(fabs((double)out[row * order + column] - want) < 1e-3))
                return 0;
        }
    return 1;
}

#endif

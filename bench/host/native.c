// SPDX-License-Identifier: Apache-2.0
// The same work in C with OpenMP, as a C programmer would write it for this machine. Where the kernels make
// one sum a block, this makes the whole sum, which is the harder rival.
#include "serve.h"
#include "work.h"

static size_t n_now;
static float *a, *b, *out, total;
static int *data, bins[NUM_BINS], count;
static volatile int num_bins = NUM_BINS; // as in the kernels, not known when this is compiled

static void *room(size_t bytes)
{
    return must_have(aligned_alloc(64, (bytes + 63) / 64 * 64));
}

static void prepare(size_t n)
{
    if (n == n_now)
        return;
    free(a);
    free(b);
    free(out);
    free(data);
    a = room(n * sizeof *a);
    b = room(n * sizeof *b);
    out = room(n * sizeof *out);
    data = room(n * sizeof *data);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        a[i] = a_at(i);
        b[i] = b_at(i);
        out[i] = 0;
        data[i] = data_at(i);
    }
    n_now = n;
}

static void clear(void)
{
    count = 0;
    memset(bins, 0, sizeof bins);
}

static void run_vector_add(void)
{
#pragma omp parallel for
    for (size_t i = 0; i < n_now; i++)
        out[i] = a[i] + b[i];
}

static int vector_add_is_right(void)
{
    return is_vector_sum(out, n_now);
}

static void run_count(void)
{
    int found = 0;
#pragma omp parallel for reduction(+ : found)
    for (size_t i = 0; i < n_now; i++)
        found += a[i] > 0.0f;
    count = found;
}

static int count_is_right(void)
{
    return is_count(count, n_now);
}

static void run_sum(void)
{
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (size_t i = 0; i < n_now; i++)
        sum += a[i];
    total = sum;
}

static int sum_is_right(void)
{
    return is_total(total, n_now);
}

static void run_scan(void)
{
#pragma omp parallel for
    for (size_t first = 0; first < n_now; first += BLOCK) {
        float sum = 0;
        for (size_t i = first; i < first + BLOCK && i < n_now; i++) {
            sum += a[i];
            out[i] = sum;
        }
    }
}

static int scan_is_right(void)
{
    return is_block_scan(out, n_now);
}

static void run_histogram_private(void)
{
    int divisor = num_bins;
#pragma omp parallel
    {
        int mine[NUM_BINS] = {0};
#pragma omp for
        for (size_t i = 0; i < n_now; i++)
            mine[data[i] % divisor]++;
#pragma omp critical
        for (int i = 0; i < NUM_BINS; i++)
            bins[i] += mine[i];
    }
}

static void run_histogram_atomic(void)
{
    int divisor = num_bins;
#pragma omp parallel for
    for (size_t i = 0; i < n_now; i++)
        __atomic_fetch_add(&bins[data[i] % divisor], 1, __ATOMIC_RELAXED);
}

static int histogram_is_right(void)
{
    return is_histogram(bins, n_now);
}

static void run_transpose(void)
{
    size_t side = square_side(n_now);
#pragma omp parallel for collapse(2)
    for (size_t y = 0; y < side; y += TILE)
        for (size_t x = 0; x < side; x += TILE)
            for (size_t i = x; i < x + TILE; i++)
                for (size_t j = y; j < y + TILE; j++)
                    out[i * side + j] = a[j * side + i];
}

static int transpose_is_right(void)
{
    return is_transposed(out, square_side(n_now));
}

static void run_matrix_product(void)
{
    size_t m = matrix_order(n_now);
#pragma omp parallel for
    for (size_t i = 0; i < m; i++) {
        float *row = out + i * m;
        memset(row, 0, m * sizeof *row);
        for (size_t k = 0; k < m; k++)
            for (size_t j = 0; j < m; j++)
                row[j] += a[i * m + k] * b[k * m + j];
    }
}

static int matrix_product_is_right(void)
{
    return is_product(out, matrix_order(n_now));
}

static const struct job jobs[] = {
    {"vector_add", prepare, NULL, run_vector_add, vector_add_is_right},
    {"count_positive", prepare, clear, run_count, count_is_right},
    {"reduce_basic", prepare, NULL, run_sum, sum_is_right},
    {"reduce_optimized", prepare, NULL, run_sum, sum_is_right},
    {"reduce_shuffle", prepare, NULL, run_sum, sum_is_right},
    {"scan_block", prepare, NULL, run_scan, scan_is_right},
    {"histogram_global", prepare, clear, run_histogram_atomic, histogram_is_right},
    {"histogram_shared", prepare, clear, run_histogram_private, histogram_is_right},
    {"transpose", prepare, NULL, run_transpose, transpose_is_right},
    {"matrix_product", prepare, NULL, run_matrix_product, matrix_product_is_right},
};

int main(void)
{
    return serve(jobs, sizeof jobs / sizeof jobs[0]);
}

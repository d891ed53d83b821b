// SPDX-License-Identifier: Apache-2.0
// wf_histogram: every key type, even and explicit edges, bin counts for each way of counting, keys
// out of range, NaN, one hot key, all keys equal, misaligned keys, more than 2^32 keys.
#include "warpfence/wf_histogram.cuh"

#include "wf_test.h"

#include <math.h>

enum shape { UNIFORM, EQUAL, HOT, SORTED, SHAPES };

static uint64_t draw(enum shape shape, size_t i, size_t n, uint64_t range)
{
    if (shape == EQUAL || (shape == HOT && wf_random() % 16))
        return range / 3;
    return shape == SORTED ? (uint64_t)((double)i / (double)n * (double)range) : wf_random() % range;
}

static void compare(const char *name, const uint64_t *want, wf_array<uint64_t> &counts, size_t n, int bins,
                    enum shape shape)
{
    uint64_t *got = (uint64_t *)malloc((size_t)bins * 8);
    counts.get(got);
    int bad = 0;
    while (bad < bins && got[bad] == want[bad])
        bad++;
    EXPECT(bad == bins, "%s n %zu bins %d shape %d: bin %d", name, n, bins, shape, bad);
    counts.check_margin(name);
    free(got);
}

// Keys cover a bit more than [lower, upper) where the type allows.
#define TEST_EVEN(sfx, T)                                                                           \
    static void even_##sfx(size_t n, size_t shift, int64_t lower, int64_t upper, int bins, enum shape shape) \
    {                                                                                               \
        T *x = (T *)malloc((n + 1) * sizeof(T));                                                    \
        uint64_t *want = (uint64_t *)calloc((size_t)bins, 8);                                       \
        const uint64_t range = (uint64_t)(upper - lower);                                           \
        for (size_t i = 0; i < n; i++) {                                                            \
            x[i] = (T)(lower + (int64_t)draw(shape, i, n, range + range / 8 + 1) - (int64_t)(range / 16)); \
            int64_t d = (int64_t)x[i] - lower;                                                      \
            if (d >= 0 && (uint64_t)d < range)                                                      \
                want[(uint64_t)d * (uint64_t)bins / range]++;                                       \
        }                                                                                           \
        wf_array<T> keys(n, shift);                                                                 \
        wf_array<uint64_t> counts((size_t)bins);                                                    \
        keys.put(x);                                                                                \
        counts.poison();                                                                            \
        TWO_PHASE(wf_histogram_even_##sfx(temp, &bytes, keys.data, counts.data, n, lower, upper, bins, 0)); \
        compare("even_" #sfx, want, counts, n, bins, shape);                                        \
        free(x);                                                                                    \
        free(want);                                                                                 \
    }
TEST_EVEN(u8, uint8_t)
TEST_EVEN(u16, uint16_t)
TEST_EVEN(u32, uint32_t)
TEST_EVEN(i32, int32_t)

#define TEST_EDGES(sfx, T, key, make_edge)                                                          \
    static void edges_##sfx(size_t n, size_t shift, int bins, enum shape shape)                     \
    {                                                                                               \
        T *x = (T *)malloc((n + 1) * sizeof(T)), *e = (T *)malloc(((size_t)bins + 1) * sizeof(T));  \
        uint64_t *want = (uint64_t *)calloc((size_t)bins, 8);                                       \
        for (int i = 0; i <= bins; i++)                                                             \
            e[i] = (T)(make_edge);                                                                  \
        for (size_t i = 0; i < n; i++) {                                                            \
            uint64_t r = draw(shape, i, n, (uint64_t)bins * 4 + 16);                                \
            x[i] = (T)(key);                                                                        \
            if (!(x[i] >= e[0] && x[i] < e[bins]))                                                  \
                continue;                                                                           \
            int lo = 0, hi = bins;                                                                  \
            while (hi - lo > 1) {                                                                   \
                int mid = (lo + hi) / 2;                                                            \
                if (x[i] < e[mid])                                                                  \
                    hi = mid;                                                                       \
                else                                                                                \
                    lo = mid;                                                                       \
            }                                                                                       \
            want[lo]++;                                                                             \
        }                                                                                           \
        wf_array<T> keys(n, shift), edges((size_t)bins + 1);                                        \
        wf_array<uint64_t> counts((size_t)bins);                                                    \
        keys.put(x);                                                                                \
        edges.put(e);                                                                               \
        counts.poison();                                                                            \
        TWO_PHASE(wf_histogram_edges_##sfx(temp, &bytes, keys.data, counts.data, n, edges.data, bins, 0)); \
        compare("edges_" #sfx, want, counts, n, bins, shape);                                       \
        free(x);                                                                                    \
        free(e);                                                                                    \
        free(want);                                                                                 \
    }
TEST_EDGES(f32, float, (float)r - 7.5f, (float)i * 4 - (float)(i % 3))
TEST_EDGES(i32, int32_t, (int32_t)r - 7, i * 4 - i % 3)
TEST_EDGES(u16, uint16_t, (uint16_t)r, i * 4 + i % 2)

static void even_f32(size_t n, size_t shift, int bins, enum shape shape)
{
    const float lower = -1.5f, upper = 2.5f, scale = (float)bins / (upper - lower);
    float *x = (float *)malloc((n + 1) * sizeof(float));
    uint64_t *want = (uint64_t *)calloc((size_t)bins, 8);
    for (size_t i = 0; i < n; i++) {
        x[i] = -2.0f + (float)draw(shape, i, n, 1 << 20) * (5.0f / (1 << 20));
        if (i % 97 == 5)
            x[i] = i % 2 ? NAN : INFINITY;
        if (!(x[i] >= lower && x[i] < upper))
            continue;
        volatile float distance = x[i] - lower; // no excess precision, no fused operation
        volatile float at = distance * scale;
        unsigned b = (unsigned)at;
        want[b < (unsigned)bins ? b : (unsigned)bins - 1]++;
    }
    wf_array<float> keys(n, shift);
    wf_array<uint64_t> counts((size_t)bins);
    keys.put(x);
    counts.poison();
    TWO_PHASE(wf_histogram_even_f32(temp, &bytes, keys.data, counts.data, n, lower, upper, bins, 0));
    compare("even_f32", want, counts, n, bins, shape);
    free(x);
    free(want);
}

static void test_arguments(void)
{
    size_t bytes = 64;
    wf_array<uint64_t> counts(4);
    wf_array<uint32_t> keys(4), temp(16);
    EXPECT(wf_histogram_even_u32(temp.data, &bytes, keys.data, counts.data, 4, 5, 5, 4, 0) == cudaErrorInvalidValue, "empty range");
    EXPECT(wf_histogram_even_u32(temp.data, &bytes, keys.data, counts.data, 4, -1, 5, 4, 0) == cudaErrorInvalidValue, "bound outside the type");
    EXPECT(wf_histogram_even_u32(temp.data, &bytes, keys.data, counts.data, 4, 0, 5, 65537, 0) == cudaErrorInvalidValue, "too many bins");
}

static __global__ void fill_bytes(uint8_t *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (uint8_t)(i % 3 ? 7 : 200);
}

static void test_big(void)
{
    const size_t n = 3 * ((1ull << 32) + 111);
    uint64_t got[256];
    wf_array<uint8_t> keys(n);
    wf_array<uint64_t> counts(256);
    fill_bytes<<<4096, 256>>>(keys.data, n);
    TWO_PHASE(wf_histogram_even_u8(temp, &bytes, keys.data, counts.data, n, 0, 256, 256, 0));
    counts.get(got);
    EXPECT(got[7] == n / 3 * 2 && got[200] == n / 3 && got[8] == 0, "more than 2^32 in one bin");
}

int main(int argc, char **argv)
{
    const enum wf_test_size size = wf_test_size(argc, argv);
    static const int many[] = {1, 2, 3, 17, 256, 1000, 4096, 5000, 20000, 65535, 65536};
    for (size_t i = 0; i < wf_size_count(size); i++) {
        const size_t n = wf_size_at(i), shift = i % 4;
        const enum shape shape = (enum shape)(i % SHAPES);
        if (n > 5000000 || (size == WF_SMALL && i % 3 != 0))
            continue;
        even_u8(n, shift, 10, 190, 45, shape);
        even_u16(n, shift, 0, 65536, 256, shape);
        if (size != WF_SMALL)
            even_u8(n, 0, 0, 256, 256, shape);
        for (size_t b = 0; b < sizeof many / sizeof *many; b++) {
            if (size == WF_SMALL && many[b] > 5000)
                continue;
            even_u32(n, b % 2, 1000, 1000 + (int64_t)many[b] * 4, many[b], shape);
            edges_f32(n, b % 2, many[b], shape);
            if (size == WF_SMALL && b % 2)
                continue;
            even_f32(n, b % 3, many[b], shape);
            even_i32(n, b % 2, -3 * (int64_t)many[b], 10 * (int64_t)many[b], many[b], (enum shape)((i + b) % SHAPES));
        }
        if (size == WF_SMALL)
            continue;
        edges_i32(n, shift, 300, shape);
        edges_u16(n, shift, 500, shape);
        even_i32(n, 0, -2147483647 - 1, 2147483648ll, 1000, UNIFORM);
        even_u32(n, 0, 0, 4294967296ll, 65536 / (size == WF_SMALL ? 64 : 1), UNIFORM);
    }
    test_arguments();
    if (size == WF_BIG)
        test_big();
    return wf_test_end("test_histogram");
}

// SPDX-License-Identifier: Apache-2.0
// wf_count and wf_compact: counts and order exact, nothing selected, all selected, NaN, alignments,
// every comparison, more than 2^32 elements.
#include "warpfence/wf_compact.cuh"
#include "warpfence/wf_count.cuh"

#include "wf_test.h"

#include <math.h>

static void test_f32(size_t n, size_t shift, float bound)
{
    float *x = (float *)malloc((n + 1) * 4), *want = (float *)malloc((n + 1) * 4);
    float *got = (float *)malloc((n + 1) * 4);
    uint64_t selected = 0, count;
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(wf_random() >> 40) / 16777216.0f;
        if (i % 101 == 7)
            x[i] = NAN;
        if (x[i] > bound)
            want[selected++] = x[i];
    }
    wf_array<float> in(n, shift), out(selected);
    wf_array<uint64_t> total(1);
    in.put(x);
    out.poison();
    TWO_PHASE(wf_compact_gt_f32(temp, &bytes, in.data, bound, out.data, total.data, n, 0));
    total.get(&count);
    EXPECT(count == selected, "n %zu bound %g: %llu selected, not %llu", n, bound, (unsigned long long)count,
           (unsigned long long)selected);
    out.get(got);
    EXPECT(!memcmp(got, want, selected * 4), "n %zu bound %g: wrong elements", n, bound);
    out.check_margin("compact");
    total.poison();
    TWO_PHASE(wf_count_gt_f32(temp, &bytes, in.data, bound, total.data, n, 0));
    total.get(&count);
    EXPECT(count == selected, "count n %zu bound %g", n, bound);
    free(x);
    free(want);
    free(got);
}

#define TEST_CMP(cmp, op)                                                                           \
    do {                                                                                            \
        uint64_t selected = 0, count;                                                               \
        int64_t want[500], got[500];                                                                \
        for (int i = 0; i < 500; i++)                                                               \
            if (x[i] op 7)                                                                          \
                want[selected++] = x[i];                                                            \
        out.poison();                                                                               \
        TWO_PHASE(wf_compact_##cmp##_i64(temp, &bytes, in.data, 7, out.data, total.data, 500, 0));  \
        total.get(&count);                                                                          \
        out.get(got);                                                                               \
        EXPECT(count == selected && !memcmp(got, want, selected * 8), #cmp);                        \
        TWO_PHASE(wf_count_##cmp##_i64(temp, &bytes, in.data, 7, total.data, 500, 0));              \
        total.get(&count);                                                                          \
        EXPECT(count == selected, "count " #cmp);                                                   \
    } while (0)

static void test_comparisons(bool all)
{
    int64_t x[500];
    wf_array<int64_t> in(500), out(500);
    wf_array<uint64_t> total(1);
    for (int i = 0; i < 500; i++)
        x[i] = (int64_t)(wf_random() % 15);
    in.put(x);
    TEST_CMP(le, <=);
    if (!all)
        return;
    TEST_CMP(lt, <);
    TEST_CMP(gt, >);
    TEST_CMP(ge, >=);
    TEST_CMP(eq, ==);
    TEST_CMP(ne, !=);
}

static __global__ void fill_pattern(uint32_t *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = i % 2 ? 0u : (uint32_t)(i / 2 % 4000000000ull) + 1;
}
static __global__ void count_wrong(const uint32_t *p, size_t n, unsigned long long *wrong)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (p[i] != (uint32_t)(i % 4000000000ull) + 1)
            atomicAdd(wrong, 1ull);
}

static void test_big(void)
{
    const size_t n = (1ull << 32) + 12345;
    wf_array<uint32_t> in(n), out((n + 1) / 2);
    wf_array<uint64_t> total(1);
    wf_array<unsigned long long> wrong(1);
    uint64_t count;
    unsigned long long zero = 0, bad;
    fill_pattern<<<4096, 256>>>(in.data, n);
    wrong.put(&zero);
    TWO_PHASE(wf_compact_gt_u32(temp, &bytes, in.data, 0u, out.data, total.data, n, 0));
    total.get(&count);
    EXPECT(count == (n + 1) / 2, "compact above 2^32: %llu", (unsigned long long)count);
    count_wrong<<<4096, 256>>>(out.data, (n + 1) / 2, wrong.data);
    wrong.get(&bad);
    EXPECT(bad == 0, "compact above 2^32: %llu wrong", bad);
    TWO_PHASE(wf_count_ge_u32(temp, &bytes, in.data, 0u, total.data, n, 0));
    total.get(&count);
    EXPECT(count == n, "count above 2^32: %llu", (unsigned long long)count);
}

int main(int argc, char **argv)
{
    const enum wf_test_size size = wf_test_size(argc, argv);
    static const float bounds[] = {-1, 0.5f, 0.97f, 2};
    for (size_t i = 0; i < wf_size_count(size); i++)
        for (int b = 0; b < 4; b++)
            test_f32(wf_size_at(i), (i + (size_t)b) % 4, bounds[b]);
    if (size == WF_SMALL) // tiles enough for the scanner
        test_f32(40 * 4096 + 7, 0, 0.5f);
    test_comparisons(size != WF_SMALL);
    if (size == WF_BIG)
        test_big();
    return wf_test_end("test_compact");
}

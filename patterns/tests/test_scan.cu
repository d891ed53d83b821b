// SPDX-License-Identifier: Apache-2.0
// wf_scan: integers exact; floats within a bound of the exact prefix and the same bits on every run;
// in place; sizes, alignments, a user's operator that does not commute, more than 2^32 elements.
#include "warpfence/wf_scan.cuh"

#include "wf_test.h"

#include <math.h>

#define TEST_TYPE(sfx, T)                                                                           \
    static void test_##sfx(size_t n, size_t shift_in, size_t shift_out, bool in_place)              \
    {                                                                                               \
        T *x = (T *)malloc((n + 1) * sizeof(T)), *got = (T *)malloc((n + 1) * sizeof(T));           \
        for (size_t i = 0; i < n; i++)                                                              \
            x[i] = (T)(wf_random() >> 40);                                                          \
        for (int exclusive = 0; exclusive < 2; exclusive++) {                                       \
            wf_array<T> in(n, shift_in), out(n, shift_out);                                         \
            T *to = in_place ? in.data : out.data;                                                  \
            /* in place the size query must not disturb the input either */                        \
            in.put(x);                                                                              \
            if (!in_place)                                                                          \
                out.poison();                                                                       \
            if (exclusive)                                                                          \
                TWO_PHASE(wf_scan_exclusive_sum_##sfx(temp, &bytes, in.data, to, n, 0));            \
            else                                                                                    \
                TWO_PHASE(wf_scan_inclusive_sum_##sfx(temp, &bytes, in.data, to, n, 0));            \
            (in_place ? in : out).get(got);                                                         \
            uint64_t sum = 0;                                                                       \
            size_t bad = n;                                                                         \
            for (size_t i = 0; i < n && bad == n; i++) {                                            \
                uint64_t before = sum;                                                              \
                sum += (uint64_t)x[i];                                                              \
                if (got[i] != (T)(exclusive ? before : sum))                                        \
                    bad = i;                                                                        \
            }                                                                                       \
            EXPECT(bad == n, #sfx " n %zu shift %zu %zu exclusive %d in place %d: wrong at %zu", n, \
                   shift_in, shift_out, exclusive, in_place, bad);                                  \
            in.check_margin(#sfx);                                                                  \
            out.check_margin(#sfx);                                                                 \
        }                                                                                           \
        free(x);                                                                                    \
        free(got);                                                                                  \
    }
TEST_TYPE(i32, int32_t)
TEST_TYPE(u32, uint32_t)
TEST_TYPE(i64, int64_t)
TEST_TYPE(u64, uint64_t)

static uint64_t float_bits; // of all float results together

template <class T, class F> static void test_float(const char *name, size_t n, F scan, double u)
{
    T *x = (T *)malloc((n + 1) * sizeof(T)), *got = (T *)malloc((n + 1) * sizeof(T));
    T *again = (T *)malloc((n + 1) * sizeof(T));
    for (size_t i = 0; i < n; i++)
        x[i] = (T)((double)(int64_t)wf_random() / 9.3e18);
    wf_array<T> in(n), out(n);
    in.put(x);
    TWO_PHASE(scan(temp, &bytes, in.data, out.data, n));
    out.get(got);
    for (int run = 0; run < 3; run++) {
        out.poison();
        TWO_PHASE(scan(temp, &bytes, in.data, out.data, n));
        out.get(again);
        EXPECT(!memcmp(got, again, n * sizeof(T)), "%s n %zu: other bits in run %d", name, n, run);
    }
    long double sum = 0, magnitude = 0;
    size_t bad = n;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        magnitude += fabs((double)x[i]);
        // within a tile at most 60 additions deep, then one per 32 tiles
        if (fabsl((long double)got[i] - sum) > (60 + (double)n / 131072) * u * magnitude && bad == n)
            bad = i;
        uint64_t word = 0;
        memcpy(&word, &got[i], sizeof(T));
        float_bits = (float_bits ^ word) * 1099511628211ull;
    }
    EXPECT(bad == n, "%s n %zu: too far off at %zu", name, n, bad);
    out.check_margin(name);
    free(x);
    free(got);
    free(again);
}

static int streams_done; // how many scans by blocks that stay took place

static cudaError_t scan_f32(void *t, size_t *b, const float *in, float *out, size_t n)
{
    return wf_scan_inclusive_sum_f32(t, b, in, out, n, 0);
}
static cudaError_t scan_f64(void *t, size_t *b, const double *in, double *out, size_t n)
{
    return wf_scan_inclusive_sum_f64(t, b, in, out, n, 0);
}

// Blocks that stay must give the bits of blocks with one tile each, however many they are.
template <bool Exclusive> static void test_stream(size_t n, unsigned blocks)
{
    typedef wf_scan_op_f32 op_type;
    typedef wf_stream_cut<wf_cut<64, 2, 1>, 4, 2> cut;
    float *x = (float *)malloc(n * 4), *got = (float *)malloc(n * 4), *want = (float *)malloc(n * 4);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(wf_random() >> 40) / 16777216.0f - 0.25f;
    wf_array<float> in(n), out(n);
    void *temp = NULL;
    size_t bytes = 0;
    bool done = false;
    cudaError_t status = wf_scan_launch<op_type, cut::cut, Exclusive>(NULL, &bytes, in.data, out.data, n,
                                                                      op_type(), 2.0f, 0);
    if (status == cudaSuccess)
        status = cudaMalloc(&temp, bytes);
    in.put(x);
    if (status == cudaSuccess)
        status = wf_scan_launch<op_type, cut::cut, Exclusive>(temp, &bytes, in.data, out.data, n, op_type(),
                                                              2.0f, 0);
    out.get(want);
    out.poison();
    if (status == cudaSuccess)
        status = wf_scan_launch_stream<op_type, cut, Exclusive>(temp, &bytes, in.data, out.data, n, op_type(),
                                                                2.0f, blocks, 0, &done);
    EXPECT(status == cudaSuccess, "stream n %zu: %s", n, cudaGetErrorString(status));
    if (done) {
        out.get(got);
        EXPECT(!memcmp(got, want, n * 4), "n %zu exclusive %d by %u blocks that stay: other bits", n,
               (int)Exclusive, blocks);
        out.check_margin("stream");
    }
    streams_done += done;
    cudaFree(temp);
    free(x);
    free(got);
    free(want);
}

static void test_zero(void)
{
    float x[3] = {-0.0f, -0.0f, 1.0f}, got[3];
    wf_array<float> in(3), out(3);
    in.put(x);
    TWO_PHASE(wf_scan_exclusive_sum_f32(temp, &bytes, in.data, out.data, (size_t)3, 0));
    out.get(got);
    EXPECT(got[0] == 0 && !signbit(got[0]), "an exclusive scan starts with +0");
    x[1] = NAN;
    in.put(x);
    TWO_PHASE(wf_scan_inclusive_sum_f32(temp, &bytes, in.data, out.data, (size_t)3, 0));
    out.get(got);
    EXPECT(!isnan(got[0]) && isnan(got[1]) && isnan(got[2]), "a NaN stays");
}

// x -> mul * x + add, composed: associative, not commutative.
struct affine {
    unsigned mul, add;
};
struct op_affine {
    typedef affine in_type;
    typedef affine acc_type;
    __device__ affine identity() const
    {
        affine a = {1, 0};
        return a;
    }
    __device__ affine lift(affine x, uint64_t) const { return x; }
    __device__ affine combine(affine a, affine b) const
    {
        affine c = {a.mul * b.mul, a.add * b.mul + b.add};
        return c;
    }
};

static void test_affine(size_t n)
{
    affine *x = (affine *)malloc((n + 1) * sizeof *x), *got = (affine *)malloc((n + 1) * sizeof *x);
    affine start = {1, 0}, sum = start;
    for (size_t i = 0; i < n; i++) {
        x[i].mul = (unsigned)wf_random() | 1;
        x[i].add = (unsigned)wf_random();
    }
    wf_array<affine> in(n), out(n);
    in.put(x);
    TWO_PHASE((wf_scan<op_affine, false>(temp, &bytes, in.data, out.data, n, op_affine(), start, 0)));
    out.get(got);
    size_t bad = n;
    for (size_t i = 0; i < n && bad == n; i++) {
        affine next = {sum.mul * x[i].mul, sum.add * x[i].mul + x[i].add};
        sum = next;
        if (got[i].mul != sum.mul || got[i].add != sum.add)
            bad = i;
    }
    EXPECT(bad == n, "affine n %zu: wrong at %zu", n, bad);
    free(x);
    free(got);
}

static __global__ void fill_pattern(uint32_t *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (uint32_t)i * 2u + 1u;
}
static __global__ void count_wrong(const uint32_t *p, size_t n, unsigned long long *wrong)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (p[i] != (uint32_t)(i + 1) * (uint32_t)(i + 1))
            atomicAdd(wrong, 1ull);
}

static void test_big(void)
{
    const size_t n = (1ull << 32) + 12345;
    wf_array<uint32_t> data(n);
    wf_array<unsigned long long> wrong(1);
    unsigned long long zero = 0, got;
    fill_pattern<<<4096, 256>>>(data.data, n);
    wrong.put(&zero);
    TWO_PHASE(wf_scan_inclusive_sum_u32(temp, &bytes, data.data, data.data, n, 0));
    count_wrong<<<4096, 256>>>(data.data, n, wrong.data); // 1 + 3 + 5 + ... = k^2
    wrong.get(&got);
    EXPECT(got == 0, "scan of 2^32 + 12345 in place: %llu wrong", got);
}

int main(int argc, char **argv)
{
    const enum wf_test_size size = wf_test_size(argc, argv);
    for (size_t i = 0; i < wf_size_count(size); i++) {
        const size_t n = wf_size_at(i);
        test_float<float>("f32", n, scan_f32, ldexp(1, -24));
        test_float<double>("f64", n, scan_f64, ldexp(1, -53) * 1.1);
        test_u32(n, i % 4, (i / 2) % 4, false);
        test_u32(n, i % 2, 0, true);
        test_affine(n);
        if (size == WF_SMALL)
            continue;
        test_i32(n, 0, 0, false);
        test_i64(n, i % 2, i % 3, false);
        test_u64(n, 0, 0, true);
    }
    if (size == WF_SMALL) { // tiles enough for the scanner
        test_float<float>("f32", 40 * 4096 + 7, scan_f32, ldexp(1, -24));
        test_u32(40 * 4096 + 7, 0, 0, true);
    }
    for (unsigned blocks = 1; blocks < 6; blocks += 2) {
        test_stream<false>(20 * 512 + 301, blocks);
        test_stream<true>(40 * 512, blocks);
        test_stream<false>(77 * 512 + 1, blocks);
    }
    printf("%d scans by blocks that stay\n", streams_done);
    test_zero();
    if (size == WF_BIG)
        test_big();
    printf("float bits %016llx\n", (unsigned long long)float_bits);
    if (size == WF_SMALL)
        EXPECT(float_bits == 0x2b522c58483dd08dull, "other float bits than on an H200");
    return wf_test_end("test_scan");
}

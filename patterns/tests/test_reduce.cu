// SPDX-License-Identifier: Apache-2.0
// wf_reduce: integer results exact, float sums equal bit for bit to the documented tree evaluated on
// the host and within its bound of the exact sum; sizes, alignments, NaN, infinities, empty input.
#include "warpfence/wf_reduce.cuh"

#include "wf_test.h"

#include <math.h>

// The documented tree: element in 16 bytes, row, lane; then neighbours.
template <class T> static T tree_fold(T *a, size_t count)
{
    for (size_t step = 1; step < count; step *= 2)
        for (size_t i = 0; i + step < count; i += 2 * step)
            a[i] = a[i] + a[i + step];
    return a[0];
}

template <class T> static T tree_sum(const T *x, size_t n)
{
    const size_t vec = 16 / sizeof(T), tile = vec * 32 * 8;
    size_t tiles = 1;
    while (tiles * tile < n)
        tiles *= 2;
    T *part = (T *)malloc(tiles * sizeof(T));
    for (size_t t = 0; t < tiles; t++) {
        T lanes[32];
        for (size_t lane = 0; lane < 32; lane++) {
            T rows[8];
            for (size_t row = 0; row < 8; row++) {
                T v[4];
                for (size_t i = 0; i < vec; i++) {
                    size_t k = t * tile + row * 32 * vec + lane * vec + i;
                    v[i] = k < n ? x[k] : (T)-0.0;
                }
                rows[row] = tree_fold(v, vec);
            }
            lanes[lane] = tree_fold(rows, 8);
        }
        part[t] = tree_fold(lanes, 32);
    }
    T sum = tree_fold(part, tiles);
    free(part);
    return sum;
}

template <class T, class F> static void test_float(const char *name, size_t n, size_t shift, F sum, double u)
{
    T *x = (T *)malloc((n + 1) * sizeof(T)), got;
    long double exact = 0, magnitude = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = (T)((double)(int64_t)wf_random() / 9.3e18 * (i % 7 == 3 ? 1e6 : 1));
        exact += x[i];
        magnitude += fabs((double)x[i]);
    }
    wf_array<T> in(n, shift), out(1);
    in.put(x);
    TWO_PHASE(sum(temp, &bytes, in.data, out.data, n));
    out.get(&got);
    T want = n ? tree_sum(x, n) : (T)0;
    EXPECT(!memcmp(&got, &want, sizeof got) || (n == 0 && got == 0), "%s n %zu shift %zu: %.17g, not %.17g",
           name, n, shift, (double)got, (double)want);
    long double bound = ceil(log2((double)(n > 1 ? n : 2))) * u * magnitude;
    EXPECT(fabsl((long double)got - exact) <= bound, "%s n %zu: error %Lg, bound %Lg", name, n,
           fabsl((long double)got - exact), bound);
    in.check_margin(name);
    out.check_margin(name);
    free(x);
}

static cudaError_t sum_f32(void *t, size_t *b, const float *in, float *out, size_t n)
{
    return wf_reduce_sum_f32(t, b, in, out, n, 0);
}
static cudaError_t sum_f64(void *t, size_t *b, const double *in, double *out, size_t n)
{
    return wf_reduce_sum_f64(t, b, in, out, n, 0);
}

#define TEST_INT(sfx, T, SumT)                                                                      \
    static void test_##sfx(size_t n, size_t shift)                                                  \
    {                                                                                               \
        T *x = (T *)malloc((n + 1) * sizeof(T)), low, high, got;                                    \
        SumT sum = 0, got_sum;                                                                      \
        uint64_t at_low = ~0ull, at_high = ~0ull, index;                                            \
        for (size_t i = 0; i < n; i++) {                                                            \
            x[i] = (T)(wf_random() >> (i % 3 * 8));                                                 \
            if (n > 40 && i % 5 == 0)                                                               \
                x[i] = x[i / 2];                                                                    \
            sum = (SumT)((uint64_t)sum + (uint64_t)(SumT)x[i]);                                     \
            if (i == 0 || x[i] < low) {                                                             \
                low = x[i];                                                                         \
                at_low = i;                                                                         \
            }                                                                                       \
            if (i == 0 || x[i] > high) {                                                            \
                high = x[i];                                                                        \
                at_high = i;                                                                        \
            }                                                                                       \
        }                                                                                           \
        wf_array<T> in(n, shift), out(1);                                                           \
        wf_array<SumT> out_sum(1);                                                                  \
        wf_array<uint64_t> out_index(1);                                                            \
        in.put(x);                                                                                  \
        TWO_PHASE(wf_reduce_sum_##sfx(temp, &bytes, in.data, out_sum.data, n, 0));                  \
        out_sum.get(&got_sum);                                                                      \
        EXPECT(got_sum == sum, "sum_" #sfx " n %zu shift %zu", n, shift);                           \
        TWO_PHASE(wf_reduce_argmin_##sfx(temp, &bytes, in.data, out.data, out_index.data, n, 0));   \
        out.get(&got);                                                                              \
        out_index.get(&index);                                                                      \
        EXPECT(index == at_low && (n == 0 || got == low), "argmin_" #sfx " n %zu shift %zu", n, shift); \
        TWO_PHASE(wf_reduce_argmax_##sfx(temp, &bytes, in.data, out.data, out_index.data, n, 0));   \
        out.get(&got);                                                                              \
        out_index.get(&index);                                                                      \
        EXPECT(index == at_high && (n == 0 || got == high), "argmax_" #sfx " n %zu shift %zu", n, shift); \
        if (n) {                                                                                    \
            TWO_PHASE(wf_reduce_min_##sfx(temp, &bytes, in.data, out.data, n, 0));                  \
            out.get(&got);                                                                          \
            EXPECT(got == low, "min_" #sfx " n %zu shift %zu", n, shift);                           \
            TWO_PHASE(wf_reduce_max_##sfx(temp, &bytes, in.data, out.data, n, 0));                  \
            out.get(&got);                                                                          \
            EXPECT(got == high, "max_" #sfx " n %zu shift %zu", n, shift);                          \
        }                                                                                           \
        in.check_margin(#sfx);                                                                      \
        out.check_margin(#sfx);                                                                     \
        free(x);                                                                                    \
    }
TEST_INT(i32, int32_t, int64_t)
TEST_INT(u32, uint32_t, uint64_t)
TEST_INT(i64, int64_t, int64_t)
TEST_INT(u64, uint64_t, uint64_t)

static float reduce_f32(cudaError_t (*f)(void *, size_t *, const float *, float *, size_t), const float *x,
                        size_t n)
{
    float got;
    wf_array<float> in(n), out(1);
    in.put(x);
    TWO_PHASE(f(temp, &bytes, in.data, out.data, n));
    out.get(&got);
    return got;
}
static cudaError_t min_f32(void *t, size_t *b, const float *in, float *out, size_t n)
{
    return wf_reduce_min_f32(t, b, in, out, n, 0);
}
static cudaError_t max_f32(void *t, size_t *b, const float *in, float *out, size_t n)
{
    return wf_reduce_max_f32(t, b, in, out, n, 0);
}

static void test_special(void)
{
    const size_t n = 3001;
    float *x = (float *)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((double)i - 1500.0);
    x[1234] = INFINITY;
    EXPECT(reduce_f32(sum_f32, x, n) == INFINITY && reduce_f32(max_f32, x, n) == INFINITY, "infinity");
    EXPECT(reduce_f32(min_f32, x, n) == -1500.0f, "min beside an infinity");
    x[77] = -INFINITY;
    EXPECT(isnan(reduce_f32(sum_f32, x, n)) && reduce_f32(min_f32, x, n) == -INFINITY, "inf - inf");
    x[77] = 0;
    x[2000] = NAN;
    x[2500] = NAN;
    EXPECT(isnan(reduce_f32(min_f32, x, n)) && isnan(reduce_f32(max_f32, x, n)), "NaN wins");
    wf_array<float> in(n), value(1);
    wf_array<uint64_t> index(1);
    uint64_t at;
    in.put(x);
    TWO_PHASE(wf_reduce_argmin_f32(temp, &bytes, in.data, value.data, index.data, n, 0));
    index.get(&at);
    EXPECT(at == 2000, "first NaN, got %llu", (unsigned long long)at);
    TWO_PHASE(wf_reduce_argmax_f32(temp, &bytes, in.data, (float *)0, index.data, n, 0));
    index.get(&at);
    EXPECT(at == 2000, "first NaN without a value, got %llu", (unsigned long long)at);
    for (size_t i = 0; i < n; i++)
        x[i] = -0.0f;
    float zero = reduce_f32(sum_f32, x, n);
    EXPECT(zero == 0 && signbit(zero), "sum of -0.0 is -0.0");
    free(x);

    size_t bytes = 0;
    float *odd = (float *)((char *)in.data + 2);
    CK(wf_reduce_sum_f32(0, &bytes, in.data, value.data, n, 0));
    wf_array<char> temp(bytes + 1);
    EXPECT(wf_reduce_sum_f32(temp.data, &bytes, odd, value.data, n, 0) == cudaErrorInvalidValue, "odd address");
    EXPECT(wf_reduce_sum_f32((void *)0, (size_t *)0, in.data, value.data, n, 0) == cudaErrorInvalidValue,
           "no size");
}

static __global__ void fill_pattern(uint32_t *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = i == n - 2 ? 0xfffffff0u : (uint32_t)(i % 1000);
}

static void test_big(void)
{
    const size_t n = (1ull << 32) + 12345;
    wf_array<uint32_t> in(n), high(1);
    wf_array<uint64_t> sum(1), at(1);
    uint64_t got, want = 0;
    fill_pattern<<<4096, 256>>>(in.data, n);
    CK(cudaDeviceSynchronize());
    for (uint64_t i = 0; i < n % 1000; i++)
        want += i;
    want += n / 1000 * 499500 + 0xfffffff0u - (n - 2) % 1000;
    TWO_PHASE(wf_reduce_sum_u32(temp, &bytes, in.data, sum.data, n, 0));
    sum.get(&got);
    EXPECT(got == want, "sum of 2^32 + 12345: %llu, not %llu", (unsigned long long)got, (unsigned long long)want);
    TWO_PHASE(wf_reduce_argmax_u32(temp, &bytes, in.data, high.data, at.data, n, 0));
    at.get(&got);
    EXPECT(got == n - 2, "argmax above 2^32: %llu", (unsigned long long)got);
}

int main(int argc, char **argv)
{
    const enum wf_test_size size = wf_test_size(argc, argv);
    for (size_t i = 0; i < wf_size_count(size); i++) {
        const size_t n = wf_size_at(i), shift = i % 4;
        test_float<float>("sum_f32", n, 0, sum_f32, ldexp(1, -24));
        test_float<float>("sum_f32", n, 1 + i % 3, sum_f32, ldexp(1, -24));
        test_float<double>("sum_f64", n, i % 2, sum_f64, ldexp(1, -53) * 1.01);
        if (n < 3000000)
            test_i32(n, shift);
        if (n < 3000000 && size != WF_SMALL) {
            test_u32(n, 0);
            test_i64(n, shift);
            test_u64(n, 0);
        }
    }
    if (size == WF_SMALL) // several blocks, and a second kernel with several warps
        test_float<float>("sum_f32", 300 * 1024 + 5, 0, sum_f32, ldexp(1, -24));
    test_special();
    if (size == WF_BIG)
        test_big();
    return wf_test_end("test_reduce");
}

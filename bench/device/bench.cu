// SPDX-License-Identifier: Apache-2.0
// Measures the patterns against CUB, a device copy and textbook kernels, all in one run, checks every
// result (outputs are poisoned first) and writes one JSON file: bench FILE DATE "COMMAND".
// Inputs are random, constant, skewed or sorted as named in the row; see README.md.
#include "warpfence/wf_compact.cuh"
#include "warpfence/wf_count.cuh"
#include "warpfence/wf_histogram.cuh"
#include "warpfence/wf_reduce.cuh"
#include "warpfence/wf_scan.cuh"

#include "baseline.h"
#include "measure.h"

#include <math.h>
#include <string.h>

static void *in, *out, *other; // three arrays of max_bytes
static void *temp;
static size_t temp_bytes = 512u << 20;
static void *small_a, *small_b; // results: up to 65,536 counts of 8 bytes
static const size_t small_bytes = 65536 * 8 + 64;
static unsigned long long *wrong;

// ---- data ------------------------------------------------------------------------------------

static __device__ unsigned long long mix(unsigned long long i)
{
    unsigned long long h = (i + 77) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 31;
    h *= 0xBF58476D1CE4E5B9ull;
    return h ^ h >> 29;
}

enum data { UNIFORM, EQUAL, HOT, SORTED };
static const char *const data_name[] = {"uniform", "equal", "94% one key", "sorted"};

#define EACH(i, n)                                                                                  \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)

// Integer keys below range; floats in [-0.25, 0.75).
template <class T> static __global__ void fill_keys(T *p, size_t n, unsigned long long range, enum data data)
{
    EACH(i, n)
    {
        unsigned long long h = mix(i), k = (h >> 11) % range;
        if (data == EQUAL || (data == HOT && (h & 15)))
            k = range / 3;
        if (data == SORTED)
            k = (unsigned long long)((double)i / (double)n * (double)range);
        p[i] = (T)k;
    }
}
template <class T> static __global__ void fill_reals(T *p, size_t n, enum data data)
{
    EACH(i, n)
    {
        T x = (T)(mix(i) >> 40) * (T)(1.0 / 16777216) - (T)0.25;
        if (data == HOT && (mix(i) & 15))
            x = (T)0.1;
        p[i] = data == EQUAL ? (T)0.1 : data == SORTED ? (T)((double)i / (double)n - 0.25) : x;
    }
}
template <class T> static __global__ void compare(const T *a, const T *b, size_t n, double tolerance,
                                                  unsigned long long *bad)
{
    EACH(i, n)
    {
        double x = (double)a[i], y = (double)b[i];
        if (!(fabs(x - y) <= tolerance * (1 + fabs(y))))
            atomicAdd(bad, 1ull);
    }
}

template <class T> static int same(const void *a, const void *b, size_t n, double tolerance)
{
    unsigned long long bad = 1;
    CK(cudaMemset(wrong, 0, 8));
    compare<<<2048, 256>>>((const T *)a, (const T *)b, n, tolerance, wrong);
    CK(cudaMemcpy(&bad, wrong, 8, cudaMemcpyDeviceToHost));
    return bad == 0;
}

static void poison(void *p, size_t bytes)
{
    CK(cudaMemset(p, 0xff, bytes));
}

static void settle(void)
{
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
}

// Runs reference and candidate once on poisoned outputs, compares, then times both in turn.
// ref and cand: call(stream, output).
template <class T, class R, class C>
static void duel(struct row r, R ref, C cand, void *ref_out, void *cand_out, size_t outputs, double tolerance)
{
    poison(ref_out, outputs * sizeof(T));
    poison(cand_out, outputs * sizeof(T));
    ref(bench_stream, (T *)ref_out);
    cand(bench_stream, (T *)cand_out);
    settle();
    r.ok = same<T>(cand_out, ref_out, outputs, tolerance);
    r.who = "warpfence";
    r.time = measure(r.n, [&](cudaStream_t s) { cand(s, (T *)cand_out); });
    report(r);
    const double ours = r.time.median;
    r.ok = -1;
    r.who = "cub";
    r.time = measure(r.n, [&](cudaStream_t s) { ref(s, (T *)ref_out); });
    report(r);
    printf("%-10s %-4s %-12s n %11zu bins %5d  warpfence %9.2f us %6.0f GB/s  cub %9.2f us  ratio %.3f\n", r.pattern,
           r.type, r.data, r.n, r.bins, ours, r.bytes / ours / 1e3, r.time.median, r.time.median / ours);
    fflush(stdout);
}

// ---- patterns --------------------------------------------------------------------------------

#define ROW(pattern, type, data, n, bins, bytes)                                                    \
    {                                                                                               \
        pattern, type, data, "", n, bins, (double)(bytes), {0, 0, 0}, -1                            \
    }

static void copy(size_t n)
{
    struct row r = ROW("copy", "f32", "uniform", n, 0, 8 * n);
    r.who = "cudaMemcpyAsync";
    r.time = measure(n, [&](cudaStream_t s) { CK(cudaMemcpyAsync(out, in, n * 4, cudaMemcpyDeviceToDevice, s)); });
    report(r);
    printf("%-10s f32               n %11zu  %9.2f us %6.0f GB/s\n", r.pattern, n, r.time.median,
           r.bytes / r.time.median / 1e3);
}

#define CUB(call)                                                                                   \
    do {                                                                                            \
        size_t b = temp_bytes;                                                                      \
        CK(call);                                                                                   \
    } while (0)

static void sums(size_t n)
{
    const float *f = (const float *)in;
    struct row r = ROW("sum", "f32", "uniform", n, 0, 4 * n);
    duel<float>(
        r, [&](cudaStream_t s, float *o) { CUB(cub_sum_f32(temp, &b, f, o, n, s)); },
        [&](cudaStream_t s, float *o) { CUB(wf_reduce_sum_f32(temp, &b, f, o, n, s)); }, small_a, small_b, 1, 1e-5);
}

static void other_reductions(size_t n)
{
    const float *f = (const float *)in;
    struct row low = ROW("min", "f32", "uniform", n, 0, 4 * n), arg = ROW("argmin", "f32", "uniform", n, 0, 4 * n);
    duel<float>(
        low, [&](cudaStream_t s, float *o) { CUB(cub_min_f32(temp, &b, f, o, n, s)); },
        [&](cudaStream_t s, float *o) { CUB(wf_reduce_min_f32(temp, &b, f, o, n, s)); }, small_a, small_b, 1, 0);
    float *value = (float *)out;
    duel<int64_t>(
        arg, [&](cudaStream_t s, int64_t *o) { CUB(cub_argmin_f32(temp, &b, f, value, o, n, s)); },
        [&](cudaStream_t s, int64_t *o) { CUB(wf_reduce_argmin_f32(temp, &b, f, value, (uint64_t *)o, n, s)); },
        small_a, small_b, 1, 0);
    fill_reals<<<2048, 256>>>((double *)in, n, UNIFORM);
    const double *d = (const double *)in;
    struct row wide = ROW("sum", "f64", "uniform", n, 0, 8 * n);
    duel<double>(
        wide, [&](cudaStream_t s, double *o) { CUB(cub_sum_f64(temp, &b, d, o, n, s)); },
        [&](cudaStream_t s, double *o) { CUB(wf_reduce_sum_f64(temp, &b, d, o, n, s)); }, small_a, small_b, 1, 1e-12);
    fill_reals<<<2048, 256>>>((float *)in, n, UNIFORM);
}

static void plain_sums(size_t n)
{
    const float *f = (const float *)in;
    cudaError_t (*const kernels[])(const float *, float *, size_t, cudaStream_t) = {plain_tree_sum, plain_shuffle_sum};
    static const char *const names[] = {"plain tree", "plain shuffle"};
    CUB(wf_reduce_sum_f32(temp, &b, f, (float *)small_b, n, bench_stream));
    for (int i = 0; i < 2; i++) {
        struct row r = ROW("sum", "f32", "uniform", n, 0, 4 * n);
        poison(small_a, 4);
        CK(kernels[i](f, (float *)small_a, n, bench_stream));
        settle();
        r.who = names[i];
        r.ok = same<float>(small_a, small_b, 1, 1e-3);
        r.time = measure(n, [&](cudaStream_t s) { CK(kernels[i](f, (float *)small_a, n, s)); });
        report(r);
    }
}

#define SCAN_DUEL(name, sfx, T, cub, wf, tolerance)                                                 \
    do {                                                                                            \
        const T *x = (const T *)in;                                                                 \
        struct row r = ROW(name, sfx, "uniform", n, 0, 2 * sizeof(T) * n);                          \
        duel<T>(                                                                                    \
            r, [&](cudaStream_t s, T *o) { CUB(cub(temp, &b, x, o, n, s)); },                       \
            [&](cudaStream_t s, T *o) { CUB(wf(temp, &b, x, o, n, s)); }, other, out, n, tolerance); \
    } while (0)

static void scans(size_t n)
{
    SCAN_DUEL("inclusive", "f32", float, cub_inclusive_f32, wf_scan_inclusive_sum_f32, 1e-4);
}

static void other_scans(size_t n)
{
    SCAN_DUEL("exclusive", "f32", float, cub_exclusive_f32, wf_scan_exclusive_sum_f32, 1e-4);
    fill_keys<<<2048, 256>>>((int32_t *)in, n, 1000, UNIFORM);
    SCAN_DUEL("inclusive", "i32", int32_t, cub_inclusive_i32, wf_scan_inclusive_sum_i32, 0);
    fill_reals<<<2048, 256>>>((double *)in, n, UNIFORM);
    SCAN_DUEL("inclusive", "f64", double, cub_inclusive_f64, wf_scan_inclusive_sum_f64, 1e-10);
    fill_reals<<<2048, 256>>>((float *)in, n, UNIFORM);
}

static void counts(size_t n)
{
    const float *f = (const float *)in;
    struct row r = ROW("count", "f32", "uniform", n, 0, 4 * n);
    typedef unsigned long long u64;
    duel<u64>(
        r, [&](cudaStream_t s, u64 *o) { CUB(cub_count_gt_f32(temp, &b, f, 0.25f, o, n, s)); },
        [&](cudaStream_t s, u64 *o) { CUB(wf_count_gt_f32(temp, &b, f, 0.25f, (uint64_t *)o, n, s)); }, small_a,
        small_b, 1, 0);
    if (n != 1u << 28)
        return;
    r.who = "plain atomic";
    poison(small_a, 8);
    CK(plain_count(f, 0.25f, (u64 *)small_a, n, bench_stream));
    settle();
    r.ok = same<u64>(small_a, small_b, 1, 0);
    r.time = measure(n, [&](cudaStream_t s) { CK(plain_count(f, 0.25f, (u64 *)small_a, n, s)); });
    report(r);
}

static void compacts(size_t n, float bound, const char *data)
{
    const float *f = (const float *)in;
    typedef unsigned long long u64;
    u64 kept[2];
    poison(small_a, 8);
    poison(small_b, 8);
    CUB(cub_compact_gt_f32(temp, &b, f, bound, (float *)other, (u64 *)small_a, n, bench_stream));
    CUB(wf_compact_gt_f32(temp, &b, f, bound, (float *)out, (uint64_t *)small_b, n, bench_stream));
    settle();
    CK(cudaMemcpy(&kept[0], small_a, 8, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&kept[1], small_b, 8, cudaMemcpyDeviceToHost));
    struct row r = ROW("compact", "f32", data, n, 0, 4 * n + 4 * kept[0]);
    duel<float>(
        r, [&](cudaStream_t s, float *o) { CUB(cub_compact_gt_f32(temp, &b, f, bound, o, (u64 *)small_a, n, s)); },
        [&](cudaStream_t s, float *o) { CUB(wf_compact_gt_f32(temp, &b, f, bound, o, (uint64_t *)small_b, n, s)); },
        other, out, kept[0], 0);
    if (kept[0] != kept[1]) {
        rows_wrong++;
        printf("WRONG: compact n %zu: %llu kept, not %llu\n", n, kept[1], kept[0]);
    }
}

// ---- histograms: CUB's counters are 32 bits wide, ours 64 --------------------------------------

static __global__ void narrow(const unsigned long long *from, unsigned *to, int bins)
{
    EACH(i, (size_t)bins)
        to[i] = (unsigned)from[i];
}

template <class R, class C> static void hist_duel(struct row r, R ref, C cand)
{
    unsigned *narrowed = (unsigned *)out;
    poison(small_a, small_bytes);
    poison(small_b, small_bytes);
    ref(bench_stream);
    cand(bench_stream);
    narrow<<<256, 256, 0, bench_stream>>>((unsigned long long *)small_b, narrowed, r.bins);
    settle();
    r.ok = same<unsigned>(narrowed, small_a, (size_t)r.bins, 0);
    r.who = "warpfence";
    r.time = measure(r.n, cand);
    report(r);
    const double ours = r.time.median;
    r.ok = -1;
    r.who = "cub";
    r.time = measure(r.n, ref);
    report(r);
    printf("%-10s %-4s %-12s n %11zu bins %5d  warpfence %9.2f us %6.0f GB/s  cub %9.2f us  ratio %.3f\n", r.pattern,
           r.type, r.data, r.n, r.bins, ours, r.bytes / ours / 1e3, r.time.median, r.time.median / ours);
    fflush(stdout);
}

#define EVEN(sfx, T, bins, upper, data)                                                             \
    do {                                                                                            \
        T *x = (T *)in;                                                                             \
        struct row r = ROW("histogram", #sfx, data_name[data], n, bins, sizeof(T) * n);             \
        fill_keys<<<2048, 256>>>(x, n, (unsigned long long)(upper), data);                          \
        hist_duel(                                                                                  \
            r, [&](cudaStream_t s) { CUB(cub_even_##sfx(temp, &b, x, (unsigned *)small_a, bins, 0, upper, n, s)); }, \
            [&](cudaStream_t s) { CUB(wf_histogram_even_##sfx(temp, &b, x, (uint64_t *)small_b, n, 0, upper, bins, s)); }); \
    } while (0)

static void edge_histogram(size_t n, int bins, enum data data)
{
    const float *f = (const float *)in;
    float *e = (float *)malloc(((size_t)bins + 1) * 4), *edges = (float *)other;
    for (int i = 0; i <= bins; i++)
        e[i] = -0.25f + (float)i / (float)bins;
    CK(cudaMemcpy(edges, e, ((size_t)bins + 1) * 4, cudaMemcpyHostToDevice));
    struct row r = ROW("hist edges", "f32", data_name[data], n, bins, 4 * n);
    fill_reals<<<2048, 256>>>((float *)in, n, data);
    hist_duel(
        r, [&](cudaStream_t s) { CUB(cub_edges_f32(temp, &b, f, (unsigned *)small_a, bins, edges, n, s)); },
        [&](cudaStream_t s) { CUB(wf_histogram_edges_f32(temp, &b, f, (uint64_t *)small_b, n, edges, bins, s)); });
    free(e);
}

static void float_histogram(size_t n, int bins, enum data data)
{
    const float *f = (const float *)in;
    struct row r = ROW("histogram", "f32", data_name[data], n, bins, 4 * n);
    fill_reals<<<2048, 256>>>((float *)in, n, data);
    hist_duel(
        r, [&](cudaStream_t s) { CUB(cub_even_f32(temp, &b, f, (unsigned *)small_a, bins, -0.25f, 0.75f, n, s)); },
        [&](cudaStream_t s) { CUB(wf_histogram_even_f32(temp, &b, f, (uint64_t *)small_b, n, -0.25f, 0.75f, bins, s)); });
}

// CUB with counters as wide as ours.
static void wide_histogram(size_t n, int bins, enum data data)
{
    const uint32_t *x = (const uint32_t *)in;
    struct row r = ROW("histogram", "u32", data_name[data], n, bins, 4 * n);
    fill_keys<<<2048, 256>>>((uint32_t *)in, n, (unsigned)bins, data);
    typedef unsigned long long u64;
    r.who = "cub, 64-bit counters";
    poison(small_a, small_bytes);
    poison(small_b, small_bytes);
    CUB(cub_even_wide_u32(temp, &b, x, (u64 *)small_a, bins, 0, (unsigned)bins, n, bench_stream));
    CUB(wf_histogram_even_u32(temp, &b, x, (uint64_t *)small_b, n, 0, bins, bins, bench_stream));
    settle();
    r.ok = same<u64>(small_a, small_b, (size_t)bins, 0);
    r.time = measure(n, [&](cudaStream_t s) {
        CUB(cub_even_wide_u32(temp, &b, x, (u64 *)small_a, bins, 0, (unsigned)bins, n, s));
    });
    report(r);
    printf("%-10s u32  %-12s n %11zu bins %5d  cub, 64-bit counters %9.2f us %6.0f GB/s\n", r.pattern, r.data, n, bins,
           r.time.median, r.bytes / r.time.median / 1e3);
}

static void plain_histograms(size_t n)
{
    const uint32_t *x = (const uint32_t *)in;
    fill_keys<<<2048, 256>>>((uint32_t *)in, n, 256, UNIFORM);
    cudaError_t (*const kernels[])(const uint32_t *, unsigned *, unsigned, size_t, cudaStream_t) = {
        plain_global_histogram, plain_shared_histogram};
    static const char *const names[] = {"plain global", "plain shared"};
    CUB(wf_histogram_even_u32(temp, &b, x, (uint64_t *)small_b, n, 0, 256, 256, bench_stream));
    narrow<<<1, 256, 0, bench_stream>>>((unsigned long long *)small_b, (unsigned *)out, 256);
    for (int i = 0; i < 2; i++) {
        struct row r = ROW("histogram", "u32", "uniform", n, 256, 4 * n);
        poison(small_a, 1024);
        CK(kernels[i](x, (unsigned *)small_a, 256, n, bench_stream));
        settle();
        r.who = names[i];
        r.ok = same<unsigned>(small_a, out, 256, 0);
        r.time = measure(n, [&](cudaStream_t s) { CK(kernels[i](x, (unsigned *)small_a, 256, n, s)); });
        report(r);
    }
}

static void histograms(size_t n)
{
    static const int bins[] = {256, 16, 1000, 2048, 16384, 65536};
    for (int d = UNIFORM; d <= SORTED; d++)
        for (int i = 0; i < 6; i++)
            EVEN(u32, uint32_t, bins[i], (uint32_t)bins[i], (enum data)d);
    for (int d = UNIFORM; d <= SORTED; d++) {
        EVEN(i32, int32_t, 256, 1 << 20, (enum data)d);
        EVEN(u16, uint16_t, 256, 65536, (enum data)d);
        EVEN(u8, uint8_t, 256, 256, (enum data)d);
        float_histogram(n, 256, (enum data)d);
        if (d != HOT) {
            edge_histogram(n, 256, (enum data)d);
            edge_histogram(n, 4096, (enum data)d);
        }
    }
    for (int d = UNIFORM; d <= SORTED; d++)
        wide_histogram(n, 256, (enum data)d);
    EVEN(u16, uint16_t, 65536, 65536, UNIFORM);
    EVEN(u8, uint8_t, 100, 200, UNIFORM);
    EVEN(i32, int32_t, 1000, 1000003, UNIFORM);
    float_histogram(n, 2048, UNIFORM);
    float_histogram(n, 65536, UNIFORM);
    edge_histogram(n, 16, UNIFORM);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench FILE DATE COMMAND [largest power of two]\n");
        return 2;
    }
    const int largest = argc > 4 ? atoi(argv[4]) : 30;
    const size_t max_bytes = (size_t)4 << (largest > 29 ? largest : 29);
    cudaDeviceProp device;
    int driver = 0, runtime = 0;
    CK(cudaGetDeviceProperties(&device, 0));
    CK(cudaDriverGetVersion(&driver));
    CK(cudaRuntimeGetVersion(&runtime));
    CK(cudaStreamCreate(&bench_stream));
    CK(cudaEventCreate(&bench_start));
    CK(cudaEventCreate(&bench_stop));
    CK(cudaMalloc(&in, max_bytes));
    CK(cudaMalloc(&out, max_bytes));
    CK(cudaMalloc(&other, max_bytes));
    CK(cudaMalloc(&temp, temp_bytes));
    CK(cudaMalloc(&small_a, small_bytes));
    CK(cudaMalloc(&small_b, small_bytes));
    CK(cudaMalloc((void **)&wrong, 8));
    json = fopen(argv[1], "w");
    if (!json) {
        perror(argv[1]);
        return 2;
    }
    fprintf(json, "{\"date\": \"%s\", \"command\": \"%s\", \"gpu\": \"%s\", \"driver\": \"%s\", "
                  "\"cuda_driver_api\": %d, \"cuda_runtime\": %d, \"repetitions\": %d, \"rows\": [",
            argv[2], argv[3], device.name, getenv("DRIVER") ? getenv("DRIVER") : "", driver, runtime, REPETITIONS);

    fill_reals<<<2048, 256>>>((float *)in, (size_t)1 << largest, UNIFORM);
    settle();
    for (int p = 10; p <= largest; p += 1) {
        const size_t n = (size_t)1 << p;
        copy(n);
        sums(n);
        scans(n);
        counts(n);
        compacts(n, 0.25f, "half kept");
    }
    const size_t n = (size_t)1 << (largest < 28 ? largest : 28);
    compacts(n, 0.7f, "5% kept");
    compacts(n, -0.2f, "95% kept");
    other_reductions(n);
    plain_sums(n);
    other_scans(n);
    histograms(n);
    plain_histograms(n);
    for (int p = 10; p <= 26; p += 2) {
        const size_t n = (size_t)1 << p;
        EVEN(u32, uint32_t, 256, 256u, UNIFORM);
        EVEN(u32, uint32_t, 4096, 4096u, UNIFORM);
        EVEN(u32, uint32_t, 65536, 65536u, UNIFORM);
    }
    fprintf(json, "\n]}\n");
    fclose(json);
    printf("%d rows, %d wrong\n", rows_written, rows_wrong);
    return rows_wrong != 0;
}

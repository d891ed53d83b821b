// SPDX-License-Identifier: Apache-2.0
// Histogram of up to 65,536 bins over uint8/16/32, int32 and float keys, with even or explicit edges.
// Keys outside the edges, and NaN, are not counted. Counts are 64 bits wide.
// Each block counts in shared memory, with several counters a bin where there is room (a lane uses
// the one of its number), and adds its counts to the result at the end. With more bins than 32-bit
// counters fit, two 16-bit counters share a word. Integer addition commutes: the result is exact and
// the same on every run.
#ifndef WF_HISTOGRAM_CUH
#define WF_HISTOGRAM_CUH

#include "wf_bins.cuh"

#define WF_HIST_MAX_BINS 65536
#define WF_HIST_THREADS 1024
#define WF_HIST_UNROLL 4 // 16-byte loads in flight a thread

// ---- adding ----------------------------------------------------------------------------------

// How counters are kept. COPIES: 32-bit, 2^log_copies a bin. PACKED: two 16-bit counters a word.
// GLOBAL: no shared memory.
enum wf_hist_mode { WF_HIST_COPIES, WF_HIST_PACKED, WF_HIST_GLOBAL };

extern __shared__ unsigned wf_hist_counters[];

WF_DEVICE void wf_hist_add_packed(unsigned b, unsigned by, unsigned long long *counts)
{
    const unsigned up = (b & 1) * 16;
    unsigned half = atomicAdd(&wf_hist_counters[b >> 1], by << up) >> up & 0xffffu;
    if (half < 0x8000u && half + by >= 0x8000u) { // crossed: this lane carries half the range out
        atomicAdd(&counts[b], 0x8000ull);
        atomicSub(&wf_hist_counters[b >> 1], 0x8000u << up);
    }
}

// Whole warps call. Where equal keys cost much, the lanes that agree with lane 0 let it add for all.
template <enum wf_hist_mode Mode>
WF_DEVICE void wf_hist_add(unsigned b, unsigned log_copies, unsigned copy,
                           unsigned long long *counts)
{
    if (Mode == WF_HIST_COPIES) {
        if (b != WF_NO_BIN)
            atomicAdd(&wf_hist_counters[(b << log_copies) + copy], 1u);
        return;
    }
    const unsigned same = __ballot_sync(WF_FULL_MASK, b == wf_shfl(WF_FULL_MASK, b, 0));
    const bool agrees = same >> wf_lane() & 1;
    if (b == WF_NO_BIN || (agrees && wf_lane() != 0))
        return;
    const unsigned by = agrees ? __popc(same) : 1;
    if (Mode == WF_HIST_PACKED)
        wf_hist_add_packed(b, by, counts);
    else
        atomicAdd(&counts[b], (unsigned long long)by);
}

// The counts of one block go to the result: added, or stored if this is the only block.
template <enum wf_hist_mode Mode, class Binner>
WF_DEVICE void wf_hist_flush(const Binner &binner, unsigned long long *counts, unsigned bins,
                             unsigned log_copies, bool only)
{
    if (Mode == WF_HIST_PACKED) {
        for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) {
            const unsigned v = wf_hist_counters[b >> 1] >> ((b & 1) * 16) & 0xffffu;
            if (v)
                atomicAdd(&counts[b], (unsigned long long)v);
        }
        return;
    }
    // Neighbouring lanes hold the copies of one bin: fold them, then add once a bin.
    const unsigned copies = 1u << log_copies, words = bins << log_copies;
    const unsigned whole_warps = (words + 31) / 32 * 32;
    for (unsigned i = threadIdx.x; i < whole_warps; i += blockDim.x) {
        unsigned v = i < words ? wf_hist_counters[i] : 0;
        for (unsigned step = 1; step < copies; step *= 2)
            v += wf_shfl_down(WF_FULL_MASK, v, step);
        if (i >= words || (i & (copies - 1)) != 0)
            continue;
        const unsigned b = wf_place(binner, i >> log_copies);
        if (only)
            counts[b] = v;
        else if (v && b != WF_NO_BIN)
            atomicAdd(&counts[b], (unsigned long long)v);
    }
}

template <class Binner, enum wf_hist_mode Mode, bool Aligned>
static __global__ void __launch_bounds__(WF_HIST_THREADS)
wf_histogram_kernel(Binner binner, const typename Binner::key_type *keys, uint64_t n,
                    unsigned long long *counts, unsigned bins, unsigned log_copies)
{
    typedef typename Binner::key_type key_type;
    const int vec = wf_vec<key_type>::count, part = 4;
    const bool only = gridDim.x == 1 && Mode == WF_HIST_COPIES && !wf_is_placed<Binner>::yes;
    const int words = Mode == WF_HIST_COPIES   ? (int)(bins << log_copies)
                      : Mode == WF_HIST_PACKED ? (int)(bins + 1) / 2
                                               : 0;
    if (Mode != WF_HIST_GLOBAL)
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            wf_hist_counters[i] = 0;
    binner.stage(wf_hist_counters + words);
    __syncthreads();
    if (!only)
        wf_wait_for_previous();

    const unsigned copy = wf_lane() & ((1u << log_copies) - 1);
    const uint64_t chunk = (uint64_t)blockDim.x * vec * WF_HIST_UNROLL;
    for (uint64_t base = blockIdx.x * chunk; base < n; base += gridDim.x * chunk) {
        if (Aligned && base + chunk <= n) {
            wf_vec<key_type> x[WF_HIST_UNROLL];
#pragma unroll
            for (int u = 0; u < WF_HIST_UNROLL; u++)
                x[u] = wf_load16(keys + base + ((uint64_t)u * blockDim.x + threadIdx.x) * vec);
#pragma unroll
            for (int u = 0; u < WF_HIST_UNROLL; u++)
#pragma unroll
                for (int i = 0; i < vec; i += part) {
                    key_type k[part];
                    unsigned b[part];
#pragma unroll
                    for (int j = 0; j < part; j++)
                        k[j] = x[u].v[i + j];
                    wf_bins_of(binner, k, b);
#pragma unroll
                    for (int j = 0; j < part; j++)
                        wf_hist_add<Mode>(b[j], log_copies, copy, counts);
                }
        } else {
            const uint64_t left = n - base;
            for (unsigned k = threadIdx.x; k < chunk; k += blockDim.x) {
                if (k - wf_lane() >= left)
                    break;
                const unsigned b = k < left ? binner.bin(keys[base + k]) : WF_NO_BIN;
                wf_hist_add<Mode>(b, log_copies, copy, counts);
            }
        }
        // Bounds the additions between a crossing and its carry: see wf_hist_add_packed, PROOFS.md.
        if (Mode == WF_HIST_PACKED)
            __syncthreads();
    }
    if (Mode == WF_HIST_GLOBAL)
        return;
    __syncthreads();
    wf_hist_flush<Mode>(binner, counts, bins, log_copies, only);
}

// ---- launcher --------------------------------------------------------------------------------

struct wf_hist_plan {
    enum wf_hist_mode mode;
    unsigned blocks, threads, log_copies;
    size_t shared_bytes;
};

// stage_bytes: shared memory the rule from key to bin would like, 0 if it does not fit.
static inline cudaError_t wf_hist_make_plan(struct wf_hist_plan *plan, size_t n, size_t key_bytes,
                                            unsigned bins, size_t *stage_bytes)
{
    int device = 0, sms = 0, shared_block = 0, shared_sm = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&shared_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&shared_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    if (status != cudaSuccess)
        return status;
    const uint64_t vectors = (n * key_bytes + 15) / 16;
    // Few keys: more, smaller blocks. Few keys a bin: counting in shared memory does not pay.
    plan->threads = vectors >= (uint64_t)sms * WF_HIST_THREADS * WF_HIST_UNROLL ? WF_HIST_THREADS : 256;
    const uint64_t chunks = vectors / (plan->threads * WF_HIST_UNROLL) + 1;
    plan->log_copies = 0;
    if ((uint64_t)bins * 4 <= (uint64_t)shared_block)
        plan->mode = WF_HIST_COPIES;
    else
        plan->mode = ((bins + 1) / 2) * 4u <= (unsigned)shared_block ? WF_HIST_PACKED : WF_HIST_GLOBAL;
    if (bins > 4096 && n < (uint64_t)bins * 32)
        plan->mode = WF_HIST_GLOBAL;
    plan->shared_bytes = 0;
    unsigned per_sm = 2048 / plan->threads;
    if (plan->mode == WF_HIST_COPIES) {
        const unsigned most = key_bytes < 4 ? 5 : 3;
        while (plan->log_copies < most && ((size_t)bins * 8 << plan->log_copies) <= 32768 &&
               ((uint64_t)bins << plan->log_copies) * 4 <= n / chunks)
            plan->log_copies++;
        plan->shared_bytes = (size_t)bins * 4 << plan->log_copies;
    } else if (plan->mode == WF_HIST_PACKED) {
        plan->shared_bytes = (size_t)((bins + 1) / 2) * 4;
    }
    if (plan->shared_bytes + *stage_bytes > (size_t)shared_block)
        *stage_bytes = 0;
    plan->shared_bytes += *stage_bytes;
    while (per_sm > 1 && (plan->shared_bytes + 1024) * per_sm > (size_t)shared_sm)
        per_sm--;
    uint64_t blocks = (uint64_t)sms * per_sm;
    if (blocks < n >> 31) // a block's 32-bit counters must not wrap
        blocks = n >> 31;
    plan->blocks = (unsigned)(chunks < blocks ? chunks : blocks);
    return cudaSuccess;
}

template <class Binner, enum wf_hist_mode Mode>
static inline cudaError_t wf_hist_launch(const struct wf_hist_plan *plan,
                                         const typename Binner::key_type *keys,
                                         unsigned long long *counts, size_t n, Binner binner,
                                         unsigned counters, int bins, cudaStream_t stream)
{
    const void *kernel = wf_is_aligned(keys, 16) ? (const void *)wf_histogram_kernel<Binner, Mode, true>
                                                 : (const void *)wf_histogram_kernel<Binner, Mode, false>;
    uint64_t keys_left = n;
    unsigned log_copies = plan->log_copies;
    void *args[] = {&binner, &keys, &keys_left, &counts, &counters, &log_copies};
    cudaError_t status = cudaSuccess;
    if (plan->shared_bytes > 48 * 1024)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)plan->shared_bytes);
    if (status != cudaSuccess)
        return status;
    if (Mode == WF_HIST_COPIES && plan->blocks == 1 && !wf_is_placed<Binner>::yes)
        return cudaLaunchKernel(kernel, dim3(1), dim3(plan->threads), args, plan->shared_bytes, stream);
    status = wf_clear(counts, (size_t)bins * 8, stream);
    return status != cudaSuccess ? status
                                 : wf_launch_next(kernel, plan->blocks, plan->threads,
                                                  plan->shared_bytes, stream, args);
}

// Histogram with a user's rule from key to bin: a struct with key_type, unsigned bin(key_type) const,
// giving a number below bins or WF_NO_BIN, and void stage(unsigned *), which may do nothing.
template <class Binner>
static inline cudaError_t wf_histogram(void *temp, size_t *temp_bytes,
                                       const typename Binner::key_type *keys, uint64_t *counts, size_t n,
                                       Binner binner, int bins, cudaStream_t stream)
{
    cudaError_t status = cudaSuccess;
    size_t stage_bytes = wf_stage_bytes(binner);
    if (wf_temp_settled(temp, temp_bytes, 0, &status))
        return status;
    if (bins < 1 || bins > WF_HIST_MAX_BINS || !counts || !wf_is_aligned(counts, 8) || (n && !keys) ||
        !wf_is_aligned(keys, sizeof(typename Binner::key_type)))
        return cudaErrorInvalidValue;
    unsigned long long *to = (unsigned long long *)counts;
    if (n == 0)
        return wf_clear(to, (size_t)bins * 8, stream);
    struct wf_hist_plan plan;
    const unsigned counters = wf_is_placed<Binner>::yes ? 256u : (unsigned)bins;
    status = wf_hist_make_plan(&plan, n, sizeof(typename Binner::key_type), counters, &stage_bytes);
    wf_stage_settle(&binner, stage_bytes);
    if (status != cudaSuccess)
        return status;
    if (plan.mode == WF_HIST_COPIES)
        return wf_hist_launch<Binner, WF_HIST_COPIES>(&plan, keys, to, n, binner, counters, bins,
                                                      stream);
    if (plan.mode == WF_HIST_PACKED)
        return wf_hist_launch<Binner, WF_HIST_PACKED>(&plan, keys, to, n, binner, counters, bins,
                                                      stream);
    return wf_hist_launch<Binner, WF_HIST_GLOBAL>(&plan, keys, to, n, binner, counters, bins,
                                                      stream);
}

// One byte a key: only the 256 possible keys need the rule.
template <class Binner, class Key>
static inline cudaError_t wf_histogram_of(void *temp, size_t *temp_bytes, const Key *keys, uint64_t *counts,
                                          size_t n, Binner binner, int bins, cudaStream_t stream)
{
    return wf_histogram(temp, temp_bytes, keys, counts, n, binner, bins, stream);
}
template <class Binner>
static inline cudaError_t wf_histogram_of(void *temp, size_t *temp_bytes, const uint8_t *keys,
                                          uint64_t *counts, size_t n, Binner binner, int bins,
                                          cudaStream_t stream)
{
    wf_bin_by_byte<Binner> by_byte;
    by_byte.inner = binner;
    return wf_histogram(temp, temp_bytes, keys, counts, n, by_byte, bins, stream);
}

// Integer keys, `bins` even bins over lower <= key < upper.
template <class Key>
static inline cudaError_t wf_histogram_even(void *temp, size_t *temp_bytes, const Key *keys,
                                            uint64_t *counts, size_t n, int64_t lower, int64_t upper,
                                            int bins, cudaStream_t stream)
{
    if (bins < 1 || upper <= lower || (int64_t)(Key)lower != lower || (int64_t)(Key)(upper - 1) != upper - 1)
        return cudaErrorInvalidValue;
    const uint64_t range = (uint64_t)(upper - lower);
    const uint64_t width = range / (unsigned)bins;
    if (width * (unsigned)bins == range && (width & (width - 1)) == 0) {
        struct wf_bin_shift<Key> binner;
        binner.lower = (Key)lower;
        binner.range_last = (unsigned)(range - 1);
        binner.shift = 0;
        while (width >> binner.shift > 1)
            binner.shift++;
        return wf_histogram_of(temp, temp_bytes, keys, counts, n, binner, bins, stream);
    }
    struct wf_bin_divide<Key> binner;
    binner.lower = (Key)lower;
    binner.bins = (unsigned)bins;
    binner.range = range;
    binner.reciprocal = ~0ull / range; // floor(2^64 / range), for range not a power of two
    if ((range & (range - 1)) == 0)
        binner.reciprocal++;
    return wf_histogram_of(temp, temp_bytes, keys, counts, n, binner, bins, stream);
}

#define WF_HIST_DEFINE(sfx, T)                                                                      \
    WF_API wf_histogram_even_##sfx(void *temp, size_t *temp_bytes, const T *keys, uint64_t *counts, \
                                   size_t n, int64_t lower, int64_t upper, int bins,                \
                                   cudaStream_t stream)                                             \
    {                                                                                               \
        return wf_histogram_even(temp, temp_bytes, keys, counts, n, lower, upper, bins, stream);    \
    }                                                                                               \
    WF_HIST_DEFINE_EDGES(sfx, T)
#define WF_HIST_DEFINE_EDGES(sfx, T)                                                                \
    WF_API wf_histogram_edges_##sfx(void *temp, size_t *temp_bytes, const T *keys,                  \
                                    uint64_t *counts, size_t n, const T *edges, int bins,           \
                                    cudaStream_t stream)                                            \
    {                                                                                               \
        struct wf_bin_edges<T> binner;                                                              \
        if (bins < 1 || bins > WF_HIST_MAX_BINS)                                                    \
            return cudaErrorInvalidValue;                                                           \
        binner.edges = edges;                                                                       \
        binner.bins = (unsigned)bins;                                                               \
        binner.staged = 0;                                                                          \
        binner.lowest = binner.highest = T();                                                       \
        for (binner.depth = 0; 1u << binner.depth < binner.bins;)                                   \
            binner.depth++;                                                                         \
        return wf_histogram_of(temp, temp_bytes, keys, counts, n, binner, bins, stream);               \
    }

// Even: `bins` bins of equal width over lower <= key < upper. Edges: bins + 1 ascending numbers in
// device memory. counts: `bins` 64-bit numbers in device memory, overwritten. No temporary storage is
// needed; the size query answers 1.
WF_HIST_DEFINE(u8, uint8_t)
WF_HIST_DEFINE(u16, uint16_t)
WF_HIST_DEFINE(u32, uint32_t)
WF_HIST_DEFINE(i32, int32_t)
WF_HIST_DEFINE_EDGES(f32, float)

WF_API wf_histogram_even_f32(void *temp, size_t *temp_bytes, const float *keys, uint64_t *counts,
                             size_t n, float lower, float upper, int bins, cudaStream_t stream)
{
    if (bins < 1 || !(lower < upper))
        return cudaErrorInvalidValue;
    struct wf_bin_scale binner;
    binner.lower = lower;
    binner.upper = upper;
    binner.scale = (float)bins / (upper - lower);
    binner.bins = (unsigned)bins;
    return wf_histogram_of(temp, temp_bytes, keys, counts, n, binner, bins, stream);
}

#endif

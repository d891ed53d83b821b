// SPDX-License-Identifier: Apache-2.0
// Stable compaction: copies the elements that satisfy a predicate, in order, and says how many. One
// pass: a block takes a tile by ticket, gathers its elements in shared memory, learns how many were
// selected before it (wf_lookback.cuh) and writes them side by side. in and out must not overlap.
#ifndef WF_COMPACT_CUH
#define WF_COMPACT_CUH

#include "wf_cluster.cuh"

#define WF_COMPACT_ROWS 4
#define WF_COMPACT_DIRECT 64 // see wf_lookback: a tile tells its count well before it asks
// Sizes at which blocks of 512 threads measure faster than blocks of 256: fewer tiles wait in line.
#define WF_COMPACT_WIDE_FROM (4u << 20)
#define WF_COMPACT_WIDE_TO (16u << 20)

// Count: what a number of selected elements fits in. Link: see wf_link.
template <class Pred, class Count, int Threads, bool Aligned, enum wf_link Link>
static __global__ void WF_BOUNDS(Threads, 2048 / Threads)
wf_compact_kernel(Pred pred, const typename Pred::in_type *in, typename Pred::in_type *out,
                  unsigned long long *count, uint64_t n, struct wf_lookback<Count, WF_COMPACT_DIRECT> lb)
{
    typedef typename Pred::in_type in_type;
    const int vec = wf_vec<in_type>::count, rows = WF_COMPACT_ROWS, warps = Threads / 32;
    const unsigned size = Threads * rows * vec;
    __shared__ wf_words<in_type> gathered[Threads * WF_COMPACT_ROWS * (16 / sizeof(in_type))];
    __shared__ unsigned sums[32];
    __shared__ unsigned long long shared_start;
    __shared__ wf_words<Count> own;
    const unsigned lane = wf_lane(), warp = threadIdx.x / 32;
    const unsigned at = warp * (rows * 32 * vec) + lane * vec;
    const wf_op_sum<Count, Count> op = wf_op_sum<Count, Count>();

    unsigned tile = blockIdx.x;
    if (Link == WF_LINK_LOOKBACK) {
        wf_wait_for_previous();
        tile = wf_lookback_take(op, lb);
        if (tile == WF_NO_TILE)
            return;
    }
    const uint64_t base = (uint64_t)tile * size, left = n - base;
    wf_vec<in_type> x[rows];
    unsigned picked = 0; // bit r * vec + i: element i of row r is selected
    if (Aligned && left >= size) {
#pragma unroll
        for (int r = 0; r < rows; r++)
            x[r] = wf_load16(in + base + at + r * 32 * vec);
    }
#pragma unroll
    for (int r = 0; r < rows; r++)
#pragma unroll
        for (int i = 0; i < vec; i++) {
            const unsigned k = at + r * 32 * vec + i;
            if (!(Aligned && left >= size) && k < left)
                x[r].v[i] = in[base + k];
            if (k < left && pred.test(x[r].v[i]))
                picked |= 1u << (r * vec + i);
        }

    // A row has at most 128 elements: the counts of four rows share one word while lanes are scanned.
    const unsigned row_bits = (1u << vec) - 1;
    unsigned packed = 0;
#pragma unroll
    for (int r = 0; r < rows; r++)
        packed |= (unsigned)__popc(picked >> (r * vec) & row_bits) << (8 * r);
    unsigned upto = packed;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2)
        upto += wf_shfl_up_or(WF_FULL_MASK, upto, step, 0u);
    const unsigned all = wf_shfl(WF_FULL_MASK, upto, 31);
    const unsigned ahead = upto - packed; // selected in lower lanes, row by row
    unsigned row_start[rows], total = 0;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        row_start[r] = total + (ahead >> (8 * r) & 255);
        total += all >> (8 * r) & 255;
    }
    if (lane == 0)
        sums[warp] = total;
    __syncthreads();
    unsigned within = lane < warps ? sums[lane] : 0;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2)
        within += wf_shfl_up_or(WF_FULL_MASK, within, step, 0u);
    const unsigned tile_total = wf_shfl(WF_FULL_MASK, within, 31);
    const unsigned warp_start = warp ? wf_shfl(WF_FULL_MASK, within, warp - 1) : 0;
    if (Link == WF_LINK_LOOKBACK && threadIdx.x == 0)
        wf_entry_publish(lb.own + tile, (Count)tile_total);
    if (Link == WF_LINK_CLUSTER) {
        if (threadIdx.x == 0)
            own.value = tile_total;
        wf_cluster_arrive();
    }
#pragma unroll
    for (int r = 0; r < rows; r++) {
        unsigned to = warp_start + row_start[r];
#pragma unroll
        for (int i = 0; i < vec; i++)
            if (picked >> (r * vec + i) & 1)
                gathered[to++].value = x[r].v[i];
    }
    if (Link == WF_LINK_CLUSTER)
        wf_cluster_wait();
    if (warp == 0) {
        Count before = 0;
        if (Link == WF_LINK_CLUSTER)
            before = wf_cluster_before(op, tile, &own);
        if (Link == WF_LINK_LOOKBACK)
            before = wf_lookback_before(op, tile, lb);
        if (lane == 0) {
            shared_start = before;
            if (tile + 1 == lb.tiles)
                *count = (unsigned long long)before + tile_total;
        }
    }
    __syncthreads();
    if (Link == WF_LINK_CLUSTER)
        wf_cluster_arrive(); // nobody reads another block's count any more
    out += shared_start;
    for (unsigned k = threadIdx.x; k < tile_total; k += Threads)
        out[k] = gathered[k].value;
    if (Link == WF_LINK_CLUSTER)
        wf_cluster_wait(); // a block's shared memory lives as long as the others may read it
}

template <class Pred, class Count, int Threads>
static inline cudaError_t wf_compact_launch(void *temp, size_t *temp_bytes,
                                            const typename Pred::in_type *in,
                                            typename Pred::in_type *out, uint64_t *count, size_t n,
                                            Pred pred, cudaStream_t stream)
{
    typedef typename Pred::in_type in_type;
    const uint64_t size = (uint64_t)Threads * WF_COMPACT_ROWS * wf_vec<in_type>::count;
    const uint64_t tiles = (n + size - 1) / size;
    const size_t clear = tiles > 1 ? wf_lookback_bytes<Count, WF_COMPACT_DIRECT>(tiles) : 0;
    cudaError_t status = cudaSuccess;
    if (wf_temp_settled(temp, temp_bytes, clear, &status))
        return status;
    if (!count || !wf_is_aligned(count, 8))
        return cudaErrorInvalidValue;
    if (n == 0)
        return wf_clear(count, 8, stream);
    if (!in || !out || !wf_is_aligned(in, sizeof(in_type)) || !wf_is_aligned(out, sizeof(in_type)) ||
        tiles >= 0x7fffffffu)
        return cudaErrorInvalidValue;
    struct wf_lookback<Count, WF_COMPACT_DIRECT> lb = wf_lookback_place<Count, WF_COMPACT_DIRECT>(temp, tiles);
    const bool aligned = wf_is_aligned(in, 16);
    uint64_t elements = n;
    void *args[] = {&pred, &in, &out, &count, &elements, &lb};
#define WF_COMPACT_KERNEL(link)                                                                     \
    aligned ? (const void *)wf_compact_kernel<Pred, Count, Threads, true, link>                     \
            : (const void *)wf_compact_kernel<Pred, Count, Threads, false, link>
    const void *const kernel[3] = {WF_COMPACT_KERNEL(WF_LINK_NONE), WF_COMPACT_KERNEL(WF_LINK_CLUSTER),
                                   WF_COMPACT_KERNEL(WF_LINK_LOOKBACK)};
#undef WF_COMPACT_KERNEL
    return wf_launch_linked(kernel, tiles, Threads, temp, clear, wf_lookback_grid(lb), stream, args);
}

// Compacts with a user's predicate: a struct with in_type (4 or 8 bytes) and bool test(in_type) const.
template <class Pred>
static inline cudaError_t wf_compact_if(void *temp, size_t *temp_bytes,
                                        const typename Pred::in_type *in,
                                        typename Pred::in_type *out, uint64_t *count, size_t n,
                                        Pred pred, cudaStream_t stream)
{
    const size_t bytes = n * sizeof(typename Pred::in_type);
    if (n >> 32)
        return wf_compact_launch<Pred, uint64_t, 256>(temp, temp_bytes, in, out, count, n, pred, stream);
    if (bytes >= WF_COMPACT_WIDE_FROM && bytes <= WF_COMPACT_WIDE_TO)
        return wf_compact_launch<Pred, uint32_t, 512>(temp, temp_bytes, in, out, count, n, pred, stream);
    return wf_compact_launch<Pred, uint32_t, 256>(temp, temp_bytes, in, out, count, n, pred, stream);
}

// wf_compact_gt_f32(temp, &bytes, in, bound, out, count, n, stream) keeps in[i] > bound; and so on.
#define WF_COMPACT_DEFINE(name, T, Cmp)                                                             \
    WF_API wf_compact_##name(void *temp, size_t *temp_bytes, const T *in, T bound, T *out,          \
                             uint64_t *count, size_t n, cudaStream_t stream)                        \
    {                                                                                               \
        wf_pred<T, Cmp> pred;                                                                       \
        pred.bound = bound;                                                                         \
        return wf_compact_if(temp, temp_bytes, in, out, count, n, pred, stream);                    \
    }
#define WF_COMPACT_DEFINE_TYPE(sfx, T)                                                              \
    WF_COMPACT_DEFINE(lt_##sfx, T, WF_LT)                                                           \
    WF_COMPACT_DEFINE(le_##sfx, T, WF_LE)                                                           \
    WF_COMPACT_DEFINE(gt_##sfx, T, WF_GT)                                                           \
    WF_COMPACT_DEFINE(ge_##sfx, T, WF_GE)                                                           \
    WF_COMPACT_DEFINE(eq_##sfx, T, WF_EQ)                                                           \
    WF_COMPACT_DEFINE(ne_##sfx, T, WF_NE)

WF_COMPACT_DEFINE_TYPE(i32, int32_t)
WF_COMPACT_DEFINE_TYPE(u32, uint32_t)
WF_COMPACT_DEFINE_TYPE(i64, int64_t)
WF_COMPACT_DEFINE_TYPE(u64, uint64_t)
WF_COMPACT_DEFINE_TYPE(f32, float)
WF_COMPACT_DEFINE_TYPE(f64, double)

#endif

// SPDX-License-Identifier: Apache-2.0
// Inclusive and exclusive scan in one pass over the data: a block scans a tile in registers, learns the
// sum of all earlier tiles and writes it. In place is allowed (out == in); partial overlap is not.
// Float scans give the same bits on every run and every GPU: the order in which values are combined
// follows from the element index and n alone.
#ifndef WF_SCAN_CUH
#define WF_SCAN_CUH

#include "wf_cluster.cuh"
#include "wf_scan_stream.cuh"

// Few tiles: one launch, of a cluster. More: the sum of earlier tiles by look-back, and where bytes
// in flight count, blocks that stay (wf_scan_stream.cuh) with the same cut.
typedef wf_cut<256, 4, 6> wf_scan_medium;
#ifndef WF_SCAN_LARGE
#define WF_SCAN_LARGE wf_stream_cut<wf_cut<384, 6, 3>, 6, 4>
#endif
typedef WF_SCAN_LARGE wf_scan_large;
#ifndef WF_SCAN_LARGE_BYTES
#define WF_SCAN_LARGE_BYTES (8u << 20)
#endif

template <class Op, class Cut, bool Exclusive, bool Aligned, enum wf_link Link>
static __global__ void WF_BOUNDS(Cut::threads, Cut::blocks)
wf_scan_kernel(Op op, typename Op::acc_type init, const typename Op::in_type *in,
               typename Op::acc_type *out, uint64_t n, struct wf_lookback<typename Op::acc_type> lb)
{
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    const int vec = wf_vec<in_type>::count;
    const unsigned size = Cut::bytes / sizeof(in_type);
    __shared__ wf_words<acc_type> sums[32], starts[32];
    __shared__ wf_words<acc_type> own;
    const unsigned lane = wf_lane(), warp = threadIdx.x / 32;
    const unsigned at = (warp * Cut::rows * 32 + lane) * vec;

    unsigned tile = blockIdx.x;
    if (Link == WF_LINK_LOOKBACK) {
        wf_wait_for_previous();
        tile = wf_lookback_take(op, lb);
        if (tile == WF_NO_TILE)
            return;
    }
    const uint64_t base = (uint64_t)tile * size, left = n - base;
    acc_type s[Cut::rows][vec];
    wf_scan_load<Op, Cut::rows, Aligned>(op, s, in + base, at, left);
    const acc_type total = wf_scan_piece<Op, Cut::rows, Exclusive>(op, s);
    if (lane == 0)
        sums[warp].value = total;
    __syncthreads();
    acc_type w[1] = {op.identity()};
    if (warp == 0) {
        if (lane < Cut::warps)
            w[0] = sums[lane].value;
        wf_scan_lanes(op, w);
        if (Link == WF_LINK_CLUSTER && lane == 31)
            own.value = w[0];
        if (Link == WF_LINK_LOOKBACK && lane == 31)
            wf_entry_publish(lb.own + tile, w[0]);
    }
    if (Link == WF_LINK_CLUSTER)
        wf_cluster_sync();
    if (warp == 0) {
        const acc_type within = wf_shfl_up_or(WF_FULL_MASK, w[0], 1, op.identity());
        acc_type prefix = op.identity();
        if (Link == WF_LINK_CLUSTER)
            prefix = wf_cluster_before(op, tile, &own);
        if (Link == WF_LINK_LOOKBACK)
            prefix = wf_lookback_before(op, tile, lb);
        if (Exclusive)
            prefix = op.combine(init, prefix);
        starts[lane].value = op.combine(prefix, within);
    }
    __syncthreads();
    if (Link == WF_LINK_CLUSTER)
        wf_cluster_arrive(); // nobody reads another block's sum any more
    const acc_type start = starts[warp].value;
#pragma unroll
    for (int r = 0; r < Cut::rows; r++) {
        wf_vec<acc_type> y;
#pragma unroll
        for (int i = 0; i < vec; i++)
            y.v[i] = op.combine(start, s[r][i]);
        wf_scan_write<Aligned>(out + base, at + r * 32 * vec, left, y);
    }
    if (Link == WF_LINK_CLUSTER)
        wf_cluster_wait(); // a block's shared memory lives as long as the others may read it
}

template <class Op, class Cut, bool Exclusive>
static inline cudaError_t wf_scan_launch(void *temp, size_t *temp_bytes, const typename Op::in_type *in,
                                         typename Op::acc_type *out, size_t n, Op op,
                                         typename Op::acc_type init, cudaStream_t stream)
{
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    const uint64_t size = Cut::bytes / sizeof(in_type), tiles = (n + size - 1) / size;
    const size_t clear = tiles > 1 ? wf_lookback_bytes<acc_type, 32>(tiles) : 0;
    const bool aligned = wf_is_aligned(in, 16) && wf_is_aligned(out, 16);
    cudaError_t status = cudaSuccess;
    if (wf_temp_settled(temp, temp_bytes, clear, &status))
        return status;
    if (n == 0)
        return cudaSuccess;
    if (!in || !out || !wf_is_aligned(in, sizeof(in_type)) ||
        !wf_is_aligned(out, sizeof(acc_type)) || tiles >= 0x7fffffffu)
        return cudaErrorInvalidValue;
    struct wf_lookback<acc_type> lb = wf_lookback_place<acc_type, 32>(temp, tiles);
    uint64_t count = n;
    void *args[] = {&op, &init, &in, &out, &count, &lb};
#define WF_SCAN_KERNEL(link)                                                                        \
    aligned ? (const void *)wf_scan_kernel<Op, Cut, Exclusive, true, link>                          \
            : (const void *)wf_scan_kernel<Op, Cut, Exclusive, false, link>
    const void *const kernel[3] = {WF_SCAN_KERNEL(WF_LINK_NONE), WF_SCAN_KERNEL(WF_LINK_CLUSTER),
                                   WF_SCAN_KERNEL(WF_LINK_LOOKBACK)};
#undef WF_SCAN_KERNEL
    return wf_launch_linked(kernel, tiles, Cut::threads, temp, clear, wf_lookback_grid(lb), stream, args);
}

// The same by blocks that stay, `blocks` of them (0: one a multiprocessor), where that is possible here:
// *done says whether. Any number of blocks gives the same bits.
template <class Op, class Cut, bool Exclusive>
static inline cudaError_t wf_scan_launch_stream(void *temp, size_t *temp_bytes,
                                                const typename Op::in_type *in, typename Op::acc_type *out,
                                                size_t n, Op op, typename Op::acc_type init,
                                                unsigned blocks, cudaStream_t stream, bool *done)
{
    typedef typename Op::acc_type acc_type;
    const uint64_t size = Cut::tile_bytes / sizeof(*in), tiles = (n + size - 1) / size;
    const size_t clear = wf_lookback_bytes<acc_type, 32>(tiles);
    const void *kernel = (const void *)wf_scan_stream_kernel<Op, Cut, Exclusive>;
    const int room = Cut::stages * Cut::tile_bytes;
    int device = 0, sms = 0, most = 0;
    *done = false;
    if (!temp || !temp_bytes || *temp_bytes < clear || !wf_is_aligned(temp, 16) || !in || !out || !wf_is_aligned(in, 16) || !wf_is_aligned(out, 16) ||
        tiles >= 0x7fffffffu || !wf_has_bulk(kernel))
        return cudaSuccess;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status != cudaSuccess || room + 2048 > most) // the slots' barriers and sums stand beside
        return status;
    *done = true;
    status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room);
    if (status == cudaSuccess)
        status = wf_clear(temp, clear, stream);
    if (status != cudaSuccess)
        return status;
    struct wf_lookback<acc_type> lb = wf_lookback_place<acc_type, 32>(temp, tiles);
    uint64_t count = n;
    void *args[] = {&op, &init, &in, &out, &count, &lb};
    const unsigned useful = wf_lookback_grid(lb);
    if (blocks == 0)
        blocks = (unsigned)sms;
    return wf_launch_next(kernel, useful < blocks ? useful : blocks, Cut::block_threads, room, stream, args);
}

// Scans n elements with a user's operator (acc_type as large as in_type). Exclusive: element k is
// combine(init, elements before k).
template <class Op, bool Exclusive>
static inline cudaError_t wf_scan(void *temp, size_t *temp_bytes, const typename Op::in_type *in,
                                  typename Op::acc_type *out, size_t n, Op op,
                                  typename Op::acc_type init, cudaStream_t stream)
{
    // The cut follows from n alone: it is part of the order in which values are combined.
    const size_t bytes = n * sizeof(typename Op::in_type);
    if (bytes <= WF_SCAN_LARGE_BYTES)
        return wf_scan_launch<Op, wf_scan_medium, Exclusive>(temp, temp_bytes, in, out, n, op, init, stream);
    bool done;
    cudaError_t status = wf_scan_launch_stream<Op, wf_scan_large, Exclusive>(temp, temp_bytes, in, out, n, op,
                                                                             init, 0, stream, &done);
    if (done || status != cudaSuccess)
        return status;
    return wf_scan_launch<Op, wf_scan_large::cut, Exclusive>(temp, temp_bytes, in, out, n, op, init, stream);
}

#define WF_SCAN_DEFINE(name, T, Op, Exclusive, init)                                                \
    WF_API wf_scan_##name(void *temp, size_t *temp_bytes, const T *in, T *out, size_t n,            \
                          cudaStream_t stream)                                                      \
    {                                                                                               \
        return wf_scan<Op, Exclusive>(temp, temp_bytes, in, out, n, Op(), init, stream);            \
    }
#define WF_SCAN_DEFINE_TYPE(sfx, T)                                                                 \
    typedef wf_op_sum<T, T> wf_scan_op_##sfx;                                                       \
    WF_SCAN_DEFINE(inclusive_sum_##sfx, T, wf_scan_op_##sfx, false, (T)0)                           \
    WF_SCAN_DEFINE(exclusive_sum_##sfx, T, wf_scan_op_##sfx, true, (T)0)

WF_SCAN_DEFINE_TYPE(i32, int32_t)
WF_SCAN_DEFINE_TYPE(u32, uint32_t)
WF_SCAN_DEFINE_TYPE(i64, int64_t)
WF_SCAN_DEFINE_TYPE(u64, uint64_t)
WF_SCAN_DEFINE_TYPE(f32, float)
WF_SCAN_DEFINE_TYPE(f64, double)

#endif

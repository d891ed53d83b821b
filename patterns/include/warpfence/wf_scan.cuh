// SPDX-License-Identifier: Apache-2.0
// Inclusive and exclusive scan in one pass over the data: a block takes a tile by ticket, scans it in
// registers, learns the sum of all earlier tiles (wf_lookback.cuh) and writes it. In place is allowed
// (out == in); partial overlap is not.
// Float scans give the same bits on every run and every GPU: the order in which values are combined
// follows from the element index alone.
#ifndef WF_SCAN_CUH
#define WF_SCAN_CUH

#include "wf_lookback.cuh"

// How a kernel is cut: threads a block, 16-byte rows a thread holds in registers, batches of as many
// rows it keeps in shared memory while it waits, blocks a multiprocessor should hold.
template <int Threads, int Rows, int Kept, int Blocks> struct wf_cut {
    static const int threads = Threads, rows = Rows, kept = Kept, blocks = Blocks;
    static const int thread_rows = Rows * (Kept + 1);
};

// Small: one block does it all. Medium: short waits count. Large: bytes in flight count.
typedef wf_cut<512, 8, 0, 1> wf_scan_small;
typedef wf_cut<256, 4, 0, 6> wf_scan_medium;
#ifndef WF_SCAN_LARGE
#define WF_SCAN_LARGE wf_cut<128, 8, 2, 5>
#endif
typedef WF_SCAN_LARGE wf_scan_large;
#define WF_SCAN_LARGE_BYTES (64u << 20)

// One tile in registers: warp w owns a contiguous piece, row by row, 16 bytes a lane. `at` is this
// lane's first element in the tile, `left` the number of elements from the tile's start to the end.
// Missing elements become the identity.
template <class Op, int Rows, bool Aligned>
WF_DEVICE void wf_scan_load(const Op &op,
                            typename Op::acc_type (&s)[Rows][wf_vec<typename Op::in_type>::count],
                            const typename Op::in_type *tile, unsigned at, uint64_t left, bool whole)
{
    typedef typename Op::in_type in_type;
    const int vec = wf_vec<in_type>::count, row = 32 * vec;
    wf_vec<in_type> x[Rows];
    if (Aligned && whole) {
#pragma unroll
        for (int r = 0; r < Rows; r++)
            x[r] = wf_load16(tile + at + r * row);
#pragma unroll
        for (int r = 0; r < Rows; r++)
#pragma unroll
            for (int i = 0; i < vec; i++)
                s[r][i] = op.lift(x[r].v[i], 0);
    } else {
#pragma unroll
        for (int r = 0; r < Rows; r++)
#pragma unroll
            for (int i = 0; i < vec; i++) {
                const unsigned k = at + r * row + i;
                s[r][i] = k < left ? op.lift(tile[k], 0) : op.identity();
            }
    }
}

// Scans each warp's piece of a tile in place: within the thread, then across lanes for every row at
// once, then down the rows. Returns the sum of the warp's piece.
template <class Op, int Rows, bool Exclusive>
WF_DEVICE typename Op::acc_type
wf_scan_piece(const Op &op, typename Op::acc_type (&s)[Rows][wf_vec<typename Op::in_type>::count])
{
    typedef typename Op::acc_type acc_type;
    const int vec = wf_vec<typename Op::in_type>::count;
    acc_type sum[Rows], total;
#pragma unroll
    for (int r = 0; r < Rows; r++) {
#pragma unroll
        for (int i = 1; i < vec; i++)
            s[r][i] = op.combine(s[r][i - 1], s[r][i]);
        sum[r] = s[r][vec - 1];
    }
    wf_scan_lanes(op, sum);
#pragma unroll
    for (int r = 0; r < Rows; r++) {
        acc_type before = wf_shfl_up_or(WF_FULL_MASK, sum[r], 1, op.identity());
        acc_type all = wf_shfl(WF_FULL_MASK, sum[r], 31);
        if (r)
            before = op.combine(total, before);
        total = r ? op.combine(total, all) : all;
#pragma unroll
        for (int i = vec - 1; i >= 0; i--) {
            if (Exclusive)
                s[r][i] = i ? op.combine(before, s[r][i - 1]) : before;
            else
                s[r][i] = op.combine(before, s[r][i]);
        }
    }
    return total;
}

template <class Op, int Rows, bool Aligned>
WF_DEVICE void wf_scan_write(const Op &op, typename Op::acc_type start,
                             const typename Op::acc_type (&s)[Rows][wf_vec<typename Op::in_type>::count],
                             typename Op::acc_type *tile, unsigned at, uint64_t left, bool whole)
{
    const int vec = wf_vec<typename Op::in_type>::count, row = 32 * vec;
#pragma unroll
    for (int r = 0; r < Rows; r++) {
        wf_vec<typename Op::acc_type> y;
#pragma unroll
        for (int i = 0; i < vec; i++)
            y.v[i] = op.combine(start, s[r][i]);
        if (Aligned && whole) {
            wf_store16(tile + at + r * row, y);
        } else {
#pragma unroll
            for (int i = 0; i < vec; i++)
                if (at + r * row + i < left)
                    tile[at + r * row + i] = y.v[i];
        }
    }
}

// A block's tile between load and write: the last batch of rows in registers, the others, scanned, in
// shared memory. A thread reads there only what it wrote itself.
template <class Op, class Cut> struct wf_scan_tile {
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    static const int vec = wf_vec<in_type>::count;
    static const int batch = Cut::rows * 32 * vec; // elements of a warp's batch
    static const unsigned size = Cut::threads * Cut::thread_rows * vec;
    acc_type s[Cut::rows][vec];
    acc_type sum[Cut::kept + 1]; // of each batch, within the warp
};

template <class Op, class Cut, bool Exclusive, bool Aligned>
WF_DEVICE void wf_scan_take_in(const Op &op, wf_scan_tile<Op, Cut> &t, uint4 *kept,
                               const typename Op::in_type *tile, uint64_t left)
{
    typedef wf_scan_tile<Op, Cut> shape;
    unsigned at = threadIdx.x / 32 * (Cut::kept + 1) * shape::batch + wf_lane() * shape::vec;
#pragma unroll
    for (int b = 0; b <= Cut::kept; b++, at += shape::batch) {
        wf_scan_load<Op, Cut::rows, Aligned>(op, t.s, tile, at, left, left >= shape::size);
        t.sum[b] = wf_scan_piece<Op, Cut::rows, Exclusive>(op, t.s);
        if (b == Cut::kept)
            break;
#pragma unroll
        for (int r = 0; r < Cut::rows; r++)
            wf_write16(&kept[(b * Cut::rows + r) * Cut::threads + threadIdx.x], t.s[r]);
    }
}

template <class Op, class Cut, bool Aligned>
WF_DEVICE void wf_scan_put_out(const Op &op, wf_scan_tile<Op, Cut> &t, const uint4 *kept,
                               typename Op::acc_type start, typename Op::acc_type *tile, uint64_t left)
{
    typedef wf_scan_tile<Op, Cut> shape;
    const unsigned at = threadIdx.x / 32 * (Cut::kept + 1) * shape::batch + wf_lane() * shape::vec;
    typename Op::acc_type starts[Cut::kept + 1];
#pragma unroll
    for (int b = 0; b <= Cut::kept; b++) {
        starts[b] = start;
        start = op.combine(start, t.sum[b]);
    }
#pragma unroll
    for (int b = Cut::kept; b >= 0; b--) { // the registers first, then they are free
        if (b < Cut::kept) {
#pragma unroll
            for (int r = 0; r < Cut::rows; r++)
                wf_read16(t.s[r], &kept[(b * Cut::rows + r) * Cut::threads + threadIdx.x]);
        }
        wf_scan_write<Op, Cut::rows, Aligned>(op, starts[b], t.s, tile, at + b * shape::batch, left,
                                              left >= shape::size);
    }
}

// Threads that are resident at once on the smallest multiprocessor the code is compiled for.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define WF_SCAN_RESIDENT 1024
#else
#define WF_SCAN_RESIDENT 1536
#endif
#define WF_SCAN_BLOCKS(Cut)                                                                         \
    (Cut::blocks * Cut::threads > WF_SCAN_RESIDENT ? WF_SCAN_RESIDENT / Cut::threads : Cut::blocks)

template <class Op, class Cut, bool Exclusive, bool Aligned>
static __global__ void __launch_bounds__(Cut::threads, WF_SCAN_BLOCKS(Cut))
wf_scan_kernel(Op op, typename Op::acc_type init, const typename Op::in_type *in,
               typename Op::acc_type *out, uint64_t n, struct wf_lookback<typename Op::acc_type> lb)
{
    typedef typename Op::acc_type acc_type;
    const unsigned size = wf_scan_tile<Op, Cut>::size;
    __shared__ uint4 kept[Cut::kept ? Cut::threads * Cut::rows * Cut::kept : 1];
    __shared__ wf_words<acc_type> sums[32], starts[32];
    const unsigned lane = wf_lane(), warp = threadIdx.x / 32;
    wf_scan_tile<Op, Cut> t;

    unsigned tile = 0;
    if (lb.tiles > 1) {
        wf_wait_for_previous();
        tile = wf_lookback_take(op, lb);
        if (tile == WF_NO_TILE)
            return;
    }
    const uint64_t base = (uint64_t)tile * size;
    wf_scan_take_in<Op, Cut, Exclusive, Aligned>(op, t, kept, in + base, n - base);
    acc_type total = t.sum[0];
#pragma unroll
    for (int b = 1; b <= Cut::kept; b++)
        total = op.combine(total, t.sum[b]);
    if (lane == 0)
        sums[warp].value = total;
    __syncthreads();
    if (warp == 0) {
        acc_type w[1] = {lane < Cut::threads / 32 ? sums[lane].value : op.identity()};
        wf_scan_lanes(op, w);
        const acc_type within = wf_shfl_up_or(WF_FULL_MASK, w[0], 1, op.identity());
        acc_type prefix = op.identity();
        if (lb.tiles > 1) {
            if (lane == 31)
                wf_entry_publish(lb.own + tile, w[0]);
            prefix = wf_lookback_before(op, tile, lb);
        }
        if (Exclusive)
            prefix = op.combine(init, prefix);
        starts[lane].value = op.combine(prefix, within);
    }
    __syncthreads();
    wf_scan_put_out<Op, Cut, Aligned>(op, t, kept, starts[warp].value, out + base, n - base);
}

template <class Op, class Cut, bool Exclusive>
static inline cudaError_t wf_scan_launch(void *temp, size_t *temp_bytes, const typename Op::in_type *in,
                                         typename Op::acc_type *out, size_t n, Op op,
                                         typename Op::acc_type init, cudaStream_t stream)
{
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    const uint64_t size = wf_scan_tile<Op, Cut>::size, tiles = (n + size - 1) / size;
    const size_t clear = tiles > 1 ? wf_lookback_bytes<acc_type>(tiles) : 0;
    cudaError_t status = cudaSuccess;
    if (wf_temp_settled(temp, temp_bytes, clear, &status))
        return status;
    if (n == 0)
        return cudaSuccess;
    if (!in || !out || !wf_is_aligned(in, sizeof(in_type)) ||
        !wf_is_aligned(out, sizeof(acc_type)) || tiles >= 0x7fffffffu)
        return cudaErrorInvalidValue;
    struct wf_lookback<acc_type> lb = wf_lookback_place<acc_type>(temp, tiles);
    const void *kernel = wf_is_aligned(in, 16) && wf_is_aligned(out, 16)
                             ? (const void *)wf_scan_kernel<Op, Cut, Exclusive, true>
                             : (const void *)wf_scan_kernel<Op, Cut, Exclusive, false>;
    uint64_t count = n;
    void *args[] = {&op, &init, &in, &out, &count, &lb};
    if (tiles == 1)
        return cudaLaunchKernel(kernel, dim3(1), dim3(Cut::threads), args, 0, stream);
    status = wf_clear(temp, clear, stream);
    return status != cudaSuccess ? status
                                 : wf_launch_next(kernel, wf_lookback_grid(tiles), Cut::threads, 0,
                                                  stream, args);
}

// Scans n elements with a user's operator (acc_type as large as in_type). Exclusive: element k is
// combine(init, elements before k).
template <class Op, bool Exclusive>
static inline cudaError_t wf_scan(void *temp, size_t *temp_bytes, const typename Op::in_type *in,
                                  typename Op::acc_type *out, size_t n, Op op,
                                  typename Op::acc_type init, cudaStream_t stream)
{
    // The cut follows from n alone: it is part of the order in which values are combined.
    const size_t small = wf_scan_tile<Op, wf_scan_small>::size;
    const size_t medium = wf_scan_tile<Op, wf_scan_medium>::size;
    if (n > WF_SCAN_LARGE_BYTES / sizeof(typename Op::in_type))
        return wf_scan_launch<Op, wf_scan_large, Exclusive>(temp, temp_bytes, in, out, n, op, init,
                                                            stream);
    if (n > medium && n <= small)
        return wf_scan_launch<Op, wf_scan_small, Exclusive>(temp, temp_bytes, in, out, n, op, init,
                                                            stream);
    return wf_scan_launch<Op, wf_scan_medium, Exclusive>(temp, temp_bytes, in, out, n, op, init,
                                                         stream);
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

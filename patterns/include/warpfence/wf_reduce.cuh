// SPDX-License-Identifier: Apache-2.0
// Reproducible reduction: sum, minimum, maximum, argmin, argmax, and any operator of wf_ops.cuh.
// One fixed tree over the element index decides which two values meet; grid size, block size, GPU
// and how many elements a block takes do not. The same input gives the same bits everywhere.
// The tree: a warp tile is 8 rows of 32 lanes of 16 bytes. Inside a tile the halves that meet differ
// in index bits in this order: element in the 16 bytes, row, lane. Above it: neighbours, then
// neighbours of neighbours (tile index bits from the lowest). Missing elements are the operator's
// identity, which changes no bit. Depth ceil(log2 n), so |error| <= ceil(log2 n) * u * sum |x|.
#ifndef WF_REDUCE_CUH
#define WF_REDUCE_CUH

#include "wf_ops.cuh"

#define WF_REDUCE_ROWS 8
#define WF_REDUCE_MAX_LOCAL 128 // warp tiles a block takes at most
#define WF_REDUCE_RUN 16        // partials a thread of the second kernel folds

#ifndef WF_REDUCE_THREADS
#define WF_REDUCE_THREADS 256
#endif
#ifndef WF_REDUCE_TARGET_BLOCKS
#define WF_REDUCE_TARGET_BLOCKS 4096
#endif

// ---- device level ----------------------------------------------------------------------------

// combine for two values of one thread, the first from lower indices. An operator may overload it.
template <class Op>
WF_DEVICE typename Op::acc_type wf_combine_near(const Op &op, const typename Op::acc_type &a,
                                                const typename Op::acc_type &b)
{
    return op.combine(a, b);
}

template <class T, bool Largest>
WF_DEVICE wf_indexed<T> wf_combine_near(const wf_op_arg<T, Largest> &, const wf_indexed<T> &a,
                                        const wf_indexed<T> &b)
{
    const bool keep = Largest ? a.value >= b.value : a.value <= b.value;
    return keep || a.value != a.value ? a : b;
}

// Neighbour tree over a power-of-two array in registers.
template <class Op, int N>
WF_DEVICE typename Op::acc_type wf_fold(const Op &op, typename Op::acc_type (&a)[N])
{
#pragma unroll
    for (int step = 1; step < N; step *= 2)
#pragma unroll
        for (int i = 0; i + step < N; i += 2 * step)
            a[i] = wf_combine_near(op, a[i], a[i + step]);
    return a[0];
}

// Neighbour tree over the 32 lanes of a whole warp; the result is meaningful in lane 0.
template <class Op>
WF_DEVICE typename Op::acc_type wf_fold_lanes(const Op &op, typename Op::acc_type a)
{
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2)
        a = op.combine(a, wf_shfl_down(WF_FULL_MASK, a, step));
    return a;
}

template <class In> struct wf_reduce_shape {
    static const int vec = 16 / sizeof(In);
    static const int row = 32 * vec;
    static const int tile = row * WF_REDUCE_ROWS;
};

// One lane's rows of a whole tile, the first element at index `first`: the neighbour tree.
template <class Op>
WF_DEVICE typename Op::acc_type wf_fold_rows(const Op &op,
                                             const wf_vec<typename Op::in_type> (&x)[WF_REDUCE_ROWS],
                                             uint64_t first)
{
    typedef wf_reduce_shape<typename Op::in_type> shape;
    typename Op::acc_type row[WF_REDUCE_ROWS];
#pragma unroll
    for (int r = 0; r < WF_REDUCE_ROWS; r++) {
        typename Op::acc_type a[shape::vec];
#pragma unroll
        for (int i = 0; i < shape::vec; i++)
            a[i] = op.lift(x[r].v[i], first + r * shape::row + i);
        row[r] = wf_fold(op, a);
    }
    return wf_fold(op, row);
}

// argmin and argmax: a value may take the place of the best one so far.
template <class T, bool Largest>
WF_DEVICE void wf_offer(const wf_op_arg<T, Largest> &, T v, unsigned at, T &best, unsigned &offset)
{
    const bool keep = Largest ? best >= v : best <= v;
    if (!keep && best == best) {
        best = v;
        offset = at;
    }
}

// The same for argmin and argmax: any order gives the same bits, and one candidate needs few registers.
template <class T, bool Largest>
WF_DEVICE wf_indexed<T> wf_fold_rows(const wf_op_arg<T, Largest> &op, const wf_vec<T> (&x)[WF_REDUCE_ROWS],
                                     uint64_t first)
{
    typedef wf_reduce_shape<T> shape;
    T best = x[0].v[0];
    unsigned offset = 0;
#pragma unroll
    for (int r = 0; r < WF_REDUCE_ROWS; r++)
#pragma unroll
        for (int i = 0; i < shape::vec; i++)
            wf_offer(op, x[r].v[i], r * shape::row + i, best, offset);
    return op.lift(best, first + offset);
}

// The rows of a warp tile that holds only `count` elements: 16-byte loads where a lane has 16 bytes;
// the elements left over, fewer than that, fall to one lane.
template <bool Aligned, class Op>
WF_DEVICE typename Op::acc_type wf_reduce_part(const Op &op, const typename Op::in_type *in, uint64_t base,
                                               unsigned count)
{
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    typedef wf_reduce_shape<in_type> shape;
    const unsigned at = wf_lane() * shape::vec, whole = count & ~(unsigned)(shape::vec - 1);
    wf_vec<in_type> x[WF_REDUCE_ROWS];
#pragma unroll
    for (int r = 0; r < WF_REDUCE_ROWS; r++) {
        const unsigned k = at + r * shape::row;
        if (k < whole) {
            if (Aligned) {
                x[r] = wf_load16(in + base + k);
            } else {
#pragma unroll
                for (int i = 0; i < shape::vec; i++)
                    x[r].v[i] = in[base + k + i];
            }
        }
    }
    acc_type rest[shape::vec];
#pragma unroll
    for (int i = 0; i < shape::vec; i++)
        rest[i] = whole + i < count ? op.lift(in[base + whole + i], base + whole + i) : op.identity();
    const acc_type last = wf_fold(op, rest);
    acc_type row[WF_REDUCE_ROWS];
#pragma unroll
    for (int r = 0; r < WF_REDUCE_ROWS; r++) {
        const unsigned k = at + r * shape::row;
        acc_type a[shape::vec];
#pragma unroll
        for (int i = 0; i < shape::vec; i++)
            a[i] = k < whole ? op.lift(x[r].v[i], base + k + i) : op.identity();
        row[r] = k == whole ? last : wf_fold(op, a);
    }
    return wf_fold(op, row);
}

template <bool Aligned, class T, bool Largest>
WF_DEVICE wf_indexed<T> wf_reduce_part(const wf_op_arg<T, Largest> &op, const T *in, uint64_t base,
                                       unsigned count)
{
    if (wf_lane() >= count)
        return op.identity();
    T best = in[base + wf_lane()];
    unsigned offset = wf_lane();
    for (unsigned k = offset + 32; k < count; k += 32)
        wf_offer(op, in[base + k], k, best, offset);
    return op.lift(best, base + offset);
}

// Whether values may meet in any order and still give the same bits.
template <class Op> struct wf_any_order {
    static const bool yes = false;
};
template <class T, bool Largest> struct wf_any_order<wf_op_arg<T, Largest> > {
    static const bool yes = true;
};

// This lane's share of the warp tile that starts at element `base`.
template <class Op, bool Aligned>
WF_DEVICE typename Op::acc_type wf_reduce_rows(const Op &op, const typename Op::in_type *in,
                                               uint64_t base, uint64_t n)
{
    typedef typename Op::in_type in_type;
    typedef wf_reduce_shape<in_type> shape;
    const uint64_t first = base + wf_lane() * shape::vec;
    wf_vec<in_type> x[WF_REDUCE_ROWS];
    const uint64_t left = n - base; // base < n
    if (left >= shape::tile) {
#pragma unroll
        for (int r = 0; r < WF_REDUCE_ROWS; r++) {
            if (Aligned) {
                x[r] = wf_load16(in + first + r * shape::row);
            } else {
#pragma unroll
                for (int i = 0; i < shape::vec; i++)
                    x[r].v[i] = in[first + r * shape::row + i];
            }
        }
        return wf_fold_rows(op, x, first);
    }
    return wf_reduce_part<Aligned>(op, in, base, (unsigned)left);
}

// Reduces the warp tile that starts at element `base`. All 32 lanes call; result in lane 0.
template <class Op, bool Aligned>
WF_DEVICE typename Op::acc_type wf_reduce_tile(const Op &op, const typename Op::in_type *in,
                                               uint64_t base, uint64_t n)
{
    return wf_fold_lanes(op, wf_reduce_rows<Op, Aligned>(op, in, base, n));
}

// Neighbour tree over count values in shared memory, count a power of two up to 128. Warp 0 calls,
// after a barrier; result in lane 0.
template <class Op>
WF_DEVICE typename Op::acc_type wf_fold_shared(const Op &op, const wf_words<typename Op::acc_type> *part,
                                               unsigned count)
{
    const unsigned lane = wf_lane();
    typename Op::acc_type a = lane < count ? part[lane].value : op.identity();
    if (count > 32) {
        const unsigned each = count / 32, at = lane * each; // each is 2 or 4
        a = op.combine(part[at].value, part[at + 1].value);
        if (each == 4)
            a = op.combine(a, op.combine(part[at + 2].value, part[at + 3].value));
        count = 32;
    }
    for (unsigned step = 1; step < count; step *= 2)
        a = op.combine(a, wf_shfl_down(WF_FULL_MASK, a, step));
    return a;
}

// ---- kernels ---------------------------------------------------------------------------------

// Block b folds warp tiles [b*local, (b+1)*local) to one partial.
template <class Op, bool Aligned>
static __global__ void WF_BOUNDS(WF_REDUCE_THREADS, 4)
wf_reduce_tiles_kernel(Op op, const typename Op::in_type *in, uint64_t n, unsigned local,
                       typename Op::acc_type *partial)
{
    typedef typename Op::acc_type acc_type;
    typedef wf_reduce_shape<typename Op::in_type> shape;
    __shared__ wf_words<acc_type> part[WF_REDUCE_MAX_LOCAL];
    const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint64_t first = (uint64_t)blockIdx.x * local * shape::tile;
    wf_let_next_start();
    if (wf_any_order<Op>::yes) { // a lane keeps one candidate over all tiles of its warp
        acc_type best = op.identity();
        for (unsigned k = warp; k < local && first + (uint64_t)k * shape::tile < n; k += warps)
            best = op.combine(best, wf_reduce_rows<Op, Aligned>(op, in, first + (uint64_t)k * shape::tile, n));
        best = wf_fold_lanes(op, best);
        if (wf_lane() == 0)
            part[warp].value = best;
        local = warps < local ? warps : local;
    } else {
        for (unsigned k = warp; k < local; k += warps) {
            const uint64_t base = first + (uint64_t)k * shape::tile;
            acc_type a = base < n ? wf_reduce_tile<Op, Aligned>(op, in, base, n) : op.identity();
            if (wf_lane() == 0)
                part[k].value = a;
        }
    }
    __syncthreads();
    if (warp == 0) {
        acc_type a = wf_fold_shared(op, part, local);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = a;
    }
}

// At most 32 warp tiles: one block, a warp a tile. Small arrays wait for the code, so it is short.
template <class Op, class Sink, bool Aligned>
static __global__ void __launch_bounds__(1024)
wf_reduce_block_kernel(Op op, Sink sink, const typename Op::in_type *in, uint64_t n)
{
    typedef typename Op::acc_type acc_type;
    __shared__ wf_words<acc_type> part[32];
    const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint64_t base = warp * wf_reduce_shape<typename Op::in_type>::tile;
    acc_type a = base < n ? wf_reduce_tile<Op, Aligned>(op, in, base, n) : op.identity();
    if (warps > 1) {
        if (wf_lane() == 0)
            part[warp].value = a;
        __syncthreads();
        if (warp == 0)
            a = wf_fold_shared(op, part, warps);
    }
    if (threadIdx.x == 0)
        sink.put(a);
}

// The upper levels of the tree: each thread a run of neighbours, then lanes, then warps.
template <class Op, class Sink, int Run>
static __global__ void __launch_bounds__(1024)
wf_reduce_partials_kernel(Op op, Sink sink, const typename Op::acc_type *in, uint64_t n,
                          typename Op::acc_type *partial)
{
    typedef typename Op::acc_type acc_type;
    __shared__ wf_words<acc_type> part[32];
    const uint64_t first = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * Run;
    acc_type a[Run];
    wf_wait_for_previous();
    wf_let_next_start();
#pragma unroll
    for (int i = 0; i < Run; i++)
        a[i] = first + i < n ? in[first + i] : op.identity();
    acc_type w = wf_fold_lanes(op, wf_fold(op, a));
    if (wf_lane() == 0)
        part[threadIdx.x / 32].value = w;
    __syncthreads();
    if (threadIdx.x < 32) {
        w = wf_fold_shared(op, part, blockDim.x / 32);
        if (threadIdx.x == 0) {
            if (gridDim.x == 1)
                sink.put(w);
            else
                partial[blockIdx.x] = w;
        }
    }
}

// ---- launcher --------------------------------------------------------------------------------

// Where a result goes: out, converted to what the caller stores.
template <class T> struct wf_sink_value {
    T *out;
    template <class Acc> __device__ __forceinline__ void put(const Acc &a) const { *out = (T)a; }
};

template <class T> struct wf_sink_indexed {
    T *value;
    uint64_t *index;
    __device__ __forceinline__ void put(const wf_indexed<T> &a) const
    {
        if (value)
            *value = a.value;
        if (index)
            *index = wf_index_of(a);
    }
};

// Warp tiles per block, threads, blocks. The choice moves work between blocks, never the tree.
struct wf_reduce_plan {
    unsigned local, threads, blocks;
    uint64_t partials, upper; // partials of the first kernel, of all later ones together
};

static inline cudaError_t wf_reduce_make_plan(struct wf_reduce_plan *plan, uint64_t tiles)
{
    plan->local = 8;
    if (tiles <= 32) {
        plan->local = 1;
        while (plan->local < tiles)
            plan->local *= 2;
        plan->threads = plan->local * 32;
    } else {
        while ((tiles + plan->local - 1) / plan->local > WF_REDUCE_TARGET_BLOCKS &&
               plan->local < WF_REDUCE_MAX_LOCAL)
            plan->local *= 2;
        plan->threads = WF_REDUCE_THREADS;
    }
    uint64_t blocks = (tiles + plan->local - 1) / plan->local;
    if (blocks == 0)
        blocks = 1;
    if (blocks > 0x7fffffffu)
        return cudaErrorInvalidValue;
    plan->blocks = (unsigned)blocks;
    plan->partials = blocks > 1 ? blocks : 0;
    plan->upper = 0;
    for (uint64_t m = blocks; m > 1024 * WF_REDUCE_RUN;) {
        m = (m + 1024 * WF_REDUCE_RUN - 1) / (1024 * WF_REDUCE_RUN);
        plan->upper += m;
    }
    return cudaSuccess;
}

// Reduces n elements of `in` with a user's operator and hands the result to `sink` on the device.
template <class Op, class Sink>
static inline cudaError_t wf_reduce(void *temp, size_t *temp_bytes, const typename Op::in_type *in,
                                    Sink sink, size_t n, Op op, cudaStream_t stream)
{
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    const uint64_t tile = wf_reduce_shape<in_type>::tile;
    struct wf_reduce_plan plan;
    cudaError_t status = wf_reduce_make_plan(&plan, (n + tile - 1) / tile);
    if (status != cudaSuccess)
        return status;
    size_t need = (size_t)(plan.partials + plan.upper) * sizeof(acc_type);
    if (wf_temp_settled(temp, temp_bytes, need, &status))
        return status;
    if ((n && !in) || !wf_is_aligned(in, sizeof(in_type)))
        return cudaErrorInvalidValue;

    acc_type *partial = (acc_type *)temp;
    uint64_t count = n;
    const void *kernel = wf_is_aligned(in, 16)
                             ? (const void *)wf_reduce_tiles_kernel<Op, true>
                             : (const void *)wf_reduce_tiles_kernel<Op, false>;
    if (plan.blocks == 1) {
        kernel = wf_is_aligned(in, 16) ? (const void *)wf_reduce_block_kernel<Op, Sink, true>
                                       : (const void *)wf_reduce_block_kernel<Op, Sink, false>;
        void *args[] = {&op, &sink, &in, &count};
        return cudaLaunchKernel(kernel, dim3(1), dim3(plan.threads), args, 0, stream);
    }
    void *args[] = {&op, &in, &count, &plan.local, &partial};
    status = cudaLaunchKernel(kernel, dim3(plan.blocks), dim3(plan.threads), args, 0, stream);
    uint64_t left = plan.blocks;
    while (status == cudaSuccess && left > 1) {
        const unsigned run = left <= 256 ? 1 : WF_REDUCE_RUN;
        unsigned threads = 32;
        while (threads < 1024 && (uint64_t)threads * run < left)
            threads *= 2;
        const uint64_t blocks = (left + (uint64_t)threads * run - 1) / ((uint64_t)threads * run);
        acc_type *next = partial + left;
        kernel = run == 1 ? (const void *)wf_reduce_partials_kernel<Op, Sink, 1>
                          : (const void *)wf_reduce_partials_kernel<Op, Sink, WF_REDUCE_RUN>;
        void *upper[] = {&op, &sink, &partial, &left, &next};
        status = wf_launch_next(kernel, (unsigned)blocks, threads, 0, stream, upper);
        partial = next;
        left = blocks;
    }
    return status;
}

#define WF_REDUCE_DEFINE(name, T, Acc, Op)                                                          \
    WF_API wf_reduce_##name(void *temp, size_t *temp_bytes, const T *in, Acc *out, size_t n,        \
                            cudaStream_t stream)                                                    \
    {                                                                                               \
        wf_sink_value<Acc> sink = {out};                                                            \
        return wf_reduce<Op>(temp, temp_bytes, in, sink, n, Op(), stream);                          \
    }
#define WF_REDUCE_DEFINE_ARG(name, T, Largest)                                                      \
    WF_API wf_reduce_##name(void *temp, size_t *temp_bytes, const T *in, T *value, uint64_t *index, \
                            size_t n, cudaStream_t stream)                                          \
    {                                                                                               \
        typedef wf_op_arg<T, Largest> op_type;                                                      \
        wf_sink_indexed<T> sink = {value, index};                                                   \
        return wf_reduce<op_type>(temp, temp_bytes, in, sink, n, op_type(), stream);                \
    }
#define WF_REDUCE_DEFINE_TYPE(sfx, T, SumAcc)                                                       \
    typedef wf_op_sum<T, SumAcc> wf_op_sum_##sfx;                                                   \
    typedef wf_op_min<T> wf_op_min_##sfx;                                                           \
    typedef wf_op_max<T> wf_op_max_##sfx;                                                           \
    WF_REDUCE_DEFINE(sum_##sfx, T, SumAcc, wf_op_sum_##sfx)                                         \
    WF_REDUCE_DEFINE(min_##sfx, T, T, wf_op_min_##sfx)                                              \
    WF_REDUCE_DEFINE(max_##sfx, T, T, wf_op_max_##sfx)                                              \
    WF_REDUCE_DEFINE_ARG(argmin_##sfx, T, false)                                                    \
    WF_REDUCE_DEFINE_ARG(argmax_##sfx, T, true)

// Sums of 32-bit integers are 64 bits wide, so 2^32 of them cannot wrap; 64-bit sums wrap.
// n = 0: 0 for sums, the type's extreme for min and max, index 2^64-1 for argmin and argmax.
WF_REDUCE_DEFINE_TYPE(i32, int32_t, int64_t)
WF_REDUCE_DEFINE_TYPE(u32, uint32_t, uint64_t)
WF_REDUCE_DEFINE_TYPE(i64, int64_t, int64_t)
WF_REDUCE_DEFINE_TYPE(u64, uint64_t, uint64_t)
WF_REDUCE_DEFINE_TYPE(f32, float, float)
WF_REDUCE_DEFINE_TYPE(f64, double, double)

#endif

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

// ---- device level ----------------------------------------------------------------------------

// Neighbour tree over a power-of-two array in registers.
template <class Op, int N>
WF_DEVICE typename Op::acc_type wf_fold(const Op &op, typename Op::acc_type (&a)[N])
{
#pragma unroll
    for (int step = 1; step < N; step *= 2)
#pragma unroll
        for (int i = 0; i + step < N; i += 2 * step)
            a[i] = op.combine(a[i], a[i + step]);
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

// Reduces the warp tile that starts at element `base`. All 32 lanes call; result in lane 0.
template <class Op, bool Aligned>
WF_DEVICE typename Op::acc_type wf_reduce_tile(const Op &op, const typename Op::in_type *in,
                                               uint64_t base, uint64_t n)
{
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    typedef wf_reduce_shape<in_type> shape;
    const uint64_t first = base + wf_lane() * shape::vec;
    acc_type row[WF_REDUCE_ROWS];
    wf_vec<in_type> x[WF_REDUCE_ROWS];
    if (base + shape::tile <= n) {
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
#pragma unroll
        for (int r = 0; r < WF_REDUCE_ROWS; r++) {
            acc_type a[shape::vec];
#pragma unroll
            for (int i = 0; i < shape::vec; i++)
                a[i] = op.lift(x[r].v[i], first + r * shape::row + i);
            row[r] = wf_fold(op, a);
        }
    } else {
#pragma unroll
        for (int r = 0; r < WF_REDUCE_ROWS; r++) {
            acc_type a[shape::vec];
#pragma unroll
            for (int i = 0; i < shape::vec; i++) {
                uint64_t k = first + r * shape::row + i;
                a[i] = k < n ? op.lift(in[k], k) : op.identity();
            }
            row[r] = wf_fold(op, a);
        }
    }
    return wf_fold_lanes(op, wf_fold(op, row));
}

// Neighbour tree over count values in shared memory, count a power of two up to 128. Warp 0 calls,
// after a barrier; result in lane 0.
template <class Op>
WF_DEVICE typename Op::acc_type wf_fold_shared(const Op &op, const typename Op::acc_type *part,
                                               unsigned count)
{
    const unsigned each = count > 32 ? count / 32 : 1;
    const unsigned lane = wf_lane();
    typename Op::acc_type a[4];
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        unsigned k = lane * each + i;
        a[i] = (i < each && k < count) ? part[k] : op.identity();
    }
    return wf_fold_lanes(op, wf_fold(op, a));
}

// ---- kernels ---------------------------------------------------------------------------------

// Block b folds warp tiles [b*local, (b+1)*local) to one partial; a lone block hands over the result.
template <class Op, class Sink, bool Aligned>
static __global__ void __launch_bounds__(1024)
wf_reduce_tiles_kernel(Op op, Sink sink, const typename Op::in_type *in, uint64_t n, unsigned local,
                       typename Op::acc_type *partial)
{
    typedef typename Op::acc_type acc_type;
    typedef wf_reduce_shape<typename Op::in_type> shape;
    __shared__ wf_words<acc_type> part[WF_REDUCE_MAX_LOCAL];
    const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (unsigned k = warp; k < local; k += warps) {
        uint64_t base = ((uint64_t)blockIdx.x * local + k) * shape::tile;
        acc_type a = wf_reduce_tile<Op, Aligned>(op, in, base, n);
        if (wf_lane() == 0)
            part[k].value = a;
    }
    __syncthreads();
    if (warp == 0) {
        acc_type a = wf_fold_shared(op, &part[0].value, local);
        if (threadIdx.x == 0) {
            if (gridDim.x == 1)
                sink.put(a);
            else
                partial[blockIdx.x] = a;
        }
    }
}

// The upper levels of the tree: each thread a run of neighbours, then lanes, then warps.
template <class Op, class Sink>
static __global__ void __launch_bounds__(1024)
wf_reduce_partials_kernel(Op op, Sink sink, const typename Op::acc_type *in, uint64_t n,
                          typename Op::acc_type *partial)
{
    typedef typename Op::acc_type acc_type;
    __shared__ wf_words<acc_type> part[32];
    const uint64_t first = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * WF_REDUCE_RUN;
    acc_type a[WF_REDUCE_RUN];
#pragma unroll
    for (int i = 0; i < WF_REDUCE_RUN; i++)
        a[i] = first + i < n ? in[first + i] : op.identity();
    acc_type w = wf_fold_lanes(op, wf_fold(op, a));
    if (wf_lane() == 0)
        part[threadIdx.x / 32].value = w;
    __syncthreads();
    if (threadIdx.x < 32) {
        w = wf_fold_shared(op, &part[0].value, blockDim.x / 32);
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
template <class Acc> struct wf_sink_value {
    Acc *out;
    __device__ __forceinline__ void put(const Acc &a) const { *out = a; }
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

#ifndef WF_REDUCE_TARGET_BLOCKS
#define WF_REDUCE_TARGET_BLOCKS 16384
#endif
#ifndef WF_REDUCE_THREADS
#define WF_REDUCE_THREADS 256
#endif

static inline cudaError_t wf_reduce_make_plan(struct wf_reduce_plan *plan, uint64_t tiles)
{
    plan->local = 8;
    plan->threads = WF_REDUCE_THREADS;
    if (tiles <= 32) {
        plan->local = 1;
        while (plan->local < tiles)
            plan->local *= 2;
        plan->threads = plan->local * 32;
    } else {
        while ((tiles + plan->local - 1) / plan->local > WF_REDUCE_TARGET_BLOCKS &&
               plan->local < WF_REDUCE_MAX_LOCAL)
            plan->local *= 2;
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
    if (wf_is_aligned(in, 16))
        wf_reduce_tiles_kernel<Op, Sink, true>
            <<<plan.blocks, plan.threads, 0, stream>>>(op, sink, in, n, plan.local, partial);
    else
        wf_reduce_tiles_kernel<Op, Sink, false>
            <<<plan.blocks, plan.threads, 0, stream>>>(op, sink, in, n, plan.local, partial);
    uint64_t left = plan.blocks;
    while (left > 1) {
        unsigned threads = 32;
        while (threads < 1024 && (uint64_t)threads * WF_REDUCE_RUN < left)
            threads *= 2;
        uint64_t per_block = (uint64_t)threads * WF_REDUCE_RUN;
        uint64_t blocks = (left + per_block - 1) / per_block;
        wf_reduce_partials_kernel<Op, Sink>
            <<<(unsigned)blocks, threads, 0, stream>>>(op, sink, partial, left, partial + left);
        partial += left;
        left = blocks;
    }
    return cudaGetLastError();
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

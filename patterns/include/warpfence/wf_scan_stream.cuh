// SPDX-License-Identifier: Apache-2.0
// The scan of large arrays on sm_90 and later. A block stays and takes tile after tile; its warps work
// as a line through which tiles pass in shared memory, so that loads, sums, waits for the sum of
// earlier tiles, and stores of different tiles overlap:
//   loader     takes a ticket, starts the bulk load of the tile             -> full
//   workers    scan the tile's pieces in place                              -> summed
//   publisher  publishes the tile's sum
//   fetcher    learns the sum of all tiles before (wf_lookback.cuh)         -> known
//   workers    some tiles later, add it to every element and write          -> done
// Step k of a block uses slot k mod stages and phase k / stages of the slot's barriers. Values are
// combined as in wf_scan_kernel with the same cut: same bits.
#ifndef WF_SCAN_STREAM_CUH
#define WF_SCAN_STREAM_CUH

#include "wf_bulk.cuh"
#include "wf_scan_tile.cuh"

// The tile's cut; slots in shared memory; tiles between a worker's two visits to a tile.
template <class TileCut, int Stages, int Delay> struct wf_stream_cut {
    typedef TileCut cut;
    static const int rows = cut::rows, warps = cut::warps, stages = Stages, delay = Delay;
    static const int block_threads = cut::threads + 3 * 32;
    static const unsigned tile_bytes = cut::bytes;
};

template <class Acc, int Warps> struct wf_stream_slot {
    wf_mbar full, summed, known, done;
    unsigned long long tile; // WF_NO_TILE: no more
    wf_words<Acc> sums[Warps], starts[Warps];
};

// What every thread of a block knows.
template <class Op, class Cut> struct wf_stream_block {
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    static const int vec = wf_vec<in_type>::count;
    static const unsigned size = Cut::tile_bytes / sizeof(in_type);
    wf_stream_slot<acc_type, Cut::warps> *slots;
    uint4 *room; // of all slots
    const in_type *in;
    acc_type *out;
    uint64_t n;
    unsigned lane, warp;

    __device__ __forceinline__ wf_stream_slot<acc_type, Cut::warps> *slot(unsigned k) const
    {
        return slots + k % Cut::stages;
    }
    __device__ __forceinline__ uint4 *bytes(unsigned k) const
    {
        return room + k % Cut::stages * (Cut::tile_bytes / 16);
    }
    // Waits until step k's tile has been chosen and loaded.
    __device__ __forceinline__ unsigned tile(unsigned k) const
    {
        wf_mbar_wait(&slot(k)->full, phase(k));
        return (unsigned)slot(k)->tile;
    }
    __device__ __forceinline__ unsigned phase(unsigned k) const { return k / Cut::stages & 1; }
    __device__ __forceinline__ bool whole(unsigned tile) const { return (tile + 1ull) * size <= n; }
};

template <class Op, class Cut>
WF_DEVICE void wf_stream_load(const wf_stream_block<Op, Cut> &b,
                              const wf_lookback<typename Op::acc_type> &lb)
{
    unsigned next = wf_add_relaxed(&lb.head->ticket, 1);
    for (unsigned k = 0;; k++) {
        const unsigned tile = next < lb.tiles ? next : WF_NO_TILE;
        if (tile != WF_NO_TILE)
            next = wf_add_relaxed(&lb.head->ticket, 1); // comes while this one waits
        if (k >= Cut::stages)
            wf_mbar_wait(&b.slot(k)->done, b.phase(k) ^ 1);
        b.slot(k)->tile = tile;
        if (tile == WF_NO_TILE || !b.whole(tile)) {
            wf_mbar_arrive(&b.slot(k)->full);
        } else {
            wf_mbar_arrive_expect(&b.slot(k)->full, Cut::tile_bytes);
            wf_bulk_load(b.bytes(k), b.in + (uint64_t)tile * b.size, Cut::tile_bytes, &b.slot(k)->full);
        }
        if (tile == WF_NO_TILE)
            return;
    }
}

template <class Op, class Cut, bool Exclusive>
WF_DEVICE void wf_stream_scan(const Op &op, const wf_stream_block<Op, Cut> &b, unsigned k, unsigned tile)
{
    typedef typename Op::in_type in_type;
    typedef typename Op::acc_type acc_type;
    const int vec = wf_vec<in_type>::count;
    acc_type s[Cut::rows][vec];
    uint4 *at = b.bytes(k) + b.warp * Cut::rows * 32 + b.lane;
    if (b.whole(tile)) {
#pragma unroll
        for (int r = 0; r < Cut::rows; r++) {
            in_type x[vec];
            wf_read16(x, at + r * 32);
#pragma unroll
            for (int i = 0; i < vec; i++)
                s[r][i] = op.lift(x[i], 0);
        }
    } else {
        const uint64_t base = (uint64_t)tile * b.size;
        wf_scan_load<Op, Cut::rows, true>(op, s, b.in + base, (b.warp * Cut::rows * 32 + b.lane) * vec,
                                          b.n - base);
    }
    const acc_type total = wf_scan_piece<Op, Cut::rows, Exclusive>(op, s);
#pragma unroll
    for (int r = 0; r < Cut::rows; r++)
        wf_write16(at + r * 32, s[r]);
    if (b.lane == 0) {
        b.slot(k)->sums[b.warp].value = total;
        wf_mbar_arrive(&b.slot(k)->summed);
    }
}

template <class Op, class Cut>
WF_DEVICE void wf_stream_finish(const Op &op, const wf_stream_block<Op, Cut> &b, unsigned k)
{
    typedef typename Op::acc_type acc_type;
    const int vec = wf_vec<acc_type>::count;
    const unsigned first = b.warp * Cut::rows * 32 + b.lane;
    const uint4 *at = b.bytes(k) + first;
    wf_mbar_wait(&b.slot(k)->known, b.phase(k));
    const uint64_t base = (uint64_t)(unsigned)b.slot(k)->tile * b.size;
    const acc_type start = b.slot(k)->starts[b.warp].value;
    wf_vec<acc_type> y[Cut::rows];
#pragma unroll
    for (int r = 0; r < Cut::rows; r++) {
        wf_read16(y[r].v, at + r * 32);
#pragma unroll
        for (int i = 0; i < vec; i++)
            y[r].v[i] = op.combine(start, y[r].v[i]);
    }
    wf_bulk_fence(); // the slot's next bulk load comes after what was written there
    __syncwarp();
    if (b.lane == 0)
        wf_mbar_arrive(&b.slot(k)->done);
#pragma unroll
    for (int r = 0; r < Cut::rows; r++)
        wf_scan_write<true>(b.out + base, (first + r * 32) * vec, b.n - base, y[r]);
}

template <class Op, class Cut, bool Exclusive>
WF_DEVICE void wf_stream_work(const Op &op, const wf_stream_block<Op, Cut> &b)
{
    unsigned k = 0;
    for (;; k++) {
        const unsigned tile = b.tile(k);
        if (tile == WF_NO_TILE)
            break;
        wf_stream_scan<Op, Cut, Exclusive>(op, b, k, tile);
        if (k >= Cut::delay)
            wf_stream_finish(op, b, k - Cut::delay);
    }
    for (unsigned late = k < Cut::delay ? 0 : k - Cut::delay; late < k; late++)
        wf_stream_finish(op, b, late);
}

// Inclusive scan of the sums of the workers' pieces of step k, lane by lane.
template <class Op, class Cut>
WF_DEVICE typename Op::acc_type wf_stream_sums(const Op &op, const wf_stream_block<Op, Cut> &b, unsigned k)
{
    wf_mbar_wait(&b.slot(k)->summed, b.phase(k));
    typename Op::acc_type w[1] = {b.lane < Cut::warps ? b.slot(k)->sums[b.lane].value : op.identity()};
    wf_scan_lanes(op, w);
    return w[0];
}

template <class Op, class Cut>
WF_DEVICE void wf_stream_publish(const Op &op, const wf_stream_block<Op, Cut> &b,
                                 const wf_lookback<typename Op::acc_type> &lb)
{
    for (unsigned k = 0;; k++) {
        const unsigned tile = b.tile(k);
        if (tile == WF_NO_TILE)
            return;
        const typename Op::acc_type upto = wf_stream_sums(op, b, k);
        if (b.lane == 31)
            wf_entry_publish(lb.own + tile, upto);
        __syncwarp(); // every lane has read the sums and the tile's number
        if (b.lane == 0)
            wf_mbar_arrive(&b.slot(k)->done);
    }
}

template <class Op, class Cut, bool Exclusive>
WF_DEVICE void wf_stream_fetch(const Op &op, const wf_stream_block<Op, Cut> &b, typename Op::acc_type init,
                               const wf_lookback<typename Op::acc_type> &lb)
{
    typedef typename Op::acc_type acc_type;
    for (unsigned k = 0;; k++) {
        const unsigned tile = b.tile(k);
        if (tile == WF_NO_TILE)
            return;
        const acc_type upto = wf_stream_sums(op, b, k);
        const acc_type within = wf_shfl_up_or(WF_FULL_MASK, upto, 1, op.identity());
        acc_type prefix = wf_lookback_before(op, tile, lb);
        if (Exclusive)
            prefix = op.combine(init, prefix);
        if (b.lane < Cut::warps)
            b.slot(k)->starts[b.lane].value = op.combine(prefix, within);
        __syncwarp();
        if (b.lane == 0)
            wf_mbar_arrive(&b.slot(k)->known);
    }
}

template <class Op, class Cut, bool Exclusive>
static __global__ void __launch_bounds__(Cut::block_threads, 1)
wf_scan_stream_kernel(Op op, typename Op::acc_type init, const typename Op::in_type *in,
                      typename Op::acc_type *out, uint64_t n, struct wf_lookback<typename Op::acc_type> lb)
{
    typedef typename Op::acc_type acc_type;
    extern __shared__ __align__(128) uint4 wf_stream_room[];
    __shared__ wf_stream_slot<acc_type, Cut::warps> slots[Cut::stages];
    __shared__ unsigned serves;
    wf_stream_block<Op, Cut> b;
    b.slots = slots;
    b.room = wf_stream_room;
    b.in = in;
    b.out = out;
    b.n = n;
    b.lane = wf_lane();
    b.warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < Cut::stages; s++) {
            wf_mbar_init(&slots[s].full, 1);
            wf_mbar_init(&slots[s].summed, Cut::warps);
            wf_mbar_init(&slots[s].known, 1);
            wf_mbar_init(&slots[s].done, Cut::warps + 1); // the workers and the publisher
        }
        wf_mbar_init_done();
        wf_wait_for_previous();
        serves = wf_lookback_scanned(lb) && wf_add_relaxed(&lb.head->started, 1) == 1;
    }
    __syncthreads();
    if (serves)
        wf_lookback_serve(op, lb);
    else if (b.warp < Cut::warps)
        wf_stream_work<Op, Cut, Exclusive>(op, b);
    else if (b.warp == Cut::warps)
        wf_stream_publish(op, b, lb);
    else if (b.warp == Cut::warps + 1)
        wf_stream_fetch<Op, Cut, Exclusive>(op, b, init, lb);
    else if (b.lane == 0)
        wf_stream_load(b, lb);
}

#endif

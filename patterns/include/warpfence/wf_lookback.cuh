// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back: how a tile of a single-pass algorithm learns the sum of all tiles before it
// while others still run. A tile's owner publishes the tile's own sum. Few tiles look back
// themselves. With more, one block of the grid, the scanner, reads those sums in order, 32 at a time,
// and publishes for each tile the sum of everything before it, so a tile polls one word of its own
// and no line of memory is hot. The scanner only saves time: a tile that has waited too long adds up
// for itself, so nobody ever depends on a block that may not be running.
// What is added, and in which order, follows from the tile number alone: floats give the same bits on
// every run. Every 32-bit piece of a value shares one 64-bit scalar with its own flag, so relaxed
// accesses are enough: no second location has to be ordered (PROOFS.md).
#ifndef WF_LOOKBACK_CUH
#define WF_LOOKBACK_CUH

#include "wf_ops.cuh"

#ifndef WF_LOOKBACK_PATIENCE
#define WF_LOOKBACK_PATIENCE 4096 // polls before a tile adds up for itself
#endif
#define WF_SCANNER_PATIENCE 262144 // polls before the scanner gives up

#define WF_NO_TILE 0xffffffffu

template <class Acc> struct wf_entry {
    static const int pieces = sizeof(Acc) / 4;
    unsigned long long piece[pieces]; // high half 1: the low half is that piece of the value
};

// Head of the temporary storage, before the entries; zero, like them, when the kernel starts.
struct wf_lookback_head {
    unsigned ticket;
    unsigned started; // blocks that stay: the second to start becomes the scanner
    unsigned unused[2];
};

// own[t] is tile t's sum, before[t] the sum of all tiles before it (only with a scanner).
// Direct, 32 or 64: up to so many tiles need no scanner.
template <class Acc, int Direct = 32> struct wf_lookback {
    struct wf_lookback_head *head;
    wf_entry<Acc> *own, *before;
    unsigned tiles;
};

template <class Acc, int Direct>
static __host__ __device__ __forceinline__ bool wf_lookback_scanned(const wf_lookback<Acc, Direct> &lb)
{
    return lb.tiles > (unsigned)Direct;
}

// Temporary storage for so many tiles.
template <class Acc, int Direct> static inline size_t wf_lookback_bytes(uint64_t tiles)
{
    return wf_round_up(sizeof(struct wf_lookback_head) +
                           (size_t)tiles * (tiles > Direct ? 2 : 1) * sizeof(wf_entry<Acc>),
                       16);
}

template <class Acc, int Direct>
static inline struct wf_lookback<Acc, Direct> wf_lookback_place(void *temp, uint64_t tiles)
{
    struct wf_lookback<Acc, Direct> lb;
    lb.head = (struct wf_lookback_head *)temp;
    lb.own = (wf_entry<Acc> *)(lb.head + 1);
    lb.before = lb.own + tiles;
    lb.tiles = (unsigned)tiles;
    return lb;
}

template <class Acc> WF_DEVICE void wf_entry_publish(wf_entry<Acc> *e, const Acc &value)
{
    wf_words<Acc> w;
    w.value = value;
#pragma unroll
    for (int i = 0; i < wf_entry<Acc>::pieces; i++)
        wf_store_relaxed64(&e->piece[i], 1ull << 32 | w.word[i]);
}

// One look at an entry. The value is whole only if all pieces are there.
template <class Acc> struct wf_look {
    unsigned long long raw[wf_entry<Acc>::pieces];
    __device__ __forceinline__ void at(const wf_entry<Acc> *e)
    {
#pragma unroll
        for (int i = 0; i < wf_entry<Acc>::pieces; i++)
            raw[i] = wf_load_relaxed64(&e->piece[i]);
    }
    __device__ __forceinline__ bool ready() const
    {
        bool all = true;
#pragma unroll
        for (int i = 0; i < wf_entry<Acc>::pieces; i++)
            all = all && (raw[i] >> 32) != 0;
        return all;
    }
    __device__ __forceinline__ Acc value() const
    {
        wf_words<Acc> w;
#pragma unroll
        for (int i = 0; i < wf_entry<Acc>::pieces; i++)
            w.word[i] = (unsigned)raw[i];
        return w.value;
    }
};

template <class Acc> WF_DEVICE Acc wf_entry_wait(const wf_entry<Acc> *e)
{
    wf_look<Acc> look;
    do
        look.at(e);
    while (!look.ready());
    return look.value();
}

// Inclusive scans over the lanes of a whole warp, N of them side by side.
template <class Op, int N>
WF_DEVICE void wf_scan_lanes(const Op &op, typename Op::acc_type (&a)[N])
{
    const typename Op::acc_type none = op.identity();
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2)
#pragma unroll
        for (int i = 0; i < N; i++)
            a[i] = op.combine(wf_shfl_up_or(WF_FULL_MASK, a[i], step, none), a[i]);
}

// Inclusive scan, over the lanes of a whole warp, of the own sums of the 32 tiles from `first` on
// that stand before `end`. Waits for them.
template <class Op, int Direct>
WF_DEVICE typename Op::acc_type wf_lookback_group(const Op &op, unsigned first, unsigned end,
                                                  const wf_lookback<typename Op::acc_type, Direct> &lb)
{
    const unsigned tile = first + wf_lane();
    typename Op::acc_type a[1] = {op.identity()};
    if (tile < end)
        a[0] = wf_entry_wait(lb.own + tile);
    __syncwarp();
    wf_scan_lanes(op, a);
    return a[0];
}

// The sum of all tiles before `tile`, found without the scanner: on from the newest group of 32 whose
// running sum is known. Every lane of one whole warp calls and gets the result. Waits for lower tiles
// only; tile numbers come from a ticket, so a lower one is held by a block that runs already.
template <class Op, int Direct>
WF_DEVICE typename Op::acc_type wf_lookback_alone(const Op &op, unsigned tile,
                                                  const wf_lookback<typename Op::acc_type, Direct> &lb)
{
    typedef typename Op::acc_type acc_type;
    unsigned group = tile / 32;
    acc_type running = op.identity();
    for (; group > 0; group--) {
        wf_look<acc_type> look;
        look.at(lb.before + group * 32);
        if (__any_sync(WF_FULL_MASK, look.ready())) { // the lanes may have read different moments
            running = wf_entry_wait(lb.before + group * 32);
            break;
        }
    }
    for (; group < tile / 32; group++) {
        acc_type sum = wf_lookback_group(op, group * 32, lb.tiles, lb);
        running = op.combine(running, wf_shfl(WF_FULL_MASK, sum, 31));
        if (wf_lane() == 0) // the very bits the scanner would publish
            wf_entry_publish(lb.before + (group + 1) * 32, running);
    }
    // Lane by lane the same sums as the scanner's: a lane's scan depends on lower lanes only.
    acc_type sum = wf_lookback_group(op, group * 32, tile, lb);
    acc_type mine = wf_shfl(WF_FULL_MASK, sum, (tile - 1) & 31);
    return tile & 31 ? op.combine(running, mine) : running;
}

// The same where there is no scanner, thus at most 64 tiles: both groups are read side by side.
template <class Op, int Direct>
WF_DEVICE typename Op::acc_type wf_lookback_few(const Op &op, unsigned tile,
                                                const wf_lookback<typename Op::acc_type, Direct> &lb)
{
    typedef typename Op::acc_type acc_type;
    const unsigned lane = wf_lane();
    wf_look<acc_type> low, high;
    acc_type a[2] = {op.identity(), op.identity()};
    if (lane < tile)
        low.at(lb.own + lane);
    if (lane + 32 < tile)
        high.at(lb.own + lane + 32);
    if (lane < tile) {
        while (!low.ready())
            low.at(lb.own + lane);
        a[0] = low.value();
    }
    if (lane + 32 < tile) {
        while (!high.ready())
            high.at(lb.own + lane + 32);
        a[1] = high.value();
    }
    __syncwarp();
    wf_scan_lanes(op, a);
    const acc_type group = wf_shfl(WF_FULL_MASK, a[0], tile < 32 ? (tile - 1) & 31 : 31);
    const acc_type part = wf_shfl(WF_FULL_MASK, a[1], (tile - 1) & 31);
    if (tile == 0)
        return op.identity();
    return tile > 32 ? op.combine(group, part) : group;
}

// The sum of all tiles before `tile`; every lane of one whole warp calls and gets the result.
template <class Op, int Direct>
WF_DEVICE typename Op::acc_type wf_lookback_before(const Op &op, unsigned tile,
                                                   const wf_lookback<typename Op::acc_type, Direct> &lb)
{
    typedef typename Op::acc_type acc_type;
    if (!wf_lookback_scanned(lb))
        return Direct > 32 ? wf_lookback_few(op, tile, lb) : wf_lookback_alone(op, tile, lb);
    wf_look<acc_type> look;
    bool ready = false;
    acc_type a = op.identity();
    if (wf_lane() == 0) {
        for (int i = 0; !ready && i < WF_LOOKBACK_PATIENCE; i++) {
            look.at(lb.before + tile);
            ready = look.ready();
        }
        if (ready)
            a = look.value();
    }
    if (__any_sync(WF_FULL_MASK, ready))
        return wf_shfl(WF_FULL_MASK, a, 0);
    return wf_lookback_alone(op, tile, lb);
}

// The scanner. Every thread of one whole block calls. Warp w takes groups w, w + warps, ... of 32
// tiles; the running sum goes from warp to warp through shared memory, each piece in one scalar with
// the number of the group it is for. A slot is written again only after the running sum has passed
// through its reader. Every wait is bounded: where the scanner is the only block that runs, it gives
// up, and the tiles add up for themselves.
template <class Op, int Direct>
WF_DEVICE void wf_lookback_serve(const Op &op, const wf_lookback<typename Op::acc_type, Direct> &lb)
{
    typedef typename Op::acc_type acc_type;
    const int pieces = wf_entry<acc_type>::pieces;
    __shared__ unsigned long long carry[32][pieces];
    const unsigned lane = wf_lane(), warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned to = warp + 1 == warps ? 0 : warp + 1; // slot w is read by warp w
    if (lane < pieces)
        carry[warp][lane] = 0;
    __syncthreads();
    const unsigned groups = (lb.tiles + 31) / 32;
    wf_look<acc_type> look; // at this lane's tile of the warp's next group
    if (warp * 32 + lane < lb.tiles)
        look.at(lb.own + warp * 32 + lane);
    for (unsigned group = warp; group < groups; group += warps) {
        const unsigned tile = group * 32 + lane, ahead = tile + warps * 32;
        wf_words<acc_type> running; // the sum of the groups before; known says whether it is there
        running.value = op.identity();
        acc_type a[1] = {op.identity()};
        bool ready = tile >= lb.tiles, known = group == 0;
        unsigned summed = 0, told = 0; // lanes whose sums are scanned; lanes that have published
        for (int i = 0; told <= 32; i++) {
            if (i >= WF_SCANNER_PATIENCE)
                return;
            if (!ready)
                ready = look.ready();
            const unsigned missing = ~__ballot_sync(WF_FULL_MASK, ready);
            const unsigned upto = missing ? __ffs((int)missing) - 1 : 32; // sums of lanes below are there
            if (!ready)
                look.at(lb.own + tile);
            if (upto > summed) { // a lane's scan depends on lower lanes only: what is there can be told
                a[0] = ready && tile < lb.tiles ? look.value() : op.identity();
                wf_scan_lanes(op, a);
                summed = upto;
            }
            while (!known && i < WF_SCANNER_PATIENCE) {
                bool all = true;
#pragma unroll
                for (int j = 0; j < pieces; j++) {
                    const unsigned long long raw = wf_load_relaxed_block64(&carry[warp][j]);
                    all = all && (unsigned)(raw >> 32) == group;
                    running.word[j] = (unsigned)raw;
                }
                known = __all_sync(WF_FULL_MASK, all);
                if (missing)
                    break; // look for them too
                i++;
            }
            if (!known || upto < told)
                continue;
            if (upto == 32 && lane == 31) {
                wf_words<acc_type> next;
                next.value = op.combine(running.value, a[0]);
#pragma unroll
                for (int j = 0; j < pieces; j++)
                    wf_store_relaxed_block64(&carry[to][j],
                                             (unsigned long long)(group + 1) << 32 | next.word[j]);
            }
            const acc_type before = wf_shfl_up_or(WF_FULL_MASK, a[0], 1, op.identity());
            if (tile < lb.tiles && lane >= told && lane <= upto)
                wf_entry_publish(lb.before + tile, op.combine(running.value, before));
            told = upto + 1;
        }
        if (ahead < lb.tiles)
            look.at(lb.own + ahead);
    }
}

// First thing in a kernel of blocks with one tile each: this block's tile, or WF_NO_TILE if there is
// nothing left to do. Every thread calls. Who draws ticket 1 is the scanner and has done its work here.
template <class Op, int Direct>
WF_DEVICE unsigned wf_lookback_take(const Op &op, const wf_lookback<typename Op::acc_type, Direct> &lb)
{
    __shared__ unsigned drawn;
    if (threadIdx.x == 0)
        drawn = wf_add_relaxed(&lb.head->ticket, 1);
    __syncthreads();
    const unsigned ticket = drawn;
    if (!wf_lookback_scanned(lb) || ticket == 0)
        return ticket;
    if (ticket > 1)
        return ticket - 1;
    wf_lookback_serve(op, lb);
    return WF_NO_TILE;
}

// Blocks to launch, one a tile and the scanner.
template <class Acc, int Direct> static inline unsigned wf_lookback_grid(const wf_lookback<Acc, Direct> &lb)
{
    return lb.tiles + wf_lookback_scanned(lb);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back over a fixed radix-32 tree: how a tile of a single-pass scan learns the sum of
// all tiles before it. Level 0 holds one entry a tile, level k one entry per 32^k tiles. Tile t adds
// the entries before it in its own group of 32 at every level; the last tile of a full group
// publishes the group's sum one level up. Which entries are added, and in which order, depends on t
// alone, so a float scan has the same bits on every run; nobody waits along a chain of tiles.
// An entry is written once. Each 32-bit piece of its value shares one 64-bit scalar with its own
// ready flag, so relaxed accesses are enough: no second location has to be ordered (PROOFS.md).
#ifndef WF_LOOKBACK_CUH
#define WF_LOOKBACK_CUH

#include "wf_ops.cuh"

#define WF_LOOKBACK_LEVELS 6 // 32^6 tiles

// Entries of all levels, level 0 first; level_start[k] is where level k begins.
struct wf_lookback_map {
    unsigned levels;
    uint64_t start[WF_LOOKBACK_LEVELS];
};

static inline uint64_t wf_lookback_layout(struct wf_lookback_map *map, uint64_t tiles)
{
    uint64_t total = 0, count = tiles;
    unsigned k = 0;
    while (count > 0 && k < WF_LOOKBACK_LEVELS) {
        map->start[k++] = total;
        total += wf_round_up(count, 32);
        count = count > 32 ? count / 32 : 0;
    }
    map->levels = k;
    for (; k < WF_LOOKBACK_LEVELS; k++)
        map->start[k] = 0;
    return total;
}

template <class Acc> struct wf_entry {
    static const int pieces = sizeof(Acc) / 4;
    unsigned long long piece[pieces]; // high half 1: the low half is that piece of the value
};

template <class Acc> WF_DEVICE void wf_entry_publish(wf_entry<Acc> *e, const Acc &value)
{
    wf_words<Acc> w;
    w.value = value;
#pragma unroll
    for (int i = 0; i < wf_entry<Acc>::pieces; i++)
        wf_store_relaxed64(&e->piece[i], 1ull << 32 | w.word[i]);
}

template <class Acc>
WF_DEVICE void wf_entry_read(const wf_entry<Acc> *e, unsigned long long (&raw)[sizeof(Acc) / 4])
{
#pragma unroll
    for (int i = 0; i < wf_entry<Acc>::pieces; i++)
        raw[i] = wf_load_relaxed64(&e->piece[i]);
}

template <class Acc> WF_DEVICE bool wf_entry_ready(const unsigned long long (&raw)[sizeof(Acc) / 4])
{
    bool ready = true;
#pragma unroll
    for (int i = 0; i < wf_entry<Acc>::pieces; i++)
        ready = ready && (raw[i] >> 32) != 0;
    return ready;
}

// Sum of all tiles before `tile`. Every lane of one whole warp calls, with this tile's own sum in
// `own` (published here); every lane gets the result. Waits only for tiles with lower numbers, so
// the caller's numbers must come from a ticket: a lower ticket is held by a block already running.
template <class Op>
WF_DEVICE typename Op::acc_type wf_lookback(const Op &op, typename Op::acc_type own, uint64_t tile,
                                            const struct wf_lookback_map &map,
                                            wf_entry<typename Op::acc_type> *entries)
{
    typedef typename Op::acc_type acc_type;
    const unsigned lane = wf_lane();
    if (lane == 0)
        wf_entry_publish(&entries[tile], own);

    unsigned long long raw[WF_LOOKBACK_LEVELS][sizeof(acc_type) / 4];
#pragma unroll
    for (int k = 0; k < WF_LOOKBACK_LEVELS; k++) {
        const uint64_t index = tile >> (5 * k);
        if (k < map.levels && lane < (index & 31))
            wf_entry_read(&entries[map.start[k] + (index & ~31ull) + lane], raw[k]);
    }
    acc_type level_sum[WF_LOOKBACK_LEVELS];
    bool closes = true; // this tile is the last of its group on every level below k
#pragma unroll
    for (int k = 0; k < WF_LOOKBACK_LEVELS; k++) {
        level_sum[k] = op.identity();
        if (k >= map.levels)
            continue;
        const uint64_t index = tile >> (5 * k);
        const unsigned before = index & 31;
        wf_words<acc_type> w;
        w.value = op.identity();
        if (lane < before) {
            while (!wf_entry_ready<acc_type>(raw[k]))
                wf_entry_read(&entries[map.start[k] + (index & ~31ull) + lane], raw[k]);
#pragma unroll
            for (int i = 0; i < wf_entry<acc_type>::pieces; i++)
                w.word[i] = (unsigned)raw[k][i];
        }
        __syncwarp();
        acc_type a = w.value;
#pragma unroll
        for (unsigned step = 1; step < 32; step *= 2)
            a = op.combine(a, wf_shfl_down(WF_FULL_MASK, a, step));
        level_sum[k] = wf_shfl(WF_FULL_MASK, a, 0);
        closes = closes && before == 31;
        if (closes) {
            own = op.combine(level_sum[k], own);
            if (lane == 0 && k + 1 < map.levels)
                wf_entry_publish(&entries[map.start[k + 1] + (index >> 5)], own);
        }
    }
    acc_type sum = level_sum[WF_LOOKBACK_LEVELS - 1];
#pragma unroll
    for (int k = WF_LOOKBACK_LEVELS - 2; k >= 0; k--)
        sum = op.combine(sum, level_sum[k]);
    return sum;
}

#endif

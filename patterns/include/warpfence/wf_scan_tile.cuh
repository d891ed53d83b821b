// SPDX-License-Identifier: Apache-2.0
// A tile of a scan: how it is cut among threads, how a warp loads its piece, scans it in registers and
// writes it. Here the order in which values are combined within a tile is fixed, for every kernel.
#ifndef WF_SCAN_TILE_CUH
#define WF_SCAN_TILE_CUH

#include "wf_lookback.cuh"

// How a tile is cut: threads that share it, 16-byte rows each holds, blocks a multiprocessor should hold.
template <int Threads, int Rows, int Blocks> struct wf_cut {
    static const int threads = Threads, rows = Rows, warps = Threads / 32, blocks = Blocks;
    static const unsigned bytes = Threads * Rows * 16;
};

// Warp w of a tile owns a contiguous piece, row by row, 16 bytes a lane. `at` is this lane's first
// element in the tile, `left` the number of elements from the tile's start to the end of the array.
// Missing elements become the identity.
template <class Op, int Rows, bool Aligned>
WF_DEVICE void wf_scan_load(const Op &op,
                            typename Op::acc_type (&s)[Rows][wf_vec<typename Op::in_type>::count],
                            const typename Op::in_type *tile, unsigned at, uint64_t left)
{
    typedef typename Op::in_type in_type;
    const int vec = wf_vec<in_type>::count, row = 32 * vec;
    wf_vec<in_type> x[Rows];
    if (Aligned) {
#pragma unroll
        for (int r = 0; r < Rows; r++)
            if (at + r * row + vec <= left)
                x[r] = wf_load16(tile + at + r * row);
    }
#pragma unroll
    for (int r = 0; r < Rows; r++) {
        const unsigned k = at + r * row;
        if (Aligned && k + vec <= left) {
#pragma unroll
            for (int i = 0; i < vec; i++)
                s[r][i] = op.lift(x[r].v[i], 0);
        } else {
#pragma unroll
            for (int i = 0; i < vec; i++)
                s[r][i] = k + i < left ? op.lift(tile[k + i], 0) : op.identity();
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

// Writes one 16-byte row of a lane, its first element number k of the tile.
template <bool Aligned, class T>
WF_DEVICE void wf_scan_write(T *tile, unsigned k, uint64_t left, const wf_vec<T> &y)
{
    const int vec = wf_vec<T>::count;
    if (Aligned && k + vec <= left) {
        wf_store16(tile + k, y);
    } else {
#pragma unroll
        for (int i = 0; i < vec; i++)
            if (k + i < left)
                tile[k + i] = y.v[i];
    }
}

#endif

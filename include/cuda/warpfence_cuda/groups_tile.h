// SPDX-License-Identifier: Apache-2.0
// Groups inside a warp: tiles of a fixed power of two, and coalesced groups of any lanes.
#ifndef WF_CUDA_GROUPS_TILE_H
#define WF_CUDA_GROUPS_TILE_H

#include "groups_base.h"

namespace cooperative_groups
{
// Any set of lanes of a warp; ranks count the set's lanes from below.
class coalesced_group
{
  public:
    WF_MEM explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0,
                                    unsigned int meta_size = 1)
        : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    WF_MEM void sync() const
    {
        __syncwarp(mask_);
    }
    WF_MEM unsigned int size() const
    {
        return (unsigned int)__popc(mask_);
    }
    WF_MEM unsigned int num_threads() const
    {
        return size();
    }
    WF_MEM unsigned int thread_rank() const
    {
        return (unsigned int)__popc(mask_ & wf_detail::lanes_below());
    }
    WF_MEM unsigned int meta_group_rank() const
    {
        return meta_rank_;
    }
    WF_MEM unsigned int meta_group_size() const
    {
        return meta_size_;
    }
    WF_MEM unsigned int wf_mask() const
    {
        return mask_;
    }
    WF_MEM unsigned int wf_lane_of(unsigned int rank) const
    {
        return mask_ == 0xffffffffu ? rank : __fns(mask_, 0, (int)rank + 1);
    }
    template <class T> WF_MEM T shfl(T v, unsigned int rank) const
    {
        return wf_detail::move<wf_detail::idx>(mask_, v, (int)wf_lane_of(rank % size()), 32);
    }
    template <class T> WF_MEM T shfl_down(T v, unsigned int delta) const
    {
        unsigned int rank = thread_rank() + delta;
        unsigned int from = rank < size() ? wf_lane_of(rank) : wf_detail::lane();
        return wf_detail::move<wf_detail::idx>(mask_, v, (int)from, 32);
    }
    template <class T> WF_MEM T shfl_up(T v, unsigned int delta) const
    {
        unsigned int rank = thread_rank();
        unsigned int from = rank >= delta ? wf_lane_of(rank - delta) : wf_detail::lane();
        return wf_detail::move<wf_detail::idx>(mask_, v, (int)from, 32);
    }
    WF_MEM int any(int p) const
    {
        return __ballot_sync(mask_, p) != 0;
    }
    WF_MEM int all(int p) const
    {
        return __ballot_sync(mask_, p) == mask_;
    }
    WF_MEM unsigned int ballot(int p) const
    {
        return pack(__ballot_sync(mask_, p));
    }
    template <class T> WF_MEM unsigned int match_any(T v) const
    {
        return pack(__match_any_sync(mask_, v));
    }
    template <class T> WF_MEM unsigned int match_all(T v, int &p) const
    {
        return pack(__match_all_sync(mask_, v, &p));
    }
    WF_MEM operator thread_group() const
    {
        return thread_group(false, mask_);
    }

  private:
    // Bits by lane to bits by rank.
    WF_MEM unsigned int pack(unsigned int lanes) const
    {
        if (mask_ == 0xffffffffu)
            return lanes;
        unsigned int r = 0, bit = 0;
        for (unsigned int left = mask_; left; left &= left - 1, bit++)
            r |= (lanes & left & (0u - left) ? 1u : 0u) << bit;
        return r;
    }
    unsigned int mask_, meta_rank_, meta_size_;
};
WF_DEV coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

template <unsigned int Size, class Parent = void> class thread_block_tile
{
    static_assert(Size && (Size & (Size - 1)) == 0, "a tile's size is a power of two");
    static_assert(Size <= 32, "a tile has at most 512 threads");

  public:
    WF_MEM thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
        : meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    static WF_MEM unsigned int wf_mask()
    {
        if constexpr (Size == 32)
            return 0xffffffffu;
        else
            return ((1u << Size) - 1u) << (wf_detail::lane() & ~(Size - 1u));
    }
    static WF_MEM void sync()
    {
        __syncwarp(wf_mask());
    }
    static WF_MEM unsigned int thread_rank()
    {
        return wf_detail::thread_in_block() & (Size - 1);
    }
    static constexpr WF_MEM unsigned int size()
    {
        return Size;
    }
    static constexpr WF_MEM unsigned int num_threads()
    {
        return Size;
    }
    WF_MEM unsigned int meta_group_rank() const
    {
        return meta_rank_;
    }
    WF_MEM unsigned int meta_group_size() const
    {
        return meta_size_;
    }
    template <class T> static WF_MEM T shfl(T v, int rank)
    {
        return wf_detail::move<wf_detail::idx>(wf_mask(), v, rank, Size);
    }
    template <class T> static WF_MEM T shfl_down(T v, unsigned int delta)
    {
        return wf_detail::move<wf_detail::down>(wf_mask(), v, (int)delta, Size);
    }
    template <class T> static WF_MEM T shfl_up(T v, unsigned int delta)
    {
        return wf_detail::move<wf_detail::up>(wf_mask(), v, (int)delta, Size);
    }
    template <class T> static WF_MEM T shfl_xor(T v, unsigned int mask)
    {
        return wf_detail::move<wf_detail::bfly>(wf_mask(), v, (int)mask, Size);
    }
    static WF_MEM int any(int p)
    {
        return __ballot_sync(wf_mask(), p) != 0;
    }
    static WF_MEM int all(int p)
    {
        return __ballot_sync(wf_mask(), p) == wf_mask();
    }
    static WF_MEM unsigned int ballot(int p)
    {
        return pack(__ballot_sync(wf_mask(), p));
    }
    template <class T> static WF_MEM unsigned int match_any(T v)
    {
        return pack(__match_any_sync(wf_mask(), v));
    }
    template <class T> static WF_MEM unsigned int match_all(T v, int &p)
    {
        return pack(__match_all_sync(wf_mask(), v, &p));
    }
    WF_MEM operator thread_group() const
    {
        return thread_group(false, wf_mask());
    }
    WF_MEM operator thread_block_tile<Size, void>() const
    {
        return thread_block_tile<Size, void>(meta_rank_, meta_size_);
    }

  private:
    static WF_MEM unsigned int pack(unsigned int lanes)
    {
        if constexpr (Size == 32)
            return lanes;
        else
            return lanes >> (wf_detail::lane() & ~(Size - 1u)) & ((1u << Size) - 1u);
    }
    unsigned int meta_rank_, meta_size_;
};

template <unsigned int Size>
WF_DEV thread_block_tile<Size, thread_block> tiled_partition(const thread_block &)
{
    return thread_block_tile<Size, thread_block>(wf_detail::thread_in_block() / Size,
                                                 (wf_detail::block_threads() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int Outer, class P>
WF_DEV thread_block_tile<Size, thread_block_tile<Outer, P>>
tiled_partition(const thread_block_tile<Outer, P> &outer)
{
    static_assert(Size <= Outer, "a tile cannot be larger than what it is cut from");
    return thread_block_tile<Size, thread_block_tile<Outer, P>>(outer.thread_rank() / Size,
                                                                Outer / Size);
}
// A size known at run time only. Of a block: consecutive lanes; of a coalesced group: consecutive
// ranks.
WF_DEV coalesced_group tiled_partition(const coalesced_group &g, unsigned int size)
{
    unsigned int first = g.thread_rank() / size * size, mask = 0;
    for (unsigned int r = first; r < first + size && r < g.size(); r++)
        mask |= 1u << g.wf_lane_of(r);
    return coalesced_group(mask, first / size, (g.size() + size - 1) / size);
}
WF_DEV coalesced_group tiled_partition(const thread_group &g, unsigned int size)
{
    if (!g.wf_is_block())
        return tiled_partition(coalesced_group(g.wf_mask()), size);
    unsigned int first = wf_detail::lane() / size * size;
    unsigned int mask = (size >= 32 ? 0xffffffffu : (1u << size) - 1u) << first;
    unsigned int warp_start = wf_detail::thread_in_block() - wf_detail::lane();
    unsigned int threads = wf_detail::block_threads() - warp_start; // the last warp may be short
    if (threads < 32)
        mask &= (1u << threads) - 1u;
    return coalesced_group(mask, wf_detail::thread_in_block() / size,
                           (wf_detail::block_threads() + size - 1) / size);
}

// Lanes with equal labels; lanes on which a predicate holds, and the others.
template <class G, class Label> WF_DEV coalesced_group labeled_partition(const G &g, Label label)
{
    unsigned int all = g.wf_mask(), same = __match_any_sync(all, label);
    unsigned int rank = 0, count = 0, mine = (unsigned int)__ffs((int)same);
    for (unsigned int left = all; left;) { // a group's number is the order of its first lane
        unsigned int lane = (unsigned int)__ffs((int)left) - 1;
        unsigned int theirs = __shfl_sync(all, same, (int)lane);
        count++;
        rank += lane + 1 < mine;
        left &= ~theirs;
    }
    return coalesced_group(same, rank, count);
}
template <class G> WF_DEV coalesced_group binary_partition(const G &g, bool predicate)
{
    unsigned int yes = __ballot_sync(g.wf_mask(), predicate);
    return coalesced_group(predicate ? yes : g.wf_mask() & ~yes, predicate, 2);
}

// One thread of the group calls f.
template <class G, class F, class... A> WF_DEV void invoke_one(const G &g, F &&f, A &&...args)
{
    if (g.thread_rank() == 0)
        static_cast<F &&>(f)(static_cast<A &&>(args)...);
}
template <unsigned int Size, class P, class F, class... A>
WF_DEV void invoke_one(const thread_block_tile<Size, P> &g, F &&f, A &&...args)
{
    unsigned int is_elected;
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.b32 %0, 1, 0, p; }"
                 : "=r"(is_elected)
                 : "r"(g.wf_mask())
                 : "memory");
    if (is_elected)
        static_cast<F &&>(f)(static_cast<A &&>(args)...);
}
template <class G, class F, class... A>
WF_DEV auto invoke_one_broadcast(const G &g, F &&f, A &&...args)
    -> decltype(static_cast<F &&>(f)(static_cast<A &&>(args)...))
{
    decltype(static_cast<F &&>(f)(static_cast<A &&>(args)...)) r{};
    if (g.thread_rank() == 0)
        r = static_cast<F &&>(f)(static_cast<A &&>(args)...);
    return g.shfl(r, 0);
}
} // namespace cooperative_groups

#endif

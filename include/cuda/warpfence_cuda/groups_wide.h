// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 to 512 threads. Their warps meet at counters in the shared memory that the device keeps for such
// purposes, which is zero when a block starts; values travel through an array in shared memory.
#ifndef WF_CUDA_GROUPS_WIDE_H
#define WF_CUDA_GROUPS_WIDE_H

#include "groups_tile.h"

namespace cooperative_groups
{
// nvcc needs memory for such tiles on older devices; here there is always some.
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    unsigned int wf_unused;
};
template <unsigned int N> WF_DEV thread_block this_thread_block(block_tile_memory<N> &)
{
    return thread_block();
}

namespace wf_detail
{
// Each thread's word, for whoever looks for it by rank.
WF_DEV unsigned int *tile_words()
{
    static __shared__ unsigned int words[1024];
    return words;
}
WF_DEV unsigned int tile_counter(unsigned int tile)
{
    unsigned int at;
    asm volatile("mov.u32 %0, %%reserved_smem_offset_begin;" : "=r"(at));
    return at + 4 * tile;
}

template <unsigned int Size> class wide_tile
{
  public:
    WF_MEM wide_tile(unsigned int meta_rank, unsigned int meta_size) : meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    // The last warp of a round ends it: every warp adds one, and waits for the next multiple of their number.
    static WF_MEM void sync()
    {
        __syncwarp();
        if (lane() == 0) {
            unsigned int at = tile_counter(thread_in_block() / Size), mine, now;
            asm volatile("atom.acq_rel.cta.shared.add.u32 %0, [%1], 1;" : "=r"(mine) : "r"(at) : "memory");
            unsigned int until = (mine / (Size / 32) + 1) * (Size / 32);
            do
                asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(now) : "r"(at) : "memory");
            while ((int)(now - until) < 0);
        }
        __syncwarp();
    }
    static WF_MEM unsigned int thread_rank()
    {
        return thread_in_block() & (Size - 1);
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
        static_assert(__is_trivially_copyable(T), "only trivially copyable values can be shuffled");
        constexpr int n = (sizeof(T) + 3) / 4;
        unsigned int w[n] = {}, self = thread_in_block(), first = self & ~(Size - 1);
        __builtin_memcpy(w, &v, sizeof(T));
#pragma unroll
        for (int i = 0; i < n; i++) {
            tile_words()[self] = w[i];
            sync();
            w[i] = tile_words()[first + ((unsigned int)rank & (Size - 1))];
            sync();
        }
        __builtin_memcpy(&v, w, sizeof(T));
        return v;
    }
    static WF_MEM int any(int p)
    {
        return vote(__ballot_sync(0xffffffffu, p) != 0);
    }
    static WF_MEM int all(int p)
    {
        return !vote(__ballot_sync(0xffffffffu, p) != 0xffffffffu);
    }
    WF_MEM operator thread_group() const = delete; // such a group has no mask of lanes

  private:
    // Does one warp say yes?
    static WF_MEM int vote(bool yes)
    {
        unsigned int self = thread_in_block(), first = self & ~(Size - 1);
        int any = 0;
        tile_words()[self] = yes;
        sync();
#pragma unroll
        for (unsigned int w = 0; w < Size; w += 32)
            any |= tile_words()[first + w] != 0;
        sync();
        return any;
    }
    unsigned int meta_rank_, meta_size_;
};
} // namespace wf_detail

#define WF_WIDE_TILE(n)                                                                                                \
    template <> class thread_block_tile<n, void> : public wf_detail::wide_tile<n>                                      \
    {                                                                                                                  \
      public:                                                                                                          \
        using wf_detail::wide_tile<n>::wide_tile;                                                                      \
    };                                                                                                                 \
    template <class Parent> class thread_block_tile<n, Parent> : public wf_detail::wide_tile<n>                        \
    {                                                                                                                  \
      public:                                                                                                          \
        using wf_detail::wide_tile<n>::wide_tile;                                                                      \
        WF_MEM operator thread_block_tile<n, void>() const                                                             \
        {                                                                                                              \
            return thread_block_tile<n, void>(this->meta_group_rank(), this->meta_group_size());                       \
        }                                                                                                              \
    };
WF_WIDE_TILE(64)
WF_WIDE_TILE(128)
WF_WIDE_TILE(256)
WF_WIDE_TILE(512)
#undef WF_WIDE_TILE
} // namespace cooperative_groups

#endif

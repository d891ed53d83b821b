// SPDX-License-Identifier: Apache-2.0
// Blocks, and the untyped thread_group that every kind of group turns into.
#ifndef WF_CUDA_GROUPS_BASE_H
#define WF_CUDA_GROUPS_BASE_H

#include "../cuda_runtime.h"

namespace cooperative_groups
{
namespace wf_detail
{
WF_DEV unsigned int lane()
{
    unsigned int r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
WF_DEV unsigned int lanes_below()
{
    unsigned int r;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    return r;
}
WF_DEV unsigned int block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
WF_DEV unsigned int thread_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WF_DEV void block_sync()
{
    asm volatile("barrier.sync 0;" ::: "memory");
}

// Shuffles of any trivially copyable type, word by word.
enum shuffle { idx, up, down, bfly };
template <shuffle Kind>
WF_DEV unsigned int move_word(unsigned int mask, unsigned int v, int by, int width)
{
    if constexpr (Kind == idx)
        return __shfl_sync(mask, v, by, width);
    else if constexpr (Kind == up)
        return __shfl_up_sync(mask, v, by, width);
    else if constexpr (Kind == down)
        return __shfl_down_sync(mask, v, by, width);
    else
        return __shfl_xor_sync(mask, v, by, width);
}
template <shuffle Kind, class T> WF_DEV T move(unsigned int mask, T value, int by, int width)
{
    static_assert(__is_trivially_copyable(T), "only trivially copyable values can be shuffled");
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned int w[words] = {};
    __builtin_memcpy(w, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < words; i++)
        w[i] = move_word<Kind>(mask, w[i], by, width);
    __builtin_memcpy(&value, w, sizeof(T));
    return value;
}
} // namespace wf_detail

// Which barrier a group meets at: the block's, or that of the lanes in a mask.
class thread_group
{
  public:
    WF_MEM thread_group(bool is_block, unsigned int mask) : is_block_(is_block), mask_(mask)
    {
    }
    WF_MEM void sync() const
    {
        if (is_block_)
            wf_detail::block_sync();
        else
            __syncwarp(mask_);
    }
    WF_MEM unsigned int size() const
    {
        return is_block_ ? wf_detail::block_threads() : (unsigned int)__popc(mask_);
    }
    WF_MEM unsigned int num_threads() const
    {
        return size();
    }
    WF_MEM unsigned int thread_rank() const
    {
        return is_block_ ? wf_detail::thread_in_block()
                         : (unsigned int)__popc(mask_ & wf_detail::lanes_below());
    }
    WF_MEM bool is_valid() const
    {
        return true;
    }
    WF_MEM bool wf_is_block() const
    {
        return is_block_;
    }
    WF_MEM unsigned int wf_mask() const
    {
        return mask_;
    }

  private:
    bool is_block_;
    unsigned int mask_;
};

class thread_block
{
  public:
    struct arrival_token {
    };
    static WF_MEM void sync()
    {
        wf_detail::block_sync();
    }
    // As with nvcc, arriving already waits.
    [[nodiscard]] static WF_MEM arrival_token barrier_arrive()
    {
        wf_detail::block_sync();
        return {};
    }
    static WF_MEM void barrier_wait(arrival_token &&)
    {
    }
    static WF_MEM unsigned int thread_rank()
    {
        return wf_detail::thread_in_block();
    }
    static WF_MEM unsigned int size()
    {
        return wf_detail::block_threads();
    }
    static WF_MEM unsigned int num_threads()
    {
        return size();
    }
    static WF_MEM dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static WF_MEM dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static WF_MEM dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static WF_MEM dim3 dim_threads()
    {
        return group_dim();
    }
    WF_MEM operator thread_group() const
    {
        return thread_group(true, 0xffffffffu);
    }
};
WF_DEV thread_block this_thread_block()
{
    return thread_block();
}

template <class G> WF_DEV void sync(const G &g)
{
    g.sync();
}
template <class G> WF_DEV unsigned long long thread_rank(const G &g)
{
    return g.thread_rank();
}
template <class G> WF_DEV unsigned long long group_size(const G &g)
{
    return g.size();
}
} // namespace cooperative_groups

#endif

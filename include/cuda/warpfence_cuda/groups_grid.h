// SPDX-License-Identifier: Apache-2.0
// The grid of a cooperative launch, and clusters of blocks.
#ifndef WF_CUDA_GROUPS_GRID_H
#define WF_CUDA_GROUPS_GRID_H

#include "groups_base.h"

namespace cooperative_groups
{
namespace wf_detail
{
#define WF_READ(name, reg)                                                                         \
    WF_DEV unsigned int name()                                                                     \
    {                                                                                              \
        unsigned int r;                                                                            \
        asm volatile("mov.u32 %0, %%" reg ";" : "=r"(r));                                          \
        return r;                                                                                  \
    }
WF_READ(envreg1, "envreg1")
WF_READ(envreg2, "envreg2")
WF_READ(cluster_rank, "cluster_ctarank")
WF_READ(cluster_count, "cluster_nctarank")
WF_READ(cluster_x, "cluster_ctaid.x")
WF_READ(cluster_y, "cluster_ctaid.y")
WF_READ(cluster_z, "cluster_ctaid.z")
WF_READ(cluster_nx, "cluster_nctaid.x")
WF_READ(cluster_ny, "cluster_nctaid.y")
WF_READ(cluster_nz, "cluster_nctaid.z")
WF_READ(clusters_x, "nclusterid.x")
WF_READ(clusters_y, "nclusterid.y")
WF_READ(clusters_z, "nclusterid.z")
#undef WF_READ

// The grid's workspace: a size, then the barrier word. Null unless launched cooperatively.
WF_DEV unsigned long long workspace()
{
    return (unsigned long long)envreg1() << 32 | envreg2();
}
WF_DEV unsigned int blocks()
{
    return gridDim.x * gridDim.y * gridDim.z;
}

// Every block adds to the word so that all together add 2^31: its top bit turns over when the last
// one came.
WF_DEV unsigned int grid_arrive(unsigned long long word)
{
    bool is_first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    unsigned int add = is_first ? 0x80000000u - (blocks() - 1) : 1u, old;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(word), "r"(add)
                 : "memory");
    return old;
}
WF_DEV void grid_wait(unsigned long long word, unsigned int old)
{
    unsigned int now;
    do
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    while (((now ^ old) & 0x80000000u) == 0);
}
} // namespace wf_detail

class grid_group
{
  public:
    struct arrival_token {
        unsigned int old;
    };
    WF_MEM grid_group() : workspace_(wf_detail::workspace())
    {
    }
    WF_MEM bool is_valid() const
    {
        return workspace_ != 0;
    }
    WF_MEM void sync() const
    {
        if (!workspace_)
            __trap();
        wf_detail::block_sync();
        if (wf_detail::thread_in_block() == 0)
            wf_detail::grid_wait(workspace_ + 4, wf_detail::grid_arrive(workspace_ + 4));
        wf_detail::block_sync();
    }
    [[nodiscard]] WF_MEM arrival_token barrier_arrive() const
    {
        if (!workspace_)
            __trap();
        wf_detail::block_sync();
        arrival_token t = {0};
        if (wf_detail::thread_in_block() == 0)
            t.old = wf_detail::grid_arrive(workspace_ + 4);
        return t;
    }
    WF_MEM void barrier_wait(arrival_token &&t) const
    {
        if (wf_detail::thread_in_block() == 0)
            wf_detail::grid_wait(workspace_ + 4, t.old);
        wf_detail::block_sync();
    }
    static WF_MEM unsigned long long size()
    {
        return (unsigned long long)wf_detail::blocks() * wf_detail::block_threads();
    }
    static WF_MEM unsigned long long num_threads()
    {
        return size();
    }
    static WF_MEM unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static WF_MEM unsigned long long thread_rank()
    {
        return block_rank() * wf_detail::block_threads() + wf_detail::thread_in_block();
    }
    static WF_MEM unsigned long long num_blocks()
    {
        return wf_detail::blocks();
    }
    static WF_MEM dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static WF_MEM dim3 dim_blocks()
    {
        return group_dim();
    }
    static WF_MEM dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static WF_MEM dim3 dim_clusters()
    {
        return dim3(wf_detail::clusters_x(), wf_detail::clusters_y(), wf_detail::clusters_z());
    }

  private:
    unsigned long long workspace_;
};
WF_DEV grid_group this_grid()
{
    return grid_group();
}

class cluster_group
{
  public:
    struct arrival_token {
    };
    static WF_MEM void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    [[nodiscard]] static WF_MEM arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return {};
    }
    static WF_MEM void barrier_wait(arrival_token &&)
    {
        __cluster_barrier_wait();
    }
    static WF_MEM void barrier_wait()
    {
        __cluster_barrier_wait();
    }
    static WF_MEM unsigned int block_rank()
    {
        return wf_detail::cluster_rank();
    }
    static WF_MEM unsigned int num_blocks()
    {
        return wf_detail::cluster_count();
    }
    static WF_MEM unsigned int thread_rank()
    {
        return block_rank() * wf_detail::block_threads() + wf_detail::thread_in_block();
    }
    static WF_MEM unsigned int size()
    {
        return num_blocks() * wf_detail::block_threads();
    }
    static WF_MEM unsigned int num_threads()
    {
        return size();
    }
    static WF_MEM dim3 block_index()
    {
        return dim3(wf_detail::cluster_x(), wf_detail::cluster_y(), wf_detail::cluster_z());
    }
    static WF_MEM dim3 dim_blocks()
    {
        return dim3(wf_detail::cluster_nx(), wf_detail::cluster_ny(), wf_detail::cluster_nz());
    }
    static WF_MEM dim3 dim_threads()
    {
        return dim3(wf_detail::cluster_nx() * blockDim.x, wf_detail::cluster_ny() * blockDim.y,
                    wf_detail::cluster_nz() * blockDim.z);
    }
    // The same variable in the shared memory of another block; and whose variable an address is.
    template <class T> static WF_MEM T *map_shared_rank(T *p, int rank)
    {
        T *r;
        asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank));
        return r;
    }
    template <class T> static WF_MEM unsigned int query_shared_rank(const T *p)
    {
        unsigned int r;
        asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(p));
        return r;
    }
};
WF_DEV cluster_group this_cluster()
{
    return cluster_group();
}
} // namespace cooperative_groups

#endif

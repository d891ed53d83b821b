// SPDX-License-Identifier: Apache-2.0
// Up to 16 blocks that run together as one cluster and read each other's shared memory (sm_90; PTX ISA,
// "barrier.cluster" and "mapa"): no ticket, no memory to clear, one launch. The code of other targets is
// empty and must not be reached: a launcher asks wf_has_clusters() first.
#ifndef WF_CLUSTER_CUH
#define WF_CLUSTER_CUH

#include "wf_lookback.cuh"

#define WF_CLUSTER_BLOCKS 16 // more than 8 only where the GPU allows it: wf_launch_cluster says

// How a tile learns the sum of earlier tiles: there are none; from the blocks of its cluster; by look-back.
enum wf_link { WF_LINK_NONE, WF_LINK_CLUSTER, WF_LINK_LOOKBACK };

// Every thread of the cluster arrives, then waits: what was written before is read after.
WF_DEVICE void wf_cluster_arrive(void)
{
    WF_SM90_CODE(asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");)
}

WF_DEVICE void wf_cluster_wait(void)
{
    WF_SM90_CODE(asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");)
}

WF_DEVICE void wf_cluster_sync(void)
{
    wf_cluster_arrive();
    wf_cluster_wait();
}

// A 32-bit word of shared memory of block `rank` of the cluster; p is its place in this block.
WF_DEVICE unsigned wf_cluster_read(const unsigned *p, unsigned rank)
{
    unsigned v = 0;
    WF_SM90_CODE(asm volatile("{\n\t.reg .u32 a;\n\tmapa.shared::cluster.u32 a, %1, %2;\n\t"
                                 "ld.shared::cluster.u32 %0, [a];\n\t}"
                                 : "=r"(v)
                                 : "r"(wf_shared_at(p)), "r"(rank)
                                 : "memory");)
    return v;
}

// The sum of the blocks before `rank`, in the same order as wf_lookback_before. Every lane of one whole
// warp calls, after a cluster barrier that follows the writing of `own` in every block.
template <class Op>
WF_DEVICE typename Op::acc_type wf_cluster_before(const Op &op, unsigned rank,
                                                  const wf_words<typename Op::acc_type> *own)
{
    typedef typename Op::acc_type acc_type;
    acc_type a[1] = {op.identity()};
    if (wf_lane() < rank) {
        wf_words<acc_type> w;
#pragma unroll
        for (int i = 0; i < (int)(sizeof(acc_type) / 4); i++)
            w.word[i] = wf_cluster_read(&own->word[i], wf_lane());
        a[0] = w.value;
    }
    __syncwarp();
    wf_scan_lanes(op, a);
    const acc_type before = wf_shfl(WF_FULL_MASK, a[0], (rank - 1) & 31);
    return rank ? before : op.identity();
}

// Whether `kernel` was compiled with the instructions above. WF_NO_CLUSTERS: as if it was not.
static inline bool wf_has_clusters(const void *kernel)
{
#ifdef WF_NO_CLUSTERS
    (void)kernel;
    return false;
#else
    return wf_has_sm90(kernel);
#endif
}

// Launches one cluster of `blocks` blocks. *done is false where this GPU cannot hold such a cluster;
// then nothing was launched.
static inline cudaError_t wf_launch_cluster(const void *kernel, unsigned blocks, unsigned threads,
                                            cudaStream_t stream, void **args, bool *done)
{
    cudaLaunchAttribute cluster;
    cudaLaunchConfig_t config;
    int most = 0;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = 1;
    cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = 0;
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    *done = true;
    if (blocks > 8) { // beyond what every GPU with clusters holds (CUDA guide, "Thread Block Clusters")
        cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (status == cudaSuccess)
            status = cudaOccupancyMaxPotentialClusterSize(&most, kernel, &config);
        *done = status == cudaSuccess && most >= (int)blocks;
        if (!*done) {
            cudaGetLastError();
            return cudaSuccess;
        }
    }
    return cudaLaunchKernelExC(&config, kernel, args);
}

// Launches `tiles` tiles by the kernel of the link that fits, by enum wf_link. For look-back `clear` bytes of
// temp are cleared and `grid` blocks launched.
static inline cudaError_t wf_launch_linked(const void *const (&kernel)[3], uint64_t tiles, unsigned threads,
                                           void *temp, size_t clear, unsigned grid, cudaStream_t stream,
                                           void **args)
{
    cudaError_t status;
    if (tiles == 1)
        return cudaLaunchKernel(kernel[WF_LINK_NONE], dim3(1), dim3(threads), args, 0, stream);
    if (tiles <= WF_CLUSTER_BLOCKS && wf_has_clusters(kernel[WF_LINK_CLUSTER])) {
        bool done;
        status = wf_launch_cluster(kernel[WF_LINK_CLUSTER], (unsigned)tiles, threads, stream, args, &done);
        if (done)
            return status;
    }
    status = wf_clear(temp, clear, stream);
    return status != cudaSuccess
               ? status
               : wf_launch_next(kernel[WF_LINK_LOOKBACK], grid, threads, 0, stream, args);
}

#endif

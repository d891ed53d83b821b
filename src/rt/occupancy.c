// SPDX-License-Identifier: Apache-2.0
// How many blocks and clusters are resident at once on the modelled GPU. The rules for one SM are core's;
// clusters are taken to fill the GPU without gaps (real ones lose a few at the borders of the GPCs).
#include "core/launch.h" // wf_gpu_blocks_per_sm
#include "exec/exec.h"   // struct wf_kernel_info
#include "rt/ctx.h"      // wf_rt_enter
#include "rt/launch.h"   // wf__function_limits

static enum wf_cu limits(struct wf_rt_function *f, struct wf__function_limits *lim)
{
    const struct wf_kernel_info *info;
    enum wf_cu e = wf_rt_enter();
    return e == WF_CU_SUCCESS ? wf__function_limits(f, &info, lim) : e;
}

static uint32_t blocks_per_sm(const struct wf__function_limits *lim, uint32_t threads,
                              uint64_t dynamic_shared)
{
    if (dynamic_shared > lim->max_dynamic)
        return 0;
    return wf_gpu_blocks_per_sm(wf_gpu_default(), threads, lim->regs, lim->shared_static,
                                (uint32_t)dynamic_shared);
}

enum wf_cu wf_rt_occupancy_blocks(struct wf_rt_function *f, int threads, uint64_t dynamic_shared,
                                  unsigned flags, int *out)
{
    struct wf__function_limits lim;
    enum wf_cu e = limits(f, &lim);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || threads <= 0 || flags > 1)
        return WF_CU_INVALID_VALUE;
    *out = (int)blocks_per_sm(&lim, (uint32_t)threads, dynamic_shared);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_occupancy_shared(struct wf_rt_function *f, int blocks, int threads, uint64_t *out)
{
    struct wf__function_limits lim;
    enum wf_cu e = limits(f, &lim);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || blocks <= 0 || threads <= 0 ||
        (uint32_t)blocks > blocks_per_sm(&lim, (uint32_t)threads, 0))
        return WF_CU_INVALID_VALUE;
    uint32_t each = wf_gpu_default()->shared_per_sm / (uint32_t)blocks / 128 * 128;
    uint32_t left = each > lim.shared_static ? each - lim.shared_static : 0;
    *out = left < lim.max_dynamic ? left : lim.max_dynamic;
    return WF_CU_SUCCESS;
}

uint32_t wf__clusters_resident(const struct wf__function_limits *f, uint32_t threads,
                               uint64_t dynamic_shared, uint32_t size)
{
    return blocks_per_sm(f, threads, dynamic_shared) * wf_gpu_default()->sm_count / size;
}

enum wf_cu wf_rt_occupancy_clusters(struct wf_rt_function *f, const struct wf_rt_launch *l, int *out)
{
    struct wf__function_limits lim;
    enum wf_cu e = limits(f, &lim);
    if (e != WF_CU_SUCCESS)
        return e;
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    const uint32_t *own = lim.cluster;
    uint64_t size = l->has_cluster ? (uint64_t)l->cluster.x * l->cluster.y * l->cluster.z
                    : own[0]       ? (uint64_t)own[0] * own[1] * own[2]
                                   : 1;
    if (!out || !threads || threads > 1024)
        return WF_CU_INVALID_VALUE;
    if (!size || size > (lim.is_nonportable ? 16u : 8u))
        return WF_CU_INVALID_CLUSTER_SIZE;
    *out = (int)wf__clusters_resident(&lim, (uint32_t)threads, l->dynamic_shared, (uint32_t)size);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_occupancy_cluster_size(struct wf_rt_function *f, const struct wf_rt_launch *l,
                                        int *out)
{
    struct wf__function_limits lim;
    enum wf_cu e = limits(f, &lim);
    if (e != WF_CU_SUCCESS)
        return e;
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (!out || !threads || threads > 1024)
        return WF_CU_INVALID_VALUE;
    uint32_t size = wf_gpu_default()->sm < 90 ? 1 : lim.is_nonportable ? 16 : 8;
    while (size > 1 && !wf__clusters_resident(&lim, (uint32_t)threads, l->dynamic_shared, size))
        size /= 2;
    *out = (int)size;
    return WF_CU_SUCCESS;
}

// SPDX-License-Identifier: Apache-2.0
// How many blocks and clusters are resident at once on the modelled GPU. The rules for one SM are
// core's; clusters are taken to fill the GPU without gaps (real ones lose a few at the borders of
// the GPCs).
#include "base/bits.h"   // wf_align_up
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

// The split between shared memory and L1 that a wished percentage leads to: the next larger one
// that the hardware has (CUDA C++ Programming Guide, "Shared Memory" of each compute capability).
static uint32_t shared_at_carveout(const struct wf_gpu *g, int percent)
{
    static const uint32_t kib_90[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    uint64_t want = (uint64_t)g->shared_per_sm * (uint32_t)percent / 100;
    for (unsigned i = 0; i < sizeof kib_90 / sizeof *kib_90; i++)
        if (kib_90[i] * UINT64_C(1024) >= want && kib_90[i] * UINT64_C(1024) <= g->shared_per_sm)
            return kib_90[i] * 1024;
    return g->shared_per_sm;
}

uint32_t wf__blocks_resident(const struct wf__function_limits *f, uint32_t threads,
                             uint64_t dynamic_shared)
{
    if (dynamic_shared > f->max_dynamic)
        return 0;
    const struct wf_gpu *g = wf_gpu_default();
    uint32_t n =
        wf_gpu_blocks_per_sm(g, threads, f->regs, f->shared_static, (uint32_t)dynamic_shared);
    uint64_t bytes = dynamic_shared + f->shared_static;
    if (n == 0 || f->carveout < 0 || bytes == 0)
        return n;
    uint64_t each = wf_align_up(bytes + g->shared_reserved, 128);
    uint32_t by_wish = (uint32_t)(shared_at_carveout(g, f->carveout) / each);
    by_wish = by_wish ? by_wish : 1; // a wish gives way to what the kernel needs
    return by_wish < n ? by_wish : n;
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
    *out = (int)wf__blocks_resident(&lim, (uint32_t)threads, dynamic_shared);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_occupancy_shared(struct wf_rt_function *f, int blocks, int threads, uint64_t *out)
{
    struct wf__function_limits lim;
    enum wf_cu e = limits(f, &lim);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || blocks <= 0 || threads <= 0 ||
        (uint32_t)blocks > wf__blocks_resident(&lim, (uint32_t)threads, 0))
        return WF_CU_INVALID_VALUE;
    uint32_t each = wf_gpu_default()->shared_per_sm / (uint32_t)blocks / 128 * 128;
    uint32_t left = each > lim.shared_static ? each - lim.shared_static : 0;
    *out = left < lim.max_dynamic ? left : lim.max_dynamic;
    return WF_CU_SUCCESS;
}

uint32_t wf__clusters_resident(const struct wf__function_limits *f, uint32_t threads,
                               uint64_t dynamic_shared, uint32_t size)
{
    return wf__blocks_resident(f, threads, dynamic_shared) * wf_gpu_default()->sm_count / size;
}

enum wf_cu wf_rt_occupancy_clusters(struct wf_rt_function *f, const struct wf_rt_launch *l,
                                    int *out)
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

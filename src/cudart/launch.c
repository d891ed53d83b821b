// SPDX-License-Identifier: Apache-2.0
// Launches: <<< >>> (configuration pushed, popped by the kernel's stub), and by name.
#include "rt/launch.h" // wf_rt_launch

#include "cudart/priv.h"
#include "rt/attr.h"   // enum wf_rt_attr
#include "rt/module.h" // wf_rt_function_find

#define MAX_PUSHED 16 // arguments of a launch may launch themselves

// Configurations between <<< >>> and the stub of the kernel, and whether the next launch of this
// thread comes from a stub, whose result no program sees.
static _Thread_local struct {
    struct {
        struct abi_dim3 grid, block;
        size_t shared;
        cudaStream_t stream;
    } at[MAX_PUSHED];
    unsigned n;
    bool is_from_stub;
} pushed;

WF_EXPORT unsigned __cudaPushCallConfiguration(struct abi_dim3 grid, struct abi_dim3 block,
                                               size_t shared, cudaStream_t stream);
WF_EXPORT unsigned __cudaPushCallConfiguration(struct abi_dim3 grid, struct abi_dim3 block,
                                               size_t shared, cudaStream_t stream)
{
    if (pushed.n == MAX_PUSHED)
        return (unsigned)wf_rt_result(WF_CU_LAUNCH_FAILURE);
    pushed.at[pushed.n].grid = grid;
    pushed.at[pushed.n].block = block;
    pushed.at[pushed.n].shared = shared;
    pushed.at[pushed.n].stream = stream;
    pushed.n++;
    wf_rt_launch_here();
    return 0;
}

WF_EXPORT cudaError_t __cudaPopCallConfiguration(struct abi_dim3 *grid, struct abi_dim3 *block,
                                                 size_t *shared, void *stream);
WF_EXPORT cudaError_t __cudaPopCallConfiguration(struct abi_dim3 *grid, struct abi_dim3 *block,
                                                 size_t *shared, void *stream)
{
    if (pushed.n == 0)
        return (cudaError_t)wf_rt_result(WF_CU_MISSING_CONFIGURATION);
    pushed.n--;
    *grid = pushed.at[pushed.n].grid;
    *block = pushed.at[pushed.n].block;
    *shared = pushed.at[pushed.n].shared;
    *(cudaStream_t *)stream = pushed.at[pushed.n].stream;
    pushed.is_from_stub = true;
    return 0;
}

static struct wf_dim3 dim(struct abi_dim3 d)
{
    return (struct wf_dim3){d.x, d.y, d.z};
}

static enum wf_cu launch(const void *fn, struct abi_dim3 grid, struct abi_dim3 block, void **args,
                         size_t shared, uint64_t stream, bool is_cooperative)
{
    struct wf_rt_launch l = {.grid = dim(grid),
                             .block = dim(block),
                             .dynamic_shared = shared,
                             .stream = stream,
                             .args = args,
                             .is_cooperative = is_cooperative,
                             .is_unseen = pushed.is_from_stub};
    pushed.is_from_stub = false;
    struct wf_rt_function *f;
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_find(fn, &f);
    return e == WF_CU_SUCCESS ? wf_rt_launch(f, &l) : e;
}
BOTH(cudaLaunchKernel, _ptsz,
     (const void *fn, struct abi_dim3 grid, struct abi_dim3 block, void **args, size_t shared,
      cudaStream_t stream),
     launch(fn, grid, block, args, shared, S(stream), false))
BOTH(__cudaLaunchKernel, _ptsz,
     (cudaKernel_t kernel, struct abi_dim3 grid, struct abi_dim3 block, void **args, size_t shared,
      cudaStream_t stream),
     launch(kernel, grid, block, args, shared, S(stream), false))
BOTH(cudaLaunchCooperativeKernel, _ptsz,
     (const void *fn, struct abi_dim3 grid, struct abi_dim3 block, void **args, size_t shared,
      cudaStream_t stream),
     launch(fn, grid, block, args, shared, S(stream), true))

static enum wf_cu apply(const struct abi_launch_attribute *a, struct wf_rt_launch *l)
{
    switch (a->id) {
    case WF_RT_ATTR_COOPERATIVE:
        l->is_cooperative = a->value.number != 0;
        return WF_CU_SUCCESS;
    case WF_RT_ATTR_CLUSTER:
        l->has_cluster = true;
        l->cluster = dim(a->value.dim);
        return WF_CU_SUCCESS;
    case WF_RT_ATTR_PROGRAMMATIC_SERIAL:
        l->is_early = a->value.number != 0;
        return WF_CU_SUCCESS;
    case WF_RT_ATTR_PROGRAMMATIC_EVENT:
    case WF_RT_ATTR_COMPLETION_EVENT:
        l->event_after = ADDR(a->value.event.event);
        return WF_CU_SUCCESS;
    default: // hints: caches, priority, overlap with the kernel before, which is never needed
        return a->id >= WF_RT_ATTR_IGNORE && a->id <= WF_RT_ATTR_LAST ? WF_CU_SUCCESS
                                                                      : WF_CU_INVALID_VALUE;
    }
}

static enum wf_cu read_config(const struct abi_launch_config *c, bool is_per_thread,
                              struct wf_rt_launch *l)
{
    if (!c || (c->n_attrs && !c->attrs))
        return WF_CU_INVALID_VALUE;
    *l = (struct wf_rt_launch){.grid = dim(c->grid),
                               .block = dim(c->block),
                               .dynamic_shared = c->dynamic_shared,
                               .stream = S(c->stream)};
    enum wf_cu e = WF_CU_SUCCESS;
    for (unsigned i = 0; i < c->n_attrs && e == WF_CU_SUCCESS; i++)
        e = apply(&c->attrs[i], l);
    return e;
}

static enum wf_cu launch_config(const struct abi_launch_config *c, const void *fn, void **args,
                                bool is_per_thread)
{
    struct wf_rt_launch l;
    struct wf_rt_function *f;
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = read_config(c, is_per_thread, &l);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_find(fn, &f);
    if (e != WF_CU_SUCCESS)
        return e;
    l.args = args;
    return wf_rt_launch(f, &l);
}
BOTH(cudaLaunchKernelExC, _ptsz, (const struct abi_launch_config *c, const void *fn, void **args),
     launch_config(c, fn, args, is_per_thread))

static enum wf_cu max_clusters(int *out, const void *fn, const struct abi_launch_config *c,
                               enum wf_cu (*ask)(struct wf_rt_function *,
                                                 const struct wf_rt_launch *, int *))
{
    struct wf_rt_launch l;
    struct wf_rt_function *f;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    if (e == WF_CU_SUCCESS)
        e = read_config(c, false, &l);
    return e == WF_CU_SUCCESS ? ask(f, &l, out) : e;
}
API(cudaOccupancyMaxActiveClusters, (int *out, const void *fn, const struct abi_launch_config *c),
    max_clusters(out, fn, c, wf_rt_occupancy_clusters))
API(cudaOccupancyMaxPotentialClusterSize,
    (int *out, const void *fn, const struct abi_launch_config *c),
    max_clusters(out, fn, c, wf_rt_occupancy_cluster_size))

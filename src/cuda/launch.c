// SPDX-License-Identifier: Apache-2.0
// Launches. Arguments come as a list of pointers, or packed into a buffer laid out as the kernel's
// parameters are.
#include "rt/launch.h" // wf_rt_launch

#include "cuda/priv.h"
#include "rt/attr.h"   // enum wf_rt_attr
#include "rt/module.h" // wf_rt_function_is

#define MAX_PARAMS 1024 // of 4 bytes each: all that fit

enum { EXTRA_END, EXTRA_POINTER, EXTRA_SIZE };

static enum wf_cu unpack(CUfunction f, void **extra, void **args, uint64_t *n)
{
    char *buffer = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; ADDR(extra[i]) != EXTRA_END; i += 2) {
        if (ADDR(extra[i]) == EXTRA_POINTER)
            buffer = extra[i + 1];
        else if (ADDR(extra[i]) == EXTRA_SIZE)
            bytes = *(size_t *)extra[i + 1];
        else
            return WF_CU_INVALID_VALUE;
    }
    uint64_t at, size;
    for (*n = 0; *n < MAX_PARAMS && wf_rt_function_param(f, *n, &at, &size) == WF_CU_SUCCESS;
         ++*n) {
        if (!buffer || at + size > bytes)
            return WF_CU_INVALID_VALUE;
        args[*n] = buffer + at;
    }
    return WF_CU_SUCCESS;
}

static enum wf_cu launch(CUfunction f, struct wf_rt_launch *l, void **args, void **extra)
{
    void *unpacked[MAX_PARAMS];
    uint64_t n;
    if (!wf_rt_function_is(f))
        return WF_CU_INVALID_RESOURCE_HANDLE;
    l->args = args;
    if (extra && args)
        return WF_CU_INVALID_VALUE;
    if (extra) {
        enum wf_cu e = unpack(f, extra, unpacked, &n);
        if (e != WF_CU_SUCCESS)
            return e;
        l->args = n ? unpacked : NULL;
    }
    return wf_rt_launch(f, l);
}

#define SHAPE unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz
#define SHAPED(shared_bytes, stream_handle, cooperative)                                           \
    (&(struct wf_rt_launch){.grid = {gx, gy, gz},                                                  \
                            .block = {bx, by, bz},                                                 \
                            .dynamic_shared = (shared_bytes),                                      \
                            .stream = (stream_handle),                                             \
                            .is_cooperative = (cooperative)})
BOTH(cuLaunchKernel, _ptsz,
     (CUfunction f, SHAPE, unsigned shared, CUstream stream, void **args, void **extra),
     launch(f, SHAPED(shared, S(stream), false), args, extra))
BOTH(cuLaunchCooperativeKernel, _ptsz,
     (CUfunction f, SHAPE, unsigned shared, CUstream stream, void **args),
     launch(f, SHAPED(shared, S(stream), true), args, NULL))

static enum wf_cu apply(const struct abi_launch_attribute *a, struct wf_rt_launch *l)
{
    switch (a->id) {
    case WF_RT_ATTR_COOPERATIVE:
        l->is_cooperative = a->value.number != 0;
        return WF_CU_SUCCESS;
    case WF_RT_ATTR_CLUSTER:
        l->has_cluster = true;
        l->cluster = (struct wf_dim3){a->value.dim.x, a->value.dim.y, a->value.dim.z};
        return WF_CU_SUCCESS;
    case WF_RT_ATTR_PROGRAMMATIC_SERIAL:
        l->is_early = a->value.number != 0;
        return WF_CU_SUCCESS;
    case WF_RT_ATTR_PROGRAMMATIC_EVENT:
    case WF_RT_ATTR_COMPLETION_EVENT:
        l->event_after = ADDR(a->value.event.event);
        return WF_CU_SUCCESS;
    default: // hints: caches, priority, overlap with the kernel before, which is never needed
        return a->id >= 0 && a->id <= WF_RT_ATTR_LAST ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
    }
}

static enum wf_cu read_config(const struct abi_launch_config *c, bool is_per_thread,
                              struct wf_rt_launch *l)
{
    if (!c || (c->n_attrs && !c->attrs))
        return WF_CU_INVALID_VALUE;
    *l = (struct wf_rt_launch){.grid = {c->grid[0], c->grid[1], c->grid[2]},
                               .block = {c->block[0], c->block[1], c->block[2]},
                               .dynamic_shared = c->dynamic_shared,
                               .stream = S(c->stream)};
    enum wf_cu e = WF_CU_SUCCESS;
    for (unsigned i = 0; i < c->n_attrs && e == WF_CU_SUCCESS; i++)
        e = apply(&c->attrs[i], l);
    return e;
}

static enum wf_cu launch_config(const struct abi_launch_config *c, CUfunction f, void **args,
                                void **extra, bool is_per_thread)
{
    struct wf_rt_launch l;
    enum wf_cu e = read_config(c, is_per_thread, &l);
    return e == WF_CU_SUCCESS ? launch(f, &l, args, extra) : e;
}
BOTH(cuLaunchKernelEx, _ptsz,
     (const struct abi_launch_config *c, CUfunction f, void **args, void **extra),
     launch_config(c, f, args, extra, is_per_thread))

static enum wf_cu max_clusters(int *out, CUfunction f, const struct abi_launch_config *c,
                               enum wf_cu (*ask)(struct wf_rt_function *,
                                                 const struct wf_rt_launch *, int *))
{
    struct wf_rt_launch l;
    enum wf_cu e = wf_rt_function_is(f) ? read_config(c, false, &l) : WF_CU_INVALID_RESOURCE_HANDLE;
    return e == WF_CU_SUCCESS ? ask(f, &l, out) : e;
}
API(cuOccupancyMaxActiveClusters, (int *out, CUfunction f, const struct abi_launch_config *c),
    max_clusters(out, f, c, wf_rt_occupancy_clusters))
API(cuOccupancyMaxPotentialClusterSize, (int *out, CUfunction f, const struct abi_launch_config *c),
    max_clusters(out, f, c, wf_rt_occupancy_cluster_size))

// --- the calls before cuLaunchKernel: a function is filled with shape and parameters, then
// launched

static _Thread_local struct {
    CUfunction f;
    unsigned block[3], shared;
    _Alignas(16) char params[4096];
} old;

static enum wf_cu old_function(CUfunction f)
{
    if (!wf_rt_function_is(f))
        return WF_CU_INVALID_RESOURCE_HANDLE;
    if (old.f != f) {
        old.f = f;
        old.shared = 0;
    }
    return WF_CU_SUCCESS;
}

static enum wf_cu set_block(CUfunction f, unsigned x, unsigned y, unsigned z)
{
    enum wf_cu e = old_function(f);
    old.block[0] = x;
    old.block[1] = y;
    old.block[2] = z;
    return e;
}
static enum wf_cu set_shared(CUfunction f, unsigned bytes)
{
    enum wf_cu e = old_function(f);
    old.shared = bytes;
    return e;
}
static enum wf_cu set_param(CUfunction f, unsigned at, const void *value, unsigned bytes)
{
    enum wf_cu e = old_function(f);
    if (e == WF_CU_SUCCESS && (at > sizeof old.params || bytes > sizeof old.params - at || !value))
        e = WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        __builtin_memcpy(old.params + at, value, bytes);
    return e;
}
static enum wf_cu launch_old(CUfunction f, unsigned w, unsigned h, uint64_t stream)
{
    size_t bytes = sizeof old.params;
    void *extra[] = {HANDLE(EXTRA_POINTER), old.params, HANDLE(EXTRA_SIZE), &bytes,
                     HANDLE(EXTRA_END)};
    enum wf_cu e = old_function(f);
    struct wf_rt_launch l = {.grid = {w, h, 1},
                             .block = {old.block[0], old.block[1], old.block[2]},
                             .dynamic_shared = old.shared,
                             .stream = stream};
    return e == WF_CU_SUCCESS ? launch(f, &l, NULL, extra) : e;
}
API(cuFuncSetBlockShape, (CUfunction f, int x, int y, int z),
    set_block(f, (unsigned)x, (unsigned)y, (unsigned)z))
API(cuFuncSetSharedSize, (CUfunction f, unsigned bytes), set_shared(f, bytes))
API(cuParamSetSize, (CUfunction f, unsigned bytes), ((void)bytes, old_function(f)))
API(cuParamSeti, (CUfunction f, int at, unsigned v), set_param(f, (unsigned)at, &v, sizeof v))
API(cuParamSetf, (CUfunction f, int at, float v), set_param(f, (unsigned)at, &v, sizeof v))
API(cuParamSetv, (CUfunction f, int at, void *p, unsigned n), set_param(f, (unsigned)at, p, n))
API(cuLaunch, (CUfunction f), launch_old(f, 1, 1, WF_RT_STREAM_LEGACY))
API(cuLaunchGrid, (CUfunction f, int w, int h),
    launch_old(f, (unsigned)w, (unsigned)h, WF_RT_STREAM_LEGACY))
API(cuLaunchGridAsync, (CUfunction f, int w, int h, CUstream stream),
    launch_old(f, (unsigned)w, (unsigned)h, S(stream)))

// SPDX-License-Identifier: Apache-2.0
// Functions (and kernels, which are the same here): attributes, names, parameters, occupancy.
#include "cuda/context.h"
#include "cuda/priv.h"
#include "rt/device.h" // wf_rt_device_attr_value
#include "rt/launch.h" // wf_rt_function_info
#include "rt/module.h" // wf_rt_function_is

static enum wf_cu check(CUfunction f)
{
    return wf_rt_function_is(f) ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

enum { MAX_THREADS, SHARED, CONSTANT, LOCAL, REGS, PTX_VERSION, BINARY_VERSION, CACHE_MODE_CA };

static enum wf_cu get(int *out, int attr, CUfunction f)
{
    struct wf_rt_function_info i;
    enum wf_cu e = check(f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_info(f, &i);
    if (e != WF_CU_SUCCESS)
        return e;
    const int values[] = {
        [MAX_THREADS] = i.max_threads,
        [SHARED] = (int)i.shared,
        [CONSTANT] = (int)i.constant,
        [LOCAL] = (int)i.local,
        [REGS] = i.regs,
        [PTX_VERSION] = i.ptx_version,
        [BINARY_VERSION] = i.binary_version,
        [CACHE_MODE_CA] = i.cache_mode_ca,
        [WF_RT_FUNC_MAX_DYNAMIC_SHARED] = i.max_dynamic_shared,
        [WF_RT_FUNC_CARVEOUT] = i.carveout,
        [WF_RT_FUNC_CLUSTER_MUST_BE_SET] = i.needs_cluster,
        [WF_RT_FUNC_CLUSTER_WIDTH] = i.cluster[0],
        [WF_RT_FUNC_CLUSTER_HEIGHT] = i.cluster[1],
        [WF_RT_FUNC_CLUSTER_DEPTH] = i.cluster[2],
        [WF_RT_FUNC_NONPORTABLE_CLUSTER] = i.is_nonportable,
        [WF_RT_FUNC_CLUSTER_POLICY] = i.cluster_policy,
    };
    if (attr < 0 || attr >= (int)(sizeof values / sizeof *values))
        return WF_CU_INVALID_VALUE;
    return wf__put_int(out, values[attr]);
}
API(cuFuncGetAttribute, (int *out, int attr, CUfunction f), get(out, attr, f))
INIT(cuKernelGetAttribute, (int *out, int attr, CUkernel f, CUdevice device),
     wf__device(device) == WF_CU_SUCCESS ? get(out, attr, f) : WF_CU_INVALID_DEVICE)

static enum wf_cu set(CUfunction f, int attr, int value)
{
    enum wf_cu e = check(f);
    return e == WF_CU_SUCCESS ? wf_rt_function_set(f, attr, value) : e;
}
API(cuFuncSetAttribute, (CUfunction f, int attr, int value), set(f, attr, value))
INIT(cuKernelSetAttribute, (int attr, int value, CUkernel f, CUdevice device),
     wf__device(device) == WF_CU_SUCCESS ? set(f, attr, value) : WF_CU_INVALID_DEVICE)

// Wishes about caches: the function must exist, nothing else comes of it.
static enum wf_cu wish(CUfunction f, bool is_known)
{
    enum wf_cu e = check(f);
    return e == WF_CU_SUCCESS && !is_known ? WF_CU_INVALID_VALUE : e;
}
API(cuFuncSetCacheConfig, (CUfunction f, int config), wish(f, config >= 0 && config <= 3))
API(cuFuncSetSharedMemConfig, (CUfunction f, int config), wish(f, config >= 0 && config <= 2))
INIT(cuKernelSetCacheConfig, (CUkernel f, int config, CUdevice device),
     wf__device(device) == WF_CU_SUCCESS ? wish(f, config >= 0 && config <= 3)
                                         : WF_CU_INVALID_DEVICE)
API(cuFuncLoad, (CUfunction f), check(f))
API(cuFuncIsLoaded, (int *out, CUfunction f),
    check(f) == WF_CU_SUCCESS ? wf__put_int(out, 1) : check(f))

static enum wf_cu name(const char **out, CUfunction f)
{
    enum wf_cu e = check(f);
    if (e == WF_CU_SUCCESS && !out)
        e = WF_CU_INVALID_VALUE;
    return e == WF_CU_SUCCESS ? wf_rt_function_name(f, out) : e;
}
API(cuFuncGetName, (const char **out, CUfunction f), name(out, f))
INIT(cuKernelGetName, (const char **out, CUkernel f), name(out, f))

static enum wf_cu param(CUfunction f, size_t i, size_t *offset, size_t *bytes)
{
    uint64_t at = 0, n = 0;
    enum wf_cu e = check(f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_param(f, i, offset ? &at : NULL, &n);
    if (e != WF_CU_SUCCESS)
        return e;
    *offset = at;
    if (bytes)
        *bytes = n;
    return e;
}
API(cuFuncGetParamInfo, (CUfunction f, size_t i, size_t *offset, size_t *bytes),
    param(f, i, offset, bytes))
INIT(cuKernelGetParamInfo, (CUkernel f, size_t i, size_t *offset, size_t *bytes),
     param(f, i, offset, bytes))

static enum wf_cu owner(void **out, CUfunction f)
{
    enum wf_cu e = check(f);
    if (e != WF_CU_SUCCESS)
        return e;
    uint64_t library = wf_rt_library_of(f);
    if (!out || !library) // a kernel of the program's own, by the runtime API
        return WF_CU_INVALID_VALUE;
    *out = HANDLE(library);
    return WF_CU_SUCCESS;
}
API(cuFuncGetModule, (CUmodule * out, CUfunction f), owner(out, f))
INIT(cuKernelGetLibrary, (CUlibrary * out, CUkernel f), owner(out, f))

static enum wf_cu same_function(CUfunction *out, CUkernel f)
{
    enum wf_cu e = check(f);
    if (e == WF_CU_SUCCESS && !out)
        e = WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = f;
    return e;
}
API(cuKernelGetFunction, (CUfunction * out, CUkernel f), same_function(out, f))

// --- occupancy

static enum wf_cu blocks(int *out, CUfunction f, int threads, size_t shared, unsigned flags)
{
    enum wf_cu e = check(f);
    return e == WF_CU_SUCCESS ? wf_rt_occupancy_blocks(f, threads, shared, flags, out) : e;
}
API(cuOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *out, CUfunction f, int threads, size_t shared), blocks(out, f, threads, shared, 0))
API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *out, CUfunction f, int threads, size_t shared, unsigned flags),
    blocks(out, f, threads, shared, flags))

// The largest block of those that keep the most threads resident.
static enum wf_cu best_block(int *grid, int *block, CUfunction f, size_t (*shared_of)(int),
                             size_t shared, int limit, unsigned flags)
{
    struct wf_rt_function_info i;
    if (!grid || !block || limit < 0)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = check(f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_info(f, &i);
    if (e != WF_CU_SUCCESS)
        return e;
    int most = limit && limit < i.max_threads ? limit : i.max_threads, best = 0, best_n = 0;
    for (int threads = most, n; threads > 0; threads = (threads - 1) / 32 * 32) {
        e = blocks(&n, f, threads, shared_of ? shared_of(threads) : shared, flags);
        if (e != WF_CU_SUCCESS)
            return e;
        if (n * threads > best_n * best)
            best = threads, best_n = n;
    }
    *block = best;
    *grid = best_n * wf_rt_device_attr_value(WF_RT_ATTR_MULTI_PROCESSOR_COUNT);
    return WF_CU_SUCCESS;
}
API(cuOccupancyMaxPotentialBlockSize,
    (int *grid, int *block, CUfunction f, size_t (*shared_of)(int), size_t shared, int limit),
    best_block(grid, block, f, shared_of, shared, limit, 0))
API(cuOccupancyMaxPotentialBlockSizeWithFlags,
    (int *grid, int *block, CUfunction f, size_t (*shared_of)(int), size_t shared, int limit,
     unsigned flags),
    best_block(grid, block, f, shared_of, shared, limit, flags))

static enum wf_cu available_shared(size_t *out, CUfunction f, int n, int threads)
{
    uint64_t bytes;
    enum wf_cu e = check(f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_occupancy_shared(f, n, threads, out ? &bytes : NULL);
    if (e == WF_CU_SUCCESS)
        *out = bytes;
    return e;
}
API(cuOccupancyAvailableDynamicSMemPerBlock, (size_t * out, CUfunction f, int n, int threads),
    available_shared(out, f, n, threads))

// SPDX-License-Identifier: Apache-2.0
// Kernels as objects: handles, attributes, parameters, occupancy.
#include "cudart/priv.h"
#include "rt/launch.h" // wf_rt_function_info
#include "rt/module.h" // wf_rt_function_find

static enum wf_cu handle(void **out, const void *fn)
{
    struct wf_rt_function *f;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    if (e == WF_CU_SUCCESS)
        *out = f;
    return e;
}
API(cudaGetKernel, (cudaKernel_t * out, const void *fn), handle(out, fn))
API(cudaGetFuncBySymbol, (cudaFunction_t * out, const void *fn), handle(out, fn))
API(__cudaGetKernel, (cudaKernel_t * out, const void *fn), handle(out, fn))

static enum wf_cu attributes(struct abi_func_attributes *out, const void *fn)
{
    struct wf_rt_function *f;
    struct wf_rt_function_info i;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_info(f, &i);
    if (e != WF_CU_SUCCESS)
        return e;
    *out = (struct abi_func_attributes){
        .shared = i.shared,
        .constant = i.constant,
        .local = i.local,
        .max_threads = i.max_threads,
        .regs = i.regs,
        .ptx_version = i.ptx_version,
        .binary_version = i.binary_version,
        .max_dynamic_shared = i.max_dynamic_shared,
        .carveout = i.carveout,
        .needs_cluster = i.needs_cluster,
        .cluster_width = i.cluster[0],
        .cluster_height = i.cluster[1],
        .cluster_depth = i.cluster[2],
        .cluster_policy = i.cluster_policy,
        .nonportable = i.is_nonportable,
    };
    return WF_CU_SUCCESS;
}
API(cudaFuncGetAttributes, (struct abi_func_attributes * out, const void *fn), attributes(out, fn))

static enum wf_cu set(const void *fn, int attr, int value)
{
    struct wf_rt_function *f;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    return e == WF_CU_SUCCESS ? wf_rt_function_set(f, attr, value) : e;
}
API(cudaFuncSetAttribute, (const void *fn, int attr, int value), set(fn, attr, value))
API(cudaKernelSetAttributeForDevice, (cudaKernel_t kernel, int attr, int value, int device),
    wf__device(device) == WF_CU_SUCCESS ? set(kernel, attr, value) : WF_CU_INVALID_DEVICE)

// Wishes about caches: the function must exist, nothing else comes of it.
static enum wf_cu wish(const void *fn, bool is_known)
{
    struct wf_rt_function *f;
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_find(fn, &f);
    return e == WF_CU_SUCCESS && !is_known ? WF_CU_INVALID_VALUE : e;
}
API(cudaFuncSetCacheConfig, (const void *fn, int config), wish(fn, config >= 0 && config <= 3))
API(cudaFuncSetSharedMemConfig, (const void *fn, int config), wish(fn, config >= 0 && config <= 2))

static enum wf_cu name(const char **out, const void *fn)
{
    struct wf_rt_function *f;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    return e == WF_CU_SUCCESS ? wf_rt_function_name(f, out) : e;
}
API(cudaFuncGetName, (const char **out, const void *fn), name(out, fn))

static enum wf_cu param(const void *fn, size_t i, size_t *offset, size_t *bytes)
{
    struct wf_rt_function *f;
    uint64_t o, n;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_function_param(f, i, offset ? &o : NULL, &n);
    if (e != WF_CU_SUCCESS)
        return e;
    *offset = o;
    if (bytes)
        *bytes = n;
    return e;
}
API(cudaFuncGetParamInfo, (const void *fn, size_t i, size_t *offset, size_t *bytes),
    param(fn, i, offset, bytes))

static enum wf_cu blocks(int *out, const void *fn, int threads, size_t shared, unsigned flags)
{
    struct wf_rt_function *f;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    return e == WF_CU_SUCCESS ? wf_rt_occupancy_blocks(f, threads, shared, flags, out) : e;
}
API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *out, const void *fn, int threads, size_t shared), blocks(out, fn, threads, shared, 0))
API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *out, const void *fn, int threads, size_t shared, unsigned flags),
    blocks(out, fn, threads, shared, flags))

static enum wf_cu available_shared(size_t *out, const void *fn, int n, int threads)
{
    struct wf_rt_function *f;
    uint64_t bytes;
    enum wf_cu e = wf_rt_function_find(fn, &f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_occupancy_shared(f, n, threads, out ? &bytes : NULL);
    if (e == WF_CU_SUCCESS)
        *out = bytes;
    return e;
}
API(cudaOccupancyAvailableDynamicSMemPerBlock, (size_t * out, const void *fn, int n, int threads),
    available_shared(out, fn, n, threads))

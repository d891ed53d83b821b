// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and memory pools. Pools lie on the device; sharing them with other
// processes is not done.
#include "rt/pool.h" // wf_rt_pool_create

#include <string.h> // memcpy

#include "cuda/priv.h"

#define LOCATION_DEVICE 1
#define TYPE_PINNED 1
#define ACCESS_READ_WRITE 3

static enum wf_cu alloc(CUdeviceptr *out, size_t bytes, uint64_t pool, uint64_t stream)
{
    return out && bytes ? wf_rt_malloc_async(out, bytes, pool, stream) : WF_CU_INVALID_VALUE;
}
BOTH(cuMemAllocAsync, _ptsz, (CUdeviceptr * out, size_t bytes, CUstream stream),
     alloc(out, bytes, 0, S(stream)))
BOTH(cuMemAllocFromPoolAsync, _ptsz,
     (CUdeviceptr * out, size_t bytes, CUmemoryPool pool, CUstream stream),
     pool ? alloc(out, bytes, ADDR(pool), S(stream)) : WF_CU_INVALID_VALUE)
BOTH(cuMemFreeAsync, _ptsz, (CUdeviceptr p, CUstream stream), wf_rt_free_async(p, S(stream)))

static enum wf_cu give(CUmemoryPool *out, enum wf_cu (*ask)(uint64_t *), CUdevice device)
{
    uint64_t handle;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        e = ask(&handle);
    if (e == WF_CU_SUCCESS)
        *out = HANDLE(handle);
    return e;
}
API(cuDeviceGetDefaultMemPool, (CUmemoryPool * out, int device),
    give(out, wf_rt_pool_default, device))
API(cuDeviceGetMemPool, (CUmemoryPool * out, int device), give(out, wf_rt_pool_current, device))
API(cuDeviceSetMemPool, (int device, CUmemoryPool pool),
    wf__device(device) == WF_CU_SUCCESS ? wf_rt_pool_set_current(ADDR(pool)) : WF_CU_INVALID_DEVICE)

static bool is_here(const struct abi_location *at, int type)
{
    return at && at->type == LOCATION_DEVICE && at->id == 0 && type == TYPE_PINNED;
}
API(cuMemGetDefaultMemPool, (CUmemoryPool * out, struct abi_location *at, int type),
    is_here(at, type) ? give(out, wf_rt_pool_default, 0) : WF_CU_INVALID_VALUE)
API(cuMemGetMemPool, (CUmemoryPool * out, struct abi_location *at, int type),
    is_here(at, type) ? give(out, wf_rt_pool_current, 0) : WF_CU_INVALID_VALUE)
API(cuMemSetMemPool, (struct abi_location * at, int type, CUmemoryPool pool),
    is_here(at, type) ? wf_rt_pool_set_current(ADDR(pool)) : WF_CU_INVALID_VALUE)

static enum wf_cu create(CUmemoryPool *out, const struct abi_pool_props *p)
{
    if (!p || !is_here(&p->location, p->type))
        return WF_CU_INVALID_VALUE;
    if (p->handle_types)
        return wf__unsupported("cuMemPoolCreate with handles for other processes");
    return give(out, wf_rt_pool_create, 0);
}
API(cuMemPoolCreate, (CUmemoryPool * out, const struct abi_pool_props *p), create(out, p))
API(cuMemPoolDestroy, (CUmemoryPool pool), wf_rt_pool_destroy(ADDR(pool)))
API(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep), wf_rt_pool_trim(ADDR(pool), keep))

// The first three attributes are ints, the others 64 bits wide.
static enum wf_cu get(uint64_t pool, int attr, void *out)
{
    uint64_t v;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_pool_get(pool, attr, &v);
    if (e == WF_CU_SUCCESS && attr < WF_RT_POOL_RELEASE_THRESHOLD)
        *(int *)out = (int)v;
    else if (e == WF_CU_SUCCESS)
        memcpy(out, &v, sizeof v);
    return e;
}
static enum wf_cu set(uint64_t pool, int attr, const void *value)
{
    uint64_t v;
    if (!value)
        return WF_CU_INVALID_VALUE;
    if (attr < WF_RT_POOL_RELEASE_THRESHOLD)
        v = *(const int *)value != 0;
    else
        memcpy(&v, value, sizeof v);
    return wf_rt_pool_set(pool, attr, v);
}
API(cuMemPoolGetAttribute, (CUmemoryPool pool, int attr, void *out), get(ADDR(pool), attr, out))
API(cuMemPoolSetAttribute, (CUmemoryPool pool, int attr, void *value),
    set(ADDR(pool), attr, value))

static enum wf_cu set_access(uint64_t pool, const struct abi_access *list, size_t n)
{
    enum wf_cu e = wf_rt_pool_check(pool);
    if (e != WF_CU_SUCCESS)
        return e;
    if (n && !list)
        return WF_CU_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) // the owner's own access cannot be taken away
        if (!is_here(&list[i].location, TYPE_PINNED) || list[i].flags != ACCESS_READ_WRITE)
            return WF_CU_INVALID_VALUE;
    return WF_CU_SUCCESS;
}
API(cuMemPoolSetAccess, (CUmemoryPool pool, const struct abi_access *list, size_t n),
    set_access(ADDR(pool), list, n))

static enum wf_cu get_access(int *out, uint64_t pool, const struct abi_location *at)
{
    enum wf_cu e = wf_rt_pool_check(pool);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || !is_here(at, TYPE_PINNED))
        return WF_CU_INVALID_VALUE;
    *out = ACCESS_READ_WRITE;
    return WF_CU_SUCCESS;
}
API(cuMemPoolGetAccess, (int *out, CUmemoryPool pool, struct abi_location *at),
    get_access(out, ADDR(pool), at))

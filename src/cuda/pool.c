// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and memory pools. Pools lie on the device; sharing them with other
// processes is not done.
#include "rt/pool.h" // wf_rt_pool_create

#include "cuda/priv.h"
#include "rt/pool_api.h" // wf_rt_pool_give

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

API(cuDeviceGetDefaultMemPool, (CUmemoryPool * out, int device), wf_rt_pool_give(out, wf_rt_pool_default, device))
API(cuDeviceGetMemPool, (CUmemoryPool * out, int device), wf_rt_pool_give(out, wf_rt_pool_current, device))
API(cuDeviceSetMemPool, (int device, CUmemoryPool pool), wf_rt_pool_make_current(device, ADDR(pool)))
API(cuMemGetDefaultMemPool, (CUmemoryPool * out, struct abi_location *at, int type),
    wf_rt_pool_give_here(out, wf_rt_pool_default, at, type))
API(cuMemGetMemPool, (CUmemoryPool * out, struct abi_location *at, int type),
    wf_rt_pool_give_here(out, wf_rt_pool_current, at, type))
API(cuMemSetMemPool, (struct abi_location * at, int type, CUmemoryPool pool),
    wf_rt_pool_is_here(at, type) ? wf_rt_pool_set_current(ADDR(pool)) : WF_CU_INVALID_VALUE)

static enum wf_cu create(CUmemoryPool *out, const struct abi_pool_props *p)
{
    enum wf_cu e = wf_rt_pool_make(out, p);
    return e == WF_CU_NOT_SUPPORTED ? wf__unsupported("cuMemPoolCreate with handles for other processes") : e;
}
API(cuMemPoolCreate, (CUmemoryPool * out, const struct abi_pool_props *p), create(out, p))
API(cuMemPoolDestroy, (CUmemoryPool pool), wf_rt_pool_destroy(ADDR(pool)))
API(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep), wf_rt_pool_trim(ADDR(pool), keep))
API(cuMemPoolGetAttribute, (CUmemoryPool pool, int attr, void *out), wf_rt_pool_get_attr(ADDR(pool), attr, out))
API(cuMemPoolSetAttribute, (CUmemoryPool pool, int attr, void *value), wf_rt_pool_set_attr(ADDR(pool), attr, value))
API(cuMemPoolSetAccess, (CUmemoryPool pool, const struct abi_access *list, size_t n),
    wf_rt_pool_set_access(ADDR(pool), list, n))
API(cuMemPoolGetAccess, (int *out, CUmemoryPool pool, struct abi_location *at),
    wf_rt_pool_get_access(out, ADDR(pool), at))

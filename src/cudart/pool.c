// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and memory pools. Pools lie on the device; sharing them with other
// processes is not done.
#include "rt/pool.h" // wf_rt_pool_create

#include "cudart/priv.h"
#include "rt/pool_api.h" // wf_rt_pool_give

static enum wf_cu alloc(void **out, size_t bytes, uint64_t pool, uint64_t stream)
{
    uint64_t addr = 0;
    enum wf_cu e = wf_rt_malloc_async(out ? &addr : NULL, bytes, pool, stream);
    if (e == WF_CU_SUCCESS)
        *out = (void *)(uintptr_t)addr;
    return e;
}
BOTH(cudaMallocAsync, _ptsz, (void **out, size_t bytes, cudaStream_t stream),
     alloc(out, bytes, 0, S(stream)))
BOTH(cudaMallocFromPoolAsync, _ptsz,
     (void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
     pool ? alloc(out, bytes, ADDR(pool), S(stream)) : WF_CU_INVALID_VALUE)
BOTH(cudaFreeAsync, _ptsz, (void *p, cudaStream_t stream), wf_rt_free_async(ADDR(p), S(stream)))

API(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * out, int device),
    wf_rt_pool_give(out, wf_rt_pool_default, device))
API(cudaDeviceGetMemPool, (cudaMemPool_t * out, int device), wf_rt_pool_give(out, wf_rt_pool_current, device))
API(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), wf_rt_pool_make_current(device, ADDR(pool)))
API(cudaMemGetDefaultMemPool, (cudaMemPool_t * out, struct abi_location *at, int type),
    wf_rt_pool_give_here(out, wf_rt_pool_default, at, type))
API(cudaMemGetMemPool, (cudaMemPool_t * out, struct abi_location *at, int type),
    wf_rt_pool_give_here(out, wf_rt_pool_current, at, type))
API(cudaMemSetMemPool, (struct abi_location * at, int type, cudaMemPool_t pool),
    wf_rt_pool_is_here(at, type) ? wf_rt_pool_set_current(ADDR(pool)) : WF_CU_INVALID_VALUE)

static enum wf_cu create(cudaMemPool_t *out, const struct abi_pool_props *p)
{
    enum wf_cu e = wf_rt_pool_make(out, p);
    return e == WF_CU_NOT_SUPPORTED ? wf__unsupported("cudaMemPoolCreate with handles for other processes") : e;
}
API(cudaMemPoolCreate, (cudaMemPool_t * out, const struct abi_pool_props *p), create(out, p))
API(cudaMemPoolDestroy, (cudaMemPool_t pool), wf_rt_pool_destroy(ADDR(pool)))
API(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), wf_rt_pool_trim(ADDR(pool), keep))
API(cudaMemPoolGetAttribute, (cudaMemPool_t pool, int attr, void *out), wf_rt_pool_get_attr(ADDR(pool), attr, out))
API(cudaMemPoolSetAttribute, (cudaMemPool_t pool, int attr, void *value), wf_rt_pool_set_attr(ADDR(pool), attr, value))
API(cudaMemPoolSetAccess, (cudaMemPool_t pool, const struct abi_access *list, size_t n),
    wf_rt_pool_set_access(ADDR(pool), list, n))
API(cudaMemPoolGetAccess, (int *out, cudaMemPool_t pool, struct abi_location *at),
    wf_rt_pool_get_access(out, ADDR(pool), at))

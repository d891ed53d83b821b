// SPDX-License-Identifier: Apache-2.0
// See pool_api.h.
#include "rt/pool_api.h"

#include <string.h> // memcpy

#include "rt/ipc.h"  // wf_rt_ipc_pool
#include "rt/pool.h" // wf_rt_pool_create

#define LOCATION_DEVICE 1
#define ACCESS_READ_WRITE 3
#define HANDLE_DESCRIPTOR 1

bool wf_rt_pool_is_here(const struct abi_location *at, int type)
{
    return at && at->type == LOCATION_DEVICE && at->id == 0 && type == WF_RT_POOL_PINNED;
}

enum wf_cu wf_rt_pool_give(void **out, enum wf_cu (*ask)(uint64_t *), int device)
{
    uint64_t handle;
    if (!out)
        return WF_CU_INVALID_VALUE;
    if (device != 0)
        return WF_CU_INVALID_DEVICE;
    enum wf_cu e = ask(&handle);
    if (e == WF_CU_SUCCESS)
        *out = (void *)(uintptr_t)handle;
    return e;
}

enum wf_cu wf_rt_pool_give_here(void **out, enum wf_cu (*ask)(uint64_t *), const struct abi_location *at, int type)
{
    return wf_rt_pool_is_here(at, type) ? wf_rt_pool_give(out, ask, 0) : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_pool_make(void **out, const struct abi_pool_props *p)
{
    if (!p || !wf_rt_pool_is_here(&p->location, p->type))
        return WF_CU_INVALID_VALUE;
    if (p->handle_types & ~HANDLE_DESCRIPTOR)
        return WF_CU_NOT_SUPPORTED;
    return wf_rt_pool_give(out, p->handle_types ? wf_rt_ipc_pool : wf_rt_pool_create, 0);
}

enum wf_cu wf_rt_pool_make_current(int device, uint64_t pool)
{
    return device == 0 ? wf_rt_pool_set_current(pool) : WF_CU_INVALID_DEVICE;
}

enum wf_cu wf_rt_pool_get_attr(uint64_t pool, int attr, void *out)
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

enum wf_cu wf_rt_pool_set_attr(uint64_t pool, int attr, const void *value)
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

enum wf_cu wf_rt_pool_set_access(uint64_t pool, const struct abi_access *list, size_t n)
{
    enum wf_cu e = wf_rt_pool_check(pool);
    if (e != WF_CU_SUCCESS)
        return e;
    if (n && !list)
        return WF_CU_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) // the owner's own access cannot be taken away
        if (!wf_rt_pool_is_here(&list[i].location, WF_RT_POOL_PINNED) || list[i].flags != ACCESS_READ_WRITE)
            return WF_CU_INVALID_VALUE;
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_pool_get_access(int *out, uint64_t pool, const struct abi_location *at)
{
    enum wf_cu e = wf_rt_pool_check(pool);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || !wf_rt_pool_is_here(at, WF_RT_POOL_PINNED))
        return WF_CU_INVALID_VALUE;
    *out = ACCESS_READ_WRITE;
    return WF_CU_SUCCESS;
}

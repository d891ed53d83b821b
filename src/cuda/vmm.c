// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: physical memory, reserved addresses, mappings. Memory lies on the one
// device, and every mapping may be read and written: kernels of other rights do not run here.
// None of the calls needs a current context.
#include "rt/vmm.h" // wf_rt_vmm_create

#include <string.h> // memcpy

#include "cuda/priv.h"

#define TYPE_PINNED 1
#define LOCATION_DEVICE 1
#define ACCESS_READ 1
#define ACCESS_READ_WRITE 3
#define POSIX_FD 1

static enum wf_cu is_physical(const struct abi_physical_props *p)
{
    if (!p || p->type != TYPE_PINNED || p->location.type != LOCATION_DEVICE || p->handle_types & ~POSIX_FD)
        return WF_CU_INVALID_VALUE;
    return wf__device(p->location.id);
}

static enum wf_cu create(uint64_t *out, size_t bytes, const struct abi_physical_props *p, uint64_t flags)
{
    struct wf_rt_physical m = {.bytes = bytes};
    enum wf_cu e = flags ? WF_CU_INVALID_VALUE : is_physical(p);
    if (e != WF_CU_SUCCESS)
        return e;
    m.handle_types = p->handle_types;
    memcpy(m.kept, p->flags, sizeof m.kept);
    return wf_rt_vmm_create(out, &m);
}
INIT(cuMemCreate,
    (uint64_t * out, size_t bytes, const struct abi_physical_props *p, unsigned long long flags),
    create(out, bytes, p, flags))
INIT(cuMemRelease, (uint64_t handle), wf_rt_vmm_release(handle))

static enum wf_cu properties(struct abi_physical_props *out, uint64_t handle)
{
    struct wf_rt_physical m;
    enum wf_cu e = wf_rt_vmm_info(handle, out ? &m : NULL);
    if (e != WF_CU_SUCCESS)
        return e;
    *out = (struct abi_physical_props){.type = TYPE_PINNED,
                                       .handle_types = m.handle_types,
                                       .location = {LOCATION_DEVICE, 0}};
    memcpy(out->flags, m.kept, sizeof m.kept);
    return WF_CU_SUCCESS;
}
INIT(cuMemGetAllocationPropertiesFromHandle, (struct abi_physical_props * out, uint64_t handle),
    properties(out, handle))

static enum wf_cu granularity(size_t *out, const struct abi_physical_props *p, int option)
{
    enum wf_cu e = is_physical(p);
    if (e == WF_CU_SUCCESS && (!out || option < 0 || option > 1))
        e = WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = WF_RT_VMM_GRAIN;
    return e;
}
INIT(cuMemGetAllocationGranularity, (size_t * out, const struct abi_physical_props *p, int option),
    granularity(out, p, option))
INIT(cuMemRetainAllocationHandle, (uint64_t * out, void *addr), wf_rt_vmm_retain(out, ADDR(addr)))

INIT(cuMemAddressReserve,
    (CUdeviceptr * out, size_t bytes, size_t align, CUdeviceptr wish, unsigned long long flags),
    ((void)wish, flags ? WF_CU_INVALID_VALUE : wf_rt_vmm_reserve(out, bytes, align)))
INIT(cuMemAddressFree, (CUdeviceptr addr, size_t bytes), wf_rt_vmm_free(addr, bytes))
INIT(cuMemMap,
    (CUdeviceptr addr, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags),
    flags ? WF_CU_INVALID_VALUE : wf_rt_vmm_map(addr, bytes, offset, handle))
INIT(cuMemUnmap, (CUdeviceptr addr, size_t bytes), wf_rt_vmm_unmap(addr, bytes))

static enum wf_cu set_access(CUdeviceptr addr, size_t bytes, const struct abi_access *list, size_t n)
{
    enum wf_cu e = list || !n ? wf_rt_vmm_range(addr, bytes) : WF_CU_INVALID_VALUE;
    for (size_t i = 0; i < n && e == WF_CU_SUCCESS; i++) {
        bool is_right = list[i].flags == 0 || list[i].flags == ACCESS_READ || list[i].flags == ACCESS_READ_WRITE;
        e = is_right && list[i].location.type == LOCATION_DEVICE ? wf__device(list[i].location.id) : WF_CU_INVALID_VALUE;
    }
    return e;
}
INIT(cuMemSetAccess, (CUdeviceptr addr, size_t bytes, const struct abi_access *list, size_t n),
    set_access(addr, bytes, list, n))

static enum wf_cu get_access(unsigned long long *out, const struct abi_location *at, CUdeviceptr addr)
{
    enum wf_cu e = wf_rt_vmm_range(addr, 1);
    if (e == WF_CU_SUCCESS && (!out || !at || at->type != LOCATION_DEVICE || at->id != 0))
        e = WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = ACCESS_READ_WRITE;
    return e;
}
INIT(cuMemGetAccess, (unsigned long long *out, const struct abi_location *at, CUdeviceptr addr),
    get_access(out, at, addr))

static enum wf_cu give_away(int *out, uint64_t handle, int type, uint64_t flags)
{
    if (flags || type != POSIX_FD)
        return WF_CU_INVALID_VALUE;
    return wf_rt_vmm_export(out, handle);
}
INIT(cuMemExportToShareableHandle, (void *out, uint64_t handle, int type, unsigned long long flags),
    give_away(out, handle, type, flags))
INIT(cuMemImportFromShareableHandle, (uint64_t * out, void *descriptor, int type),
    type == POSIX_FD ? wf_rt_vmm_import(out, (int)(intptr_t)descriptor) : WF_CU_INVALID_VALUE)

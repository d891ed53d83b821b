// SPDX-License-Identifier: Apache-2.0
// Allocation, pinned and managed memory, pointer queries.
#include "rt/memory.h" // wf_rt_malloc

#include <string.h> // memset

#include "cudart/priv.h"
#include "rt/module.h" // wf_rt_symbol

static enum wf_cu give(void **out, enum wf_cu e, uint64_t addr)
{
    if (e == WF_CU_SUCCESS)
        *out = (void *)(uintptr_t)addr;
    return e;
}

static enum wf_cu alloc(void **out, size_t bytes)
{
    uint64_t addr = 0;
    enum wf_cu e = wf_rt_malloc(out ? &addr : NULL, bytes);
    return give(out, e, addr);
}
API(cudaMalloc, (void **out, size_t bytes), alloc(out, bytes))

static enum wf_cu alloc_host(void **out, size_t bytes, unsigned flags)
{
    uint64_t addr = 0;
    enum wf_cu e = wf_rt_malloc_host(out ? &addr : NULL, bytes, flags);
    return give(out, e, addr);
}
API(cudaMallocHost, (void **out, size_t bytes), alloc_host(out, bytes, 0))
API(cudaHostAlloc, (void **out, size_t bytes, unsigned flags), alloc_host(out, bytes, flags))

static enum wf_cu alloc_managed(void **out, size_t bytes, unsigned flags)
{
    uint64_t addr = 0;
    enum wf_cu e = wf_rt_malloc_managed(out ? &addr : NULL, bytes, flags);
    return give(out, e, addr);
}
API(cudaMallocManaged, (void **out, size_t bytes, unsigned flags), alloc_managed(out, bytes, flags))

static enum wf_cu alloc_pitch(void **out, size_t *pitch, size_t width, size_t height)
{
    uint64_t addr = 0, row = 0;
    enum wf_cu e = wf_rt_malloc_pitch(out ? &addr : NULL, pitch ? &row : NULL, width, height);
    if (e == WF_CU_SUCCESS)
        *pitch = row;
    return give(out, e, addr);
}
API(cudaMallocPitch, (void **out, size_t *pitch, size_t width, size_t height),
    alloc_pitch(out, pitch, width, height))

static enum wf_cu alloc_3d(struct abi_pitched *out, struct abi_extent x)
{
    size_t rows;
    if (!out)
        return WF_CU_INVALID_VALUE;
    if (__builtin_mul_overflow(x.height, x.depth, &rows))
        return WF_CU_MEMORY_ALLOCATION;
    struct abi_pitched p = {.xsize = x.width, .ysize = x.height};
    enum wf_cu e = alloc_pitch(&p.ptr, &p.pitch, x.width, rows);
    if (e == WF_CU_SUCCESS)
        *out = p;
    return e;
}
API(cudaMalloc3D, (struct abi_pitched * out, struct abi_extent x), alloc_3d(out, x))

API(cudaFree, (void *p), wf_rt_free(ADDR(p)))
API(cudaFreeHost, (void *p), wf_rt_free_host(ADDR(p)))

API(cudaHostRegister, (void *p, size_t bytes, unsigned flags),
    wf_rt_host_register(ADDR(p), bytes, flags))
API(cudaHostUnregister, (void *p), wf_rt_host_unregister(ADDR(p)))

static enum wf_cu device_pointer(void **out, void *host, unsigned flags)
{
    uint64_t addr = 0;
    enum wf_cu e = wf_rt_host_device_pointer(out ? &addr : NULL, ADDR(host), flags);
    return give(out, e, addr);
}
API(cudaHostGetDevicePointer, (void **out, void *host, unsigned flags),
    device_pointer(out, host, flags))
API(cudaHostGetFlags, (unsigned *flags, void *host), wf_rt_host_flags(flags, ADDR(host)))

static enum wf_cu mem_info(size_t *left, size_t *total)
{
    uint64_t a, b;
    enum wf_cu e = wf_rt_mem_info(&a, &b);
    if (e == WF_CU_SUCCESS && left)
        *left = a;
    if (e == WF_CU_SUCCESS && total)
        *total = b;
    return e;
}
API(cudaMemGetInfo, (size_t * left, size_t *total), mem_info(left, total))

static enum wf_cu pointer_attributes(struct abi_pointer_attributes *out, const void *p)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out)
        return WF_CU_INVALID_VALUE;
    struct wf_rt_pointer i;
    wf_rt_pointer(ADDR(p), &i);
    out->type = (int)i.type;
    out->device = i.type == WF_RT_MEMORY_UNREGISTERED ? -2 : 0;
    out->device_pointer = (void *)(uintptr_t)i.device;
    out->host_pointer = (void *)(uintptr_t)i.host;
    return WF_CU_SUCCESS;
}
API(cudaPointerGetAttributes, (struct abi_pointer_attributes * out, const void *p),
    pointer_attributes(out, p))

static enum wf_cu symbol_address(void **out, const void *symbol)
{
    uint64_t addr, bytes;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_symbol(symbol, &addr, &bytes);
    return give(out, e, addr);
}
API(cudaGetSymbolAddress, (void **out, const void *symbol), symbol_address(out, symbol))

static enum wf_cu symbol_size(size_t *out, const void *symbol)
{
    uint64_t addr, bytes;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_symbol(symbol, &addr, &bytes);
    if (e == WF_CU_SUCCESS)
        *out = bytes;
    return e;
}
API(cudaGetSymbolSize, (size_t * out, const void *symbol), symbol_size(out, symbol))

// Where a managed page lies is nobody's business here: host and device share it.
BOTH(cudaStreamAttachMemAsync, _ptsz, (cudaStream_t stream, void *p, size_t bytes, unsigned flags),
     flags != 1 && flags != 2 && flags != 4 ? WF_CU_INVALID_VALUE
     : wf_rt_stream_check(S(stream)) != WF_CU_SUCCESS
         ? wf_rt_stream_check(S(stream))
         : wf_rt_managed_range(ADDR(p), bytes ? bytes : 1))

static enum wf_cu range_attribute(void *data, size_t bytes, int attr, const void *p, size_t n)
{
    enum wf_cu e = wf_rt_managed_range(ADDR(p), n);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!data || bytes < 4 || bytes % 4 || attr < 1 || attr > 8)
        return WF_CU_INVALID_VALUE;
    memset(data, 0, bytes); // no advice is kept
    if (attr == 2 || attr == 4)
        *(int *)data = -2; // preferred and last prefetch location: none
    if (attr == 3)
        for (size_t i = 0; i < bytes / 4; i++)
            ((int *)data)[i] = -2;
    return WF_CU_SUCCESS;
}
API(cudaMemRangeGetAttribute, (void *data, size_t bytes, int attr, const void *p, size_t n),
    range_attribute(data, bytes, attr, p, n))

static enum wf_cu range_attributes(void **data, size_t *bytes, int *attrs, size_t n_attrs,
                                   const void *p, size_t n)
{
    if (!data || !bytes || !attrs || !n_attrs)
        return WF_CU_INVALID_VALUE;
    for (size_t i = 0; i < n_attrs; i++) {
        enum wf_cu e = range_attribute(data[i], bytes[i], attrs[i], p, n);
        if (e != WF_CU_SUCCESS)
            return e;
    }
    return WF_CU_SUCCESS;
}
API(cudaMemRangeGetAttributes,
    (void **data, size_t *bytes, int *attrs, size_t n_attrs, const void *p, size_t n),
    range_attributes(data, bytes, attrs, n_attrs, p, n))

// SPDX-License-Identifier: Apache-2.0
// Allocation, pinned and managed memory, pointer queries.
#include "rt/memory.h" // wf_rt_malloc

#include <string.h> // memset

#include "cuda/context.h"
#include "cuda/priv.h"

static enum wf_cu note(enum wf_cu e, enum wf__kind kind, const uint64_t *addr)
{
    if (e == WF_CU_SUCCESS)
        wf__context_own(kind, *addr);
    return e;
}

static enum wf_cu alloc(CUdeviceptr *out, size_t bytes)
{
    if (!out || !bytes)
        return WF_CU_INVALID_VALUE;
    return note(wf_rt_malloc(out, bytes), WF__KIND_DEVICE_MEMORY, out);
}
API(cuMemAlloc_v2, (CUdeviceptr * out, size_t bytes), alloc(out, bytes))

static enum wf_cu alloc_pitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                              unsigned element)
{
    uint64_t row = 0;
    if (!out || !pitch || !width || !height)
        return WF_CU_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_malloc_pitch(out, &row, width, height);
    if (e == WF_CU_SUCCESS)
        *pitch = row;
    return note(e, WF__KIND_DEVICE_MEMORY, out);
}
API(cuMemAllocPitch_v2,
    (CUdeviceptr * out, size_t *pitch, size_t width, size_t height, unsigned element),
    alloc_pitch(out, pitch, width, height, element))

static enum wf_cu alloc_managed(CUdeviceptr *out, size_t bytes, unsigned flags)
{
    if (!out || !bytes)
        return WF_CU_INVALID_VALUE;
    return note(wf_rt_malloc_managed(out, bytes, flags), WF__KIND_DEVICE_MEMORY, out);
}
API(cuMemAllocManaged, (CUdeviceptr * out, size_t bytes, unsigned flags),
    alloc_managed(out, bytes, flags))

static enum wf_cu free_device(CUdeviceptr p)
{
    enum wf_cu e = wf_rt_free(p);
    if (e == WF_CU_SUCCESS)
        wf__context_disown(p);
    return e;
}
API(cuMemFree_v2, (CUdeviceptr p), free_device(p))

static enum wf_cu alloc_host(void **out, size_t bytes, unsigned flags)
{
    uint64_t addr = 0;
    if (!out || !bytes)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_malloc_host(&addr, bytes, flags);
    if (e == WF_CU_SUCCESS)
        *out = HANDLE(addr);
    return note(e, WF__KIND_HOST_MEMORY, &addr);
}
API(cuMemAllocHost_v2, (void **out, size_t bytes), alloc_host(out, bytes, 0))
SAME(cuMemAllocHost, cuMemAllocHost_v2)
API(cuMemHostAlloc, (void **out, size_t bytes, unsigned flags), alloc_host(out, bytes, flags))

static enum wf_cu free_host(void *p)
{
    enum wf_cu e = p ? wf_rt_free_host(ADDR(p)) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        wf__context_disown(ADDR(p));
    return e;
}
API(cuMemFreeHost, (void *p), free_host(p))

API(cuMemHostRegister_v2, (void *p, size_t bytes, unsigned flags),
    wf_rt_host_register(ADDR(p), bytes, flags))
SAME(cuMemHostRegister, cuMemHostRegister_v2)
API(cuMemHostUnregister, (void *p), wf_rt_host_unregister(ADDR(p)))
API(cuMemHostGetDevicePointer_v2, (CUdeviceptr * out, void *host, unsigned flags),
    wf_rt_host_device_pointer(out, ADDR(host), flags))
API(cuMemHostGetFlags, (unsigned *flags, void *host), wf_rt_host_flags(flags, ADDR(host)))

static enum wf_cu mem_info(size_t *left, size_t *total)
{
    uint64_t a, b;
    if (!left || !total)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_mem_info(&a, &b);
    if (e == WF_CU_SUCCESS)
        *left = a, *total = b;
    return e;
}
API(cuMemGetInfo_v2, (size_t * left, size_t *total), mem_info(left, total))

static enum wf_cu address_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr p)
{
    struct wf_rt_pointer i;
    wf_rt_pointer(p, &i);
    if (i.type == WF_RT_MEMORY_UNREGISTERED)
        return WF_CU_SYMBOL_NOT_FOUND; // what the driver says of memory that is not its own
    if (base)
        *base = i.base;
    if (bytes)
        *bytes = i.bytes;
    return WF_CU_SUCCESS;
}
API(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t *bytes, CUdeviceptr p),
    address_range(base, bytes, p))

// --- pointer attributes

enum {
    CONTEXT = 1,
    MEMORY_TYPE,
    DEVICE_POINTER,
    HOST_POINTER,
    P2P_TOKENS,
    SYNC_MEMOPS,
    BUFFER_ID,
    IS_MANAGED,
    DEVICE_ORDINAL,
    IS_IPC_CAPABLE,
    RANGE_START,
    RANGE_SIZE,
    IS_MAPPED,
    HANDLE_TYPES,
    IS_RDMA_CAPABLE,
    ACCESS_FLAGS,
    POOL,
    MAPPING_SIZE,
    MAPPING_BASE,
    BLOCK_ID,
    LAST_ATTRIBUTE = 22
};

static int memory_type(const struct wf_rt_pointer *i)
{
    return i->type == WF_RT_MEMORY_HOST ? ABI_MEMORY_HOST : ABI_MEMORY_DEVICE;
}

// The value and its width; 0 for a number that is none.
static size_t attribute(const struct wf_rt_pointer *i, int attr, uint64_t *v)
{
    *v = 0;
    switch (attr) {
    case CONTEXT:
        *v = ADDR(wf__context_of(i->base));
        return 8;
    case MEMORY_TYPE:
        *v = (uint64_t)memory_type(i);
        return 4;
    case DEVICE_POINTER:
        *v = i->device;
        return 8;
    case HOST_POINTER:
        *v = i->host;
        return 8;
    case BUFFER_ID:
    case BLOCK_ID:
        *v = i->serial;
        return 8;
    case RANGE_START:
    case MAPPING_BASE:
        *v = i->base;
        return 8;
    case RANGE_SIZE:
    case MAPPING_SIZE:
        *v = i->bytes;
        return 8;
    case HANDLE_TYPES:
    case POOL:
        return 8;
    case IS_MANAGED:
        *v = i->type == WF_RT_MEMORY_MANAGED;
        return 1;
    case IS_MAPPED:
        *v = 1;
        return 1;
    case IS_IPC_CAPABLE:
        *v = i->type == WF_RT_MEMORY_DEVICE;
        return 1;
    case SYNC_MEMOPS:
    case IS_RDMA_CAPABLE:
    case LAST_ATTRIBUTE - 1: // can be decompressed into by hardware
        return 1;
    case ACCESS_FLAGS:
        *v = 3;
        return 4;
    case DEVICE_ORDINAL:
        return 4;
    default:
        return 0;
    }
}

static enum wf_cu pointer(void *out, int attr, CUdeviceptr p, bool is_lenient)
{
    struct wf_rt_pointer i;
    uint64_t v;
    wf_rt_pointer(p, &i);
    size_t n = attribute(&i, attr, &v);
    if (!out || !n)
        return WF_CU_INVALID_VALUE;
    bool is_known = i.type != WF_RT_MEMORY_UNREGISTERED;
    if (!is_known && !is_lenient)
        return WF_CU_INVALID_VALUE;
    if (!is_known)
        v = attr == DEVICE_ORDINAL ? (uint64_t)-2 : 0;
    memcpy(out, &v, n);
    return WF_CU_SUCCESS;
}
API(cuPointerGetAttribute, (void *out, int attr, CUdeviceptr p), pointer(out, attr, p, false))

static enum wf_cu pointers(unsigned n, const int *attrs, void **out, CUdeviceptr p)
{
    if (!n || !attrs || !out)
        return WF_CU_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++) {
        enum wf_cu e = pointer(out[i], attrs[i], p, true);
        if (e != WF_CU_SUCCESS)
            return e;
    }
    return WF_CU_SUCCESS;
}
API(cuPointerGetAttributes, (unsigned n, int *attrs, void **out, CUdeviceptr p),
    pointers(n, attrs, out, p))
static enum wf_cu set_pointer(const void *value, int attr, CUdeviceptr p)
{
    struct wf_rt_pointer i;
    wf_rt_pointer(p, &i);
    bool is_right = value && attr == SYNC_MEMOPS && i.type != WF_RT_MEMORY_UNREGISTERED;
    return is_right ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE; // synchronous copies are synchronous here
}
API(cuPointerSetAttribute, (const void *value, int attr, CUdeviceptr p), set_pointer(value, attr, p))

// --- managed memory: host and device share it, so that advice has no effect

static bool is_location(struct abi_location at)
{
    return (at.type == 1 && at.id == 0) || (at.type >= 2 && at.type <= 4);
}
static struct abi_location location_of(CUdevice device)
{
    return device == -1 ? (struct abi_location){2, 0} : (struct abi_location){1, device};
}
static enum wf_cu prefetch(CUdeviceptr p, size_t n, struct abi_location at, unsigned flags,
                           uint64_t stream)
{
    enum wf_cu e = wf_rt_stream_check(stream);
    if (e != WF_CU_SUCCESS)
        return e;
    if (at.type == 1 && at.id != 0)
        return WF_CU_INVALID_DEVICE;
    return flags || !is_location(at) ? WF_CU_INVALID_VALUE : wf_rt_managed_range(p, n);
}
BOTH(cuMemPrefetchAsync, _ptsz, (CUdeviceptr p, size_t n, CUdevice device, CUstream stream),
     prefetch(p, n, location_of(device), 0, S(stream)))
BOTH(cuMemPrefetchAsync_v2, _ptsz,
     (CUdeviceptr p, size_t n, struct abi_location at, unsigned flags, CUstream stream),
     prefetch(p, n, at, flags, S(stream)))

static enum wf_cu advise(CUdeviceptr p, size_t n, int advice, struct abi_location at)
{
    bool needs_location = advice == 3 || advice >= 5; // preferred location, accessed by
    if (advice < 1 || advice > 6 || (needs_location && !is_location(at)))
        return WF_CU_INVALID_VALUE;
    return wf_rt_managed_range(p, n);
}
API(cuMemAdvise, (CUdeviceptr p, size_t n, int advice, CUdevice device),
    advise(p, n, advice, location_of(device)))
API(cuMemAdvise_v2, (CUdeviceptr p, size_t n, int advice, struct abi_location at),
    advise(p, n, advice, at))

static enum wf_cu range(void *data, size_t bytes, int attr, CUdeviceptr p, size_t n)
{
    enum wf_cu e = wf_rt_managed_range(p, n);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!data || bytes < 4 || bytes % 4 || attr < 1 || attr > 8)
        return WF_CU_INVALID_VALUE;
    bool is_place = attr >= 2 && attr <= 4; // preferred, accessed by, last prefetch: none
    for (size_t i = 0; i < bytes / 4; i++)
        ((int *)data)[i] = is_place ? -2 : 0;
    return WF_CU_SUCCESS;
}
API(cuMemRangeGetAttribute, (void *data, size_t bytes, int attr, CUdeviceptr p, size_t n),
    range(data, bytes, attr, p, n))
static enum wf_cu ranges(void **data, const size_t *bytes, const int *attrs, size_t n_attrs,
                         CUdeviceptr p, size_t n)
{
    if (!data || !bytes || !attrs || !n_attrs)
        return WF_CU_INVALID_VALUE;
    for (size_t i = 0; i < n_attrs; i++) {
        enum wf_cu e = range(data[i], bytes[i], attrs[i], p, n);
        if (e != WF_CU_SUCCESS)
            return e;
    }
    return WF_CU_SUCCESS;
}
API(cuMemRangeGetAttributes,
    (void **data, size_t *bytes, int *attrs, size_t n_attrs, CUdeviceptr p, size_t n),
    ranges(data, bytes, attrs, n_attrs, p, n))
BOTH(cuStreamAttachMemAsync, _ptsz, (CUstream stream, CUdeviceptr p, size_t n, unsigned flags),
     flags != 1 && flags != 2 && flags != 4 ? WF_CU_INVALID_VALUE
     : wf_rt_stream_check(S(stream)) != WF_CU_SUCCESS
         ? wf_rt_stream_check(S(stream))
         : wf_rt_managed_range(p, n ? n : 1))

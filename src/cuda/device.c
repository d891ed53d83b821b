// SPDX-License-Identifier: Apache-2.0
// The one device: count, names, attributes, limits.
#include "rt/device.h" // wf_rt_device_attr

#include <stdio.h>  // snprintf
#include <string.h> // memset

#include "core/launch.h" // wf_gpu_default
#include "cuda/priv.h"

INIT(cuDeviceGetCount, (int *out), wf__put_int(out, 1))
INIT(cuDeviceGet, (CUdevice * out, int ordinal),
     ordinal == 0 ? wf__put_int(out, 0) : WF_CU_INVALID_DEVICE)

static enum wf_cu name(char *out, int n, CUdevice device)
{
    if (!out || n <= 0)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        snprintf(out, (size_t)n, "%s", wf_rt_device_name());
    return e;
}
INIT(cuDeviceGetName, (char *out, int n, CUdevice device), name(out, n, device))

static enum wf_cu total(size_t *out, CUdevice device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = wf_gpu_default()->global_bytes;
    return wf__device(device);
}
INIT(cuDeviceTotalMem_v2, (size_t * out, CUdevice device), total(out, device))

static enum wf_cu attribute(int *out, int attr, CUdevice device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    return e == WF_CU_SUCCESS ? wf_rt_device_attr(attr, out) : e;
}
INIT(cuDeviceGetAttribute, (int *out, int attr, CUdevice device), attribute(out, attr, device))

static enum wf_cu capability(int *major, int *minor, CUdevice device)
{
    enum wf_cu e = attribute(major, WF_RT_ATTR_COMPUTE_CAPABILITY_MAJOR, device);
    return e == WF_CU_SUCCESS ? attribute(minor, WF_RT_ATTR_COMPUTE_CAPABILITY_MINOR, device) : e;
}
INIT(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device),
     capability(major, minor, device))

static enum wf_cu properties(struct abi_device_prop *out, CUdevice device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
#define VALUE(id) wf_rt_device_attr_value(WF_RT_ATTR_##id)
    *out = (struct abi_device_prop){
        .max_threads_per_block = VALUE(MAX_THREADS_PER_BLOCK),
        .max_block = {VALUE(MAX_BLOCK_DIM_X), VALUE(MAX_BLOCK_DIM_Y), VALUE(MAX_BLOCK_DIM_Z)},
        .max_grid = {VALUE(MAX_GRID_DIM_X), VALUE(MAX_GRID_DIM_Y), VALUE(MAX_GRID_DIM_Z)},
        .shared_per_block = VALUE(MAX_SHARED_MEMORY_PER_BLOCK),
        .const_bytes = VALUE(TOTAL_CONSTANT_MEMORY),
        .warp_size = VALUE(WARP_SIZE),
        .mem_pitch = VALUE(MAX_PITCH),
        .regs_per_block = VALUE(MAX_REGISTERS_PER_BLOCK),
        .clock_khz = VALUE(CLOCK_RATE),
        .texture_align = VALUE(TEXTURE_ALIGNMENT),
    };
#undef VALUE
    return wf__device(device);
}
INIT(cuDeviceGetProperties, (struct abi_device_prop * out, CUdevice device),
     properties(out, device))

static enum wf_cu uuid(unsigned char *out, CUdevice device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    wf_rt_device_uuid(out);
    return wf__device(device);
}
INIT(cuDeviceGetUuid_v2, (unsigned char *out, CUdevice device), uuid(out, device))
SAME(cuDeviceGetUuid, cuDeviceGetUuid_v2)
INIT(cuDeviceGetLuid, (char *luid, unsigned *mask, CUdevice device),
     ((void)luid, (void)mask, (void)device, WF_CU_NOT_SUPPORTED)) // of Windows only

static enum wf_cu bus_id(char *out, int n, CUdevice device)
{
    if (!out || n < (int)sizeof WF_RT_PCI_BUS_ID)
        return WF_CU_INVALID_VALUE;
    snprintf(out, (size_t)n, "%s", WF_RT_PCI_BUS_ID);
    return wf__device(device);
}
static enum wf_cu by_bus_id(CUdevice *out, const char *id)
{
    if (!out || !id)
        return WF_CU_INVALID_VALUE;
    bool is_ours = strcmp(id, WF_RT_PCI_BUS_ID) == 0 || strcmp(id, "00:06.0") == 0;
    return is_ours ? wf__put_int(out, 0) : WF_CU_INVALID_DEVICE;
}
INIT(cuDeviceGetPCIBusId, (char *out, int n, CUdevice device), bus_id(out, n, device))
INIT(cuDeviceGetByPCIBusId, (CUdevice * out, const char *id), by_bus_id(out, id))

static enum wf_cu linear_texture(size_t *out, CUdevice device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = (size_t)wf_rt_device_attr_value(WF_RT_ATTR_MAX_TEXTURE_1D_LINEAR_WIDTH);
    return wf__device(device);
}
INIT(cuDeviceGetTexture1DLinearMaxWidth,
     (size_t * out, int format, unsigned channels, CUdevice device),
     ((void)format, (void)channels, linear_texture(out, device)))
INIT(cuDeviceGetExecAffinitySupport, (int *out, int type, CUdevice device),
     ((void)type, wf__device(device) == WF_CU_SUCCESS ? wf__put_int(out, 0) : WF_CU_INVALID_DEVICE))

// Peers: there are none.
static enum wf_cu can_access(int *out, CUdevice device, CUdevice peer)
{
    if (device != 0 || peer != 0)
        return WF_CU_INVALID_DEVICE;
    return wf__put_int(out, 0);
}
INIT(cuDeviceCanAccessPeer, (int *out, CUdevice device, CUdevice peer),
     can_access(out, device, peer))
INIT(cuDeviceGetP2PAttribute, (int *out, int attr, CUdevice a, CUdevice b),
     ((void)out, (void)attr, (void)a, (void)b, WF_CU_INVALID_DEVICE))
API(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags),
    ((void)peer, flags ? WF_CU_INVALID_VALUE : WF_CU_PEER_ACCESS_UNSUPPORTED))
API(cuCtxDisablePeerAccess, (CUcontext peer), ((void)peer, WF_CU_PEER_ACCESS_NOT_ENABLED))
API(cuFlushGPUDirectRDMAWrites, (int target, int scope),
    ((void)target, (void)scope, WF_CU_SUCCESS))

// --- limits and wishes, which belong to a context there and to the device here

static enum wf_cu limit_get(size_t *out, int limit)
{
    uint64_t v;
    enum wf_cu e = out ? wf_rt_limit_get(limit, &v) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = v;
    return e;
}
API(cuCtxGetLimit, (size_t * out, int limit), limit_get(out, limit))
API(cuCtxSetLimit, (int limit, size_t value), wf_rt_limit_set(limit, value))

static _Atomic int cache_config;
static enum wf_cu cache_set(int config)
{
    if (config < 0 || config > 3)
        return WF_CU_INVALID_VALUE;
    cache_config = config;
    return WF_CU_SUCCESS;
}
API(cuCtxGetCacheConfig, (int *out), wf__put_int(out, cache_config))
API(cuCtxSetCacheConfig, (int config), cache_set(config))
// Banks are 4 bytes wide on every modelled GPU, whatever is asked.
API(cuCtxGetSharedMemConfig, (int *out), wf__put_int(out, 1))
API(cuCtxSetSharedMemConfig, (int config),
    config >= 0 && config <= 2 ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE)
API(cuCtxResetPersistingL2Cache, (void), WF_CU_SUCCESS)

static enum wf_cu priority_range(int *least, int *greatest)
{
    if (least)
        *least = WF_RT_PRIORITY_LEAST;
    if (greatest)
        *greatest = WF_RT_PRIORITY_GREATEST;
    return WF_CU_SUCCESS;
}
API(cuCtxGetStreamPriorityRange, (int *least, int *greatest), priority_range(least, greatest))

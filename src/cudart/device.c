// SPDX-License-Identifier: Apache-2.0
// The device: count, choice, attributes, limits, flags, waiting, reset.
#include "rt/device.h" // wf_rt_device_attr

#include <stdio.h>  // snprintf
#include <string.h> // strcmp

#include "cudart/priv.h"

static enum wf_cu put_int(int *out, int value)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = value;
    return WF_CU_SUCCESS;
}

API(cudaGetDeviceCount, (int *out), put_int(out, 1))
API(cudaGetDevice, (int *out), put_int(out, 0))
API(cudaSetDevice, (int device), wf__device(device))
API(cudaInitDevice, (int device, unsigned device_flags, unsigned flags),
    ((void)device_flags, (void)flags, wf__device(device)))

static enum wf_cu valid_devices(const int *devices, int n)
{
    if (n < 0 || (n && !devices))
        return WF_CU_INVALID_VALUE;
    for (int i = 0; i < n; i++)
        if (devices[i] != 0)
            return WF_CU_INVALID_DEVICE;
    return WF_CU_SUCCESS;
}
API(cudaSetValidDevices, (int *devices, int n), valid_devices(devices, n))

static enum wf_cu attribute(int *out, int attr, int device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    return e == WF_CU_SUCCESS ? wf_rt_device_attr(attr, out) : e;
}
API(cudaDeviceGetAttribute, (int *out, int attr, int device), attribute(out, attr, device))
API(cudaChooseDevice, (int *device, const void *prop),
    prop ? put_int(device, 0) : WF_CU_INVALID_VALUE)

static enum wf_cu flags_get(unsigned *out)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = wf_rt_device_flags();
    return WF_CU_SUCCESS;
}
API(cudaGetDeviceFlags, (unsigned *out), flags_get(out))
API(cudaSetDeviceFlags, (unsigned flags), wf_rt_device_flags_set(flags))

API(cudaDeviceSynchronize, (void), wf_rt_device_sync())
API(cudaThreadSynchronize, (void), wf_rt_device_sync())
API(cudaDeviceReset, (void), wf_rt_device_reset())
API(cudaThreadExit, (void), wf_rt_device_reset())

static enum wf_cu limit_get(size_t *out, int limit)
{
    uint64_t v;
    enum wf_cu e = out ? wf_rt_limit_get(limit, &v) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = v;
    return e;
}
API(cudaDeviceGetLimit, (size_t * out, int limit), limit_get(out, limit))
API(cudaDeviceSetLimit, (int limit, size_t value), wf_rt_limit_set(limit, value))
API(cudaThreadGetLimit, (size_t * out, int limit), limit_get(out, limit))
API(cudaThreadSetLimit, (int limit, size_t value), wf_rt_limit_set(limit, value))

// The split between L1 and shared memory is a wish that nothing here follows; it is remembered.
static _Atomic int cache_config;
static enum wf_cu cache_get(int *out)
{
    enum wf_cu e = wf_rt_enter();
    return e == WF_CU_SUCCESS ? put_int(out, cache_config) : e;
}
static enum wf_cu cache_set(int config)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (config < 0 || config > 3)
        return WF_CU_INVALID_VALUE;
    cache_config = config;
    return WF_CU_SUCCESS;
}
API(cudaDeviceGetCacheConfig, (int *out), cache_get(out))
API(cudaDeviceSetCacheConfig, (int config), cache_set(config))
API(cudaThreadGetCacheConfig, (int *out), cache_get(out))
API(cudaThreadSetCacheConfig, (int config), cache_set(config))

// Banks are 4 bytes wide on every modelled GPU, whatever is asked.
API(cudaDeviceGetSharedMemConfig, (int *out), put_int(out, 1))
API(cudaDeviceSetSharedMemConfig, (int config),
    config >= 0 && config <= 2 ? wf_rt_enter() : WF_CU_INVALID_VALUE)

static enum wf_cu priority_range(int *least, int *greatest)
{
    if (least)
        *least = WF_RT_PRIORITY_LEAST;
    if (greatest)
        *greatest = WF_RT_PRIORITY_GREATEST;
    return WF_CU_SUCCESS;
}
API(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
    wf_rt_enter() == WF_CU_SUCCESS ? priority_range(least, greatest) : wf_rt_enter())

static enum wf_cu bus_id(char *out, int n, int device)
{
    if (!out || n < (int)sizeof WF_RT_PCI_BUS_ID)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        snprintf(out, (size_t)n, "%s", WF_RT_PCI_BUS_ID);
    return e;
}
static enum wf_cu by_bus_id(int *out, const char *id)
{
    if (!out || !id)
        return WF_CU_INVALID_VALUE;
    bool is_ours = strcmp(id, WF_RT_PCI_BUS_ID) == 0 || strcmp(id, "00:06.0") == 0;
    return is_ours ? put_int(out, 0) : WF_CU_INVALID_VALUE;
}
API(cudaDeviceGetPCIBusId, (char *out, int n, int device), bus_id(out, n, device))
API(cudaDeviceGetByPCIBusId, (int *out, const char *id), by_bus_id(out, id))

static enum wf_cu linear_texture(size_t *out, const struct abi_channel *c, int device)
{
    if (!out || !c)
        return WF_CU_INVALID_VALUE;
    *out = (size_t)wf_rt_device_attr_value(WF_RT_ATTR_MAX_TEXTURE_1D_LINEAR_WIDTH);
    return wf__device(device);
}
API(cudaDeviceGetTexture1DLinearMaxWidth, (size_t * out, const struct abi_channel *c, int device),
    linear_texture(out, c, device))

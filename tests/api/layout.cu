// SPDX-License-Identifier: Apache-2.0
// Our layouts of the interface's types against the compiler's headers: it compiles, or it does not.
// expect: clean
// stdout: PASS
#include "api.h"

#include <stddef.h>
#include <stdint.h>
#define _Static_assert static_assert
namespace ours
{
#include "../../src/rt/pool_abi.h"
#include "../../src/cudart/abi.h"
#include "../../src/rt/attr.h"
} // namespace ours

#define SIZE(a, b) static_assert(sizeof(a) == sizeof(ours::b), "size of " #a)
#define AT(a, m, b, n)                                                                             \
    static_assert(offsetof(a, m) == offsetof(ours::b, n) &&                                        \
                      sizeof(((a *)0)->m) == sizeof(((ours::b *)0)->n),                            \
                  #a "." #m)

#if CUDART_VERSION >= 13000
SIZE(cudaDeviceProp, abi_device_prop);
AT(cudaDeviceProp, totalGlobalMem, abi_device_prop, global_bytes);
AT(cudaDeviceProp, maxGridSize, abi_device_prop, max_grid);
AT(cudaDeviceProp, multiProcessorCount, abi_device_prop, sm_count);
AT(cudaDeviceProp, maxTexture2DLinear, abi_device_prop, texture_2d_linear);
AT(cudaDeviceProp, maxTextureCubemapLayered, abi_device_prop, texture_cube_layered);
AT(cudaDeviceProp, maxSurfaceCubemapLayered, abi_device_prop, surface_cube_layered);
AT(cudaDeviceProp, surfaceAlignment, abi_device_prop, surface_align);
AT(cudaDeviceProp, memoryBusWidth, abi_device_prop, bus_bits);
AT(cudaDeviceProp, sharedMemPerMultiprocessor, abi_device_prop, shared_per_sm);
AT(cudaDeviceProp, cooperativeLaunch, abi_device_prop, cooperative);
AT(cudaDeviceProp, reservedSharedMemPerBlock, abi_device_prop, shared_reserved);
AT(cudaDeviceProp, memoryPoolSupportedHandleTypes, abi_device_prop, pool_handle_types);
AT(cudaDeviceProp, clusterLaunch, abi_device_prop, cluster);
AT(cudaDeviceProp, hostNumaMultinodeIpcSupported, abi_device_prop, multinode_ipc);
SIZE(cudaPointerAttributes, abi_pointer_attributes);
#endif
SIZE(cudaFuncAttributes, abi_func_attributes);
AT(cudaFuncAttributes, numRegs, abi_func_attributes, regs);
AT(cudaFuncAttributes, maxDynamicSharedSizeBytes, abi_func_attributes, max_dynamic_shared);
AT(cudaFuncAttributes, requiredClusterWidth, abi_func_attributes, cluster_width);
AT(cudaPointerAttributes, hostPointer, abi_pointer_attributes, host_pointer);
SIZE(cudaLaunchConfig_t, abi_launch_config);
AT(cudaLaunchConfig_t, stream, abi_launch_config, stream);
AT(cudaLaunchConfig_t, numAttrs, abi_launch_config, n_attrs);
SIZE(cudaLaunchAttribute, abi_launch_attribute);
static_assert(offsetof(cudaLaunchAttribute, val) == offsetof(ours::abi_launch_attribute, value),
              "");
SIZE(cudaMemcpy3DParms, abi_copy_3d);
AT(cudaMemcpy3DParms, dstPtr, abi_copy_3d, dst_ptr);
AT(cudaMemcpy3DParms, extent, abi_copy_3d, extent);
SIZE(cudaPitchedPtr, abi_pitched);
AT(cudaPitchedPtr, ysize, abi_pitched, ysize);
SIZE(cudaMemPoolProps, abi_pool_props);
AT(cudaMemPoolProps, location, abi_pool_props, location);
SIZE(cudaMemLocation, abi_location);
static_assert(cudaLaunchAttributeCooperative == (int)ours::WF_RT_ATTR_COOPERATIVE, "");
static_assert(cudaLaunchAttributeClusterDimension == (int)ours::WF_RT_ATTR_CLUSTER, "");
static_assert(cudaLaunchAttributePriority == (int)ours::WF_RT_ATTR_PRIORITY, "");

int main(void)
{
    return finish();
}

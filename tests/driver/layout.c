// SPDX-License-Identifier: Apache-2.0
// Our layouts of the interface's types against the compiler's header: it compiles, or it does not.
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

#include <stdint.h>
#define CUresult abi_result
#define CUdevice abi_device
#define CUdeviceptr abi_deviceptr
#define CUcontext abi_context
#define CUfunction abi_function
#define CUkernel abi_kernel
#define CUmodule abi_module
#define CUlibrary abi_library
#define CUstream abi_stream
#define CUevent abi_event
#define CUmemoryPool abi_pool
#define CUarray abi_array
#define CUlinkState abi_link
#include "../../src/rt/pool_abi.h"
#include "../../src/cuda/abi.h"
#include "../../src/rt/attr.h"
#undef CUresult
#undef CUdevice
#undef CUdeviceptr
#undef CUcontext
#undef CUfunction
#undef CUkernel
#undef CUmodule
#undef CUlibrary
#undef CUstream
#undef CUevent
#undef CUmemoryPool
#undef CUarray
#undef CUlinkState

#define SIZE(a, b) _Static_assert(sizeof(a) == sizeof(struct b), "size of " #a)
#define AT(a, m, b, n)                                                                             \
    _Static_assert(offsetof(a, m) == offsetof(struct b, n) &&                                      \
                       sizeof(((a *)0)->m) == sizeof(((struct b *)0)->n),                          \
                   #a "." #m)

SIZE(CUlaunchConfig, abi_launch_config);
AT(CUlaunchConfig, blockDimX, abi_launch_config, block[0]);
AT(CUlaunchConfig, sharedMemBytes, abi_launch_config, dynamic_shared);
AT(CUlaunchConfig, hStream, abi_launch_config, stream);
AT(CUlaunchConfig, numAttrs, abi_launch_config, n_attrs);
SIZE(CUlaunchAttribute, abi_launch_attribute);
AT(CUlaunchAttribute, value, abi_launch_attribute, value);
_Static_assert(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == (int)WF_RT_ATTR_COOPERATIVE, "");
_Static_assert(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == (int)WF_RT_ATTR_CLUSTER, "");
_Static_assert(CU_LAUNCH_ATTRIBUTE_PRIORITY == (int)WF_RT_ATTR_PRIORITY, "");
SIZE(CUDA_MEMCPY2D, abi_copy_2d);
AT(CUDA_MEMCPY2D, srcPitch, abi_copy_2d, src_pitch);
AT(CUDA_MEMCPY2D, dstDevice, abi_copy_2d, dst_device);
AT(CUDA_MEMCPY2D, Height, abi_copy_2d, height);
SIZE(CUDA_MEMCPY3D, abi_copy_3d);
AT(CUDA_MEMCPY3D, srcHeight, abi_copy_3d, src_height);
AT(CUDA_MEMCPY3D, dstLOD, abi_copy_3d, dst_lod);
AT(CUDA_MEMCPY3D, dstPitch, abi_copy_3d, dst_pitch);
AT(CUDA_MEMCPY3D, Depth, abi_copy_3d, depth);

int main(void)
{
    return finish();
}

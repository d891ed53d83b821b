// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for programs built without NVIDIA's toolkit: the runtime interface, its C++ forms, and
// in CUDA sources (clang -x cuda) everything a kernel may use. Written from NVIDIA's public
// documentation.
//
// Order matters: the device's own math functions must be known before the C++ library declares the
// host's (clang then keeps the host's constexpr ones away from the device).
#ifndef WF_CUDA_RUNTIME_H
#define WF_CUDA_RUNTIME_H

#if defined(__CUDA__) && defined(__clang__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif
#include "warpfence_cuda/common.h"

#include "warpfence_cuda/integer.h"
#include "warpfence_cuda/float_intrinsics.h"
#include "warpfence_cuda/math_float.h"
#include "warpfence_cuda/math_double.h"
#include "warpfence_cuda/math_special.h"
#include "warpfence_cuda/math_names.h"
#include "warpfence_cuda/system.h"
#endif

#ifdef __cplusplus
#include <cmath>   // host math, as nvcc brings it along
#include <cstdlib> // host malloc
#include <cstring> // host memcpy
#include <new>     // placement new
#endif

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"

#if defined(__CUDA__) && defined(__clang__)
#include "warpfence_cuda/atomics.h"
#include "warpfence_cuda/memory.h"
#include "warpfence_cuda/minmax.h"
#include "warpfence_cuda/shuffle.h"
#include "warpfence_cuda/sync.h"

// What clang makes of k<<<grid, block, shared, stream>>>(...).
extern "C" unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                                    size_t sharedMem = 0, cudaStream_t stream = 0);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                                  cudaStream_t *stream);

// What our front end knows of the source, said to the runtime by variables of these names: managed variables are
// to be there when all is registered, and the device code is one part of several (src/front/parts.c).
#ifdef WF_HAS_MANAGED
extern "C" __attribute__((device, used, weak, visibility("hidden"))) char wf_has_managed = 0;
#endif
#ifdef WF_IS_RELOCATABLE
extern "C" void **__cudaRegisterFatBinary(void *wrapper);
extern "C" void __cudaRegisterFatBinaryEnd(void **image);
extern "C" void __cudaRegisterVar(void **image, char *host, char *device_address, const char *name, int is_extern,
                                  size_t bytes, int is_constant, int is_global);
extern "C" __attribute__((used, weak, visibility("hidden"))) void
wf_register_part(void (*globals)(void **), void *wrapper, const char *, void (*)(void *))
{
    static char mark;
    void **image = __cudaRegisterFatBinary(wrapper);
    __cudaRegisterVar(image, &mark, &mark, "wf_is_relocatable", 0, 1, 0, 0);
    globals(image);
    __cudaRegisterFatBinaryEnd(image);
}
#endif
#endif

#ifdef __cplusplus
#include "warpfence_cuda/runtime_templates.h"
#endif

#endif

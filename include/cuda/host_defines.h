// SPDX-License-Identifier: Apache-2.0
// The execution space and storage keywords of CUDA C++ as attributes of clang; nothing for other
// compilers.
#ifndef WF_CUDA_HOST_DEFINES_H
#define WF_CUDA_HOST_DEFINES_H

#if defined(__CUDA__) && defined(__clang__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// clang 19 has no such attribute: the values travel as an annotation in the LLVM module, from which
// our front end writes .reqnctapercluster into the PTX; the host learns them when the module is
// loaded.
#define __cluster_dims__(...) __attribute__((annotate("warpfence.cluster", __VA_ARGS__)))
#define __grid_constant__
// Nor one for these: the annotation becomes an attribute in the PTX, and the runtime makes the variable and the
// host's one the same memory.
#define __managed__ __attribute__((device, annotate("warpfence.managed")))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#endif

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDART_DEVICE __device__

#endif

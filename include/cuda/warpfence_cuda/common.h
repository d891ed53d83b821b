// SPDX-License-Identifier: Apache-2.0
// What every device header here needs. Functions are always folded into their caller and carry no
// debug information of their own, so that an instruction stands at the line of the program that
// asked for it.
#ifndef WF_CUDA_COMMON_H
#define WF_CUDA_COMMON_H

#include "../host_defines.h"
#include "../vector_types.h"

#define WF_DEV static __inline__ __device__ __attribute__((always_inline, nodebug, unused))
#define WF_HD static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused))
// Long and rarely used: called, which keeps the kernel small.
#define WF_CALL static __device__ __attribute__((noinline, nodebug, unused))
// WF_DEV for members of classes.
#define WF_MEM __device__ __attribute__((always_inline, nodebug))
#define WF_MEM_HD __host__ __device__ __attribute__((always_inline, nodebug))

#endif

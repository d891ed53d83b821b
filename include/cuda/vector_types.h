// SPDX-License-Identifier: Apache-2.0
// CUDA's vector types (CUDA C++ Programming Guide, "Built-in Vector Types", for sizes and
// alignments), dim3, and, from C++, the make_* functions. Usable from C.
#ifndef WF_CUDA_VECTOR_TYPES_H
#define WF_CUDA_VECTOR_TYPES_H

#include "host_defines.h"

#define WF_VEC1(name, T)                                                                           \
    struct name {                                                                                  \
        T x;                                                                                       \
    };                                                                                             \
    typedef struct name name;
#define WF_VEC2(name, T, align)                                                                    \
    struct __attribute__((aligned(align))) name {                                                  \
        T x, y;                                                                                    \
    };                                                                                             \
    typedef struct name name;
#define WF_VEC3(name, T)                                                                           \
    struct name {                                                                                  \
        T x, y, z;                                                                                 \
    };                                                                                             \
    typedef struct name name;
#define WF_VEC4(name, T, align)                                                                    \
    struct __attribute__((aligned(align))) name {                                                  \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    typedef struct name name;
#define WF_VEC_FAMILY(name, T, align2, align4)                                                     \
    WF_VEC1(name##1, T)                                                                            \
    WF_VEC2(name##2, T, align2)                                                                    \
    WF_VEC3(name##3, T)                                                                            \
    WF_VEC4(name##4, T, align4)

WF_VEC_FAMILY(char, signed char, 2, 4)
WF_VEC_FAMILY(uchar, unsigned char, 2, 4)
WF_VEC_FAMILY(short, short, 4, 8)
WF_VEC_FAMILY(ushort, unsigned short, 4, 8)
WF_VEC_FAMILY(int, int, 8, 16)
WF_VEC_FAMILY(uint, unsigned int, 8, 16)
WF_VEC_FAMILY(long, long, 16, 16)
WF_VEC_FAMILY(ulong, unsigned long, 16, 16)
WF_VEC_FAMILY(longlong, long long, 16, 16)
WF_VEC_FAMILY(ulonglong, unsigned long long, 16, 16)
WF_VEC_FAMILY(float, float, 8, 16)
WF_VEC_FAMILY(double, double, 16, 16)

// CUDA 13 names the alignment of the 32-byte types.
WF_VEC4(long4_16a, long, 16)
WF_VEC4(long4_32a, long, 32)
WF_VEC4(ulong4_16a, unsigned long, 16)
WF_VEC4(ulong4_32a, unsigned long, 32)
WF_VEC4(longlong4_16a, long long, 16)
WF_VEC4(longlong4_32a, long long, 32)
WF_VEC4(ulonglong4_16a, unsigned long long, 16)
WF_VEC4(ulonglong4_32a, unsigned long long, 32)
WF_VEC4(double4_16a, double, 16)
WF_VEC4(double4_32a, double, 32)

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                       unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif

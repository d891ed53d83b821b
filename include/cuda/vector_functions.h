// SPDX-License-Identifier: Apache-2.0
// make_int2(x, y) and its family, for host and device.
#ifndef WF_CUDA_VECTOR_FUNCTIONS_H
#define WF_CUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#ifdef __cplusplus
#define WF_MAKE                                                                                    \
    static __inline__ __host__ __device__ __attribute__((always_inline, unused)) constexpr
#else
#define WF_MAKE static __inline__ __attribute__((always_inline, unused))
#endif
#define WF_MAKE4(name, T)                                                                          \
    WF_MAKE name make_##name(T x, T y, T z, T w)                                                   \
    {                                                                                              \
        name v = {x, y, z, w};                                                                     \
        return v;                                                                                  \
    }
#define WF_MAKE_FAMILY(name, T)                                                                    \
    WF_MAKE name##1 make_##name##1(T x)                                                            \
    {                                                                                              \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    WF_MAKE name##2 make_##name##2(T x, T y)                                                       \
    {                                                                                              \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    WF_MAKE name##3 make_##name##3(T x, T y, T z)                                                  \
    {                                                                                              \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    WF_MAKE4(name##4, T)

WF_MAKE_FAMILY(char, signed char)
WF_MAKE_FAMILY(uchar, unsigned char)
WF_MAKE_FAMILY(short, short)
WF_MAKE_FAMILY(ushort, unsigned short)
WF_MAKE_FAMILY(int, int)
WF_MAKE_FAMILY(uint, unsigned int)
WF_MAKE_FAMILY(long, long)
WF_MAKE_FAMILY(ulong, unsigned long)
WF_MAKE_FAMILY(longlong, long long)
WF_MAKE_FAMILY(ulonglong, unsigned long long)
WF_MAKE_FAMILY(float, float)
WF_MAKE_FAMILY(double, double)
WF_MAKE4(long4_16a, long)
WF_MAKE4(long4_32a, long)
WF_MAKE4(ulong4_16a, unsigned long)
WF_MAKE4(ulong4_32a, unsigned long)
WF_MAKE4(longlong4_16a, long long)
WF_MAKE4(longlong4_32a, long long)
WF_MAKE4(ulonglong4_16a, unsigned long long)
WF_MAKE4(ulonglong4_32a, unsigned long long)
WF_MAKE4(double4_16a, double)
WF_MAKE4(double4_32a, double)

#endif

// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints: __ldg, __ldcg, __stcg and so on, for all scalar and vector
// types.
#ifndef WF_CUDA_MEMORY_H
#define WF_CUDA_MEMORY_H

#include "common.h"

#define WF_LOAD1(name, op, T, R, ty, c)                                                            \
    WF_DEV T name(const T *p)                                                                      \
    {                                                                                              \
        R r;                                                                                       \
        asm volatile(op ty " %0, [%1];" : "=" c(r) : "l"(p) : "memory");                           \
        return (T)r;                                                                               \
    }
#define WF_LOAD2(name, op, T, R, ty, c)                                                            \
    WF_DEV T name(const T *p)                                                                      \
    {                                                                                              \
        R x, y;                                                                                    \
        asm volatile(op ".v2" ty " {%0, %1}, [%2];" : "=" c(x), "=" c(y) : "l"(p) : "memory");     \
        T v;                                                                                       \
        v.x = x;                                                                                   \
        v.y = y;                                                                                   \
        return v;                                                                                  \
    }
#define WF_LOAD4(name, op, T, R, ty, c)                                                            \
    WF_DEV T name(const T *p)                                                                      \
    {                                                                                              \
        R x, y, z, w;                                                                              \
        asm volatile(op ".v4" ty " {%0, %1, %2, %3}, [%4];"                                        \
                     : "=" c(x), "=" c(y), "=" c(z), "=" c(w)                                      \
                     : "l"(p)                                                                      \
                     : "memory");                                                                  \
        T v;                                                                                       \
        v.x = x;                                                                                   \
        v.y = y;                                                                                   \
        v.z = z;                                                                                   \
        v.w = w;                                                                                   \
        return v;                                                                                  \
    }
// 8-bit registers do not exist: bytes are loaded into wider ones.
#define WF_LOADS(name, op)                                                                         \
    WF_LOAD1(name, op, char, short, ".s8", "h")                                                    \
    WF_LOAD1(name, op, signed char, short, ".s8", "h")                                             \
    WF_LOAD1(name, op, unsigned char, unsigned short, ".u8", "h")                                  \
    WF_LOAD1(name, op, short, short, ".s16", "h")                                                  \
    WF_LOAD1(name, op, unsigned short, unsigned short, ".u16", "h")                                \
    WF_LOAD1(name, op, int, int, ".s32", "r")                                                      \
    WF_LOAD1(name, op, unsigned int, unsigned int, ".u32", "r")                                    \
    WF_LOAD1(name, op, long, long, ".s64", "l")                                                    \
    WF_LOAD1(name, op, unsigned long, unsigned long, ".u64", "l")                                  \
    WF_LOAD1(name, op, long long, long long, ".s64", "l")                                          \
    WF_LOAD1(name, op, unsigned long long, unsigned long long, ".u64", "l")                        \
    WF_LOAD1(name, op, float, float, ".f32", "f")                                                  \
    WF_LOAD1(name, op, double, double, ".f64", "d")                                                \
    WF_LOAD2(name, op, char2, short, ".s8", "h")                                                   \
    WF_LOAD4(name, op, char4, short, ".s8", "h")                                                   \
    WF_LOAD2(name, op, uchar2, unsigned short, ".u8", "h")                                         \
    WF_LOAD4(name, op, uchar4, unsigned short, ".u8", "h")                                         \
    WF_LOAD2(name, op, short2, short, ".s16", "h")                                                 \
    WF_LOAD4(name, op, short4, short, ".s16", "h")                                                 \
    WF_LOAD2(name, op, ushort2, unsigned short, ".u16", "h")                                       \
    WF_LOAD4(name, op, ushort4, unsigned short, ".u16", "h")                                       \
    WF_LOAD2(name, op, int2, int, ".s32", "r")                                                     \
    WF_LOAD4(name, op, int4, int, ".s32", "r")                                                     \
    WF_LOAD2(name, op, uint2, unsigned int, ".u32", "r")                                           \
    WF_LOAD4(name, op, uint4, unsigned int, ".u32", "r")                                           \
    WF_LOAD2(name, op, longlong2, long long, ".s64", "l")                                          \
    WF_LOAD2(name, op, ulonglong2, unsigned long long, ".u64", "l")                                \
    WF_LOAD2(name, op, float2, float, ".f32", "f")                                                 \
    WF_LOAD4(name, op, float4, float, ".f32", "f")                                                 \
    WF_LOAD2(name, op, double2, double, ".f64", "d")
WF_LOADS(__ldg, "ld.global.nc")
WF_LOADS(__ldca, "ld.global.ca")
WF_LOADS(__ldcg, "ld.global.cg")
WF_LOADS(__ldcs, "ld.global.cs")
WF_LOADS(__ldlu, "ld.global.lu")
WF_LOADS(__ldcv, "ld.global.cv")

#define WF_STORE1(name, op, T, R, ty, c)                                                           \
    WF_DEV void name(T *p, T v)                                                                    \
    {                                                                                              \
        asm volatile(op ty " [%0], %1;" ::"l"(p), c((R)v) : "memory");                             \
    }
#define WF_STORE2(name, op, T, R, ty, c)                                                           \
    WF_DEV void name(T *p, T v)                                                                    \
    {                                                                                              \
        asm volatile(op ".v2" ty " [%0], {%1, %2};" ::"l"(p), c((R)v.x), c((R)v.y) : "memory");    \
    }
#define WF_STORE4(name, op, T, R, ty, c)                                                           \
    WF_DEV void name(T *p, T v)                                                                    \
    {                                                                                              \
        asm volatile(op ".v4" ty " [%0], {%1, %2, %3, %4};" ::"l"(p), c((R)v.x), c((R)v.y),        \
                     c((R)v.z), c((R)v.w)                                                          \
                     : "memory");                                                                  \
    }
#define WF_STORES(name, op)                                                                        \
    WF_STORE1(name, op, char, short, ".s8", "h")                                                   \
    WF_STORE1(name, op, signed char, short, ".s8", "h")                                            \
    WF_STORE1(name, op, unsigned char, unsigned short, ".u8", "h")                                 \
    WF_STORE1(name, op, short, short, ".s16", "h")                                                 \
    WF_STORE1(name, op, unsigned short, unsigned short, ".u16", "h")                               \
    WF_STORE1(name, op, int, int, ".s32", "r")                                                     \
    WF_STORE1(name, op, unsigned int, unsigned int, ".u32", "r")                                   \
    WF_STORE1(name, op, long, long, ".s64", "l")                                                   \
    WF_STORE1(name, op, unsigned long, unsigned long, ".u64", "l")                                 \
    WF_STORE1(name, op, long long, long long, ".s64", "l")                                         \
    WF_STORE1(name, op, unsigned long long, unsigned long long, ".u64", "l")                       \
    WF_STORE1(name, op, float, float, ".f32", "f")                                                 \
    WF_STORE1(name, op, double, double, ".f64", "d")                                               \
    WF_STORE2(name, op, char2, short, ".s8", "h")                                                  \
    WF_STORE4(name, op, char4, short, ".s8", "h")                                                  \
    WF_STORE2(name, op, uchar2, unsigned short, ".u8", "h")                                        \
    WF_STORE4(name, op, uchar4, unsigned short, ".u8", "h")                                        \
    WF_STORE2(name, op, short2, short, ".s16", "h")                                                \
    WF_STORE4(name, op, short4, short, ".s16", "h")                                                \
    WF_STORE2(name, op, ushort2, unsigned short, ".u16", "h")                                      \
    WF_STORE4(name, op, ushort4, unsigned short, ".u16", "h")                                      \
    WF_STORE2(name, op, int2, int, ".s32", "r")                                                    \
    WF_STORE4(name, op, int4, int, ".s32", "r")                                                    \
    WF_STORE2(name, op, uint2, unsigned int, ".u32", "r")                                          \
    WF_STORE4(name, op, uint4, unsigned int, ".u32", "r")                                          \
    WF_STORE2(name, op, longlong2, long long, ".s64", "l")                                         \
    WF_STORE2(name, op, ulonglong2, unsigned long long, ".u64", "l")                               \
    WF_STORE2(name, op, float2, float, ".f32", "f")                                                \
    WF_STORE4(name, op, float4, float, ".f32", "f")                                                \
    WF_STORE2(name, op, double2, double, ".f64", "d")
WF_STORES(__stwb, "st.global.wb")
WF_STORES(__stcg, "st.global.cg")
WF_STORES(__stcs, "st.global.cs")
WF_STORES(__stwt, "st.global.wt")

#undef WF_LOAD1
#undef WF_LOAD2
#undef WF_LOAD4
#undef WF_LOADS
#undef WF_STORE1
#undef WF_STORE2
#undef WF_STORE4
#undef WF_STORES

#endif

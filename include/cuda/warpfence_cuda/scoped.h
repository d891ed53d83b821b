// SPDX-License-Identifier: Apache-2.0
// Ordered and scoped accesses as inline PTX: what libcu++ documents for cuda::atomic, instruction
// for instruction as nvcc emits it. Orders are the numbers of std::memory_order. Sequentially
// consistent = a fence.sc before the acquire or relaxed form. Thread scope accesses at block scope;
// its fences are nothing.
#ifndef WF_CUDA_SCOPED_H
#define WF_CUDA_SCOPED_H

#include "common.h"

enum { WF_RELAXED, WF_CONSUME, WF_ACQUIRE, WF_RELEASE, WF_ACQ_REL, WF_SEQ_CST };
enum { WF_SCOPE_SYSTEM, WF_SCOPE_DEVICE, WF_SCOPE_BLOCK, WF_SCOPE_THREAD };

// Expands M(scope spelling) for the scope S.
#define WF_BY_SCOPE(S, M, ...)                                                                     \
    do {                                                                                           \
        if constexpr ((S) == WF_SCOPE_SYSTEM) {                                                    \
            M(".sys", __VA_ARGS__);                                                                \
        } else if constexpr ((S) == WF_SCOPE_DEVICE) {                                             \
            M(".gpu", __VA_ARGS__);                                                                \
        } else {                                                                                   \
            M(".cta", __VA_ARGS__);                                                                \
        }                                                                                          \
    } while (0)

#define WF_FENCE(scope, kind) asm volatile("fence" kind scope ";" ::: "memory")
template <int S> WF_DEV void wf_fence_sc()
{
    WF_BY_SCOPE(S, WF_FENCE, ".sc");
}
template <int S> WF_DEV void wf_fence(int order)
{
    if constexpr (S != WF_SCOPE_THREAD) {
        if (order == WF_SEQ_CST)
            wf_fence_sc<S>();
        else if (order != WF_RELAXED)
            WF_BY_SCOPE(S, WF_FENCE, ".acq_rel");
    }
}

#define WF_LD(scope, sem, ty, c)                                                                   \
    asm volatile("ld" sem scope ty " %0, [%1];" : "=" c(r) : "l"(p) : "memory")
#define WF_ST(scope, sem, ty, c)                                                                   \
    asm volatile("st" sem scope ty " [%0], %1;" ::"l"(p), c(v) : "memory")
#define WF_LOAD_STORE(bits, T, c)                                                                  \
    template <int S> WF_DEV T wf_load##bits(const void *p, int order)                              \
    {                                                                                              \
        T r;                                                                                       \
        if (order == WF_SEQ_CST)                                                                   \
            wf_fence_sc<S>();                                                                      \
        if (order == WF_RELAXED)                                                                   \
            WF_BY_SCOPE(S, WF_LD, ".relaxed", ".b" #bits, c);                                      \
        else                                                                                       \
            WF_BY_SCOPE(S, WF_LD, ".acquire", ".b" #bits, c);                                      \
        return r;                                                                                  \
    }                                                                                              \
    template <int S> WF_DEV void wf_store##bits(void *p, T v, int order)                           \
    {                                                                                              \
        if (order == WF_SEQ_CST)                                                                   \
            wf_fence_sc<S>();                                                                      \
        if (order == WF_RELEASE)                                                                   \
            WF_BY_SCOPE(S, WF_ST, ".release", ".b" #bits, c);                                      \
        else                                                                                       \
            WF_BY_SCOPE(S, WF_ST, ".relaxed", ".b" #bits, c);                                      \
    }
WF_LOAD_STORE(16, unsigned short, "h")
WF_LOAD_STORE(32, unsigned int, "r")
WF_LOAD_STORE(64, unsigned long long, "l")
#undef WF_LOAD_STORE

// 128 bits travel as two halves.
#define WF_LD128(scope, sem, unused1, unused2)                                                                         \
    asm volatile("{ .reg .b128 t; ld" sem scope ".b128 t, [%2]; mov.b128 {%0, %1}, t; }" : "=l"(lo), "=l"(hi) : "l"(p) : "memory")
#define WF_ST128(scope, sem, unused1, unused2)                                                                         \
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st" sem scope ".b128 [%0], t; }" ::"l"(p), "l"(lo), "l"(hi) : "memory")
typedef unsigned __int128 wf_u128;
template <int S> WF_DEV wf_u128 wf_load128(const void *p, int order)
{
    unsigned long long lo, hi;
    if (order == WF_SEQ_CST)
        wf_fence_sc<S>();
    if (order == WF_RELAXED)
        WF_BY_SCOPE(S, WF_LD128, ".relaxed", 0, 0);
    else
        WF_BY_SCOPE(S, WF_LD128, ".acquire", 0, 0);
    return (wf_u128)hi << 64 | lo;
}
template <int S> WF_DEV void wf_store128(void *p, wf_u128 v, int order)
{
    unsigned long long lo = (unsigned long long)v, hi = (unsigned long long)(v >> 64);
    if (order == WF_SEQ_CST)
        wf_fence_sc<S>();
    if (order == WF_RELEASE)
        WF_BY_SCOPE(S, WF_ST128, ".release", 0, 0);
    else
        WF_BY_SCOPE(S, WF_ST128, ".relaxed", 0, 0);
}

#define WF_RMW_ASM(scope, op, sem, ty, c)                                                          \
    asm volatile("atom" op sem scope ty " %0, [%1], %2;" : "=" c(r) : "l"(p), c(v) : "memory")
#define WF_BY_ORDER(S, M, op, ty, c)                                                               \
    if (order == WF_SEQ_CST)                                                                       \
        wf_fence_sc<S>();                                                                          \
    switch (order) {                                                                               \
    case WF_RELAXED:                                                                               \
        WF_BY_SCOPE(S, M, op, ".relaxed", ty, c);                                                  \
        break;                                                                                     \
    case WF_RELEASE:                                                                               \
        WF_BY_SCOPE(S, M, op, ".release", ty, c);                                                  \
        break;                                                                                     \
    case WF_ACQ_REL:                                                                               \
        WF_BY_SCOPE(S, M, op, ".acq_rel", ty, c);                                                  \
        break;                                                                                     \
    default:                                                                                       \
        WF_BY_SCOPE(S, M, op, ".acquire", ty, c);                                                  \
        break;                                                                                     \
    }
#define WF_RMW(name, T, op, ty, c)                                                                 \
    template <int S> WF_DEV T name(T *p, T v, int order)                                           \
    {                                                                                              \
        T r;                                                                                       \
        WF_BY_ORDER(S, WF_RMW_ASM, op, ty, c)                                                      \
        return r;                                                                                  \
    }
WF_RMW(wf_rmw_add, int, ".add", ".s32", "r")
WF_RMW(wf_rmw_add, unsigned int, ".add", ".u32", "r")
WF_RMW(wf_rmw_add, unsigned long long, ".add", ".u64", "l")
WF_RMW(wf_rmw_add, float, ".add", ".f32", "f")
WF_RMW(wf_rmw_add, double, ".add", ".f64", "d")
WF_RMW(wf_rmw_min, int, ".min", ".s32", "r")
WF_RMW(wf_rmw_min, unsigned int, ".min", ".u32", "r")
WF_RMW(wf_rmw_min, long long, ".min", ".s64", "l")
WF_RMW(wf_rmw_min, unsigned long long, ".min", ".u64", "l")
WF_RMW(wf_rmw_max, int, ".max", ".s32", "r")
WF_RMW(wf_rmw_max, unsigned int, ".max", ".u32", "r")
WF_RMW(wf_rmw_max, long long, ".max", ".s64", "l")
WF_RMW(wf_rmw_max, unsigned long long, ".max", ".u64", "l")
WF_RMW(wf_rmw_and, unsigned int, ".and", ".b32", "r")
WF_RMW(wf_rmw_and, unsigned long long, ".and", ".b64", "l")
WF_RMW(wf_rmw_or, unsigned int, ".or", ".b32", "r")
WF_RMW(wf_rmw_or, unsigned long long, ".or", ".b64", "l")
WF_RMW(wf_rmw_xor, unsigned int, ".xor", ".b32", "r")
WF_RMW(wf_rmw_xor, unsigned long long, ".xor", ".b64", "l")
WF_RMW(wf_rmw_exch, unsigned int, ".exch", ".b32", "r")
WF_RMW(wf_rmw_exch, unsigned long long, ".exch", ".b64", "l")
#undef WF_RMW
#undef WF_RMW_ASM

#define WF_CAS_ASM(scope, op, sem, ty, c)                                                          \
    asm volatile("atom" op sem scope ty " %0, [%1], %2, %3;"                                       \
                 : "=" c(r)                                                                        \
                 : "l"(p), c(want), c(v)                                                           \
                 : "memory")
#define WF_CAS(T, ty, c)                                                                           \
    template <int S> WF_DEV T wf_rmw_cas(T *p, T want, T v, int order)                             \
    {                                                                                              \
        T r;                                                                                       \
        WF_BY_ORDER(S, WF_CAS_ASM, ".cas", ty, c)                                                  \
        return r;                                                                                  \
    }
WF_CAS(unsigned int, ".b32", "r")
WF_CAS(unsigned long long, ".b64", "l")
#undef WF_CAS
#undef WF_CAS_ASM
#define WF_EXCH128(scope, op, sem, unused1, unused2)                                                                   \
    asm volatile("{ .reg .b128 t, u; mov.b128 t, {%3, %4}; atom.exch" sem scope ".b128 u, [%2], t; mov.b128 {%0, %1}, u; }" \
                 : "=l"(lo), "=l"(hi)                                                                                  \
                 : "l"(p), "l"((unsigned long long)v), "l"((unsigned long long)(v >> 64))                              \
                 : "memory")
#define WF_CAS128(scope, op, sem, unused1, unused2)                                                                    \
    asm volatile("{ .reg .b128 t, u, w; mov.b128 w, {%5, %6}; mov.b128 t, {%3, %4}; atom.cas" sem scope                \
                 ".b128 u, [%2], w, t; mov.b128 {%0, %1}, u; }"                                                        \
                 : "=l"(lo), "=l"(hi)                                                                                  \
                 : "l"(p), "l"((unsigned long long)v), "l"((unsigned long long)(v >> 64)),                             \
                   "l"((unsigned long long)want), "l"((unsigned long long)(want >> 64))                                \
                 : "memory")
template <int S> WF_DEV wf_u128 wf_rmw_exch(wf_u128 *p, wf_u128 v, int order)
{
    unsigned long long lo, hi;
    WF_BY_ORDER(S, WF_EXCH128, 0, 0, 0)
    return (wf_u128)hi << 64 | lo;
}
template <int S> WF_DEV wf_u128 wf_rmw_cas(wf_u128 *p, wf_u128 want, wf_u128 v, int order)
{
    unsigned long long lo, hi;
    WF_BY_ORDER(S, WF_CAS128, 0, 0, 0)
    return (wf_u128)hi << 64 | lo;
}
#undef WF_EXCH128
#undef WF_CAS128
#undef WF_BY_ORDER

#endif

// SPDX-License-Identifier: Apache-2.0
// The legacy atomic functions: relaxed, at device scope; _block and _system at theirs. By inline
// PTX, since clang's own builtins order too strongly in some cases and confuse signedness in
// others.
#ifndef WF_CUDA_ATOMICS_H
#define WF_CUDA_ATOMICS_H

#include "common.h"

#define WF_ATOM_ONE(name, T, opcode, c)                                                            \
    WF_DEV T name(T *address, T value)                                                             \
    {                                                                                              \
        T old;                                                                                     \
        asm volatile("atom" opcode " %0, [%1], %2;"                                                \
                     : "=" c(old)                                                                  \
                     : "l"(address), c(value)                                                      \
                     : "memory");                                                                  \
        return old;                                                                                \
    }
#define WF_ATOM(name, T, opcode, c)                                                                \
    WF_ATOM_ONE(name, T, opcode, c)                                                                \
    WF_ATOM_ONE(name##_block, T, ".cta" opcode, c)                                                 \
    WF_ATOM_ONE(name##_system, T, ".sys" opcode, c)

WF_ATOM(atomicAdd, int, ".add.u32", "r")
WF_ATOM(atomicAdd, unsigned int, ".add.u32", "r")
WF_ATOM(atomicAdd, unsigned long long, ".add.u64", "l")
WF_ATOM(atomicAdd, unsigned long, ".add.u64", "l")
WF_ATOM(atomicAdd, float, ".add.f32", "f")
WF_ATOM(atomicAdd, double, ".add.f64", "d")
WF_ATOM(atomicMin, int, ".min.s32", "r")
WF_ATOM(atomicMin, unsigned int, ".min.u32", "r")
WF_ATOM(atomicMin, long long, ".min.s64", "l")
WF_ATOM(atomicMin, unsigned long long, ".min.u64", "l")
WF_ATOM(atomicMin, long, ".min.s64", "l")
WF_ATOM(atomicMin, unsigned long, ".min.u64", "l")
WF_ATOM(atomicMax, int, ".max.s32", "r")
WF_ATOM(atomicMax, unsigned int, ".max.u32", "r")
WF_ATOM(atomicMax, long long, ".max.s64", "l")
WF_ATOM(atomicMax, unsigned long long, ".max.u64", "l")
WF_ATOM(atomicMax, long, ".max.s64", "l")
WF_ATOM(atomicMax, unsigned long, ".max.u64", "l")
WF_ATOM(atomicAnd, int, ".and.b32", "r")
WF_ATOM(atomicAnd, unsigned int, ".and.b32", "r")
WF_ATOM(atomicAnd, unsigned long long, ".and.b64", "l")
WF_ATOM(atomicAnd, unsigned long, ".and.b64", "l")
WF_ATOM(atomicOr, int, ".or.b32", "r")
WF_ATOM(atomicOr, unsigned int, ".or.b32", "r")
WF_ATOM(atomicOr, unsigned long long, ".or.b64", "l")
WF_ATOM(atomicOr, unsigned long, ".or.b64", "l")
WF_ATOM(atomicXor, int, ".xor.b32", "r")
WF_ATOM(atomicXor, unsigned int, ".xor.b32", "r")
WF_ATOM(atomicXor, unsigned long long, ".xor.b64", "l")
WF_ATOM(atomicXor, unsigned long, ".xor.b64", "l")
WF_ATOM(atomicExch, int, ".exch.b32", "r")
WF_ATOM(atomicExch, unsigned int, ".exch.b32", "r")
WF_ATOM(atomicExch, unsigned long long, ".exch.b64", "l")
WF_ATOM(atomicExch, unsigned long, ".exch.b64", "l")
WF_ATOM(atomicExch, float, ".exch.b32", "f")
WF_ATOM(atomicInc, unsigned int, ".inc.u32", "r")
WF_ATOM(atomicDec, unsigned int, ".dec.u32", "r")
#undef WF_ATOM
#undef WF_ATOM_ONE

// PTX has no atom.sub: the addend is negated, as nvcc does it.
#define WF_SUB(T, suffix)                                                                          \
    WF_DEV T atomicSub##suffix(T *address, T value)                                                \
    {                                                                                              \
        return atomicAdd##suffix(address, (T)(0u - (unsigned int)value));                          \
    }
WF_SUB(int, )
WF_SUB(int, _block)
WF_SUB(int, _system)
WF_SUB(unsigned int, )
WF_SUB(unsigned int, _block)
WF_SUB(unsigned int, _system)
#undef WF_SUB

#define WF_CAS_ONE(name, T, scope, bits, c)                                                        \
    WF_DEV T name(T *address, T compare, T value)                                                  \
    {                                                                                              \
        T old;                                                                                     \
        asm volatile("atom" scope ".cas.b" bits " %0, [%1], %2, %3;"                               \
                     : "=" c(old)                                                                  \
                     : "l"(address), c(compare), c(value)                                          \
                     : "memory");                                                                  \
        return old;                                                                                \
    }
#define WF_CAS(T, bits, c)                                                                         \
    WF_CAS_ONE(atomicCAS, T, "", bits, c)                                                          \
    WF_CAS_ONE(atomicCAS_block, T, ".cta", bits, c)                                                \
    WF_CAS_ONE(atomicCAS_system, T, ".sys", bits, c)
WF_CAS(int, "32", "r")
WF_CAS(unsigned int, "32", "r")
WF_CAS(unsigned long long, "64", "l")
WF_CAS(unsigned long, "64", "l")
WF_CAS(unsigned short, "16", "h")
#undef WF_CAS
#undef WF_CAS_ONE

// 16-byte types: the bytes go through .b128 registers.
struct wf_b128 {
    unsigned long long low, high;
};
#define WF_B128_ONE(suffix, scope)                                                                 \
    template <class T> WF_DEV T wf_cas128##suffix(T *address, T compare, T value)                  \
    {                                                                                              \
        wf_b128 c, v, old;                                                                         \
        __builtin_memcpy(&c, &compare, 16);                                                        \
        __builtin_memcpy(&v, &value, 16);                                                          \
        asm volatile("{ .reg .b128 c, v, o; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; "          \
                     "atom" scope ".cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }"               \
                     : "=l"(old.low), "=l"(old.high)                                               \
                     : "l"(address), "l"(c.low), "l"(c.high), "l"(v.low), "l"(v.high)              \
                     : "memory");                                                                  \
        __builtin_memcpy(&value, &old, 16);                                                        \
        return value;                                                                              \
    }                                                                                              \
    template <class T> WF_DEV T wf_exch128##suffix(T *address, T value)                            \
    {                                                                                              \
        wf_b128 v, old;                                                                            \
        __builtin_memcpy(&v, &value, 16);                                                          \
        asm volatile("{ .reg .b128 v, o; mov.b128 v, {%3, %4}; "                                   \
                     "atom" scope ".exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"                 \
                     : "=l"(old.low), "=l"(old.high)                                               \
                     : "l"(address), "l"(v.low), "l"(v.high)                                       \
                     : "memory");                                                                  \
        __builtin_memcpy(&value, &old, 16);                                                        \
        return value;                                                                              \
    }                                                                                              \
    template <class T, class = typename wf_is_16_bytes<T>::type>                                   \
    WF_DEV T atomicCAS##suffix(T *address, T compare, T value)                                     \
    {                                                                                              \
        return wf_cas128##suffix(address, compare, value);                                         \
    }                                                                                              \
    template <class T, class = typename wf_is_16_bytes<T>::type>                                   \
    WF_DEV T atomicExch##suffix(T *address, T value)                                               \
    {                                                                                              \
        return wf_exch128##suffix(address, value);                                                 \
    }
template <bool> struct wf_only_if {
};
template <> struct wf_only_if<true> {
    typedef void type;
};
template <class T>
struct wf_is_16_bytes
    : wf_only_if<sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T)> {
};
WF_B128_ONE(, "")
WF_B128_ONE(_block, ".cta")
WF_B128_ONE(_system, ".sys")
#undef WF_B128_ONE

// Vectors of floats (sm_90): each element is added by itself, the vector is not atomic as a whole.
#define WF_ADD_VEC(suffix, scope)                                                                  \
    WF_DEV float2 atomicAdd##suffix(float2 *address, float2 v)                                     \
    {                                                                                              \
        float2 o;                                                                                  \
        asm volatile("atom.global" scope ".add.v2.f32 {%0, %1}, [%2], {%3, %4};"                   \
                     : "=f"(o.x), "=f"(o.y)                                                        \
                     : "l"(wf_to_global(address)), "f"(v.x), "f"(v.y)                              \
                     : "memory");                                                                  \
        return o;                                                                                  \
    }                                                                                              \
    WF_DEV float4 atomicAdd##suffix(float4 *address, float4 v)                                     \
    {                                                                                              \
        float4 o;                                                                                  \
        asm volatile("atom.global" scope ".add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"   \
                     : "=f"(o.x), "=f"(o.y), "=f"(o.z), "=f"(o.w)                                  \
                     : "l"(wf_to_global(address)), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)          \
                     : "memory");                                                                  \
        return o;                                                                                  \
    }
WF_DEV unsigned long long wf_to_global(const void *p)
{
    unsigned long long r;
    asm("cvta.to.global.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}
WF_ADD_VEC(, "")
WF_ADD_VEC(_block, ".cta")
WF_ADD_VEC(_system, ".sys")
#undef WF_ADD_VEC

#endif

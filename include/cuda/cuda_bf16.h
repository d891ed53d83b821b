// SPDX-License-Identifier: Apache-2.0
// bfloat16 (CUDA math API, "Bfloat16 Precision Intrinsics"): conversions, arithmetic by the bf16
// instructions, atomics. For CUDA sources.
#ifndef WF_CUDA_BF16_H
#define WF_CUDA_BF16_H

#include "cuda_runtime.h"

#ifdef __CUDACC__
struct __nv_bfloat16 {
    __nv_bfloat16() = default;
    WF_MEM_HD __nv_bfloat16(float f)
    {
        unsigned int u;
        __builtin_memcpy(&u, &f, 4);
        if ((u & 0x7fffffffu) > 0x7f800000u)
            bits = 0x7fff; // the canonical NaN
        else
            bits = (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16); // ties to even
    }
    WF_MEM_HD operator float() const
    {
        unsigned int u = (unsigned int)bits << 16;
        float f;
        __builtin_memcpy(&f, &u, 4);
        return f;
    }
    unsigned short bits;
};
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat162() = default;
    WF_MEM_HD __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b)
    {
    }
    __nv_bfloat16 x, y;
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WF_HD __nv_bfloat16 __float2bfloat16(float f)
{
    return __nv_bfloat16(f);
}
WF_HD __nv_bfloat16 __float2bfloat16_rn(float f)
{
    return __nv_bfloat16(f);
}
WF_HD float __bfloat162float(__nv_bfloat16 b)
{
    return (float)b;
}
WF_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return {a, b};
}
WF_HD __nv_bfloat162 __float2bfloat162_rn(float f)
{
    return {f, f};
}
WF_HD float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return float2{(float)v.x, (float)v.y};
}

#define WF_B2(name, opcode)                                                                        \
    WF_DEV __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                                    \
    {                                                                                              \
        __nv_bfloat16 r;                                                                           \
        asm(opcode ".bf16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));                 \
        return r;                                                                                  \
    }
WF_B2(wf_bf16_add, "add.rn")
WF_B2(wf_bf16_sub, "sub.rn")
WF_B2(wf_bf16_mul, "mul.rn")
#undef WF_B2
WF_DEV __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return wf_bf16_add(a, b);
}
WF_DEV __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return wf_bf16_sub(a, b);
}
WF_DEV __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return wf_bf16_mul(a, b);
}
WF_DEV __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return wf_bf16_add(a, b);
}
WF_DEV __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return wf_bf16_sub(a, b);
}
WF_DEV __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return wf_bf16_mul(a, b);
}
WF_DEV __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    __nv_bfloat16 r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
WF_DEV __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    unsigned int r, u = (unsigned int)v.y.bits << 16 | v.x.bits;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(u) : "memory");
    __builtin_memcpy(&v, &r, 4);
    return v;
}
WF_DEV __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    __nv_bfloat16 r;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;"
                 : "=h"(r.bits)
                 : "l"(p), "h"(v.bits)
                 : "memory");
    return r;
}
#endif

#endif

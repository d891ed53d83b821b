// SPDX-License-Identifier: Apache-2.0
// Half precision (CUDA math API, "Half Precision Intrinsics"): conversions, arithmetic, comparison,
// shuffles and atomics of __half and __half2, for CUDA sources. On the device arithmetic is the f16
// instruction; the host, where halves are only converted and compared, goes through float.
#ifndef WF_CUDA_FP16_H
#define WF_CUDA_FP16_H

#include "cuda_runtime.h"

#ifdef __CUDACC__
struct __half_raw {
    unsigned short x;
};

struct __half {
    __half() = default;
    WF_MEM_HD __half(__half_raw r) : bits(r.x)
    {
    }
    WF_MEM_HD __half(float f)
    {
        *this = from_float(f);
    }
    WF_MEM_HD __half(double d)
    {
        *this = from_double(d);
    }
    WF_MEM_HD __half(int i)
    {
        *this = from_float((float)i);
    }
    WF_MEM_HD __half(unsigned int i)
    {
        *this = from_float((float)i);
    }
    WF_MEM_HD __half(short i)
    {
        *this = from_float((float)i);
    }
    WF_MEM_HD __half(long long i)
    {
        *this = from_double((double)i);
    }
    WF_MEM_HD operator float() const
    {
#ifdef __CUDA_ARCH__
        float f;
        asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
        return f;
#else
        _Float16 h;
        __builtin_memcpy(&h, &bits, 2);
        return (float)h;
#endif
    }
    WF_MEM_HD operator __half_raw() const
    {
        return __half_raw{bits};
    }
    static WF_MEM_HD __half from_float(float f)
    {
        __half r;
#ifdef __CUDA_ARCH__
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(f));
#else
        _Float16 h = (_Float16)f;
        __builtin_memcpy(&r.bits, &h, 2);
#endif
        return r;
    }
    static WF_MEM_HD __half from_double(double d)
    {
        __half r;
#ifdef __CUDA_ARCH__
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r.bits) : "d"(d));
#else
        _Float16 h = (_Float16)d;
        __builtin_memcpy(&r.bits, &h, 2);
#endif
        return r;
    }
    unsigned short bits;
};
struct alignas(4) __half2 {
    __half2() = default;
    WF_MEM_HD __half2(__half a, __half b) : x(a), y(b)
    {
    }
    __half x, y;
};
typedef __half half;
typedef __half2 half2;

// The two halves as the 32-bit operand of an instruction.
WF_HD unsigned int wf_half2_bits(__half2 v)
{
    return (unsigned int)v.y.bits << 16 | v.x.bits;
}
WF_HD __half2 wf_half2_of(unsigned int u)
{
    return __half2(__half(__half_raw{(unsigned short)u}),
                   __half(__half_raw{(unsigned short)(u >> 16)}));
}

WF_HD __half __float2half(float f)
{
    return __half::from_float(f);
}
WF_HD __half __float2half_rn(float f)
{
    return __half::from_float(f);
}
WF_HD __half __double2half(double d)
{
    return __half::from_double(d);
}
WF_HD float __half2float(__half h)
{
    return (float)h;
}
WF_HD __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__half(a), __half(b));
}
WF_HD __half2 __float22half2_rn(float2 f)
{
    return __half2(__half(f.x), __half(f.y));
}
WF_HD __half2 __float2half2_rn(float f)
{
    return __half2(__half(f), __half(f));
}
WF_HD float2 __half22float2(__half2 v)
{
    return float2{(float)v.x, (float)v.y};
}
WF_HD __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
WF_HD __half2 __half2half2(__half a)
{
    return __half2(a, a);
}
WF_HD __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
WF_HD __half __low2half(__half2 v)
{
    return v.x;
}
WF_HD __half __high2half(__half2 v)
{
    return v.y;
}
WF_HD float __low2float(__half2 v)
{
    return (float)v.x;
}
WF_HD float __high2float(__half2 v)
{
    return (float)v.y;
}
WF_HD __half2 __lowhigh2highlow(__half2 v)
{
    return __half2(v.y, v.x);
}
WF_HD __half __int2half_rn(int i)
{
    return __half(i);
}
WF_HD int __half2int_rn(__half h)
{
    return (int)__builtin_rintf((float)h);
}
WF_HD int __half2int_rz(__half h)
{
    return (int)(float)h;
}
WF_HD unsigned short __half_as_ushort(__half h)
{
    return h.bits;
}
WF_HD short __half_as_short(__half h)
{
    return (short)h.bits;
}
WF_HD __half __ushort_as_half(unsigned short u)
{
    return __half(__half_raw{u});
}
WF_HD __half __short_as_half(short u)
{
    return __half(__half_raw{(unsigned short)u});
}

#define WF_H2(name, opcode)                                                                        \
    WF_DEV __half name(__half a, __half b)                                                         \
    {                                                                                              \
        __half r;                                                                                  \
        asm(opcode ".f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));                  \
        return r;                                                                                  \
    }                                                                                              \
    WF_DEV __half2 name##2(__half2 a, __half2 b)                                                   \
    {                                                                                              \
        unsigned int r;                                                                            \
        asm(opcode ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(wf_half2_bits(a)), "r"(wf_half2_bits(b))); \
        return wf_half2_of(r);                                                                     \
    }
WF_H2(__hadd, "add.rn")
WF_H2(__hsub, "sub.rn")
WF_H2(__hmul, "mul.rn")
WF_H2(__hadd_sat, "add.rn.sat")
WF_H2(__hmul_sat, "mul.rn.sat")
WF_H2(__hmax, "max")
WF_H2(__hmin, "min")
#undef WF_H2
WF_DEV __half __hfma(__half a, __half b, __half c)
{
    __half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
WF_DEV __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    unsigned int r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(wf_half2_bits(a)), "r"(wf_half2_bits(b)), "r"(wf_half2_bits(c)));
    return wf_half2_of(r);
}
WF_HD __half __hneg(__half a)
{
    return __half(__half_raw{(unsigned short)(a.bits ^ 0x8000)});
}
WF_HD __half __habs(__half a)
{
    return __half(__half_raw{(unsigned short)(a.bits & 0x7fff)});
}
WF_HD __half2 __hneg2(__half2 a)
{
    return __half2(__hneg(a.x), __hneg(a.y));
}
WF_HD __half2 __habs2(__half2 a)
{
    return __half2(__habs(a.x), __habs(a.y));
}
// Division and functions: in float, rounded once.
WF_HD __half __hdiv(__half a, __half b)
{
    return __half((float)a / (float)b);
}
WF_HD __half2 __h2div(__half2 a, __half2 b)
{
    return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
#define WF_HFUN(name, f)                                                                           \
    WF_DEV __half h##name(__half a)                                                                \
    {                                                                                              \
        return __half(f((float)a));                                                                \
    }                                                                                              \
    WF_DEV __half2 h2##name(__half2 a)                                                             \
    {                                                                                              \
        return __half2(h##name(a.x), h##name(a.y));                                                \
    }
WF_HFUN(sqrt, sqrtf)
WF_HFUN(rsqrt, rsqrtf)
WF_HFUN(rcp, 1.0f /)
WF_HFUN(exp, expf)
WF_HFUN(exp2, exp2f)
WF_HFUN(log, logf)
WF_HFUN(log2, log2f)
WF_HFUN(sin, sinf)
WF_HFUN(cos, cosf)
WF_HFUN(floor, floorf)
WF_HFUN(ceil, ceilf)
WF_HFUN(rint, rintf)
WF_HFUN(trunc, truncf)
#undef WF_HFUN

// Comparison: false when a NaN is involved; the "u" forms true.
#define WF_HCMP(name, op)                                                                          \
    WF_HD bool __h##name(__half a, __half b)                                                       \
    {                                                                                              \
        return (float)a op(float) b;                                                               \
    }                                                                                              \
    WF_HD bool __hb##name##2(__half2 a, __half2 b)                                                 \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }
WF_HCMP(eq, ==)
WF_HCMP(ne, !=)
WF_HCMP(lt, <)
WF_HCMP(le, <=)
WF_HCMP(gt, >)
WF_HCMP(ge, >=)
#undef WF_HCMP
WF_HD bool __hisnan(__half a)
{
    return (a.bits & 0x7fff) > 0x7c00;
}
WF_HD int __hisinf(__half a)
{
    return (a.bits & 0x7fff) == 0x7c00 ? (a.bits >> 15 ? -1 : 1) : 0;
}

#define WF_HOP(op, f)                                                                              \
    WF_DEV __half operator op(__half a, __half b)                                                  \
    {                                                                                              \
        return f(a, b);                                                                            \
    }                                                                                              \
    WF_DEV __half2 operator op(__half2 a, __half2 b)                                               \
    {                                                                                              \
        return __half2(f(a.x, b.x), f(a.y, b.y));                                                  \
    }                                                                                              \
    WF_DEV __half &operator op##=(__half &a, __half b)                                             \
    {                                                                                              \
        return a = f(a, b);                                                                        \
    }
WF_HOP(+, __hadd)
WF_HOP(-, __hsub)
WF_HOP(*, __hmul)
WF_HOP(/, __hdiv)
#undef WF_HOP
WF_HD __half operator-(__half a)
{
    return __hneg(a);
}
#define WF_HREL(op, f)                                                                             \
    WF_HD bool operator op(__half a, __half b)                                                     \
    {                                                                                              \
        return f(a, b);                                                                            \
    }
WF_HREL(==, __heq)
WF_HREL(!=, __hne)
WF_HREL(<, __hlt)
WF_HREL(<=, __hle)
WF_HREL(>, __hgt)
WF_HREL(>=, __hge)
#undef WF_HREL

// Shuffles and atomics
#define WF_HSHFL(name)                                                                             \
    WF_DEV __half2 name(unsigned int mask, __half2 v, int by, int width = 32)                      \
    {                                                                                              \
        return wf_half2_of(name(mask, wf_half2_bits(v), by, width));                               \
    }                                                                                              \
    WF_DEV __half name(unsigned int mask, __half v, int by, int width = 32)                        \
    {                                                                                              \
        return __ushort_as_half((unsigned short)name(mask, (unsigned int)v.bits, by, width));      \
    }
WF_HSHFL(__shfl_sync)
WF_HSHFL(__shfl_up_sync)
WF_HSHFL(__shfl_down_sync)
WF_HSHFL(__shfl_xor_sync)
#undef WF_HSHFL
WF_DEV __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned int r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(p), "r"(wf_half2_bits(v))
                 : "memory");
    return wf_half2_of(r);
}
WF_DEV __half atomicAdd(__half *p, __half v)
{
    __half r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
                 : "=h"(r.bits)
                 : "l"(p), "h"(v.bits)
                 : "memory");
    return r;
}
#endif

#endif

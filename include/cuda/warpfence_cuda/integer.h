// SPDX-License-Identifier: Apache-2.0
// Integer intrinsics, bit casts, and min, max, abs for the types that <cmath> does not serve.
#ifndef WF_CUDA_INTEGER_H
#define WF_CUDA_INTEGER_H

#include "common.h"

WF_DEV int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}
WF_DEV int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
// clz.b32 of 0 is 32: defined, unlike the compiler's builtin.
WF_DEV int __clz(int x)
{
    int r;
    asm("clz.b32 %0, %1;" : "=r"(r) : "r"(x));
    return r;
}
WF_DEV int __clzll(long long x)
{
    int r;
    asm("clz.b64 %0, %1;" : "=r"(r) : "l"(x));
    return r;
}
WF_DEV unsigned int __brev(unsigned int x)
{
    unsigned int r;
    asm("brev.b32 %0, %1;" : "=r"(r) : "r"(x));
    return r;
}
WF_DEV unsigned long long __brevll(unsigned long long x)
{
    unsigned long long r;
    asm("brev.b64 %0, %1;" : "=l"(r) : "l"(x));
    return r;
}
WF_DEV int __ffs(int x)
{
    return 32 - __clz((int)((unsigned int)x & (0u - (unsigned int)x)));
}
WF_DEV int __ffsll(long long x)
{
    unsigned long long u = (unsigned long long)x;
    return 64 - __clzll((long long)(u & (0ull - u)));
}
WF_DEV unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    unsigned int r;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
    return r;
}
WF_DEV unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    unsigned int r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector));
    return r;
}
#define WF_FUNNEL(name, opcode)                                                                    \
    WF_DEV unsigned int name(unsigned int low, unsigned int high, unsigned int shift)              \
    {                                                                                              \
        unsigned int r;                                                                            \
        asm(opcode " %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));                \
        return r;                                                                                  \
    }
WF_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
WF_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
WF_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
WF_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#undef WF_FUNNEL

WF_DEV int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
WF_DEV unsigned int __umulhi(unsigned int x, unsigned int y)
{
    return (unsigned int)((unsigned long long)x * y >> 32);
}
WF_DEV long long __mul64hi(long long x, long long y)
{
    long long r;
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
    return r;
}
WF_DEV unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    unsigned long long r;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
    return r;
}
WF_DEV int __mul24(int x, int y)
{
    int r;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    return r;
}
WF_DEV unsigned int __umul24(unsigned int x, unsigned int y)
{
    unsigned int r;
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    return r;
}
WF_DEV unsigned int __sad(int x, int y, unsigned int z)
{
    unsigned int r;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    return r;
}
WF_DEV unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    unsigned int r;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    return r;
}
WF_DEV int __hadd(int x, int y)
{
    return (int)(((long long)x + y) >> 1);
}
WF_DEV int __rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}
WF_DEV unsigned int __uhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long long)x + y) >> 1);
}
WF_DEV unsigned int __urhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}

#define WF_DP(name, T, A, B, opcode)                                                               \
    WF_DEV T name(A a, B b, T c)                                                                   \
    {                                                                                              \
        T r;                                                                                       \
        asm(opcode " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                         \
        return r;                                                                                  \
    }
WF_DP(__dp4a, int, int, int, "dp4a.s32.s32")
WF_DP(__dp4a, unsigned int, unsigned int, unsigned int, "dp4a.u32.u32")
WF_DP(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
WF_DP(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
WF_DP(__dp2a_lo, unsigned int, unsigned int, unsigned int, "dp2a.lo.u32.u32")
WF_DP(__dp2a_hi, unsigned int, unsigned int, unsigned int, "dp2a.hi.u32.u32")
#undef WF_DP

#define WF_SIMD4(name, opcode)                                                                     \
    WF_DEV unsigned int name(unsigned int a, unsigned int b)                                       \
    {                                                                                              \
        unsigned int r;                                                                            \
        asm(opcode " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0));                         \
        return r;                                                                                  \
    }
WF_SIMD4(__vabsdiffu4, "vabsdiff4.u32.u32.u32")
WF_SIMD4(__vadd4, "vadd4.u32.u32.u32")
WF_SIMD4(__vsub4, "vsub4.u32.u32.u32")
WF_SIMD4(__vmaxu4, "vmax4.u32.u32.u32")
WF_SIMD4(__vminu4, "vmin4.u32.u32.u32")
WF_SIMD4(__vmaxs4, "vmax4.s32.s32.s32")
WF_SIMD4(__vmins4, "vmin4.s32.s32.s32")
WF_SIMD4(__vsadu4, "vabsdiff4.u32.u32.u32.add")
#undef WF_SIMD4

// Bit casts.
#define WF_CAST(name, To, From)                                                                    \
    WF_DEV To name(From x)                                                                         \
    {                                                                                              \
        To r;                                                                                      \
        __builtin_memcpy(&r, &x, sizeof r);                                                        \
        return r;                                                                                  \
    }
WF_CAST(__int_as_float, float, int)
WF_CAST(__float_as_int, int, float)
WF_CAST(__uint_as_float, float, unsigned int)
WF_CAST(__float_as_uint, unsigned int, float)
WF_CAST(__longlong_as_double, double, long long)
WF_CAST(__double_as_longlong, long long, double)
WF_CAST(wf_bits_as_double, double, unsigned long long)
WF_CAST(wf_double_as_bits, unsigned long long, double)
#undef WF_CAST
WF_DEV int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
WF_DEV int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
WF_DEV double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned int)low);
}

// Address space questions and conversions.
#define WF_IS_SPACE(name, opcode)                                                                  \
    WF_DEV unsigned int name(const void *p)                                                        \
    {                                                                                              \
        unsigned int r;                                                                            \
        asm("{ .reg .pred p; isspacep." opcode " p, %1; selp.u32 %0, 1, 0, p; }"                   \
            : "=r"(r)                                                                              \
            : "l"(p));                                                                             \
        return r;                                                                                  \
    }
WF_IS_SPACE(__isGlobal, "global")
WF_IS_SPACE(__isShared, "shared")
WF_IS_SPACE(__isConstant, "const")
WF_IS_SPACE(__isLocal, "local")
#undef WF_IS_SPACE
#define WF_TO_SPACE(name, opcode)                                                                  \
    WF_DEV unsigned long long name(const void *p)                                                  \
    {                                                                                              \
        unsigned long long r;                                                                      \
        asm("cvta.to." opcode ".u64 %0, %1;" : "=l"(r) : "l"(p));                                  \
        return r;                                                                                  \
    }
WF_TO_SPACE(__cvta_generic_to_global, "global")
WF_TO_SPACE(__cvta_generic_to_shared, "shared")
WF_TO_SPACE(__cvta_generic_to_constant, "const")
WF_TO_SPACE(__cvta_generic_to_local, "local")
#undef WF_TO_SPACE
#define WF_FROM_SPACE(name, opcode)                                                                \
    WF_DEV void *name(unsigned long long p)                                                        \
    {                                                                                              \
        void *r;                                                                                   \
        asm("cvta." opcode ".u64 %0, %1;" : "=l"(r) : "l"(p));                                     \
        return r;                                                                                  \
    }
WF_FROM_SPACE(__cvta_global_to_generic, "global")
WF_FROM_SPACE(__cvta_shared_to_generic, "shared")
WF_FROM_SPACE(__cvta_constant_to_generic, "const")
WF_FROM_SPACE(__cvta_local_to_generic, "local")
#undef WF_FROM_SPACE
// Shared addresses as the 32-bit operands that cp.async and mbarrier take.
WF_DEV unsigned int wf_shared_addr(const void *p)
{
    return (unsigned int)__cvta_generic_to_shared(p);
}

#endif

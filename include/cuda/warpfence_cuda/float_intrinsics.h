// SPDX-License-Identifier: Apache-2.0
// Floating point intrinsics with a stated rounding, the fast approximate forms, and conversions.
// Each is one PTX instruction.
#ifndef WF_CUDA_FLOAT_INTRINSICS_H
#define WF_CUDA_FLOAT_INTRINSICS_H

#include "common.h"

#define WF_F1(name, T, opcode, c)                                                                  \
    WF_DEV T name(T x)                                                                             \
    {                                                                                              \
        T r;                                                                                       \
        asm(opcode " %0, %1;" : "=" c(r) : c(x));                                                  \
        return r;                                                                                  \
    }
#define WF_F2(name, T, opcode, c)                                                                  \
    WF_DEV T name(T x, T y)                                                                        \
    {                                                                                              \
        T r;                                                                                       \
        asm(opcode " %0, %1, %2;" : "=" c(r) : c(x), c(y));                                        \
        return r;                                                                                  \
    }
#define WF_F3(name, T, opcode, c)                                                                  \
    WF_DEV T name(T x, T y, T z)                                                                   \
    {                                                                                              \
        T r;                                                                                       \
        asm(opcode " %0, %1, %2, %3;" : "=" c(r) : c(x), c(y), c(z));                              \
        return r;                                                                                  \
    }
#define WF_ROUNDED(suffix, mode)                                                                   \
    WF_F2(__fadd_##suffix, float, "add." mode ".f32", "f")                                         \
    WF_F2(__fsub_##suffix, float, "sub." mode ".f32", "f")                                         \
    WF_F2(__fmul_##suffix, float, "mul." mode ".f32", "f")                                         \
    WF_F2(__fdiv_##suffix, float, "div." mode ".f32", "f")                                         \
    WF_F3(__fmaf_##suffix, float, "fma." mode ".f32", "f")                                         \
    WF_F3(__fmaf_ieee_##suffix, float, "fma." mode ".f32", "f")                                    \
    WF_F1(__frcp_##suffix, float, "rcp." mode ".f32", "f")                                         \
    WF_F1(__fsqrt_##suffix, float, "sqrt." mode ".f32", "f")                                       \
    WF_F2(__dadd_##suffix, double, "add." mode ".f64", "d")                                        \
    WF_F2(__dsub_##suffix, double, "sub." mode ".f64", "d")                                        \
    WF_F2(__dmul_##suffix, double, "mul." mode ".f64", "d")                                        \
    WF_F2(__ddiv_##suffix, double, "div." mode ".f64", "d")                                        \
    WF_F3(__fma_##suffix, double, "fma." mode ".f64", "d")                                         \
    WF_F1(__drcp_##suffix, double, "rcp." mode ".f64", "d")                                        \
    WF_F1(__dsqrt_##suffix, double, "sqrt." mode ".f64", "d")
WF_ROUNDED(rn, "rn")
WF_ROUNDED(rz, "rz")
WF_ROUNDED(ru, "rp")
WF_ROUNDED(rd, "rm")
#undef WF_ROUNDED

WF_F1(__saturatef, float, "cvt.sat.f32.f32", "f")
WF_F1(__frsqrt_rn, float, "rsqrt.approx.f32", "f")
WF_F1(wf_rsqrt_approx, float, "rsqrt.approx.f32", "f")
WF_F1(wf_ex2_approx, float, "ex2.approx.f32", "f")
WF_F1(wf_lg2_approx, float, "lg2.approx.f32", "f")
WF_F1(__sinf, float, "sin.approx.f32", "f")
WF_F1(__cosf, float, "cos.approx.f32", "f")
WF_F2(__fdividef, float, "div.approx.f32", "f")
WF_F1(__tanhf, float, "tanh.approx.f32", "f")
#undef WF_F1
#undef WF_F2
#undef WF_F3

WF_DEV void __sincosf(float x, float *s, float *c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}
WF_DEV float __tanf(float x)
{
    return __fdividef(__sinf(x), __cosf(x));
}
WF_DEV float __exp2f(float x)
{
    return wf_ex2_approx(x);
}
WF_DEV float __log2f(float x)
{
    return wf_lg2_approx(x);
}
WF_DEV float __expf(float x)
{
    return wf_ex2_approx(__fmul_rn(x, 1.4426950408889634f));
}
WF_DEV float __exp10f(float x)
{
    return wf_ex2_approx(__fmul_rn(x, 3.3219280948873626f));
}
WF_DEV float __logf(float x)
{
    return __fmul_rn(wf_lg2_approx(x), 0.6931471805599453f);
}
WF_DEV float __log10f(float x)
{
    return __fmul_rn(wf_lg2_approx(x), 0.3010299956639812f);
}
WF_DEV float __powf(float x, float y)
{
    return wf_ex2_approx(__fmul_rn(y, wf_lg2_approx(x)));
}

// Conversions: __<from>2<to>_<rounding>.
#define WF_CVT(name, To, From, opcode, to, from)                                                   \
    WF_DEV To name(From x)                                                                         \
    {                                                                                              \
        To r;                                                                                      \
        asm("cvt." opcode " %0, %1;" : "=" to(r) : from(x));                                       \
        return r;                                                                                  \
    }
#define WF_TO_INT(suffix, mode)                                                                    \
    WF_CVT(__float2int_##suffix, int, float, mode "i.s32.f32", "r", "f")                           \
    WF_CVT(__float2uint_##suffix, unsigned int, float, mode "i.u32.f32", "r", "f")                 \
    WF_CVT(__float2ll_##suffix, long long, float, mode "i.s64.f32", "l", "f")                      \
    WF_CVT(__float2ull_##suffix, unsigned long long, float, mode "i.u64.f32", "l", "f")            \
    WF_CVT(__double2int_##suffix, int, double, mode "i.s32.f64", "r", "d")                         \
    WF_CVT(__double2uint_##suffix, unsigned int, double, mode "i.u32.f64", "r", "d")               \
    WF_CVT(__double2ll_##suffix, long long, double, mode "i.s64.f64", "l", "d")                    \
    WF_CVT(__double2ull_##suffix, unsigned long long, double, mode "i.u64.f64", "l", "d")          \
    WF_CVT(__int2float_##suffix, float, int, mode ".f32.s32", "f", "r")                            \
    WF_CVT(__uint2float_##suffix, float, unsigned int, mode ".f32.u32", "f", "r")                  \
    WF_CVT(__ll2float_##suffix, float, long long, mode ".f32.s64", "f", "l")                       \
    WF_CVT(__ull2float_##suffix, float, unsigned long long, mode ".f32.u64", "f", "l")             \
    WF_CVT(__ll2double_##suffix, double, long long, mode ".f64.s64", "d", "l")                     \
    WF_CVT(__ull2double_##suffix, double, unsigned long long, mode ".f64.u64", "d", "l")           \
    WF_CVT(__double2float_##suffix, float, double, mode ".f32.f64", "f", "d")
WF_TO_INT(rn, "rn")
WF_TO_INT(rz, "rz")
WF_TO_INT(ru, "rp")
WF_TO_INT(rd, "rm")
WF_CVT(__int2double_rn, double, int, "rn.f64.s32", "d", "r")
WF_CVT(__uint2double_rn, double, unsigned int, "rn.f64.u32", "d", "r")
#undef WF_TO_INT
#undef WF_CVT

#endif

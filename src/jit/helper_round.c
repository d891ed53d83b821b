// SPDX-License-Identifier: Apache-2.0
// Arithmetic in the directed rounding modes, called by compiled code for a whole warp at once:
// setting the mode costs as much as a few additions, so it is done once a call. HOLD makes the
// compiler believe that an array changes there, so that no arithmetic on it moves across a change
// of the mode.
#include "jit/helper.h"

#include <fenv.h>   // fesetround
#include <math.h>   // fma
#include <string.h> // memcpy

#define HOLD(array) __asm__ volatile("" : "+m"(array))

#define ROUNDED(name, T, mode, EXPR)                                                               \
    void name(const void *const src[], void *dst, uint32_t lanes)                                  \
    {                                                                                              \
        T a[32], b[32], c[32], r[32];                                                              \
        const int n_src = SOURCES;                                                                 \
        memcpy(a, src[0], lanes * sizeof(T));                                                      \
        memcpy(b, src[n_src > 1 ? 1 : 0], lanes * sizeof(T));                                      \
        memcpy(c, src[n_src > 2 ? 2 : 0], lanes * sizeof(T));                                      \
        int before = fegetround();                                                                 \
        fesetround(mode);                                                                          \
        HOLD(a);                                                                                   \
        for (uint32_t i = 0; i < lanes; i++)                                                       \
            r[i] = EXPR;                                                                           \
        HOLD(r);                                                                                   \
        fesetround(before);                                                                        \
        memcpy(dst, r, lanes * sizeof(T));                                                         \
        (void)b, (void)c;                                                                          \
    }
#define MODES(op, T, suffix, EXPR)                                                                 \
    ROUNDED(wf__h_##op##_##suffix##_rz, T, FE_TOWARDZERO, EXPR)                                    \
    ROUNDED(wf__h_##op##_##suffix##_rm, T, FE_DOWNWARD, EXPR)                                      \
    ROUNDED(wf__h_##op##_##suffix##_rp, T, FE_UPWARD, EXPR)

#define SOURCES 2
MODES(add, float, f32, a[i] + b[i])
MODES(add, double, f64, a[i] + b[i])
MODES(mul, float, f32, a[i] * b[i])
MODES(mul, double, f64, a[i] * b[i])
MODES(div, float, f32, a[i] / b[i])
MODES(div, double, f64, a[i] / b[i])
#undef SOURCES
#define SOURCES 3
MODES(fma, float, f32, fmaf(a[i], b[i], c[i]))
MODES(fma, double, f64, fma(a[i], b[i], c[i]))
#undef SOURCES
#define SOURCES 1
MODES(sqrt, float, f32, sqrtf(a[i]))
MODES(sqrt, double, f64, sqrt(a[i]))
#undef SOURCES

// 64-bit integers to f64, the one conversion that has no wider type to go through.
#define CONVERT(name, From, mode)                                                                  \
    void name(const void *const src[], void *dst, uint32_t lanes)                                  \
    {                                                                                              \
        From a[32];                                                                                \
        double r[32];                                                                              \
        memcpy(a, src[0], lanes * sizeof(From));                                                   \
        int before = fegetround();                                                                 \
        fesetround(mode);                                                                          \
        HOLD(a);                                                                                   \
        for (uint32_t i = 0; i < lanes; i++)                                                       \
            r[i] = (double)a[i];                                                                   \
        HOLD(r);                                                                                   \
        fesetround(before);                                                                        \
        memcpy(dst, r, lanes * sizeof(double));                                                    \
    }
CONVERT(wf__h_cvt_f64_s64_rz, int64_t, FE_TOWARDZERO)
CONVERT(wf__h_cvt_f64_s64_rm, int64_t, FE_DOWNWARD)
CONVERT(wf__h_cvt_f64_s64_rp, int64_t, FE_UPWARD)
CONVERT(wf__h_cvt_f64_u64_rz, uint64_t, FE_TOWARDZERO)
CONVERT(wf__h_cvt_f64_u64_rm, uint64_t, FE_DOWNWARD)
CONVERT(wf__h_cvt_f64_u64_rp, uint64_t, FE_UPWARD)

// SPDX-License-Identifier: Apache-2.0
// The functions of single precision: computed in double and rounded once, so nearly always the
// nearest float. With __USE_FAST_MATH__ (nvcc's -use_fast_math) those that the guide names become
// the approximate instructions.
#ifndef WF_CUDA_MATH_FLOAT_H
#define WF_CUDA_MATH_FLOAT_H

#include "math_special.h"

// Cheaper cores where double precision is more than is needed: 2^-40 is enough before the rounding
// to float.
WF_DEV double wf_exp_f(double x, double scale_high, double scale_low, double to_log2)
{
    double k = __builtin_rint(x * to_log2);
    double r = wf_fma(-k, scale_high, x);
    r = wf_fma(-k, scale_low, r);
    r *= 0.6931471805599453 / scale_high;
    double p = wf_horner(r, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0,
                         1.0 / 6.0, 0.5, 1.0, 1.0);
    return p * wf_pow2i((int)k); // |k| stays below 200
}
WF_DEV float wf_expf_core(double x)
{
    x = x < -120.0 ? -120.0 : x > 100.0 ? 100.0 : x; // NaN passes
    return (float)wf_exp_f(x, 0.6931471805599453, 2.3190468138462996e-17, 1.4426950408889634);
}
WF_DEV double wf_log_f(double x) // a float's value, positive and finite
{
    int e;
    double m = wf_split(x, &e);
    if (m < 0.7071067811865476) {
        m *= 2.0;
        e--;
    }
    double f = m - 1.0, s = f / (m + 1.0), z = s * s;
    double q =
        wf_horner(z, 2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 0.4, 2.0 / 3.0);
    return wf_fma((double)e, 0.6931471805599453, wf_fma(s * z, q, 2.0 * s));
}
WF_DEV float wf_logf_scaled(float x, double scale)
{
    double r;
    return (float)(wf_log_special(x, &r) ? r : wf_log_f(x) * scale);
}
// sine and cosine of a float: |x| below 2^30 with two pieces of pi/2.
WF_DEV void wf_sincosf_core(float x, float *s, float *c)
{
    wf_reduced a;
    double d = x;
    if (wf_abs(d) < 1073741824.0) {
        double k = __builtin_rint(d * 0.6366197723675814);
        a.r = wf_fma(-k, 6.123233995736766e-17, wf_fma(-k, 1.5707963267948966, d));
        a.quadrant = (int)((long long)k & 3);
    } else if (wf_abs(d) < wf_inf()) {
        a = wf_reduce_large(d);
    } else {
        *s = *c = (float)wf_nan();
        return;
    }
    double z = a.r * a.r;
    double sine = wf_fma(
        a.r * z,
        wf_horner(z, -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0),
        a.r);
    double cosine = wf_horner(z, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0,
                              1.0 / 24.0, -0.5, 1.0);
    double t = a.quadrant & 1 ? cosine : sine, u = a.quadrant & 1 ? sine : cosine;
    *s = x == 0.0f ? x : (float)(a.quadrant & 2 ? -t : t);
    *c = (float)((a.quadrant + 1) & 2 ? -u : u);
}
WF_DEV float wf_sinf(float x)
{
    float s, c;
    wf_sincosf_core(x, &s, &c);
    return s;
}
WF_DEV float wf_cosf(float x)
{
    float s, c;
    wf_sincosf_core(x, &s, &c);
    return c;
}
WF_DEV float wf_tanf(float x)
{
    return (float)wf_tan(x);
}
WF_DEV float wf_expf(float x)
{
    return wf_expf_core(x);
}
WF_DEV float wf_exp2f(float x)
{
    double d = x < -200.0f ? -200.0 : x > 150.0f ? 150.0 : x;
    return (float)wf_exp_f(d, 1.0, 0.0, 1.0);
}
WF_DEV float wf_exp10f(float x)
{
    double d = x < -60.0f ? -60.0 : x > 45.0f ? 45.0 : x;
    return (float)wf_exp_f(d, 0.3010299956639812, -2.8037281277851704e-18, 3.321928094887362);
}
WF_DEV float wf_logf(float x)
{
    return wf_logf_scaled(x, 1.0);
}
WF_DEV float wf_log2f(float x)
{
    return wf_logf_scaled(x, 1.4426950408889634);
}
WF_DEV float wf_log10f(float x)
{
    return wf_logf_scaled(x, 0.4342944819032518);
}
WF_DEV float wf_powf(float x, float y)
{
    return (float)wf_pow(x, y);
}
WF_DEV float wf_remquof(float x, float y, int *q)
{
    return (float)wf_remquo(x, y, q);
}
WF_DEV float wf_ldexpf(float x, int k)
{
    return (float)wf_ldexp(x, k < -400 ? -400 : k > 400 ? 400 : k);
}
WF_DEV float wf_nextafterf(float x, float y)
{
    if (x != x || y != y)
        return (float)wf_nan();
    if (x == y)
        return y;
    if (x == 0.0f)
        return __builtin_copysignf(1.40129846e-45f, y);
    unsigned int u;
    __builtin_memcpy(&u, &x, 4);
    u += (x < y) == (x > 0.0f) ? 1u : -1u;
    __builtin_memcpy(&x, &u, 4);
    return x;
}

#endif

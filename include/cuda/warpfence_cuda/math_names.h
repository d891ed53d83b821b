// SPDX-License-Identifier: Apache-2.0
// The names under which a kernel calls the functions: sinf, sin for float and double, std::sin.
// They are declared into namespace std before <cmath> comes (see cuda_runtime.h).
#ifndef WF_CUDA_MATH_NAMES_H
#define WF_CUDA_MATH_NAMES_H

#include "math_float.h"

// name(double), namef(float), name(float), one argument.
#define WF_NAME(name, body_f, body_d)                                                              \
    WF_DEV float name##f(float x)                                                                  \
    {                                                                                              \
        return body_f;                                                                             \
    }                                                                                              \
    WF_DEV double name(double x)                                                                   \
    {                                                                                              \
        return body_d;                                                                             \
    }                                                                                              \
    WF_DEV float name(float x)                                                                     \
    {                                                                                              \
        return name##f(x);                                                                         \
    }
#define WF_NAME_BY_DOUBLE(name) WF_NAME(name, (float)wf_##name(x), wf_##name(x))
#define WF_NAME_OWN(name) WF_NAME(name, wf_##name##f(x), wf_##name(x))
#define WF_NAME_BUILTIN(name) WF_NAME(name, __builtin_##name##f(x), __builtin_##name(x))
#define WF_NAME2(name, body_f, body_d)                                                             \
    WF_DEV float name##f(float x, float y)                                                         \
    {                                                                                              \
        return body_f;                                                                             \
    }                                                                                              \
    WF_DEV double name(double x, double y)                                                         \
    {                                                                                              \
        return body_d;                                                                             \
    }                                                                                              \
    WF_DEV float name(float x, float y)                                                            \
    {                                                                                              \
        return name##f(x, y);                                                                      \
    }

#ifdef __USE_FAST_MATH__
WF_NAME(sin, __sinf(x), wf_sin(x))
WF_NAME(cos, __cosf(x), wf_cos(x))
WF_NAME(tan, __tanf(x), wf_tan(x))
WF_NAME(exp, __expf(x), wf_exp(x))
WF_NAME(exp2, __exp2f(x), wf_exp2(x))
WF_NAME(exp10, __exp10f(x), wf_exp10(x))
WF_NAME(log, __logf(x), wf_log(x))
WF_NAME(log2, __log2f(x), wf_log2(x))
WF_NAME(log10, __log10f(x), wf_log10(x))
WF_NAME(tanh, __tanhf(x), wf_tanh(x))
WF_NAME2(pow, __powf(x, y), wf_pow(x, y))
WF_DEV void sincosf(float x, float *s, float *c)
{
    __sincosf(x, s, c);
}
#else
WF_NAME_OWN(sin)
WF_NAME_OWN(cos)
WF_NAME_OWN(tan)
WF_NAME_OWN(exp)
WF_NAME_OWN(exp2)
WF_NAME_OWN(exp10)
WF_NAME_OWN(log)
WF_NAME_OWN(log2)
WF_NAME_OWN(log10)
WF_NAME_BY_DOUBLE(tanh)
WF_NAME2(pow, wf_powf(x, y), wf_pow(x, y))
WF_DEV void sincosf(float x, float *s, float *c)
{
    wf_sincosf_core(x, s, c);
}
#endif
WF_DEV void sincos(double x, double *s, double *c)
{
    wf_sincos(x, s, c);
}
WF_DEV void sincos(float x, float *s, float *c)
{
    sincosf(x, s, c);
}
WF_DEV void sincospi(double x, double *s, double *c)
{
    wf_sincospi(x, s, c);
}
WF_DEV void sincospif(float x, float *s, float *c)
{
    double sine, cosine;
    wf_sincospi(x, &sine, &cosine);
    *s = (float)sine;
    *c = (float)cosine;
}

WF_NAME_BY_DOUBLE(expm1)
WF_NAME_BY_DOUBLE(log1p)
WF_NAME_BY_DOUBLE(sinpi)
WF_NAME_BY_DOUBLE(cospi)
WF_NAME_BY_DOUBLE(asin)
WF_NAME_BY_DOUBLE(acos)
WF_NAME_BY_DOUBLE(atan)
WF_NAME_BY_DOUBLE(sinh)
WF_NAME_BY_DOUBLE(cosh)
WF_NAME_BY_DOUBLE(asinh)
WF_NAME_BY_DOUBLE(acosh)
WF_NAME_BY_DOUBLE(atanh)
WF_NAME_BY_DOUBLE(cbrt)
WF_NAME_BY_DOUBLE(rcbrt)
WF_NAME_BY_DOUBLE(erf)
WF_NAME_BY_DOUBLE(erfc)
WF_NAME_BY_DOUBLE(erfcx)
WF_NAME_BY_DOUBLE(erfinv)
WF_NAME_BY_DOUBLE(erfcinv)
WF_NAME_BY_DOUBLE(normcdf)
WF_NAME_BY_DOUBLE(normcdfinv)
WF_NAME_BY_DOUBLE(tgamma)
WF_NAME_BY_DOUBLE(lgamma)
WF_NAME_BY_DOUBLE(logb)
WF_NAME(rsqrt, (float)(1.0 / __builtin_sqrt((double)x)), wf_rsqrt(x))
WF_NAME(round, (float)wf_round(x), wf_round(x))
WF_NAME_BUILTIN(sqrt)
WF_NAME_BUILTIN(fabs)
WF_NAME_BUILTIN(floor)
WF_NAME_BUILTIN(ceil)
WF_NAME_BUILTIN(trunc)
WF_NAME_BUILTIN(rint)
WF_NAME(nearbyint, __builtin_rintf(x), __builtin_rint(x))

WF_NAME2(atan2, (float)wf_atan2(x, y), wf_atan2(x, y))
WF_NAME2(hypot, (float)wf_hypot(x, y), wf_hypot(x, y))
WF_NAME2(fmod, (float)wf_fmod(x, y), wf_fmod(x, y))
WF_NAME2(fdim, (float)wf_fdim(x, y), wf_fdim(x, y))
WF_NAME2(fmin, __builtin_fminf(x, y), __builtin_fmin(x, y))
WF_NAME2(fmax, __builtin_fmaxf(x, y), __builtin_fmax(x, y))
WF_NAME2(copysign, __builtin_copysignf(x, y), __builtin_copysign(x, y))
WF_NAME2(nextafter, wf_nextafterf(x, y), wf_nextafter(x, y))
WF_NAME2(rhypot, (float)wf_norm4(x, y, 0.0, 0.0, true), wf_norm4(x, y, 0.0, 0.0, true))
WF_DEV double remquo(double x, double y, int *q)
{
    return wf_remquo(x, y, q);
}
WF_DEV float remquof(float x, float y, int *q)
{
    return wf_remquof(x, y, q);
}
WF_DEV float remquo(float x, float y, int *q)
{
    return wf_remquof(x, y, q);
}
WF_DEV double remainder(double x, double y)
{
    int q;
    return wf_remquo(x, y, &q);
}
WF_DEV float remainderf(float x, float y)
{
    return (float)remainder((double)x, (double)y);
}
WF_DEV float remainder(float x, float y)
{
    return remainderf(x, y);
}

WF_DEV double fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
WF_DEV float fmaf(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
WF_DEV float fma(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
WF_DEV float fdividef(float x, float y)
{
    return x / y;
}

// More than two arguments of a norm.
WF_DEV double norm3d(double a, double b, double c)
{
    return wf_norm4(a, b, c, 0.0, false);
}
WF_DEV float norm3df(float a, float b, float c)
{
    return (float)wf_norm4(a, b, c, 0.0, false);
}
WF_DEV double rnorm3d(double a, double b, double c)
{
    return wf_norm4(a, b, c, 0.0, true);
}
WF_DEV float rnorm3df(float a, float b, float c)
{
    return (float)wf_norm4(a, b, c, 0.0, true);
}
WF_DEV double norm4d(double a, double b, double c, double d)
{
    return wf_norm4(a, b, c, d, false);
}
WF_DEV float norm4df(float a, float b, float c, float d)
{
    return (float)wf_norm4(a, b, c, d, false);
}
WF_DEV double rnorm4d(double a, double b, double c, double d)
{
    return wf_norm4(a, b, c, d, true);
}
WF_DEV float rnorm4df(float a, float b, float c, float d)
{
    return (float)wf_norm4(a, b, c, d, true);
}

// Integers out or in.
#define WF_NAME_INT(T, name, body)                                                                 \
    WF_DEV T name##f(float x)                                                                      \
    {                                                                                              \
        return body;                                                                               \
    }                                                                                              \
    WF_DEV T name(double x)                                                                        \
    {                                                                                              \
        return body;                                                                               \
    }                                                                                              \
    WF_DEV T name(float x)                                                                         \
    {                                                                                              \
        return body;                                                                               \
    }
WF_NAME_INT(long, lrint, (long)__builtin_rint((double)x))
WF_NAME_INT(long long, llrint, (long long)__builtin_rint((double)x))
WF_NAME_INT(long, lround, (long)wf_round((double)x))
WF_NAME_INT(long long, llround, (long long)wf_round((double)x))
WF_NAME_INT(int, ilogb, wf_ilogb((double)x))
#undef WF_NAME_INT
WF_DEV double ldexp(double x, int k)
{
    return wf_ldexp(x, k);
}
WF_DEV float ldexpf(float x, int k)
{
    return wf_ldexpf(x, k);
}
WF_DEV float ldexp(float x, int k)
{
    return wf_ldexpf(x, k);
}
WF_DEV double scalbn(double x, int k)
{
    return wf_ldexp(x, k);
}
WF_DEV float scalbnf(float x, int k)
{
    return wf_ldexpf(x, k);
}
WF_DEV float scalbn(float x, int k)
{
    return wf_ldexpf(x, k);
}
WF_DEV int wf_clamp_exponent(long k)
{
    return k < -3000 ? -3000 : k > 3000 ? 3000 : (int)k;
}
WF_DEV double scalbln(double x, long k)
{
    return wf_ldexp(x, wf_clamp_exponent(k));
}
WF_DEV float scalblnf(float x, long k)
{
    return wf_ldexpf(x, wf_clamp_exponent(k));
}
WF_DEV float scalbln(float x, long k)
{
    return scalblnf(x, k);
}
WF_DEV double frexp(double x, int *e)
{
    return wf_frexp(x, e);
}
WF_DEV float frexpf(float x, int *e)
{
    return (float)wf_frexp(x, e);
}
WF_DEV float frexp(float x, int *e)
{
    return frexpf(x, e);
}
WF_DEV double modf(double x, double *whole)
{
    return wf_modf(x, whole);
}
WF_DEV float modff(float x, float *whole)
{
    double w, r = wf_modf(x, &w);
    *whole = (float)w;
    return (float)r;
}
WF_DEV float modf(float x, float *whole)
{
    return modff(x, whole);
}
WF_DEV double nan(const char *)
{
    return wf_nan();
}
WF_DEV float nanf(const char *)
{
    return (float)wf_nan();
}

WF_DEV int abs(int x)
{
    return x < 0 ? -x : x;
}
WF_DEV long labs(long x)
{
    return x < 0 ? -x : x;
}
WF_DEV long long llabs(long long x)
{
    return x < 0 ? -x : x;
}
WF_DEV long abs(long x)
{
    return labs(x);
}
WF_DEV long long abs(long long x)
{
    return llabs(x);
}
WF_DEV float abs(float x)
{
    return __builtin_fabsf(x);
}
WF_DEV double abs(double x)
{
    return __builtin_fabs(x);
}

#define WF_CLASSIFY(name, f, d)                                                                    \
    WF_DEV bool name(float x)                                                                      \
    {                                                                                              \
        return f;                                                                                  \
    }                                                                                              \
    WF_DEV bool name(double x)                                                                     \
    {                                                                                              \
        return d;                                                                                  \
    }
WF_CLASSIFY(isnan, x != x, x != x)
WF_CLASSIFY(isinf, __builtin_fabsf(x) == __builtin_inff(), __builtin_fabs(x) == __builtin_inf())
WF_CLASSIFY(isfinite, __builtin_fabsf(x) < __builtin_inff(), __builtin_fabs(x) < __builtin_inf())
WF_CLASSIFY(signbit, __builtin_signbitf(x), __builtin_signbit(x))
WF_CLASSIFY(isnormal, __builtin_isnormal(x), __builtin_isnormal(x))
#undef WF_CLASSIFY

// An integer argument means double, as in C++.
#define WF_INTEGRAL(name)                                                                          \
    template <class T, class = typename wf_if_integral<T>::type> WF_DEV double name(T x)           \
    {                                                                                              \
        return name((double)x);                                                                    \
    }
template <class T, bool = __is_integral(T)> struct wf_if_integral {
};
template <class T> struct wf_if_integral<T, true> {
    typedef double type;
};
WF_INTEGRAL(sin)
WF_INTEGRAL(cos)
WF_INTEGRAL(tan)
WF_INTEGRAL(exp)
WF_INTEGRAL(exp2)
WF_INTEGRAL(log)
WF_INTEGRAL(log2)
WF_INTEGRAL(log10)
WF_INTEGRAL(log1p)
WF_INTEGRAL(sqrt)
WF_INTEGRAL(rsqrt)
WF_INTEGRAL(cbrt)
WF_INTEGRAL(fabs)
WF_INTEGRAL(floor)
WF_INTEGRAL(ceil)
WF_INTEGRAL(round)
WF_INTEGRAL(tanh)
#undef WF_INTEGRAL
#define WF_MIXED(name)                                                                             \
    template <class A, class B, class = typename wf_if_mixed<A, B>::type>                          \
    WF_DEV double name(A x, B y)                                                                   \
    {                                                                                              \
        return name((double)x, (double)y);                                                         \
    }
template <class A, class B, bool = __is_arithmetic(A) && __is_arithmetic(B) && !__is_same(A, B)>
struct wf_if_mixed : wf_if_integral<A> {
};
template <class A, class B> struct wf_if_mixed<A, B, true> {
    typedef double type;
};
WF_MIXED(pow)
WF_MIXED(atan2)
WF_MIXED(fmod)
WF_MIXED(fmin)
WF_MIXED(fmax)
WF_MIXED(hypot)
WF_MIXED(copysign)
#undef WF_MIXED

namespace std
{
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
} // namespace std

#undef WF_NAME
#undef WF_NAME2
#undef WF_NAME_BY_DOUBLE
#undef WF_NAME_OWN
#undef WF_NAME_BUILTIN

#endif

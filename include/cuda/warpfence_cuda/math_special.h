// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions, the error function and its relatives, gamma, and the exact odds and ends of
// <math.h>, in double precision.
#ifndef WF_CUDA_MATH_SPECIAL_H
#define WF_CUDA_MATH_SPECIAL_H

#include "math_trig.h"

WF_DEV double wf_sinh(double x)
{
    double a = wf_abs(x);
    if (a > 709.0) { // exp(a)/2 without overflow on the way
        double h = wf_exp(0.5 * a);
        return wf_copysign(0.5 * h * h, x);
    }
    double e = wf_expm1(a);
    return wf_copysign(0.5 * (e + e / (e + 1.0)), x);
}
WF_DEV double wf_cosh(double x)
{
    double a = wf_abs(x);
    if (!(a < 711.0))
        return x != x ? x : wf_inf();
    wf_dd h = wf_half_exp(a);
    return h.high + (h.low + 0.25 / h.high);
}
WF_DEV double wf_tanh(double x)
{
    double a = wf_abs(x);
    if (a > 22.0)
        return x != x ? x : wf_copysign(1.0, x);
    double e = wf_expm1(2.0 * a);
    if (a >= 0.5)
        return wf_copysign(1.0 - 2.0 / (e + 2.0), x);
    wf_dd d = wf_fast_sum(2.0, e);
    double q = e / d.high; // and what this division left
    return x == 0.0 ? x : wf_copysign(q + (wf_fma(-q, d.high, e) - q * d.low) / d.high, x);
}
WF_DEV double wf_asinh(double x)
{
    double a = wf_abs(x);
    if (!(a < wf_inf()) || a < 1e-9)
        return x;
    if (a > 1e9)
        return wf_copysign(wf_log(a) + 0.6931471805599453, x);
    double s = a * a;
    return wf_copysign(wf_log1p(a + s / (1.0 + __builtin_sqrt(1.0 + s))), x);
}
WF_DEV double wf_acosh(double x)
{
    if (!(x >= 1.0))
        return wf_nan();
    if (x > 1e9)
        return wf_log(x) + 0.6931471805599453;
    double t = x - 1.0;
    return wf_log1p(t + __builtin_sqrt(wf_fma(t, t, 2.0 * t)));
}
WF_DEV double wf_atanh(double x)
{
    double a = wf_abs(x);
    if (!(a <= 1.0))
        return wf_nan();
    return x == 0.0 ? x : wf_copysign(0.5 * wf_log1p(2.0 * a / (1.0 - a)), x);
}

// exp(-x^2) with the square's rounding error put back.
WF_DEV double wf_exp_minus_square(double x)
{
    wf_dd s = wf_two_mul(x, x);
    return s.high < 800.0 ? wf_exp_dd({-s.high, -s.low}) : 0.0;
}
// exp(x^2) erfc(x) for x >= 0
WF_DEV double wf_erfcx_positive(double x)
{
    if (x > 1e8)
        return 0.5641895835477563 / x;
    double t = (x - 4.0) / (x + 4.0);
    return WF_POLY_ERFCX(t) / wf_fma(2.0, x, 1.0);
}
WF_DEV double wf_erfc(double x)
{
    if (x != x)
        return x;
    if (wf_abs(x) < 0.5)
        return 1.0 - x * WF_POLY_ERF(x * x);
    double a = wf_abs(x), r = wf_exp_minus_square(a) * wf_erfcx_positive(a);
    return x > 0.0 ? r : 2.0 - r;
}
WF_DEV double wf_erf(double x)
{
    double a = wf_abs(x);
    if (a < 1.0)
        return x * WF_POLY_ERF(x * x);
    return x != x ? x : wf_copysign(1.0 - wf_exp_minus_square(a) * wf_erfcx_positive(a), x);
}
WF_DEV double wf_erfcx(double x)
{
    if (x >= 0.0 || x != x)
        return x != x ? x : wf_erfcx_positive(x);
    if (x < -26.8)
        return wf_inf();
    wf_dd s = wf_two_mul(x, x);
    return wf_fma(2.0, wf_exp_dd(s), -wf_erfcx_positive(-x));
}
WF_CALL double wf_normcdf(double x)
{
    double h = x * -0.7071067811865476; // with the factor's error put back to first order
    double low = wf_fma(x, -0.7071067811865476, -h) + x * 4.833646656726457e-17;
    double r = 0.5 * wf_erfc(h);
    if (wf_abs(h) < 27.0 && r > 0.0)
        r -= low * 0.5641895835477563 * wf_exp_minus_square(h);
    return r;
}
// Inverse of erfc for a tail q in (0, 1/2]: a rough start (Winitzki), then Halley steps.
WF_CALL double wf_erfcinv_tail(double q)
{
    double l = wf_log(q * (2.0 - q)), b = 4.330746750799873 + 0.5 * l;
    double x = __builtin_sqrt(__builtin_sqrt(b * b - l / 0.147) - b);
    for (int i = 0; i < 4; i++) {
        double slope = 1.1283791670955126 * wf_exp_minus_square(x);
        double step = (wf_erfc(x) - q) / slope;
        x += step / (1.0 - x * step);
    }
    return x;
}
// Inverse of erf for a in [0, 1/2].
WF_CALL double wf_erfinv_middle(double a)
{
    if (a < 1e-9)
        return a * 0.8862269254527580;
    double x = a * 0.886226925452758;
    for (int i = 0; i < 5; i++) {
        double step = (wf_erf(x) - a) * 0.8862269254527580 / wf_exp_minus_square(x);
        x -= step / (1.0 + x * step);
    }
    return x;
}
WF_DEV double wf_erfinv(double y)
{
    double a = wf_abs(y);
    if (!(a < 1.0))
        return a == 1.0 ? wf_copysign(wf_inf(), y) : wf_nan();
    return wf_copysign(a > 0.5 ? wf_erfcinv_tail(1.0 - a) : wf_erfinv_middle(a), y);
}
WF_DEV double wf_erfcinv(double y)
{
    if (!(y > 0.0 && y < 2.0))
        return y == 0.0 ? wf_inf() : y == 2.0 ? -wf_inf() : wf_nan();
    if (y >= 0.5 && y <= 1.5)
        return wf_copysign(wf_erfinv_middle(wf_abs(1.0 - y)), 1.0 - y); // 1 - y is exact
    return y > 1.0 ? -wf_erfcinv_tail(2.0 - y) : wf_erfcinv_tail(y);
}
WF_DEV double wf_normcdfinv(double p)
{
    return -1.4142135623730951 * wf_erfcinv(2.0 * p);
}

// The part of Stirling's series behind log sqrt(2 pi); x >= 15.
WF_DEV double wf_stirling(double x)
{
    double z = 1.0 / (x * x);
    return wf_horner(z, 43867.0 / 244188.0, -3617.0 / 122400.0, 1.0 / 156.0, -691.0 / 360360.0,
                     1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0) /
           x;
}
WF_CALL double wf_tgamma_positive(double x)
{
    if (x > 172.0)
        return wf_inf();
    if (x >= 15.0) { // sqrt(2 pi) x^(x - 1/2) e^-x e^series, the exponents summed in double-double
        wf_dd l = wf_log_dd(x);
        double n = x - 0.5;
        wf_dd p = wf_two_mul(n, l.high);
        p.low += n * l.low;
        wf_dd s = wf_two_sum(p.high, -x);
        s = wf_fast_sum(s.high, s.low + p.low + wf_stirling(x));
        double h = wf_exp_dd({0.5 * s.high, 0.5 * s.low});
        return 2.5066282746310007 * h * h;
    }
    double r = 1.0, d = 1.0;
    while (x >= 3.0) {
        x -= 1.0;
        r *= x;
    }
    while (x < 2.0) {
        d *= x;
        x += 1.0;
    }
    return r * WF_POLY_GAMMA(x - 2.0) / d;
}
WF_CALL double wf_tgamma(double x)
{
    if (x != x || x == wf_inf())
        return x;
    if (x > 0.0)
        return x < 1e-300 ? 1.0 / x : wf_tgamma_positive(x);
    if (x == 0.0)
        return wf_copysign(wf_inf(), x);
    if (x == __builtin_trunc(x))
        return wf_nan();
    if (x > -1e-17)
        return 1.0 / x;
    if (x < -185.0)
        return ((long long)__builtin_floor(x) & 1) ? -0.0 : 0.0;
    // Reflection, with an argument that needs no rounding: gamma(x) gamma(-x) = -pi / (x sin(pi
    // x)).
    bool is_far = x < -170.0; // gamma(-x) would overflow before the result underflows
    double g = wf_tgamma_positive(is_far ? -x - 20.0 : -x);
    double r = -3.141592653589793 / (x * wf_sinpi(x) * g);
    for (int i = 1; is_far && i <= 20; i++)
        r /= -x - i;
    return r;
}
WF_CALL double wf_lgamma_positive(double x)
{
    if (x >= 15.0) {
        if (x > 2.5e305)
            return wf_inf();
        wf_dd l = wf_log_dd(x);
        double n = x - 0.5;
        wf_dd p = wf_two_mul(n, l.high);
        wf_dd s = wf_two_sum(p.high, -x);
        return s.high + (s.low + p.low + n * l.low + 0.9189385332046728 + wf_stirling(x));
    }
    if (x < 0.5) // gamma(x) = gamma(x + 1)/x
        return x * WF_POLY_LGAMMA1(x) - wf_log(x);
    if (x < 1.5)
        return (x - 1.0) * WF_POLY_LGAMMA1(x - 1.0);
    if (x < 2.5)
        return (x - 2.0) * WF_POLY_LGAMMA2(x - 2.0);
    return wf_log(wf_tgamma_positive(x));
}
WF_CALL double wf_lgamma(double x)
{
    if (x != x)
        return x;
    double a = wf_abs(x);
    if (a == wf_inf() || (x <= 0.0 && x == __builtin_trunc(x)))
        return wf_inf();
    if (x > 0.0)
        return wf_lgamma_positive(x);
    if (a < 1e-18)
        return -wf_log(a);
    return wf_log(3.141592653589793 / (a * wf_abs(wf_sinpi(x)))) - wf_lgamma_positive(a);
}

// x mod y by long division in binary: exact.
WF_CALL double wf_fmod(double x, double y)
{
    double a = wf_abs(x), b = wf_abs(y);
    if (!(a < wf_inf()) || b != b || b == 0.0)
        return wf_nan();
    if (a < b)
        return x;
    int ea, eb;
    wf_split(a, &ea);
    wf_split(b, &eb);
    double scaled = wf_ldexp(b, ea - eb);
    for (int e = ea - eb; e >= 0; e--) {
        if (a >= scaled)
            a -= scaled;
        scaled *= 0.5;
    }
    return wf_copysign(a, x);
}
WF_CALL double wf_remquo(double x, double y, int *quotient)
{
    double a = wf_abs(x), b = wf_abs(y);
    *quotient = 0;
    if (!(a < wf_inf()) || b != b || b == 0.0)
        return wf_nan();
    if (b == wf_inf())
        return x;
    int q = 0, ea = 0, eb = 0;
    if (a != 0.0)
        wf_split(a, &ea);
    wf_split(b, &eb);
    if (a >= b) {
        double scaled = wf_ldexp(b, ea - eb);
        for (int e = ea - eb; e >= 0; e--) {
            q <<= 1;
            if (a >= scaled) {
                a -= scaled;
                q |= 1;
            }
            scaled *= 0.5;
        }
    }
    // a in [0, b): to the nearest multiple, ties to the even quotient; halves compared without
    // rounding
    double rest = b - a;
    if (a > rest || (a == rest && (q & 1))) {
        a -= b;
        q++;
    }
    q &= 0x7fffffff;
    *quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -q : q;
    return a == 0.0 ? wf_copysign(0.0, x) : __builtin_signbit(x) ? -a : a;
}
WF_DEV double wf_round(double x)
{
    double t = __builtin_trunc(x);
    return wf_abs(x - t) >= 0.5 ? t + wf_copysign(1.0, x) : wf_copysign(t, x);
}
WF_DEV double wf_frexp(double x, int *e)
{
    *e = 0;
    return x == 0.0 || !(wf_abs(x) < wf_inf()) ? x : wf_split(x, e);
}
WF_DEV int wf_ilogb(double x)
{
    int e;
    if (x == 0.0 || x != x)
        return -2147483647 - 1;
    if (wf_abs(x) == wf_inf())
        return 2147483647;
    wf_split(x, &e);
    return e - 1;
}
WF_DEV double wf_logb(double x)
{
    if (x == 0.0)
        return -wf_inf();
    return wf_abs(x) < wf_inf() ? (double)wf_ilogb(x) : x * x;
}
WF_DEV double wf_modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return wf_copysign(wf_abs(x) == wf_inf() ? 0.0 : x - *whole, x);
}
WF_DEV double wf_nextafter(double x, double y)
{
    if (x != x || y != y)
        return wf_nan();
    if (x == y)
        return y;
    if (x == 0.0)
        return wf_copysign(4.9406564584124654e-324, y);
    unsigned long long u = wf_bits(x);
    return wf_from_bits((x < y) == (x > 0.0) ? u + 1 : u - 1);
}
WF_DEV double wf_fdim(double x, double y)
{
    return x != x || y != y ? wf_nan() : x > y ? x - y : 0.0;
}

#endif

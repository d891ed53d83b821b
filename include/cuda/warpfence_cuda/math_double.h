// SPDX-License-Identifier: Apache-2.0
// Elementary functions in double precision, wf_<name>. Textbook methods: argument reduction with
// the constants in two or three pieces, then a Taylor or Chebyshev polynomial, with a second word
// (double-double) where one rounding would cost an ulp. The bounds of the CUDA guide ("Mathematical
// Functions") are met; measured errors stand in tests/unit/front/math_ulp.
//
// Products that must be rounded by themselves use wf_mul_rn and wf_add_rn: the compiler may fuse
// plain ones.
#ifndef WF_CUDA_MATH_DOUBLE_H
#define WF_CUDA_MATH_DOUBLE_H

#include "common.h"
#include "math_poly.h"

#ifdef __CUDA_ARCH__
WF_DEV double wf_mul_rn(double a, double b)
{
    return __nvvm_mul_rn_d(a, b);
}
WF_DEV double wf_add_rn(double a, double b)
{
    return __nvvm_add_rn_d(a, b);
}
#else // host: the accuracy test compiles this file with contraction off
WF_DEV double wf_mul_rn(double a, double b)
{
    return a * b;
}
WF_DEV double wf_add_rn(double a, double b)
{
    return a + b;
}
#endif
WF_DEV double wf_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
WF_DEV double wf_inf()
{
    return __builtin_inf();
}
WF_DEV double wf_nan()
{
    return __builtin_nan("");
}
WF_DEV unsigned long long wf_bits(double x)
{
    unsigned long long u;
    __builtin_memcpy(&u, &x, 8);
    return u;
}
WF_DEV double wf_from_bits(unsigned long long u)
{
    double x;
    __builtin_memcpy(&x, &u, 8);
    return x;
}
WF_DEV double wf_abs(double x)
{
    return __builtin_fabs(x);
}
WF_DEV double wf_copysign(double x, double s)
{
    return __builtin_copysign(x, s);
}

struct wf_dd { // an unevaluated sum, |low| at most half an ulp of high
    double high, low;
};
WF_DEV wf_dd wf_two_sum(double a, double b)
{
    double s = wf_add_rn(a, b), t = wf_add_rn(s, -a);
    return {s, wf_add_rn(wf_add_rn(a, -wf_add_rn(s, -t)), wf_add_rn(b, -t))};
}
WF_DEV wf_dd wf_fast_sum(double a, double b) // |a| >= |b|
{
    double s = wf_add_rn(a, b);
    return {s, wf_add_rn(b, -wf_add_rn(s, -a))};
}
WF_DEV wf_dd wf_two_mul(double a, double b)
{
    double p = wf_mul_rn(a, b);
    return {p, wf_fma(a, b, -p)};
}

// 2^k for k in [-1022, 1023].
WF_DEV double wf_pow2i(int k)
{
    return wf_from_bits((unsigned long long)(k + 1023) << 52);
}
WF_DEV double wf_ldexp(double x, int k)
{
    k = k < -2200 ? -2200 : k > 2200 ? 2200 : k;
    if (k > 1023) { // three steps reach from the least subnormal to overflow
        x *= wf_pow2i(1023);
        k -= 1023;
        if (k > 1023) {
            x *= wf_pow2i(1023);
            k = k - 1023 > 1023 ? 1023 : k - 1023;
        }
    } else if (k < -1022) { // stay normal until the last step, so that only it rounds
        x *= wf_pow2i(-969);
        k += 969;
        if (k < -1022) {
            x *= wf_pow2i(-969);
            k = k + 969 < -1022 ? -1022 : k + 969;
        }
    }
    return x * wf_pow2i(k);
}
// x = m * 2^e with m in [1/2, 1); x finite and not 0.
WF_DEV double wf_split(double x, int *e)
{
    int shift = 0;
    if (wf_abs(x) < 2.2250738585072014e-308) {
        x *= 18014398509481984.0; // 2^54
        shift = -54;
    }
    unsigned long long u = wf_bits(x);
    *e = (int)(u >> 52 & 0x7ff) - 1022 + shift;
    return wf_from_bits((u & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}

// exp(r) - 1 - r for |r| at most 0.35 (Taylor).
WF_DEV double wf_exp_tail(double r)
{
    double q = wf_horner(r, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                         1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
                         1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5);
    return r * r * q;
}
// exp(high + low) for a reduced argument, times 2^k.
WF_DEV double wf_exp_finish(double r, double low, int k)
{
    double t = wf_exp_tail(r);
    double p = wf_add_rn(1.0, r + wf_fma(low, 1.0 + (r + t), t));
    return k >= -1021 && k <= 1023 ? p * wf_pow2i(k) : wf_ldexp(p, k);
}
// exp(x.high + x.low)
WF_DEV double wf_exp_dd(wf_dd x)
{
    if (!(x.high < 709.79))
        return x.high != x.high ? x.high : wf_inf();
    if (x.high < -746.0)
        return 0.0;
    double k = __builtin_rint(x.high * 1.4426950408889634);
    double r = wf_fma(-k, 6.93147180369123816490e-01, x.high); // 32 bits: exact
    double c = wf_mul_rn(k, 1.90821492927058770002e-10);
    wf_dd s = wf_two_sum(r, -c);
    double low = s.low + x.low - wf_fma(k, 1.90821492927058770002e-10, -c);
    return wf_exp_finish(s.high, low, (int)k);
}
WF_DEV double wf_exp(double x)
{
    return wf_exp_dd({x, 0.0});
}
// exp(x)/2 as a double-double, for x in [0, 711].
WF_DEV wf_dd wf_half_exp(double x)
{
    double k = __builtin_rint(x * 1.4426950408889634);
    double r = wf_fma(-k, 6.93147180369123816490e-01, x);
    double c = wf_mul_rn(k, 1.90821492927058770002e-10);
    wf_dd s = wf_two_sum(r, -c);
    double low = s.low - wf_fma(k, 1.90821492927058770002e-10, -c);
    double t = wf_exp_tail(s.high);
    wf_dd q = wf_fast_sum(s.high, wf_fma(low, 1.0 + (s.high + t), t));
    wf_dd p = wf_fast_sum(1.0, q.high);
    double scale = wf_pow2i((int)k - 2); // k may be 1026
    return {p.high * scale * 2.0, (p.low + q.low) * scale * 2.0};
}
WF_DEV double wf_exp2(double x)
{
    if (!(x < 1024.0))
        return x != x ? x : wf_inf();
    if (x < -1076.0)
        return 0.0;
    double k = __builtin_rint(x), f = x - k;
    wf_dd r = wf_two_mul(f, 0.6931471805599453);
    return wf_exp_finish(r.high, wf_fma(f, 2.3190468138462996e-17, r.low), (int)k);
}
WF_DEV double wf_exp10(double x)
{
    if (!(x < 308.26))
        return x != x ? x : wf_inf();
    if (x < -324.0)
        return 0.0;
    double k = __builtin_rint(x * 3.321928094887362);
    double f = wf_fma(-k, 0.3010299956639812, x), g = wf_mul_rn(k, -2.8037281277851704e-18);
    wf_dd s = wf_two_sum(f, -g);
    wf_dd r = wf_two_mul(s.high, 2.302585092994046);
    double low = r.low + wf_fma(s.high, -2.1707562233822494e-16, s.low * 2.302585092994046);
    return wf_exp_finish(r.high, low, (int)k);
}
WF_DEV double wf_expm1(double x)
{
    if (!(x < 709.79))
        return x != x ? x : wf_inf();
    if (x < -40.0)
        return -1.0;
    double k = __builtin_rint(x * 1.4426950408889634);
    double r = wf_fma(-k, 6.93147180369123816490e-01, x);
    double c = wf_mul_rn(k, 1.90821492927058770002e-10);
    wf_dd s = wf_two_sum(r, -c);
    double low = s.low - wf_fma(k, 1.90821492927058770002e-10, -c);
    double t = wf_fma(low, 1.0 + s.high, wf_exp_tail(s.high));
    if (k == 0.0)
        return x == 0.0 ? x : s.high + t;
    if (k > 1022.0) // 2^k itself would overflow
        return wf_ldexp(1.0 + (s.high + t), (int)k);
    double scale = wf_pow2i((int)k);
    wf_dd one = wf_two_sum(scale, -1.0);
    wf_dd sum = wf_two_sum(one.high, scale * s.high);
    return sum.high + (sum.low + wf_fma(scale, t, one.low));
}

// log of a positive finite number as a double-double with about 66 good bits.
WF_DEV wf_dd wf_log_dd(double x)
{
    int e;
    double m = wf_split(x, &e);
    if (m < 0.7071067811865476) {
        m *= 2.0;
        e--;
    }
    // log(m) = 2 atanh(s), s = (m - 1)/(m + 1), in double-double; m - 1 is exact.
    double f = m - 1.0;
    wf_dd d = wf_two_sum(m, 1.0);
    double s = f / d.high;
    double s_low = (wf_fma(-s, d.high, f) - s * d.low) / d.high;
    wf_dd z = wf_two_mul(s, s);
    z.low = wf_fma(2.0 * s, s_low, z.low);
    // 2/3 + z (2/5 + 2/7 z + ...)
    double q =
        z.high * wf_horner(z.high, 2.0 / 25.0, 2.0 / 23.0, 2.0 / 21.0, 2.0 / 19.0, 2.0 / 17.0,
                           2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 0.4);
    wf_dd c = wf_fast_sum(0.6666666666666666, q);
    c.low += 3.700743415417188e-17 + z.low * 0.4;
    // s + s z c + s: first t = z c, then s t
    wf_dd t = wf_two_mul(z.high, c.high);
    t.low += wf_fma(z.high, c.low, z.low * c.high);
    wf_dd u = wf_two_mul(s, t.high);
    u.low += wf_fma(s, t.low, s_low * t.high);
    wf_dd sum = wf_fast_sum(2.0 * s, u.high);
    sum.low += u.low + 2.0 * s_low;
    double k = e;
    wf_dd kl = {k * 6.93147180369123816490e-01, k * 1.90821492927058770002e-10};
    wf_dd high = wf_two_sum(kl.high, kl.low);
    wf_dd all = wf_two_sum(high.high, sum.high);
    all.low += high.low + sum.low +
               k * 1.1612227229362532e-26; // what is left of ln 2 behind the two pieces
    return wf_fast_sum(all.high, all.low);
}
WF_DEV bool wf_log_special(double x, double *r)
{
    if (x > 0.0 && x < wf_inf())
        return false;
    *r = x == 0.0 ? -wf_inf() : x < 0.0 ? wf_nan() : x; // inf, nan
    return true;
}
WF_DEV double wf_log(double x)
{
    double r;
    if (wf_log_special(x, &r))
        return r;
    wf_dd l = wf_log_dd(x);
    return l.high + l.low;
}
WF_DEV double wf_log_scaled(double x, double high, double low)
{
    double r;
    if (wf_log_special(x, &r))
        return r;
    wf_dd l = wf_log_dd(x), p = wf_two_mul(l.high, high);
    return p.high + (p.low + wf_fma(l.high, low, l.low * high));
}
WF_DEV double wf_log2(double x)
{
    return wf_log_scaled(x, 1.4426950408889634, 2.0355273740931033e-17);
}
WF_DEV double wf_log10(double x)
{
    return wf_log_scaled(x, 0.4342944819032518, 1.098319650216765e-17);
}
WF_DEV double wf_log1p(double x)
{
    if (!(x > -1.0) || !(x < wf_inf()))
        return x == -1.0 ? -wf_inf() : x < -1.0 ? wf_nan() : x;
    if (wf_abs(x) < 1e-17)
        return x;
    wf_dd u = wf_two_sum(1.0, x);
    wf_dd l = wf_log_dd(u.high);
    return l.high + (l.low + u.low / u.high);
}

// |x|^y for finite x != 0 and finite y, by exp(y log x) in double-double.
WF_DEV double wf_pow_core(double x, double y)
{
    wf_dd l = wf_log_dd(x);
    double p = wf_mul_rn(y, l.high);
    if (!(wf_abs(p) < 1e5)) // far over or under; low parts could be NaN
        return p > 0.0 ? wf_inf() : 0.0;
    double p_low = wf_fma(y, l.high, -p) + y * l.low;
    return wf_exp_dd({p, p_low});
}
WF_DEV double wf_pow(double x, double y)
{
    if (x == 1.0 || y == 0.0)
        return 1.0;
    if (x != x || y != y)
        return wf_nan();
    double ax = wf_abs(x), ay = wf_abs(y);
    bool is_int = ay >= 4503599627370496.0 || __builtin_trunc(y) == y;
    bool is_odd = is_int && ay < 9007199254740992.0 && ((long long)y & 1);
    double sign = is_odd && __builtin_signbit(x) ? -1.0 : 1.0;
    if (ay == wf_inf())
        return ax == 1.0 ? 1.0 : (ax > 1.0) == (y > 0.0) ? wf_inf() : 0.0;
    if (ax == 0.0 || ax == wf_inf())
        return (ax == 0.0) == (y > 0.0) ? sign * 0.0 : sign * wf_inf();
    if (x < 0.0 && !is_int)
        return wf_nan();
    if (ax == 1.0)
        return sign;
    return sign * wf_pow_core(ax, y);
}

WF_DEV double wf_sqrt(double x)
{
    return __builtin_sqrt(x);
}
WF_DEV double wf_rsqrt(double x)
{
    double r = 1.0 / __builtin_sqrt(x); // then one correction, which takes back both roundings
    double ax = wf_abs(x);
    if (!(ax > 1e-290 && ax < 1e290))
        return r;
    double h = wf_mul_rn(x, r);
    double e = wf_fma(-h, r, 1.0) - wf_fma(x, r, -h) * r;
    return wf_fma(r * 0.5, e, r);
}
WF_DEV double wf_cbrt(double x)
{
    if (x == 0.0 || !(wf_abs(x) < wf_inf()))
        return x;
    int e;
    double m = wf_abs(wf_split(x, &e)); // [1/2, 1)
    int third = e >= 0 ? (e + 2) / 3 : -(-e / 3);
    m = wf_ldexp(m, e - 3 * third); // (1/8 .. 1]
    double y = wf_fma(m, wf_fma(m, wf_fma(m, 0.31, -0.89), 1.22), 0.36);
    for (int i = 0; i < 4; i++) // Newton; the last step with the residual in full
        y -= wf_fma(y, y * y, -m) / (3.0 * y * y);
    wf_dd q = wf_two_mul(y, y), c = wf_two_mul(q.high, y);
    double residual = (c.high - m) + wf_fma(q.low, y, c.low);
    y -= residual / (3.0 * q.high);
    return wf_copysign(wf_ldexp(y, third), x);
}
WF_DEV double wf_rcbrt(double x)
{
    return 1.0 / wf_cbrt(x);
}

// sqrt(a^2 + b^2 + c^2 + d^2) scaled so that nothing over- or underflows on the way.
WF_DEV double wf_norm4(double a, double b, double c, double d, bool is_reciprocal)
{
    double v[4] = {wf_abs(a), wf_abs(b), wf_abs(c), wf_abs(d)}, most = 0.0;
    bool has_inf = false, has_nan = false;
    for (int i = 0; i < 4; i++) {
        has_inf |= v[i] == wf_inf();
        has_nan |= v[i] != v[i];
        most = v[i] > most ? v[i] : most;
    }
    if (has_inf)
        return is_reciprocal ? 0.0 : wf_inf();
    if (has_nan)
        return wf_nan();
    if (most == 0.0)
        return is_reciprocal ? wf_inf() : 0.0;
    int e;
    wf_split(most, &e);
    wf_dd sum = {0.0, 0.0};
    for (int i = 0; i < 4; i++) {
        double s = wf_ldexp(v[i], -e);
        wf_dd p = wf_two_mul(s, s), t = wf_two_sum(sum.high, p.high);
        sum = {t.high, sum.low + t.low + p.low};
    }
    double r = __builtin_sqrt(sum.high + sum.low);
    return is_reciprocal ? wf_ldexp(1.0 / r, -e) : wf_ldexp(r, e);
}
WF_DEV double wf_hypot(double a, double b)
{
    return wf_norm4(a, b, 0.0, 0.0, false);
}

#endif

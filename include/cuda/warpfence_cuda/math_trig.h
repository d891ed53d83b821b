// SPDX-License-Identifier: Apache-2.0
// Circular functions in double precision and their inverses. Arguments to 2^30 are reduced with
// pi/2 in three pieces, larger ones with as many bits of 2/pi as it takes (Payne and Hanek).
#ifndef WF_CUDA_MATH_TRIG_H
#define WF_CUDA_MATH_TRIG_H

#include "math_double.h"

// 2/pi, first bit behind the point first.
__device__ const unsigned long long wf_two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

struct wf_reduced {
    double r, low; // in [-pi/4, pi/4]
    int quadrant;
};

WF_DEV unsigned long long wf_mulhi64(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

WF_CALL wf_reduced wf_reduce_large(double x)
{
    unsigned long long u = wf_bits(x), m = (u & 0xfffffffffffffull) | 0x10000000000000ull;
    int e = (int)(u >> 52 & 0x7ff) - 1075; // |x| = m 2^e, e > -24
    // Words of 2/pi from the bit whose product with m is worth a multiple of 4 turns of a quarter.
    int bit = e + 53 > 64 ? e + 53 - 64 : 0; // bits before this one give multiples of 4 quarters
    int word = bit / 64, shift = bit % 64;
    unsigned long long w[4];
    for (int i = 0; i < 4; i++) {
        unsigned long long a = wf_two_over_pi[word + i];
        unsigned long long b = wf_two_over_pi[word + i + 1];
        w[i] = shift ? a << shift | b >> (64 - shift) : a;
    }
    // m * (0.w0 w1 w2 w3) 2^(e - bit), as a 4-word number; what overflows is a multiple of 2^64.
    unsigned long long p[4], carry = 0;
    for (int i = 3; i >= 0; i--) {
        unsigned long long low = m * w[i], high = wf_mulhi64(m, w[i]);
        low += carry;
        high += low < carry;
        p[i] = low;
        carry = high;
    }
    // The value is (carry p0 p1 p2 p3) 2^-256 2^(e - bit) quarters; move the point behind the
    // quarter count.
    int up =
        e - bit; // 2^up, up in [-24, 11]; with the 53 bits of m the integer part ends in `carry`
    unsigned long long q[5] = {carry, p[0], p[1], p[2], p[3]};
    unsigned long long whole, frac[3];
    if (up >= 0) {
        whole = up ? q[0] << up | q[1] >> (64 - up) : q[0];
        for (int i = 0; i < 3; i++)
            frac[i] = up ? q[i + 1] << up | q[i + 2] >> (64 - up) : q[i + 1];
    } else {
        int down = -up;
        whole = q[0] >> down;
        for (int i = 0; i < 3; i++)
            frac[i] = q[i] << (64 - down) | q[i + 1] >> down;
    }
    int quadrant = (int)(whole & 3);
    bool is_negative = frac[0] >> 63; // nearer to the next quarter
    if (is_negative) {
        quadrant++;
        unsigned long long borrow = 1;
        for (int i = 2; i >= 0; i--) {
            frac[i] = ~frac[i] + borrow;
            borrow = borrow && frac[i] == 0;
        }
    }
    // frac 2^-192 to a double-double, then times pi/2.
    double f = (double)(frac[0] >> 11) * 1.1102230246251565e-16;     // 2^-53: exact
    double rest = (double)(frac[0] & 0x7ff) * 5.421010862427522e-20; // 2^-64: exact
    wf_dd s = wf_two_sum(f, rest + (double)frac[1] * 2.938735877055719e-39 +
                                (double)frac[2] * 1.5930919111324523e-58);
    wf_dd r = wf_two_mul(s.high, 1.5707963267948966);
    double low = r.low + wf_fma(s.high, 6.123233995736766e-17, s.low * 1.5707963267948966);
    wf_dd n = wf_fast_sum(r.high, low);
    bool flip = is_negative != (x < 0.0);
    if (x < 0.0)
        quadrant = -quadrant;
    return {flip ? -n.high : n.high, flip ? -n.low : n.low, quadrant & 3};
}

WF_DEV wf_reduced wf_reduce(double x)
{
    if (!(wf_abs(x) < 1073741824.0))
        return wf_reduce_large(x);
    double k = __builtin_rint(x * 0.6366197723675814);
    double a =
        wf_fma(-k, 1.5707963267948966, x); // exact: both are multiples of the same small unit
    wf_dd p = wf_two_mul(k, 6.123233995736766e-17);
    wf_dd s = wf_two_sum(a, -p.high);
    double low = s.low - p.low - k * -1.4973849048591698e-33;
    return {s.high, low, (int)((long long)k & 3)};
}

WF_DEV double wf_sin_poly(double r, double low)
{
    double z = r * r;
    double q = wf_horner(z, 1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0,
                         -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0);
    return r + wf_fma(r * z, q, low * (1.0 - 0.5 * z));
}
WF_DEV double wf_cos_poly(double r, double low)
{
    double z = r * r;
    double q =
        wf_horner(z, -1.0 / 6402373705728000.0, 1.0 / 20922789888000.0, -1.0 / 87178291200.0,
                  1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0);
    double half = 0.5 * z, one = 1.0 - half;
    return one + (((1.0 - one) - half) + wf_fma(z * z, q, -r * low));
}
WF_DEV void wf_sincos(double x, double *s, double *c)
{
    if (!(wf_abs(x) < wf_inf())) {
        *s = *c = wf_nan();
        return;
    }
    wf_reduced a = wf_reduce(x);
    double sine = wf_sin_poly(a.r, a.low), cosine = wf_cos_poly(a.r, a.low);
    double t = a.quadrant & 1 ? cosine : sine, u = a.quadrant & 1 ? sine : cosine;
    *s = x == 0.0 ? x : a.quadrant & 2 ? -t : t;
    *c = (a.quadrant + 1) & 2 ? -u : u;
}
WF_DEV double wf_sin(double x)
{
    double s, c;
    wf_sincos(x, &s, &c);
    return s;
}
WF_DEV double wf_cos(double x)
{
    double s, c;
    wf_sincos(x, &s, &c);
    return c;
}
WF_DEV double wf_tan(double x)
{
    if (x == 0.0 || !(wf_abs(x) < wf_inf()))
        return x == 0.0 ? x : wf_nan();
    wf_reduced a = wf_reduce(x);
    double s = wf_sin_poly(a.r, a.low), c = wf_cos_poly(a.r, a.low);
    return a.quadrant & 1 ? -c / s : s / c;
}
WF_DEV void wf_sincospi(double x, double *s, double *c)
{
    if (!(wf_abs(x) < wf_inf())) {
        *s = *c = wf_nan();
        return;
    }
    double k = __builtin_rint(2.0 * x), f = wf_fma(-0.5, k, x); // exact
    wf_dd r = wf_two_mul(f, 3.141592653589793);
    double low = wf_fma(f, 1.2246467991473532e-16, r.low);
    double sine = wf_sin_poly(r.high, low), cosine = wf_cos_poly(r.high, low);
    int quadrant = (int)(k - 4.0 * __builtin_floor(0.25 * k));
    double t = quadrant & 1 ? cosine : sine, u = quadrant & 1 ? sine : cosine;
    t = quadrant & 2 ? -t : t;
    *s = x == __builtin_trunc(x) ? wf_copysign(0.0, x) : t;
    *c = f == 0.0 && (quadrant & 1) ? 0.0 : (quadrant + 1) & 2 ? -u : u;
}
WF_DEV double wf_sinpi(double x)
{
    double s, c;
    wf_sincospi(x, &s, &c);
    return s;
}
WF_DEV double wf_cospi(double x)
{
    double s, c;
    wf_sincospi(x, &s, &c);
    return c;
}

// atan(i/8)
__device__ const double wf_atan_high[9] = {0.0,
                                           0.12435499454676144,
                                           0.24497866312686414,
                                           0.35877067027057225,
                                           0.4636476090008061,
                                           0.5585993153435624,
                                           0.6435011087932844,
                                           0.7188299996216245,
                                           0.7853981633974483};
__device__ const double wf_atan_low[9] = {0.0,
                                          -3.1253241424539383e-18,
                                          1.0698755618734451e-17,
                                          -2.4623815582638635e-17,
                                          2.2698777452961687e-17,
                                          -5.4556305485916264e-18,
                                          1.5834785051444286e-17,
                                          -2.1478388444456983e-17,
                                          3.061616997868383e-17};
// atan of high + low in [0, 1], as a double-double
WF_DEV wf_dd wf_atan_unit(double x, double low)
{
    int i = (int)__builtin_rint(x * 8.0);
    double c = i * 0.125;
    double d = wf_fma(x, c, 1.0), n = x - c;
    double t = (n + low) / d;
    double t_low = (wf_fma(-t, d, n) + low) / d;
    double z = t * t;
    double q =
        wf_horner(z, -1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0, -1.0 / 7.0, 0.2, -1.0 / 3.0);
    wf_dd s = wf_fast_sum(wf_atan_high[i], t);
    if (i == 0)
        s = {t, 0.0};
    s.low += wf_atan_low[i] + wf_fma(t * z, q, t_low);
    return s;
}
WF_DEV double wf_atan(double x)
{
    double a = wf_abs(x);
    if (x != x || a < 1e-9)
        return x;
    if (a <= 1.0) {
        wf_dd r = wf_atan_unit(a, 0.0);
        return wf_copysign(r.high + r.low, x);
    }
    double t = 1.0 / a;
    double t_low = a == wf_inf() ? 0.0 : wf_fma(-t, a, 1.0) / a;
    wf_dd r = wf_atan_unit(t, t_low);
    wf_dd s = wf_fast_sum(1.5707963267948966, -r.high);
    return wf_copysign(s.high + (s.low + 6.123233995736766e-17 - r.low), x);
}
WF_DEV double wf_atan2(double y, double x)
{
    if (x != x || y != y)
        return wf_nan();
    double ax = wf_abs(x), ay = wf_abs(y);
    bool is_steep = ay > ax;
    double n = is_steep ? ax : ay, d = is_steep ? ay : ax;
    wf_dd r;
    if (d == 0.0) {
        r = {0.0, 0.0};
    } else if (n == d) { // also both infinite
        r = {0.7853981633974483, 3.061616997868383e-17};
    } else {
        int e;
        wf_split(d == wf_inf() ? 1.0 : d, &e); // keeps the quotient's low part from underflow
        n = wf_ldexp(n, -e);
        d = wf_ldexp(d, -e);
        double t = n / d, t_low = d == wf_inf() ? 0.0 : wf_fma(-t, d, n) / d;
        if (t < 1e-290 && !is_steep && !__builtin_signbit(x))
            return wf_copysign(ay / ax, y);
        r = wf_atan_unit(t, t_low);
    }
    wf_dd s = r;
    if (is_steep) {
        s = wf_two_sum(1.5707963267948966, -r.high);
        s.low += 6.123233995736766e-17 - r.low;
    }
    if (__builtin_signbit(x)) {
        r = s;
        s = wf_two_sum(3.141592653589793, -r.high);
        s.low += 1.2246467991473532e-16 - r.low;
    }
    return wf_copysign(s.high + s.low, y);
}
// (asin(s) - s), |s| at most 1/2
WF_DEV double wf_asin_tail(double s)
{
    double z = s * s;
    return s * z * WF_POLY_ASIN(z);
}
// sqrt((1 - a)/2) for a in [1/2, 1], as a double-double
WF_DEV wf_dd wf_half_angle(double a)
{
    double z = 0.5 * (1.0 - a), s = __builtin_sqrt(z); // 1 - a is exact
    double low = s > 0.0 ? wf_fma(-s, s, z) / (2.0 * s) : 0.0;
    return {s, low};
}
WF_DEV double wf_asin(double x)
{
    double a = wf_abs(x);
    if (!(a <= 1.0))
        return wf_nan();
    if (a < 0.5)
        return x + wf_asin_tail(x);
    wf_dd h = wf_half_angle(a);
    wf_dd s = wf_fast_sum(1.5707963267948966, -2.0 * h.high);
    return wf_copysign(
        s.high + (s.low + 6.123233995736766e-17 - 2.0 * (h.low + wf_asin_tail(h.high))), x);
}
WF_DEV double wf_acos(double x)
{
    double a = wf_abs(x);
    if (!(a <= 1.0))
        return wf_nan();
    if (a < 0.5) {
        wf_dd s = wf_fast_sum(1.5707963267948966, -x);
        return s.high + (s.low + 6.123233995736766e-17 - wf_asin_tail(x));
    }
    wf_dd h = wf_half_angle(a);
    double tail = h.low + wf_asin_tail(h.high);
    if (x > 0.0)
        return 2.0 * (h.high + tail);
    wf_dd s = wf_fast_sum(3.141592653589793, -2.0 * h.high);
    return s.high + (s.low + 1.2246467991473532e-16 - 2.0 * tail);
}

#endif

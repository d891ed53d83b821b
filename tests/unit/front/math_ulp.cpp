// SPDX-License-Identifier: Apache-2.0
// Errors in ulp of the device math of include/cuda, compiled for the host, against libquadmath.
// Prints a line a function; exit 1 when one is above the bound of the CUDA guide ("Mathematical
// Functions").
#include <quadmath.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "warpfence_cuda/math_float.h"

typedef __float128 Q;
static std::mt19937_64 rng(12345);
static double uniform(double a, double b)
{
    return std::uniform_real_distribution<double>(a, b)(rng);
}
static double scaled(double a, double b) // any sign, exponents spread evenly
{
    return (rng() & 1 ? -1 : 1) * std::exp2(uniform(a, b));
}
static int bad;

static double ulps(Q got, Q want, int digits, int least)
{
    int e;
    frexpq(want, &e);
    int step = e - digits < least ? least : e - digits;
    return (double)(fabsq(got - want) / ldexpq(1, step));
}

template <class T, class F, class R, class G>
static void test(const char *name, double bound, F ours, R reference, G points, int n = 20000)
{
    double worst = 0, at = 0;
    for (int i = 0; i < n; i++) {
        T x = (T)points();
        Q want = reference((Q)x);
        T got = ours(x);
        if (finiteq(want) &&
            fabsq(want) > (sizeof(T) == 4 ? (Q)3.4028235e38 : (Q)1.7976931348623157e308))
            want = want > 0 ? (Q)HUGE_VAL : -(Q)HUGE_VAL;
        double e =
            isnanq(want) || isinfq(want)
                ? ((isnanq(want) && got != got) || (Q)got == want ? 0 : 1e9)
                : ulps((Q)got, want, sizeof(T) == 4 ? 24 : 53, sizeof(T) == 4 ? -149 : -1074);
        if (!(e <= worst)) {
            worst = e;
            at = x;
        }
    }
    bool is_bad = !(worst <= bound);
    bad += is_bad;
    printf("%-12s %8.3f of %g%s", name, worst, bound, is_bad ? "  ABOVE THE BOUND" : "");
    printf(is_bad ? " at %.17g\n" : "\n", at);
}

#define D(name, bound, ref, points)                                                                \
    test<double>(                                                                                  \
        #name, bound, [](double x) { return wf_##name(x); }, [](Q x) -> Q { return ref; },         \
        []() -> double { return points; })
#define S(name, ours, bound, ref, points)                                                          \
    test<float>(                                                                                   \
        #name, bound, [](float x) -> float { return ours; }, [](Q x) -> Q { return ref; },         \
        []() -> double { return points; })

static double pick(double a, double b)
{
    return rng() & 1 ? a : b;
}

int main()
{
    const Q pi = M_PIq;
    (void)pi;
    D(exp, 1, expq(x), uniform(-745, 709));
    D(exp2, 1, powq(2, x), uniform(-1074, 1023));
    D(exp10, 1, powq(10, x), uniform(-323, 308));
    D(expm1, 1, expm1q(x), pick(uniform(-2, 2), scaled(-60, 9)));
    D(log, 1, logq(x), pick(std::fabs(scaled(-1074, 1023)), 1 + scaled(-50, -2)));
    D(log2, 1, log2q(x), pick(std::fabs(scaled(-1074, 1023)), 1 + scaled(-50, -2)));
    D(log10, 1, log10q(x), pick(std::fabs(scaled(-1074, 1023)), 1 + scaled(-50, -2)));
    D(log1p, 1, log1pq(x), pick(std::fabs(scaled(-60, 1000)), uniform(-.999, 2)));
    D(sin, 2, sinq(x), pick(uniform(-10, 10), scaled(-30, 1000)));
    D(cos, 2, cosq(x), pick(uniform(-10, 10), scaled(-30, 1000)));
    D(tan, 2, tanq(x), pick(uniform(-10, 10), scaled(-30, 100)));
    D(sinpi, 2, sinq(M_PIq * fmodq(x, 2)), uniform(-40, 40));
    D(asin, 2, asinq(x), pick(uniform(-1, 1), 1 - std::fabs(scaled(-50, -1))));
    D(acos, 2, acosq(x), pick(uniform(-1, 1), 1 - std::fabs(scaled(-50, -1))));
    D(atan, 2, atanq(x), scaled(-40, 60));
    D(sinh, 2, sinhq(x), pick(uniform(-3, 3), uniform(-710, 710)));
    D(cosh, 1, coshq(x), uniform(-710, 710));
    D(tanh, 2, tanhq(x), pick(uniform(-3, 3), scaled(-40, 4)));
    D(asinh, 3, asinhq(x), scaled(-40, 100));
    D(acosh, 3, acoshq(x), 1 + std::fabs(scaled(-50, 100)));
    D(atanh, 2, atanhq(x), pick(uniform(-1, 1), scaled(-40, -1)));
    D(cbrt, 1, cbrtq(x), scaled(-1074, 1023));
    D(rsqrt, 2, 1 / sqrtq(x), std::fabs(scaled(-1074, 1023)));
    D(erf, 2, erfq(x), scaled(-40, 2.5));
    D(erfc, 5, erfcq(x), uniform(-5, 26));
    D(tgamma, 10, tgammaq(x), pick(uniform(.001, 171), uniform(0, 5)));
    D(lgamma, 4, lgammaq(x), pick(uniform(0.001, 30), std::fabs(scaled(5, 900))));

    S(sinf, wf_sinf(x), 1, sinq(x), pick(uniform(-10, 10), scaled(-30, 120)));
    S(cosf, wf_cosf(x), 1, cosq(x), pick(uniform(-10, 10), scaled(-30, 120)));
    S(tanf, wf_tanf(x), 1, tanq(x), pick(uniform(-10, 10), scaled(-30, 120)));
    S(expf, wf_expf(x), 1, expq(x), uniform(-105, 90));
    S(exp2f, wf_exp2f(x), 1, powq(2, x), uniform(-152, 130));
    S(exp10f, wf_exp10f(x), 1, powq(10, x), uniform(-47, 40));
    S(logf, wf_logf(x), 1, logq(x), pick(std::fabs(scaled(-149, 127)), 1 + scaled(-23, -2)));
    S(log2f, wf_log2f(x), 1, log2q(x), pick(std::fabs(scaled(-149, 127)), 1 + scaled(-23, -2)));
    S(log10f, wf_log10f(x), 1, log10q(x), pick(std::fabs(scaled(-149, 127)), 1 + scaled(-23, -2)));
    S(tanhf, (float)wf_tanh(x), 1, tanhq(x), scaled(-20, 4));
    S(erff, (float)wf_erf(x), 1, erfq(x), scaled(-20, 2.5));
    S(tgammaf, (float)wf_tgamma(x), 1, tgammaq(x), uniform(.01, 35));
    S(powf2 .5, wf_powf(x, 2.5f), 1, powq(x, (Q)2.5), std::fabs(scaled(-60, 50)));

    static double y; // the second argument of the pair
    test<double>(
        "pow", 2, [](double x) { return wf_pow(x, y); }, [](Q x) -> Q { return powq(x, y); },
        [] {
            y = uniform(-100, 100);
            return uniform(.1, 10);
        });
    test<double>(
        "atan2", 2, [](double x) { return wf_atan2(x, y); }, [](Q x) -> Q { return atan2q(x, y); },
        [] {
            y = pick(uniform(-5, 5), scaled(-300, 300));
            return pick(uniform(-5, 5), scaled(-300, 300));
        });
    test<double>(
        "hypot", 2, [](double x) { return wf_hypot(x, y); }, [](Q x) -> Q { return hypotq(x, y); },
        [] {
            y = scaled(-500, 500);
            return scaled(-500, 500);
        });
    test<double>(
        "fmod", 0, [](double x) { return wf_fmod(x, y); }, [](Q x) -> Q { return fmodq(x, y); },
        [] {
            y = scaled(-5, 5);
            return scaled(-5, 60);
        });
    test<double>(
        "remainder", 0,
        [](double x) {
            int q;
            return wf_remquo(x, y, &q);
        },
        [](Q x) -> Q { return remainderq(x, y); },
        [] {
            y = scaled(-5, 5);
            return scaled(-5, 60);
        });

    // Special values against the C library's.
    const double odd[] = {0.0, -0.0,     1.0,       -1.0, 0.5,    -2.0,
                          3.0, HUGE_VAL, -HUGE_VAL, NAN,  5e-324, 1e308};
    for (double a : odd) {
        struct {
            const char *name;
            double ours, theirs;
        } row[] = {{"exp", wf_exp(a), exp(a)},          {"log", wf_log(a), log(a)},
                   {"sin", wf_sin(a), sin(a)},          {"expm1", wf_expm1(a), expm1(a)},
                   {"log1p", wf_log1p(a), log1p(a)},    {"cbrt", wf_cbrt(a), cbrt(a)},
                   {"asin", wf_asin(a), asin(a)},       {"atan", wf_atan(a), atan(a)},
                   {"tanh", wf_tanh(a), tanh(a)},       {"sinh", wf_sinh(a), sinh(a)},
                   {"erf", wf_erf(a), erf(a)},          {"erfc", wf_erfc(a), erfc(a)},
                   {"tgamma", wf_tgamma(a), tgamma(a)}, {"lgamma", wf_lgamma(a), lgamma(a)},
                   {"round", wf_round(a), round(a)},    {"logb", wf_logb(a), logb(a)},
                   {"atanh", wf_atanh(a), atanh(a)},    {"acosh", wf_acosh(a), acosh(a)}};
        for (auto &r : row) {
            bool same = (r.ours != r.ours && r.theirs != r.theirs) ||
                        std::fabs(r.ours - r.theirs) <= 8e-16 * std::fabs(r.theirs) ||
                        (r.ours == r.theirs && std::signbit(r.ours) == std::signbit(r.theirs));
            if (!same)
                bad++, printf("%s(%g) is %.17g, libm says %.17g\n", r.name, a, r.ours, r.theirs);
        }
        for (double b : odd) {
            double p = wf_pow(a, b), q = pow(a, b), s = wf_atan2(a, b), t = atan2(a, b);
            if (!((p != p && q != q) || (p == q && std::signbit(p) == std::signbit(q)) ||
                  std::fabs(p - q) <= 4e-16 * std::fabs(q)))
                bad++, printf("pow(%g, %g) is %.17g, libm says %.17g\n", a, b, p, q);
            if (!((s != s && t != t) ||
                  (std::fabs(s - t) <= 4e-16 * std::fabs(t) && std::signbit(s) == std::signbit(t))))
                bad++, printf("atan2(%g, %g) is %.17g, libm says %.17g\n", a, b, s, t);
        }
    }
    return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0
// The `.approx` functions (PTX ISA 9.7.3), as vector code. Each stays inside the error that the ISA states;
// special values (zeros, infinities, NaN, the flushed ranges) are those of the GPU exactly.
#include "jit/approx.h"

static jv fk(struct jit *j, double v, jv like)
{
    return wf__fkonst(j, v, like);
}

static jv fmadd(struct jit *j, jv a, jv b, jv c)
{
    return e_intrin3(j, "llvm.fma", a, b, c);
}

// c[0] + x * (c[1] + x * (...))
static jv poly(struct jit *j, jv x, const double *c, unsigned n)
{
    jv r = fk(j, c[n - 1], x);
    while (--n > 0)
        r = fmadd(j, r, x, fk(j, c[n - 1], x));
    return r;
}

static jv power_of_two(struct jit *j, jv n) // n in [-126, 127]
{
    return e_f(j, e_shlk(j, e_add(j, n, e_k(j, 127, n)), 23));
}

// The upper word of a double, NaN in the form that the GPU's double approximations give.
static jv upper_word(struct jit *j, jv f)
{
    jv r = e_andk(j, e_i(j, f), 0xffffffff00000000u);
    return e_sel(j, e_isnan(j, f), e_k(j, 0x7fffffff00000000u, r), r);
}

jv wf__approx_rcp(struct jit *j, jv v)
{
    jv f = e_f(j, v);
    if (e_bits(v) == 32)
        return wf__canon(j, e_fdiv(j, fk(j, 1.0, f), f));
    // rcp.approx.ftz.f64 looks at the upper word only and gives an upper word only.
    jv expo = e_andk(j, v, 0x7ff0000000000000u);
    jv sign = e_andk(j, v, 1ull << 63), high = e_andk(j, v, 0xffffffff00000000u);
    jv x = e_sel(j, e_eq(j, expo, e_k(j, 0, v)), sign, high);
    jv xf = e_f(j, x);
    jv r = upper_word(j, e_fdiv(j, fk(j, 1.0, xf), xf));
    jv tiny = e_eq(j, e_andk(j, r, 0x7ff0000000000000u), e_k(j, 0, r));
    return e_sel(j, tiny, e_andk(j, r, 1ull << 63), r);
}

jv wf__approx_sqrt(struct jit *j, jv v)
{
    return wf__canon(j, e_intrin1(j, "llvm.sqrt", e_f(j, v)));
}

jv wf__approx_div(struct jit *j, jv a, jv b, bool is_full)
{
    jv fa = e_f(j, a), fb = e_f(j, b), q = e_fdiv(j, fa, fb);
    if (!is_full) { // |b| above 2^126: the reciprocal underflows, and a * 0 remains
        jv large = e_fcmp(j, LLVMRealOGT, e_intrin1(j, "llvm.fabs", fb), fk(j, 0x1p126, fb));
        jv zero = e_f(j, e_andk(j, b, 0x80000000u));
        q = e_sel(j, large, e_fmul(j, fa, zero), q);
    }
    return wf__canon(j, q);
}

EMIT(rsqrt)
{
    bool ftz = e_has(in, PTX_M_FTZ);
    if (in->type == PTX_T_F64) {
        jv x = s[0];
        if (ftz) {
            jv tiny = e_eq(j, e_andk(j, x, 0x7ff0000000000000u), e_k(j, 0, x));
            x = e_andk(j, e_sel(j, tiny, e_andk(j, x, 1ull << 63), x), 0xffffffff00000000u);
        }
        jv f = e_f(j, x);
        jv r = e_fdiv(j, fk(j, 1.0, f), e_intrin1(j, "llvm.sqrt", f));
        d[0] = ftz ? upper_word(j, r)
                   : e_sel(j, e_isnan(j, f), wf__quiet(j, x), wf__canon(j, r));
        return;
    }
    jv f = e_f(j, ftz ? wf__flush(j, s[0]) : s[0]);
    jv r = e_fdiv(j, fk(j, 1.0, f), e_intrin1(j, "llvm.sqrt", f));
    d[0] = wf__canon(j, r);
}

jv wf__approx_ex2(struct jit *j, jv f)
{
    static const double c[] = {1.0, 0.693147180559945, 0.240226506959101, 0.0555041086648216,
                               0.00961812910762848, 0.00133335581464284, 0.000154035303933816,
                               1.52527338040598e-5};
    // Far outside the range of results the clamped value gives the same result.
    jv lo = fk(j, -200.0, f), hi = fk(j, 200.0, f);
    jv x = e_sel(j, e_fcmp(j, LLVMRealOGT, f, lo), f, lo);
    x = e_sel(j, e_fcmp(j, LLVMRealOLT, x, hi), x, hi);
    jv whole = e_intrin1(j, "llvm.roundeven", x);
    jv p = poly(j, e_fsub(j, x, whole), c, sizeof c / sizeof c[0]);
    jv n = LLVMBuildFPToSI(j->b, whole, e_int(j, 32, f), "");
    jv half = e_ashr(j, n, e_k(j, 1, n)); // two factors: one would leave the range of exponents
    jv r = e_fmul(j, e_fmul(j, p, power_of_two(j, half)), power_of_two(j, e_sub(j, n, half)));
    return e_sel(j, e_isnan(j, f), f, r);
}

EMIT(ex2)
{
    bool ftz = e_has(in, PTX_M_FTZ);
    jv f = e_f(j, ftz ? wf__flush(j, s[0]) : s[0]);
    jv r = wf__canon(j, wf__approx_ex2(j, f));
    d[0] = ftz ? wf__flush(j, r) : r;
}

// log2 of a positive normal float by s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)).
static jv log2_normal(struct jit *j, jv bits)
{
    static const double c[] = {2.88539008177793, 0.961796693925976, 0.577078016355585,
                               0.412198583111132, 0.320598897975325, 0.262308189252539};
    jv shifted = e_sub(j, bits, e_k(j, 0x3f3504f3u, bits)); // bits of sqrt(1/2)
    jv e = e_ashr(j, shifted, e_k(j, 23, bits));
    jv m = e_f(j, e_sub(j, bits, e_shlk(j, e, 23)));
    jv t = e_fsub(j, m, fk(j, 1.0, m));
    jv q = e_fdiv(j, t, e_fadd(j, t, fk(j, 2.0, m)));
    jv p = e_fmul(j, q, poly(j, e_fmul(j, q, q), c, sizeof c / sizeof c[0]));
    return e_fadd(j, LLVMBuildSIToFP(j->b, e, LLVMTypeOf(m), ""), p);
}

EMIT(lg2)
{
    jv v = e_has(in, PTX_M_FTZ) ? wf__flush(j, s[0]) : s[0];
    jv f = e_f(j, v), zero = fk(j, 0.0, f);
    jv tiny = e_ult(j, v, e_k(j, 0x00800000u, v)); // positive and denormal
    jv scaled = e_i(j, e_fmul(j, f, fk(j, 0x1p24, f)));
    jv r = log2_normal(j, e_sel(j, tiny, scaled, v));
    r = e_fsub(j, r, e_sel(j, tiny, fk(j, 24.0, f), zero));
    r = e_sel(j, e_eq(j, v, e_k(j, 0x7f800000u, v)), f, r);
    r = e_sel(j, e_fcmp(j, LLVMRealOEQ, f, zero), e_f(j, e_k(j, 0xff800000u, v)), r);
    jv bad = e_fcmp(j, LLVMRealULT, f, zero); // negative or NaN
    d[0] = e_sel(j, bad, e_k(j, 0x7fffffffu, v), e_i(j, r));
}

// x / (2 pi) rounded toward zero, then the part that is left of whole turns, in [-1/2, 1/2].
static jv turn(struct jit *j, jv f)
{
    jv wide = e_fmul(j, e_fext(j, f, 64), fk(j, (double)0.15915494309189535f, e_fext(j, f, 64)));
    jv near = e_ftrunc(j, wide, 32);
    jv i = e_i(j, near);
    jv away = e_fcmp(j, LLVMRealOGT, e_intrin1(j, "llvm.fabs", e_fext(j, near, 64)),
                     e_intrin1(j, "llvm.fabs", wide));
    jv t = e_f(j, e_sub(j, i, e_sel(j, away, e_k(j, 1, i), e_k(j, 0, i))));
    return e_fsub(j, t, e_intrin1(j, "llvm.roundeven", t)); // infinity gives NaN
}

// sin(2 pi r), |r| at most 1/4 after folding.
static jv sin_turn(struct jit *j, jv r)
{
    static const double c[] = {6.28318530717959, -41.3417022403998, 81.6052492760750,
                               -76.7058597530614, 42.0586939448912, -15.0946425768225, 3.8199525};
    jv quarter = fk(j, 0.25, r), half = fk(j, 0.5, r);
    jv mag = e_intrin1(j, "llvm.fabs", r);
    jv folded = e_sel(j, e_fcmp(j, LLVMRealOGT, mag, quarter), e_fsub(j, half, mag), mag);
    jv y = e_intrin2(j, "llvm.copysign", folded, r);
    return e_fmul(j, y, poly(j, e_fmul(j, y, y), c, sizeof c / sizeof c[0]));
}

EMIT(sin)
{
    jv f = e_f(j, e_has(in, PTX_M_FTZ) ? wf__flush(j, s[0]) : s[0]);
    jv r = sin_turn(j, turn(j, f));
    d[0] = wf__canon(j, r);
}

EMIT(cos)
{
    jv f = e_f(j, e_has(in, PTX_M_FTZ) ? wf__flush(j, s[0]) : s[0]);
    jv mag = e_intrin1(j, "llvm.fabs", turn(j, f));
    d[0] = wf__canon(j, sin_turn(j, e_fsub(j, fk(j, 0.25, f), mag)));
}

jv wf__approx_tanh(struct jit *j, jv f)
{
    static const double c[] = {1.0, -0.333333333333333, 0.133333333333333, -0.0539682539682540,
                               0.0218694885361552};
    jv mag = e_intrin1(j, "llvm.fabs", f), one = fk(j, 1.0, f);
    jv e = wf__approx_ex2(j, e_fmul(j, mag, fk(j, -2.88539008177793, f)));
    jv large = e_fdiv(j, e_fsub(j, one, e), e_fadd(j, one, e));
    jv small = e_fmul(j, mag, poly(j, e_fmul(j, mag, mag), c, sizeof c / sizeof c[0]));
    jv is_small = e_fcmp(j, LLVMRealOLT, mag, fk(j, 0.25, f));
    return e_intrin2(j, "llvm.copysign", e_sel(j, is_small, small, large), f);
}

EMIT(tanh)
{
    (void)in;
    d[0] = wf__canon(j, wf__approx_tanh(j, e_f(j, s[0])));
}

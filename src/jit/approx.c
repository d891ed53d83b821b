// SPDX-License-Identifier: Apache-2.0
// The `.approx` instructions (PTX ISA 9.7.3) around the function unit of mufu.c: it knows no
// denormals, so forms without .ftz scale by powers of two before and after, as the H200's results
// show.
#include "jit/approx.h"
#include "jit/mufu.h"

static jv fk(struct jit *j, double v, jv like)
{
    return wf__fkonst(j, v, like);
}

static jv times(struct jit *j, jv v, jv factor) // integers and a float factor
{
    return e_i(j, e_fmul(j, e_f(j, v), factor));
}

static jv is_tiny(struct jit *j, jv v) // zero or denormal
{
    return e_eq(j, e_andk(j, v, 0x7f800000u), e_k(j, 0, v));
}

static jv is_huge(struct jit *j, jv v) // above 2^126: the reciprocal is denormal
{
    jv mag = e_andk(j, v, 0x7fffffffu);
    return e_and(j, e_ugt(j, mag, e_k(j, 0x7e800000u, mag)),
                 e_ule(j, mag, e_k(j, 0x7f800000u, mag)));
}

// 2^24 where v is tiny, 2^-2 where it is huge, else 1.
static jv scale_for(struct jit *j, jv v, bool up, bool down)
{
    jv f = e_f(j, v), one = fk(j, 1.0, f), s = one;
    if (up)
        s = e_sel(j, is_tiny(j, v), fk(j, 0x1p24, f), s);
    return down ? e_sel(j, is_huge(j, v), fk(j, 0.25, f), s) : s;
}

jv wf__approx_rcp(struct jit *j, const struct ir_insn *in, jv v)
{
    if (in->type == PTX_T_F64) { // looks at the upper word only and gives an upper word only
        jv high = e_trunc(j, e_lshrk(j, v, 32), 32);
        return e_shlk(j, e_zext(j, wf__mufu_rcp64h(j, high), 64), 32);
    }
    if (e_has(in, PTX_M_FTZ))
        return wf__mufu_rcp(j, v);
    jv s = scale_for(j, v, true, true);
    return wf__canon(j, e_f(j, times(j, wf__mufu_rcp(j, times(j, v, s)), s)));
}

jv wf__approx_divisor(struct jit *j, const struct ir_insn *in, jv *a, jv b)
{
    bool up = !e_has(in, PTX_M_FTZ), down = e_has(in, PTX_M_FULL);
    if (up || down) {
        jv s = scale_for(j, b, up, down);
        *a = times(j, *a, s);
        b = times(j, b, s);
    }
    return wf__mufu_rcp(j, b);
}

// fn(v) for f32; without .ftz a tiny v is taken 2^24 times as large and the result multiplied by
// `after`.
static jv scaled_root(struct jit *j, const struct ir_insn *in, jv v, jv (*fn)(struct jit *, jv),
                      double after)
{
    if (e_has(in, PTX_M_FTZ))
        return fn(j, v);
    jv f = e_f(j, v), one = fk(j, 1.0, f), tiny = is_tiny(j, v);
    jv r = fn(j, times(j, v, e_sel(j, tiny, fk(j, 0x1p24, f), one)));
    return wf__canon(j, e_f(j, times(j, r, e_sel(j, tiny, fk(j, after, f), one))));
}

jv wf__approx_sqrt(struct jit *j, const struct ir_insn *in, jv v)
{
    return scaled_root(j, in, v, wf__mufu_sqrt, 0x1p-12);
}

// rsqrt.approx.f64: the upper word's approximation and one step of third order. Denormals are
// scaled.
static jv rsqrt_double(struct jit *j, jv v)
{
    jv f = e_f(j, v), one = fk(j, 1.0, f);
    jv mag = e_andk(j, v, ~(1ull << 63)), tiny = e_ult(j, mag, e_k(j, 1ull << 52, mag));
    jv x = e_fmul(j, f, e_sel(j, tiny, fk(j, 0x1p54, f), one));
    jv start = wf__mufu_rsqrt64h(j, e_trunc(j, e_lshrk(j, e_i(j, x), 32), 32));
    jv y = e_f(j, e_shlk(j, e_zext(j, start, 64), 32));
    jv minus = LLVMBuildFNeg(j->b, e_fmul(j, y, y), "");
    jv e = e_intrin3(j, "llvm.fma", x, minus, one);
    jv p = e_intrin3(j, "llvm.fma", e, fk(j, 0.375, e), fk(j, 0.5, e));
    jv r = e_intrin3(j, "llvm.fma", p, e_fmul(j, y, e), y);
    r = e_i(j, e_fmul(j, r, e_sel(j, tiny, fk(j, 0x1p27, f), one)));
    // Zero, infinity, negative, NaN.
    jv zero = e_k(j, 0, v), inf = e_k(j, 0x7ff0000000000000u, v), sign = e_andk(j, v, 1ull << 63);
    r = e_sel(j, e_eq(j, v, inf), zero, r);
    r = e_sel(j, e_slt(j, v, zero), e_k(j, 0xfff8000000000000u, v), r);
    r = e_sel(j, e_eq(j, mag, zero), e_or(j, sign, inf), r);
    return e_sel(j, e_isnan(j, f), wf__quiet(j, v), r);
}

EMIT(rsqrt)
{
    if (in->type == PTX_T_F32) {
        d[0] = scaled_root(j, in, s[0], wf__mufu_rsqrt, 0x1p12);
    } else if (e_has(in, PTX_M_FTZ)) {
        jv high = e_trunc(j, e_lshrk(j, s[0], 32), 32);
        d[0] = e_shlk(j, e_zext(j, wf__mufu_rsqrt64h(j, high), 64), 32);
    } else {
        d[0] = rsqrt_double(j, s[0]);
    }
}

EMIT(ex2)
{
    if (e_has(in, PTX_M_FTZ)) {
        d[0] = wf__mufu_ex2(j, s[0], false);
        return;
    }
    jv f = e_f(j, s[0]); // results that may be denormal: the square of half the exponent's
    jv low = e_fcmp(j, LLVMRealOLT, f, fk(j, -126.0, f));
    jv r = wf__mufu_ex2(j, e_i(j, e_sel(j, low, e_fmul(j, f, fk(j, 0.5, f)), f)), false);
    jv square = e_i(j, e_fmul(j, e_f(j, r), e_f(j, r)));
    d[0] = e_sel(j, low, square, r);
}

EMIT(lg2)
{
    if (e_has(in, PTX_M_FTZ)) {
        d[0] = wf__mufu_lg2(j, s[0]);
        return;
    }
    jv f = e_f(j, s[0]), one = fk(j, 1.0, f), zero = fk(j, 0.0, f), tiny = is_tiny(j, s[0]);
    jv r = e_f(j, wf__mufu_lg2(j, times(j, s[0], e_sel(j, tiny, fk(j, 0x1p24, f), one))));
    d[0] = wf__canon(j, e_fsub(j, r, e_sel(j, tiny, fk(j, 24.0, f), zero)));
}

// The function unit counts in turns: x / (2 pi), rounded toward zero.
static jv turns(struct jit *j, const struct ir_insn *in, jv v)
{
    jv f = e_fext(j, e_f(j, e_has(in, PTX_M_FTZ) ? wf__flush(j, v) : v), 64);
    jv exact = e_fmul(j, f, fk(j, (double)0.15915494309189535f, f));
    jv near = e_ftrunc(j, exact, 32), i = e_i(j, near);
    jv away = e_fcmp(j, LLVMRealOGT, e_intrin1(j, "llvm.fabs", e_fext(j, near, 64)),
                     e_intrin1(j, "llvm.fabs", exact));
    return e_sub(j, i, e_sel(j, away, e_k(j, 1, i), e_k(j, 0, i)));
}

EMIT(sin)
{
    d[0] = wf__mufu_sin(j, turns(j, in, s[0]), false);
}

EMIT(cos)
{
    d[0] = wf__mufu_sin(j, turns(j, in, s[0]), true);
}

EMIT(tanh)
{
    (void)in;
    d[0] = wf__mufu_tanh(j, s[0]);
}

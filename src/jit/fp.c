// SPDX-License-Identifier: Apache-2.0
// f32, f64 and f32x2 arithmetic (PTX ISA 9.7.3), all but the approximations. Nearest even is LLVM's
// own arithmetic; the other roundings go to fp_round.c. An operation is: flush the sources (.ftz),
// compute, give NaN its GPU form, flush and saturate the result.
#include "jit/elem.h"
#include "jit/approx.h"

jv wf__flush(struct jit *j, jv v)
{
    uint64_t expo = e_bits(v) == 16 ? 0x7c00u : 0x7f800000u;
    jv tiny = e_eq(j, e_andk(j, v, expo), e_k(j, 0, v));
    return e_sel(j, tiny, e_andk(j, v, 1ull << (e_bits(v) - 1)), v);
}

jv wf__canon(struct jit *j, jv f)
{
    jv i = e_i(j, f);
    uint64_t nan = e_bits(i) == 16 ? 0x7fffu : e_bits(i) == 32 ? 0x7fffffffu : 0xfff8000000000000u;
    return e_sel(j, e_isnan(j, f), e_k(j, nan, i), i);
}

jv wf__sat(struct jit *j, jv f)
{
    jv zero = wf__fkonst(j, 0.0, f), one = wf__fkonst(j, 1.0, f);
    f = e_sel(j, e_fcmp(j, LLVMRealOGT, f, zero), f, zero); // NaN and -0 go to +0
    return e_sel(j, e_fcmp(j, LLVMRealOLT, f, one), f, one);
}

jv wf__minmax(struct jit *j, jv a, jv b, bool is_max, bool nan_wins)
{
    jv ia = e_i(j, a), ib = e_i(j, b);
    jv takes_a = e_fcmp(j, is_max ? LLVMRealOGT : LLVMRealOLT, a, b);
    jv r = e_sel(j, takes_a, ia, ib);
    // Equal operands differ at most in the sign of zero: -0 counts as below +0.
    jv same = is_max ? e_and(j, ia, ib) : e_or(j, ia, ib);
    r = e_sel(j, e_fcmp(j, LLVMRealOEQ, a, b), same, r);
    r = e_sel(j, e_isnan(j, nan_wins ? a : b), ia, r);
    if (e_bits(r) == 64) // of two NaN the second
        return e_sel(j, e_isnan(j, e_f(j, r)), wf__quiet(j, ib), r);
    return wf__canon(j, e_f(j, r));
}

jv wf__quiet(struct jit *j, jv v)
{
    return e_or(j, v, e_k(j, e_bits(v) == 64 ? 1ull << 51 : 1u << 22, v));
}

// The result of an operation on the sources x[0..n), as integers. f32: one NaN for all. f64: the
// NaN of a source goes through, quieted; x is in rising order of preference.
static jv with_nan(struct jit *j, jv f, const jv *x, unsigned n)
{
    if (j->any_nan_now)
        return e_i(j, f);
    jv r = wf__canon(j, f);
    for (unsigned i = 0; i < n && e_bits(r) == 64; i++)
        r = e_sel(j, e_isnan(j, e_f(j, x[i])), wf__quiet(j, x[i]), r);
    return r;
}

static bool is_ftz(const struct ir_insn *in)
{
    return e_has(in, PTX_M_FTZ) && in->type != PTX_T_F64;
}

// Sources as integers of one float element each, flushed.
static void take(struct jit *j, const struct ir_insn *in, jv *s, unsigned n, jv *out)
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = in->type == PTX_T_F32X2 ? wf__unpack(j, s[i], 32) : s[i];
        if (is_ftz(in))
            out[i] = wf__flush(j, out[i]);
    }
}

// From the result (integers, NaN as they have to be) to the destination register. Flushing looks at
// the result as it would be rounded with an unlimited exponent, which is not always the denormal's
// rounding: `trial`, when given, is the result computed 2^64 times as large.
static jv give(struct jit *j, const struct ir_insn *in, jv r, jv trial)
{
    if (is_ftz(in) && trial) {
        jv mag = e_intrin1(j, "llvm.fabs", trial);
        jv tiny = e_fcmp(j, LLVMRealOLT, mag, wf__fkonst(j, 0x1p-62, mag));
        r = e_sel(j, tiny, e_andk(j, r, 0x80000000u), r);
    } else if (is_ftz(in)) {
        r = wf__flush(j, r);
    }
    if (e_has(in, PTX_M_SAT))
        r = e_i(j, wf__sat(j, e_f(j, r)));
    return in->type == PTX_T_F32X2 ? wf__repack(j, r, 64) : r;
}

// add, sub and fma to f32 whose first sources are halves, which widen exactly (sm_100 and later).
static void widen_mixed(struct jit *j, const struct ir_insn *in, jv *s)
{
    bool is_bf16 = in->m.n_types > 1 && in->m.type[1] == PTX_T_BF16;
    for (unsigned i = 0; in->m.n_types > 1 && i + 1 < in->n_src; i++)
        s[i] = e_i(j, is_bf16 ? wf__bf16_to_f32(j, s[i]) : e_fext(j, e_f(j, s[i]), 32));
}

static bool is_nearest(const struct ir_insn *in)
{
    return wf__rounding(in->m.rnd) == 'n';
}

static void add_or_sub(struct jit *j, const struct ir_insn *in, jv *s, jv *d, bool is_sub)
{
    jv x[2];
    widen_mixed(j, in, s);
    take(j, in, s, 2, x);
    if (is_nearest(in)) {
        jv a = e_f(j, x[0]), b = e_f(j, x[1]);
        jv r = is_sub ? e_fsub(j, a, b) : e_fadd(j, a, b);
        d[0] = give(j, in, with_nan(j, r, x, 2), NULL);
        return;
    }
    jv y[2] = {x[0], x[1]};
    if (is_sub)
        y[1] = e_xor(j, x[1], e_k(j, 1ull << (e_bits(x[1]) - 1), x[1]));
    d[0] = give(j, in, with_nan(j, e_f(j, wf__rounded(j, in, "add", y, 2)), x, 2), NULL);
}

EMIT(f_add)
{
    add_or_sub(j, in, s, d, false);
}

EMIT(f_sub)
{
    add_or_sub(j, in, s, d, true);
}

// v * 2^64, to keep a product or quotient out of the denormal range.
static jv scaled(struct jit *j, jv v)
{
    jv f = e_f(j, v);
    return e_i(j, e_fmul(j, f, wf__fkonst(j, 0x1p64, f)));
}

// The bare operations in the instruction's rounding: integers in, float out.
static jv times(struct jit *j, const struct ir_insn *in, jv a, jv b)
{
    jv x[2] = {a, b};
    return is_nearest(in) ? e_fmul(j, e_f(j, a), e_f(j, b))
                          : e_f(j, wf__rounded(j, in, "mul", x, 2));
}

static jv over(struct jit *j, const struct ir_insn *in, jv a, jv b)
{
    jv x[2] = {a, b};
    return is_nearest(in) ? e_fdiv(j, e_f(j, a), e_f(j, b))
                          : e_f(j, wf__rounded(j, in, "div", x, 2));
}

static jv fused(struct jit *j, const struct ir_insn *in, jv a, jv b, jv c)
{
    jv x[3] = {a, b, c};
    return is_nearest(in) ? e_intrin3(j, "llvm.fma", e_f(j, a), e_f(j, b), e_f(j, c))
                          : e_f(j, wf__rounded(j, in, "fma", x, 3));
}

EMIT(f_mul)
{
    jv x[2], trial = NULL;
    take(j, in, s, 2, x);
    if (is_ftz(in))
        trial = times(j, in, scaled(j, x[0]), x[1]);
    d[0] = give(j, in, with_nan(j, times(j, in, x[0], x[1]), x, 2), trial);
}

EMIT(f_fma)
{
    jv x[3], trial = NULL;
    widen_mixed(j, in, s);
    take(j, in, s, 3, x);
    if (is_ftz(in))
        trial = fused(j, in, scaled(j, x[0]), x[1], scaled(j, x[2]));
    jv order[3] = {x[0], x[2], x[1]};
    d[0] = give(j, in, with_nan(j, fused(j, in, x[0], x[1], x[2]), order, 3), trial);
}

EMIT(f_div)
{
    jv x[2], trial = NULL;
    take(j, in, s, 2, x);
    if (e_has(in, PTX_M_APPROX) || e_has(in, PTX_M_FULL)) {
        jv r = wf__approx_divisor(j, in, &x[0], x[1]);
        if (is_ftz(in))
            trial = times(j, in, scaled(j, x[0]), r);
        d[0] = give(j, in, wf__canon(j, times(j, in, x[0], r)), trial);
        return;
    }
    if (is_ftz(in))
        trial = over(j, in, scaled(j, x[0]), x[1]);
    jv order[2] = {x[1], x[0]};
    d[0] = give(j, in, with_nan(j, over(j, in, x[0], x[1]), order, 2), trial);
}

EMIT(f_rcp)
{
    jv x[2];
    take(j, in, s, 1, &x[1]);
    if (e_has(in, PTX_M_APPROX)) {
        d[0] = give(j, in, wf__approx_rcp(j, in, x[1]), NULL);
        return;
    }
    x[0] = e_i(j, wf__fkonst(j, 1.0, e_f(j, x[1])));
    d[0] = give(j, in, with_nan(j, over(j, in, x[0], x[1]), &x[1], 1), NULL);
}

EMIT(f_sqrt)
{
    jv x[1];
    take(j, in, s, 1, x);
    if (e_has(in, PTX_M_APPROX)) {
        d[0] = give(j, in, wf__approx_sqrt(j, in, x[0]), NULL);
        return;
    }
    jv r = is_nearest(in) ? e_intrin1(j, "llvm.sqrt", e_f(j, x[0]))
                          : e_f(j, wf__rounded(j, in, "sqrt", x, 1));
    d[0] = give(j, in, with_nan(j, r, x, 1), NULL);
}

static void extreme(struct jit *j, const struct ir_insn *in, jv *s, jv *d, bool is_max)
{
    jv x[3], sign = NULL;
    unsigned n = in->n_src == 3 ? 3 : 2;
    take(j, in, s, n, x);
    uint64_t top = 1ull << (e_bits(x[0]) - 1);
    if (e_has(in, PTX_M_XORSIGN))
        sign = e_andk(j, e_xor(j, x[0], x[1]), top);
    for (unsigned i = 0; i < n && e_has(in, PTX_M_ABS); i++)
        x[i] = e_andk(j, x[i], top - 1);
    bool nan_wins = e_has(in, PTX_M_NANMOD);
    jv r = wf__minmax(j, e_f(j, x[0]), e_f(j, x[1]), is_max, nan_wins);
    if (n == 3)
        r = wf__minmax(j, e_f(j, r), e_f(j, x[2]), is_max, nan_wins);
    if (sign)
        r = e_sel(j, e_isnan(j, e_f(j, r)), r, e_or(j, r, sign));
    d[0] = give(j, in, r, NULL);
}

EMIT(f_min)
{
    extreme(j, in, s, d, false);
}

EMIT(f_max)
{
    extreme(j, in, s, d, true);
}

// abs and neg leave the sign of a NaN alone: f32 gives the one NaN, f64 the source's, quieted.
static jv sign_result(struct jit *j, jv v, jv r)
{
    jv nan = e_bits(v) == 64 ? wf__quiet(j, v) : e_k(j, 0x7fffffffu, v);
    return e_sel(j, e_isnan(j, e_f(j, v)), nan, r);
}

EMIT(f_abs)
{
    jv v = is_ftz(in) ? wf__flush(j, s[0]) : s[0];
    d[0] = sign_result(j, v, e_andk(j, v, (1ull << (e_bits(v) - 1)) - 1));
}

EMIT(f_neg)
{
    jv v = is_ftz(in) ? wf__flush(j, s[0]) : s[0];
    d[0] = sign_result(j, v, e_xor(j, v, e_k(j, 1ull << (e_bits(v) - 1), v)));
}

EMIT(copysign)
{
    (void)in;
    uint64_t top = 1ull << (e_bits(s[0]) - 1); // the sign of a with the magnitude of b
    d[0] = e_or(j, e_andk(j, s[0], top), e_andk(j, s[1], top - 1));
}

// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and their pairs (PTX ISA 9.7.4). Elements are 16-bit integers here; pairs are taken
// apart, so a warp of f16x2 is 64 elements. f16 computes in `half` (one rounding: LLVM goes through
// float where the processor cannot, and float is wide enough for sums and products). bf16 computes
// in float and rounds by integer steps. Fused products go through "round to odd", because float is
// not wide enough for them.
#include "jit/elem.h"
#include "jit/mufu.h"

jv wf__bf16_to_f32(struct jit *j, jv v)
{
    return e_f(j, e_shlk(j, e_zext(j, v, 32), 16));
}

jv wf__f32_to_bf16(struct jit *j, jv f)
{
    jv u = e_i(j, f);
    jv tie = e_andk(j, e_lshrk(j, u, 16), 1);
    jv up = e_add(j, u, e_add(j, tie, e_k(j, 0x7fff, u)));
    return e_trunc(j, e_lshrk(j, e_sel(j, e_isnan(j, f), e_k(j, 0x7fffffff, u), up), 16), 16);
}

jv wf__flush_bf16(struct jit *j, jv v)
{
    jv tiny = e_eq(j, e_andk(j, v, 0x7f80), e_k(j, 0, v));
    return e_sel(j, tiny, e_andk(j, v, 0x8000), v);
}

static bool is_bf16(const struct ir_insn *in)
{
    return wf__is_bf16((enum ptx_type)in->type);
}

static void take(struct jit *j, const struct ir_insn *in, jv *s, unsigned n, jv *out)
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = wf__unpack(j, s[i], 16);
        if (e_has(in, PTX_M_FTZ))
            out[i] = is_bf16(in) ? wf__flush_bf16(j, out[i]) : wf__flush(j, out[i]);
    }
}

// The finish of every operation: r is the canonical result, 16-bit integers.
static jv give(struct jit *j, const struct ir_insn *in, jv r)
{
    if (e_has(in, PTX_M_FTZ))
        r = is_bf16(in) ? wf__flush_bf16(j, r) : wf__flush(j, r);
    jv zero = e_k(j, 0, r);
    if (e_has(in, PTX_M_SAT)) // no .sat for bf16
        r = e_i(j, wf__sat(j, e_f(j, r)));
    if (e_has(in, PTX_M_RELU)) // the canonical NaN is positive and stays
        r = e_sel(j, e_slt(j, r, zero), zero, r);
    return wf__repack(j, r, in->type == PTX_T_F16X2 || in->type == PTX_T_BF16X2 ? 32 : 16);
}

typedef jv (*half_op)(struct jit *, jv, jv);

static jv arith(struct jit *j, const struct ir_insn *in, jv *s, half_op op)
{
    jv x[2], r;
    take(j, in, s, 2, x);
    if (is_bf16(in))
        r = wf__f32_to_bf16(j, op(j, wf__bf16_to_f32(j, x[0]), wf__bf16_to_f32(j, x[1])));
    else
        r = wf__canon(j, op(j, e_f(j, x[0]), e_f(j, x[1])));
    return give(j, in, r);
}

// f16 bits r, or a zero of their sign when the float f they were rounded from is below the normal
// range even when rounded to 11 bits with an unlimited exponent: below 2^-14 less half of the last
// of those bits.
static jv without_tiny(struct jit *j, jv f, jv r)
{
    jv mag = e_intrin1(j, "llvm.fabs", f);
    jv tiny = e_fcmp(j, LLVMRealOLT, mag, wf__fkonst(j, 0x1.ffep-15, mag));
    return e_sel(j, tiny, e_andk(j, r, 0x8000), r);
}

EMIT(h_add)
{
    d[0] = arith(j, in, s, e_fadd);
}

EMIT(h_sub)
{
    d[0] = arith(j, in, s, e_fsub);
}

EMIT(h_mul)
{
    if (!e_has(in, PTX_M_FTZ)) {
        d[0] = arith(j, in, s, e_fmul);
        return;
    }
    jv x[2];
    take(j, in, s, 2, x);
    jv exact = e_fmul(j, e_fext(j, e_f(j, x[0]), 32), e_fext(j, e_f(j, x[1]), 32));
    d[0] = give(j, in, without_tiny(j, exact, wf__canon(j, e_ftrunc(j, exact, 16))));
}

// f16: the product of two is exact in float; the sum is rounded to odd there and then to 11 bits.
static jv fused_f16(struct jit *j, const struct ir_insn *in, const jv *x)
{
    jv f[3];
    for (unsigned i = 0; i < 3; i++)
        f[i] = e_fext(j, e_f(j, x[i]), 32);
    jv sum = wf__add_odd(j, e_fmul(j, f[0], f[1]), f[2]);
    jv r = wf__canon(j, e_ftrunc(j, sum, 16));
    return e_has(in, PTX_M_FTZ) ? without_tiny(j, sum, r) : r;
}

// bf16: the same in double, whose range holds every product.
static jv fused_bf16(struct jit *j, const jv *x)
{
    jv f[3];
    for (unsigned i = 0; i < 3; i++)
        f[i] = e_fext(j, wf__bf16_to_f32(j, x[i]), 64);
    jv sum = wf__add_odd(j, e_fmul(j, f[0], f[1]), f[2]);
    return wf__f32_to_bf16(j, wf__f64_to_f32_odd(j, sum));
}

EMIT(h_fma)
{
    jv x[3];
    take(j, in, s, 3, x);
    jv r = is_bf16(in) ? fused_bf16(j, x) : fused_f16(j, in, x);
    for (unsigned i = 0; i < 2 && e_has(in, PTX_M_OOB);
         i++) { // a factor that is the out-of-bounds NaN
        jv is_mark = e_eq(j, e_andk(j, x[i], 0x7fff), e_k(j, 0x7ff7, r));
        r = e_sel(j, is_mark, e_k(j, 0, r), r);
    }
    d[0] = give(j, in, r);
}

static void extreme(struct jit *j, const struct ir_insn *in, jv *s, jv *d, bool is_max)
{
    jv x[2], sign = NULL;
    take(j, in, s, 2, x);
    if (e_has(in, PTX_M_XORSIGN)) {
        sign = e_andk(j, e_xor(j, x[0], x[1]), 0x8000);
        for (unsigned i = 0; i < 2; i++)
            x[i] = e_andk(j, x[i], 0x7fff);
    }
    jv r;
    if (is_bf16(in)) {
        jv a = wf__bf16_to_f32(j, x[0]), b = wf__bf16_to_f32(j, x[1]);
        r = wf__minmax(j, a, b, is_max, e_has(in, PTX_M_NANMOD));
        r = e_trunc(j, e_lshrk(j, r, 16), 16);
    } else {
        r = wf__minmax(j, e_f(j, x[0]), e_f(j, x[1]), is_max, e_has(in, PTX_M_NANMOD));
    }
    if (sign)
        r = e_sel(j, e_eq(j, r, e_k(j, 0x7fff, r)), r, e_or(j, r, sign));
    d[0] = give(j, in, r);
}

EMIT(h_min)
{
    extreme(j, in, s, d, false);
}

EMIT(h_max)
{
    extreme(j, in, s, d, true);
}

static jv canonical(struct jit *j, const struct ir_insn *in, jv v)
{
    jv inf = e_k(j, is_bf16(in) ? 0x7f80 : 0x7c00, v);
    return e_sel(j, e_ugt(j, e_andk(j, v, 0x7fff), inf), e_k(j, 0x7fff, v), v);
}

EMIT(h_abs)
{
    jv x[1];
    take(j, in, s, 1, x);
    d[0] = give(j, in, canonical(j, in, e_andk(j, x[0], 0x7fff)));
}

EMIT(h_neg)
{
    jv x[1];
    take(j, in, s, 1, x);
    d[0] = give(j, in, canonical(j, in, e_xor(j, x[0], e_k(j, 0x8000, x[0]))));
}

// The function unit's float result cut to the half type; f16: what is too large becomes infinity.
static jv cut_to_half(struct jit *j, const struct ir_insn *in, jv r)
{
    jv f = e_f(j, r), is_nan = e_isnan(j, f);
    if (is_bf16(in))
        return e_sel(j, is_nan, e_kb(j, 16, 0x7fff, r), e_trunc(j, e_lshrk(j, r, 16), 16));
    jv near = e_ftrunc(j, f, 16), h = e_i(j, near);
    jv over = e_fcmp(j, LLVMRealOGT, e_intrin1(j, "llvm.fabs", e_fext(j, near, 32)),
                     e_intrin1(j, "llvm.fabs", f));
    jv fits = e_fcmp(j, LLVMRealOLT, f, wf__fkonst(j, 65536.0, f));
    h = e_sub(j, h, e_sel(j, e_and(j, over, fits), e_k(j, 1, h), e_k(j, 0, h)));
    return e_sel(j, is_nan, e_k(j, 0x7fff, h), h);
}

// The source as float bits.
static jv widened(struct jit *j, const struct ir_insn *in, jv v)
{
    return e_i(j, is_bf16(in) ? wf__bf16_to_f32(j, v) : e_fext(j, e_f(j, v), 32));
}

EMIT(h_ex2)
{
    jv x[1];
    take(j, in, s, 1, x);
    d[0] = give(j, in, cut_to_half(j, in, wf__mufu_ex2(j, widened(j, in, x[0]), true)));
}

EMIT(h_tanh)
{
    jv x[1];
    take(j, in, s, 1, x);
    d[0] = give(j, in, cut_to_half(j, in, wf__mufu_tanh(j, widened(j, in, x[0]))));
}

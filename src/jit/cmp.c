// SPDX-License-Identifier: Apache-2.0
// Comparison and selection (PTX ISA 9.7.6, 9.7.7): set, setp, selp, slct, for integers, floats and
// the packed halves. A comparison of halves is made in float, which holds them exactly.
#include "jit/elem.h"

jv wf__compare(struct jit *j, enum ptx_mod cmp, bool is_float, bool is_signed, jv a, jv b)
{
    static const struct {
        uint16_t mod;
        LLVMRealPredicate f;
        LLVMIntPredicate u, s;
    } rows[] = {
        {PTX_M_EQ, LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ},
        {PTX_M_NE, LLVMRealONE, LLVMIntNE, LLVMIntNE},
        {PTX_M_LT, LLVMRealOLT, LLVMIntULT, LLVMIntSLT},
        {PTX_M_LE, LLVMRealOLE, LLVMIntULE, LLVMIntSLE},
        {PTX_M_GT, LLVMRealOGT, LLVMIntUGT, LLVMIntSGT},
        {PTX_M_GE, LLVMRealOGE, LLVMIntUGE, LLVMIntSGE},
        {PTX_M_LO, LLVMRealOLT, LLVMIntULT, LLVMIntULT},
        {PTX_M_LS, LLVMRealOLE, LLVMIntULE, LLVMIntULE},
        {PTX_M_HI, LLVMRealOGT, LLVMIntUGT, LLVMIntUGT},
        {PTX_M_HS, LLVMRealOGE, LLVMIntUGE, LLVMIntUGE},
        {PTX_M_EQU, LLVMRealUEQ, LLVMIntEQ, LLVMIntEQ},
        {PTX_M_NEU, LLVMRealUNE, LLVMIntNE, LLVMIntNE},
        {PTX_M_LTU, LLVMRealULT, LLVMIntULT, LLVMIntULT},
        {PTX_M_LEU, LLVMRealULE, LLVMIntULE, LLVMIntULE},
        {PTX_M_GTU, LLVMRealUGT, LLVMIntUGT, LLVMIntUGT},
        {PTX_M_GEU, LLVMRealUGE, LLVMIntUGE, LLVMIntUGE},
        {PTX_M_NUM, LLVMRealORD, LLVMIntEQ, LLVMIntEQ},
        {PTX_M_NAN, LLVMRealUNO, LLVMIntNE, LLVMIntNE},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].mod != cmp)
            continue;
        return is_float ? LLVMBuildFCmp(j->b, rows[i].f, a, b, "")
                        : LLVMBuildICmp(j->b, is_signed ? rows[i].s : rows[i].u, a, b, "");
    }
    return LLVMGetUndef(e_int(j, 1, a)); // the parser demands one of them
}

static enum ptx_mod comparison(const struct ir_insn *in)
{
    if (in->m.cmp)
        return (enum ptx_mod)(in->m.cmp - 1);
    return e_has(in, PTX_M_LO) ? PTX_M_LO : PTX_M_HI; // words shared with mul.lo and mul.hi
}

// A source of type t (no pair) as a value to compare.
static jv operand(struct jit *j, const struct ir_insn *in, enum ptx_type t, jv v)
{
    if (!wf__is_float(t))
        return v;
    if (wf__is_bf16(t))
        return wf__bf16_to_f32(j, v);
    if (e_has(in, PTX_M_FTZ) && t != PTX_T_F64)
        v = wf__flush(j, v);
    return e_comparable(j, e_f(j, v));
}

static jv compared(struct jit *j, const struct ir_insn *in, enum ptx_type t, jv *s)
{
    jv a = operand(j, in, t, s[0]), b = operand(j, in, t, s[1]);
    return wf__compare(j, comparison(in), wf__is_float(t), e_is_signed(t), a, b);
}

static jv combined(struct jit *j, const struct ir_insn *in, jv p, jv c)
{
    if (PTX_IS(in->m.sub, AND))
        return e_and(j, p, c);
    if (PTX_IS(in->m.sub, OR))
        return e_or(j, p, c);
    return e_xor(j, p, c);
}

static enum ptx_type half_type(enum ptx_type t) // of a pair
{
    return t == PTX_T_F16X2 ? PTX_T_F16 : PTX_T_BF16;
}

// The comparison of the low (0) or high (1) halves of pairs.
static jv compared_half(struct jit *j, const struct ir_insn *in, enum ptx_type t, jv *s,
                        unsigned which)
{
    jv x[2];
    for (unsigned i = 0; i < 2; i++)
        x[i] = e_trunc(j, e_lshrk(j, s[i], 16 * which), 16);
    jv p = compared(j, in, half_type(t), x);
    return in->m.sub ? combined(j, in, p, s[2]) : p;
}

EMIT(setp)
{
    enum ptx_type t = (enum ptx_type)in->type;
    if (t == PTX_T_F16X2 || t == PTX_T_BF16X2) {
        d[0] = compared_half(j, in, t, s, 0);
        if (in->has_pair)
            d[1] = compared_half(j, in, t, s, 1);
        return;
    }
    jv p = compared(j, in, t, s);
    d[0] = in->m.sub ? combined(j, in, p, s[2]) : p;
    if (in->has_pair)
        d[1] = in->m.sub ? combined(j, in, e_not(j, p), s[2]) : e_not(j, p);
}

// A predicate as the result of set: all ones, or 1.0 of a float type.
static jv as_value(struct jit *j, enum ptx_type t, jv p)
{
    unsigned bits = wf__elem_bits(t);
    uint64_t one = t == PTX_T_F32 ? 0x3f800000u : wf__is_bf16(t) ? 0x3f80u : 0x3c00u;
    if (!wf__is_float(t))
        return e_sext(j, p, bits);
    return e_sel(j, p, e_kb(j, bits, one, p), e_kb(j, bits, 0, p));
}

EMIT(set)
{
    enum ptx_type to = (enum ptx_type)in->m.type[0], from = (enum ptx_type)in->m.type[1];
    if (from != PTX_T_F16X2 && from != PTX_T_BF16X2) {
        jv p = compared(j, in, from, s);
        d[0] = as_value(j, to, in->m.sub ? combined(j, in, p, s[2]) : p);
        return;
    }
    // Of pairs: set.u32.f16x2 gives 0xffff a half, set.f16x2.f16x2 gives 1.0 a half.
    enum ptx_type half = wf__is_float(to) ? half_type(to) : PTX_T_U16;
    jv lo = e_zext(j, as_value(j, half, compared_half(j, in, from, s, 0)), 32);
    jv hi = e_zext(j, as_value(j, half, compared_half(j, in, from, s, 1)), 32);
    d[0] = e_or(j, lo, e_shlk(j, hi, 16));
}

EMIT(selp)
{
    (void)in;
    d[0] = e_sel(j, s[2], s[0], s[1]);
}

EMIT(slct)
{
    jv c = s[2];
    if (in->m.type[1] != PTX_T_F32) {
        d[0] = e_sel(j, e_sge(j, c, e_k(j, 0, c)), s[0], s[1]);
        return;
    }
    jv f = e_f(j, e_has(in, PTX_M_FTZ) ? wf__flush(j, c) : c);
    d[0] = e_sel(j, e_fcmp(j, LLVMRealOGE, f, wf__fkonst(j, 0.0, f)), s[0], s[1]);
}

EMIT(testp)
{
    unsigned bits = e_bits(s[0]), mant = bits == 32 ? 23 : 52;
    uint64_t expo = bits == 32 ? 0x7f800000u : 0x7ff0000000000000u;
    jv mag = e_andk(j, s[0], (1ull << (bits - 1)) - 1), inf = e_k(j, expo, mag),
       zero = e_k(j, 0, mag);
    jv least = e_k(j, 1ull << mant, mag); // smallest normal
    if (e_has(in, PTX_M_FINITE))
        d[0] = e_ult(j, mag, inf);
    else if (e_has(in, PTX_M_INFINITE))
        d[0] = e_eq(j, mag, inf);
    else if (e_has(in, PTX_M_NUMBER))
        d[0] = e_ule(j, mag, inf);
    else if (e_has(in, PTX_M_NOTANUMBER))
        d[0] = e_ugt(j, mag, inf);
    else if (e_has(in, PTX_M_NORMAL)) // zero counts as normal on the H200
        d[0] = e_or(j, e_eq(j, mag, zero), e_and(j, e_uge(j, mag, least), e_ult(j, mag, inf)));
    else
        d[0] = e_and(j, e_ult(j, mag, least), e_ne(j, mag, zero));
}

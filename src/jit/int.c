// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic (PTX ISA 9.7.1, 9.7.2): sums with carries, products, quotients, extremes.
// Results wrap; nothing here may trap or give LLVM poison, whatever the operands are.
//
// The carry flag travels as an i1 beside the values: carry out is the last result, carry in the
// last source. As on the GPU a subtraction is a + ~b + 1 and its flag the carry of that: 1 means no
// borrow.
#include "jit/elem.h"
#include "jit/jit_int.h"

static bool is_signed(const struct ir_insn *in)
{
    return e_is_signed((enum ptx_type)in->type);
}

static bool is_pair(const struct ir_insn *in) // u16x2, s16x2
{
    return in->type == PTX_T_U16X2 || in->type == PTX_T_S16X2;
}

EMIT(add)
{
    if (is_pair(in)) {
        d[0] = wf__repack(j, e_add(j, wf__unpack(j, s[0], 16), wf__unpack(j, s[1], 16)), 32);
        return;
    }
    if (e_has(in, PTX_M_SAT)) {
        d[0] = e_intrin2(j, "llvm.sadd.sat", s[0], s[1]);
        return;
    }
    d[0] = e_add(j, s[0], s[1]);
    if (e_has(in, PTX_M_CC))
        d[1] = e_ult(j, d[0], s[0]);
}

// x + carry; *out, when wanted, is the carry of it or'ed with `before`.
static jv add_carry(struct jit *j, jv x, jv carry, jv before, jv *out)
{
    jv r = e_add(j, x, e_zext(j, carry, e_bits(x)));
    if (out)
        *out = e_or(j, before, e_ult(j, r, x));
    return r;
}

EMIT(addc)
{
    jv sum = e_add(j, s[0], s[1]);
    d[0] = add_carry(j, sum, s[2], e_ult(j, sum, s[0]), e_has(in, PTX_M_CC) ? &d[1] : NULL);
}

EMIT(sub)
{
    if (is_pair(in)) {
        d[0] = wf__repack(j, e_sub(j, wf__unpack(j, s[0], 16), wf__unpack(j, s[1], 16)), 32);
        return;
    }
    if (e_has(in, PTX_M_SAT)) {
        d[0] = e_intrin2(j, "llvm.ssub.sat", s[0], s[1]);
        return;
    }
    d[0] = e_sub(j, s[0], s[1]);
    if (e_has(in, PTX_M_CC))
        d[1] = e_uge(j, s[0], s[1]);
}

EMIT(subc)
{
    jv diff = e_sub(j, s[0], s[1]);
    d[0] = e_sub(j, diff, e_zext(j, e_not(j, s[2]), e_bits(diff)));
    if (e_has(in, PTX_M_CC))
        d[1] = e_or(j, e_ugt(j, s[0], s[1]), e_and(j, s[2], e_eq(j, s[0], s[1])));
}

// High 64 bits of a 64-bit product by 32-bit pieces: LLVM would take vectors of i128 apart lane by
// lane.
static jv mul_hi64(struct jit *j, jv a, jv b, bool sgn)
{
    jv mask = e_k(j, 0xffffffffu, a);
    jv al = e_and(j, a, mask), ah = e_lshrk(j, a, 32), bl = e_and(j, b, mask),
       bh = e_lshrk(j, b, 32);
    jv low = e_lshrk(j, e_mul(j, al, bl), 32);
    jv mid = e_add(j, e_mul(j, ah, bl), low); // no overflow: (2^32-1)^2 + 2^32-1 < 2^64
    jv mid2 = e_add(j, e_mul(j, al, bh), e_and(j, mid, mask));
    jv hi = e_add(j, e_add(j, e_mul(j, ah, bh), e_lshrk(j, mid, 32)), e_lshrk(j, mid2, 32));
    if (!sgn)
        return hi;
    jv sixty_three = e_k(j, 63, a);
    hi = e_sub(j, hi, e_and(j, e_ashr(j, a, sixty_three), b));
    return e_sub(j, hi, e_and(j, e_ashr(j, b, sixty_three), a));
}

static jv mul_wide(struct jit *j, jv a, jv b, bool sgn)
{
    unsigned wide = 2 * e_bits(a);
    return e_mul(j, e_ext(j, a, wide, sgn), e_ext(j, b, wide, sgn));
}

static jv product(struct jit *j, const struct ir_insn *in, jv a, jv b)
{
    bool sgn = is_signed(in);
    if (e_has(in, PTX_M_WIDE))
        return mul_wide(j, a, b, sgn);
    if (!e_has(in, PTX_M_HI))
        return e_mul(j, a, b);
    unsigned bits = e_bits(a);
    if (bits == 64 && e_count(a))
        return mul_hi64(j, a, b, sgn);
    return e_trunc(j, e_lshrk(j, mul_wide(j, a, b, sgn), bits), bits);
}

EMIT(mul)
{
    d[0] = product(j, in, s[0], s[1]);
}

EMIT(mad)
{
    jv p = product(j, in, s[0], s[1]);
    if (e_has(in, PTX_M_SAT)) {
        d[0] = e_intrin2(j, "llvm.sadd.sat", p, s[2]);
        return;
    }
    d[0] = e_add(j, p, s[2]);
    if (e_has(in, PTX_M_CC))
        d[1] = e_ult(j, d[0], p);
}

EMIT(madc)
{
    jv p = product(j, in, s[0], s[1]);
    jv sum = e_add(j, p, s[2]);
    d[0] = add_carry(j, sum, s[3], e_ult(j, sum, p), e_has(in, PTX_M_CC) ? &d[1] : NULL);
}

static jv product24(struct jit *j, const struct ir_insn *in, jv a, jv b)
{
    jv eight = e_k(j, 8, a);
    a = e_shl(j, a, eight);
    b = e_shl(j, b, eight);
    a = is_signed(in) ? e_ashr(j, a, eight) : e_lshr(j, a, eight);
    b = is_signed(in) ? e_ashr(j, b, eight) : e_lshr(j, b, eight);
    if (!e_has(in, PTX_M_HI))
        return e_mul(j, a, b);
    return e_trunc(j, e_lshrk(j, mul_wide(j, a, b, is_signed(in)), 16), 32);
}

EMIT(mul24)
{
    d[0] = product24(j, in, s[0], s[1]);
}

EMIT(mad24)
{
    jv p = product24(j, in, s[0], s[1]);
    d[0] = e_has(in, PTX_M_SAT) ? e_intrin2(j, "llvm.sadd.sat", p, s[2]) : e_add(j, p, s[2]);
}

// Quotient of 16- and 32-bit vectors by a double division: the rounded quotient of two integers
// below 2^32 never reaches the next integer (the gap is at least 2^-32 of it), so truncation is
// exact. The hardware has no integer vector division; this is about three times faster than lane by
// lane.
static jv quotient_by_double(struct jit *j, jv a, jv b, bool sgn)
{
    LLVMTypeRef f = e_flt_type(j, 64, e_count(a));
    LLVMTypeRef i = LLVMTypeOf(a);
    if (sgn)
        return LLVMBuildFPToSI(
            j->b, e_fdiv(j, LLVMBuildSIToFP(j->b, a, f, ""), LLVMBuildSIToFP(j->b, b, f, "")), i,
            "");
    return LLVMBuildFPToUI(
        j->b, e_fdiv(j, LLVMBuildUIToFP(j->b, a, f, ""), LLVMBuildUIToFP(j->b, b, f, "")), i, "");
}

// Quotient; the divisor is already free of 0 and of -1 under INT_MIN.
static jv quotient(struct jit *j, jv a, jv b, bool sgn)
{
    if (e_count(a) && e_bits(a) == 32 && !LLVMIsConstant(b))
        return quotient_by_double(j, a, b, sgn);
    if (e_count(a) && e_bits(a) == 16 && !LLVMIsConstant(b)) {
        jv q = quotient_by_double(j, e_ext(j, a, 32, sgn), e_ext(j, b, 32, sgn), sgn);
        return e_trunc(j, q, 16);
    }
    return sgn ? LLVMBuildSDiv(j->b, a, b, "") : LLVMBuildUDiv(j->b, a, b, "");
}

// A divisor that neither traps nor is undefined: 1 for 0, and 1 for -1 below INT_MIN (same
// quotient).
static jv safe_divisor(struct jit *j, jv a, jv b, bool sgn, jv is_zero)
{
    jv one = e_k(j, 1, b);
    b = e_sel(j, is_zero, one, b);
    if (!sgn)
        return b;
    jv least = e_k(j, 1ull << (e_bits(a) - 1), a), minus = e_k(j, ~0ull, b);
    return e_sel(j, e_and(j, e_eq(j, a, least), e_eq(j, b, minus)), one, b);
}

// The scalar that all lanes of v are, or NULL.
static jv splat_of(jv v)
{
    if (!LLVMIsAShuffleVectorInst(v) || !LLVMIsAInsertElementInst(LLVMGetOperand(v, 0)))
        return NULL;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
        if (LLVMGetMaskValue(v, i) != 0)
            return NULL;
    jv at = LLVMGetOperand(LLVMGetOperand(v, 0), 2);
    return LLVMIsConstant(at) && LLVMConstIntGetZExtValue(at) == 0 ? LLVMGetOperand(LLVMGetOperand(v, 0), 1) : NULL;
}

// Quotient by one divisor for all lanes: a multiplication by its reciprocal. (a + 0.5) / b lies at least 0.5 / b from any
// integer, while two roundings of a double move it by less than 2^-19 / b, so truncation is exact. For b = 0: a.
static jv quotient_by_one(struct jit *j, jv a, jv b, bool sgn)
{
    LLVMTypeRef f = e_flt_type(j, 64, e_count(a)), f1 = e_flt_type(j, 64, 0);
    LLVMBuilderRef bd = j->b;
    jv zero = LLVMBuildICmp(bd, LLVMIntEQ, b, LLVMConstInt(LLVMTypeOf(b), 0, 0), "");
    jv minus = LLVMBuildICmp(bd, LLVMIntEQ, b, LLVMConstAllOnes(LLVMTypeOf(b)), "");
    jv special = sgn ? LLVMBuildOr(bd, zero, minus, "") : zero; // -1: the quotient of INT_MIN has no place in 32 bits
    jv d = LLVMBuildSelect(bd, special, LLVMConstInt(LLVMTypeOf(b), 1, 0), b, "");
    d = sgn ? LLVMBuildSIToFP(bd, d, f1, "") : LLVMBuildUIToFP(bd, d, f1, "");
    jv r = jit__splat(j, LLVMBuildFDiv(bd, LLVMConstReal(f1, 1), d, ""));
    jv x = sgn ? LLVMBuildSIToFP(bd, a, f, "") : LLVMBuildUIToFP(bd, a, f, "");
    jv half = jit__splat(j, LLVMConstReal(f1, 0.5));
    if (sgn)
        half = e_intrin2(j, "llvm.copysign", half, x);
    x = LLVMBuildFMul(bd, LLVMBuildFAdd(bd, x, half, ""), r, "");
    if (!sgn)
        return LLVMBuildFPToUI(bd, x, LLVMTypeOf(a), "");
    jv flip = jit__splat(j, LLVMBuildSExt(bd, minus, LLVMTypeOf(b), ""));
    return e_sub(j, LLVMBuildXor(bd, LLVMBuildFPToSI(bd, x, LLVMTypeOf(a), ""), flip, ""), flip);
}

static jv or_ones(struct jit *j, jv b, jv v) // what the H200 gives for a divisor of 0
{
    jv zero = LLVMBuildICmp(j->b, LLVMIntEQ, b, LLVMConstInt(LLVMTypeOf(b), 0, 0), "");
    return LLVMBuildSelect(j->b, zero, e_k(j, ~0ull, v), v, "");
}

static bool has_one_divisor(jv a, jv b)
{
    return e_count(a) && e_bits(a) == 32 && !LLVMIsConstant(b) && splat_of(b);
}

EMIT(div)
{
    bool sgn = is_signed(in);
    if (has_one_divisor(s[0], s[1])) {
        jv q = quotient_by_one(j, s[0], splat_of(s[1]), sgn);
        d[0] = or_ones(j, splat_of(s[1]), q);
        return;
    }
    jv is_zero = e_eq(j, s[1], e_k(j, 0, s[1]));
    jv q = quotient(j, s[0], safe_divisor(j, s[0], s[1], sgn, is_zero), sgn);
    d[0] = e_sel(j, is_zero, e_k(j, ~0ull, q), q);
}

EMIT(rem)
{
    bool sgn = is_signed(in);
    if (has_one_divisor(s[0], s[1])) {
        jv r = e_sub(j, s[0], e_mul(j, quotient_by_one(j, s[0], splat_of(s[1]), sgn), s[1]));
        d[0] = or_ones(j, splat_of(s[1]), r);
        return;
    }
    jv is_zero = e_eq(j, s[1], e_k(j, 0, s[1]));
    jv b = safe_divisor(j, s[0], s[1], sgn, is_zero);
    jv r = e_sub(j, s[0], e_mul(j, quotient(j, s[0], b, sgn), b));
    d[0] = e_sel(j, is_zero, e_k(j, ~0ull, r), r); // so does the H200, not the dividend
}

static jv extreme(struct jit *j, const struct ir_insn *in, bool is_max, jv a, jv b)
{
    static const char *const names[2][2] = {{"llvm.umin", "llvm.umax"}, {"llvm.smin", "llvm.smax"}};
    unsigned bits = e_bits(a);
    if (is_pair(in)) {
        a = wf__unpack(j, a, 16);
        b = wf__unpack(j, b, 16);
    }
    jv r = e_intrin2(j, names[is_signed(in)][is_max], a, b);
    if (e_has(in, PTX_M_RELU))
        r = e_intrin2(j, "llvm.smax", r, e_k(j, 0, r));
    return wf__repack(j, r, bits);
}

EMIT(min)
{
    d[0] = extreme(j, in, false, s[0], s[1]);
}

EMIT(max)
{
    d[0] = extreme(j, in, true, s[0], s[1]);
}

EMIT(abs)
{
    (void)in;
    jv args[2] = {s[0], LLVMConstInt(j->i1, 0, false)};
    LLVMTypeRef t = LLVMTypeOf(s[0]);
    d[0] = wf__intrin(j, "llvm.abs", &t, 1, args, 2);
}

EMIT(neg)
{
    (void)in;
    d[0] = e_neg(j, s[0]);
}

EMIT(sad)
{
    jv less = is_signed(in) ? e_slt(j, s[0], s[1]) : e_ult(j, s[0], s[1]);
    jv gap = e_sel(j, less, e_sub(j, s[1], s[0]), e_sub(j, s[0], s[1]));
    d[0] = e_add(j, s[2], gap);
}

// Byte i (or half-word i) of a 32-bit lane, widened.
static jv piece(struct jit *j, jv v, unsigned i, unsigned bits, bool sgn)
{
    jv up = e_shlk(j, v, 32 - bits * (i + 1));
    jv n = e_k(j, 32 - bits, v);
    return sgn ? e_ashr(j, up, n) : e_lshr(j, up, n);
}

EMIT(dp4a)
{
    bool sa = e_is_signed((enum ptx_type)in->m.type[0]),
         sb = e_is_signed((enum ptx_type)in->m.type[1]);
    jv sum = s[2];
    for (unsigned i = 0; i < 4; i++)
        sum = e_add(j, sum, e_mul(j, piece(j, s[0], i, 8, sa), piece(j, s[1], i, 8, sb)));
    d[0] = sum;
}

EMIT(dp2a)
{
    bool sa = e_is_signed((enum ptx_type)in->m.type[0]),
         sb = e_is_signed((enum ptx_type)in->m.type[1]);
    unsigned first = e_has(in, PTX_M_HI) ? 2 : 0;
    jv sum = s[2];
    for (unsigned i = 0; i < 2; i++)
        sum = e_add(j, sum, e_mul(j, piece(j, s[0], i, 16, sa), piece(j, s[1], first + i, 8, sb)));
    d[0] = sum;
}

// SPDX-License-Identifier: Apache-2.0
// cvt (PTX ISA 9.7.9): every pair of integer and floating types, the roundings, .sat, .ftz, .relu
// and .satfinite. Small floats are widened to f32, which holds them; a narrower result is made by
// rounding to nearest and then looking which way that went.
#include "jit/elem.h"

// What a double NaN becomes in a narrower type: sign, the upper payload bits, quiet.
static jv nan_of_double(struct jit *j, jv v, enum ptx_type to)
{
    unsigned bits = wf__elem_bits(to), mant = to == PTX_T_F16 ? 10 : to == PTX_T_BF16 ? 7 : 23;
    uint64_t quiet = to == PTX_T_F16 ? 0x7e00 : to == PTX_T_BF16 ? 0x7fc0 : 0x7fc00000u;
    jv sign = e_trunc(j, e_andk(j, e_lshrk(j, v, 64 - bits), 1ull << (bits - 1)), bits);
    jv payload = e_trunc(j, e_andk(j, e_lshrk(j, v, 52 - mant), (1ull << mant) - 1), bits);
    return e_or(j, e_or(j, sign, payload), e_k(j, quiet, payload));
}

// Rounds floating f (wider than the result, or bf16's f32) to f16, bf16 or f32 by `rnd`. Gives
// integers. A double NaN keeps the upper part of its payload, every other one becomes the canonical
// NaN.
static jv narrow(struct jit *j, jv f, enum ptx_type to, char rnd)
{
    unsigned from_bits = e_fbits(f);
    jv payload = from_bits == 64 ? nan_of_double(j, e_i(j, f), to) : NULL;
    jv is_nan = e_isnan(j, f);
    if (from_bits == 64 && to != PTX_T_F32) {
        f = wf__f64_to_f32_odd(j, f); // keeps what every later rounding needs to know
        from_bits = 32;
    }
    jv near, wide, r;
    if (to == PTX_T_BF16) {
        near = wf__f32_to_bf16(j, f);
        wide = wf__bf16_to_f32(j, near);
    } else {
        jv small = e_ftrunc(j, f, to == PTX_T_F16 ? 16 : 32);
        near = wf__canon(j, small);
        wide = e_fext(j, small, from_bits);
    }
    if (payload)
        near = e_sel(j, is_nan, payload, near);
    if (rnd == 'n')
        return near;
    jv one = e_k(j, 1, near), zero = e_k(j, 0, near);
    jv over = e_fcmp(j, LLVMRealOGT, wide, f), under = e_fcmp(j, LLVMRealOLT, wide, f);
    jv is_neg = e_slt(j, near, zero);
    // The neighbour toward zero has bits one less, the one away from it bits one more.
    jv less = e_sub(j, near, one), more = e_add(j, near, one);
    if (rnd == 'z')
        r = e_sel(j, e_sel(j, is_neg, under, over), less, near);
    else if (rnd == 'm')
        r = e_sel(j, over, e_sel(j, is_neg, more, less), near);
    else
        r = e_sel(j, under, e_sel(j, is_neg, less, more), near);
    return r;
}

// tf32: 10 bits of fraction in the upper part of an f32.
static jv to_tf32(struct jit *j, const struct ir_insn *in, jv v)
{
    char rnd = wf__rounding(in->m.rnd);
    jv up = e_k(j, 0x1000, v); // rna: half of the last place, away from zero
    if (rnd == 'n')
        up = e_add(j, e_k(j, 0xfff, v), e_andk(j, e_lshrk(j, v, 13), 1));
    else if (rnd == 'z')
        up = e_k(j, 0, v);
    jv expo = e_k(j, 0x7f800000u, v), mag = e_andk(j, v, 0x7fffffffu);
    up = e_sel(j, e_uge(j, mag, expo), e_k(j, 0, v), up);
    jv r = e_andk(j, e_add(j, v, up), 0xffffe000u);
    if (rnd ==
        'a') { // .rna cuts a NaN; .satfinite takes a step back from the last exponent, NaN or not
        jv is_over = e_eq(j, e_and(j, r, expo), expo);
        return e_has(in, PTX_M_SATFINITE)
                   ? e_sub(j, r, e_sel(j, is_over, e_k(j, 0x2000, r), e_k(j, 0, r)))
                   : r;
    }
    return e_sel(j, e_ugt(j, mag, expo), e_k(j, 0x7fffe000u, v), r);
}

// e4m3 or e5m2 of a float, nearest even, too large becomes the largest finite. i32 elements.
static jv to_fp8(struct jit *j, jv f, bool is_e4m3)
{
    unsigned mant = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15, drop = 23 - mant;
    jv v = e_i(j, f), mag = e_andk(j, v, 0x7fffffffu);
    jv tie = e_andk(j, e_lshrk(j, mag, drop), 1);
    jv up = e_add(j, mag, e_add(j, tie, e_k(j, (1u << (drop - 1)) - 1, v)));
    jv normal = e_sub(j, e_lshrk(j, up, drop), e_k(j, (127 - bias) << mant, v));
    // Below the normal range: adding a power of two makes the float unit round at the right place.
    double magic = is_e4m3 ? 0x1p14 : 0x1p7, least = is_e4m3 ? 0x1p-6 : 0x1p-14;
    jv fmag = e_f(j, mag), m = wf__fkonst(j, magic, fmag);
    jv small = e_sub(j, e_i(j, e_fadd(j, fmag, m)), e_i(j, m));
    jv r = e_sel(j, e_fcmp(j, LLVMRealOLT, fmag, wf__fkonst(j, least, fmag)), small, normal);
    r = e_sel(j, e_sgt(j, r, e_k(j, is_e4m3 ? 0x7e : 0x7b, r)), e_k(j, is_e4m3 ? 0x7e : 0x7b, r),
              r);
    r = e_or(j, r, e_andk(j, e_lshrk(j, v, 24), 0x80));
    return e_sel(j, e_ugt(j, mag, e_k(j, 0x7f800000u, v)), e_k(j, 0x7f, r), r);
}

// An fp8 element (in the low byte of i16 elements) as f16 bits.
static jv from_fp8(struct jit *j, jv v, bool is_e4m3)
{
    jv sign = e_shlk(j, e_andk(j, v, 0x80), 8), mag = e_andk(j, v, 0x7f);
    if (!is_e4m3) { // the upper byte of an f16
        jv h = e_shlk(j, mag, 8);
        return e_sel(j, e_ugt(j, h, e_k(j, 0x7c00, h)), e_k(j, 0x7fff, h), e_or(j, h, sign));
    }
    jv h = e_f(j, e_shlk(j, mag, 7));
    h = e_fmul(j, h,
               wf__fkonst(j, 256.0, h)); // the difference of the biases; denormals come out right
    return e_sel(j, e_eq(j, mag, e_k(j, 0x7f, mag)), e_k(j, 0x7fff, mag), e_or(j, e_i(j, h), sign));
}

// A 64-bit integer without what a double cannot hold: the lost low bits live on in the last kept
// one, so that rounding the double to 24 bits or fewer is right.
static jv sticky64(struct jit *j, jv v, bool sgn)
{
    jv zero = e_k(j, 0, v), is_neg = e_slt(j, v, zero);
    jv mag = sgn ? e_sel(j, is_neg, e_neg(j, v), v) : v;
    jv large = e_ugt(j, mag, e_k(j, 1ull << 53, v));
    jv lost = e_ne(j, e_andk(j, mag, 0x7ff), zero);
    jv kept = e_or(j, e_andk(j, mag, ~0x7ffull), e_sel(j, lost, e_k(j, 0x800, v), zero));
    mag = e_sel(j, large, kept, mag);
    return sgn ? e_sel(j, is_neg, e_neg(j, mag), mag) : mag;
}

static jv int_to_fp(struct jit *j, jv v, unsigned bits, bool sgn)
{
    LLVMTypeRef t = e_flt_type(j, bits, e_count(v));
    return sgn ? LLVMBuildSIToFP(j->b, v, t, "") : LLVMBuildUIToFP(j->b, v, t, "");
}

static jv from_int(struct jit *j, jv v, bool sgn, enum ptx_type to, char rnd)
{
    static const char *const names[2][3] = {
        {"wf__h_cvt_f64_u64_rz", "wf__h_cvt_f64_u64_rm", "wf__h_cvt_f64_u64_rp"},
        {"wf__h_cvt_f64_s64_rz", "wf__h_cvt_f64_s64_rm", "wf__h_cvt_f64_s64_rp"}};
    bool is_wide = e_bits(v) == 64;
    if (e_bits(v) < 32)
        v = e_ext(j, v, 32, sgn);
    if (to == PTX_T_F64) {
        if (!is_wide || rnd == 'n')
            return e_i(j, int_to_fp(j, v, 64, sgn));
        return jit_helper(j, names[sgn][rnd == 'z' ? 0 : rnd == 'm' ? 1 : 2], &v, 1, 64);
    }
    if (to == PTX_T_F32 && rnd == 'n')
        return e_i(j, int_to_fp(j, v, 32, sgn));
    return narrow(j, int_to_fp(j, is_wide ? sticky64(j, v, sgn) : v, 64, sgn), to, rnd);
}

// To the nearest integer in the given direction, still a float.
static jv integral(struct jit *j, jv f, char rnd)
{
    const char *name = rnd == 'n'   ? "llvm.roundeven"
                       : rnd == 'z' ? "llvm.trunc"
                       : rnd == 'm' ? "llvm.floor"
                                    : "llvm.ceil";
    return e_intrin1(j, name, f);
}

// Saturating conversion to 32 or 64 bits; NaN becomes `nan`. (LLVM's fptosi.sat means the same, but
// its vector code goes lane by lane.) The bare conversion is poison where a select discards it.
static jv saturated(struct jit *j, jv f, unsigned bits, bool sgn, uint64_t nan)
{
    uint64_t max = sgn ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits), min = sgn ? max + 1 : 0;
    LLVMTypeRef t = e_int(j, bits, f);
    jv r = sgn ? LLVMBuildFPToSI(j->b, f, t, "") : LLVMBuildFPToUI(j->b, f, t, "");
    double top = bits == 64 ? sgn ? 0x1p63 : 0x1p64 : sgn ? 0x1p31 : 0x1p32;
    r = e_sel(j, e_fcmp(j, LLVMRealOGE, f, wf__fkonst(j, top, f)), e_k(j, max, r), r);
    bool nan_is_min = nan == min; // one comparison for both
    LLVMRealPredicate p = sgn          ? nan_is_min ? LLVMRealULT : LLVMRealOLT
                          : nan_is_min ? LLVMRealULE
                                       : LLVMRealOLE;
    r = e_sel(j, e_fcmp(j, p, f, wf__fkonst(j, sgn ? -top : -1.0, f)), e_k(j, min, r), r);
    return nan_is_min ? r : e_sel(j, e_isnan(j, f), e_k(j, nan, r), r);
}

// NaN becomes 0, or the top bit alone when doubles or 64-bit results are involved.
static jv to_int(struct jit *j, jv f, unsigned bits, bool sgn, char rnd)
{
    bool nan_is_top = bits == 64 || e_fbits(f) == 64;
    if (rnd != 'z')
        f = integral(j, f, rnd);
    if (bits >= 32)
        return saturated(j, f, bits, sgn, nan_is_top ? 1ull << (bits - 1) : 0);
    jv r = saturated(j, f, 32, true, 0);
    jv least = e_k(j, sgn ? ~0ull << (bits - 1) : 0, r),
       most = e_k(j, (1ull << (sgn ? bits - 1 : bits)) - 1, r);
    r = e_trunc(j, e_intrin2(j, "llvm.smin", e_intrin2(j, "llvm.smax", r, least), most), bits);
    return nan_is_top ? e_sel(j, e_isnan(j, f), e_k(j, 1ull << (bits - 1), r), r) : r;
}

// Integer to integer; .sat clamps to the range of the result.
static jv int_to_int(struct jit *j, jv v, bool from_signed, unsigned bits, bool to_signed, bool sat)
{
    unsigned have = e_bits(v);
    if (sat) {
        uint64_t top = to_signed ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
        bool top_fits = have > bits || (have == bits && from_signed <= to_signed);
        if (from_signed && !to_signed)
            v = e_intrin2(j, "llvm.smax", v, e_k(j, 0, v));
        if (from_signed && to_signed && have > bits)
            v = e_intrin2(j, "llvm.smax", v, e_k(j, ~top, v));
        if (top_fits)
            v = e_intrin2(j, from_signed ? "llvm.smin" : "llvm.umin", v, e_k(j, top, v));
    }
    return e_fit(j, v, bits, from_signed);
}

// A floating source as a floating value; halves come out as float.
static jv source_float(struct jit *j, const struct ir_insn *in, enum ptx_type t, jv v)
{
    if (t == PTX_T_BF16)
        return wf__bf16_to_f32(j, v);
    if (t == PTX_T_F16)
        return e_fext(j, e_f(j, v), 32);
    bool flushes = e_has(in, PTX_M_FTZ) && t == PTX_T_F32 && in->m.type[0] != PTX_T_F16;
    return e_f(j, flushes ? wf__flush(j, v) : v);
}

static jv relu(struct jit *j, jv v) // of canonical bits: the NaN is positive and stays
{
    return e_sel(j, e_slt(j, v, e_k(j, 0, v)), e_k(j, 0, v), v);
}

// .satfinite of f16, bf16, tf32: an infinity becomes the largest finite value of its sign.
static jv satfinite(struct jit *j, jv v, uint64_t inf, uint64_t max)
{
    uint64_t top = 1ull << (e_bits(v) - 1);
    jv is_inf = e_eq(j, e_andk(j, v, top - 1), e_k(j, inf, v));
    return e_sel(j, is_inf, e_or(j, e_andk(j, v, top), e_k(j, max, v)), v);
}

// The last steps on a floating result given as canonical bits of type `to`.
static jv finish(struct jit *j, const struct ir_insn *in, enum ptx_type to, jv r)
{
    if (e_has(in, PTX_M_FTZ) && to == PTX_T_F32)
        r = wf__flush(j, r);
    if (e_has(in, PTX_M_SAT)) {
        jv f = to == PTX_T_BF16 ? wf__bf16_to_f32(j, r) : e_f(j, r);
        r = to == PTX_T_BF16 ? wf__f32_to_bf16(j, wf__sat(j, f)) : e_i(j, wf__sat(j, f));
    }
    if (e_has(in, PTX_M_SATFINITE))
        r = to == PTX_T_F16    ? satfinite(j, r, 0x7c00, 0x7bff)
            : to == PTX_T_BF16 ? satfinite(j, r, 0x7f80, 0x7f7f)
                               : r;
    if (e_has(in, PTX_M_RELU))
        r = relu(j, r);
    return r;
}

// .ftz of a conversion from double: gone is what lies below the normal range when rounded to 24
// bits with an unlimited exponent; the rounding of the denormal that it would be can still reach
// the normal range.
static jv flush_tiny(struct jit *j, const struct ir_insn *in, enum ptx_type from, jv f, jv r)
{
    if (!e_has(in, PTX_M_FTZ) || from != PTX_T_F64 || in->m.type[0] != PTX_T_F32)
        return r;
    jv mag = e_intrin1(j, "llvm.fabs", f), limit = wf__fkonst(j, 0x1p-126, f);
    jv below = wf__fkonst(j, 0x1.fffffep-127, f); // the last number of 24 bits before it
    char rnd = wf__rounding(in->m.rnd);
    if (rnd == 'n') {
        limit = wf__fkonst(j, 0x1.ffffffp-127, f);
    } else if (rnd != 'z') { // up to and with `below` on the side that is rounded away from zero
        jv zero = wf__fkonst(j, 0.0, f);
        jv away = e_fcmp(j, rnd == 'm' ? LLVMRealOLT : LLVMRealOGT, f, zero);
        jv most = e_fcmp(j, LLVMRealOLE, mag, below);
        return e_sel(j, e_sel(j, away, most, e_fcmp(j, LLVMRealOLT, mag, limit)),
                     e_andk(j, r, 0x80000000u), r);
    }
    return e_sel(j, e_fcmp(j, LLVMRealOLT, mag, limit), e_andk(j, r, 0x80000000u), r);
}

static jv float_to_float(struct jit *j, const struct ir_insn *in, enum ptx_type to,
                         enum ptx_type from, jv v)
{
    char rnd = wf__rounding(in->m.rnd);
    jv f = source_float(j, in, from, v);
    bool is_integral = PTX_IS(in->m.rnd, RNI) || PTX_IS(in->m.rnd, RZI) || PTX_IS(in->m.rnd, RMI) ||
                       PTX_IS(in->m.rnd, RPI);
    if (is_integral) {
        f = integral(j, f, rnd);
        rnd = 'n';
    }
    if (to == PTX_T_TF32)
        return finish(j, in, to, to_tf32(j, in, v));
    jv r;
    bool is_plain = !e_has(in, PTX_M_FTZ) && !is_integral;
    if (from == PTX_T_F32 && e_has(in, PTX_M_FTZ))
        f = e_f(j, wf__canon(j, f));
    if (to == from && is_plain && to != PTX_T_F16)
        r = v; // a move: even a signalling NaN passes
    else if (from == PTX_T_BF16 && to == PTX_T_F32 && is_plain)
        r = e_i(j, f);
    else if (to == PTX_T_F64)
        r = e_i(j, e_fext(j, f, 64)); // NaN quieted, with its payload
    else if (to == PTX_T_F32 && e_fbits(f) == 32)
        r = wf__canon(j, f);
    else
        r = narrow(j, f, to, rnd);
    return finish(j, in, to, flush_tiny(j, in, from, f, r));
}

// cvt.f16x2.f32 d, a, b and the like: a goes to the upper half.
static void pack_halves(struct jit *j, const struct ir_insn *in, jv *s, jv *d)
{
    enum ptx_type to = in->m.type[0] == PTX_T_F16X2 ? PTX_T_F16 : PTX_T_BF16;
    jv hi = float_to_float(j, in, to, PTX_T_F32, s[0]);
    jv lo = float_to_float(j, in, to, PTX_T_F32, s[1]);
    d[0] = e_or(j, e_shlk(j, e_zext(j, hi, 32), 16), e_zext(j, lo, 32));
}

static void pack_fp8(struct jit *j, const struct ir_insn *in, jv *s, jv *d)
{
    jv part[2]; // high, low
    for (unsigned i = 0; i < 2; i++) {
        jv f;
        if (in->m.type[1] == PTX_T_F16X2)
            f = e_fext(j, e_f(j, e_trunc(j, e_lshrk(j, s[0], i ? 0 : 16), 16)), 32);
        else
            f = e_f(j, s[i]);
        if (e_has(in, PTX_M_RELU)) {
            jv zero = wf__fkonst(j, 0.0, f);
            f = e_sel(j, e_fcmp(j, LLVMRealOLE, f, zero), zero, f);
        }
        part[i] = to_fp8(j, f, in->m.type[0] == PTX_T_E4M3X2);
    }
    d[0] = e_trunc(j, e_or(j, e_shlk(j, part[0], 8), part[1]), 16);
}

static void unpack_fp8(struct jit *j, const struct ir_insn *in, jv *s, jv *d)
{
    bool is_e4m3 = in->m.type[1] == PTX_T_E4M3X2;
    jv hi = from_fp8(j, e_lshrk(j, s[0], 8), is_e4m3), lo = from_fp8(j, s[0], is_e4m3);
    if (e_has(in, PTX_M_RELU)) {
        hi = relu(j, hi);
        lo = relu(j, lo);
    }
    d[0] = e_or(j, e_shlk(j, e_zext(j, hi, 32), 16), e_zext(j, lo, 32));
}

static bool is_fp8(enum ptx_type t)
{
    return t == PTX_T_E4M3X2 || t == PTX_T_E5M2X2;
}

// cvt.pack: a and b saturated to small integers, side by side, above them what c brings.
static void pack_ints(struct jit *j, const struct ir_insn *in, jv *s, jv *d)
{
    enum ptx_type to = (enum ptx_type)in->m.type[0];
    unsigned bits = wf__elem_bits(to);
    bool sgn = ptx_type_kind(to) == 'S';
    jv most = e_k(j, (1ull << (sgn ? bits - 1 : bits)) - 1, s[0]);
    jv least = e_k(j, sgn ? ~0ull << (bits - 1) : 0, s[0]), part[2];
    for (unsigned i = 0; i < 2; i++) {
        jv v = e_intrin2(j, "llvm.smin", e_intrin2(j, "llvm.smax", s[i], least), most);
        part[i] = e_andk(j, v, (1ull << bits) - 1);
    }
    jv r = e_or(j, e_shlk(j, part[0], bits), part[1]);
    d[0] = in->m.n_types > 2 ? e_or(j, r, e_shlk(j, s[2], 2 * bits)) : r;
}

EMIT(cvt)
{
    enum ptx_type to = (enum ptx_type)in->m.type[0], from = (enum ptx_type)in->m.type[1];
    if (e_has(in, PTX_M_PACK)) {
        pack_ints(j, in, s, d);
    } else if (is_fp8(to)) {
        pack_fp8(j, in, s, d);
    } else if (is_fp8(from) && to == PTX_T_F16X2) {
        unpack_fp8(j, in, s, d);
    } else if ((to == PTX_T_F16X2 || to == PTX_T_BF16X2) && from == PTX_T_F32) {
        pack_halves(j, in, s, d);
    } else if (wf__elem_bits(to) < 8 || wf__elem_bits(from) < 8 ||
               (wf__elem_bits(to) == 8 && ptx_type_kind(to) == 'F') ||
               (wf__elem_bits(from) == 8 && ptx_type_kind(from) == 'F')) {
        jit_refuse(j, in, "a conversion of 4- or 6-bit floats");
    } else if (wf__is_float(to)) {
        if (wf__is_float(from))
            d[0] = float_to_float(j, in, to, from, s[0]);
        else
            d[0] = finish(j, in, to,
                          from_int(j, s[0], e_is_signed(from), to, wf__rounding(in->m.rnd)));
    } else if (wf__is_float(from)) {
        d[0] = to_int(j, source_float(j, in, from, s[0]), wf__elem_bits(to), e_is_signed(to),
                      wf__rounding(in->m.rnd));
    } else {
        d[0] = int_to_int(j, s[0], e_is_signed(from), wf__elem_bits(to), e_is_signed(to),
                          e_has(in, PTX_M_SAT));
    }
}

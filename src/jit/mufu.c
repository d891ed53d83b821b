// SPDX-License-Identifier: Apache-2.0
// The GPU's function unit. It splits the significand (of sin: the place in the quarter turn; of
// tanh: the place in a piece of the exponent range) into a segment number and 17 lower bits x, and
// adds
//     c0[segment] + c1[segment] * x + c2[segment] * S(x)
// where S is x * x with its low columns left out: of the partial products x_i x_j (i < j, at place
// i + j + 1) and x_i (at place 2 i) only those at place 19 and above are summed. The result is cut,
// not rounded. The coefficients (mufu.def) are integers that reproduce sweeps of an H200 without
// exception.
//
// The sum is made by one internal function a module and vector length, with a table for each
// function.
#include "jit/mufu.h"

#include <stdio.h>  // snprintf
#include <string.h> // strlen

enum mufu_fn { MUFU_RCP, MUFU_RSQ, MUFU_SQRT, MUFU_EX2, MUFU_LG2, MUFU_SIN, MUFU_TANH };

static const struct mufu_row {
    uint8_t fn, segment;
    int64_t c0;
    int32_t c1, c2;
} rows[] = {
#define MUFU_ROW(fn, segment, c0, c1, c2) {MUFU_##fn, segment, c0, c1, c2},
#include "jit/mufu.def"
#undef MUFU_ROW
};

// tanh: how the exponents 2^-8 ... 2^2 are cut into segments: first segment, and segments as a
// power of two.
static const struct {
    uint8_t first, log2_count;
} tanh_pieces[] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                   {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
enum { TANH_FIRST = 119, TANH_END = 130 }; // biased exponents

static LLVMValueRef constant_array(struct jit *j, const char *name, jv *words, unsigned n)
{
    LLVMValueRef init = LLVMConstArray2(LLVMTypeOf(words[0]), words, n);
    LLVMValueRef g = LLVMAddGlobal(j->mod, LLVMTypeOf(init), name);
    LLVMSetInitializer(g, init);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetAlignment(g, 16);
    return g;
}

// Two words a segment: c0, then c1 in the low and c2 in the high half.
static LLVMValueRef table_of(struct jit *j, enum mufu_fn fn)
{
    char name[32];
    snprintf(name, sizeof name, "wf.mufu.%d", (int)fn);
    LLVMValueRef g = LLVMGetNamedGlobal(j->mod, name);
    if (g)
        return g;
    jv words[256];
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].fn != fn)
            continue;
        uint64_t pair = (uint32_t)rows[i].c1 | (uint64_t)(uint32_t)rows[i].c2 << 32;
        words[n++] = LLVMConstInt(j->i64, (uint64_t)rows[i].c0, true);
        words[n++] = LLVMConstInt(j->i64, pair, false);
    }
    return constant_array(j, name, words, n);
}

// Elements table[index], i64 or i32 by `bits`.
static jv fetch(struct jit *j, LLVMValueRef table, jv index, unsigned bits)
{
    LLVMTypeRef t = LLVMIntTypeInContext(j->cx, bits);
    jv wide = e_zext(j, index, 64);
    jv at = LLVMBuildGEP2(j->b, t, table, &wide, 1, "");
    if (!e_count(index))
        return LLVMBuildLoad2(j->b, t, at, "");
    LLVMTypeRef over[2] = {e_of(t, e_count(index)), LLVMTypeOf(at)};
    jv args[4] = {at, LLVMConstInt(j->i32, bits / 8, false), e_kb(j, 1, 1, index),
                  LLVMGetPoison(over[0])};
    return wf__intrin(j, "llvm.masked.gather", over, 2, args, 4);
}

// S(x) in units of 2^19.
static jv short_square(struct jit *j, jv x)
{
    jv high = e_lshrk(j, x, 9),
       r = e_lshrk(j, e_sub(j, e_mul(j, high, high), e_andk(j, high, 1)), 1);
    jv zero = e_k(j, 0, x);
    for (unsigned i = 2; i <= 8; i++) {
        jv is_set = e_ne(j, e_andk(j, x, 1u << i), zero);
        r = e_add(j, r, e_sel(j, is_set, e_lshrk(j, x, 18 - i), zero));
    }
    return r;
}

// The function sum(table, segment, x) for values like `like`.
static LLVMValueRef sum_function(struct jit *j, jv like, LLVMTypeRef *type)
{
    char name[32];
    snprintf(name, sizeof name, "wf.mufu.sum%u", e_count(like));
    LLVMTypeRef params[3] = {j->ptr, LLVMTypeOf(like), LLVMTypeOf(like)};
    *type = LLVMFunctionType(e_int(j, 64, like), params, 3, false);
    LLVMValueRef fn = LLVMGetNamedFunction(j->mod, name);
    if (fn)
        return fn;
    fn = jit__new_function(j, name, *type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    struct jit in = *j;
    in.b = LLVMCreateBuilderInContext(j->cx);
    LLVMPositionBuilderAtEnd(in.b, LLVMAppendBasicBlockInContext(j->cx, fn, ""));
    jv segment = e_shlk(&in, LLVMGetParam(fn, 1), 1), x = LLVMGetParam(fn, 2),
       one = e_k(&in, 1, segment);
    jv c0 = fetch(&in, LLVMGetParam(fn, 0), segment, 64);
    jv pair = fetch(&in, LLVMGetParam(fn, 0), e_or(&in, segment, one), 64),
       half = e_k(&in, 32, pair);
    jv c1 = e_ashr(&in, e_shl(&in, pair, half), half), c2 = e_ashr(&in, pair, half);
    jv linear = e_mul(&in, c1, e_zext(&in, x, 64));
    jv square = e_mul(&in, c2, e_zext(&in, short_square(&in, x), 64));
    LLVMBuildRet(in.b, e_add(&in, c0, e_add(&in, linear, square)));
    LLVMDisposeBuilder(in.b);
    return fn;
}

static jv sum(struct jit *j, enum mufu_fn fn, jv segment, jv x)
{
    LLVMTypeRef type;
    LLVMValueRef f = sum_function(j, segment, &type);
    jv args[3] = {table_of(j, fn), segment, x};
    return LLVMBuildCall2(j->b, type, f, args, 3, "");
}

// ---- pieces of floats ----
struct parts {
    jv sign, expo, frac;        // sign in its place, biased exponent, fraction
    jv is_zero, is_inf, is_nan; // is_zero: or denormal
};

static struct parts take_apart(struct jit *j, jv v, unsigned frac_bits)
{
    uint64_t top = (1u << (31 - frac_bits)) - 1;
    struct parts p = {.sign = e_andk(j, v, 0x80000000u),
                      .frac = e_andk(j, v, (1u << frac_bits) - 1)};
    p.expo = e_andk(j, e_lshrk(j, v, frac_bits), top);
    jv is_top = e_eq(j, p.expo, e_k(j, top, v)), none = e_eq(j, p.frac, e_k(j, 0, v));
    p.is_zero = e_eq(j, p.expo, e_k(j, 0, v));
    p.is_inf = e_and(j, is_top, none);
    p.is_nan = e_and(j, is_top, e_not(j, none));
    return p;
}

static jv pick(struct jit *j, jv cond, uint64_t bits, jv other)
{
    return e_sel(j, cond, e_k(j, bits, other), other);
}

// The upper bits of a sum from 2^40 to 2^41 as a whole number of `bits` bits.
static jv upper(struct jit *j, jv total, unsigned bits)
{
    return e_trunc(j, e_lshrk(j, total, 41 - bits), 32);
}

// whole * 2^expo as float bits, for whole from 2^23 to 2^24; below the normal range it is 0.
static jv compose(struct jit *j, jv whole, jv expo)
{
    jv f = LLVMBuildSIToFP(j->b, whole, e_flt_type(j, 32, e_count(whole)), "");
    jv r = e_add(j, e_i(j, f), e_shlk(j, expo, 23));
    return pick(j, e_slt(j, r, e_k(j, 0x00800000u, r)), 0, r);
}

// A sum of any size as a float, cut to 24 bits, in units of 2^-41. Not negative.
static jv cut(struct jit *j, jv total)
{
    LLVMTypeRef t = LLVMTypeOf(total);
    jv args[2] = {total, LLVMConstInt(j->i1, 0, false)};
    jv zeros = wf__intrin(j, "llvm.ctlz", &t, 1, args, 2), most = e_k(j, 40, zeros);
    jv drop = e_sub(j, most, e_intrin2(j, "llvm.umin", zeros, most));
    jv kept = e_shl(j, e_lshr(j, total, drop), drop);
    jv f = LLVMBuildSIToFP(j->b, kept, e_flt_type(j, 32, e_count(total)), "");
    return e_i(j, e_fmul(j, f, wf__fkonst(j, 0x1p-41, f)));
}

// ---- the functions ----
jv wf__mufu_rcp(struct jit *j, jv v)
{
    struct parts p = take_apart(j, v, 23);
    jv total = sum(j, MUFU_RCP, e_lshrk(j, p.frac, 16), e_shlk(j, e_andk(j, p.frac, 0xffff), 1));
    jv r = compose(j, upper(j, total, 24), e_sub(j, e_k(j, 103, v), p.expo));
    r = pick(j, p.is_zero, 0x7f800000u, pick(j, p.is_inf, 0, r));
    return pick(j, p.is_nan, 0x7fffffffu, e_or(j, r, p.sign));
}

// The segment has the exponent's parity in front; *half is half of the even exponent.
static jv root_sum(struct jit *j, enum mufu_fn fn, const struct parts *p, jv *half)
{
    jv is_odd = e_xor(j, e_andk(j, p->expo, 1), e_k(j, 1, p->expo)); // of the unbiased exponent
    *half = e_ashr(j, e_sub(j, e_sub(j, p->expo, e_k(j, 127, p->expo)), is_odd), e_k(j, 1, is_odd));
    jv segment = e_or(j, e_shlk(j, is_odd, 6), e_lshrk(j, p->frac, 17));
    jv whole = upper(j, sum(j, fn, segment, e_andk(j, p->frac, 0x1ffff)), 24);
    if (fn != MUFU_RSQ)
        return whole;
    jv is_one = e_eq(j, e_or(j, is_odd, p->frac), e_k(j, 0, is_odd)); // a power of four: exact
    return pick(j, is_one, 1u << 24, whole);
}

jv wf__mufu_rsqrt(struct jit *j, jv v)
{
    struct parts p = take_apart(j, v, 23);
    jv half, whole = root_sum(j, MUFU_RSQ, &p, &half), zero = e_k(j, 0, v);
    jv r = compose(j, whole, e_sub(j, e_k(j, (uint64_t)-24, v), half));
    r = pick(j, e_or(j, p.is_nan, e_slt(j, v, zero)), 0x7fffffffu, pick(j, p.is_inf, 0, r));
    return e_sel(j, p.is_zero, e_or(j, p.sign, e_k(j, 0x7f800000u, v)), r);
}

jv wf__mufu_sqrt(struct jit *j, jv v)
{
    struct parts p = take_apart(j, v, 23);
    jv half, whole = root_sum(j, MUFU_SQRT, &p, &half), zero = e_k(j, 0, v);
    jv r = compose(j, whole, e_sub(j, half, e_k(j, 23, v)));
    r = pick(j, p.is_inf, 0x7f800000u, r);
    r = pick(j, e_or(j, p.is_nan, e_slt(j, v, zero)), 0x7fffffffu, r);
    return e_sel(j, p.is_zero, p.sign, r);
}

jv wf__mufu_ex2(struct jit *j, jv v, bool for_half)
{
    jv f = e_f(j, v), low = wf__fkonst(j, -160.0, f), high = wf__fkonst(j, 128.0, f);
    jv x = e_sel(j, e_fcmp(j, LLVMRealOGT, f, low), f, low);
    x = e_sel(j, e_fcmp(j, LLVMRealOLT, x, high), x, high);
    // Fixed point with 23 places, cut toward zero. A negative one that is not whole is the
    // complement of its magnitude's bits, one place lower than its value; the half forms take the
    // value.
    jv i = LLVMBuildFPToSI(j->b, e_fmul(j, x, wf__fkonst(j, 0x1p23, x)), e_int(j, 32, v), "");
    if (!for_half) {
        jv is_whole = e_eq(j, e_andk(j, i, 0x7fffff), e_k(j, 0, i));
        i = e_sel(j, is_whole, i, e_add(j, i, e_ashr(j, i, e_k(j, 31, i))));
    }
    jv n = e_ashr(j, i, e_k(j, 23, i)), frac = e_andk(j, i, 0x7fffff);
    jv total = sum(j, MUFU_EX2, e_lshrk(j, frac, 17), e_andk(j, frac, 0x1ffff));
    if (for_half) // less of the rounding that f32 has
        total = e_sub(j, total, e_k(j, 0x18000, total));
    jv r = compose(j, upper(j, total, 24), e_sub(j, n, e_k(j, 23, n)));
    r = pick(j, e_fcmp(j, LLVMRealOGE, f, high), 0x7f800000u, r);
    return pick(j, e_isnan(j, f), 0x7fffffffu, r);
}

jv wf__mufu_lg2(struct jit *j, jv v)
{
    struct parts p = take_apart(j, v, 23);
    jv total = sum(j, MUFU_LG2, e_lshrk(j, p.frac, 17), e_andk(j, p.frac, 0x1ffff)),
       zero = e_k(j, 0, v);
    total = pick(j, e_eq(j, v, e_k(j, 0x3f800000u, v)), 0, total); // of 1: exact
    jv whole = e_sext(j, e_sub(j, p.expo, e_k(j, 127, v)), 64);
    total = e_add(j, total, e_shlk(j, whole, 41));
    // No finer than 2^-36, and negative ones by complement.
    jv negative = e_ashr(j, total, e_k(j, 63, total));
    jv sign = e_andk(j, e_trunc(j, negative, 32), 0x80000000u);
    jv mag = e_xor(j, e_ashr(j, total, e_k(j, 5, total)), negative);
    jv r = e_or(j, cut(j, e_shlk(j, mag, 5)), sign);
    r = pick(j, p.is_inf, 0x7f800000u, r);
    r = pick(j, e_or(j, p.is_nan, e_slt(j, v, zero)), 0x7fffffffu, r);
    return pick(j, p.is_zero, 0xff800000u, r);
}

jv wf__mufu_sin(struct jit *j, jv turns, bool is_cos)
{
    jv f = e_f(j, turns), mag = e_intrin1(j, "llvm.fabs", f);
    // What is left of whole turns, with 25 places: the quarter and the place in it.
    jv rest = e_fsub(j, mag, e_intrin1(j, "llvm.trunc", mag));
    jv is_bad = e_isnan(j, rest); // of infinity, too
    rest = e_sel(j, is_bad, wf__fkonst(j, 0.0, rest), rest);
    jv k = LLVMBuildFPToSI(j->b, e_fmul(j, rest, wf__fkonst(j, 0x1p25, rest)), e_int(j, 32, turns),
                           "");
    jv quarter = e_lshrk(j, k, 23), place = e_andk(j, k, 0x7fffff), zero = e_k(j, 0, k);
    if (is_cos)
        quarter = e_add(j, quarter, e_k(j, 1, k));
    jv goes_back = e_ne(j, e_andk(j, quarter, 1), zero);
    place = e_sel(j, goes_back, e_xor(j, place, e_k(j, 0x7fffff, k)), place);
    jv sign = e_shlk(j, e_andk(j, quarter, 2), 30);
    if (!is_cos)
        sign = e_xor(j, sign, e_andk(j, turns, 0x80000000u));
    jv total = sum(j, MUFU_SIN, e_lshrk(j, place, 17), e_andk(j, place, 0x1ffff));
    return pick(j, is_bad, 0x7fffffffu, e_or(j, cut(j, total), sign));
}

jv wf__mufu_tanh(struct jit *j, jv v)
{
    struct parts p = take_apart(j, v, 23);
    jv words[sizeof tanh_pieces / sizeof tanh_pieces[0]];
    unsigned n = sizeof words / sizeof words[0];
    for (unsigned i = 0; i < n; i++)
        words[i] = LLVMConstInt(
            j->i32, tanh_pieces[i].first | (unsigned)tanh_pieces[i].log2_count << 8, false);
    LLVMValueRef pieces = LLVMGetNamedGlobal(j->mod, "wf.mufu.pieces");
    if (!pieces)
        pieces = constant_array(j, "wf.mufu.pieces", words, n);
    jv first = e_k(j, TANH_FIRST, v), end = e_k(j, TANH_END, v), zero = e_k(j, 0, v);
    jv at = e_intrin2(j, "llvm.smax", e_sub(j, p.expo, first), zero);
    jv piece = fetch(j, pieces, e_intrin2(j, "llvm.umin", at, e_k(j, n - 1, at)), 32);
    jv log2_count = e_lshrk(j, piece, 8);
    jv segment =
        e_add(j, e_andk(j, piece, 255), e_lshr(j, p.frac, e_sub(j, e_k(j, 23, v), log2_count)));
    jv x = e_lshrk(j, e_andk(j, e_shl(j, p.frac, log2_count), 0x7fffff), 6);
    jv r = cut(j, sum(j, MUFU_TANH, segment, x));
    r = pick(j, e_uge(j, p.expo, end), 0x3f800000u, r);
    r = e_sel(j, e_ult(j, p.expo, first), v, e_or(j, r, p.sign)); // small: the source itself
    return pick(j, p.is_nan, 0x7fffffffu, r);
}

// Bits of an upper word: whole (21 bits, up to 2^20 * 2) with the biased exponent of its leading
// bit.
static jv compose_high(struct jit *j, jv whole, jv expo)
{
    jv r = e_add(j, whole, e_shlk(j, e_sub(j, expo, e_k(j, 1, expo)), 20));
    return pick(j, e_slt(j, r, e_k(j, 0x00100000u, r)), 0, r);
}

jv wf__mufu_rcp64h(struct jit *j, jv high)
{
    struct parts p = take_apart(j, high, 20);
    jv total = sum(j, MUFU_RCP, e_lshrk(j, p.frac, 13), e_shlk(j, e_andk(j, p.frac, 0x1fff), 4));
    jv r = compose_high(j, upper(j, total, 21), e_sub(j, e_k(j, 2045, high), p.expo));
    r = pick(j, p.is_zero, 0x7ff00000u, pick(j, p.is_inf, 0, r));
    return pick(j, p.is_nan, 0x7fffffffu, e_or(j, r, p.sign));
}

jv wf__mufu_rsqrt64h(struct jit *j, jv high)
{
    struct parts p = take_apart(j, high, 20);
    jv zero = e_k(j, 0, high), is_odd = e_xor(j, e_andk(j, p.expo, 1), e_k(j, 1, high));
    jv half = e_ashr(j, e_sub(j, e_sub(j, p.expo, e_k(j, 1023, high)), is_odd), e_k(j, 1, high));
    jv segment = e_or(j, e_shlk(j, is_odd, 6), e_lshrk(j, p.frac, 14));
    jv whole = upper(j, sum(j, MUFU_RSQ, segment, e_shlk(j, e_andk(j, p.frac, 0x3fff), 3)), 21);
    whole = pick(j, e_eq(j, e_or(j, is_odd, p.frac), zero), 1u << 21, whole);
    jv r = compose_high(j, whole, e_sub(j, e_k(j, 1022, high), half));
    r = pick(j, e_or(j, p.is_nan, e_slt(j, high, zero)), 0x7fffffffu, pick(j, p.is_inf, 0, r));
    return e_sel(j, p.is_zero, e_or(j, p.sign, e_k(j, 0x7ff00000u, high)), r);
}

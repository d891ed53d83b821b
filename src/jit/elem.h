// SPDX-License-Identifier: Apache-2.0
// Vocabulary of the elementwise emitters: short names over the LLVM builder. Every e_* works on
// scalars and on vectors of any length; results have the element count of the first value operand,
// so one emitter serves one lane, 32 lanes and the halves of packed registers.
#ifndef WF_JIT_ELEM_H
#define WF_JIT_ELEM_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "jit/jit_priv.h" // struct jit

typedef LLVMValueRef jv; // an SSA value handle

#define EMIT(name)                                                                                 \
    void wf__emit_##name(struct jit *j, const struct ir_insn *in, LLVMValueRef *s, LLVMValueRef *d)

static inline unsigned e_count(jv v) // elements, 0 for a scalar
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 0;
}

static inline LLVMTypeRef e_of(LLVMTypeRef t, unsigned count)
{
    return count ? LLVMVectorType(t, count) : t;
}

static inline LLVMTypeRef e_int(struct jit *j, unsigned bits, jv like)
{
    return e_of(LLVMIntTypeInContext(j->cx, bits), e_count(like));
}

static inline unsigned e_bits(jv v) // of one integer element
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetIntTypeWidth(t);
}

// Constant of `bits` a lane, as many lanes as `like`.
jv wf__konst(struct jit *j, unsigned bits, uint64_t val, jv like);
static inline jv e_kb(struct jit *j, unsigned bits, uint64_t val, jv like)
{
    return wf__konst(j, bits, val, like);
}
static inline jv e_k(struct jit *j, uint64_t val, jv like) // of the very type of `like`
{
    return wf__konst(j, e_bits(like), val, like);
}
// Floating constant of the type of `like` (a floating value).
jv wf__fkonst(struct jit *j, double val, jv like);

// Intrinsic overloaded on `over[0..n_over)`; args as they are.
jv wf__intrin(struct jit *j, const char *name, LLVMTypeRef *over, unsigned n_over, jv *args,
              unsigned n_args);
static inline jv e_intrin1(struct jit *j, const char *name, jv a)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    return wf__intrin(j, name, &t, 1, &a, 1);
}
static inline jv e_intrin2(struct jit *j, const char *name, jv a, jv b)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    jv args[2] = {a, b};
    return wf__intrin(j, name, &t, 1, args, 2);
}
static inline jv e_intrin3(struct jit *j, const char *name, jv a, jv b, jv c)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    jv args[3] = {a, b, c};
    return wf__intrin(j, name, &t, 1, args, 3);
}

#define E_BIN(name, Build)                                                                         \
    static inline jv e_##name(struct jit *j, jv a, jv b)                                           \
    {                                                                                              \
        return LLVMBuild##Build(j->b, a, b, "");                                                   \
    }
E_BIN(add, Add)
E_BIN(sub, Sub)
E_BIN(mul, Mul)
E_BIN(and, And)
E_BIN(or, Or)
E_BIN(xor, Xor)
E_BIN(shl, Shl)
E_BIN(lshr, LShr)
E_BIN(ashr, AShr)
E_BIN(fadd, FAdd)
E_BIN(fsub, FSub)
E_BIN(fmul, FMul)
E_BIN(fdiv, FDiv)
#undef E_BIN

#define E_ICMP(name, Pred)                                                                         \
    static inline jv e_##name(struct jit *j, jv a, jv b)                                           \
    {                                                                                              \
        return LLVMBuildICmp(j->b, LLVMInt##Pred, a, b, "");                                       \
    }
E_ICMP(eq, EQ)
E_ICMP(ne, NE)
E_ICMP(ult, ULT)
E_ICMP(ule, ULE)
E_ICMP(ugt, UGT)
E_ICMP(uge, UGE)
E_ICMP(slt, SLT)
E_ICMP(sle, SLE)
E_ICMP(sgt, SGT)
E_ICMP(sge, SGE)
#undef E_ICMP

static inline jv e_isnan(struct jit *j, jv f)
{
    return LLVMBuildFCmp(j->b, LLVMRealUNO, f, f, "");
}
static inline jv e_sel(struct jit *j, jv c, jv a, jv b)
{
    return LLVMBuildSelect(j->b, c, a, b, "");
}
static inline jv e_not(struct jit *j, jv a)
{
    return LLVMBuildNot(j->b, a, "");
}
static inline jv e_neg(struct jit *j, jv a)
{
    return LLVMBuildNeg(j->b, a, "");
}
// Resizes: no-ops when the width is already there.
static inline jv e_zext(struct jit *j, jv v, unsigned bits)
{
    return e_bits(v) == bits ? v : LLVMBuildZExt(j->b, v, e_int(j, bits, v), "");
}
static inline jv e_sext(struct jit *j, jv v, unsigned bits)
{
    return e_bits(v) == bits ? v : LLVMBuildSExt(j->b, v, e_int(j, bits, v), "");
}
static inline jv e_trunc(struct jit *j, jv v, unsigned bits)
{
    return e_bits(v) == bits ? v : LLVMBuildTrunc(j->b, v, e_int(j, bits, v), "");
}
static inline jv e_ext(struct jit *j, jv v, unsigned bits, bool is_signed)
{
    return is_signed ? e_sext(j, v, bits) : e_zext(j, v, bits);
}
// Any width to any width.
static inline jv e_fit(struct jit *j, jv v, unsigned bits, bool is_signed)
{
    return e_bits(v) > bits ? e_trunc(j, v, bits) : e_ext(j, v, bits, is_signed);
}
static inline jv e_shlk(struct jit *j, jv v, unsigned n)
{
    return e_shl(j, v, e_k(j, n, v));
}
static inline jv e_lshrk(struct jit *j, jv v, unsigned n)
{
    return e_lshr(j, v, e_k(j, n, v));
}
static inline jv e_andk(struct jit *j, jv v, uint64_t k)
{
    return e_and(j, v, e_k(j, k, v));
}
static inline jv e_cast(struct jit *j, jv v, LLVMTypeRef t)
{
    return LLVMTypeOf(v) == t ? v : LLVMBuildBitCast(j->b, v, t, "");
}
// Integer elements as half, float or double, by their width; and back.
static inline LLVMTypeRef e_flt_type(struct jit *j, unsigned bits, unsigned count)
{
    return e_of(bits == 16 ? j->f16 : bits == 32 ? j->f32 : j->f64, count);
}
static inline jv e_f(struct jit *j, jv v)
{
    return e_cast(j, v, e_flt_type(j, e_bits(v), e_count(v)));
}
static inline unsigned e_fbits(jv f) // width of a floating element
{
    LLVMTypeRef t = LLVMTypeOf(f);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMHalfTypeKind ? 16 : k == LLVMFloatTypeKind ? 32 : 64;
}
static inline jv e_i(struct jit *j, jv f)
{
    return e_cast(j, f, e_int(j, e_fbits(f), f));
}
// A half made wider stays so: without the fence LLVM makes comparisons of two of them comparisons
// of halves again, and LLVM 19 gets those wrong on AVX512-FP16 (it swaps the operands of a masked
// vcmpph to fold a spilled one, and leaves the condition as it was).
static inline jv e_fext(struct jit *j, jv f, unsigned bits)
{
    if (e_fbits(f) == bits)
        return f;
    jv r = LLVMBuildFPExt(j->b, f, e_flt_type(j, bits, e_count(f)), "");
    return e_fbits(f) == 16 ? e_intrin1(j, "llvm.arithmetic.fence", r) : r;
}
static inline jv e_comparable(struct jit *j, jv f)
{
    return e_fbits(f) == 16 ? e_fext(j, f, 32) : f;
}
static inline jv e_fcmp(struct jit *j, LLVMRealPredicate p, jv a, jv b)
{
    return LLVMBuildFCmp(j->b, p, e_comparable(j, a), e_comparable(j, b), "");
}
// To a narrower float, nearest even.
static inline jv e_ftrunc(struct jit *j, jv f, unsigned bits)
{
    return e_fbits(f) == bits ? f : LLVMBuildFPTrunc(j->b, f, e_flt_type(j, bits, e_count(f)), "");
}
// Packed registers: 32 lanes of n-packed elements become 32*n elements, and back to `bits` a lane.
jv wf__unpack(struct jit *j, jv v, unsigned elem_bits);
jv wf__repack(struct jit *j, jv v, unsigned bits);

// ---- types ----
static inline bool e_is_signed(enum ptx_type t)
{
    return t == PTX_T_S8 || t == PTX_T_S16 || t == PTX_T_S32 || t == PTX_T_S64 || t == PTX_T_S16X2;
}
bool wf__is_float(enum ptx_type t);      // F16 ... F64 and packed ones
bool wf__is_half(enum ptx_type t);       // f16 bf16 and their pairs
bool wf__is_bf16(enum ptx_type t);       // bf16 and bf16x2
unsigned wf__elem_bits(enum ptx_type t); // bits of one packed element

static inline bool e_has(const struct ir_insn *in, enum ptx_mod m)
{
    return ptx_has(&in->m, m);
}

// ---- floating point pieces shared by the family files ----
// Denormals of f32 and f16 elements (integers) become zeros of their sign.
jv wf__flush(struct jit *j, jv v);
// Flush of bf16 elements.
jv wf__flush_bf16(struct jit *j, jv v);
// NaN elements of the floating value become the canonical NaN of the width. Gives integers.
jv wf__canon(struct jit *j, jv f);
// A NaN of the width made quiet.
jv wf__quiet(struct jit *j, jv v);
// Clamp to [0, 1], NaN to +0.
jv wf__sat(struct jit *j, jv f);
// min or max of equal-typed floating values by the GPU's rules (see fp.c). Gives integers.
jv wf__minmax(struct jit *j, jv a, jv b, bool is_max, bool nan_wins);
// One comparison by PTX's name, of integers or (is_float) floating values. cmp is an enum ptx_mod.
jv wf__compare(struct jit *j, enum ptx_mod cmp, bool is_float, bool is_signed, jv a, jv b);
// bf16 elements (i16) as float, exact; float to bf16 elements, nearest even, NaN to 0x7fff.
jv wf__bf16_to_f32(struct jit *j, jv v);
jv wf__f32_to_bf16(struct jit *j, jv f);
// double to float or float to half so that a later rounding to fewer bits is right: truncated, with
// the last bit set when anything was lost ("round to odd"). Results are floats.
jv wf__f64_to_f32_odd(struct jit *j, jv f);
// x + y as a float or double rounded to odd; operands of one type.
jv wf__add_odd(struct jit *j, jv x, jv y);

// Directed rounding through a C helper. `name` is the operation (add, mul, fma, div, sqrt); result
// and sources are integers of one width.
jv wf__rounded(struct jit *j, const struct ir_insn *in, const char *name, jv *s, unsigned n);
// 'n', 'z', 'm', 'p' or 'a': the rounding of an instruction; integer roundings (.rzi) give the
// same.
char wf__rounding(uint16_t rnd);

#define ELEM_EMITTERS(X)                                                                           \
    X(add)                                                                                         \
    X(addc)                                                                                        \
    X(sub) X(subc) X(mul) X(mad) X(madc) X(mul24) X(mad24) X(div) X(rem) X(min) X(max) X(abs)      \
        X(neg) X(sad) X(and) X(or) X(xor) X(not ) X(cnot) X(lop3) X(shl) X(shr) X(shf) X(bfe)      \
            X(bfi) X(bfind) X(brev) X(bmsk) X(clz) X(popc) X(fns) X(prmt) X(szext) X(dp2a) X(dp4a) \
                X(simd_video) X(selp) X(slct) X(set) X(setp) X(testp) X(copysign) X(cvt) X(f_add)   \
                    X(f_sub) X(f_mul) X(f_fma) X(f_div) X(f_min) X(f_max) X(f_abs) X(f_neg)        \
                        X(f_rcp) X(f_sqrt) X(rsqrt) X(sin) X(cos) X(lg2) X(ex2) X(tanh) X(h_add)   \
                            X(h_sub) X(h_mul) X(h_fma) X(h_min) X(h_max) X(h_abs) X(h_neg)         \
                                X(h_ex2) X(h_tanh)
#define X(name) EMIT(name);
ELEM_EMITTERS(X)
#undef X

#endif

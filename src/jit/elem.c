// SPDX-License-Identifier: Apache-2.0
// Which emitter serves an elementwise PTX instruction: a row an opcode, a column a type family; and
// the vocabulary functions that are too large to be inline.
#include "jit/elem.h"

#include <string.h> // strlen

struct elem_row {
    jit_elem_fn on_int, on_flt, on_half; // by the main type
};

#define INT_ONLY(op, e) [PTX_O_##op] = {wf__emit_##e, NULL, NULL}
#define FAMILIES(op, e) [PTX_O_##op] = {wf__emit_##e, wf__emit_f_##e, wf__emit_h_##e}
#define ANY_TYPE(op, e) [PTX_O_##op] = {wf__emit_##e, wf__emit_##e, wf__emit_##e}

static const struct elem_row rows[PTX_O_COUNT] = {
    // clang-format off
    FAMILIES(ADD, add), FAMILIES(SUB, sub), FAMILIES(MUL, mul), FAMILIES(MIN, min),
    FAMILIES(MAX, max), FAMILIES(ABS, abs), FAMILIES(NEG, neg),
    [PTX_O_MAD] = {wf__emit_mad, wf__emit_f_fma, NULL},
    [PTX_O_FMA] = {NULL, wf__emit_f_fma, wf__emit_h_fma},
    [PTX_O_DIV] = {wf__emit_div, wf__emit_f_div, NULL},
    [PTX_O_RCP] = {NULL, wf__emit_f_rcp, NULL},
    [PTX_O_SQRT] = {NULL, wf__emit_f_sqrt, NULL},
    [PTX_O_RSQRT] = {NULL, wf__emit_rsqrt, NULL},
    [PTX_O_SIN] = {NULL, wf__emit_sin, NULL},
    [PTX_O_COS] = {NULL, wf__emit_cos, NULL},
    [PTX_O_LG2] = {NULL, wf__emit_lg2, NULL},
    [PTX_O_EX2] = {NULL, wf__emit_ex2, wf__emit_h_ex2},
    [PTX_O_TANH] = {NULL, wf__emit_tanh, wf__emit_h_tanh},
    [PTX_O_TESTP] = {NULL, wf__emit_testp, NULL},
    [PTX_O_COPYSIGN] = {NULL, wf__emit_copysign, NULL},
    INT_ONLY(ADDC, addc), INT_ONLY(SUBC, subc), INT_ONLY(MADC, madc), INT_ONLY(MUL24, mul24),
    INT_ONLY(MAD24, mad24), INT_ONLY(REM, rem), INT_ONLY(SAD, sad), INT_ONLY(AND, and),
    INT_ONLY(OR, or), INT_ONLY(XOR, xor), INT_ONLY(NOT, not), INT_ONLY(CNOT, cnot),
    INT_ONLY(LOP3, lop3), INT_ONLY(SHL, shl), INT_ONLY(SHR, shr), INT_ONLY(SHF, shf),
    INT_ONLY(BFE, bfe), INT_ONLY(BFI, bfi), INT_ONLY(BFIND, bfind), INT_ONLY(BREV, brev),
    INT_ONLY(BMSK, bmsk), INT_ONLY(CLZ, clz), INT_ONLY(POPC, popc), INT_ONLY(FNS, fns),
    INT_ONLY(PRMT, prmt), INT_ONLY(SZEXT, szext), INT_ONLY(DP2A, dp2a), INT_ONLY(DP4A, dp4a),
    INT_ONLY(VABSDIFF2, simd_video), INT_ONLY(VABSDIFF4, simd_video), INT_ONLY(VADD2, simd_video),
    INT_ONLY(VADD4, simd_video), INT_ONLY(VAVRG2, simd_video), INT_ONLY(VAVRG4, simd_video),
    INT_ONLY(VMAX2, simd_video), INT_ONLY(VMAX4, simd_video), INT_ONLY(VMIN2, simd_video),
    INT_ONLY(VMIN4, simd_video), INT_ONLY(VSET2, simd_video), INT_ONLY(VSET4, simd_video),
    INT_ONLY(VSUB2, simd_video), INT_ONLY(VSUB4, simd_video),
    ANY_TYPE(SELP, selp), ANY_TYPE(SLCT, slct), ANY_TYPE(SET, set), ANY_TYPE(SETP, setp),
    ANY_TYPE(CVT, cvt),
    // clang-format on
};

static void dispatch(struct jit *j, const struct ir_insn *in, LLVMValueRef *s, LLVMValueRef *d)
{
    const struct elem_row *r = &rows[in->op];
    enum ptx_type t = (enum ptx_type)in->type;
    jit_elem_fn fn = wf__is_half(t) ? r->on_half : wf__is_float(t) ? r->on_flt : r->on_int;
    if (fn)
        fn(j, in, s, d);
    else
        jit_refuse(j, in, "this operation has no form for the type");
}

jit_elem_fn jit_elem_find(enum ptx_op op)
{
    const struct elem_row *r = &rows[op];
    return r->on_int || r->on_flt ? dispatch : NULL;
}

jv wf__konst(struct jit *j, unsigned bits, uint64_t val, jv like)
{
    LLVMTypeRef t = LLVMIntTypeInContext(j->cx, bits);
    jv one = LLVMConstInt(t, val, false);
    unsigned n = e_count(like);
    if (n == 0)
        return one;
    jv elems[128];
    for (unsigned i = 0; i < n; i++)
        elems[i] = one;
    return LLVMConstVector(elems, n);
}

jv wf__fkonst(struct jit *j, double val, jv like)
{
    (void)j;
    LLVMTypeRef t = LLVMTypeOf(like);
    unsigned n = e_count(like);
    if (n == 0)
        return LLVMConstReal(t, val);
    jv elems[128];
    for (unsigned i = 0; i < n; i++)
        elems[i] = LLVMConstReal(LLVMGetElementType(t), val);
    return LLVMConstVector(elems, n);
}

jv wf__intrin(struct jit *j, const char *name, LLVMTypeRef *over, unsigned n_over, jv *args,
              unsigned n_args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(j->mod, id, over, n_over);
    LLVMTypeRef type = LLVMIntrinsicGetType(j->cx, id, over, n_over);
    return LLVMBuildCall2(j->b, type, fn, args, n_args, "");
}

jv wf__unpack(struct jit *j, jv v, unsigned elem_bits)
{
    unsigned bits = e_bits(v), n = e_count(v);
    if (bits == elem_bits)
        return v;
    unsigned total = (n ? n : 1) * (bits / elem_bits);
    return e_cast(j, v, e_of(LLVMIntTypeInContext(j->cx, elem_bits), total));
}

jv wf__repack(struct jit *j, jv v, unsigned bits)
{
    unsigned have = e_bits(v), n = e_count(v);
    if (have == bits)
        return v;
    unsigned lanes = n * have / bits;
    return e_cast(j, v, e_of(LLVMIntTypeInContext(j->cx, bits), lanes > 1 ? lanes : 0));
}

bool wf__is_half(enum ptx_type t)
{
    return t == PTX_T_F16 || t == PTX_T_F16X2 || t == PTX_T_BF16 || t == PTX_T_BF16X2;
}

bool wf__is_bf16(enum ptx_type t)
{
    return t == PTX_T_BF16 || t == PTX_T_BF16X2;
}

bool wf__is_float(enum ptx_type t)
{
    return wf__is_half(t) || t == PTX_T_F32 || t == PTX_T_F64 || t == PTX_T_F32X2 ||
           t == PTX_T_TF32;
}

#define PTX_TYPE(id, name, bits, kind, packed) [PTX_T_##id] = (bits) / (packed),
unsigned wf__elem_bits(enum ptx_type t)
{
    static const uint16_t bits[PTX_T_COUNT] = {
#include "ptx/type.def"
    };
    return bits[t];
}
#undef PTX_TYPE

char wf__rounding(uint16_t rnd)
{
    if (PTX_IS(rnd, RZ) || PTX_IS(rnd, RZI))
        return 'z';
    if (PTX_IS(rnd, RM) || PTX_IS(rnd, RMI))
        return 'm';
    if (PTX_IS(rnd, RP) || PTX_IS(rnd, RPI))
        return 'p';
    return PTX_IS(rnd, RNA) ? 'a' : 'n';
}

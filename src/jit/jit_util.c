// SPDX-License-Identifier: Apache-2.0
// Small helpers of the lowering context: types, constants, casts, intrinsics, calls of C functions.

#include <stdio.h>  // snprintf
#include <string.h> // strlen

#include "jit/jit_int.h"

LLVMTypeRef jit_int(struct jit *j, unsigned bits)
{
    LLVMTypeRef t = LLVMIntTypeInContext(j->cx, bits);
    return j->lanes == 1 ? t : LLVMVectorType(t, 32);
}

LLVMTypeRef jit_flt(struct jit *j, enum ptx_type t)
{
    LLVMTypeRef e = t == PTX_T_F16 || t == PTX_T_F16X2     ? j->f16
                    : t == PTX_T_BF16 || t == PTX_T_BF16X2 ? j->bf16
                    : t == PTX_T_F64                       ? j->f64
                                                           : j->f32;
    return j->lanes == 1 ? e : LLVMVectorType(e, 32);
}

static LLVMValueRef splat_const(LLVMValueRef c)
{
    LLVMValueRef all[32];
    for (int i = 0; i < 32; i++)
        all[i] = c;
    return LLVMConstVector(all, 32);
}

LLVMValueRef jit_const(struct jit *j, unsigned bits, uint64_t v)
{
    LLVMTypeRef t = LLVMIntTypeInContext(j->cx, bits);
    LLVMValueRef c;
    if (bits > 64) {
        uint64_t words[2] = {v, 0};
        c = LLVMConstIntOfArbitraryPrecision(t, 2, words);
    } else {
        c = LLVMConstInt(t, v, 0);
    }
    return j->lanes == 1 ? c : splat_const(c);
}

LLVMValueRef jit_fconst(struct jit *j, enum ptx_type t, double v)
{
    int lanes = j->lanes;
    j->lanes = 1;
    LLVMValueRef c = LLVMConstReal(jit_flt(j, t), v);
    j->lanes = lanes;
    return lanes == 1 ? c : splat_const(c);
}

LLVMValueRef jit_to_flt(struct jit *j, LLVMValueRef v, enum ptx_type t)
{
    return LLVMBuildBitCast(j->b, v, jit_flt(j, t), "");
}

LLVMValueRef jit_to_int(struct jit *j, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMTypeRef e = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
    unsigned bits;
    switch (LLVMGetTypeKind(e)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        bits = 16;
        break;
    case LLVMFloatTypeKind:
        bits = 32;
        break;
    case LLVMDoubleTypeKind:
        bits = 64;
        break;
    default:
        return v;
    }
    return LLVMBuildBitCast(j->b, v, jit_int(j, bits), "");
}

LLVMValueRef jit__intrin(struct jit *j, const char *name, LLVMTypeRef *types, unsigned n_types,
                         LLVMValueRef *args, unsigned n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    WF_ASSERT(id);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(j->mod, id, types, n_types);
    LLVMTypeRef ft = LLVMIntrinsicGetType(j->cx, id, types, n_types);
    return LLVMBuildCall2(j->b, ft, f, args, n, "");
}

LLVMValueRef jit_intrin(struct jit *j, const char *name, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    return jit__intrin(j, name, &t, 1, args, n);
}

LLVMValueRef jit__call(struct jit *j, const char *name, LLVMTypeRef ret, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef at[16];
    WF_ASSERT(n <= 16);
    for (unsigned i = 0; i < n; i++)
        at[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef ft = LLVMFunctionType(ret, at, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(j->mod, name);
    if (!f)
        f = LLVMAddFunction(j->mod, name, ft);
    return LLVMBuildCall2(j->b, ft, f, args, n, "");
}

// Vectors travel in registers, between functions too.
LLVMValueRef jit__new_function(struct jit *j, const char *name, LLVMTypeRef type)
{
    static const char *const keys[] = {"prefer-vector-width", "min-legal-vector-width"};
    LLVMValueRef fn = LLVMAddFunction(j->mod, name, type);
    for (int i = 0; i < 2; i++) {
        LLVMAttributeRef a = LLVMCreateStringAttribute(j->cx, keys[i], (unsigned)strlen(keys[i]), "512", 3);
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
    }
    return fn;
}

LLVMValueRef jit__private_function(struct jit *j, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = jit__new_function(j, name, type);
    unsigned noinline_kind = LLVMGetEnumAttributeKindForName("noinline", 8);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(j->cx, noinline_kind, 0));
    return fn;
}

// Stack space of the function, at its very start so that loops do not grow the stack.
LLVMValueRef jit__alloca(struct jit *j, LLVMTypeRef t, unsigned align)
{
    LLVMBasicBlockRef cur = LLVMGetInsertBlock(j->b), first = LLVMGetEntryBasicBlock(j->fn);
    LLVMValueRef at = LLVMGetFirstInstruction(first);
    if (at)
        LLVMPositionBuilderBefore(j->b, at);
    else
        LLVMPositionBuilderAtEnd(j->b, first);
    LLVMValueRef p = LLVMBuildAlloca(j->b, t, "");
    if (align) // loads and stores of whole vectors count on their natural alignment, up to 256
        LLVMSetAlignment(p, align >= 64 ? 256 : align);
    LLVMPositionBuilderAtEnd(j->b, cur);
    return p;
}

LLVMValueRef jit_helper(struct jit *j, const char *helper, LLVMValueRef *args, unsigned n, unsigned bits)
{
    LLVMTypeRef at = LLVMArrayType2(j->ptr, n ? n : 1);
    LLVMValueRef table = jit__alloca(j, at, 8);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef t = LLVMTypeOf(args[i]);
        LLVMTypeRef e = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
        LLVMValueRef v = args[i];
        if (LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == 1) {
            t = jit_int(j, 8); // predicates travel as bytes
            v = LLVMBuildZExt(j->b, v, t, "");
        }
        LLVMValueRef p = jit__alloca(j, t, 64);
        LLVMBuildStore(j->b, v, p);
        LLVMValueRef idx[2] = {LLVMConstInt(j->i32, 0, 0), LLVMConstInt(j->i32, i, 0)};
        LLVMBuildStore(j->b, p, LLVMBuildGEP2(j->b, at, table, idx, 2, ""));
    }
    unsigned mem_bits = bits == 1 ? 8 : bits;
    LLVMTypeRef rt = jit_int(j, mem_bits);
    LLVMValueRef out = jit__alloca(j, rt, 64);
    LLVMValueRef a[3] = {table, out, LLVMConstInt(j->i32, (unsigned)j->lanes, 0)};
    jit__call(j, helper, j->void_t, a, 3);
    LLVMValueRef r = LLVMBuildLoad2(j->b, rt, out, "");
    if (bits == 1)
        r = LLVMBuildICmp(j->b, LLVMIntNE, r, jit_const(j, 8, 0), "");
    return r;
}

void jit_refuse(struct jit *j, const struct ir_insn *in, const char *what)
{
    if (j->error[0])
        return;
    snprintf(j->error, sizeof j->error, "%s%s%s (PTX line %u)", ptx_op_name((enum ptx_op)in->op),
             what ? ": " : "", what ? what : "", in->ptx_line);
}

LLVMValueRef jit__splat(struct jit *j, LLVMValueRef s)
{
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(s), 32);
    LLVMValueRef v = LLVMBuildInsertElement(j->b, LLVMGetPoison(t), s, LLVMConstInt(j->i32, 0, 0), "");
    LLVMValueRef zero[32];
    for (int i = 0; i < 32; i++)
        zero[i] = LLVMConstInt(j->i32, 0, 0);
    return LLVMBuildShuffleVector(j->b, v, LLVMGetPoison(t), LLVMConstVector(zero, 32), "");
}

LLVMValueRef jit__c32(struct jit *j, uint64_t v)
{
    return LLVMConstInt(j->i32, v, 0);
}

LLVMValueRef jit__c64(struct jit *j, uint64_t v)
{
    return LLVMConstInt(j->i64, v, 0);
}

// Field of a structure of abi.h.
LLVMValueRef jit__field(struct jit *j, LLVMValueRef base, size_t offset)
{
    LLVMValueRef i = jit__c64(j, offset);
    return LLVMBuildGEP2(j->b, j->i8, base, &i, 1, "");
}

// A pointer of that kind to so many bytes that are always there: LLVM may load from it ahead of time.
LLVMValueRef jit__fact_pointer(struct jit *j, LLVMValueRef base, size_t offset, size_t bytes)
{
    LLVMValueRef v = jit__fact(j, j->ptr, base, offset), n = jit__c64(j, bytes);
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(j->cx, "dereferenceable", 15), LLVMMDNodeInContext(j->cx, &n, 1));
    return v;
}

// A field that does not change while the function runs.
LLVMValueRef jit__fact(struct jit *j, LLVMTypeRef t, LLVMValueRef base, size_t offset)
{
    LLVMValueRef v = LLVMBuildLoad2(j->b, t, jit__field(j, base, offset), "");
    LLVMSetMetadata(v, j->md_invariant, j->md_empty);
    return v;
}

// SPDX-License-Identifier: Apache-2.0
// Local memory: words of one offset lie side by side, 32 lanes of 4 bytes.

#include "jit/access.h"

static LLVMValueRef local_word(struct jit *j, struct jit_acc *a, LLVMValueRef off, LLVMValueRef v, unsigned word)
{
    LLVMValueRef o = jit__add64(j, off, (int64_t)word * 4);
    o = LLVMBuildMul(j->b, o, jit__c64(j, 32), ""); // off / 4 * 128
    LLVMValueRef p = LLVMBuildGEP2(j->b, j->i8, j->local, &o, 1, "");
    LLVMTypeRef types[2] = {j->v32, j->ptr};
    if (a->is_store) {
        LLVMValueRef args[4] = {v, p, jit__c32(j, 4), jit__mask_vec(j, a->mask)};
        return jit__intrin(j, "llvm.masked.store", types, 2, args, 4);
    }
    LLVMValueRef r = LLVMBuildLoad2(j->b, j->v32, p, "");
    LLVMSetAlignment(r, 4);
    return r;
}

// Uniform, word-aligned offset inside the fixed part: no check needed when it is a constant.
bool jit__acc_local(struct jit *j, struct jit_acc *a)
{
    if (a->shape != IR_UNI || !LLVMIsConstant(a->lane0) || a->bits < 32 || a->bits > 64)
        return false;
    uint64_t off = LLVMConstIntGetZExtValue(a->lane0);
    if (off % a->bytes || off + (uint64_t)a->bytes * a->n > j->f->local_bytes)
        return false;
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef o = jit__c64(j, off + (uint64_t)i * a->bytes);
        if (a->bits == 32) {
            LLVMValueRef v = a->data[i];
            if (a->is_store && a->data_uniform)
                v = jit__splat(j, v);
            LLVMValueRef r = local_word(j, a, o, v, 0);
            if (!a->is_store)
                a->data[i] = r;
            continue;
        }
        j->lanes = 32;
        LLVMValueRef c32 = jit_const(j, 64, 32);
        if (a->is_store) {
            LLVMValueRef v = a->data_uniform ? jit__splat(j, a->data[i]) : a->data[i];
            local_word(j, a, o, LLVMBuildTrunc(j->b, v, j->v32, ""), 0);
            local_word(j, a, o, LLVMBuildTrunc(j->b, LLVMBuildLShr(j->b, v, c32, ""), j->v32, ""), 1);
        } else {
            LLVMValueRef lo = LLVMBuildZExt(j->b, local_word(j, a, o, NULL, 0), j->v64, "");
            LLVMValueRef hi = LLVMBuildZExt(j->b, local_word(j, a, o, NULL, 1), j->v64, "");
            a->data[i] = LLVMBuildOr(j->b, lo, LLVMBuildShl(j->b, hi, c32, ""), "");
        }
    }
    if (!a->is_store)
        a->data_uniform = false;
    return true;
}

// ---- places that lanes compute: elements of local arrays

LLVMValueRef jit__acc_local_fits(struct jit *j, struct jit_acc *a)
{
    unsigned total = a->bytes * a->n;
    bool is_frame = j->f->is_entry && !j->f->has_calls && !j->f->has_alloca; // offsets count from the block's start
    if (!is_frame || (a->bits != 32 && a->bits != 64) || total > 16 || total > j->f->local_bytes)
        return NULL;
    LLVMValueRef v = jit__acc_lanes(j, a), limit = jit__splat(j, jit__c64(j, j->f->local_bytes - total));
    LLVMValueRef low = LLVMBuildAnd(j->b, v, jit__splat(j, jit__c64(j, total - 1)), "");
    LLVMValueRef bad = LLVMBuildOr(j->b, LLVMBuildICmp(j->b, LLVMIntUGT, v, limit, ""),
                                   LLVMBuildICmp(j->b, LLVMIntNE, low, LLVMConstNull(j->v64), ""), "");
    LLVMValueRef w = LLVMBuildAnd(j->b, jit__mask_word(j, bad), a->mask, "");
    return LLVMBuildICmp(j->b, LLVMIntEQ, w, jit__c32(j, 0), "");
}

// Word k of all lanes' places: a gather, or a scatter of v.
static LLVMValueRef any_word(struct jit *j, struct jit_acc *a, LLVMValueRef off, LLVMValueRef v, unsigned k)
{
    LLVMValueRef lane[32];
    for (unsigned i = 0; i < 32; i++)
        lane[i] = jit__c32(j, i * 4 + k * 128);
    LLVMValueRef o = LLVMBuildShl(j->b, off, jit__splat(j, jit__c32(j, 5)), ""); // off / 4 * 128
    o = LLVMBuildAdd(j->b, o, LLVMConstVector(lane, 32), "");
    LLVMValueRef ptrs = LLVMBuildGEP2(j->b, j->i8, j->local, &o, 1, "");
    LLVMTypeRef types[2] = {j->v32, LLVMTypeOf(ptrs)};
    LLVMValueRef mask = jit__mask_vec(j, a->mask);
    if (a->is_store) {
        LLVMValueRef args[4] = {v, ptrs, jit__c32(j, 4), mask};
        return jit__intrin(j, "llvm.masked.scatter", types, 2, args, 4);
    }
    LLVMValueRef args[4] = {ptrs, jit__c32(j, 4), mask, LLVMConstNull(j->v32)};
    return jit__intrin(j, "llvm.masked.gather", types, 2, args, 4);
}

void jit__acc_local_words(struct jit *j, struct jit_acc *a)
{
    LLVMValueRef off = LLVMBuildTrunc(j->b, jit__acc_lanes(j, a), j->v32, "");
    for (unsigned i = 0; i < a->n; i++) {
        unsigned k = i * a->bytes / 4;
        LLVMValueRef v = !a->is_store ? NULL : a->data_uniform ? jit__splat(j, a->data[i]) : a->data[i];
        j->lanes = 32;
        LLVMValueRef c32 = a->bits == 64 ? jit_const(j, 64, 32) : NULL;
        if (a->is_store && a->bits == 32) {
            any_word(j, a, off, v, k);
        } else if (a->is_store) {
            any_word(j, a, off, LLVMBuildTrunc(j->b, v, j->v32, ""), k);
            any_word(j, a, off, LLVMBuildTrunc(j->b, LLVMBuildLShr(j->b, v, c32, ""), j->v32, ""), k + 1);
        } else if (a->bits == 32) {
            a->data[i] = any_word(j, a, off, NULL, k);
        } else {
            LLVMValueRef lo = LLVMBuildZExt(j->b, any_word(j, a, off, NULL, k), j->v64, "");
            LLVMValueRef hi = LLVMBuildZExt(j->b, any_word(j, a, off, NULL, k + 1), j->v64, "");
            a->data[i] = LLVMBuildOr(j->b, lo, LLVMBuildShl(j->b, hi, c32, ""), "");
        }
    }
    if (!a->is_store)
        a->data_uniform = false;
}

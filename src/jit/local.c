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

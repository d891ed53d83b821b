// SPDX-License-Identifier: Apache-2.0
// Scattered accesses of blocks that are 16 wide: a warp is two rows, so addresses come as two runs or as
// two single ones (tile[ty][k], tile[k][tx]). Both are told at run time by two vector comparisons and
// cost two plain accesses instead of a gather.

#include "jit/halfwarp.h"
#include "jit/jit_int.h"

struct half {
    LLVMValueRef addr;  // <16 x iN>
    LLVMValueRef mask;  // <16 x i1>
    LLVMValueRef first; // address of lane 0 of the half, iN
    LLVMValueRef ptr;   // the engine's pointer to it
    LLVMValueRef active; // i1: lane 0 of the half runs
};

static LLVMValueRef pick16(struct jit *j, LLVMValueRef v, unsigned from)
{
    LLVMValueRef idx[16];
    for (unsigned i = 0; i < 16; i++)
        idx[i] = jit__c32(j, from + i);
    return LLVMBuildShuffleVector(j->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(idx, 16), "");
}

static LLVMValueRef splat16(struct jit *j, LLVMValueRef s)
{
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(s), 16);
    LLVMValueRef zero[16], v = LLVMBuildInsertElement(j->b, LLVMGetPoison(t), s, jit__c32(j, 0), "");
    for (unsigned i = 0; i < 16; i++)
        zero[i] = jit__c32(j, 0);
    return LLVMBuildShuffleVector(j->b, v, LLVMGetPoison(t), LLVMConstVector(zero, 16), "");
}

static LLVMValueRef steps16(LLVMTypeRef e, uint64_t step)
{
    LLVMValueRef c[16];
    for (unsigned i = 0; i < 16; i++)
        c[i] = LLVMConstInt(e, i * step, 0);
    return LLVMConstVector(c, 16);
}

// i1: all running lanes of the half have address first + step * lane.
static LLVMValueRef matches(struct jit *j, const struct half *h, uint64_t step)
{
    LLVMValueRef want = splat16(j, h->first);
    if (step)
        want = LLVMBuildAdd(j->b, want, steps16(LLVMTypeOf(h->first), step), "");
    LLVMValueRef off = LLVMBuildAnd(j->b, LLVMBuildICmp(j->b, LLVMIntNE, h->addr, want, ""), h->mask, "");
    LLVMValueRef w = LLVMBuildBitCast(j->b, off, j->i16, "");
    return LLVMBuildICmp(j->b, LLVMIntEQ, w, LLVMConstInt(j->i16, 0, 0), "");
}

static void make_half(struct jit *j, struct half *h, unsigned from, LLVMValueRef addr, LLVMValueRef mask, LLVMValueRef base)
{
    h->addr = pick16(j, addr, from);
    h->mask = pick16(j, jit__mask_vec(j, mask), from);
    h->first = LLVMBuildExtractElement(j->b, addr, jit__c32(j, from), "");
    h->active = LLVMBuildExtractElement(j->b, jit__mask_vec(j, mask), jit__c32(j, from), "");
    LLVMValueRef o = jit__fit(j, h->first, 64, true); // lanes that do not run may have a place before the start
    h->ptr = LLVMBuildGEP2(j->b, j->i8, base, &o, 1, "");
}

static LLVMValueRef both(struct jit *j, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef idx[32];
    for (unsigned i = 0; i < 32; i++)
        idx[i] = jit__c32(j, i);
    return LLVMBuildShuffleVector(j->b, a, b, LLVMConstVector(idx, 32), "");
}

static LLVMValueRef run_load(struct jit *j, const struct half *h)
{
    LLVMTypeRef t = LLVMVectorType(j->i32, 16), types[2] = {t, j->ptr};
    LLVMValueRef a[4] = {h->ptr, jit__c32(j, 4), h->mask, LLVMConstNull(t)};
    return jit__intrin(j, "llvm.masked.load", types, 2, a, 4);
}

static LLVMValueRef single_load(struct jit *j, const struct half *h)
{
    LLVMValueRef v = LLVMBuildLoad2(j->b, j->i32, h->ptr, "");
    LLVMSetAlignment(v, 4);
    return splat16(j, v);
}

LLVMValueRef jit__half_warp_load(struct jit *j, LLVMValueRef addr, LLVMValueRef mask, LLVMValueRef base,
                                 LLVMValueRef (*gather)(struct jit *j, void *arg), void *arg)
{
    struct half lo, hi;
    LLVMBuilderRef b = j->b;
    make_half(j, &lo, 0, addr, mask, base);
    make_half(j, &hi, 16, addr, mask, base);
    LLVMBasicBlockRef runs = jit__block(j, "runs"), not_runs = jit__block(j, "not_runs"), ones = jit__block(j, "ones"),
                      any = jit__block(j, "any"), done = jit__block(j, "half_done"), from[3];
    LLVMBuildCondBr(b, LLVMBuildAnd(b, matches(j, &lo, 4), matches(j, &hi, 4), ""), runs, not_runs);
    LLVMPositionBuilderAtEnd(b, runs);
    LLVMValueRef v[3];
    v[0] = both(j, run_load(j, &lo), run_load(j, &hi));
    from[0] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, not_runs);
    LLVMValueRef same = LLVMBuildAnd(b, matches(j, &lo, 0), matches(j, &hi, 0), "");
    same = LLVMBuildAnd(b, same, LLVMBuildAnd(b, lo.active, hi.active, ""), "");
    LLVMBuildCondBr(b, same, ones, any);
    LLVMPositionBuilderAtEnd(b, ones);
    v[1] = both(j, single_load(j, &lo), single_load(j, &hi));
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, any);
    v[2] = gather(j, arg);
    from[2] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef phi = LLVMBuildPhi(b, j->v32, "");
    LLVMAddIncoming(phi, v, from, 3);
    return phi;
}

// SPDX-License-Identifier: Apache-2.0
// Scattered loads of blocks that are 16 wide: a warp is two rows, so addresses come as two runs or as two single ones
// (tile[ty][k], tile[k][tx]). Both are told at run time by vector comparisons and cost two plain loads instead of a
// gather. An unrolled loop loads from one base register at many offsets: what was told of the base holds for all.

#include "jit/halfwarp.h"
#include "jit/jit_int.h"

struct half {
    LLVMValueRef addr;   // <16 x iN>
    LLVMValueRef mask;   // <16 x i1>
    LLVMValueRef first;  // address of lane 0 of the half, iN
    LLVMValueRef ptr;    // the engine's pointer to it
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

static void make_half(struct jit *j, struct half *h, unsigned from, LLVMValueRef addr, LLVMValueRef mask)
{
    h->addr = pick16(j, addr, from);
    h->mask = pick16(j, jit__mask_vec(j, mask), from);
    h->first = LLVMBuildExtractElement(j->b, addr, jit__c32(j, from), "");
}

static bool sets(const struct ir_insn *in, uint32_t reg)
{
    for (uint32_t i = 0; i < in->n_dst; i++)
        if (in->dst[i] == reg)
            return true;
    return false;
}

// What an earlier load of the block found out about the same base, which has not changed since.
static const struct jit_half *known(struct jit *j, const struct ir_insn *in, LLVMTypeRef t)
{
    for (unsigned i = 0; i < JIT_HALVES; i++) {
        const struct jit_half *h = &j->half[i];
        if (h->fn != j->fn || h->block != j->block || h->reg != in->src[0].reg || LLVMTypeOf(h->first[0]) != t || h->at >= in)
            continue;
        bool same = true;
        for (const struct ir_insn *x = h->at; x < in && same; x++)
            same = !sets(x, h->reg);
        if (same)
            return h;
    }
    return NULL;
}

// Unsigned; what lies between the least and the most in one space lies in it as well.
static void extremes(struct jit *j, struct jit_half *h, LLVMValueRef addr, LLVMValueRef mask)
{
    LLVMTypeRef t = LLVMTypeOf(addr);
    LLVMValueRef runs = jit__mask_vec(j, mask), zero = LLVMConstNull(t);
    LLVMValueRef some = LLVMBuildSelect(j->b, runs, addr, zero, ""), none = LLVMBuildSelect(j->b, runs, addr, LLVMConstAllOnes(t), "");
    LLVMValueRef all = jit__intrin(j, "llvm.vector.reduce.or", &t, 1, &some, 1);
    h->most = jit__fit(j, jit__intrin(j, "llvm.vector.reduce.umax", &t, 1, &some, 1), 64, false);
    h->least = jit__fit(j, jit__intrin(j, "llvm.vector.reduce.umin", &t, 1, &none, 1), 64, false);
    all = LLVMBuildAnd(j->b, all, LLVMConstInt(LLVMTypeOf(all), 3, 0), "");
    h->aligned = LLVMBuildICmp(j->b, LLVMIntEQ, all, LLVMConstNull(LLVMTypeOf(all)), "");
}

struct jit_half jit__half_warp(struct jit *j, const struct ir_insn *in, LLVMValueRef addr, LLVMValueRef mask)
{
    bool is_kept = in->src[0].kind == IR_S_REG && in->guard == IR_NONE;
    const struct jit_half *old = is_kept ? known(j, in, LLVMGetElementType(LLVMTypeOf(addr))) : NULL;
    if (old)
        return *old;
    struct half lo, hi;
    make_half(j, &lo, 0, addr, mask);
    make_half(j, &hi, 16, addr, mask);
    struct jit_half h = {.fn = j->fn, .block = j->block, .at = in, .reg = in->src[0].reg, .first = {lo.first, hi.first}};
    h.runs = LLVMBuildAnd(j->b, matches(j, &lo, 4), matches(j, &hi, 4), "");
    h.ones = LLVMBuildAnd(j->b, matches(j, &lo, 0), matches(j, &hi, 0), "");
    LLVMValueRef ends = LLVMBuildAnd(j->b, mask, jit__c32(j, 0x10001), ""); // lane 0 of each half runs
    h.ones = LLVMBuildAnd(j->b, h.ones, LLVMBuildICmp(j->b, LLVMIntEQ, ends, jit__c32(j, 0x10001), ""), "");
    extremes(j, &h, addr, mask);
    if (is_kept)
        j->half[j->n_half++ % JIT_HALVES] = h;
    return h;
}

LLVMValueRef jit__half_warp_in_range(struct jit *j, const struct jit_half *h, const struct ir_insn *in, bool is_shared)
{
    LLVMBuilderRef b = j->b;
    int64_t step = in->off - h->at->off;
    if (step & 3)
        return LLVMConstInt(j->i1, 0, 0);
    LLVMValueRef by = jit__c64(j, (uint64_t)step), lo = LLVMBuildAdd(b, h->least, by, ""), hi = LLVMBuildAdd(b, h->most, by, "");
    if (is_shared) { // 64-bit sums of 32-bit offsets: none wraps that is in range
        LLVMValueRef room = LLVMBuildSub(b, LLVMBuildZExt(b, j->shared_bytes, j->i64, ""), jit__c64(j, 4), "");
        lo = LLVMBuildICmp(b, LLVMIntSGE, lo, jit__c64(j, 0), "");
        hi = LLVMBuildICmp(b, LLVMIntSLE, hi, room, "");
    } else {
        lo = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, lo, j->heap_lo, ""), j->heap_len, "");
        hi = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, hi, j->heap_lo, ""), j->heap_len, "");
    }
    return LLVMBuildAnd(b, h->aligned, LLVMBuildAnd(b, lo, hi, ""), "");
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

// Any addresses: rare here, and long code. One function for all loads of the module keeps compiling short, as an
// unrolled loop over a tile has dozens of them.
static LLVMValueRef gather(struct jit *j, LLVMValueRef addr, LLVMValueRef mask, LLVMValueRef base)
{
    LLVMTypeRef p[3] = {LLVMTypeOf(addr), j->i32, j->ptr}, t = LLVMFunctionType(j->v32, p, 3, 0);
    const char *name = LLVMGetElementType(p[0]) == j->i64 ? "wf.gather64" : "wf.gather32";
    LLVMValueRef f = LLVMGetNamedFunction(j->mod, name), args[3] = {addr, mask, base};
    if (!f) {
        f = jit__private_function(j, name, t);
        struct jit in = *j;
        in.b = LLVMCreateBuilderInContext(j->cx);
        in.fn = f;
        LLVMPositionBuilderAtEnd(in.b, LLVMAppendBasicBlockInContext(j->cx, f, ""));
        LLVMValueRef at = LLVMGetParam(f, 0), ptrs = LLVMBuildGEP2(in.b, j->i8, LLVMGetParam(f, 2), &at, 1, "");
        LLVMTypeRef types[2] = {j->v32, LLVMTypeOf(ptrs)};
        LLVMValueRef a[4] = {ptrs, jit__c32(j, 4), jit__mask_vec(&in, LLVMGetParam(f, 1)), LLVMConstNull(j->v32)};
        LLVMBuildRet(in.b, jit__intrin(&in, "llvm.masked.gather", types, 2, a, 4));
        LLVMDisposeBuilder(in.b);
    }
    return LLVMBuildCall2(j->b, t, f, args, 3, "");
}

LLVMValueRef jit__half_warp_load(struct jit *j, const struct jit_half *h, const struct ir_insn *in, LLVMValueRef addr,
                                 LLVMValueRef mask, LLVMValueRef base)
{
    struct half half[2];
    LLVMBuilderRef b = j->b;
    LLVMTypeRef e = LLVMTypeOf(h->first[0]);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef o = LLVMBuildAdd(b, h->first[i], LLVMConstInt(e, (uint64_t)(in->off - h->at->off), 1), "");
        o = jit__fit(j, o, 64, true); // lanes that do not run may have a place before the start
        half[i].ptr = LLVMBuildGEP2(b, j->i8, base, &o, 1, "");
        half[i].mask = pick16(j, jit__mask_vec(j, mask), i ? 16 : 0);
    }
    LLVMBasicBlockRef runs = jit__block(j, "runs"), not_runs = jit__block(j, "not_runs"), ones = jit__block(j, "ones"),
                      any = jit__block(j, "any"), done = jit__block(j, "half_done"), from[3];
    LLVMBuildCondBr(b, h->runs, runs, not_runs);
    LLVMPositionBuilderAtEnd(b, runs);
    LLVMValueRef v[3];
    v[0] = both(j, run_load(j, &half[0]), run_load(j, &half[1]));
    from[0] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, not_runs);
    LLVMBuildCondBr(b, h->ones, ones, any);
    LLVMPositionBuilderAtEnd(b, ones);
    v[1] = both(j, single_load(j, &half[0]), single_load(j, &half[1]));
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, any);
    v[2] = gather(j, addr, mask, base);
    from[2] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef phi = LLVMBuildPhi(b, j->v32, "");
    LLVMAddIncoming(phi, v, from, 3);
    return phi;
}

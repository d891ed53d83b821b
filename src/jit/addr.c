// SPDX-License-Identifier: Apache-2.0
// Addresses of loads and stores: their shapes over the lanes, and whether they lie where a plain access may go.

#include "jit/access.h"
#include "mem/space.h" // WF_LOCAL_OFFSET

LLVMValueRef jit__spill(struct jit *j, LLVMValueRef v)
{
    LLVMValueRef p = jit__alloca(j, LLVMTypeOf(v), 64);
    LLVMBuildStore(j->b, v, p);
    return p;
}

LLVMValueRef jit__add64(struct jit *j, LLVMValueRef a, int64_t k)
{
    return k ? LLVMBuildAdd(j->b, a, jit__c64(j, (uint64_t)k), "") : a;
}

// Addresses of all lanes. `slot` is the source that holds the base.
LLVMValueRef jit__addresses(struct jit *j, const struct ir_insn *in, int slot)
{
    const struct ir_src *s = &in->src[slot];
    LLVMValueRef v;
    int64_t off = slot == 0 ? in->off : 0;
    bool is_shared32 = (in->space == PTX_SP_SHARED || in->space == PTX_SP_SHARED_CLUSTER) && !in->is_generic_addr;
    if (s->kind == IR_S_NONE)
        return jit__splat(j, jit__c64(j, (uint64_t)off));
    unsigned bits = 64;
    if (s->kind == IR_S_REG)
        bits = j->f->regs[s->reg].bits;
    if (is_shared32 && bits == 64 && s->kind == IR_S_REG)
        bits = 64;
    v = jit__src_vec(j, s, bits);
    if (bits < 64) {
        if (off) {
            j->lanes = 32;
            v = LLVMBuildAdd(j->b, v, jit_const(j, bits, (uint64_t)off), "");
        }
        return jit__fit(j, v, 64, false);
    }
    if (off)
        v = LLVMBuildAdd(j->b, v, jit__splat(j, jit__c64(j, (uint64_t)off)), "");
    return v;
}

void jit__acc_address(struct jit *j, struct jit_acc *a)
{
    const struct ir_insn *in = a->in;
    const struct ir_src *s = &in->src[0];
    a->space = in->space == PTX_SP_CONST || in->space == PTX_SP_PARAM ? PTX_SP_GLOBAL : in->space;
    if (in->space == PTX_SP_SHARED_CLUSTER)
        a->space = PTX_SP_SHARED_CLUSTER;
    a->shape = jit__src_shape(j, s);
    unsigned bits = s->kind == IR_S_REG ? j->f->regs[s->reg].bits : 64;
    const struct ir_reg *r = s->kind == IR_S_REG ? &j->f->regs[s->reg] : NULL;
    if (s->kind == IR_S_NONE) {
        a->shape = IR_UNI;
        a->lane0 = jit__c64(j, (uint64_t)in->off);
    } else if (a->shape == IR_VEC || s->kind == IR_S_SREG) {
        a->shape = IR_VEC;
        a->vec = jit__addresses(j, in, 0);
        if (a->space == PTX_SP_SHARED && bits == 32) // zero-extended: the upper half says nothing
            a->vec = LLVMBuildTrunc(j->b, a->vec, j->v32, "");
    } else if (bits == 64) {
        a->lane0 = jit__add64(j, jit__src_uni(j, s, 64), in->off);
        if (r && a->shape == IR_AFF)
            a->stride = r->stride;
        if (a->shape == IR_WAFF) {
            a->stride = r->stride * r->scale;
            struct jit_val v = jit__get(j, s->reg);
            // The 32-bit index must not wrap between lane 0 and lane 31.
            LLVMValueRef last = LLVMBuildAdd(j->b, v.a, jit__c32(j, (uint64_t)(31 * r->stride)), "");
            bool up = r->stride >= 0;
            LLVMIntPredicate p = r->waff_signed ? (up ? LLVMIntSLE : LLVMIntSGE) : (up ? LLVMIntULE : LLVMIntUGE);
            a->no_wrap = LLVMBuildICmp(j->b, p, v.a, last, "");
        }
    } else { // 32-bit shared or local offset
        LLVMValueRef v = jit__src_uni(j, s, bits);
        if (in->off)
            v = LLVMBuildAdd(j->b, v, LLVMConstInt(LLVMTypeOf(v), (uint64_t)in->off, 0), "");
        a->lane0 = jit__fit(j, v, 64, false);
        if (a->shape == IR_AFF)
            a->stride = (int32_t)r->stride;
    }
    if (in->is_generic_addr && a->space != PTX_SP_GLOBAL) { // take the window off
        LLVMValueRef w = a->space == PTX_SP_LOCAL
                             ? LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_LOCAL_OFFSET), "")
                             : j->shared_window;
        if (a->shape == IR_VEC)
            a->vec = LLVMBuildSub(j->b, a->vec, jit__splat(j, w), "");
        else
            a->lane0 = LLVMBuildSub(j->b, a->lane0, w, "");
    }
    if (a->shape == IR_AFF && bits == 32 && a->space == PTX_SP_GENERIC)
        a->shape = IR_VEC, a->vec = jit__addresses(j, in, 0);
}

LLVMValueRef jit__acc_lanes(struct jit *j, struct jit_acc *a) // <32 x i64> of any shape
{
    if (a->shape == IR_VEC)
        return jit__fit(j, a->vec, 64, false);
    if (a->shape == IR_UNI)
        return jit__splat(j, a->lane0);
    LLVMValueRef v = jit__addresses(j, a->in, 0);
    if (a->in->is_generic_addr && a->space != PTX_SP_GLOBAL) {
        LLVMValueRef w = a->space == PTX_SP_LOCAL
                             ? LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_LOCAL_OFFSET), "")
                             : j->shared_window;
        v = LLVMBuildSub(j->b, v, jit__splat(j, w), "");
    }
    return v;
}

LLVMValueRef jit__first_lane(struct jit *j, LLVMValueRef mask)
{
    LLVMValueRef a[2] = {mask, LLVMConstInt(j->i1, 1, 0)};
    return LLVMBuildZExt(j->b, jit__intrin(j, "llvm.cttz", &j->i32, 1, a, 2), j->i64, "");
}

LLVMValueRef jit__last_lane(struct jit *j, LLVMValueRef mask)
{
    LLVMValueRef a[2] = {mask, LLVMConstInt(j->i1, 1, 0)};
    LLVMValueRef z = jit__intrin(j, "llvm.ctlz", &j->i32, 1, a, 2);
    return LLVMBuildZExt(j->b, LLVMBuildSub(j->b, jit__c32(j, 31), z, ""), j->i64, "");
}

// i1: the accesses of `total` bytes at the addresses v of the lanes in mask lie in the space's memory
// (shared, or else the heap) and are aligned.
LLVMValueRef jit__lanes_in_range(struct jit *j, unsigned space, LLVMValueRef v, unsigned total, LLVMValueRef mask)
{
    LLVMBuilderRef b = j->b;
    LLVMValueRef off = v, len = j->heap_len;
    bool narrow = LLVMTypeOf(v) == j->v32; // shared offsets: half the work
    LLVMTypeRef t = narrow ? j->i32 : j->i64;
    if (space == PTX_SP_SHARED) {
        LLVMValueRef room = LLVMConstInt(t, total - 1, 0);
        len = narrow ? j->shared_bytes : LLVMBuildZExt(b, j->shared_bytes, j->i64, "");
        // Shared memory smaller than the access: nothing is in range.
        LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntUGT, len, room, "");
        len = LLVMBuildSelect(b, fits, LLVMBuildSub(b, len, room, ""), LLVMConstInt(t, 0, 0), "");
    } else {
        off = LLVMBuildSub(b, v, jit__splat(j, j->heap_lo), "");
    }
    LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntUGE, off, jit__splat(j, len), "");
    if (total > 1) {
        LLVMValueRef low = LLVMBuildAnd(b, v, jit__splat(j, LLVMConstInt(t, total - 1, 0)), "");
        bad = LLVMBuildOr(b, bad, LLVMBuildICmp(b, LLVMIntNE, low, LLVMConstNull(LLVMTypeOf(v)), ""), "");
    }
    LLVMValueRef w = LLVMBuildAnd(b, jit__mask_word(j, bad), mask, "");
    return LLVMBuildICmp(b, LLVMIntEQ, w, jit__c32(j, 0), "");
}

LLVMValueRef jit__acc_in_range(struct jit *j, struct jit_acc *a)
{
    LLVMBuilderRef b = j->b;
    unsigned total = a->bytes * a->n;
    LLVMValueRef lo, hi, ok;
    if (a->shape == IR_VEC)
        return jit__lanes_in_range(j, a->space, a->vec, total, a->mask);
    lo = hi = a->lane0;
    if (a->shape != IR_UNI) {
        LLVMValueRef s = jit__c64(j, (uint64_t)a->stride);
        LLVMValueRef f = LLVMBuildMul(b, jit__first_lane(j, a->mask), s, ""), l = LLVMBuildMul(b, jit__last_lane(j, a->mask), s, "");
        lo = LLVMBuildAdd(b, a->lane0, a->stride >= 0 ? f : l, "");
        hi = LLVMBuildAdd(b, a->lane0, a->stride >= 0 ? l : f, "");
        if (a->space == PTX_SP_SHARED) { // 32-bit arithmetic: offsets wrap there
            lo = LLVMBuildAnd(b, lo, jit__c64(j, UINT32_MAX), "");
            hi = LLVMBuildAnd(b, hi, jit__c64(j, UINT32_MAX), "");
        }
    }
    if (a->space == PTX_SP_SHARED) {
        LLVMValueRef len = LLVMBuildZExt(b, j->shared_bytes, j->i64, "");
        LLVMValueRef end = LLVMBuildAdd(b, hi, jit__c64(j, total), "");
        ok = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULE, end, len, ""), LLVMBuildICmp(b, LLVMIntULE, lo, hi, ""), "");
    } else {
        ok = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, lo, j->heap_lo, ""), j->heap_len, "");
        if (a->shape != IR_UNI && (a->stride > 4096 || a->stride < -4096))
            ok = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, hi, j->heap_lo, ""), j->heap_len, ""), "");
    }
    if (total > 1 && a->stride % total == 0) {
        LLVMValueRef low = LLVMBuildAnd(b, a->lane0, jit__c64(j, total - 1), "");
        ok = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntEQ, low, jit__c64(j, 0), ""), "");
    } else if (total > 1) {
        LLVMValueRef odd = jit__c64(j, (uint64_t)a->stride % total);
        LLVMValueRef low = LLVMBuildAnd(b, LLVMBuildOr(b, a->lane0, odd, ""), jit__c64(j, total - 1), "");
        ok = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntEQ, low, jit__c64(j, 0), ""), "");
    }
    if (a->no_wrap)
        ok = LLVMBuildAnd(b, ok, a->no_wrap, "");
    return ok;
}

// Lane 0's address such that running lanes lie at address + stride * lane. In shared memory lane 0 itself
// may be off the start, where 32-bit offsets wrap: go through the first running lane.
LLVMValueRef jit__acc_base(struct jit *j, const struct jit_acc *a)
{
    if (a->space != PTX_SP_SHARED || a->shape == IR_UNI)
        return a->lane0;
    LLVMValueRef k = LLVMBuildMul(j->b, jit__first_lane(j, a->mask), jit__c64(j, (uint64_t)a->stride), "");
    LLVMValueRef lo = LLVMBuildAnd(j->b, LLVMBuildAdd(j->b, a->lane0, k, ""), jit__c64(j, UINT32_MAX), "");
    return LLVMBuildSub(j->b, lo, k, "");
}

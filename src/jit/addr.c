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
    a->is_wide = bits == 64;
    if (s->kind == IR_S_NONE) {
        a->shape = IR_UNI;
        a->lane0 = jit__c64(j, (uint64_t)in->off);
    } else if (a->shape == IR_VEC || s->kind == IR_S_SREG) {
        a->shape = IR_VEC;
        a->vec = jit__addresses(j, in, 0);
        a->has_row_step = r && r->has_row_step && j->is_whole;
        a->row_step = r ? r->row_step : 0;
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
    if (mask == jit__c32(j, UINT32_MAX))
        return jit__c64(j, 0);
    return LLVMBuildZExt(j->b, jit__intrin(j, "llvm.cttz", &j->i32, 1, a, 2), j->i64, "");
}

LLVMValueRef jit__last_lane(struct jit *j, LLVMValueRef mask)
{
    LLVMValueRef a[2] = {mask, LLVMConstInt(j->i1, 1, 0)};
    if (mask == jit__c32(j, UINT32_MAX))
        return jit__c64(j, 31);
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

// i1: lane 0's address is aligned, and all others with it. NULL: nothing to ask.
static LLVMValueRef aligned(struct jit *j, const struct jit_acc *a)
{
    unsigned total = a->bytes * a->n;
    if (total == 1)
        return NULL;
    LLVMValueRef low = a->lane0;
    if (a->stride % total)
        low = LLVMBuildOr(j->b, low, jit__c64(j, (uint64_t)a->stride % total), "");
    return LLVMBuildICmp(j->b, LLVMIntEQ, LLVMBuildAnd(j->b, low, jit__c64(j, total - 1), ""), jit__c64(j, 0), "");
}

static LLVMValueRef both(struct jit *j, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? LLVMBuildAnd(j->b, a, b, "") : a ? a : b;
}

static void go_on_if(struct jit *j, LLVMValueRef ok, LLVMBasicBlockRef to, LLVMBasicBlockRef other)
{
    LLVMValueRef e[2] = {ok, LLVMConstInt(j->i1, 1, 0)};
    LLVMBuildCondBr(j->b, jit__intrin(j, "llvm.expect", &j->i1, 1, e, 2), to, other);
}

#define FAR 126976 // bytes: two of them are less than WF_HEAP_MARGIN

// Of the heap. Steps are small against what lies around it, where nothing is: one end speaks for both.
static LLVMValueRef in_heap(struct jit *j, const struct jit_acc *a)
{
    LLVMBuilderRef b = j->b;
    if (a->shape == IR_VEC)
        return jit__lanes_in_range(j, a->space, a->vec, a->bytes * a->n, a->mask);
    LLVMValueRef lo = a->lane0, ok;
    bool is_far = a->extra > FAR || (a->shape != IR_UNI && (a->stride > FAR / 31 || a->stride < -FAR / 31));
    if (is_far)
        lo = LLVMBuildAdd(b, lo, LLVMBuildMul(b, jit__first_lane(j, a->mask), jit__c64(j, (uint64_t)a->stride), ""), "");
    ok = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, lo, j->heap_lo, ""), j->heap_len, "");
    if (is_far) {
        LLVMValueRef l = LLVMBuildMul(b, jit__last_lane(j, a->mask), jit__c64(j, (uint64_t)a->stride), "");
        l = LLVMBuildSub(b, LLVMBuildAdd(b, LLVMBuildAdd(b, a->lane0, l, ""), jit__c64(j, a->extra), ""), j->heap_lo, "");
        ok = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntULT, l, j->heap_len, ""), "");
    }
    return both(j, both(j, ok, aligned(j, a)), a->no_wrap);
}

// Of shared memory, one place or lanes that all run: no arithmetic on the mask.
static LLVMValueRef whole_in_shared(struct jit *j, const struct jit_acc *a)
{
    LLVMBuilderRef b = j->b;
    LLVMValueRef len = LLVMBuildZExt(b, j->shared_bytes, j->i64, ""), lo = NULL, hi;
    int64_t span = a->shape == IR_UNI ? 0 : 31 * a->stride;
    hi = LLVMBuildAdd(b, a->lane0, jit__c64(j, (uint64_t)(span > 0 ? span : 0) + a->extra + a->bytes * a->n), "");
    hi = LLVMBuildICmp(b, LLVMIntULE, hi, len, "");
    if (span < 0)
        lo = LLVMBuildICmp(b, LLVMIntUGE, a->lane0, jit__c64(j, (uint64_t)-span), "");
    if (a->is_wide) // else the sum cannot wrap
        lo = both(j, lo, LLVMBuildICmp(b, LLVMIntULT, a->lane0, len, ""));
    return both(j, both(j, both(j, hi, lo), aligned(j, a)), a->no_wrap);
}

// The lanes that run, exactly. In shared memory lane 0 itself may be off the start, where 32-bit offsets wrap.
static LLVMValueRef lanes_in_shared(struct jit *j, const struct jit_acc *a, LLVMValueRef *base)
{
    LLVMBuilderRef b = j->b;
    LLVMValueRef s = jit__c64(j, (uint64_t)a->stride), full = jit__c64(j, a->is_wide ? UINT64_MAX : UINT32_MAX);
    LLVMValueRef len = LLVMBuildZExt(b, j->shared_bytes, j->i64, "");
    LLVMValueRef f = LLVMBuildMul(b, jit__first_lane(j, a->mask), s, ""), l = LLVMBuildMul(b, jit__last_lane(j, a->mask), s, "");
    LLVMValueRef first = LLVMBuildAnd(b, LLVMBuildAdd(b, a->lane0, f, ""), full, "");
    LLVMValueRef last = LLVMBuildAnd(b, LLVMBuildAdd(b, a->lane0, l, ""), full, "");
    LLVMValueRef lo = a->stride >= 0 ? first : last, hi = a->stride >= 0 ? last : first;
    LLVMValueRef end = LLVMBuildAdd(b, hi, jit__c64(j, a->bytes * a->n), "");
    LLVMValueRef ok = LLVMBuildICmp(b, LLVMIntULE, end, len, "");
    if (a->is_wide)
        ok = both(j, ok, LLVMBuildICmp(b, LLVMIntULT, hi, len, ""));
    *base = LLVMBuildSub(b, first, f, "");
    return both(j, both(j, both(j, ok, LLVMBuildICmp(b, LLVMIntULE, lo, hi, "")), aligned(j, a)), a->no_wrap);
}

void jit__acc_check(struct jit *j, struct jit_acc *a, LLVMBasicBlockRef far)
{
    LLVMBasicBlockRef fast = jit__block(j, "fast");
    a->base = a->lane0;
    if (a->space != PTX_SP_SHARED || a->shape == IR_VEC) {
        go_on_if(j, a->has_row_step ? jit__rows_in_range(j, a) : a->shape == IR_VEC ? jit__lanes_in_range(j, a->space, a->vec, a->bytes * a->n, a->mask) : in_heap(j, a),
                 fast, far);
        LLVMPositionBuilderAtEnd(j->b, fast);
        return;
    }
    if (a->shape == IR_UNI || a->mask == jit__c32(j, UINT32_MAX)) {
        go_on_if(j, whole_in_shared(j, a), fast, far);
        LLVMPositionBuilderAtEnd(j->b, fast);
        return;
    }
    LLVMBasicBlockRef part = jit__block(j, "part"), whole_end;
    LLVMValueRef base, v[2] = {a->lane0};
    go_on_if(j, whole_in_shared(j, a), fast, part);
    whole_end = LLVMGetInsertBlock(j->b);
    LLVMPositionBuilderAtEnd(j->b, part);
    go_on_if(j, lanes_in_shared(j, a, &base), fast, far);
    LLVMBasicBlockRef from[2] = {whole_end, part};
    v[1] = base;
    LLVMPositionBuilderAtEnd(j->b, fast);
    a->base = LLVMBuildPhi(j->b, j->i64, "");
    LLVMAddIncoming(a->base, v, from, 2);
}

// Lane 0's address such that running lanes lie at address + stride * lane, before any check.
LLVMValueRef jit__acc_base(struct jit *j, const struct jit_acc *a)
{
    if (a->space != PTX_SP_SHARED || a->shape == IR_UNI)
        return a->lane0;
    LLVMValueRef k = LLVMBuildMul(j->b, jit__first_lane(j, a->mask), jit__c64(j, (uint64_t)a->stride), "");
    LLVMValueRef lo = LLVMBuildAnd(j->b, LLVMBuildAdd(j->b, a->lane0, k, ""), jit__c64(j, UINT32_MAX), "");
    return LLVMBuildSub(j->b, lo, k, "");
}

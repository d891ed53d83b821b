// SPDX-License-Identifier: Apache-2.0
// Warp instructions: shuffles, votes, match, redux, elect and bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13).
// When every live lane that the mask names runs together, the result is a few vector operations. When
// not, the path puts its operands into the warp's exchange and waits; it comes back to the second
// entry of the block when all have arrived, and takes the values from the exchange.

#include "jit/jit_int.h"

struct wop {
    const struct ir_insn *in;
    LLVMValueRef need;     // i32: lanes that take part
    LLVMValueRef value;    // <32 x iN> operands of all lanes
    LLVMValueRef group;    // <32 x i32> lanes each lane met; NULL: `need` for all
};

static const struct ir_src *mask_source(const struct ir_insn *in)
{
    return &in->src[in->n_src - 1];
}

static unsigned value_bits(const struct ir_insn *in)
{
    if (in->op == PTX_O_VOTE)
        return 1;
    return in->op == PTX_O_MATCH ? ptx_type_bits((enum ptx_type)in->type) : 32;
}

static bool has_value(const struct ir_insn *in)
{
    return in->op != PTX_O_ELECT && in->op != PTX_O_BAR && in->op != PTX_O_BARRIER;
}

static LLVMValueRef vconst(struct jit *j, uint64_t v)
{
    j->lanes = 32;
    return jit_const(j, 32, v);
}

// Lane i of the result is lane idx[i] of v (idx in 0..31).
static LLVMValueRef permute(struct jit *j, LLVMValueRef v, LLVMValueRef idx)
{
    if (LLVMIsConstant(idx))
        return LLVMBuildShuffleVector(j->b, v, LLVMGetPoison(LLVMTypeOf(v)), idx, "");
    LLVMValueRef buf = jit__spill(j, v);
    LLVMValueRef p = LLVMBuildGEP2(j->b, j->i32, buf, &idx, 1, "");
    LLVMTypeRef types[2] = {j->v32, LLVMTypeOf(p)};
    j->lanes = 32;
    LLVMValueRef a[4] = {p, jit__c32(j, 4), jit_const(j, 1, 1), LLVMConstNull(j->v32)};
    return jit__intrin(j, "llvm.masked.gather", types, 2, a, 4);
}

static LLVMValueRef lane_ids(struct jit *j)
{
    LLVMValueRef c[32];
    for (unsigned i = 0; i < 32; i++)
        c[i] = jit__c32(j, i);
    return LLVMConstVector(c, 32);
}

// PTX ISA 9.7.9.6: source lane j and whether it is inside the segment.
static void shuffle(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    LLVMBuilderRef b = j->b;
    LLVMValueRef bval = jit__src_vec(j, &in->src[1], 32), c = jit__src_vec(j, &in->src[2], 32), lane = lane_ids(j);
    LLVMValueRef m31 = vconst(j, 31);
    bval = LLVMBuildAnd(b, bval, m31, "");
    LLVMValueRef clamp = LLVMBuildAnd(b, c, m31, "");
    LLVMValueRef seg = LLVMBuildAnd(b, LLVMBuildLShr(b, c, vconst(j, 8), ""), m31, ""), nseg = LLVMBuildXor(b, seg, m31, "");
    LLVMValueRef min = LLVMBuildAnd(b, lane, seg, ""), max = LLVMBuildOr(b, min, LLVMBuildAnd(b, clamp, nseg, ""), "");
    LLVMValueRef src, ok;
    if (ptx_has(&in->m, PTX_M_UP)) {
        src = LLVMBuildSub(b, lane, bval, "");
        ok = LLVMBuildICmp(b, LLVMIntSGE, src, max, "");
    } else {
        if (ptx_has(&in->m, PTX_M_DOWN))
            src = LLVMBuildAdd(b, lane, bval, "");
        else if (ptx_has(&in->m, PTX_M_BFLY))
            src = LLVMBuildXor(b, lane, bval, "");
        else
            src = LLVMBuildOr(b, min, LLVMBuildAnd(b, bval, nseg, ""), "");
        ok = LLVMBuildICmp(b, LLVMIntSLE, src, max, "");
    }
    src = LLVMBuildAnd(b, LLVMBuildSelect(b, ok, src, lane, ""), m31, "");
    jit__set(j, in, in->dst[0], permute(j, w->value, src), true);
    if (in->n_dst > 1)
        jit__set(j, in, in->dst[1], ok, true);
}

static LLVMValueRef masked_bits(struct jit *j, struct wop *w) // predicate bits of the lanes that take part
{
    return LLVMBuildAnd(j->b, jit__mask_word(j, w->value), w->need, "");
}

static void vote(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    LLVMValueRef p = masked_bits(j, w), r = p, zero = jit__c32(j, 0);
    if (ptx_has(&in->m, PTX_M_ALL))
        r = LLVMBuildICmp(j->b, LLVMIntEQ, p, w->need, "");
    else if (ptx_has(&in->m, PTX_M_ANY))
        r = LLVMBuildICmp(j->b, LLVMIntNE, p, zero, "");
    else if (ptx_has(&in->m, PTX_M_UNI))
        r = LLVMBuildOr(j->b, LLVMBuildICmp(j->b, LLVMIntEQ, p, w->need, ""), LLVMBuildICmp(j->b, LLVMIntEQ, p, zero, ""), "");
    jit__set(j, in, in->dst[0], r, false);
}

static void redux(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    const char *name;
    uint64_t neutral = 0;
    bool is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S';
    if (PTX_IS(in->m.sub, ADD)) {
        name = "llvm.vector.reduce.add";
    } else if (PTX_IS(in->m.sub, MIN)) {
        name = is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
        neutral = is_signed ? INT32_MAX : UINT32_MAX;
    } else if (PTX_IS(in->m.sub, MAX)) {
        name = is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
        neutral = is_signed ? 0x80000000u : 0;
    } else if (PTX_IS(in->m.sub, AND)) {
        name = "llvm.vector.reduce.and";
        neutral = UINT32_MAX;
    } else {
        name = PTX_IS(in->m.sub, OR) ? "llvm.vector.reduce.or" : "llvm.vector.reduce.xor";
    }
    if (ptx_type_kind((enum ptx_type)in->type) == 'F') {
        jit_refuse(j, in, "floating-point redux");
        return;
    }
    LLVMValueRef v = LLVMBuildSelect(j->b, jit__mask_vec(j, w->need), w->value, vconst(j, neutral), "");
    jit__set(j, in, in->dst[0], jit__intrin(j, name, &j->v32, 1, &v, 1), false);
}

static void match(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    unsigned bits = value_bits(in);
    bool any = ptx_has(&in->m, PTX_M_ANY);
    LLVMValueRef out = jit__alloca(j, j->v32, 64), v = jit__fit(j, w->value, 64, false);
    (void)bits;
    LLVMValueRef a[4] = {jit__spill(j, v), w->need, out, jit__c32(j, any)};
    jit__call(j, "wf_x_match", j->void_t, a, 4);
    LLVMValueRef r = LLVMBuildLoad2(j->b, j->v32, out, "");
    jit__set(j, in, in->dst[0], r, true);
    if (in->n_dst > 1)
        jit__set(j, in, in->dst[1], LLVMBuildICmp(j->b, LLVMIntNE, r, vconst(j, 0), ""), true);
}

static void elect(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    LLVMValueRef a[2] = {w->need, LLVMConstInt(j->i1, 0, 0)};
    LLVMValueRef first = jit__intrin(j, "llvm.cttz", &j->i32, 1, a, 2);
    jit__set(j, in, in->dst[0], first, false);
    if (in->n_dst > 1)
        jit__set(j, in, in->dst[1], LLVMBuildICmp(j->b, LLVMIntEQ, lane_ids(j), jit__splat(j, first), ""), true);
}

static void compute(struct jit *j, struct wop *w)
{
    switch ((int)w->in->op) {
    case PTX_O_SHFL:
        shuffle(j, w);
        break;
    case PTX_O_VOTE:
        vote(j, w);
        break;
    case PTX_O_REDUX:
        redux(j, w);
        break;
    case PTX_O_MATCH:
        match(j, w);
        break;
    case PTX_O_ELECT:
        elect(j, w);
        break;
    default: // bar.warp.sync has no result
        break;
    }
}

static void announce(struct jit *j, const struct ir_insn *in, LLVMValueRef need)
{
    bool is_bar = in->op == PTX_O_BAR || in->op == PTX_O_BARRIER;
    if (!j->is_checked || !is_bar)
        return;
    LLVMValueRef a[3] = {j->warp, jit__c32(j, in->site), need};
    jit__call(j, "wf_x_warp_met", j->void_t, a, 3);
}

static void wait_for_lanes(struct jit *j, const struct ir_insn *in, uint32_t pc, LLVMValueRef m, LLVMValueRef masks)
{
    jit__save_live(j, pc, m);
    LLVMValueRef v = LLVMConstNull(j->ptr);
    if (has_value(in)) {
        unsigned bits = value_bits(in);
        LLVMValueRef x = jit__src_vec(j, &in->src[0], bits);
        v = jit__spill(j, jit__fit(j, x, 64, false));
    }
    LLVMValueRef a[6] = {j->warp, jit__c32(j, pc), m, jit__c32(j, in->site), jit__spill(j, masks), v};
    jit__dispatch_to(j, jit__call(j, "wf_x_warp_wait", j->i64, a, 6));
}

static void after_meeting(struct jit *j, const struct ir_insn *in)
{
    LLVMValueRef m = jit__mask(j), a[2] = {m, LLVMConstInt(j->i1, 1, 0)};
    LLVMValueRef lane = jit__intrin(j, "llvm.cttz", &j->i32, 1, a, 2);
    lane = LLVMBuildZExt(j->b, lane, j->i64, "");
    LLVMValueRef g = jit__field(j, j->warp, WARP_F(xchg_group));
    struct wop w = {.in = in};
    w.need = LLVMBuildLoad2(j->b, j->i32, LLVMBuildGEP2(j->b, j->i32, g, &lane, 1, ""), "");
    if (has_value(in)) {
        LLVMValueRef v = LLVMBuildLoad2(j->b, j->v64, jit__field(j, j->warp, WARP_F(xchg)), "");
        LLVMSetAlignment(v, 8);
        w.value = jit__fit(j, v, value_bits(in), false);
    }
    compute(j, &w);
}

void jit__warp_op(struct jit *j, const struct ir_insn *in, uint32_t pc)
{
    LLVMBuilderRef b = j->b;
    const struct ir_src *ms = mask_source(in);
    LLVMValueRef m = jit__mask(j), live = LLVMBuildLoad2(b, j->i32, jit__field(j, j->warp, WARP_F(live)), "");
    bool uniform = jit__src_shape(j, ms) == IR_UNI;
    LLVMValueRef masks = uniform ? NULL : jit__src_vec(j, ms, 32), member;
    if (uniform) {
        member = jit__src_uni(j, ms, 32);
    } else { // lanes with different masks are different groups: only when all agree is it simple
        LLVMValueRef a[2] = {m, LLVMConstInt(j->i1, 1, 0)};
        member = LLVMBuildExtractElement(b, masks, jit__intrin(j, "llvm.cttz", &j->i32, 1, a, 2), "");
    }
    // Simple: all named live lanes run here, and each running lane is named; dead lanes are the scheduler's.
    LLVMValueRef simple = LLVMBuildICmp(b, LLVMIntEQ, member, m, "");
    if (!j->is_checked) { // masks that also name lanes which have exited: harmless when nobody asks
        LLVMValueRef alive = LLVMBuildAnd(b, member, live, "");
        simple = LLVMBuildICmp(b, LLVMIntEQ, alive, m, "");
    }
    if (!uniform) {
        LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, masks, jit__splat(j, member), "");
        LLVMValueRef off = LLVMBuildAnd(b, LLVMBuildNot(b, jit__mask_word(j, same), ""), m, "");
        simple = LLVMBuildAnd(b, simple, LLVMBuildICmp(b, LLVMIntEQ, off, jit__c32(j, 0), ""), "");
    }
    LLVMBasicBlockRef fast = jit__block(j, "together"), wait = jit__block(j, "apart"), go = jit__block(j, "go");
    LLVMValueRef e[2] = {simple, LLVMConstInt(j->i1, 1, 0)};
    LLVMBuildCondBr(b, jit__intrin(j, "llvm.expect", &j->i1, 1, e, 2), fast, wait);
    LLVMPositionBuilderAtEnd(b, wait);
    wait_for_lanes(j, in, pc, m, uniform ? jit__splat(j, member) : masks);
    LLVMPositionBuilderAtEnd(b, fast);
    struct wop w = {.in = in, .need = m};
    if (has_value(in))
        w.value = jit__src_vec(j, &in->src[0], value_bits(in));
    announce(j, in, m);
    compute(j, &w);
    LLVMBuildBr(b, go);
    LLVMPositionBuilderAtEnd(b, j->released[pc]);
    after_meeting(j, in);
    LLVMBuildBr(b, go);
    LLVMPositionBuilderAtEnd(b, go);
}

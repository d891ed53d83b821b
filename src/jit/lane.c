// SPDX-License-Identifier: Apache-2.0
// Warp instructions: shuffles, votes, match, redux, elect and bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13).
// When every live lane that the mask names runs together, the result is a few vector operations. When
// not, the path puts its operands into the warp's exchange and waits; it comes back to the second
// entry of the block when all have arrived, and takes the values from the exchange. Lanes of one path
// may name different masks (tiles of a warp): each lane's result is that of its own group.

#include "jit/jit_int.h"
#include "jit/orc.h"

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
    if (orc_has_avx512()) { // two registers as one table of 32: half a dozen cycles
        LLVMTypeRef half = LLVMVectorType(j->i32, 16);
        LLVMValueRef lo[16], hi[16], both[32];
        for (unsigned i = 0; i < 16; i++) {
            lo[i] = jit__c32(j, i);
            hi[i] = jit__c32(j, i + 16);
        }
        for (unsigned i = 0; i < 32; i++)
            both[i] = jit__c32(j, i);
        LLVMValueRef none = LLVMGetPoison(j->v32), l = LLVMConstVector(lo, 16), h = LLVMConstVector(hi, 16);
        LLVMValueRef vl = LLVMBuildShuffleVector(j->b, v, none, l, ""), vh = LLVMBuildShuffleVector(j->b, v, none, h, ""), r[2];
        for (int k = 0; k < 2; k++) {
            LLVMValueRef a[3] = {vl, LLVMBuildShuffleVector(j->b, idx, none, k ? h : l, ""), vh};
            r[k] = jit__intrin(j, "llvm.x86.avx512.vpermi2var.d.512", &half, 0, a, 3);
        }
        return LLVMBuildShuffleVector(j->b, r[0], r[1], LLVMConstVector(both, 32), "");
    }
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

// Is a source lane not among those who take part? A rare thing, looked at by the scheduler.
static void tell_outside(struct jit *j, const struct wop *w, LLVMValueRef src, LLVMValueRef ok)
{
    LLVMBuilderRef b = j->b;
    LLVMValueRef who = w->group ? w->group : jit__splat(j, w->need), m = jit__mask(j), one = vconst(j, 1);
    LLVMValueRef in = LLVMBuildAnd(b, LLVMBuildLShr(b, who, LLVMBuildAnd(b, src, vconst(j, 31), ""), ""), one, "");
    LLVMValueRef out = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntNE, in, one, ""), "");
    LLVMValueRef word = LLVMBuildAnd(b, jit__mask_word(j, out), m, "");
    LLVMBasicBlockRef tell = jit__block(j, "outside"), go = jit__block(j, "inside");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, word, jit__c32(j, 0), ""), tell, go);
    LLVMPositionBuilderAtEnd(b, tell);
    LLVMValueRef a[6] = {j->warp, jit__c32(j, w->in->site), m, word, jit__spill(j, who), jit__spill(j, src)};
    jit__call(j, "wf_x_shuffle_outside", j->void_t, a, 6);
    LLVMBuildBr(b, go);
    LLVMPositionBuilderAtEnd(b, go);
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
    if (j->is_checked && ptx_has(&in->m, PTX_M_IDX) && in->site != IR_NONE)
        tell_outside(j, w, src, ok);
    src = LLVMBuildAnd(b, LLVMBuildSelect(b, ok, src, lane, ""), m31, "");
    jit__set(j, in, in->dst[0], permute(j, w->value, src), true);
    if (in->n_dst > 1)
        jit__set(j, in, in->dst[1], ok, true);
}

static void vote(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    LLVMValueRef who = w->group ? w->group : w->need, p = jit__mask_word(j, w->value); // predicates of those who take part
    p = LLVMBuildAnd(j->b, w->group ? jit__splat(j, p) : p, who, "");
    LLVMValueRef r = p, zero = LLVMConstNull(LLVMTypeOf(p));
    if (ptx_has(&in->m, PTX_M_ALL))
        r = LLVMBuildICmp(j->b, LLVMIntEQ, p, who, "");
    else if (ptx_has(&in->m, PTX_M_ANY))
        r = LLVMBuildICmp(j->b, LLVMIntNE, p, zero, "");
    else if (ptx_has(&in->m, PTX_M_UNI))
        r = LLVMBuildOr(j->b, LLVMBuildICmp(j->b, LLVMIntEQ, p, who, ""), LLVMBuildICmp(j->b, LLVMIntEQ, p, zero, ""), "");
    jit__set(j, in, in->dst[0], r, w->group != NULL);
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
    if (w->group) {
        LLVMValueRef out = jit__alloca(j, j->v32, 64);
        LLVMValueRef a[5] = {jit__spill(j, w->value), jit__spill(j, w->group), jit__mask(j), out,
                             jit__c32(j, in->m.sub | (unsigned)is_signed << 16)};
        jit__call(j, "wf_x_redux", j->void_t, a, 5);
        jit__set(j, in, in->dst[0], LLVMBuildLoad2(j->b, j->v32, out, ""), true);
        return;
    }
    LLVMValueRef v = LLVMBuildSelect(j->b, jit__mask_vec(j, w->need), w->value, vconst(j, neutral), "");
    jit__set(j, in, in->dst[0], jit__intrin(j, name, &j->v32, 1, &v, 1), false);
}

static void match(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    bool any = ptx_has(&in->m, PTX_M_ANY);
    LLVMValueRef out = jit__alloca(j, j->v32, 64), v = jit__fit(j, w->value, 64, false);
    LLVMValueRef a[5] = {jit__spill(j, v), jit__spill(j, w->group ? w->group : jit__splat(j, w->need)), jit__mask(j), out,
                         jit__c32(j, any)};
    jit__call(j, "wf_x_match", j->void_t, a, 5);
    LLVMValueRef r = LLVMBuildLoad2(j->b, j->v32, out, "");
    jit__set(j, in, in->dst[0], r, true);
    if (in->n_dst > 1)
        jit__set(j, in, in->dst[1], LLVMBuildICmp(j->b, LLVMIntNE, r, vconst(j, 0), ""), true);
}

static void elect(struct jit *j, struct wop *w)
{
    const struct ir_insn *in = w->in;
    LLVMValueRef a[2] = {w->group ? w->group : w->need, LLVMConstInt(j->i1, 0, 0)};
    LLVMTypeRef t = LLVMTypeOf(a[0]);
    LLVMValueRef first = jit__intrin(j, "llvm.cttz", &t, 1, a, 2);
    if (!w->group)
        first = jit__splat(j, first);
    jit__set(j, in, in->dst[0], first, true);
    if (in->n_dst > 1)
        jit__set(j, in, in->dst[1], LLVMBuildICmp(j->b, LLVMIntEQ, lane_ids(j), first, ""), true);
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
    struct wop w = {.in = in};
    w.group = LLVMBuildLoad2(j->b, j->v32, jit__field(j, j->warp, WARP_F(xchg_group)), "");
    LLVMSetAlignment(w.group, 4);
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
    LLVMValueRef m = jit__mask(j), live = jit__live(j);
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
    LLVMBasicBlockRef tiles = uniform || j->is_checked ? NULL : jit__block(j, "tiles");
    LLVMValueRef e[2] = {simple, LLVMConstInt(j->i1, 1, 0)};
    LLVMBuildCondBr(b, jit__intrin(j, "llvm.expect", &j->i1, 1, e, 2), fast, tiles ? tiles : wait);
    if (tiles) { // different masks, but everybody they name runs here
        LLVMPositionBuilderAtEnd(b, tiles);
        LLVMValueRef named = LLVMBuildAnd(b, masks, jit__splat(j, live), "");
        LLVMValueRef away = LLVMBuildAnd(b, named, jit__splat(j, LLVMBuildNot(b, m, "")), "");
        away = LLVMBuildSelect(b, jit__mask_vec(j, m), away, LLVMConstNull(j->v32), "");
        away = jit__intrin(j, "llvm.vector.reduce.or", &j->v32, 1, &away, 1);
        LLVMBasicBlockRef here = jit__block(j, "here");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, away, jit__c32(j, 0), ""), here, wait);
        LLVMPositionBuilderAtEnd(b, here);
        struct wop t = {.in = in, .need = m, .group = named};
        if (has_value(in))
            t.value = jit__src_vec(j, &in->src[0], value_bits(in));
        compute(j, &t);
        LLVMBuildBr(b, go);
    }
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

// SPDX-License-Identifier: Apache-2.0
// Functions that run a block through regions, looping over its warps. They hold for warps whose live lanes all run
// together, which is nearly always so; then there is nothing parked and no join to watch. Whatever does not fit (a
// split, a wait, a spent budget) saves the warp's state and leaves it to the scheduler.
//
// A function holds one region, or all of a small kernel. In the latter a plain barrier that all warps reach leads straight
// to the next region, and registers that are the same in all warps (is_blockwide) stay in SSA form from one
// to the next: each warp starts with the block's value and leaves an equal one.

#include "jit/jit_int.h"

#define FUEL 256 // barriers passed before the scheduler is asked again

struct jit_blockwide { // of a function that holds several regions
    LLVMValueRef *now;   // by register: alloca of the value with which each warp starts; NULL: not kept so
    LLVMValueRef **left; // by block that ends in a barrier, by live-in of the block behind it: what warps left there
    LLVMBasicBlockRef *start; // by block where a region starts: before its loop
    LLVMValueRef fuel;
};

static bool is_kept(const struct jit *j, uint32_t r)
{
    return j->wide && j->wide->now[r];
}

static const struct ir_block *behind(const struct jit *j, uint32_t k)
{
    return &j->f->blocks[j->f->blocks[k].succ[0]];
}

void jit__region_barrier(struct jit *j, uint32_t k, const struct ir_block *b)
{
    const struct ir_insn *in = &b->insns[b->n_insns - 1];
    const struct ir_block *next = behind(j, k);
    LLVMValueRef m = jit__mask(j);
    // Registers that the region did not touch are in the frame already.
    for (uint32_t i = 0; i < next->n_live_in; i++) {
        uint32_t r = next->live_in[i];
        if (is_kept(j, r))
            LLVMBuildStore(j->b, jit__get(j, r).a, j->wide->left[k][i]);
        else if (j->region_defs[r])
            jit__store_first(j, r, m);
    }
    if (in->n_src > 1) {
        jit__busy(j);
        LLVMValueRef p = jit__mask_word(j, jit__src_vec(j, &in->src[1], 1));
        LLVMBuildStore(j->b, LLVMBuildAnd(j->b, p, m, ""), jit__field(j, j->warp, WARP_F(stop_pred)));
    }
    jit__stop_warp(j, k);
}

static const uint8_t *defs_of(struct jit *j, const uint8_t *in)
{
    uint8_t *d = WF_NEW_N(j->arena, uint8_t, j->f->n_regs + 1);
    for (uint32_t k = 0; k < j->f->n_blocks; k++)
        for (uint32_t i = 0; in[k] && i < j->f->blocks[k].n_insns; i++)
            for (uint32_t q = 0; q < j->f->blocks[k].insns[i].n_dst; q++)
                if (j->f->blocks[k].insns[i].dst[q] != IR_NONE)
                    d[j->f->blocks[k].insns[i].dst[q]] = 1;
    return d;
}

// Registers live behind the barriers that a region may stop at.
static const uint8_t *outs_of(struct jit *j, const uint8_t *in)
{
    uint8_t *d = WF_NEW_N(j->arena, uint8_t, j->f->n_regs + 1);
    for (uint32_t k = 0; k < j->f->n_blocks; k++)
        for (uint32_t s = 0; in[k] && j->f->blocks[k].term == IR_T_SYNC && s < j->f->blocks[k].n_succ; s++)
            for (uint32_t i = 0; i < behind(j, k)->n_live_in; i++)
                d[behind(j, k)->live_in[i]] = 1;
    return d;
}

struct loop {
    LLVMValueRef i, warps;
    LLVMValueRef common;    // how all warps stopped: those that any of them gave, or'ed
    LLVMValueRef every;     // and'ed: the same number if they agree
    LLVMValueRef n;         // warps that were visited: the others stand where the last of them does
    LLVMValueRef is_line;   // i1: a one-dimensional block
    LLVMBasicBlockRef head, skip;
};

static bool is_plain_stop(const struct jit *j, const uint8_t *in, uint32_t k)
{
    const struct ir_block *b = &j->f->blocks[k];
    return in[k] && b->term == IR_T_SYNC && jit__is_plain_barrier(&b->insns[b->n_insns - 1]);
}

// All warps stand at the barrier behind block k: on with the next region, unless the scheduler is to be asked.
static void pass_barrier(struct jit *j, uint32_t k, LLVMBasicBlockRef leave)
{
    LLVMBuilderRef b = j->b;
    LLVMBasicBlockRef go = jit__block(j, "pass");
    LLVMValueRef fuel = LLVMBuildSub(b, LLVMBuildLoad2(b, j->i32, j->wide->fuel, ""), jit__c32(j, 1), "");
    LLVMBuildStore(b, fuel, j->wide->fuel);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, fuel, jit__c32(j, 0), ""), leave, go);
    LLVMPositionBuilderAtEnd(b, go);
    LLVMValueRef clock = jit__field(j, j->blk, BLOCK_F(clock));
    LLVMBuildStore(b, LLVMBuildAdd(b, LLVMBuildLoad2(b, j->i64, clock, ""), jit__c64(j, 100), ""), clock);
    const struct ir_block *next = behind(j, k);
    for (uint32_t i = 0; i < next->n_live_in; i++)
        if (is_kept(j, next->live_in[i])) {
            LLVMTypeRef t = jit__reg_type(j, &j->f->regs[next->live_in[i]]);
            LLVMBuildStore(b, LLVMBuildLoad2(b, t, j->wide->left[k][i], ""), j->wide->now[next->live_in[i]]);
        }
    LLVMBuildBr(b, j->wide->start[j->f->blocks[k].succ[0]]);
}

// The loop's end: remember how this warp stopped, compare with the others, go on.
static void close_loop(struct jit *j, const struct loop *l, const uint8_t *in, LLVMBasicBlockRef leave)
{
    LLVMBuilderRef b = j->b;
    LLVMPositionBuilderAtEnd(b, j->warp_done);
    LLVMValueRef stop = LLVMBuildLoad2(b, j->i32, j->stop, "");
    LLVMBuildStore(b, stop, jit__field(j, j->warp, WARP_F(stop_at)));
    LLVMBuildStore(b, LLVMBuildOr(b, LLVMBuildLoad2(b, j->i32, l->common, ""), stop, ""), l->common);
    LLVMBuildStore(b, LLVMBuildAnd(b, LLVMBuildLoad2(b, j->i32, l->every, ""), stop, ""), l->every);
    LLVMBasicBlockRef out = jit__block(j, "out");
    if (j->busy) {
        LLVMBasicBlockRef idle = jit__block(j, "idle");
        LLVMValueRef is_idle = LLVMBuildNot(b, LLVMBuildLoad2(b, j->i1, j->busy, ""), "");
        is_idle = LLVMBuildAnd(b, is_idle, LLVMBuildICmp(b, LLVMIntULT, stop, jit__c32(j, WF_STOP_EXIT), ""), "");
        LLVMBuildCondBr(b, LLVMBuildAnd(b, is_idle, l->is_line, ""), idle, l->skip);
        LLVMPositionBuilderAtEnd(b, idle);
        LLVMBuildStore(b, LLVMBuildAdd(b, LLVMBuildLoad2(b, j->i32, l->i, ""), jit__c32(j, 1), ""), l->n);
        LLVMBuildBr(b, out);
    } else {
        LLVMBuildBr(b, l->skip);
    }
    LLVMPositionBuilderAtEnd(b, l->skip);
    LLVMValueRef next = LLVMBuildAdd(b, LLVMBuildLoad2(b, j->i32, l->i, ""), jit__c32(j, 1), "");
    LLVMBuildStore(b, next, l->i);
    LLVMValueRef n = jit__fact(j, j->i32, j->blk, BLOCK_F(n_warps));
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, n, ""), l->head, out);
    LLVMPositionBuilderAtEnd(b, out);
    LLVMValueRef any = LLVMBuildLoad2(b, j->i32, l->common, "");
    LLVMValueRef agree = LLVMBuildICmp(b, LLVMIntEQ, any, LLVMBuildLoad2(b, j->i32, l->every, ""), "");
    LLVMBuildStore(b, LLVMBuildSelect(b, agree, any, jit__c32(j, WF_STOP_MIXED), ""), l->common);
    if (!j->wide) {
        LLVMBuildBr(b, leave);
        return;
    }
    LLVMValueRef sw = LLVMBuildSwitch(b, LLVMBuildLoad2(b, j->i32, l->common, ""), leave, 4);
    for (uint32_t k = 0; k < j->f->n_blocks; k++) {
        if (!is_plain_stop(j, in, k) || !j->wide->start[j->f->blocks[k].succ[0]] ||
            jit__barrier_kind(&j->f->blocks[k].insns[j->f->blocks[k].n_insns - 1]))
            continue;
        LLVMBasicBlockRef pass = jit__block(j, "stop");
        LLVMAddCase(sw, jit__c32(j, k), pass);
        LLVMPositionBuilderAtEnd(b, pass);
        pass_barrier(j, k, leave);
    }
}

// One region: all live warps, one after the other, from block k to where they stop.
static void region(struct jit *j, uint32_t k, struct loop *l, LLVMBasicBlockRef leave)
{
    const struct ir_func *f = j->f;
    LLVMBuilderRef b = j->b;
    uint8_t *in = WF_NEW_N(j->arena, uint8_t, f->n_blocks + 1);
    uint32_t *stack = WF_NEW_N(j->arena, uint32_t, f->n_blocks + 1);
    jit__region_reach(f, k, in, stack);
    j->region_defs = defs_of(j, in);
    j->region_out = outs_of(j, in);
    l->head = jit__block(j, "warp");
    l->skip = jit__block(j, "skip");
    j->warp_done = jit__block(j, "warp_done");
    LLVMBuildStore(b, jit__c32(j, 0), l->i);
    LLVMBuildStore(b, jit__c32(j, 0), l->common);
    LLVMBuildStore(b, jit__c32(j, UINT32_MAX), l->every);
    if (j->busy)
        LLVMBuildStore(b, jit__c32(j, UINT32_MAX), l->n);
    LLVMBuildBr(b, l->head);
    LLVMPositionBuilderAtEnd(b, l->head);
    LLVMValueRef off = LLVMBuildMul(b, LLVMBuildZExt(b, LLVMBuildLoad2(b, j->i32, l->i, ""), j->i64, ""),
                                    jit__c64(j, sizeof(struct wf_warp)), "");
    j->warp = LLVMBuildGEP2(b, j->i8, l->warps, &off, 1, "");
    LLVMValueRef live = jit__live(j);
    LLVMBuildStore(b, live, j->mask);
    j->is_whole = j->prog->blocks.whole_warps;
    if (j->busy)
        LLVMBuildStore(b, LLVMConstInt(j->i1, 0, 0), j->busy);
    LLVMBuildStore(b, jit__c32(j, j->is_checked ? 4096 : 65536), j->budget);
    jit__warp_facts(j);
    jit__plan_remat(j, in);
    jit__remat_at_start(j);
    for (uint32_t i = 0; k && i < f->blocks[k].n_live_in; i++) {
        uint32_t r = f->blocks[k].live_in[i];
        if (is_kept(j, r))
            jit__set_val(j, r, (struct jit_val){LLVMBuildLoad2(b, jit__reg_type(j, &f->regs[r]), j->wide->now[r], ""), NULL});
        else
            jit__load_slot(j, r, live);
    }
    jit__retreat_region(j, k, in);
    jit__make_blocks(j, in);
    LLVMBuildBr(b, j->body[k]);
    for (uint32_t x = 0; x < f->n_blocks; x++)
        if (in[x]) {
            jit__emit_head(j, x, &f->blocks[x]);
            jit__emit_body(j, x, &f->blocks[x]);
        }
    j->is_whole = false;
    close_loop(j, l, in, leave);
}

// ---- several regions in one function ----

static void make_wide(struct jit *j, const uint8_t *has)
{
    const struct ir_func *f = j->f;
    struct jit_blockwide *w = WF_NEW(j->arena, struct jit_blockwide);
    w->now = WF_NEW_N(j->arena, LLVMValueRef, f->n_regs + 1);
    w->left = WF_NEW_N(j->arena, LLVMValueRef *, f->n_blocks + 1);
    w->start = WF_NEW_N(j->arena, LLVMBasicBlockRef, f->n_blocks + 1);
    w->fuel = LLVMBuildAlloca(j->b, j->i32, "fuel");
    LLVMBuildStore(j->b, jit__c32(j, FUEL), w->fuel);
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        const struct ir_block *b = &f->blocks[k];
        if (has[k])
            w->start[k] = jit__block(j, "region");
        if (b->term != IR_T_SYNC || !jit__is_plain_barrier(&b->insns[b->n_insns - 1]))
            continue;
        const struct ir_block *next = &f->blocks[b->succ[0]];
        w->left[k] = WF_NEW_N(j->arena, LLVMValueRef, next->n_live_in + 1);
        for (uint32_t i = 0; i < next->n_live_in; i++) {
            const struct ir_reg *r = &f->regs[next->live_in[i]];
            if (!r->is_blockwide || !r->n_defs)
                continue;
            if (!w->now[next->live_in[i]])
                w->now[next->live_in[i]] = LLVMBuildAlloca(j->b, jit__reg_type(j, r), "");
            w->left[k][i] = LLVMBuildAlloca(j->b, jit__reg_type(j, r), "");
        }
    }
    j->wide = w;
}

// The scheduler says at which region to start; the block's values then lie in the first warp's frame.
static void enter(struct jit *j, const uint8_t *has, LLVMValueRef warps)
{
    LLVMBuilderRef b = j->b;
    LLVMValueRef pc = LLVMBuildLoad2(b, j->i32, jit__field(j, j->blk, BLOCK_F(enter)), "");
    uint32_t first = 0;
    while (!has[first])
        first++;
    LLVMValueRef sw = LLVMBuildSwitch(b, pc, j->wide->start[first], 8);
    for (uint32_t k = 0; k < j->f->n_blocks; k++) {
        if (!has[k] || (k == first && !k)) // nothing is kept at the kernel's start
            continue;
        LLVMBasicBlockRef e = jit__block(j, "enter");
        LLVMAddCase(sw, jit__c32(j, k), e);
        LLVMPositionBuilderAtEnd(b, e);
        j->warp = warps;
        j->frame = LLVMBuildLoad2(b, j->ptr, jit__field(j, warps, WARP_F(frame)), "");
        for (uint32_t i = 0; i < j->f->blocks[k].n_live_in; i++) {
            uint32_t r = j->f->blocks[k].live_in[i];
            if (!is_kept(j, r))
                continue;
            jit__load_slot(j, r, NULL);
            LLVMBuildStore(b, jit__get(j, r).a, j->wide->now[r]);
        }
        LLVMBuildBr(b, j->wide->start[k]);
    }
}

struct jit_late_sum *jit__late_sum(struct jit *j)
{
    if (!j->wide || j->n_late == sizeof j->late / sizeof *j->late)
        return NULL;
    struct jit_late_sum *s = &j->late[j->n_late++];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(j->b), first = LLVMGetEntryBasicBlock(j->fn);
    LLVMPositionBuilderBefore(j->b, LLVMGetFirstInstruction(first));
    s->place = LLVMBuildAlloca(j->b, j->ptr, "place");
    s->sum = LLVMBuildAlloca(j->b, j->i32, "sum");
    LLVMBuildStore(j->b, LLVMConstNull(j->ptr), s->place);
    LLVMBuildStore(j->b, jit__c32(j, 0), s->sum);
    LLVMPositionBuilderAtEnd(j->b, here);
    return s;
}

static void make_late_adds(struct jit *j)
{
    for (unsigned i = 0; i < j->n_late; i++) {
        LLVMBasicBlockRef add = jit__block(j, "add"), on = jit__block(j, "on");
        LLVMValueRef sum = LLVMBuildLoad2(j->b, j->i32, j->late[i].sum, "");
        LLVMBuildCondBr(j->b, LLVMBuildICmp(j->b, LLVMIntNE, sum, jit__c32(j, 0), ""), add, on);
        LLVMPositionBuilderAtEnd(j->b, add);
        LLVMValueRef x[3] = {j->blk, LLVMBuildLoad2(j->b, j->ptr, j->late[i].place, ""), sum};
        jit__call(j, "wf_x_add32_late", j->void_t, x, 3);
        LLVMBuildBr(j->b, on);
        LLVMPositionBuilderAtEnd(j->b, on);
    }
}

// To the scheduler: what the block kept goes to the frames of the warps, as each stopped.
static void put_back(struct jit *j, const struct loop *l)
{
    LLVMBuilderRef b = j->b;
    LLVMBasicBlockRef ends = jit__block(j, "ends"), each = jit__block(j, "each"), next = jit__block(j, "next"),
                      done = jit__block(j, "done");
    LLVMValueRef common = LLVMBuildLoad2(b, j->i32, l->common, "");
    LLVMBuildStore(b, jit__c32(j, 0), l->i);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, common, jit__c32(j, WF_STOP_EXIT), ""), done, each);
    LLVMPositionBuilderAtEnd(b, each);
    LLVMValueRef i = LLVMBuildLoad2(b, j->i32, l->i, "");
    LLVMValueRef off = LLVMBuildMul(b, LLVMBuildZExt(b, i, j->i64, ""), jit__c64(j, sizeof(struct wf_warp)), "");
    j->warp = LLVMBuildGEP2(b, j->i8, l->warps, &off, 1, "");
    j->frame = LLVMBuildLoad2(b, j->ptr, jit__field(j, j->warp, WARP_F(frame)), "");
    LLVMValueRef stop = LLVMBuildLoad2(b, j->i32, jit__field(j, j->warp, WARP_F(stop_at)), "");
    if (j->busy) {
        LLVMValueRef seen = LLVMBuildICmp(b, LLVMIntULT, i, LLVMBuildLoad2(b, j->i32, l->n, ""), "");
        stop = LLVMBuildSelect(b, seen, stop, LLVMBuildLoad2(b, j->i32, j->stop, ""), "");
        LLVMBuildStore(b, stop, jit__field(j, j->warp, WARP_F(stop_at)));
    }
    LLVMValueRef sw = LLVMBuildSwitch(b, stop, next, 8);
    for (uint32_t k = 0; k < j->f->n_blocks; k++) {
        if (!j->wide->left[k])
            continue;
        LLVMBasicBlockRef put = jit__block(j, "put");
        LLVMAddCase(sw, jit__c32(j, k), put);
        LLVMPositionBuilderAtEnd(b, put);
        for (uint32_t q = 0; q < behind(j, k)->n_live_in; q++) {
            uint32_t r = behind(j, k)->live_in[q];
            if (!is_kept(j, r))
                continue;
            LLVMBuildStore(b, LLVMBuildLoad2(b, jit__reg_type(j, &j->f->regs[r]), j->wide->left[k][q], ""), j->slot_a[r]);
            jit__store_first(j, r, NULL);
        }
        LLVMBuildBr(b, next);
    }
    LLVMPositionBuilderAtEnd(b, next);
    LLVMValueRef up = LLVMBuildAdd(b, i, jit__c32(j, 1), "");
    LLVMBuildStore(b, up, l->i);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, up, jit__fact(j, j->i32, j->blk, BLOCK_F(n_warps)), ""), each, ends);
    LLVMPositionBuilderAtEnd(b, ends);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}

static void watch_idle(struct jit *j, struct loop *l)
{
    if (!j->affine_tid)
        return;
    j->tails = jit__find_tails(j);
    j->busy = LLVMBuildAlloca(j->b, j->i1, "busy");
    l->n = LLVMBuildAlloca(j->b, j->i32, "n");
    LLVMValueRef y = jit__fact(j, j->i32, j->grid, GRID_F(ntid[1])), z = jit__fact(j, j->i32, j->grid, GRID_F(ntid[2]));
    l->is_line = LLVMBuildICmp(j->b, LLVMIntEQ, LLVMBuildMul(j->b, y, z, ""), jit__c32(j, 1), "");
}

// A function of the region that starts at block k, or, if `has` is given, of all those that it marks.
void jit__block_loop(struct jit *j, uint32_t k, const uint8_t *has)
{
    LLVMBuilderRef b = j->b;
    struct loop l;
    j->is_region = true;
    LLVMPositionBuilderAtEnd(b, jit__block(j, "start"));
    j->blk = LLVMGetParam(j->fn, 0);
    LLVMAddAttributeAtIndex(j->fn, 1, LLVMCreateEnumAttribute(j->cx, LLVMGetEnumAttributeKindForName("dereferenceable", 15),
                                                              sizeof(struct wf_block)));
    jit__make_slots(j);
    j->mask = LLVMBuildAlloca(b, j->i32, "mask");
    j->budget = LLVMBuildAlloca(b, j->i32, "budget");
    j->stop = LLVMBuildAlloca(b, j->i32, "stop");
    l.i = LLVMBuildAlloca(b, j->i32, "i");
    l.common = LLVMBuildAlloca(b, j->i32, "common");
    l.every = LLVMBuildAlloca(b, j->i32, "every");
    jit__block_facts(j);
    if (has) {
        make_wide(j, has);
        watch_idle(j, &l);
    }
    l.warps = jit__fact(j, j->ptr, j->blk, BLOCK_F(warps));
    LLVMBasicBlockRef leave = jit__block(j, "leave");
    if (has) {
        enter(j, has, l.warps);
        for (uint32_t x = 0; x < j->f->n_blocks; x++)
            if (has[x]) {
                LLVMPositionBuilderAtEnd(b, j->wide->start[x]);
                region(j, x, &l, leave);
            }
    } else {
        region(j, k, &l, leave);
    }
    LLVMPositionBuilderAtEnd(b, leave);
    make_late_adds(j);
    if (has)
        put_back(j, &l);
    LLVMBuildRet(b, LLVMBuildLoad2(b, j->i32, l.common, ""));
    j->is_region = false;
    j->remat = NULL;
    j->wide = NULL;
    j->busy = NULL;
    j->n_late = 0;
}

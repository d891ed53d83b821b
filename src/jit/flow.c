// SPDX-License-Identifier: Apache-2.0
// Control flow of a compiled function. A path (pc, mask) runs from body to body; a branch that splits
// it parks one side in the frame; a body where lanes may meet first asks whether a parked path stands
// at or before it. Whatever stops the path goes through `dispatch`: the scheduler says which path
// is next, and its registers are loaded from the frame at that pc's entry.

#include <stdio.h>  // snprintf
#include <string.h> // memset

#include "jit/jit_int.h"
#include "mem/space.h" // WF_SHARED_OFFSET

LLVMBasicBlockRef jit__block(struct jit *j, const char *name)
{
    return LLVMAppendBasicBlockInContext(j->cx, j->fn, name);
}

static void at_end(struct jit *j, LLVMBasicBlockRef b)
{
    LLVMPositionBuilderAtEnd(j->b, b);
}

void jit__save_live(struct jit *j, uint32_t pc, LLVMValueRef mask)
{
    const struct ir_block *b = &j->f->blocks[pc];
    for (uint32_t i = 0; i < b->n_live_in && !j->traffic; i++)
        jit__store_slot(j, b->live_in[i], mask);
}

void jit__stop_warp(struct jit *j, uint32_t how)
{
    LLVMBuildStore(j->b, jit__c32(j, how), j->stop);
    LLVMBuildBr(j->b, j->warp_done);
}

void jit__dispatch_to(struct jit *j, LLVMValueRef pcmask)
{
    if (j->is_region) { // whatever is next is the scheduler's affair
        LLVMValueRef a[2] = {j->warp, pcmask};
        jit__call(j, "wf_x_bail", j->void_t, a, 2);
        jit__stop_warp(j, WF_STOP_BAIL);
        return;
    }
    LLVMValueRef pc = LLVMBuildLShr(j->b, pcmask, jit__c64(j, 32), "");
    LLVMBuildStore(j->b, LLVMBuildTrunc(j->b, pc, j->i32, ""), j->next_pc);
    LLVMBuildStore(j->b, LLVMBuildTrunc(j->b, pcmask, j->i32, ""), j->mask);
    LLVMBuildBr(j->b, j->dispatch);
}

static LLVMValueRef unlikely(struct jit *j, LLVMValueRef c)
{
    LLVMValueRef a[2] = {c, LLVMConstInt(j->i1, 0, 0)};
    return jit__intrin(j, "llvm.expect", &j->i1, 1, a, 2);
}

// ---- prologue ----

void jit__block_facts(struct jit *j)
{
    j->grid = jit__fact_pointer(j, j->blk, BLOCK_F(grid), sizeof(struct wf_grid_ctx));
    j->shared = jit__fact(j, j->ptr, j->blk, BLOCK_F(shared));
    j->params = jit__fact_pointer(j, j->grid, GRID_F(params), j->prog->param_bytes);
    j->syms = jit__fact(j, j->ptr, j->grid, GRID_F(syms));
    j->delta = jit__fact(j, j->i64, j->grid, GRID_F(delta));
    j->win_base = jit__fact(j, j->i64, j->grid, GRID_F(base));
    j->win_bytes = jit__fact(j, j->i64, j->grid, GRID_F(bytes));
    j->shared_bytes = jit__fact(j, j->i32, j->grid, GRID_F(shared_bytes));
    LLVMValueRef heap = jit__c64(j, WF_HEAP_OFFSET);
    j->heap_lo = LLVMBuildAdd(j->b, j->win_base, heap, "");
    j->heap_len = LLVMBuildSub(j->b, j->win_bytes, jit__c64(j, WF_HEAP_OFFSET + WF_HEAP_MARGIN), "");
    LLVMValueRef rank = LLVMBuildZExt(j->b, jit__fact(j, j->i32, j->blk, BLOCK_F(rank)), j->i64, "");
    LLVMValueRef w = LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_SHARED_OFFSET), "");
    j->shared_window = LLVMBuildAdd(j->b, w, LLVMBuildMul(j->b, rank, jit__c64(j, WF_SHARED_STRIDE), ""), "");
}

void jit__warp_facts(struct jit *j)
{
    j->frame = LLVMBuildLoad2(j->b, j->ptr, jit__field(j, j->warp, WARP_F(frame)), "");
    LLVMValueRef lb = jit__fact(j, j->i64, j->blk, BLOCK_F(local_warp_bytes));
    LLVMValueRef wi = LLVMBuildZExt(j->b, jit__fact(j, j->i32, j->warp, WARP_F(index)), j->i64, "");
    LLVMValueRef lo = LLVMBuildMul(j->b, lb, wi, "");
    j->local = LLVMBuildGEP2(j->b, j->i8, jit__fact(j, j->ptr, j->blk, BLOCK_F(local)), &lo, 1, "");
}

void jit__make_slots(struct jit *j)
{
    uint32_t n = j->f->n_regs;
    j->slot_a = WF_NEW_N(j->arena, LLVMValueRef, n + 1);
    j->slot_b = WF_NEW_N(j->arena, LLVMValueRef, n + 1);
    for (uint32_t r = 0; r < n; r++) {
        const struct ir_reg *x = &j->f->regs[r];
        if (!x->n_defs)
            continue;
        j->slot_a[r] = LLVMBuildAlloca(j->b, jit__reg_type(j, x), "");
        if (x->shape == IR_WAFF)
            j->slot_b[r] = LLVMBuildAlloca(j->b, j->i64, "");
    }
    // Registers that are read but never written (undefined in PTX) are zero.
    for (uint32_t r = 0; r < n; r++)
        if (!j->f->regs[r].n_defs) {
            LLVMTypeRef t = jit__reg_type(j, &j->f->regs[r]);
            j->slot_a[r] = LLVMBuildAlloca(j->b, t, "");
            LLVMBuildStore(j->b, LLVMConstNull(t), j->slot_a[r]);
            if (j->f->regs[r].shape == IR_WAFF) {
                j->slot_b[r] = LLVMBuildAlloca(j->b, j->i64, "");
                LLVMBuildStore(j->b, jit__c64(j, 0), j->slot_b[r]);
            }
        }
}

// ---- edges ----

static void store_exit(struct jit *j, uint32_t exit_loc, uint32_t end_loc, bool is_return)
{
    LLVMBuildStore(j->b, jit__c32(j, exit_loc), jit__field(j, j->warp, WARP_F(exit_loc)));
    LLVMBuildStore(j->b, jit__c32(j, end_loc), jit__field(j, j->warp, WARP_F(end_loc)));
    LLVMBuildStore(j->b, jit__c32(j, is_return), jit__field(j, j->warp, WARP_F(is_return)));
}

// A way that leads to the kernel's bare end: the end itself has no place in the source, or that of all ways.
static void note_exit(struct jit *j, uint32_t from, uint32_t t)
{
    const struct ir_block *b = &j->f->blocks[t];
    const struct ir_block *a = &j->f->blocks[from];
    if (b->term != IR_T_EXIT || b->n_insns || !a->loc)
        return;
    bool is_return = a->term == IR_T_JUMP && !a->n_insns;
    store_exit(j, a->loc, is_return || !b->loc ? a->loc : b->loc, is_return);
}

// What a back edge to block t takes of the budget. A loop that may wait for another thread gives way sooner; under
// check all blocks run on one worker, so that nobody else moves meanwhile.
static unsigned price(const struct jit *j, uint32_t t)
{
    return !j->f->blocks[t].is_poll_loop ? 1 : j->is_checked ? 2048 : 64;
}

// Goes to block t; a back edge counts the budget down and gives way when it is spent.
static void edge(struct jit *j, uint32_t from, uint32_t t)
{
    note_exit(j, from, t);
    if (t > from) {
        LLVMBuildBr(j->b, j->head[t]);
        return;
    }
    LLVMValueRef left = LLVMBuildSub(j->b, LLVMBuildLoad2(j->b, j->i32, j->budget, ""), jit__c32(j, price(j, t)), "");
    LLVMBuildStore(j->b, left, j->budget);
    LLVMBasicBlockRef yield = jit__block(j, "yield");
    LLVMBuildCondBr(j->b, unlikely(j, LLVMBuildICmp(j->b, LLVMIntSLE, left, jit__c32(j, 0), "")), yield, j->head[t]);
    at_end(j, yield);
    LLVMBuildStore(j->b, LLVMBuildLoad2(j->b, j->i32, jit__field(j, j->warp, WARP_F(budget)), ""), j->budget); // for the path that is next
    LLVMValueRef m = jit__mask(j);
    jit__save_live(j, t, m);
    LLVMValueRef a[3] = {j->warp, jit__c32(j, t), m};
    jit__dispatch_to(j, jit__call(j, "wf_x_yield", j->i64, a, 3));
}

static void park(struct jit *j, uint32_t pc, LLVMValueRef mask)
{
    jit__save_live(j, pc, mask);
    LLVMValueRef a[3] = {j->warp, jit__c32(j, pc), mask};
    jit__call(j, "wf_x_park", j->void_t, a, 3);
}

static void split_branch(struct jit *j, uint32_t k, const struct ir_block *b)
{
    LLVMValueRef m = jit__mask(j), p = jit__mask_word(j, jit__reg_vec(j, b->cond));
    if (b->cond_negated)
        p = LLVMBuildNot(j->b, p, "");
    LLVMValueRef tm = LLVMBuildAnd(j->b, m, p, ""), fm = LLVMBuildAnd(j->b, m, LLVMBuildNot(j->b, p, ""), "");
    uint32_t t = b->succ[0], e = b->succ[1];
    LLVMBasicBlockRef all = jit__block(j, "all"), some = jit__block(j, "some"), none = jit__block(j, "none"),
                      split = jit__block(j, "split");
    LLVMBuildCondBr(j->b, LLVMBuildICmp(j->b, LLVMIntEQ, fm, jit__c32(j, 0), ""), all, some);
    bool first = jit__is_tail(j, b->cond, b->cond_negated), second = jit__is_tail(j, b->cond, !b->cond_negated);
    at_end(j, all);
    if (!second)
        jit__busy(j);
    edge(j, k, t);
    at_end(j, some);
    LLVMBuildCondBr(j->b, LLVMBuildICmp(j->b, LLVMIntEQ, tm, jit__c32(j, 0), ""), none, split);
    at_end(j, none);
    if (!first)
        jit__busy(j);
    edge(j, k, e);
    at_end(j, split);
    uint32_t lo = t < e ? t : e, hi = t < e ? e : t;
    LLVMValueRef lm = t < e ? tm : fm, hm = t < e ? fm : tm;
    note_exit(j, k, hi);
    park(j, hi, hm);
    if (j->is_region) {
        park(j, lo, lm);
        jit__stop_warp(j, WF_STOP_BAIL);
        return;
    }
    LLVMBuildStore(j->b, lm, j->mask);
    edge(j, k, lo);
}

static void branch(struct jit *j, uint32_t k, const struct ir_block *b)
{
    if (!b->is_uniform_branch) {
        split_branch(j, k, b);
        return;
    }
    if (!j->f->regs[b->cond].is_blockwide)
        jit__busy(j);
    LLVMValueRef c = jit__get(j, b->cond).a;
    if (j->f->regs[b->cond].shape == IR_VEC) { // uniform in fact, kept as lanes: ask the first running one
        LLVMValueRef w = LLVMBuildAnd(j->b, jit__mask_word(j, c), jit__mask(j), "");
        c = LLVMBuildICmp(j->b, LLVMIntNE, w, jit__c32(j, 0), "");
    }
    if (b->cond_negated)
        c = LLVMBuildNot(j->b, c, "");
    LLVMBasicBlockRef t = jit__block(j, "t"), e = jit__block(j, "e");
    LLVMBuildCondBr(j->b, c, t, e);
    at_end(j, t);
    edge(j, k, b->succ[0]);
    at_end(j, e);
    edge(j, k, b->succ[1]);
}

static void branch_index(struct jit *j, uint32_t k, const struct ir_block *b)
{
    jit__busy(j);
    LLVMBasicBlockRef bad = jit__block(j, "brx_bad");
    if (b->is_uniform_branch) {
        LLVMValueRef i = jit__fit(j, jit__reg_lane0(j, b->cond), 32, false);
        LLVMValueRef sw = LLVMBuildSwitch(j->b, i, bad, b->n_succ);
        for (uint32_t s = 0; s < b->n_succ; s++) {
            LLVMBasicBlockRef to = jit__block(j, "brx");
            LLVMAddCase(sw, jit__c32(j, s), to);
            at_end(j, to);
            edge(j, k, b->succ[s]);
        }
    } else {
        LLVMValueRef v = jit__fit(j, jit__reg_vec(j, b->cond), 32, false), m = jit__mask(j), rest = m;
        for (uint32_t s = 0; s < b->n_succ; s++) {
            LLVMValueRef is = LLVMBuildICmp(j->b, LLVMIntEQ, v, jit__splat(j, jit__c32(j, s)), "");
            LLVMValueRef mine = LLVMBuildAnd(j->b, m, jit__mask_word(j, is), "");
            rest = LLVMBuildAnd(j->b, rest, LLVMBuildNot(j->b, mine, ""), "");
            LLVMBasicBlockRef yes = jit__block(j, "side"), next = jit__block(j, "next");
            LLVMBuildCondBr(j->b, LLVMBuildICmp(j->b, LLVMIntNE, mine, jit__c32(j, 0), ""), yes, next);
            at_end(j, yes);
            park(j, b->succ[s], mine);
            LLVMBuildBr(j->b, next);
            at_end(j, next);
        }
        LLVMBasicBlockRef ok = jit__block(j, "brx_ok");
        LLVMBuildCondBr(j->b, unlikely(j, LLVMBuildICmp(j->b, LLVMIntNE, rest, jit__c32(j, 0), "")), bad, ok);
        at_end(j, ok);
        jit__dispatch_to(j, jit__call(j, "wf_x_next", j->i64, &j->warp, 1));
    }
    at_end(j, bad); // an index beyond the table: undefined in PTX, the lanes trap here
    LLVMValueRef a[3] = {j->warp, jit__c32(j, b->loc), jit__mask(j)};
    jit__dispatch_to(j, jit__call(j, "wf_x_trap", j->i64, a, 3));
}

static void terminator(struct jit *j, uint32_t k, const struct ir_block *b)
{
    switch ((enum ir_term)b->term) {
    case IR_T_JUMP:
        edge(j, k, b->succ[0]);
        break;
    case IR_T_BRANCH:
        branch(j, k, b);
        break;
    case IR_T_BRX:
        branch_index(j, k, b);
        break;
    case IR_T_EXIT: {
        if (b->n_insns && b->loc)
            store_exit(j, b->loc, b->loc, false);
        if (j->is_region) {
            LLVMBuildStore(j->b, jit__mask(j), jit__field(j, j->warp, WARP_F(stop_pred)));
            LLVMBuildStore(j->b, jit__c32(j, 0), jit__field(j, j->warp, WARP_F(live)));
            jit__stop_warp(j, WF_STOP_EXIT);
            break;
        }
        LLVMValueRef a[2] = {j->warp, jit__mask(j)};
        jit__dispatch_to(j, jit__call(j, "wf_x_exit", j->i64, a, 2));
        break;
    }
    case IR_T_RET: {
        LLVMValueRef m = jit__mask(j), a[2] = {j->warp, m};
        for (uint32_t r = 0; r < j->f->n_rets; r++)
            if (!j->f->regs[j->f->ret_reg[r]].is_remat || j->f->regs[j->f->ret_reg[r]].slot != IR_NONE)
                jit__store_slot(j, j->f->ret_reg[r], m);
        jit__dispatch_to(j, jit__call(j, "wf_x_ret", j->i64, a, 2));
        break;
    }
    case IR_T_TRAP: {
        LLVMValueRef a[3] = {j->warp, jit__c32(j, b->loc), jit__mask(j)};
        jit__dispatch_to(j, jit__call(j, "wf_x_trap", j->i64, a, 3));
        break;
    }
    case IR_T_SYNC:
        if (j->is_region && jit__is_plain_barrier(&b->insns[b->n_insns - 1]))
            jit__region_barrier(j, k, b);
        else
            jit__sync(j, &b->insns[b->n_insns - 1], b->succ[0]);
        break;
    case IR_T_CALL:
        jit__real_call(j, &b->insns[b->n_insns - 1], b->succ[0]);
        break;
    }
}

// A loop without an end and without memory: nothing can change any more.
static bool ends_in_dead_loop(struct jit *j, uint32_t k, const struct ir_block *b)
{
    if (!b->is_dead_loop)
        return false;
    LLVMValueRef a[3] = {j->warp, jit__c32(j, k), jit__mask(j)};
    jit__dispatch_to(j, jit__call(j, "wf_x_dead_loop", j->i64, a, 3));
    return true;
}

void jit__emit_head(struct jit *j, uint32_t k, const struct ir_block *b)
{
    at_end(j, j->head[k]);
    if (!b->is_join || !j->f->has_divergence || j->is_region) {
        LLVMBuildBr(j->b, j->body[k]);
        return;
    }
    LLVMValueRef low = LLVMBuildLoad2(j->b, j->i32, jit__field(j, j->warp, WARP_F(min_pc)), "");
    LLVMBasicBlockRef meet = jit__block(j, "meet");
    LLVMBuildCondBr(j->b, unlikely(j, LLVMBuildICmp(j->b, LLVMIntULE, low, jit__c32(j, k), "")), meet, j->body[k]);
    at_end(j, meet);
    LLVMValueRef m = jit__mask(j);
    jit__save_live(j, k, m);
    LLVMValueRef a[3] = {j->warp, jit__c32(j, k), m};
    jit__dispatch_to(j, jit__call(j, "wf_x_meet", j->i64, a, 3));
}

bool jit__starts_with_warp_op(const struct ir_block *b)
{
    if (!b->n_insns || b->insns[0].kind != IR_K_OP)
        return false;
    switch ((int)b->insns[0].op) {
    case PTX_O_SHFL: case PTX_O_MATCH: case PTX_O_REDUX: case PTX_O_ELECT:
        return true;
    case PTX_O_VOTE:
        return ptx_has(&b->insns[0].m, PTX_M_SYNC);
    case PTX_O_BAR: case PTX_O_BARRIER:
        return ptx_has(&b->insns[0].m, PTX_M_WARP);
    default:
        return false;
    }
}

void jit__emit_body(struct jit *j, uint32_t k, const struct ir_block *b)
{
    at_end(j, j->body[k]);
    j->block = b;
    if (j->traffic)
        jit__frame_in(j, k, jit__mask(j));
    if (ends_in_dead_loop(j, k, b))
        return;
    jit__retreat_begin(j, k);
    jit__remat_in(j, k);
    jit__trust_block(j, b);
    uint32_t first = 0, n = b->n_insns;
    if (jit__starts_with_warp_op(b)) {
        jit__busy(j);
        jit__warp_op(j, &b->insns[0], k);
        first = 1;
    }
    if (b->term == IR_T_SYNC || b->term == IR_T_CALL)
        n--;
    if (n > first)
        jit__insns(j, b->insns + first, n - first);
    if (j->traffic)
        jit__frame_out(j, k);
    terminator(j, k, b);
}

bool jit__is_entry(const struct ir_func *f, uint32_t k)
{
    const struct ir_block *b = &f->blocks[k];
    if (k == 0 || b->is_join || b->is_loop_header || jit__starts_with_warp_op(b))
        return true;
    for (uint32_t i = 0; i < b->n_pred; i++) {
        uint8_t t = f->blocks[b->pred[i]].term;
        if (t == IR_T_SYNC || t == IR_T_CALL || t == IR_T_BRX || b->pred[i] >= k)
            return true;
    }
    return false;
}

static void load_at_entry(struct jit *j, uint32_t k, bool is_second)
{
    const struct ir_block *b = &j->f->blocks[k];
    LLVMValueRef m = jit__mask(j);
    if (j->traffic && is_second)
        jit__frame_in(j, k, m);
    for (uint32_t i = 0; i < b->n_live_in && !j->traffic; i++)
        jit__load_slot(j, b->live_in[i], m);
}

static void emit_entry(struct jit *j, uint32_t k, LLVMValueRef sw)
{
    LLVMBasicBlockRef e = jit__block(j, "enter");
    LLVMAddCase(sw, jit__c32(j, k), e);
    at_end(j, e);
    load_at_entry(j, k, false);
    if (k == 0 && !j->f->is_entry && !j->traffic)
        for (uint32_t i = 0; i < j->f->n_params; i++)
            jit__load_slot(j, j->f->param_reg[i], jit__mask(j));
    LLVMBuildBr(j->b, j->body[k]);
    if (!j->released[k])
        return;
    e = jit__block(j, "enter_met");
    LLVMAddCase(sw, jit__c32(j, k | WF_PC_RELEASED), e);
    at_end(j, e);
    load_at_entry(j, k, true);
    LLVMBuildBr(j->b, j->released[k]);
}

// LLVM blocks for the blocks of the function (those marked in `only`, if given).
void jit__make_blocks(struct jit *j, const uint8_t *only)
{
    const struct ir_func *f = j->f;
    j->head = WF_NEW_N(j->arena, LLVMBasicBlockRef, f->n_blocks + 1);
    j->body = WF_NEW_N(j->arena, LLVMBasicBlockRef, f->n_blocks + 1);
    j->released = WF_NEW_N(j->arena, LLVMBasicBlockRef, f->n_blocks + 1);
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        char name[24];
        if (only && !only[k])
            continue;
        snprintf(name, sizeof name, "head%u", k);
        j->head[k] = jit__block(j, name);
        snprintf(name, sizeof name, "body%u", k);
        j->body[k] = jit__block(j, name);
        if (jit__starts_with_warp_op(&f->blocks[k]))
            j->released[k] = jit__block(j, "met");
    }
}

void jit__function(struct jit *j)
{
    const struct ir_func *f = j->f;
    LLVMBasicBlockRef start = jit__block(j, "start");
    at_end(j, start);
    j->traffic = jit__traffic(j);
    j->warp = LLVMGetParam(j->fn, 0);
    jit__make_slots(j);
    j->mask = LLVMBuildAlloca(j->b, j->i32, "mask");
    j->next_pc = LLVMBuildAlloca(j->b, j->i32, "pc");
    j->budget = LLVMBuildAlloca(j->b, j->i32, "budget");
    LLVMBuildStore(j->b, LLVMGetParam(j->fn, 1), j->next_pc);
    LLVMBuildStore(j->b, LLVMGetParam(j->fn, 2), j->mask);
    LLVMBuildStore(j->b, LLVMBuildLoad2(j->b, j->i32, jit__field(j, j->warp, WARP_F(budget)), ""), j->budget);
    j->blk = jit__fact(j, j->ptr, j->warp, WARP_F(block));
    jit__block_facts(j);
    jit__warp_facts(j);
    jit__remat_all(j);
    j->dispatch = jit__block(j, "dispatch");
    LLVMBuildBr(j->b, j->dispatch);
    jit__make_blocks(j, NULL);
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        jit__emit_head(j, k, &f->blocks[k]);
        jit__emit_body(j, k, &f->blocks[k]);
    }
    LLVMBasicBlockRef stop = jit__block(j, "stop");
    at_end(j, j->dispatch);
    LLVMValueRef sw = LLVMBuildSwitch(j->b, LLVMBuildLoad2(j->b, j->i32, j->next_pc, ""), stop, f->n_blocks);
    for (uint32_t k = 0; k < f->n_blocks; k++)
        if (jit__is_entry(f, k))
            emit_entry(j, k, sw);
    at_end(j, stop);
    LLVMBuildRetVoid(j->b);
    j->traffic = NULL;
}

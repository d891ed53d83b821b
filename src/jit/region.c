// SPDX-License-Identifier: Apache-2.0
// Regions: the code between two stops of a kernel as one function that loops over the warps of a block.
// It holds for warps whose live lanes all run together, which is nearly always so; then there is
// nothing parked, no join to watch, and what a block shares is computed once for all its warps. Whatever
// does not fit (a split, a wait, a spent budget) saves the warp's state and leaves it to the scheduler.

#include <string.h> // memset

#include "jit/jit_int.h"

#define MAX_REGIONS 96
#define LONG_KERNEL 600 // instructions
#define MAX_GROWTH 4 // all regions together, in blocks, against the function

bool jit__is_plain_barrier(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP || (in->op != PTX_O_BAR && in->op != PTX_O_BARRIER) || ptx_has(&in->m, PTX_M_ARRIVE) ||
        ptx_has(&in->m, PTX_M_CLUSTER) || ptx_has(&in->m, PTX_M_WARP))
        return false;
    bool red = ptx_has(&in->m, PTX_M_RED);
    return in->n_src == (red ? 2u : 1u) && in->src[0].kind == IR_S_IMM && in->src[0].bits < 16;
}

uint8_t jit__barrier_kind(const struct ir_insn *in)
{
    if (!ptx_has(&in->m, PTX_M_RED))
        return 0;
    return ptx_has(&in->m, PTX_M_POPC) ? 2 : ptx_has(&in->m, PTX_M_AND) ? 3 : 4;
}

static bool is_start(const struct ir_func *f, uint32_t k)
{
    if (k == 0)
        return f->is_entry && !f->blocks[0].n_pred;
    for (uint32_t i = 0; i < f->blocks[k].n_pred; i++) {
        const struct ir_block *p = &f->blocks[f->blocks[k].pred[i]];
        if (p->term == IR_T_SYNC && jit__is_plain_barrier(&p->insns[p->n_insns - 1]))
            return true;
    }
    return false;
}

// Blocks reachable from k without passing a stop.
static uint32_t reach(const struct ir_func *f, uint32_t k, uint8_t *in, uint32_t *stack)
{
    uint32_t n = 0, top = 0;
    memset(in, 0, f->n_blocks);
    in[k] = 1;
    stack[top++] = k;
    while (top) {
        const struct ir_block *b = &f->blocks[stack[--top]];
        n++;
        if (b->term == IR_T_SYNC || b->term == IR_T_CALL)
            continue;
        for (uint32_t s = 0; s < b->n_succ; s++)
            if (!in[b->succ[s]]) {
                in[b->succ[s]] = 1;
                stack[top++] = b->succ[s];
            }
    }
    return n;
}

// A long kernel that may split and has no barriers gains little from a region, which would double its code.
static bool one_function_will_do(const struct ir_func *f)
{
    uint32_t insns = 0;
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        insns += f->blocks[k].n_insns;
        if (f->blocks[k].term == IR_T_SYNC)
            return false;
    }
    return f->has_divergence && insns > LONG_KERNEL;
}

uint8_t *jit__find_regions(const struct ir_func *f, bool *reach_all)
{
    uint8_t *has = wf_xcalloc(f->n_blocks + 1u, 1), *any = wf_xcalloc(f->n_blocks + 1u, 1);
    uint8_t *in = wf_xmalloc(f->n_blocks + 1u);
    uint32_t *stack = wf_xmalloc(sizeof *stack * (f->n_blocks + 1u)), count = 0;
    uint64_t total = 0, limit = (uint64_t)MAX_GROWTH * f->n_blocks + 64;
    *reach_all = false;
    if (f->is_entry && !f->has_alloca && !one_function_will_do(f)) {
        for (uint32_t k = 0; k < f->n_blocks && count <= MAX_REGIONS && total <= limit; k++) {
            if (!is_start(f, k))
                continue;
            total += reach(f, k, in, stack);
            count++;
            has[k] = 1;
            for (uint32_t i = 0; i < f->n_blocks; i++)
                any[i] |= in[i];
        }
        *reach_all = true;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            *reach_all &= any[k] != 0;
        if (count > MAX_REGIONS || total > limit) { // they grow too large together: only the kernel's start has one
            memset(has + 1, 0, f->n_blocks);
            *reach_all = false;
        }
    }
    free(any);
    free(in);
    free(stack);
    return has;
}

void jit__region_barrier(struct jit *j, uint32_t k, const struct ir_block *b)
{
    const struct ir_insn *in = &b->insns[b->n_insns - 1];
    const struct ir_block *next = &j->f->blocks[b->succ[0]];
    LLVMValueRef m = jit__mask(j);
    // Registers that the region did not touch are in the frame already.
    for (uint32_t i = 0; i < next->n_live_in; i++)
        if (j->region_defs[next->live_in[i]])
            jit__store_first(j, next->live_in[i], m);
    if (in->n_src > 1) {
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

// The loop's end: remember how this warp stopped, compare with the others, go on.
static void close_loop(struct jit *j, LLVMBasicBlockRef loop, LLVMBasicBlockRef skip, LLVMValueRef i, LLVMValueRef common)
{
    LLVMBuilderRef b = j->b;
    LLVMPositionBuilderAtEnd(b, j->warp_done);
    LLVMValueRef stop = LLVMBuildLoad2(b, j->i32, j->stop, ""), old = LLVMBuildLoad2(b, j->i32, common, "");
    LLVMBuildStore(b, stop, jit__field(j, j->warp, WARP_F(stop_at)));
    LLVMValueRef first = LLVMBuildICmp(b, LLVMIntEQ, old, jit__c32(j, UINT32_MAX), "");
    LLVMValueRef same = LLVMBuildOr(b, first, LLVMBuildICmp(b, LLVMIntEQ, old, stop, ""), "");
    LLVMBuildStore(b, LLVMBuildSelect(b, same, stop, jit__c32(j, WF_STOP_MIXED), ""), common);
    LLVMBuildBr(b, skip);
    LLVMPositionBuilderAtEnd(b, skip);
    LLVMValueRef next = LLVMBuildAdd(b, LLVMBuildLoad2(b, j->i32, i, ""), jit__c32(j, 1), "");
    LLVMBuildStore(b, next, i);
    LLVMValueRef n = jit__fact(j, j->i32, j->blk, BLOCK_F(n_warps));
    LLVMBasicBlockRef out = jit__block(j, "out");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, n, ""), loop, out);
    LLVMPositionBuilderAtEnd(b, out);
    LLVMBuildRet(b, LLVMBuildLoad2(b, j->i32, common, ""));
}

void jit__region(struct jit *j, uint32_t k)
{
    const struct ir_func *f = j->f;
    LLVMBuilderRef b = j->b;
    uint8_t *in = WF_NEW_N(j->arena, uint8_t, f->n_blocks + 1);
    uint32_t *stack = WF_NEW_N(j->arena, uint32_t, f->n_blocks + 1);
    reach(f, k, in, stack);
    j->is_region = true;
    j->region_defs = defs_of(j, in);
    LLVMBasicBlockRef start = jit__block(j, "start");
    LLVMPositionBuilderAtEnd(b, start);
    j->blk = LLVMGetParam(j->fn, 0);
    jit__make_slots(j);
    j->mask = LLVMBuildAlloca(b, j->i32, "mask");
    j->budget = LLVMBuildAlloca(b, j->i32, "budget");
    j->stop = LLVMBuildAlloca(b, j->i32, "stop");
    LLVMValueRef i = LLVMBuildAlloca(b, j->i32, "i"), common = LLVMBuildAlloca(b, j->i32, "common");
    LLVMBuildStore(b, jit__c32(j, 0), i);
    LLVMBuildStore(b, jit__c32(j, UINT32_MAX), common);
    jit__block_facts(j);
    LLVMValueRef warps = jit__fact(j, j->ptr, j->blk, BLOCK_F(warps));
    LLVMBasicBlockRef loop = jit__block(j, "warp"), run = jit__block(j, "run"), skip = jit__block(j, "skip");
    j->warp_done = jit__block(j, "warp_done");
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef off = LLVMBuildMul(b, LLVMBuildZExt(b, LLVMBuildLoad2(b, j->i32, i, ""), j->i64, ""),
                                    jit__c64(j, sizeof(struct wf_warp)), "");
    j->warp = LLVMBuildGEP2(b, j->i8, warps, &off, 1, "");
    LLVMValueRef live = LLVMBuildLoad2(b, j->i32, jit__field(j, j->warp, WARP_F(live)), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, live, jit__c32(j, 0), ""), run, skip);
    LLVMPositionBuilderAtEnd(b, run);
    LLVMBuildStore(b, live, j->mask);
    LLVMBuildStore(b, jit__c32(j, 65536), j->budget);
    jit__warp_facts(j);
    jit__remat_all(j);
    for (uint32_t r = 0; k && r < f->blocks[k].n_live_in; r++)
        jit__load_slot(j, f->blocks[k].live_in[r], live);
    jit__make_blocks(j, in);
    LLVMBuildBr(b, j->body[k]);
    for (uint32_t x = 0; x < f->n_blocks; x++)
        if (in[x]) {
            jit__emit_head(j, x, &f->blocks[x]);
            jit__emit_body(j, x, &f->blocks[x]);
        }
    close_loop(j, loop, skip, i, common);
    j->is_region = false;
}

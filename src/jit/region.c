// SPDX-License-Identifier: Apache-2.0
// Where the regions of a kernel start and what they reach: a region is the code from one stop (the start, a
// barrier) to the next. block_loop.c makes functions of them.

#include <string.h> // memset

#include "jit/jit_int.h"

#define MAX_REGIONS 96
#define LONG_KERNEL 600 // instructions
#define MAX_GROWTH 4 // all regions together, in blocks, against the function
#define ONE_FUNCTION 1200 // instructions of all regions that still become one function

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
uint32_t jit__region_reach(const struct ir_func *f, uint32_t k, uint8_t *in, uint32_t *stack)
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
            total += jit__region_reach(f, k, in, stack);
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

// Regions of a small kernel become one function, which goes from one to the next by itself. Checkers want to see
// each barrier, and a large function costs LLVM too much.
bool jit__regions_are_one(const struct ir_func *f, const uint8_t *has, bool is_checked)
{
    uint8_t *in = wf_xmalloc(f->n_blocks + 1u);
    uint32_t *stack = wf_xmalloc(sizeof *stack * (f->n_blocks + 1u)), insns = 0;
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        if (!has[k])
            continue;
        jit__region_reach(f, k, in, stack);
        for (uint32_t i = 0; i < f->n_blocks; i++)
            insns += in[i] ? f->blocks[i].n_insns : 0;
    }
    free(in);
    free(stack);
    return !is_checked && insns <= ONE_FUNCTION;
}

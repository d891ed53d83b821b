// SPDX-License-Identifier: Apache-2.0
// Loops: which blocks are in a cycle, which header is the innermost around them, and two facts that
// hang detection needs: does the loop read a strong location (it may be waiting for another thread),
// or can nothing at all end it (a flag read that the compiler hoisted).

#include "ir/ir_priv.h"

static bool reads_strong(const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        if (in->kind != IR_K_OP)
            continue;
        if (in->op == PTX_O_ATOM || (in->op == PTX_O_LD && in->m.sem >= PTX_SEM_RELAXED))
            return true;
        if (in->op == PTX_O_MBARRIER && (ptx_has(&in->m, PTX_M_TEST_WAIT) || ptx_has(&in->m, PTX_M_TRY_WAIT)))
            return true;
    }
    return false;
}

// The read a waiting loop looks at: a strong one before a weak one.
static void find_poll_site(const struct ir_block *b, uint32_t *site, bool *strong)
{
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        if (in->kind != IR_K_OP || in->site == IR_NONE)
            continue;
        bool waits = in->op == PTX_O_ATOM || in->op == PTX_O_MBARRIER || (in->op == PTX_O_LD && in->m.sem >= PTX_SEM_RELAXED);
        if ((waits && !*strong) || (in->op == PTX_O_LD && *site == IR_NONE)) {
            *site = in->site;
            *strong |= waits;
        }
    }
}

static bool touches_anything(const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        if (in->kind == IR_K_OP && (ir__has_effect(in) || in->op == PTX_O_LD))
            return true;
    }
    return b->term == IR_T_EXIT || b->term == IR_T_RET || b->term == IR_T_TRAP || b->term == IR_T_CALL;
}

// Body of the natural loop of back edges into h, as marks[]; false when there is no back edge.
static bool loop_body(const struct ir_func *f, uint32_t h, uint32_t *marks, uint32_t stamp, uint32_t *stack)
{
    uint32_t top = 0;
    bool any = false;
    const struct ir_block *b = &f->blocks[h];
    marks[h] = stamp;
    for (uint32_t i = 0; i < b->n_pred; i++)
        if (b->pred[i] >= h) { // retreating edge in reverse post order
            any = true;
            if (marks[b->pred[i]] != stamp) {
                marks[b->pred[i]] = stamp;
                stack[top++] = b->pred[i];
            }
        }
    while (top) {
        const struct ir_block *x = &f->blocks[stack[--top]];
        for (uint32_t i = 0; i < x->n_pred; i++) {
            uint32_t p = x->pred[i];
            if (p >= h && marks[p] != stamp) { // stays below the header even in irreducible graphs
                marks[p] = stamp;
                stack[top++] = p;
            }
        }
    }
    return any;
}

void ir__loops(struct wf_arena *a, struct ir_func *f)
{
    uint32_t n = f->n_blocks;
    uint32_t *marks = WF_NEW_N(a, uint32_t, n + 1), *stack = WF_NEW_N(a, uint32_t, n + 1);
    uint32_t *size = WF_NEW_N(a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        struct ir_block *b = &f->blocks[i];
        b->is_loop_header = b->is_poll_loop = b->is_dead_loop = b->in_cycle = false;
        b->scc = 0;
        b->poll_site = IR_NONE;
        size[i] = UINT32_MAX;
    }
    for (uint32_t h = 0; h < n; h++) {
        if (!loop_body(f, h, marks, h + 1, stack))
            continue;
        uint32_t count = 0;
        bool strong = false, touches = false, leaves = false, is_strong_site = false;
        f->blocks[h].poll_site = IR_NONE;
        for (uint32_t k = h; k < n; k++) {
            if (marks[k] != h + 1)
                continue;
            const struct ir_block *x = &f->blocks[k];
            count++;
            strong |= reads_strong(x);
            find_poll_site(x, &f->blocks[h].poll_site, &is_strong_site);
            touches |= touches_anything(x);
            for (uint32_t s = 0; s < x->n_succ; s++)
                leaves |= marks[x->succ[s]] != h + 1;
        }
        f->blocks[h].is_loop_header = true;
        f->blocks[h].is_poll_loop = strong;
        f->blocks[h].is_dead_loop = !touches && !leaves;
        for (uint32_t k = h; k < n; k++)
            if (marks[k] == h + 1 && count <= size[k]) {
                f->blocks[k].in_cycle = true;
                f->blocks[k].scc = h + 1;
                size[k] = count;
            }
    }
}

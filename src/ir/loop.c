// SPDX-License-Identifier: Apache-2.0
// Loops: which blocks are in a cycle, which header is the innermost around them, and two facts that
// hang detection needs: does the loop read a strong location (it may be waiting for another thread),
// or can nothing at all end it (a flag read that the compiler hoisted).

#include "ir/ir_priv.h"

enum poll { POLL_NONE, POLL_WEAK, POLL_STRONG, POLL_MBARRIER };

// The read a waiting loop looks at: an mbarrier before a strong read, a strong one before a weak one.
static void find_poll_site(const struct ir_block *b, uint32_t *site, enum poll *best)
{
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        if (in->kind != IR_K_OP || in->site == IR_NONE)
            continue;
        enum poll here = in->op == PTX_O_MBARRIER                                     ? POLL_MBARRIER
                         : in->op == PTX_O_ATOM                                       ? POLL_STRONG
                         : in->op != PTX_O_LD                                         ? POLL_NONE
                         : in->m.sem >= PTX_SEM_RELAXED                               ? POLL_STRONG
                                                                                      : POLL_WEAK;
        if (here > *best) {
            *site = in->site;
            *best = here;
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

// Could another thread find out that the block was run (other than by a barrier)?
static bool writes(const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        if (in->kind == IR_K_OP && ir__has_effect(in) && in->op != PTX_O_BAR && in->op != PTX_O_BARRIER &&
            in->op != PTX_O_FENCE && in->op != PTX_O_MEMBAR && in->op != PTX_O_NANOSLEEP && in->op != PTX_O_LD)
            return true;
    }
    return b->term == IR_T_CALL;
}

struct slice {
    uint8_t *in; // registers that the value under question rests on
    bool grew;
};

static void add_to_slice(void *arg, uint32_t r)
{
    struct slice *s = arg;
    if (!s->in[r]) {
        s->in[r] = 1;
        s->grew = true;
    }
}

static bool is_wait_read(const struct ir_insn *in)
{
    return in->kind == IR_K_OP && (in->op == PTX_O_LD || in->op == PTX_O_ATOM || in->op == PTX_O_MBARRIER);
}

// Is a register of the slice set inside the loop at all?
static bool moves_in_loop(const struct ir_func *f, uint32_t h, const uint32_t *marks, uint32_t r)
{
    for (uint32_t k = h; k < f->n_blocks; k++)
        for (uint32_t i = 0; marks[k] == h + 1 && i < f->blocks[k].n_insns; i++)
            for (uint32_t d = 0; d < f->blocks[k].insns[i].n_dst; d++)
                if (f->blocks[k].insns[i].dst[d] == r)
                    return true;
    return false;
}

// A store that may be to the thread's own stack, where unoptimized code keeps its values.
static bool may_fill_stack(const struct ir_insn *x)
{
    return x->kind == IR_K_OP && x->op == PTX_O_ST && x->m.space != PTX_SP_GLOBAL && x->m.space != PTX_SP_SHARED;
}

// Does the condition `cond` rest on a value that the loop reads from memory, and only as long as nobody writes
// it? A weak read counts when its address stays (a list walked along ends by itself).
static bool rests_on_memory(const struct ir_func *f, uint32_t h, const uint32_t *marks, uint32_t cond, uint8_t *in)
{
    struct slice s = {.in = in};
    bool found = false, reads_stack = false;
    for (uint32_t r = 0; r < f->n_regs; r++)
        in[r] = 0;
    in[cond] = 1;
    do {
        s.grew = false;
        for (uint32_t k = h; k < f->n_blocks; k++)
            for (uint32_t i = 0; marks[k] == h + 1 && i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *x = &f->blocks[k].insns[i];
                bool hit = false;
                for (uint32_t d = 0; d < x->n_dst; d++)
                    hit |= x->dst[d] != IR_NONE && in[x->dst[d]];
                if (!hit && !(reads_stack && may_fill_stack(x)))
                    continue;
                if (hit && x->kind == IR_K_OP && x->op == PTX_O_LD && x->m.space == PTX_SP_LOCAL) {
                    s.grew |= !reads_stack; // the value is one of those that the loop stores there
                    reads_stack = true;
                    continue;
                }
                if (is_wait_read(x)) { // what it reads is not the loop's doing: stop here
                    bool weak = x->op == PTX_O_LD && x->m.sem < PTX_SEM_RELAXED;
                    found |= !weak || x->src[0].kind != IR_S_REG || !moves_in_loop(f, h, marks, x->src[0].reg);
                    continue;
                }
                ir_each_use(x, add_to_slice, &s);
            }
    } while (s.grew);
    return found;
}

// All ways out of the loop wait for memory: it may be spinning.
static bool only_waits(const struct ir_func *f, uint32_t h, const uint32_t *marks, uint8_t *in)
{
    bool any = false;
    for (uint32_t k = h; k < f->n_blocks; k++) {
        const struct ir_block *x = &f->blocks[k];
        if (marks[k] != h + 1)
            continue;
        bool leaves = false;
        for (uint32_t q = 0; q < x->n_succ; q++)
            leaves |= marks[x->succ[q]] != h + 1;
        if (!leaves)
            continue;
        if (x->cond == IR_NONE || !rests_on_memory(f, h, marks, x->cond, in))
            return false;
        any = true;
    }
    return any;
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
    uint8_t *slice = WF_NEW_N(a, uint8_t, f->n_regs + 1);
    for (uint32_t i = 0; i < n; i++) {
        struct ir_block *b = &f->blocks[i];
        b->is_loop_header = b->is_poll_loop = b->is_still_loop = b->is_dead_loop = b->in_cycle = false;
        b->scc = 0;
        b->poll_site = IR_NONE;
        size[i] = UINT32_MAX;
    }
    for (uint32_t h = 0; h < n; h++) {
        if (!loop_body(f, h, marks, h + 1, stack))
            continue;
        uint32_t count = 0;
        bool touches = false, leaves = false, is_writer = false;
        enum poll poll = POLL_NONE;
        f->blocks[h].poll_site = IR_NONE;
        for (uint32_t k = h; k < n; k++) {
            if (marks[k] != h + 1)
                continue;
            const struct ir_block *x = &f->blocks[k];
            count++;
            find_poll_site(x, &f->blocks[h].poll_site, &poll);
            touches |= touches_anything(x);
            is_writer |= writes(x);
            for (uint32_t s = 0; s < x->n_succ; s++)
                leaves |= marks[x->succ[s]] != h + 1;
        }
        f->blocks[h].is_loop_header = true;
        f->blocks[h].is_poll_loop = only_waits(f, h, marks, slice);
        f->blocks[h].is_still_loop = f->blocks[h].is_poll_loop && !is_writer;
        f->blocks[h].is_dead_loop = !touches && !leaves;
        for (uint32_t k = h; k < n; k++)
            if (marks[k] == h + 1 && count <= size[k]) {
                f->blocks[k].in_cycle = true;
                f->blocks[k].scc = h + 1;
                size[k] = count;
            }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Does what a load reads count for certain? Yes, when on every way from the load its value becomes an address, decides
// a branch, or goes to memory that others see. Values that are dropped by a selection, or only looked at under a
// condition, are no such use: programs read past the end of their data and throw away what they got. So that a
// checker may tell a read of memory that nothing has written from one that matters.
//
// From the load on, along the blocks that no way can leave out (immediate post-dominators), registers that depend on the
// value are marked. What lies between two such blocks may clear marks and makes none.

#include "ir/ir_priv.h"

#define BUDGET 3000 // instructions looked at for one load

struct walk {
    const struct ir_func *f;
    struct split split;
    uint32_t *mark;    // by register: == now, depends on the value
    uint32_t *visited; // by block: == now_at, seen in this region
    uint32_t *stack;
    uint32_t now, now_at;
    int budget;
    const struct ir_insn *load;
};

static bool has_mark(const struct walk *w, const struct ir_src *s)
{
    return s->kind == IR_S_REG && w->mark[s->reg] == w->now;
}

struct count {
    const struct walk *w;
    unsigned marked, others;
};

static void count_use(void *arg, uint32_t reg)
{
    struct count *c = arg;
    if (c->w->mark[reg] == c->w->now)
        c->marked++;
    else
        c->others++;
}

// Other operands may make the value not matter: a mask, a choice, a limit.
static bool may_drop(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP)
        return false;
    switch ((int)in->op) {
    case PTX_O_AND: case PTX_O_OR: case PTX_O_LOP3: case PTX_O_MIN: case PTX_O_MAX: case PTX_O_SELP: case PTX_O_SLCT:
    case PTX_O_SHFL: case PTX_O_VOTE: case PTX_O_MATCH: case PTX_O_REDUX: case PTX_O_PRMT: case PTX_O_BFI:
        return true;
    case PTX_O_SETP: case PTX_O_SET:
        return in->n_src > 2; // joined with another predicate
    default:
        return false;
    }
}

static bool is_access(const struct ir_insn *in)
{
    return in->kind == IR_K_OP && (in->op == PTX_O_LD || in->op == PTX_O_ST || in->op == PTX_O_ATOM || in->op == PTX_O_RED);
}

static bool is_condition_of(const struct walk *w, const struct ir_insn *in)
{
    return in->guard == IR_NONE || (in->guard == w->load->guard && in->guard_negated == w->load->guard_negated);
}

// A use by an access: as its address, or as data that leaves the block.
static bool goes_out(const struct walk *w, const struct ir_insn *in)
{
    if (has_mark(w, &in->src[0]))
        return true;
    bool is_seen = in->op == PTX_O_ATOM || in->op == PTX_O_RED || in->space == PTX_SP_GLOBAL || in->space == PTX_SP_GENERIC;
    for (uint32_t i = 1; i < in->n_src && is_seen; i++)
        if (has_mark(w, &in->src[i]))
            return true;
    return false;
}

static void set_marks(struct walk *w, const struct ir_insn *in, bool on)
{
    for (uint32_t d = 0; d < in->n_dst; d++)
        if (in->dst[d] != IR_NONE)
            w->mark[in->dst[d]] = on ? w->now : 0;
}

// Returns true when the instruction is a use that counts.
static bool step(struct walk *w, const struct ir_insn *in)
{
    w->budget--;
    struct count c = {.w = w};
    ir_each_use(in, count_use, &c);
    if (!c.marked) {
        set_marks(w, in, false); // also under a condition: the value may not get any further
        return false;
    }
    if (!is_condition_of(w, in))
        return false;
    if (is_access(in)) {
        if (goes_out(w, in))
            return true;
        set_marks(w, in, false);
        return false;
    }
    set_marks(w, in, !may_drop(in) || !c.others);
    return false;
}

// Between block k and its post-dominator `end`: what is set anew there, from other values, no longer depends.
static void pass_over(struct walk *w, uint32_t k, uint32_t end)
{
    const struct ir_func *f = w->f;
    uint32_t top = 0;
    w->now_at++;
    w->visited[end < f->n_blocks ? end : k] = w->now_at;
    for (w->stack[top++] = k; top;) {
        const struct ir_block *b = &f->blocks[w->stack[--top]];
        for (uint32_t i = 0; i < b->n_insns && b != &f->blocks[k]; i++) {
            struct count c = {.w = w};
            ir_each_use(&b->insns[i], count_use, &c);
            if (!c.marked)
                set_marks(w, &b->insns[i], false);
            w->budget--;
        }
        for (uint32_t s = 0; s < b->n_succ; s++)
            if (w->visited[b->succ[s]] != w->now_at) {
                w->visited[b->succ[s]] = w->now_at;
                w->stack[top++] = b->succ[s];
            }
    }
}

static bool is_used(struct walk *w, uint32_t k, uint32_t at)
{
    const struct ir_func *f = w->f;
    w->load = &f->blocks[k].insns[at];
    w->now++;
    w->budget = BUDGET;
    set_marks(w, w->load, true);
    for (at++;; at = 0) {
        const struct ir_block *b = &f->blocks[k];
        for (; at < b->n_insns; at++)
            if (step(w, &b->insns[at]))
                return true;
        if (b->cond != IR_NONE && w->mark[b->cond] == w->now)
            return true;
        uint32_t next = w->split.ipdom[k];
        if (next >= f->n_blocks || w->budget <= 0) // the end, or none
            return false;
        if (b->n_succ > 1)
            pass_over(w, k, next);
        k = next;
    }
}

void ir_find_uses(struct wf_arena *a, const struct ir_program *p)
{
    for (uint32_t n = 0; n < p->n_funcs; n++) {
        struct ir_func *f = p->funcs[n];
        struct wf_arena_mark mark = wf_arena_mark(a);
        struct walk w = {.f = f};
        ir__split_init(a, f, &w.split);
        w.mark = WF_NEW_N(a, uint32_t, f->n_regs + 1);
        w.visited = WF_NEW_N(a, uint32_t, f->n_blocks + 1);
        w.stack = WF_NEW_N(a, uint32_t, f->n_blocks + 1);
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                if (in->kind == IR_K_OP && in->op == PTX_O_LD && in->site != IR_NONE)
                    f->sites[in->site].is_used = is_used(&w, k, i);
            }
        wf_arena_rewind(a, mark);
    }
}

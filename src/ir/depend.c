// SPDX-License-Identifier: Apache-2.0
// Does it rest on the value that one read took whether an instruction is run? Asked when a fault is told: what
// a thread does after it has read in a race may come of that race. Values are followed through registers and
// the thread's own stack; decisions through control dependence (Ferrante, Ottenstein, Warren).
#include <string.h> // memset

#include "ir/ir_priv.h"

#define MOST_BLOCKS 400u // of larger functions nothing is said

struct dep {
    const struct ir_func *f;
    uint32_t read;
    uint8_t *reg, *block; // registers that rest on the read, blocks that are run because of it
    uint32_t *stack;
    uint8_t *seen;
    bool stack_rests, grew;
};

// Does every way from block `from` to the end of the function pass block `over`?
static bool always_passes(struct dep *d, uint32_t from, uint32_t over)
{
    uint32_t top = 0;
    if (from == over)
        return true;
    memset(d->seen, 0, d->f->n_blocks);
    d->seen[from] = 1;
    d->stack[top++] = from;
    while (top) {
        const struct ir_block *b = &d->f->blocks[d->stack[--top]];
        if (!b->n_succ)
            return false;
        for (uint32_t i = 0; i < b->n_succ; i++)
            if (b->succ[i] != over && !d->seen[b->succ[i]]) {
                d->seen[b->succ[i]] = 1;
                d->stack[top++] = b->succ[i];
            }
    }
    return true;
}

// The branch at the end of block b rests on the read: so do the blocks that it decides about.
static void decides(struct dep *d, uint32_t b)
{
    const struct ir_block *x = &d->f->blocks[b];
    for (uint32_t s = 0; s < d->f->n_blocks; s++) {
        if (d->block[s])
            continue;
        uint32_t n = 0;
        for (uint32_t i = 0; i < x->n_succ; i++)
            n += always_passes(d, x->succ[i], s);
        if (n && n < x->n_succ)
            d->block[s] = d->grew = true;
    }
}

static void add(struct dep *d, uint32_t r)
{
    if (r == IR_NONE || d->reg[r])
        return;
    d->reg[r] = 1;
    d->grew = true;
}

struct use {
    const struct dep *d;
    bool any;
};

static void use(void *arg, uint32_t r)
{
    struct use *u = arg;
    u->any |= r != IR_NONE && u->d->reg[r];
}

static void follow(struct dep *d, const struct ir_insn *in, bool is_decided)
{
    struct use u = {.d = d};
    ir_each_use(in, use, &u);
    bool is_load = in->kind == IR_K_OP && (in->op == PTX_O_LD || in->op == PTX_O_ATOM);
    bool is_store = in->kind == IR_K_OP && in->op == PTX_O_ST;
    bool rests = is_decided || (in->site != IR_NONE && in->site == d->read);
    if (is_load && in->space == PTX_SP_LOCAL)
        rests |= d->stack_rests;
    else if (is_load)
        rests |= in->guard != IR_NONE && d->reg[in->guard]; // what else it reads is another value
    else
        rests |= u.any;
    if (!rests)
        return;
    if (is_store && in->space == PTX_SP_LOCAL && !d->stack_rests)
        d->stack_rests = d->grew = true;
    for (uint32_t k = 0; k < in->n_dst; k++)
        add(d, in->dst[k]);
}

bool ir_rests_on(const struct ir_func *f, uint32_t site, uint32_t read)
{
    if (f->n_blocks > MOST_BLOCKS || site == read)
        return false;
    struct wf_arena a = {.name = "depend"};
    struct dep d = {.f = f, .read = read, .reg = WF_NEW_N(&a, uint8_t, f->n_regs + 1),
                    .block = WF_NEW_N(&a, uint8_t, f->n_blocks + 1), .stack = WF_NEW_N(&a, uint32_t, f->n_blocks + 1),
                    .seen = WF_NEW_N(&a, uint8_t, f->n_blocks + 1)};
    uint8_t *done = WF_NEW_N(&a, uint8_t, f->n_blocks + 1);
    bool found = false;
    do {
        d.grew = false;
        for (uint32_t k = 0; k < f->n_blocks; k++) {
            const struct ir_block *b = &f->blocks[k];
            for (uint32_t i = 0; i < b->n_insns; i++)
                follow(&d, &b->insns[i], d.block[k]);
            bool branches = (b->term == IR_T_BRANCH || b->term == IR_T_BRX) && b->cond != IR_NONE;
            if (!branches || done[k] || !(d.reg[b->cond] || d.block[k]))
                continue;
            done[k] = 1;
            decides(&d, k);
        }
    } while (d.grew);
    for (uint32_t k = 0; k < f->n_blocks && !found; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns && !found; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            found = in->site == site && (d.block[k] || (in->guard != IR_NONE && d.reg[in->guard]));
        }
    wf_arena_fini(&a);
    return found;
}

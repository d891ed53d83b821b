// SPDX-License-Identifier: Apache-2.0
// Registers that follow from ids, parameters and constants alone are never saved but computed anew: at the start of
// a function, or of each warp's way through a region. What a single block of a region needs, outside of loops, is
// computed there: most warps never come to the block behind a loop of barriers.

#include "jit/jit_int.h"

#define AT_START (IR_NONE - 1) // else the number of a block; IR_NONE: nobody needs it

struct jit_remat {
    const struct ir_insn **insn; // in the order in which they depend on each other
    uint32_t *place, n;          // place: by insn
};

bool jit__is_remat(const struct jit *j, const struct ir_insn *in)
{
    for (uint32_t d = 0; d < in->n_dst; d++)
        if (in->dst[d] != IR_NONE)
            return j->f->regs[in->dst[d]].is_remat;
    return false;
}

void jit__remat_all(struct jit *j)
{
    for (uint32_t k = 0; k < j->f->n_blocks; k++)
        for (uint32_t i = 0; i < j->f->blocks[k].n_insns; i++)
            if (jit__is_remat(j, &j->f->blocks[k].insns[i]))
                jit__insn(j, &j->f->blocks[k].insns[i]);
}

// ---- of a region ----

struct users { // of one place: notes it at the registers that are read there
    const struct jit *j;
    uint32_t *need; // by register
    uint32_t place;
};

static void note(void *arg, uint32_t r)
{
    struct users *u = arg;
    if (u->j->f->regs[r].is_remat)
        u->need[r] = u->need[r] == IR_NONE || u->need[r] == u->place ? u->place : AT_START;
}

// Can a warp come from block x to block x again before it stops?
static bool is_in_loop(const struct ir_func *f, uint32_t x, uint8_t *seen, uint32_t *stack)
{
    const struct ir_block *b = &f->blocks[x];
    if (!b->in_cycle || b->term == IR_T_SYNC || b->term == IR_T_CALL)
        return false;
    for (uint32_t s = 0; s < b->n_succ; s++) {
        jit__region_reach(f, b->succ[s], seen, stack);
        if (seen[x])
            return true;
    }
    return false;
}

void jit__plan_remat(struct jit *j, const uint8_t *in)
{
    const struct ir_func *f = j->f;
    struct jit_remat *m = j->remat = WF_NEW(j->arena, struct jit_remat);
    struct users u = {.j = j, .need = WF_NEW_N(j->arena, uint32_t, f->n_regs + 1)};
    uint8_t *seen = wf_xmalloc(f->n_blocks + 1u);
    uint32_t *stack = wf_xmalloc(sizeof *stack * (f->n_blocks + 1u)), all = 0;
    for (uint32_t r = 0; r < f->n_regs; r++)
        u.need[r] = IR_NONE;
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        const struct ir_block *b = &f->blocks[k];
        all += b->n_insns;
        if (!in[k])
            continue;
        u.place = is_in_loop(f, k, seen, stack) ? AT_START : k;
        for (uint32_t i = 0; i < b->n_insns; i++)
            if (!jit__is_remat(j, &b->insns[i]))
                ir_each_use(&b->insns[i], note, &u);
        if (b->cond != IR_NONE)
            note(&u, b->cond);
    }
    free(seen);
    free(stack);
    m->insn = WF_NEW_N(j->arena, const struct ir_insn *, all + 1);
    m->place = WF_NEW_N(j->arena, uint32_t, all + 1);
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++)
            if (jit__is_remat(j, &f->blocks[k].insns[i]))
                m->insn[m->n++] = &f->blocks[k].insns[i];
    for (uint32_t i = m->n; i-- > 0;) { // what is needed by what is needed
        const struct ir_insn *x = m->insn[i];
        u.place = IR_NONE;
        for (uint32_t d = 0; d < x->n_dst; d++)
            if (x->dst[d] != IR_NONE && u.need[x->dst[d]] != IR_NONE)
                u.place = u.place == IR_NONE || u.place == u.need[x->dst[d]] ? u.need[x->dst[d]] : AT_START;
        m->place[i] = u.place;
        if (u.place != IR_NONE)
            ir_each_use(x, note, &u);
    }
}

static void compute(struct jit *j, uint32_t place)
{
    for (uint32_t i = 0; j->remat && i < j->remat->n; i++)
        if (j->remat->place[i] == place)
            jit__insn(j, j->remat->insn[i]);
}

void jit__remat_at_start(struct jit *j)
{
    compute(j, AT_START);
}

void jit__remat_in(struct jit *j, uint32_t k)
{
    compute(j, k);
}

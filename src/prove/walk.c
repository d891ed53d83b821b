// SPDX-License-Identifier: Apache-2.0
// The way of all threads through a kernel. A branch that the launch decides is followed; of another one both sides
// are walked, each with what it says about its threads, up to where they meet.
#include "prove/machine.h"

#include <string.h> // memcpy

#define MOST_DEPTH 400

static size_t size_of(const struct machine *m)
{
    return m->f->n_regs + m->n_local;
}

static union reg *copy_of(struct machine *m, const union reg *r)
{
    union reg *c = WF_NEW_N(m->s.arena, union reg, size_of(m) + 1);
    memcpy(c, r, size_of(m) * sizeof *c);
    return c;
}

// What both sides left, where they meet. Registers that are not live there, or that follow from the launch alone,
// are as good from either.
static void merge(struct machine *m, const union reg *a, const union reg *b, const struct conds *side, uint32_t at)
{
    for (uint32_t r = 0; r < m->f->n_regs; r++)
        m->reg[r] = b[r].form ? b[r] : a[r];
    for (uint32_t r = m->f->n_regs; r < size_of(m); r++) {
        const struct form *x = a[r].form, *y = b[r].form;
        m->reg[r].form = x && y && x->bits == y->bits ? prove__either_of(&m->s, x, &side[0], y, &side[1]) : NULL;
    }
    const struct ir_block *k = &m->f->blocks[at];
    for (uint32_t i = 0; i < k->n_live_in; i++) {
        uint32_t r = k->live_in[i];
        prove__join(m, r, a[r], &side[0], b[r], &side[1]);
    }
}

// Both sides of block k's branch. path: becomes that of the threads that go on.
static bool both_sides(struct machine *m, uint32_t k, const struct pred *p, struct conds *path, uint32_t depth)
{
    const struct ir_block *b = &m->f->blocks[k];
    uint32_t meet = m->meet[k], phase = m->phase, warp_phase = m->warp_phase, after[2];
    bool has_warp_phases = false;
    struct conds side[2] = {*path, *path};
    union reg *left[2];
    bool ended[2], is_anyone[2];
    prove__conds_add(&m->s, &side[0], &p->yes);
    prove__conds_add(&m->s, &side[1], &p->no);
    union reg *before = copy_of(m, m->reg);
    for (int i = 0; i < 2; i++) {
        m->is_ended = true;
        is_anyone[i] = !prove__is_nobody(&m->s, &side[i]);
        memcpy(m->reg, before, size_of(m) * sizeof *before);
        if (is_anyone[i]) {
            m->is_ended = false;
            if (!prove__walk(m, b->succ[i], meet, &side[i], depth + 1))
                return false;
        }
        ended[i] = m->is_ended;
        after[i] = m->phase;
        has_warp_phases |= m->warp_phase != warp_phase;
        m->phase = phase; // the other side's threads have passed none of these
        m->warp_phase = warp_phase;
        left[i] = copy_of(m, m->reg);
    }
    if (has_warp_phases) // what comes now is not told apart from either side by counting
        m->warp_run = ++m->warp_runs;
    m->is_ended = ended[0] && ended[1];
    if (m->is_ended)
        return true;
    if (meet >= m->f->n_blocks)
        return prove__fail(m, "a branch whose sides do not meet", 0);
    if (ended[0] || ended[1]) {
        int on = ended[0];
        memcpy(m->reg, left[on], size_of(m) * sizeof *before);
        m->phase = after[on];
        if (is_anyone[!on]) // they have left the kernel
            *path = side[on];
        return true;
    }
    if (after[0] != phase || after[1] != phase)
        return prove__fail(m, "a barrier on one side of a branch", 0);
    merge(m, left[0], left[1], side, meet);
    return true;
}

bool prove__walk(struct machine *m, uint32_t k, uint32_t stop, const struct conds *at, uint32_t depth)
{
    struct conds path = *at;
    if (depth > MOST_DEPTH)
        return prove__fail(m, "a loop whose end depends on data", 0);
    while (k != stop) {
        const struct ir_block *b = &m->f->blocks[k];
        m->n_half = 0;
        if (b->is_poll_loop)
            return prove__fail(m, "a loop that waits", 0);
        for (uint32_t i = 0; i < b->n_insns; i++)
            if (!prove__step(m, &b->insns[i], &path))
                return false;
        if (++m->steps > 60000)
            return prove__fail(m, "it takes too long to walk through", 0);
        switch (b->term) {
        case IR_T_JUMP: case IR_T_SYNC:
            k = b->succ[0];
            break;
        case IR_T_EXIT: case IR_T_TRAP:
            m->is_ended = true;
            return true;
        case IR_T_BRANCH: {
            const struct pred *p = prove__pred(m, b->cond, b->cond_negated);
            if (p->known >= 0) {
                k = b->succ[p->known ? 0 : 1];
                break;
            }
            if (!both_sides(m, k, p, &path, depth))
                return false;
            if (m->is_ended)
                return true;
            k = m->meet[k];
            break;
        }
        default:
            return prove__fail(m, "a call or an indirect branch", 0);
        }
    }
    return true;
}

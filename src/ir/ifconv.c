// SPDX-License-Identifier: Apache-2.0
// Small one-sided and two-sided branches that may split a warp become guarded straight-line code: the
// body runs under the lanes that took it (and is jumped over when there are none), so the warp does
// not have to park anything. Shapes are those found before: what is live behind the branch is VEC.

#include <string.h> // memcpy

#include "ir/ir_priv.h"

#define MAX_BODY 48

static bool body_fits(const struct ir_func *f, const struct ir_block *b, uint32_t cond)
{
    if (b->n_pred != 1 || b->term != IR_T_JUMP || b->n_insns > MAX_BODY)
        return false;
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        if (in->guard != IR_NONE || ir__is_suspend(in) || ir__is_warp_op(in) || in->kind == IR_K_BARRES)
            return false;
        if (in->kind == IR_K_OP && (in->op == PTX_O_CALL || in->op == PTX_O_ALLOCA || in->op == PTX_O_ACTIVEMASK ||
                                    in->op == PTX_O_VOTE))
            return false;
        for (uint32_t d = 0; d < in->n_dst; d++)
            if (in->dst[d] == cond)
                return false;
    }
    (void)f;
    return true;
}

static bool is_live_at(const struct ir_block *b, uint32_t r)
{
    for (uint32_t i = 0; i < b->n_live_in; i++)
        if (b->live_in[i] == r)
            return true;
    return false;
}

static void append(struct wf_arena *a, struct ir_block *to, const struct ir_block *from, uint32_t guard,
                   bool negated, const struct ir_block *join)
{
    struct ir_insn *all = WF_NEW_N(a, struct ir_insn, to->n_insns + from->n_insns + 1);
    memcpy(all, to->insns, sizeof *all * to->n_insns);
    memcpy(all + to->n_insns, from->insns, sizeof *all * from->n_insns);
    for (uint32_t i = to->n_insns; guard != IR_NONE && i < to->n_insns + from->n_insns; i++) {
        struct ir_insn *in = &all[i];
        in->guard = guard;
        in->guard_negated = negated;
        for (uint32_t d = 0; d < in->n_dst; d++)
            if (in->dst[d] != IR_NONE && is_live_at(join, in->dst[d]))
                in->is_partial = true;
    }
    to->insns = all;
    to->n_insns += from->n_insns;
}

static void jump_to(struct ir_block *b, uint32_t t)
{
    b->term = IR_T_JUMP;
    b->cond = IR_NONE;
    b->n_succ = 1;
    b->succ[0] = t;
    b->is_uniform_branch = true;
}

static bool convert(struct wf_arena *a, struct ir_func *f, uint32_t k)
{
    struct ir_block *b = &f->blocks[k];
    if (b->term != IR_T_BRANCH || b->is_uniform_branch)
        return false;
    uint32_t t = b->succ[0], e = b->succ[1], cond = b->cond;
    struct ir_block *bt = &f->blocks[t], *be = &f->blocks[e];
    bool neg = b->cond_negated;
    if (t <= k || e <= k)
        return false; // a back edge
    if (body_fits(f, bt, cond) && bt->succ[0] == e) {
        append(a, b, bt, cond, neg, be);
        jump_to(b, e);
    } else if (body_fits(f, be, cond) && be->succ[0] == t) {
        append(a, b, be, cond, !neg, bt);
        jump_to(b, t);
    } else if (body_fits(f, bt, cond) && body_fits(f, be, cond) && bt->succ[0] == be->succ[0] && bt->succ[0] > k) {
        const struct ir_block *j = &f->blocks[bt->succ[0]];
        append(a, b, bt, cond, neg, j);
        append(a, b, be, cond, !neg, j);
        jump_to(b, bt->succ[0]);
    } else {
        return false;
    }
    return true;
}

// Joins a block with its only successor when that has no other way in.
static bool merge_chain(struct wf_arena *a, struct ir_func *f, uint32_t k)
{
    struct ir_block *b = &f->blocks[k];
    if (b->term != IR_T_JUMP || b->succ[0] == k || b->succ[0] == 0)
        return false;
    struct ir_block *n = &f->blocks[b->succ[0]];
    if (n->n_pred != 1 || (n->n_insns && ir__is_warp_op(&n->insns[0])))
        return false;
    append(a, b, n, IR_NONE, false, NULL);
    uint32_t *li = b->live_in, nl = b->n_live_in;
    struct ir_insn *insns = b->insns;
    uint32_t ni = b->n_insns, *pred = b->pred, np = b->n_pred;
    uint32_t loc = b->loc;
    *b = *n;
    b->live_in = li;
    b->n_live_in = nl;
    b->insns = insns;
    b->n_insns = ni;
    b->pred = pred;
    b->n_pred = np;
    if (!b->loc)
        b->loc = loc;
    n->n_succ = 0; // unreachable now; dropped by compact()
    n->term = IR_T_EXIT;
    n->n_insns = 0;
    return true;
}

static void compact(struct wf_arena *a, struct ir_func *f)
{
    uint32_t *where = WF_NEW_N(a, uint32_t, f->n_blocks + 1), n = 0;
    uint8_t *seen = WF_NEW_N(a, uint8_t, f->n_blocks + 1);
    uint32_t *stack = WF_NEW_N(a, uint32_t, f->n_blocks + 1), top = 0;
    seen[0] = 1;
    stack[top++] = 0;
    while (top) {
        const struct ir_block *b = &f->blocks[stack[--top]];
        for (uint32_t s = 0; s < b->n_succ; s++)
            if (!seen[b->succ[s]]) {
                seen[b->succ[s]] = 1;
                stack[top++] = b->succ[s];
            }
    }
    for (uint32_t i = 0; i < f->n_blocks; i++)
        if (seen[i])
            where[i] = n++;
    for (uint32_t i = 0; i < f->n_blocks; i++) {
        if (!seen[i])
            continue;
        struct ir_block b = f->blocks[i];
        for (uint32_t s = 0; s < b.n_succ; s++)
            b.succ[s] = where[b.succ[s]];
        f->blocks[where[i]] = b;
    }
    f->n_blocks = n;
    ir__edges(a, f);
}

bool ir__if_convert(struct wf_arena *a, struct ir_func *f)
{
    bool any = false;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = f->n_blocks; k-- > 0;)
            again |= convert(a, f, k);
        compact(a, f);
        for (uint32_t k = 0; k < f->n_blocks; k++)
            while (merge_chain(a, f, k)) // the successors of the merged block keep their counts
                again = true;
        compact(a, f);
        if (again) {
            ir__liveness(a, f);
            any = true;
        }
    }
    return any;
}

// SPDX-License-Identifier: Apache-2.0
// Branches whose sides are taken by some and not by others: what lies on each side, and where those who
// parted meet again. "Others" are lanes of a warp (uniform.c) or warps of a block (blockwide.c).

#include <string.h> // memset

#include "ir/ir_priv.h"

// ---- post-dominators (Cooper, Harvey and Kennedy's iteration on the reversed graph) ----

static void post_dominators(struct wf_arena *a, struct split *p)
{
    const struct ir_func *f = p->f;
    uint32_t n = f->n_blocks, exit = n;
    uint32_t *ip = p->ipdom;
    for (uint32_t i = 0; i <= n; i++)
        ip[i] = IR_NONE;
    ip[exit] = exit;
    // Order: distance from the exit in a reverse traversal; block numbers descend towards it well enough
    // for the iteration, and `rank` decides intersections.
    uint32_t *rank = WF_NEW_N(a, uint32_t, n + 2), *queue = WF_NEW_N(a, uint32_t, n + 2);
    uint8_t *seen = WF_NEW_N(a, uint8_t, n + 2);
    uint32_t *stack = WF_NEW_N(a, uint32_t, n + 2), *it = WF_NEW_N(a, uint32_t, n + 2);
    uint32_t done = 0, top = 0;
    // Post order of the reversed graph from the exit.
    stack[top++] = exit;
    seen[exit] = 1;
    while (top) {
        uint32_t x = stack[top - 1], found = IR_NONE;
        if (x == exit) {
            for (; it[exit] < n && found == IR_NONE; it[exit]++)
                if (!f->blocks[it[exit]].n_succ && !seen[it[exit]])
                    found = it[exit];
        } else {
            const struct ir_block *b = &f->blocks[x];
            for (; it[x] < b->n_pred && found == IR_NONE; it[x]++)
                if (!seen[b->pred[it[x]]])
                    found = b->pred[it[x]];
        }
        if (found == IR_NONE) {
            rank[x] = done;
            queue[done++] = x;
            top--;
            continue;
        }
        seen[found] = 1;
        stack[top++] = found;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t q = done; q-- > 0;) {
            uint32_t x = queue[q], best = IR_NONE;
            if (x == exit)
                continue;
            const struct ir_block *b = &f->blocks[x];
            for (uint32_t s = 0; s < (b->n_succ ? b->n_succ : 1); s++) {
                uint32_t t = b->n_succ ? b->succ[s] : exit;
                if (ip[t] == IR_NONE)
                    continue;
                if (best == IR_NONE) {
                    best = t;
                    continue;
                }
                uint32_t u = best;
                while (u != t) {
                    while (rank[u] < rank[t])
                        u = ip[u];
                    while (rank[t] < rank[u])
                        t = ip[t];
                }
                best = u;
            }
            if (best != ip[x]) {
                ip[x] = best;
                changed = true;
            }
        }
    }
}

void ir__split_init(struct wf_arena *a, const struct ir_func *f, struct split *s)
{
    s->f = f;
    s->ipdom = WF_NEW_N(a, uint32_t, f->n_blocks + 2);
    s->region = WF_NEW_N(a, uint32_t, f->n_blocks + 1);
    s->stack = WF_NEW_N(a, uint32_t, f->n_blocks + 1);
    s->defd = WF_NEW_N(a, uint8_t, f->n_regs + 1);
    post_dominators(a, s);
}

uint32_t *ir_meets(struct wf_arena *a, const struct ir_func *f)
{
    struct split s;
    ir__split_init(a, f, &s);
    return s.ipdom;
}

// Bit s of region[x] when x is reachable from succ[s] before the
// post-dominator. Sides beyond 31 share the last bit.
void ir__split_at(struct split *p, uint32_t k)
{
    const struct ir_func *f = p->f;
    uint32_t stop = p->ipdom[k], *region = p->region, *stack = p->stack;
    memset(region, 0, sizeof *region * f->n_blocks);
    for (uint32_t s = 0; s < f->blocks[k].n_succ; s++) {
        uint32_t bit = 1u << (s < 31 ? s : 31), top = 0;
        uint32_t t = f->blocks[k].succ[s];
        if (t == stop || (region[t] & bit))
            continue;
        region[t] |= bit;
        stack[top++] = t;
        while (top) {
            const struct ir_block *b = &f->blocks[stack[--top]];
            for (uint32_t q = 0; q < b->n_succ; q++)
                if (b->succ[q] != stop && !(region[b->succ[q]] & bit)) {
                    region[b->succ[q]] |= bit;
                    stack[top++] = b->succ[q];
                }
        }
    }
}

bool ir__split_joins(const struct split *p, uint32_t k, uint32_t x)
{
    return x == p->ipdom[k] || (p->region[x] & (p->region[x] - 1));
}

bool ir__split_pins(struct split *p, uint32_t k, uint8_t *pinned)
{
    const struct ir_func *f = p->f;
    uint32_t *region = p->region;
    uint8_t *defd = p->defd;
    bool changed = false;
    ir__split_at(p, k);
    memset(defd, 0, f->n_regs + 1);
    for (uint32_t x = 0; x < f->n_blocks; x++) {
        if (!region[x])
            continue;
        for (uint32_t i = 0; i < f->blocks[x].n_insns; i++)
            for (uint32_t d = 0; d < f->blocks[x].insns[i].n_dst; d++)
                if (f->blocks[x].insns[i].dst[d] != IR_NONE)
                    defd[f->blocks[x].insns[i].dst[d]] = 1;
    }
    for (uint32_t x = 0; x < f->n_blocks; x++) {
        if (!ir__split_joins(p, k, x))
            continue;
        for (uint32_t i = 0; i < f->blocks[x].n_live_in; i++) {
            uint32_t r = f->blocks[x].live_in[i];
            if (defd[r] && !pinned[r] && !f->regs[r].is_remat) {
                pinned[r] = 1;
                changed = true;
            }
        }
    }
    return changed;
}

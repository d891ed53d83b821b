// SPDX-License-Identifier: Apache-2.0
// Other orders than the plain one, for `check --schedules` and `--seed`: which block starts next and how many
// are under way, which warp and which part of a warp runs first, and where a path gives way. All of it
// comes from one number a grid, so a seed shows the same run again. Blocks run on one thread under
// check, so nothing here is shared.
//
// A seeded grid never takes the fast path through regions, which has an order of its own.
#include "exec/exec_priv.h"

static uint64_t mixed(uint64_t x) // splitmix64's finalizer
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static uint32_t draw(struct order *o, uint32_t n) // 0 .. n-1
{
    return (uint32_t)((mixed(o->state++) >> 32) * n >> 32);
}

// In every second order one warp of a block may come to rest where it gives way, while the others go on as far as they
// can: what only a thread that stands still for long brings to light. It does so half of the first times it comes to a
// place and ever less often: what is seldom run was seldom tried.
#define NAPPING 2u

void exec__order_begin(struct grid *g, uint64_t seed)
{
    struct order *o = &g->order;
    *o = (struct order){.is_on = seed != 0, .is_descending = wf_settings()->is_descending};
    if (!seed)
        return;
    o->key = mixed(seed ^ mixed(g->launch->id));
    o->state = mixed(o->key);
    static const uint8_t many[] = {1, 2, 3, 4, 8, 16}; // blocks under way at once
    o->eager = many[draw(o, sizeof many)];
    o->is_descending |= draw(o, 4) == 0;
    o->naps = seed % NAPPING == 0 ? mixed(~o->key) | 1 : 0;
}

// A permutation of 0 .. n-1 by a network over the next power of four, walked until it falls inside.
uint64_t exec__order_block(const struct grid *g, uint64_t i)
{
    const struct order *o = &g->order;
    uint64_t n = g->n_blocks / g->cluster_size;
    if (o->is_descending)
        return n - 1 - i;
    if (!o->is_on)
        return i;
    unsigned half = 1;
    while (half < 31 && (UINT64_C(1) << 2 * half) < n)
        half++;
    uint64_t mask = (UINT64_C(1) << half) - 1, x = i;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (mixed(o->key + round * 77 + right) & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= n);
    return x;
}

void exec__order_blocks(struct grid *g, struct cta **here, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = draw(&g->order, (uint32_t)i);
        struct cta *t = here[i - 1];
        here[i - 1] = here[j];
        here[j] = t;
    }
}

void exec__order_warps(struct grid *g, uint32_t *index, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        index[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = draw(&g->order, i), t = index[i - 1];
        index[i - 1] = index[j];
        index[j] = t;
    }
}

// Lanes that stand at one place need not run together: now and then a path becomes two.
void exec__order_lanes(struct wf_warp *w)
{
    struct order *o = &grid_of(w)->order;
    if (!w->n_paths || w->n_paths > 8 || draw(o, 2))
        return;
    struct wf_path *p = &w->path[draw(o, w->n_paths)];
    uint32_t part = (uint32_t)mixed(o->state++) & p->mask;
    if (p->state != WF_PATH_READY || p->pc & WF_PC_RELEASED || p->snap || !part || part == p->mask)
        return;
    struct wf_path q = *p;
    p->mask &= ~part;
    q.mask = part;
    w->path[w->n_paths++] = q; // not exec__add_path, which would put them together again
}

// Of the paths that may run, `best` is the one that makes lanes meet soonest; sometimes another one goes first.
uint32_t exec__order_path(struct wf_warp *w, uint32_t best, bool (*may_run)(struct wf_warp *w, const struct wf_path *p))
{
    struct order *o = &grid_of(w)->order;
    if (draw(o, 4))
        return best;
    uint32_t i = draw(o, w->n_paths);
    const struct wf_path *p = &w->path[i], *q = &w->path[best];
    return may_run(w, p) && p->frame == q->frame ? i : best;
}

// Back edges before a path gives way: often few.
uint32_t exec__order_budget(struct grid *g)
{
    return 1u << draw(&g->order, 10);
}

// Beside a strong access or a fence: does the path give way here?
bool exec__order_preempts(struct grid *g)
{
    return draw(&g->order, 3) == 0;
}

bool exec__order_naps(struct cta *c, uint32_t warp)
{
    c->nap -= c->napper == warp && c->nap;
    return c->napper == warp && c->nap;
}

bool exec__order_rests(struct cta *c, uint32_t warp, uint32_t pc)
{
    struct order *o = &c->grid->order;
    uint32_t *n = &o->visits[pc % ORDER_PLACES];
    if (!o->naps || c->nap)
        return false;
    uint64_t r = mixed(o->naps++);
    if ((uint32_t)r % (2 + (*n)++ / 8))
        return false;
    c->napper = warp;
    c->nap = UINT32_C(16) << (r >> 32) % 10;
    return true;
}

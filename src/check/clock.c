// SPDX-License-Identifier: Apache-2.0
// Joins and tests of compressed clocks. The rule of all joins: when one side already holds the
// other, that side's own pointer comes back, so that repeated joins (polling loops, barriers of a
// grid) make nothing new and later joins end at equal pointers.
#include "check/clock.h"

#include <stdlib.h> // free
#include <string.h> // memcpy

#include "base/bits.h" // WF_EACH_LANE
#include "base/os.h"   // wf_os_reserve

struct wf__far1 { // leaf: what is known of one block
    uint32_t base;
    const struct wf__dev *dev;
};
struct wf__far {
    const void *at[16]; // nodes, or leaves on the last level
};

#define MEMO 4096u
struct wf__memo {
    const void *a, *b, *res;
};

void wf__clocks_init(struct wf__clocks *c, uint64_t blocks)
{
    *c = (struct wf__clocks){.levels = 1};
    wf_arena_init(&c->arena, "clocks");
    while (c->levels < 16 && blocks > (UINT64_C(1) << (4 * c->levels)))
        c->levels++;
    c->memo = wf_xcalloc(MEMO, sizeof *c->memo);
}

void wf__clocks_fini(struct wf__clocks *c)
{
    free(c->memo);
    wf_arena_fini(&c->arena);
}

bool wf__blk_covered(const struct wf__blk *b, uint32_t base, uint32_t warp, uint32_t lane,
                     uint32_t epoch)
{
    if (epoch > base)
        return false;
    if (base <= b->first_exit || !b->gone)
        return true;
    const struct wf__gone *g = &b->gone[warp * 32 + lane];
    return base <= g->exit_k || epoch <= g->last_base;
}

static uint32_t own_covers(const struct wf__blk *b, uint32_t base, const struct wf__dev *dev,
                           uint32_t warp, uint32_t mask, uint32_t epoch)
{
    uint32_t got = 0;
    if (warp < WF__AGENT && epoch <= base) {
        if (base <= b->first_exit)
            return mask;
        WF_EACH_LANE(mask, l)
        {
            if (wf__blk_covered(b, base, warp, l, epoch))
                got |= 1u << l;
        }
        if (got == mask)
            return got;
    }
    for (uint32_t i = 0; dev && i < dev->n; i++)
        if (dev->at[i].warp == warp && dev->at[i].epoch >= epoch)
            got |= dev->at[i].mask & mask;
    return got;
}

static const struct wf__far1 *far_find(const struct wf__clocks *cs, const struct wf__far *f,
                                       uint32_t block)
{
    for (uint32_t lv = cs->levels; f && lv-- > 0;) {
        const void *p = f->at[(block >> (4 * lv)) & 15];
        if (lv == 0)
            return p;
        f = p;
    }
    return NULL;
}

uint32_t wf__clk_covers(const struct wf__clocks *cs, const struct wf__clk *c, uint32_t block,
                        uint32_t warp, uint32_t mask, uint32_t epoch)
{
    if (block == c->block)
        return own_covers(&cs->blk[block], c->base, c->dev, warp, mask, epoch);
    const struct wf__far1 *f = far_find(cs, c->far, block);
    return f ? own_covers(&cs->blk[block], f->base, f->dev, warp, mask, epoch) : 0;
}

// ---- deviations

static bool dev_has(const struct wf__dev *a, uint32_t warp, uint32_t mask, uint32_t epoch)
{
    for (uint32_t i = 0; a && i < a->n && mask; i++)
        if (a->at[i].warp == warp && a->at[i].epoch >= epoch)
            mask &= ~a->at[i].mask;
    return mask == 0;
}

// A deviation at or below base adds nothing, unless it speaks of an exited thread or an agent.
static bool dev_needed(const struct wf__dev1 *d, uint32_t base, bool keep_all)
{
    return keep_all || d->epoch > base || d->warp >= WF__AGENT;
}

// The end of the run of entries of one warp that begins at i.
static uint32_t warp_end(const struct wf__dev *a, uint32_t i)
{
    uint32_t warp = a->at[i].warp;
    while (i < a->n && a->at[i].warp == warp)
        i++;
    return i;
}

// Runs of one warp, newest first: does every lane of a's have an entry of b's as new as its own?
static bool run_leq(const struct wf__dev1 *a, uint32_t n_a, const struct wf__dev1 *b, uint32_t n_b)
{
    uint32_t got = 0;
    while (n_a-- > 0) {
        while (n_b > 0 && b[n_b - 1].epoch >= a[n_a].epoch)
            got |= b[--n_b].mask;
        if (a[n_a].mask & ~got)
            return false;
    }
    return true;
}

static bool dev_leq(const struct wf__dev *a, const struct wf__dev *b)
{
    for (uint32_t i = 0, j = 0, i1; a && i < a->n; i = i1) {
        i1 = warp_end(a, i);
        while (b && j < b->n && b->at[j].warp < a->at[i].warp)
            j++;
        if (!b || j == b->n || b->at[j].warp != a->at[i].warp)
            return false;
        uint32_t j1 = warp_end(b, j);
        if (!run_leq(&a->at[i], i1 - i, &b->at[j], j1 - j))
            return false;
        j = j1;
    }
    return true;
}

// Joins runs of one warp: of each lane the newest epoch. Returns how many entries that makes.
static uint32_t run_join(struct wf__dev1 *to, const struct wf__dev1 *a, uint32_t n_a, const struct wf__dev1 *b, uint32_t n_b)
{
    uint32_t n = 0, got = 0;
    while (n_a || n_b) {
        bool is_a = n_a && (!n_b || a[n_a - 1].epoch >= b[n_b - 1].epoch);
        struct wf__dev1 d = is_a ? a[--n_a] : b[--n_b];
        d.mask &= ~got;
        got |= d.mask;
        if (n && d.epoch == to[n - 1].epoch)
            to[n - 1].mask |= d.mask;
        else if (d.mask)
            to[n++] = d;
    }
    for (uint32_t i = 0; i < n / 2; i++) { // oldest first
        struct wf__dev1 d = to[i];
        to[i] = to[n - 1 - i];
        to[n - 1 - i] = d;
    }
    return n;
}

static const struct wf__dev *dev_union(struct wf__clocks *cs, const struct wf__dev *a,
                                       const struct wf__dev *b, uint32_t base, bool keep_all)
{
    uint32_t room = (a ? a->n : 0) + (b ? b->n : 0), n = 0;
    if (!room)
        return NULL;
    struct wf__dev1 small[64], *at = room <= 64 ? small : wf_xmalloc(room * sizeof *at);
    for (uint32_t i = 0, j = 0, n_a = a ? a->n : 0, n_b = b ? b->n : 0; i < n_a || j < n_b;) {
        bool has_a = i < n_a && (j == n_b || a->at[i].warp <= b->at[j].warp);
        bool has_b = j < n_b && (i == n_a || b->at[j].warp <= a->at[i].warp);
        uint32_t i1 = has_a ? warp_end(a, i) : i, j1 = has_b ? warp_end(b, j) : j;
        uint32_t more = run_join(at + n, has_a ? &a->at[i] : NULL, i1 - i, has_b ? &b->at[j] : NULL, j1 - j), kept = n;
        for (uint32_t k = n; k < n + more; k++)
            if (dev_needed(&at[k], base, keep_all))
                at[kept++] = at[k];
        n = kept;
        i = i1;
        j = j1;
    }
    const struct wf__dev *res = NULL;
    if (a && n == a->n && memcmp(at, a->at, n * sizeof *at) == 0)
        res = a;
    else if (b && n == b->n && memcmp(at, b->at, n * sizeof *at) == 0)
        res = b;
    else if (n) {
        struct wf__dev *d = wf_arena_alloc(&cs->arena, sizeof *d + n * sizeof *at);
        d->n = n;
        memcpy(d->at, at, n * sizeof *at);
        res = d;
    }
    if (at != small)
        free(at);
    return res;
}

const struct wf__dev *wf__dev_join(struct wf__clocks *cs, const struct wf__dev *a,
                                   const struct wf__dev *b, uint32_t base)
{
    return a == b ? dev_union(cs, a, NULL, base, false) : dev_union(cs, a, b, base, false);
}

const struct wf__dev *wf__dev_add(struct wf__clocks *cs, const struct wf__dev *a, uint32_t warp,
                                  uint32_t mask, uint32_t epoch)
{
    if (!mask || dev_has(a, warp, mask, epoch))
        return a;
    union {
        struct wf__dev d;
        char room[sizeof(struct wf__dev) + sizeof(struct wf__dev1)];
    } b;
    b.d.n = 1;
    b.d.at[0] = (struct wf__dev1){warp, mask, epoch};
    const struct wf__dev *d = dev_union(cs, a, &b.d, 0, true);
    if (d == &b.d) { // that one does not stay
        struct wf__dev *n = wf_arena_alloc(&cs->arena, sizeof b);
        memcpy(n, &b, sizeof b);
        d = n;
    }
    return d;
}

// Joins the knowledge of one block: bases and deviations. Exited threads make the comparison of a
// deviation with base unsafe, so all deviations are kept for such blocks.
static void own_join(struct wf__clocks *cs, const struct wf__blk *b, uint32_t *base,
                     const struct wf__dev **dev, uint32_t base2, const struct wf__dev *dev2)
{
    uint32_t m = *base > base2 ? *base : base2;
    bool keep_all = b->gone != NULL;
    if (*base == m && (*dev == dev2 || dev_leq(dev2, *dev)))
        return;
    *dev = dev_union(cs, *dev, dev2, m, keep_all);
    *base = m;
}

// ---- the trie

static const void *leaf_join(struct wf__clocks *cs, const struct wf__far1 *a,
                             const struct wf__far1 *b, uint32_t block)
{
    struct wf__far1 r = *a;
    own_join(cs, &cs->blk[block], &r.base, &r.dev, b->base, b->dev);
    if (r.base == a->base && r.dev == a->dev)
        return a;
    if (r.base == b->base && r.dev == b->dev)
        return b;
    struct wf__far1 *n = WF_NEW(&cs->arena, struct wf__far1);
    *n = r;
    return n;
}

static const void *far_join(struct wf__clocks *cs, const void *a, const void *b, uint32_t level,
                            uint32_t block)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    if (level == 0)
        return leaf_join(cs, a, b, block);
    uint64_t h = ((uint64_t)(uintptr_t)a * 0x9E3779B97F4A7C15u) ^ ((uint64_t)(uintptr_t)b >> 4);
    struct wf__memo *m = &cs->memo[(h ^ (h >> 29)) & (MEMO - 1)];
    if (m->a == a && m->b == b)
        return m->res;
    const struct wf__far *x = a, *y = b;
    struct wf__far r;
    bool is_a = true, is_b = true;
    for (uint32_t i = 0; i < 16; i++) {
        r.at[i] = far_join(cs, x->at[i], y->at[i], level - 1, block << 4 | i);
        is_a &= r.at[i] == x->at[i];
        is_b &= r.at[i] == y->at[i];
    }
    const void *res = a;
    if (!is_a) {
        res = b;
        if (!is_b) {
            struct wf__far *n = WF_NEW(&cs->arena, struct wf__far);
            *n = r;
            res = n;
        }
    }
    *m = (struct wf__memo){a, b, res};
    return res;
}

static bool same_within(const struct wf__far *a, const struct wf__far *b, uint32_t level, uint32_t from, uint32_t lo,
                        uint32_t hi)
{
    if (a == b)
        return true;
    if (!a || !b || level == 0)
        return false;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t first = from + (i << 4 * (level - 1)), last = first + ((1u << 4 * (level - 1)) - 1);
        if (last >= lo && first <= hi && !same_within(a->at[i], b->at[i], level - 1, first, lo, hi))
            return false;
    }
    return true;
}

bool wf__far_same(const struct wf__clocks *cs, const struct wf__far *a, const struct wf__far *b, uint32_t lo, uint32_t hi)
{
    return cs->levels < 8 ? same_within(a, b, cs->levels, 0, lo, hi) : a == b;
}

static const void *far_put(struct wf__clocks *cs, const void *f, uint32_t level, uint32_t block,
                           const struct wf__far1 *leaf)
{
    if (level == 0) {
        const struct wf__far1 *old = f;
        if (old && old->base == leaf->base && old->dev == leaf->dev)
            return old;
        struct wf__far1 *n = WF_NEW(&cs->arena, struct wf__far1);
        *n = *leaf;
        return n;
    }
    const struct wf__far *x = f;
    uint32_t i = (block >> (4 * (level - 1))) & 15;
    const void *below = x ? x->at[i] : NULL;
    const void *now = far_put(cs, below, level - 1, block, leaf);
    if (x && now == below)
        return x;
    struct wf__far *n = WF_NEW(&cs->arena, struct wf__far);
    if (x)
        *n = *x;
    n->at[i] = now;
    return n;
}

static const struct wf__far *clk_full(struct wf__clocks *cs, const struct wf__clk *c)
{
    if (!c->full) {
        struct wf__far1 own = {c->base, c->dev};
        ((struct wf__clk *)(uintptr_t)c)->full = far_put(cs, c->far, cs->levels, c->block, &own);
    }
    return c->full;
}

// ---- clocks

static const struct wf__sc *sc_join(struct wf__clocks *cs, const struct wf__sc *a,
                                    const struct wf__sc *b, bool same_block)
{
    if (a == b || !b)
        return a;
    static const struct wf__sc none;
    if (!a)
        a = &none;
    // Fences of block scope matter inside their block only: they do not travel to other blocks.
    const struct wf__clk *s0 = same_block ? wf__clk_merge(cs, a->s[0], b->s[0]) : a->s[0];
    const struct wf__clk *o0 = same_block ? wf__clk_merge(cs, a->o[0], b->o[0]) : a->o[0];
    const struct wf__clk *s1 = wf__clk_merge(cs, a->s[1], b->s[1]);
    const struct wf__clk *o1 = wf__clk_merge(cs, a->o[1], b->o[1]);
    if (a->s[0] == s0 && a->s[1] == s1 && a->o[0] == o0 && a->o[1] == o1)
        return a == &none ? NULL : a;
    if (b->s[0] == s0 && b->s[1] == s1 && b->o[0] == o0 && b->o[1] == o1)
        return b;
    return wf__sc_make(cs, s0, s1, o0, o1);
}

const struct wf__sc *wf__sc_make(struct wf__clocks *cs, const struct wf__clk *s0,
                                 const struct wf__clk *s1, const struct wf__clk *o0,
                                 const struct wf__clk *o1)
{
    if (!s0 && !s1 && !o0 && !o1)
        return NULL;
    struct wf__sc *n = WF_NEW(&cs->arena, struct wf__sc);
    *n = (struct wf__sc){{s0, s1}, {o0, o1}};
    return n;
}

void wf__clk_join(struct wf__clocks *cs, struct wf__clk *a, const struct wf__clk *b)
{
    bool same = a->block == b->block;
    struct wf__clk was = *a;
    if (same) {
        own_join(cs, &cs->blk[a->block], &a->base, &a->dev, b->base, b->dev);
        a->far = far_join(cs, a->far, b->far, cs->levels, 0);
    } else {
        const struct wf__far1 *own = far_find(cs, b->far, a->block);
        if (own)
            own_join(cs, &cs->blk[a->block], &a->base, &a->dev, own->base, own->dev);
        a->far = far_join(cs, a->far, clk_full(cs, b), cs->levels, 0);
    }
    a->sc = sc_join(cs, a->sc, b->sc, same);
    if (a->base != was.base || a->dev != was.dev || a->far != was.far)
        a->full = NULL;
}

const struct wf__clk *wf__clk_keep(struct wf__clocks *cs, const struct wf__clk *c)
{
    struct wf__clk *n = WF_NEW(&cs->arena, struct wf__clk);
    *n = *c;
    return n;
}

const struct wf__clk *wf__clk_merge(struct wf__clocks *cs, const struct wf__clk *a,
                                    const struct wf__clk *b)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    struct wf__clk r = *a;
    wf__clk_join(cs, &r, b);
    if (r.base == a->base && r.dev == a->dev && r.far == a->far && r.sc == a->sc)
        return a;
    if (r.block == b->block && r.base == b->base && r.dev == b->dev && r.far == b->far &&
        r.sc == b->sc)
        return b;
    return wf__clk_keep(cs, &r);
}

// SPDX-License-Identifier: Apache-2.0
// See crowd.h.
#include "check/crowd.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/arena.h" // wf_xcalloc

#define LEVELS 2

uint32_t wf__crowd_shift = 6;

struct wf__crowds {
    struct {
        struct wf__crowd *at;
        uint32_t n, cap;
    } of[LEVELS]; // of rows; of 64 rows
};

struct wf__probe wf__crowd_probe(const struct wf__acc *x, uint32_t lane, enum wf__crowd_want want, uint8_t bytes,
                                 uint8_t rw)
{
    const struct wf__grid *g = x->w->block->grid;
    return (struct wf__probe){.want = want,
                              .me = x->serial,
                              .serial0 = g->serial0,
                              .n_blocks = g->n_blocks,
                              .cs = &g->cs,
                              .far = wf__lane_clk(x->w, lane)->far,
                              .bytes = bytes,
                              .rw = rw,
                              .strong = x->flags & WF__STRONG && x->level >= WF_SCOPE_GPU ? x->bytes : 0};
}

static struct wf__crowd *next_of(struct wf__crowds *c, int level)
{
    if (c->of[level].n == c->of[level].cap) {
        c->of[level].cap = c->of[level].cap ? 2 * c->of[level].cap : 4;
        c->of[level].at = wf_xrealloc(c->of[level].at, c->of[level].cap * sizeof *c->of[level].at);
    }
    struct wf__crowd *s = &c->of[level].at[c->of[level].n++];
    *s = (struct wf__crowd){.lo = UINT32_MAX};
    return s;
}

static void sum_row(const struct wf__pool *p, const struct wf__entry *e, struct wf__crowd *s)
{
    bool is_alike = true;
    uint8_t size = p->rec[e->rec].bytes;
    for (uint32_t i = 0; i < WF__ROW; i++) {
        const struct wf__rec *r = &p->rec[e[i].rec];
        if (!e[i].rec) { // taken out
            is_alike = false;
            continue;
        }
        s->blocks |= UINT64_C(1) << r->serial % 64;
        s->lo = r->serial < s->lo ? r->serial : s->lo;
        s->hi = r->serial > s->hi ? r->serial : s->hi;
        s->bytes |= e[i].bytes;
        s->has_writes |= (e[i].flags & WF__W) != 0;
        s->has_reads |= !(e[i].flags & WF__W);
        is_alike &= r->flags & WF__STRONG && r->level >= WF_SCOPE_GPU && r->bytes == size;
    }
    s->strong = is_alike ? size : 0;
}

static void sum_rows(const struct wf__crowd *r, struct wf__crowd *s)
{
    s->strong = r->strong;
    for (uint32_t i = 0; i < WF__ROW; i++) {
        s->blocks |= r[i].blocks;
        s->lo = r[i].lo < s->lo ? r[i].lo : s->lo;
        s->hi = r[i].hi > s->hi ? r[i].hi : s->hi;
        s->bytes |= r[i].bytes;
        s->has_writes |= r[i].has_writes;
        s->has_reads |= r[i].has_reads;
        s->strong = s->strong == r[i].strong ? s->strong : 0;
    }
}

void wf__crowd_update(const struct wf__acc *x, struct wf__word *wd)
{
    if (wd->n < WF__ROW)
        return;
    if (!wd->crowd)
        wd->crowd = wf_xcalloc(1, sizeof *wd->crowd);
    struct wf__crowds *c = wd->crowd;
    while (c->of[0].n < wd->n / WF__ROW) {
        struct wf__crowd *s = next_of(c, 0);
        sum_row(x->pool, &wd->at[(c->of[0].n - 1) * WF__ROW], s);
        if (c->of[0].n % WF__ROW == 0)
            sum_rows(&c->of[0].at[c->of[0].n - WF__ROW], next_of(c, 1));
    }
}

void wf__crowd_reset(struct wf__word *wd)
{
    for (int v = 0; wd->crowd && v < LEVELS; v++)
        wd->crowd->of[v].n = 0;
}

void wf__crowd_free(struct wf__word *wd)
{
    for (int v = 0; wd->crowd && v < LEVELS; v++)
        free(wd->crowd->of[v].at);
    free(wd->crowd);
    wd->crowd = NULL;
}

static struct wf__crowd *row_of(const struct wf__word *wd, uint32_t i)
{
    return wd->crowd && i / WF__ROW < wd->crowd->of[0].n ? &wd->crowd->of[0].at[i / WF__ROW] : NULL;
}

void wf__crowd_grown(struct wf__word *wd, uint32_t i)
{
    for (int v = 0; wd->crowd && v < LEVELS; v++) {
        i /= WF__ROW;
        if (i >= wd->crowd->of[v].n)
            return;
        struct wf__crowd *s = &wd->crowd->of[v].at[i];
        s->after_all.of = s->after_none.of = s->after_no_read.of = 0;
    }
}

static inline bool may_be_own(const struct wf__crowd *s, const struct wf__probe *q)
{
    return s->lo <= q->me && q->me <= s->hi && s->blocks >> q->me % 64 & 1;
}

// All of its blocks belong to the grid.
static inline bool is_of_grid(const struct wf__crowd *s, const struct wf__probe *q)
{
    return s->lo - q->serial0 < q->n_blocks && s->hi - q->serial0 < q->n_blocks;
}

static bool knows(struct wf__known *k, const struct wf__crowd *s, const struct wf__probe *q)
{
    if (k->of != q->serial0 || !k->far || !q->far ||
        (k->far != q->far && !wf__far_same(q->cs, k->far, q->far, s->lo - k->of, s->hi - k->of)))
        return false;
    k->far = q->far;
    return true;
}

static bool is_known(struct wf__crowd *s, const struct wf__probe *q)
{
    if (q->want == WF__CROWD_MEET)
        return knows(&s->after_all, s, q);
    return knows(&s->after_none, s, q) || (!(q->rw & WF__W) && knows(&s->after_no_read, s, q));
}

static void know(struct wf__crowd *s, const struct wf__probe *q)
{
    struct wf__known *k = q->want == WF__CROWD_MEET ? &s->after_all
                          : q->rw & WF__W           ? &s->after_none
                                                    : &s->after_no_read;
    *k = (struct wf__known){q->far, q->serial0};
}

void wf__crowd_note(struct wf__word *wd, uint32_t i, const struct wf__probe *q)
{
    struct wf__crowds *c = wd->crowd;
    struct wf__crowd *row = row_of(wd, i);
    if (!row || may_be_own(row, q) || !is_of_grid(row, q))
        return;
    know(row, q);
    uint32_t up = i / WF__ROW / WF__ROW;
    if (up >= c->of[1].n || may_be_own(&c->of[1].at[up], q))
        return;
    for (uint32_t k = up * WF__ROW; k < (up + 1) * WF__ROW; k++)
        if (!is_known(&c->of[0].at[k], q))
            return;
    know(&c->of[1].at[up], q);
}

// is_first: it holds the first row.
static bool skips(struct wf__crowd *s, const struct wf__probe *q, bool is_first)
{
    bool own = may_be_own(s, q);
    if (q->is_met && is_first)
        return false;
    if (!own && q->want == WF__CROWD_OWN)
        return true;
    if (!(s->bytes & q->bytes))
        return true;
    if (q->want == WF__CROWD_MEET) {
        if (q->strong && q->strong == s->strong)
            return true;
        if (!(q->rw & WF__W) && !s->has_writes)
            return true;
        return !own && (q->is_met || is_known(s, q));
    }
    if (q->want == WF__CROWD_DROP && !(q->rw & WF__W) && !s->has_reads)
        return true; // reads stand for no writes
    return !own && is_of_grid(s, q) && (!q->far || is_known(s, q));
}

uint32_t wf__crowd_down(const struct wf__word *wd, const struct wf__probe *q, uint32_t i)
{
    const struct wf__crowds *c = wd->crowd;
    while (c && i && i % WF__ROW == 0 && i / WF__ROW <= c->of[0].n) {
        uint32_t row = i / WF__ROW, all = row / WF__ROW;
        bool is_whole = row % WF__ROW == 0 && all <= c->of[1].n;
        if (is_whole && skips(&c->of[1].at[all - 1], q, all == 1))
            i -= WF__ROW * WF__ROW;
        else if (skips(&c->of[0].at[row - 1], q, row == 1))
            i -= WF__ROW;
        else
            break;
    }
    return i;
}

uint32_t wf__crowd_up(const struct wf__word *wd, const struct wf__probe *q, uint32_t i)
{
    const struct wf__crowds *c = wd->crowd;
    while (c && i % WF__ROW == 0 && i / WF__ROW < c->of[0].n) {
        uint32_t row = i / WF__ROW, all = row / WF__ROW;
        if (row % WF__ROW == 0 && all < c->of[1].n && skips(&c->of[1].at[all], q, !all))
            i += WF__ROW * WF__ROW;
        else if (skips(&c->of[0].at[row], q, !row))
            i += WF__ROW;
        else
            break;
    }
    return i;
}

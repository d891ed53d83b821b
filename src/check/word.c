// SPDX-License-Identifier: Apache-2.0
// Words whose state does not fit in a cell: the exact list of accesses that later ones may race
// with.
//
// An access leaves the list when a later one stands for it: everything unordered with the old one
// is then unordered with the new one and conflicts with it as well. That holds when the old is
// ordered before the new, covers no bytes the new does not, was a read or the new is a write, and
// the new is at least as sensitive (weak, or of the same strength, size and scope).
#include <stdlib.h> // free
#include <string.h> // memmove

#include "base/bits.h"     // WF_EACH_LANE
#include "check/crowd.h"   // wf__crowd_down
#include "check/ctx.h"     // struct wf__acc
#include "check/sync.h"    // wf__loc_seen
#include "check/verdict.h" // wf__race_found

enum wf__clash wf__clash(const struct wf__acc *x, const struct wf__rec *e)
{
    const struct wf__grid *g = x->w->block->grid;
    if (e->flags & x->flags & WF__STRONG) {
        if (!wf__scope_holds(g, e->level, e->serial, x->serial) ||
            !wf__scope_holds(g, x->level, x->serial, e->serial))
            return WF__CLASH_SCOPE;
        return e->bytes == x->bytes ? WF__CLASH_NONE : WF__CLASH_MIXED;
    }
    if (!x->ctx->o.report_cas_guess && ((e->flags & WF__GUESS && x->flags & WF__STRONG) ||
                                        (x->flags & WF__GUESS && e->flags & WF__STRONG)))
        return WF__CLASH_NONE;
    return WF__CLASH_PLAIN;
}

static void push(struct wf__word *wd, struct wf__entry e)
{
    if (wd->n == wd->cap) {
        wd->cap = wd->cap ? 2 * wd->cap : 4;
        wd->at = wf_xrealloc(wd->at, wd->cap * sizeof *wd->at);
    }
    wd->at[wd->n++] = e;
    wd->has_reads |= !(e.flags & WF__W);
}

static void push_handle(struct wf__acc *x, struct wf__word *wd, uint32_t h, uint8_t rw)
{
    const struct wf__rec *r = &x->pool->rec[h >> 5];
    if (h >> 5 < x->pool->gone)
        return;
    if (r->kind == WF__PAIR) {
        uint32_t lane = h & 31;
        push_handle(x, wd, r->prev << 5 | ((lane + r->delta) & 31), rw);
        push_handle(x, wd, r->add << 5 | lane, rw);
        return;
    }
    uint32_t lanes = wf__rec_lanes(r, h & 31), seq = 0;
    if (rw & WF__W && r->flags & (WF__STRONG | WF__VOL)) {
        seq = ++wd->seq;
        wd->last_lane = (uint8_t)(h & 31);
    }
    if (r->bytes >= 4) {
        push(wd, (struct wf__entry){h >> 5, lanes, seq, seq, 0xf, rw});
        return;
    }
    uint8_t bytes = (uint8_t)((1u << r->bytes) - 1);
    WF_EACH_LANE(lanes, l)
    {
        push(wd, (struct wf__entry){h >> 5, 1u << l, seq, seq, bytes, rw});
        bytes = (uint8_t)(bytes << r->bytes);
    }
}

struct wf__word *wf__word_from_cell(struct wf__acc *x, uint64_t *cell)
{
    struct wf__word *wd = wf__word_of(x->pool, cell);
    if (wd)
        return wd;
    uint64_t was = *cell;
    wd = wf__word_new(x->pool, cell);
    x->ctx->stats.words_spilled++;
    if ((uint32_t)was & WF__SPILL) // of a word that is no more
        return wd;
    uint32_t h = (uint32_t)was;
    const struct wf__rec *r = &x->pool->rec[h >> 5];
    if (h >> 5 >= x->pool->gone) {
        push_handle(x, wd, h, r->flags & WF__RMW ? WF__R | WF__W : WF__W);
        wd->weak_bytes = r->flags & (WF__STRONG | WF__VOL) ? 0 : 0xf;
    }
    push_handle(x, wd, (uint32_t)(was >> 32), WF__R);
    return wd;
}

static bool same_class(const struct wf__acc *x, uint8_t rw, const struct wf__rec *r, uint8_t flags)
{
    return rw == flags && r->bytes == x->bytes && r->level == x->level &&
           !((r->flags ^ x->flags) & (WF__STRONG | WF__GUESS | WF__NC | WF__VOL)) &&
           !(r->flags & WF__ASYNC);
}

static bool stands_for(const struct wf__acc *x, uint8_t rw, const struct wf__rec *r, uint8_t flags)
{
    if (!(rw & WF__W) && flags & WF__W)
        return false;
    if (x->flags & (WF__GUESS | WF__NC))
        return !((r->flags ^ x->flags) & (WF__GUESS | WF__NC)) && !(r->flags & WF__STRONG);
    if (x->flags & WF__STRONG)
        return r->flags & WF__STRONG && r->bytes == x->bytes && r->level == x->level;
    return !(r->flags & WF__NC);
}

// Is the access of that record never to be ordered before anything, its block being gone and
// nothing of that time published?
static bool is_hopeless(const struct wf__acc *x, const struct wf__rec *r)
{
    const struct wf__grid *g = x->w->block->grid;
    uint32_t i = r->serial - g->serial0;
    return i < g->n_blocks && g->cs.blk[i].is_dead && r->epoch > g->cs.blk[i].published;
}

// A long list without a location: let a hopeless access stand for the rest of its class.
static void freeze(struct wf__acc *x, struct wf__word *wd)
{
    for (uint32_t i = 0; i < wd->n; i++) {
        struct wf__entry e = wd->at[i];
        const struct wf__rec *r = &x->pool->rec[e.rec];
        if (!e.rec || e.bytes != 0xf || !is_hopeless(x, r))
            continue;
        uint32_t n = 1;
        wd->at[i] = wd->at[0];
        for (uint32_t j = 1; j < wd->n; j++) {
            const struct wf__rec *o = &x->pool->rec[wd->at[j].rec];
            if (wd->at[j].flags == e.flags && o->bytes == r->bytes && o->level == r->level &&
                !((o->flags ^ r->flags) & (WF__STRONG | WF__GUESS | WF__NC | WF__VOL | WF__ASYNC)))
                continue;
            wd->at[n++] = wd->at[j];
        }
        wd->at[0] = e;
        wd->n = n;
        wd->is_frozen = true;
        wf__crowd_reset(wd);
        return;
    }
}

// The lanes of an entry of strong writes at a followed location have consecutive numbers, so that
// each lane's number is known; elsewhere only the newest matters.
static bool merge(const struct wf__acc *x, uint32_t lane, struct wf__word *wd, struct wf__entry e,
                  const struct wf__loc *loc)
{
    struct wf__probe q = wf__crowd_probe(x, lane, WF__CROWD_OWN, e.bytes, e.flags);
    for (uint32_t i = wd->n; (i = wf__crowd_down(wd, &q, i));) {
        struct wf__entry *o = &wd->at[--i];
        if (o->rec != e.rec || o->bytes != e.bytes || o->flags != e.flags)
            continue;
        if (loc && e.seq && (o->seq + 1 != e.seq || o->mask >= e.mask || o->seq0 <= loc->brk))
            continue;
        o->mask |= e.mask;
        o->seq = e.seq;
        wf__crowd_grown(wd, i);
        return true;
    }
    return false;
}

static bool was_seen(const struct wf__acc *x, const struct wf__word *wd, const struct wf__entry *e,
                     const struct wf__rec *r, uint32_t open, uint32_t lane, struct wf__sight *sight)
{
    uint32_t lo = e->seq0, hi = e->seq;
    if (hi - lo + 1 == wf_popcount32(e->mask)) { // numbers of the lanes in question
        lo = e->seq0 + wf_popcount32(e->mask & ((open & -open) - 1));
        hi = e->seq - wf_popcount32(e->mask & ~(UINT32_MAX >> __builtin_clz(open)));
    }
    uint64_t at = wf__acc_addr(x, wd->cell) + (uint32_t)__builtin_ctz(e->bytes);
    for (uint32_t i = 0; e->seq && i < wd->n_loc; i++) {
        const struct wf__loc *l = wd->loc[i];
        if (l->bytes == r->bytes && l->addr == (at & ~((uint64_t)r->bytes - 1)))
            return wf__loc_seen(l, x->w, lane, lo, hi, sight);
    }
    return false;
}

static bool is_stood_for(const struct wf__acc *x, const struct wf__word *wd, uint8_t rw)
{
    if (!wd->is_frozen || !wd->n || wd->at[0].bytes != 0xf)
        return false;
    const struct wf__rec *r = &x->pool->rec[wd->at[0].rec];
    return same_class(x, rw, r, wd->at[0].flags) && is_hopeless(x, r);
}

// The same access of the same epoch is there already, or one that stands for it for good: whatever
// came in between was compared with that one, and nothing was published since.
bool wf__word_again(struct wf__acc *x, struct wf__word *wd, uint32_t lanes, uint8_t bytes,
                    uint8_t rw)
{
    uint32_t rec = wf__acc_rec(x);
    struct wf__probe q = wf__crowd_probe(x, wf_ctz32(lanes), WF__CROWD_OWN, bytes, rw);
    for (uint32_t i = wd->n; (i = wf__crowd_down(wd, &q, i));) {
        struct wf__entry *e = &wd->at[--i];
        if (e->rec != rec || lanes & ~e->mask || e->bytes != bytes || e->flags != rw)
            continue;
        if (rw & WF__W) {
            if (wd->has_reads) // they may go now
                return false;
            e->seq = wd->seq += wf_popcount32(lanes);
            wd->last_lane = (uint8_t)(31 - __builtin_clz(lanes));
        }
        return !(wd->weak_bytes & bytes);
    }
    return wd->n == 1 && !wd->weak_bytes && is_stood_for(x, wd, rw) &&
           wf__clash(x, &x->pool->rec[wd->at[0].rec]) == WF__CLASH_NONE;
}

// Some lanes of an entry of strong writes go. Where each lane's number is known the others keep theirs:
// what stands above the first gap becomes an entry of its own, which the caller comes to later.
static void drop_lanes(struct wf__word *wd, struct wf__entry *e, uint32_t gone)
{
    bool is_numbered = e->seq - e->seq0 + 1 == wf_popcount32(e->mask);
    while (is_numbered && e->mask & gone) {
        uint32_t low = e->mask & -e->mask;
        if (low & gone) {
            e->mask &= ~low;
            e->seq0++;
            continue;
        }
        uint32_t first = e->mask & gone & -(e->mask & gone); // the first gap
        struct wf__entry above = *e;
        above.mask = e->mask & ~(first - 1);
        e->mask &= first - 1;
        above.seq0 = e->seq0 + wf_popcount32(e->mask);
        e->seq = above.seq0 - 1;
        push(wd, above);
    }
    e->mask &= ~gone;
}

// Entries that were taken out leave their places when there are many of them, or few entries at all.
static void close_ranks(struct wf__word *wd)
{
    uint32_t n = 0;
    if (!wd->n_out || (wd->n > 2 * WF__ROW && wd->n_out < wd->n / 2))
        return;
    for (uint32_t i = 0; i < wd->n; i++)
        if (wd->at[i].rec)
            wd->at[n++] = wd->at[i];
    wd->n = n;
    wd->n_out = 0;
    wf__crowd_reset(wd);
}

// Entry i, which the access may stand for: returns whether none of its lanes are ordered before it.
static bool drop_from(struct wf__acc *x, struct wf__word *wd, uint32_t i, uint32_t lane, uint8_t bytes, bool is_gone)
{
    struct wf__entry e = wd->at[i];
    uint32_t before = is_gone ? e.mask : wf__acc_before(x, &x->pool->rec[e.rec], e.mask, lane);
    if (before == e.mask)
        e.bytes &= (uint8_t)~bytes;
    else if (before && !(e.bytes & ~bytes))
        drop_lanes(wd, &e, before);
    bool is_out = !e.bytes || !e.mask;
    wd->at[i] = is_out ? (struct wf__entry){0} : e;
    wd->n_out += is_out;
    return !before;
}

// Takes out what the access stands for. raced: entries that a race was told of count as ordered.
static void drop_old(struct wf__acc *x, struct wf__word *wd, uint32_t lane, uint8_t bytes,
                     uint8_t rw, uint64_t raced)
{
    struct wf__probe q = wf__crowd_probe(x, lane, WF__CROWD_DROP, bytes, rw);
    bool none = true; // of this row
    q.is_met = raced;
    wf__crowd_update(x, wd);
    wd->has_reads = false;
    for (uint32_t i = 0, next; i < wd->n; i++) {
        next = wf__crowd_up(wd, &q, i);
        wd->has_reads |= next > i; // as far as one knows
        i = next;
        if (i >= wd->n)
            break;
        const struct wf__entry *e = &wd->at[i];
        const struct wf__rec *r = &x->pool->rec[e->rec];
        none = (none || i % WF__ROW == 0) && (!e->rec || e->rec >= x->pool->first);
        if (e->rec && e->rec < x->pool->gone) {
            wd->at[i] = (struct wf__entry){0};
            wd->n_out++;
        } else if (e->rec && e->bytes & bytes && stands_for(x, rw, r, e->flags)) {
            bool is_gone = e->rec < x->pool->first || (i < WF__ROW && raced >> i & 1);
            none &= drop_from(x, wd, i, lane, bytes, is_gone);
        } else if (e->rec && (rw & WF__W || !(e->flags & WF__W))) {
            none = false;
        }
        wd->has_reads |= wd->at[i].rec && !(wd->at[i].flags & WF__W);
        if (none && i % WF__ROW == WF__ROW - 1)
            wf__crowd_note(wd, i, &q);
    }
    close_ranks(wd);
}

// Compares with all that may race: entries that do are returned (of the first row).
static uint64_t meet(struct wf__acc *x, struct wf__word *wd, uint32_t lane, uint8_t bytes, uint8_t rw)
{
    struct wf__probe q = wf__crowd_probe(x, lane, WF__CROWD_MEET, bytes, rw);
    struct wf__sight sight = {0};
    uint64_t raced = 0;
    uint8_t told[3] = {0};
    bool all = false; // of this row come before
    wf__crowd_update(x, wd);
    for (uint32_t i = wd->n; (i = wf__crowd_down(wd, &q, i));) {
        const struct wf__entry *e = &wd->at[--i];
        all |= i % WF__ROW == WF__ROW - 1;
        if (!e->rec)
            continue;
        if (!(e->bytes & bytes) || !((e->flags | rw) & WF__W) || e->rec < x->pool->first) {
            all = false;
            continue;
        }
        const struct wf__rec *r = &x->pool->rec[e->rec];
        enum wf__clash clash = WF__CLASH_NONE; // the common case
        if (!(r->flags & x->flags & WF__STRONG && r->bytes == x->bytes && r->level >= WF_SCOPE_GPU &&
              x->level >= WF_SCOPE_GPU))
            clash = wf__clash(x, r);
        if (clash == WF__CLASH_NONE) {
            all = false;
            continue;
        }
        x->is_conflict = true;
        uint32_t open = e->mask & ~wf__acc_before(x, r, e->mask, lane);
        x->is_conflict = false;
        all &= !open;
        if (all && i % WF__ROW == 0)
            wf__crowd_note(wd, i, &q);
        uint32_t reach = wf__acc_reach(x, r);
        uint8_t now = (uint8_t)(e->bytes & bytes & ~told[reach]);
        if (!open || (!now && i >= WF__ROW) || was_seen(x, wd, e, r, open, lane, &sight))
            continue;
        raced |= i < WF__ROW ? UINT64_C(1) << i : 0;
        if (now)
            wf__race_found(x, lane, wf__acc_addr(x, wd->cell), now, r, wf_ctz32(open), clash, wd,
                           rw & WF__W);
        told[reach] |= now;
        q.is_met = told[2] == bytes;
    }
    return raced;
}

void wf__word_touch(struct wf__acc *x, struct wf__word *wd, uint32_t lane, uint8_t bytes,
                    uint8_t rw, uint32_t seq, const struct wf__loc *loc)
{
    uint64_t raced = meet(x, wd, lane, bytes, rw);
    if (rw & WF__W) {
        bool plain = !(x->flags & (WF__STRONG | WF__VOL));
        wd->weak_bytes = (uint8_t)(plain ? wd->weak_bytes | bytes : wd->weak_bytes & ~bytes);
        if (!plain) {
            wd->last_lane = (uint8_t)lane;
        } else {
            wd->cut = wd->seq;
            wd->cut_bytes |= bytes;
        }
    }
    bool chains = x->flags & WF__STRONG && (x->flags & WF__RMW || !(rw & WF__W));
    struct wf__entry e = {wf__acc_rec(x), 1u << lane, seq, seq, bytes, rw};
    if (!chains || loc || (rw & WF__W && wd->has_reads)) // a write stands for reads before it
        drop_old(x, wd, lane, bytes, rw, raced);
    if (is_stood_for(x, wd, rw) || merge(x, lane, wd, e, loc))
        return;
    if (chains && !loc && wd->n >= 8)
        drop_old(x, wd, lane, bytes, rw, raced);
    if (wd->n >= 16 && !wd->n_loc && (wd->n & (wd->n - 1)) == 0)
        freeze(x, wd);
    if (!is_stood_for(x, wd, rw))
        push(wd, e);
}

void wf__word_shrink(struct wf__acc *x, struct wf__word *wd)
{
    if (wd->n_loc || wd->n > 2)
        return;
    uint32_t h[2] = {0, 0};
    for (uint32_t i = 0; i < wd->n; i++) {
        const struct wf__entry *e = &wd->at[i];
        const struct wf__rec *r = &x->pool->rec[e->rec];
        uint32_t half = e->flags & WF__W ? 0 : 1;
        if (e->bytes != 0xf || r->kind != WF__ACC || r->bytes < 4 || h[half] ||
            wf_popcount32(e->mask) != 1 || r->flags & (WF__STRONG | WF__GUESS | WF__NC))
            return;
        h[half] = e->rec << 5 | wf_ctz32(e->mask);
    }
    uint64_t *cell = wd->cell;
    wf__word_free(x->pool, wd);
    *cell = (uint64_t)h[1] << 32 | h[0];
}

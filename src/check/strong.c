// SPDX-License-Identifier: Apache-2.0
// Strong accesses: compared like all others, then passed through their location (sync.h), so that
// an acquire does not excuse the access that made it. A location is made when somebody attaches
// something or reads another thread's strong write; a histogram whose results nobody uses never
// needs one.
#include "base/bits.h"     // WF_EACH_LANE
#include "check/access.h"  // wf__strong_access
#include "check/sync.h"    // wf__loc_access
#include "check/verdict.h" // wf__seen_note

static struct wf__loc *loc_of(const struct wf__word *wd, uint64_t addr, uint8_t bytes)
{
    for (uint32_t i = 0; i < wd->n_loc; i++)
        if (wd->loc[i]->addr == addr && wd->loc[i]->bytes == bytes)
            return wd->loc[i];
    return NULL;
}

static void loc_put(struct wf__word *wd, struct wf__loc *l)
{
    if (loc_of(wd, l->addr, l->bytes) == l)
        return;
    wd->loc = wf_xrealloc(wd->loc, (wd->n_loc + 1u) * sizeof(struct wf__loc *));
    wd->loc[wd->n_loc++] = l;
}

// A location made late: what its word knows of earlier strong writes becomes its history.
static struct wf__loc *loc_make(struct wf__acc *x, struct wf__word *wd, uint64_t addr,
                                uint8_t bytes)
{
    struct wf__loc *l = wf__loc_new(wd, addr, x->bytes);
    const struct wf__entry *last = NULL;
    l->next = x->pool->locs;
    x->pool->locs = l;
    l->seq = wd->seq;
    l->brk = wd->cut_bytes & bytes ? wd->cut : 0;
    for (uint32_t i = 0; i < wd->n; i++) {
        const struct wf__entry *e = &wd->at[i];
        if (!e->seq || !(e->bytes & bytes) || e->rec < x->pool->first)
            continue;
        if (!last || e->seq > last->seq)
            last = e;
        if (!x->pool->rec[e->rec].site->is_poll)
            l->signal = x->pool->rec[e->rec].site;
        if ((!(x->pool->rec[e->rec].flags & WF__RMW) || e->bytes != bytes) && e->seq > l->brk)
            l->brk = e->seq - 1;
    }
    if (!last)
        return l;
    const struct wf__rec *r = &x->pool->rec[last->rec];
    l->is_set = true;
    l->is_strong = !(wd->weak_bytes & bytes) && r->bytes == x->bytes && last->bytes == bytes;
    for (uint32_t i = 1; i < x->bytes / 4u; i++) { // the other words must hold the same write
        const struct wf__word *o = wf__word_from_cell(x, wd->cell + i);
        const struct wf__entry *newest = NULL;
        for (uint32_t j = 0; j < o->n; j++)
            if (o->at[j].seq && (!newest || o->at[j].seq > newest->seq))
                newest = &o->at[j];
        l->is_strong &= !o->weak_bytes && newest && newest->rec == last->rec;
    }
    l->serial = r->serial;
    l->warp = r->warp;
    l->lane = wd->last_lane;
    l->level = r->level;
    return l;
}

// Is there a strong write by another thread that a read would see?
static bool has_foreign(const struct wf__acc *x, const uint64_t *cell, uint32_t lane)
{
    uint32_t h = (uint32_t)*cell;
    if (h & WF__SPILL || wf__is_old(x->pool, h))
        return false;
    const struct wf__rec *r = &x->pool->rec[h >> 5];
    return r->flags & (WF__STRONG | WF__VOL) &&
           (r->serial != x->serial || r->warp != x->w->index || (h & 31) != lane);
}

static bool word_has_foreign(const struct wf__acc *x, const struct wf__word *wd, uint32_t lane)
{
    for (uint32_t i = 0; wd->seq && i < wd->n; i++) {
        const struct wf__rec *r = &x->pool->rec[wd->at[i].rec];
        if (wd->at[i].seq && wd->at[i].rec >= x->pool->first &&
            (r->serial != x->serial || r->warp != x->w->index || wd->at[i].mask != 1u << lane))
            return true;
    }
    return false;
}

static void strong_element(struct wf__acc *x, uint64_t addr, uint32_t lane, bool writes)
{
    const struct wf_site *s = x->site;
    uint64_t *cell = wf__acc_cell(x, addr);
    uint32_t n = x->bytes > 4 ? x->bytes / 4 : 1, off = addr & 3;
    bool reads = s->is_read || s->is_atomic;
    uint8_t bytes = (uint8_t)(x->bytes >= 4 ? 0xfu : ((1u << x->bytes) - 1) << off);
    uint8_t rw = (uint8_t)((reads ? WF__R : 0) | (writes ? WF__W : 0));
    bool watches = reads && !s->is_red && !s->result_unused;
    struct wf__word *wd = wf__word_of(x->pool, cell);
    bool needs = wf__wants_loc(x->w, lane, s, writes) || (wd && wd->n_loc) ||
                 (watches && (wd ? word_has_foreign(x, wd, lane) : has_foreign(x, cell, lane)));
    uint32_t first = x->pool->first;
    if (!needs && !wd && n == 1 && bytes == 0xf && (uint32_t)*cell >> 5 < first &&
        (uint32_t)(*cell >> 32) >> 5 < first) {
        uint64_t h = wf__acc_rec(x) << 5 | lane;
        *cell = writes ? h : h << 32 | (uint32_t)*cell;
        return;
    }
    if (wd && !needs && n == 1 && wf__word_again(x, wd, 1u << lane, bytes, rw))
        return;
    wd = wf__word_from_cell(x, cell);
    struct wf__loc *loc = needs ? loc_of(wd, addr, x->bytes) : NULL;
    if (needs && !loc)
        loc = loc_make(x, wd, addr, bytes);
    uint32_t seq = 0; // above all numbers that any of its words has given out
    for (uint32_t i = 0; writes && i < n; i++) {
        const struct wf__word *wi = i ? wf__word_from_cell(x, cell + i) : wd;
        seq = wi->seq >= seq ? wi->seq + 1 : seq;
    }
    if (loc && loc->seq + 1 > seq)
        seq = writes ? loc->seq + 1 : 0;
    else if (loc && writes)
        loc->seq = seq - 1;
    for (uint32_t i = 0; i < n; i++) {
        struct wf__word *wi = i ? wf__word_from_cell(x, cell + i) : wd;
        if (loc)
            loc_put(wi, loc);
        wf__word_touch(x, wi, lane, bytes, rw, seq, loc);
        if (!writes)
            continue;
        wi->seq = wi->seq > seq ? wi->seq : seq;
        for (uint32_t j = 0; j < wi->n_loc; j++) // a write of other bytes breaks what these had
            if (wi->loc[j] != loc && wi->loc[j]->addr < addr + x->bytes &&
                addr < wi->loc[j]->addr + wi->loc[j]->bytes)
                wf__loc_weak_write(wi->loc[j]);
    }
    if (!loc)
        return;
    struct wf__step st = {.site = s, .reads = reads, .writes = writes};
    wf__loc_access(x->w, lane, loc, &st);
    if (st.saw && watches)
        wf__seen_note(x, lane, loc);
    x->rec = 0; // the epoch may have changed
}

// Atomics on words whose results nobody uses, by lanes that have nothing to attach: only accesses to the same word
// matter to them.
static bool is_bare(const struct wf__acc *x)
{
    const struct wf_site *s = x->site;
    uint32_t mask = x->ev->mask;
    if (!s->is_atomic || (!s->is_red && !s->result_unused) || x->ev->writes != mask || s->bytes != 4 || s->elements != 1)
        return false;
    WF_EACH_LANE(x->w->ext || x->w->split ? mask : mask & -mask, l)
    {
        if (wf__wants_loc(x->w, l, s, true))
            return false;
    }
    return true;
}

bool wf__strong_at_one(struct wf__acc *x, uint64_t addr)
{
    if (addr % 4 || addr - x->addr0 + 4 > x->limit || !is_bare(x))
        return false;
    struct wf__word *wd = wf__word_of(x->pool, wf__acc_cell(x, addr));
    return wd && !wd->n_loc && wf__word_again(x, wd, x->ev->mask, 0xf, WF__R | WF__W);
}

// One lane of a bare access; false: it has to go the long way.
static bool bare_lane(struct wf__acc *x, uint64_t addr, uint32_t lane)
{
    uint64_t *cell = wf__acc_cell(x, addr), c = *cell;
    if ((uint32_t)c & WF__SPILL) {
        struct wf__word *wd = wf__word_of(x->pool, cell);
        if (wd && (wd->n_loc || !wf__word_again(x, wd, 1u << lane, 0xf, WF__R | WF__W)))
            return false;
        if (wd)
            return true;
        c = 0; // of a word that is no more
    }
    uint32_t h = wf__acc_rec(x) << 5 | lane;
    if (!wf__is_old(x->pool, (uint32_t)c) || !wf__is_old(x->pool, (uint32_t)(c >> 32)))
        return (uint32_t)c == h && wf__is_old(x->pool, (uint32_t)(c >> 32));
    *cell = h;
    return true;
}

void wf__strong_access(struct wf__acc *x, const uint64_t *addr)
{
    const struct wf_site *s = x->site;
    bool bare = is_bare(x);
    WF_EACH_LANE(x->ev->mask, l)
    {
        if (bare && addr[l] % 4 == 0 && addr[l] - x->addr0 + 4 <= x->limit && bare_lane(x, addr[l], l))
            continue;
        for (uint32_t e = 0; e < s->elements; e++) {
            uint64_t at = addr[l] + (uint64_t)e * s->bytes;
            if (at - x->addr0 + s->bytes > x->limit || at % s->bytes)
                continue;
            bool writes = s->is_atomic ? x->ev->writes >> l & 1 : s->is_write;
            strong_element(x, at, l, writes);
        }
    }
}

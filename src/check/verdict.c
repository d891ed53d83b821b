// SPDX-License-Identifier: Apache-2.0
// Findings of the race checker: kind, sentence, why, mend. See verdict.h.
#include "check/verdict.h"

#include <stdio.h>  // snprintf
#include <stdlib.h> // free
#include <string.h> // memcmp

#include "base/vec.h"     // WF_VEC
#include "check/say.h"    // wf__say_race
#include "check/hostmem.h" // wf__say_launches
#include "check/where.h"  // wf__where_object
#include "core/loc.h"     // wf_loc_user
#include "core/finding.h" // wf_finding_add
#include "mem/space.h"    // wf_space_get

struct told { // a finding that came up, and how often since the store was told
    const struct wf_site *now, *then;
    uint8_t shape;
    bool in_store;
    // Found between lanes of one warp only, so far: told at the end of the launch, as what it turns
    // out to be. alt is the same fault in the words for threads of one block.
    bool waits, is_store_pair; // the pair: two plain stores of one line
    uint64_t times, extra;
    struct wf_finding f, alt;
};
static WF_VEC(struct told *) told;
static struct told *recent[256];

#define LINKS_TRIED 64 // occurrences of one pair of sites that are looked at closely

static bool is_block_race(const struct told *t)
{
    return t->in_store && (t->f.kind == WF_F_RACE_SHARED || t->f.kind == WF_F_RACE_GLOBAL ||
                           t->f.kind == WF_F_FENCE_RELEASE);
}

static bool same_line(const struct wf_site *a, const struct wf_site *b)
{
    if (a == b)
        return true;
    const struct wf_loc *x = wf_loc_user(a->loc), *y = wf_loc_user(b->loc);
    return x->file && y->file && x->line == y->line && strcmp(x->file, y->file) == 0;
}

// Two plain stores of one line. If the line's store also races with an atomic that is the fault, and mending
// it mends this; if the line also reads what it stores it is an update.
static void settle_stores(struct told *t)
{
    bool updates = false;
    t->waits = false;
    for (size_t i = 0; i < told.n; i++) {
        const struct told *o = told.at[i];
        if (o->in_store && (o->now == t->now || o->then == t->now) && o->now->is_atomic != o->then->is_atomic)
            return;
        updates |= o->in_store && same_line(o->now, t->now) && same_line(o->then, t->now) &&
                   o->now->is_write != o->then->is_write && !o->now->is_atomic;
    }
    if (updates)
        wf__say_update(&t->f, t->now->loc);
    t->f.count = 1;
    t->in_store = true;
    wf_finding_add(&t->f);
}

// Lanes of one warp race in these two lines. If threads of different warps race there too the fault
// is known already; if they race in one of them it is the same fault, and __syncwarp() would not
// mend it.
static void settle_warp(struct told *t)
{
    bool same = false, alike = false;
    for (size_t i = 0; i < told.n; i++) {
        const struct told *o = told.at[i];
        if (!is_block_race(o))
            continue;
        bool now_now = same_line(o->now, t->now), then_then = same_line(o->then, t->then);
        bool now_then = same_line(o->now, t->then), then_now = same_line(o->then, t->now);
        same |= (now_now && then_then) || (now_then && then_now);
        alike |= now_now || then_then || now_then || then_now;
    }
    t->waits = false;
    if (same)
        return;
    if (alike)
        t->f = t->alt;
    t->f.count = 1;
    t->in_store = true;
    wf_finding_add(&t->f);
}

void wf__races_flush(void)
{
    for (size_t i = 0; i < told.n; i++)
        if (told.at[i]->waits && !told.at[i]->is_store_pair)
            settle_warp(told.at[i]);
    for (size_t i = 0; i < told.n; i++)
        if (told.at[i]->waits)
            settle_stores(told.at[i]);
    for (size_t i = 0; i < told.n; i++) {
        struct told *t = told.at[i];
        if (!t->extra || !t->in_store)
            continue;
        t->f.count = t->extra;
        wf_finding_add(&t->f);
        t->extra = 0;
    }
}

void wf__races_fini(void)
{
    for (size_t i = 0; i < told.n; i++)
        free(told.at[i]);
    WF_VEC_FINI(&told);
    memset(recent, 0, sizeof recent);
}

static const struct wf_site *raced_read(const struct told *t, const struct wf_ev_grid *g)
{
    if (!t->f.kernel || strcmp(t->f.kernel, g->launch->kernel) != 0 || t->f.severity != WF_SEV_ERROR || !(t->in_store || t->waits))
        return NULL;
    const struct wf_site *s = t->now->is_write ? t->then : t->now;
    return s->is_write || s->is_atomic ? NULL : s;
}

uint32_t wf__raced_reads(const struct wf_ev_grid *g, const struct wf_site **out, uint32_t most)
{
    uint32_t n = 0;
    for (size_t i = 0; i < told.n && n < most; i++) {
        const struct wf_site *s = raced_read(told.at[i], g);
        if (s)
            out[n++] = s;
    }
    return n;
}

// Another read of what the same write races with already, run because of what the first one read: the same order is
// missing.
static const struct wf_site *comes_of(const struct wf__pair *p)
{
    const struct wf_ev_grid *g = p->x->w->block->grid->ev;
    const struct wf_site *a = p->x->site, *b = p->e->site;
    const struct wf_site *read = a->is_write ? b : a, *write = a->is_write ? a : b;
    for (size_t i = 0; i < told.n && g->rests_on && !read->is_write && write->is_write; i++) {
        const struct told *t = told.at[i];
        const struct wf_site *r = raced_read(t, g), *w = r == t->now ? t->then : t->now;
        if (r && r != read && w == write && g->rests_on(g, read, r))
            return r;
    }
    return NULL;
}

static struct told *told_find(const struct wf_site *now, const struct wf_site *then, uint8_t shape)
{
    uint32_t slot = (now->id * 31 + then->id * 7 + shape) & 255;
    struct told *t = recent[slot];
    if (t && t->now == now && t->then == then && t->shape == shape)
        return t;
    t = NULL;
    for (size_t i = 0; i < told.n && !t; i++)
        if (told.at[i]->now == now && told.at[i]->then == then && told.at[i]->shape == shape)
            t = told.at[i];
    if (!t) {
        t = wf_xcalloc(1, sizeof *t);
        t->now = now;
        t->then = then;
        t->shape = shape;
        WF_PUSH(&told, t);
    }
    recent[slot] = t;
    return t;
}

// The kind of a plain clash, with its words.
static enum wf_finding_kind judge(struct wf__pair *p, const struct wf__word *word,
                                  struct wf_finding *f)
{
    if (p->is_async)
        p->same_warp = false; // a copy is no lane
    struct wf__link k;
    const struct wf__acc *x = p->x;
    uint32_t index = p->e->serial - x->w->block->grid->serial0;
    // Told by a link, strong accesses lack an acquire at most, which is advice: not where a lock is taken.
    if ((p->clash == WF__CLASH_SCOPE || (p->is_volatile && p->clash == WF__CLASH_PLAIN)) && !p->same_warp && !p->is_async &&
        index < x->w->block->grid->n_blocks && wf__link_find(p->x, p->lane, p->e, p->other, word, &k) && k.released &&
        !k.is_narrow && !k.acquired && !k.read->is_cas)
        return wf__say_link(p, f, &k);
    if (p->clash == WF__CLASH_SCOPE)
        return wf__say_scope(p, f), WF_F_RACE_SCOPE;
    if (p->clash == WF__CLASH_MIXED)
        return wf__say_mixed(p, f), WF_F_RACE_MIXED_SIZE;
    if (index >= x->w->block->grid->n_blocks) { // without an order of the host's to go by
        snprintf(f->sentence, sizeof f->sentence,
                 "A %s of one launch and a %s of another meet in the same bytes, and nothing orders the two "
                 "launches.",
                 p->now_writes ? "write" : "read", p->then_writes ? "write" : "read");
        snprintf(f->why, sizeof f->why,
                 "the two launches are in different streams and nothing orders them");
        snprintf(f->fix, sizeof f->fix, "order the streams by an event, or use one stream");
        return WF_F_HOST_STREAM_RACE;
    }
    if (p->is_read_only)
        return wf__say_read_only(p, f), WF_F_RACE_GLOBAL;
    // Lanes of a warp meet at __syncwarp(), unless one of them waits for what the other signals.
    if (!p->is_async && !p->is_volatile && wf__link_find(p->x, p->lane, p->e, p->other, word, &k) &&
        (!p->same_warp || k.read->is_poll)) {
        p->is_relaxed = !k.read->is_write && !k.read->is_volatile;
        return wf__say_link(p, f, &k);
    }
    if (p->is_volatile && !p->same_warp)
        return wf__say_volatile(p, f), WF_F_RACE_VOLATILE;
    wf__say_race(p, f);
    if (p->same_warp)
        return WF_F_RACE_WARP;
    return x->is_shared ? WF_F_RACE_SHARED : WF_F_RACE_GLOBAL;
}

// Reads of the read-only path are never before a write of their kernel; would another read be?
static bool is_read_only(const struct wf__pair *p)
{
    const struct wf__acc *x = p->x;
    const struct wf__rec *e = p->e;
    if (!(e->flags & WF__NC) || e->flags & WF__ASYNC || e->warp >= WF__AGENT || p->clash != WF__CLASH_PLAIN)
        return false;
    return (e->serial == x->serial && e->epoch <= x->base) ||
           wf__covers(x->w, p->lane, e->serial, e->warp, 1u << p->other, e->epoch);
}

// Does the plain store put down what is there already? Known where the bytes can be looked at (not in the shared memory
// of other blocks), and among the lanes of one store.
static bool stores_same(const struct wf__pair *p)
{
    const struct wf__acc *x = p->x;
    if (!p->now_writes || !p->then_writes || !x->ev || !x->ev->value ||
        (x->flags | p->e->flags) & (WF__STRONG | WF__VOL | WF__ASYNC) || x->site->elements != 1)
        return false;
    if (p->same_warp && p->e->site == x->site && p->e->epoch == x->w->epoch)
        return x->ev->value[p->lane] == x->ev->value[p->other];
    struct wf_mem_block b;
    uint64_t start = p->addr & ~(uint64_t)(x->site->bytes - 1);
    if (x->is_shared) {
        const uint8_t *s = x->w->block->ev->shared;
        return s && x->ev->owner_rank == x->w->block->ev->rank && x->addr0 == 0 &&
               memcmp(s + start, &x->ev->value[p->lane], x->site->bytes) == 0;
    }
    if (!wf_heap_find(start, &b) || start < b.addr ||
        start - b.addr + x->bytes > b.bytes)
        return false;
    const struct wf_space *s = wf_space_get(NULL);
    return s && memcmp(wf_space_host(s, start), &x->ev->value[p->lane], x->site->bytes) == 0;
}

static void finish(struct wf__pair *p, struct wf_finding *f)
{
    const struct wf_launch *l = p->x->w->block->grid->ev->launch;
    wf__where_object(f, p->x->is_shared, p->addr);
    struct wf_party *a = &f->party[0], *b = &f->party[1];
    a->role = b->role = WF_PARTY_ACCESS;
    a->loc = p->x->site->loc;
    b->loc = p->e->site->loc;
    wf__where_thread(a, l, p->x->w->block->index, p->x->w->index, p->lane);
    const struct wf__grid *g = p->x->w->block->grid;
    uint32_t index = p->e->serial - g->serial0;
    const struct wf__work *other = index < g->n_blocks ? NULL : wf__work_of(p->x->ctx, p->e->serial);
    if (p->e->warp < WF__AGENT && (index < g->n_blocks || other))
        wf__where_thread(b, other ? &other->launch : l, other ? p->e->serial - other->serial0 : index,
                         p->e->warp, p->other);
    wf__where_op(a, p->x->site, p->now_bytes, p->now_writes);
    wf__where_op(b, p->e->site, p->then_bytes, p->then_writes);
    if (p->is_async)
        snprintf(p->x->flags & WF__ASYNC ? a->note : b->note, sizeof a->note,
                 "asynchronous copy, not waited for");
}

// A plain clash with another launch.
static bool say_launches(const struct wf__pair *p)
{
    const struct wf__grid *g = p->x->w->block->grid;
    const struct wf__work *other =
        g->work && p->e->serial - g->serial0 >= g->n_blocks ? wf__work_of(p->x->ctx, p->e->serial) : NULL;
    if (!other)
        return false;
    struct wf__side now = {.work = g->work,
                           .site = p->x->site,
                           .block = p->x->w->block->index,
                           .warp = p->x->w->index,
                           .lane = p->lane,
                           .bytes = p->now_bytes,
                           .writes = p->now_writes,
                           .is_mild = p->is_volatile || p->same_value};
    struct wf__side then = {.work = other,
                            .site = p->e->site,
                            .block = p->e->serial - other->serial0,
                            .warp = p->e->warp,
                            .lane = p->other,
                            .bytes = p->then_bytes,
                            .writes = p->then_writes};
    wf__say_streams(&now, &then, p->addr);
    return true;
}

// The block's threads have met at different barriers: what its accesses do since then is no news.
static void follows(struct wf_finding *f)
{
    if (f->severity == WF_SEV_ERROR)
        f->severity = WF_SEV_WARNING;
    size_t n = strlen(f->why);
    snprintf(f->why + n, sizeof f->why - n,
             "%sthreads of this block had met wrongly at a barrier before, which may be why", n ? "; " : "");
}

static void follows_read(struct wf_finding *f, const struct wf_site *r)
{
    size_t n = strlen(f->why);
    f->severity = WF_SEV_WARNING;
    snprintf(f->why + n, sizeof f->why - n, "; line %u reads in the same race what decides about this read",
             wf_loc_user(r->loc)->line);
}

// A loop waits for a plain read that races with the write it waits for: the optimized program may read once.
static void note_hoistable(const struct wf__pair *p, const struct wf_finding *race)
{
    const struct wf_site *s[2] = {p->x->site, p->e->site};
    const struct wf_loc *loc[2] = {p->now, p->then};
    bool writes[2] = {p->now_writes, p->then_writes};
    for (int i = 0; i < 2; i++) {
        if (!s[i]->is_poll || s[i]->order != WF_ORD_WEAK || s[i]->is_volatile || writes[i] || !writes[1 - i])
            continue;
        struct wf_finding f = wf_finding_make(WF_F_SPIN_HOISTED, race->kernel, race->launch);
        f.severity = WF_SEV_WARNING;
        struct wf_party *a = wf_finding_party(&f, WF_PARTY_WAITER, loc[i]);
        snprintf(a->op, sizeof a->op, "%s", s[i]->what);
        a = wf_finding_party(&f, WF_PARTY_RELEASER, loc[1 - i]);
        snprintf(a->op, sizeof a->op, "%s", s[1 - i]->what);
        snprintf(f.sentence, sizeof f.sentence,
                 "The loop waits for a plain read, which the optimizer may do once, before the loop: it then never "
                 "ends.");
        snprintf(f.why, sizeof f.why, "this build keeps the read in the loop; --opt shows the optimized one");
        snprintf(f.fix, sizeof f.fix, "%s", race->fix);
        wf_finding_add(&f);
        return;
    }
}

// Findings that the end of the launch tells, when more is known: lanes of one warp, two stores of one line.
static bool hold_back(struct told *t, const struct wf__pair *p, const struct wf_finding *f)
{
    bool is_race = f->kind == WF_F_RACE_SHARED || f->kind == WF_F_RACE_GLOBAL;
    if (f->kind == WF_F_RACE_WARP) {
        struct wf__pair q = *p;
        q.same_warp = false;
        t->alt = *f;
        wf__say_race(&q, &t->alt);
        t->alt.kind = p->x->is_shared ? WF_F_RACE_SHARED : WF_F_RACE_GLOBAL;
        t->times = LINKS_TRIED; // there is no more to learn from others of them
    } else if (is_race && p->x->site == p->e->site && p->now_writes && !p->x->site->is_atomic && !t->in_store &&
               !p->is_async) {
        t->is_store_pair = true;
    } else {
        return false;
    }
    t->f = *f;
    t->waits = true;
    return true;
}

void wf__race_found(struct wf__acc *x, uint32_t lane, uint64_t addr, uint8_t bytes,
                    const struct wf__rec *e, uint32_t other, enum wf__clash clash,
                    const struct wf__word *word, bool is_write)
{
    struct wf__ctx *c = x->ctx;
    if (c->on_race)
        c->on_race(c->on_race_arg, x, lane, addr, bytes);
    if (e->flags & WF__W && x->flags & WF__R && !c->no_plain_flags &&
        !(e->flags & (WF__STRONG | WF__VOL | WF__ASYNC)))
        wf__sc_observe(x->w, lane, e->serial, e->warp, other, e->epoch);
    bool small = clash == WF__CLASH_MIXED && x->bytes + e->bytes == 6 && !c->o.report_mixed_small;
    if (small)
        return;
    struct wf__pair p = {.x = x,
                         .e = e,
                         .lane = lane,
                         .other = other,
                         .clash = clash,
                         .addr = addr + (uint32_t)__builtin_ctz(bytes),
                         .now_bytes = x->flags & WF__ASYNC && x->rec ? x->pool->rec[x->rec].bytes : x->bytes,
                         .then_bytes = e->bytes,
                         .now_writes = is_write,
                         .then_writes = e->flags & WF__W};
    p.same_block = e->serial == x->serial;
    p.same_warp = p.same_block && e->warp == x->w->index && other != lane;
    p.is_async = (e->flags | x->flags) & WF__ASYNC || e->warp >= WF__AGENT;
    p.is_volatile = (e->flags | x->flags) & WF__VOL && e->flags & (WF__VOL | WF__STRONG) &&
                    x->flags & (WF__VOL | WF__STRONG);
    p.is_read_only = is_read_only(&p);
    p.same_value = stores_same(&p);
    if (p.same_value && c->o.mute_same_value)
        return;
    if (clash == WF__CLASH_PLAIN && say_launches(&p))
        return;
    uint8_t shape = (uint8_t)((is_write ? 1 : 0) | (p.same_warp ? 2 : 0) | (p.same_block ? 4 : 0) |
                              (p.same_value ? 8 : 0) | clash << 4 | (x->is_shared ? 128 : 0));
    struct told *t = told_find(x->site, e->site, shape);
    if (t->waits || t->times++ >= LINKS_TRIED) {
        t->extra++;
        return;
    }
    wf__where_common(x->site->loc, e->site->loc, &p.now, &p.then);
    p.one_function =
        p.now->function && p.then->function && strcmp(p.now->function, p.then->function) == 0;
    struct wf_finding f =
        wf_finding_make(WF_F_RACE_GLOBAL, x->site->kernel, x->w->block->grid->ev->launch->id);
    f.n_parties = 2;
    f.weight = !p.same_block; // what mends it between blocks mends it within one, but not the other way round
    f.kind = judge(&p, word, &f);
    f.severity = wf_finding_default_severity(f.kind);
    if (f.kind == WF_F_FENCE_ACQUIRE && !p.is_relaxed)
        f.severity = WF_SEV_ADVICE; // design: the reading side alone is advice, where the source cannot say it otherwise
    if (p.is_read_only)
        f.severity = WF_SEV_WARNING;
    if (p.same_value) {
        f.severity = WF_SEV_WARNING;
        snprintf(f.party[0].note, sizeof f.party[0].note, "stores the value that is there already");
    }
    finish(&p, &f);
    if (p.same_block && x->w->block->ev->is_mixed_up)
        follows(&f);
    const struct wf_site *first = f.severity == WF_SEV_ERROR ? comes_of(&p) : NULL;
    if (first)
        follows_read(&f, first);
    if (f.kind == WF_F_RACE_SHARED || f.kind == WF_F_RACE_GLOBAL)
        note_hoistable(&p, &f);
    if (hold_back(t, &p, &f))
        return;
    if (t->in_store && t->f.kind == f.kind && t->f.severity <= f.severity) {
        t->extra++;
        return;
    }
    wf_finding_add(&f);
    t->f = f;
    t->in_store = true;
}

// SPDX-License-Identifier: Apache-2.0
// Strong accesses at a location, fences and fence.sc. See sync.h for the rules.
#include "check/sync.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/bits.h" // WF_EACH_LANE

struct wf__loc *wf__loc_new(struct wf__word *word, uint64_t addr, uint8_t bytes)
{
    static uint64_t n_ever;
    struct wf__loc *l = wf_xcalloc(1, sizeof *l);
    l->id = ++n_ever;
    l->word = word;
    l->addr = addr;
    l->bytes = bytes;
    return l;
}

static void drop_attached(struct wf__loc *l)
{
    uint64_t key;
    void *v;
    for (size_t i = 0; wf_map_next(&l->by_block, &i, &key, &v);)
        free(v);
    wf_map_fini(&l->by_block);
    l->by_block = (struct wf_map){0};
    l->wide = NULL;
}

void wf__loc_free(struct wf__loc *l)
{
    drop_attached(l);
    free(l->watch);
    wf_map_fini(&l->watched);
    free(l);
}

void wf__loc_weak_write(struct wf__loc *l)
{
    drop_attached(l);
    l->is_set = true;
    l->is_strong = false;
}

bool wf__scope_holds(const struct wf__grid *g, uint32_t level, uint32_t a, uint32_t b)
{
    if (a == b || level >= WF_SCOPE_GPU)
        return true;
    uint32_t ia = a - g->serial0, ib = b - g->serial0;
    return level == WF_SCOPE_CLUSTER && ia < g->n_blocks && ib < g->n_blocks &&
           g->cs.blk[ia].cluster == g->cs.blk[ib].cluster;
}

bool wf__wants_loc(const struct wf__warp *w, uint32_t lane, const struct wf_site *s, bool writes)
{
    if (writes &&
        (s->order == WF_ORD_RELEASE || s->order == WF_ORD_ACQ_REL || s->order == WF_ORD_SC))
        return true;
    const struct wf__ext *x = w->ext;
    return (x && (x->has_sc || (writes && (x->has_fence || x->lane[lane].n_rel)))) ||
           wf__lane_clk(w, lane)->sc;
}

// ---- fences

static const struct wf__clk *fence_made(struct wf__clocks *cs, struct wf__fence *f, uint32_t lane,
                                        bool with_sc)
{
    struct wf__clk k = f->lane ? f->lane[lane] : f->k;
    if (!with_sc)
        k.sc = NULL;
    k.dev = wf__dev_add(cs, k.dev, f->warp, 1u << lane, f->epoch);
    k.full = NULL;
    if (with_sc && f->is_sc) {
        const struct wf__clk *own = wf__fence_clk(cs, f, lane);
        const struct wf__sc *s = k.sc;
        k.sc = wf__sc_make(cs, wf__clk_merge(cs, own, s ? s->s[0] : NULL),
                           f->level >= WF_SCOPE_GPU ? wf__clk_merge(cs, own, s ? s->s[1] : NULL)
                           : s                      ? s->s[1]
                                                    : NULL,
                           s ? s->o[0] : NULL, s ? s->o[1] : NULL);
    }
    return wf__clk_keep(cs, &k);
}

const struct wf__clk *wf__fence_clk(struct wf__clocks *cs, struct wf__fence *f, uint32_t lane)
{
    if (!f->mat)
        f->mat = WF_NEW_N(&cs->arena, const struct wf__clk *, 32);
    if (!f->mat[lane])
        f->mat[lane] = fence_made(cs, f, lane, false);
    return f->mat[lane];
}

const struct wf__clk *wf__fence_group(struct wf__clocks *cs, struct wf__fence *f, uint32_t lanes)
{
    if (f->group && f->group_mask == lanes)
        return f->group;
    const struct wf__clk *all = NULL;
    if (!f->lane) {
        struct wf__clk k = f->k;
        k.sc = NULL;
        k.full = NULL;
        k.dev = wf__dev_add(cs, k.dev, f->warp, lanes, f->epoch);
        all = wf__clk_keep(cs, &k);
    } else {
        WF_EACH_LANE(lanes, l)
        {
            all = wf__clk_merge(cs, all, wf__fence_clk(cs, f, l));
        }
    }
    f->group = all;
    f->group_mask = lanes;
    return all;
}

const struct wf__clk *wf__fence_msg(struct wf__clocks *cs, struct wf__fence *f, uint32_t lane)
{
    if (!f->msg)
        f->msg = WF_NEW_N(&cs->arena, const struct wf__clk *, 32);
    if (!f->msg[lane])
        f->msg[lane] = fence_made(cs, f, lane, true);
    return f->msg[lane];
}

static uint32_t reach(enum wf_scope_kind scope) // index into wf__pending.by
{
    return scope >= WF_SCOPE_GPU ? 2 : scope == WF_SCOPE_CLUSTER ? 1 : 0;
}

// What the lane saw through strong accesses of other threads' fence.sc now orders.
static void claim_sc(struct wf__warp *w, uint32_t lane, bool wide)
{
    const struct wf__sc *sc = wf__lane_clk(w, lane)->sc;
    if (!sc || !(sc->o[0] || (wide && sc->o[1])))
        return;
    wf__lane_learn(w, lane, sc->o[0]);
    if (wide)
        wf__lane_learn(w, lane, sc->o[1]);
    wf__split(w);
    sc = w->lane[lane].sc;
    w->lane[lane].sc =
        wf__sc_make(&w->block->grid->cs, sc->s[0], sc->s[1], NULL, wide ? NULL : sc->o[1]);
}

void wf__sc_observe(struct wf__warp *w, uint32_t lane, uint32_t serial, uint32_t warp,
                    uint32_t other, uint32_t epoch)
{
    struct wf__grid *g = w->block->grid;
    struct wf__clocks *cs = &g->cs;
    uint32_t index = serial - g->serial0;
    const struct wf__clk *o[2] = {NULL, NULL};
    const struct wf__block *b = g->blocks;
    if (index >= g->n_blocks || warp >= WF__AGENT)
        return;
    while (b && b->serial != serial)
        b = b->next;
    for (int v = serial == w->block->serial ? 0 : 1; v < 2; v++) {
        struct wf__fence **dead = cs->blk[index].last_sc[v], *f = NULL;
        if (b && b->warp[warp].ext)
            f = b->warp[warp].ext->sc[v][other];
        else if (!b && dead)
            f = dead[warp * 32 + other];
        if (f && f->epoch < epoch)
            o[v] = wf__fence_clk(cs, f, other);
    }
    const struct wf__sc *k = wf__lane_clk(w, lane)->sc;
    const struct wf__clk *o0 = wf__clk_merge(cs, k ? k->o[0] : NULL, o[0]);
    const struct wf__clk *o1 = wf__clk_merge(cs, k ? k->o[1] : NULL, o[1]);
    if (o0 == (k ? k->o[0] : NULL) && o1 == (k ? k->o[1] : NULL))
        return;
    wf__split(w);
    w->lane[lane].sc = wf__sc_make(cs, k ? k->s[0] : NULL, k ? k->s[1] : NULL, o0, o1);
}

static void fence_acquire(struct wf__warp *w, uint32_t lane, enum wf_scope_kind scope)
{
    struct wf__lane_ext *x = &w->ext->lane[lane];
    for (uint32_t i = 0; i < x->n_pend; i++) {
        wf__lane_learn(w, lane, x->pend[i].by[reach(scope)]);
        wf__lane_learn(w, lane, x->pend[i].by[0]); // with fences of block scope
    }
    if (scope >= WF_SCOPE_GPU)
        x->n_pend = 0;
}

static void fence_release(struct wf__warp *w, const struct wf_site *s, uint32_t mask)
{
    struct wf__clocks *cs = &w->block->grid->cs;
    struct wf__ext *x = wf__ext_get(w);
    struct wf__fence *f = WF_NEW(&cs->arena, struct wf__fence);
    *f = (struct wf__fence){.site = s,
                            .warp = w->index,
                            .mask = mask,
                            .epoch = w->epoch,
                            .level = (uint8_t)s->scope,
                            .is_sc = s->order == WF_ORD_SC,
                            .k = w->k};
    // A wide fence.sc holds all that older ones of the lane held; else their clocks must go along.
    bool need_sc = x->has_sc && !(f->is_sc && f->level >= WF_SCOPE_GPU);
    if (w->split || need_sc) {
        f->lane = WF_NEW_N(&cs->arena, struct wf__clk, 32);
        WF_EACH_LANE(mask, l)
        {
            f->lane[l] = *wf__lane_clk(w, l);
            if (need_sc)
                f->lane[l].sc = wf__lane_sc(w, l);
        }
    }
    WF_EACH_LANE(mask, l)
    {
        x->fence[s->scope - WF_SCOPE_CTA][l] = f;
        if (f->is_sc) {
            x->sc[0][l] = f;
            if (f->level >= WF_SCOPE_GPU)
                x->sc[1][l] = f;
        }
    }
    x->has_fence = true;
    x->has_sc |= f->is_sc;
    wf__tick(w);
}

void wf__fence(struct wf__warp *w, const struct wf_site *s, uint32_t mask)
{
    if (s->scope < WF_SCOPE_CTA)
        return;
    struct wf__ext *x = wf__ext_get(w);
    WF_EACH_LANE(mask, l)
    {
        if (s->order != WF_ORD_RELEASE) {
            fence_acquire(w, l, s->scope);
            x->n_acq[l]++;
        }
        if (s->order == WF_ORD_SC)
            claim_sc(w, l, s->scope >= WF_SCOPE_GPU);
    }
    if (s->order != WF_ORD_ACQUIRE)
        fence_release(w, s, mask);
}

// ---- locations

static void attach(struct wf__warp *w, struct wf__loc *loc, const struct wf__clk *k, uint32_t level)
{
    struct wf__clocks *cs = &w->block->grid->cs;
    struct wf__att *a = wf_map_get(&loc->by_block, (uint64_t)w->block->serial + 1);
    if (!a) {
        a = wf_xcalloc(1, sizeof *a);
        wf_map_put(&loc->by_block, (uint64_t)w->block->serial + 1, a);
    }
    a->any = wf__clk_merge(cs, a->any, k);
    if (level >= WF_SCOPE_CLUSTER)
        a->cluster = wf__clk_merge(cs, a->cluster, k);
    if (level >= WF_SCOPE_GPU)
        loc->wide = wf__clk_merge(cs, loc->wide, k);
}

// One a scope: a newer release says more than an older one of the same scope.
static void remember_release(struct wf__warp *w, uint32_t lane, struct wf__loc *loc, uint32_t level)
{
    struct wf__lane_ext *x = &wf__ext_get(w)->lane[lane];
    uint32_t i = 0;
    while (i < x->n_rel && (x->rel[i].loc != loc->id || x->rel[i].level != level))
        i++;
    if (i == x->n_rel) {
        if (x->n_rel == x->cap_rel) {
            x->cap_rel = x->cap_rel ? 2 * x->cap_rel : 4;
            x->rel = wf_xrealloc(x->rel, x->cap_rel * sizeof *x->rel);
        }
        x->n_rel++;
    }
    x->rel[i] = (struct wf__released){loc->id, wf__lane_publish(w, lane), (uint8_t)level};
}

static void attach_all(struct wf__warp *w, uint32_t lane, struct wf__loc *loc,
                       const struct wf_site *s)
{
    struct wf__clocks *cs = &w->block->grid->cs;
    struct wf__ext *x = w->ext;
    if (s->order >= WF_ORD_RELEASE) // pattern (a)
        remember_release(w, lane, loc, s->scope);
    x = w->ext;
    for (uint32_t i = 0; x && i < x->lane[lane].n_rel; i++) { // (a), and (b): earlier ones
        struct wf__released *r = &x->lane[lane].rel[i];
        if (r->loc != loc->id)
            continue;
        attach(w, loc, r->k, r->level);
        w->block->info->published = w->block->k;
    }
    for (uint32_t v = 0; x && x->has_fence && v < 4; v++) { // pattern (c)
        struct wf__fence *f = x->fence[v][lane];
        if (!f)
            continue;
        attach(w, loc, wf__fence_msg(cs, f, lane), f->level);
        w->block->info->published = w->block->k;
    }
}

void wf__visible(struct wf__warp *w, const struct wf__loc *loc, struct wf__pending *p)
{
    struct wf__grid *g = w->block->grid;
    struct wf__clocks *cs = &g->cs;
    struct wf__att *own = wf_map_get(&loc->by_block, (uint64_t)w->block->serial + 1);
    p->by[0] = p->by[1] = own ? own->any : NULL;
    if (g->ev->blocks_per_cluster > 1) {
        uint64_t key;
        void *v;
        for (size_t i = 0; wf_map_next(&loc->by_block, &i, &key, &v);)
            if (wf__scope_holds(g, WF_SCOPE_CLUSTER, w->block->serial, (uint32_t)(key - 1)))
                p->by[1] = wf__clk_merge(cs, p->by[1], ((struct wf__att *)v)->cluster);
    }
    p->by[2] = wf__clk_merge(cs, loc->wide, p->by[1]);
}

static void pend(struct wf__warp *w, uint32_t lane, const struct wf__pending *p)
{
    if (!p->by[2])
        return;
    struct wf__clocks *cs = &w->block->grid->cs;
    struct wf__lane_ext *x = &wf__ext_get(w)->lane[lane];
    uint32_t i = 0;
    while (i < x->n_pend && x->pend[i].loc != p->loc)
        i++;
    if (i < x->n_pend) {
        for (int v = 0; v < 3; v++)
            x->pend[i].by[v] = wf__clk_merge(cs, x->pend[i].by[v], p->by[v]);
        return;
    }
    if (x->n_pend == x->cap_pend) {
        x->cap_pend = x->cap_pend ? 2 * x->cap_pend : 4;
        x->pend = wf_xrealloc(x->pend, x->cap_pend * sizeof *x->pend);
    }
    x->pend[x->n_pend++] = *p;
}

#define REVISED 8 // of the newest watches watch() still moves hi: before them it never falls with their number

static void watch(struct wf__warp *w, uint32_t lane, struct wf__loc *loc)
{
    for (uint32_t i = loc->n_watch; i-- > 0 && i + REVISED > loc->n_watch;) {
        struct wf__watch *o = &loc->watch[i];
        if (o->serial == w->block->serial && o->warp == w->index && o->lane == lane &&
            o->epoch == w->epoch && o->lo == loc->brk) {
            o->hi = loc->seq;
            return;
        }
    }
    if (loc->n_watch == loc->cap_watch) {
        loc->cap_watch = loc->cap_watch ? 2 * loc->cap_watch : 4;
        loc->watch = wf_xrealloc(loc->watch, loc->cap_watch * sizeof *loc->watch);
    }
    uint32_t me = w->block->serial, prev = (uint32_t)(uintptr_t)wf_map_get(&loc->watched, (uint64_t)me + 1);
    loc->watch[loc->n_watch++] =
        (struct wf__watch){me, w->epoch, loc->brk, loc->seq, prev, (uint16_t)w->index, (uint8_t)lane};
    wf_map_put(&loc->watched, (uint64_t)me + 1, (void *)(uintptr_t)loc->n_watch);
}

static bool has_seen(const struct wf__watch *o, const struct wf__warp *w, uint32_t lane, uint32_t lo, uint32_t hi)
{
    return o->lo < lo && hi <= o->hi && wf__covers(w, lane, o->serial, o->warp, 1u << o->lane, o->epoch);
}

// The newest write of the chain under way that somebody saw whom (w, lane) is ordered after, 0: none.
static uint32_t seen_up_to(const struct wf__loc *loc, const struct wf__warp *w, uint32_t lane)
{
    uint32_t i = (uint32_t)(uintptr_t)wf_map_get(&loc->watched, (uint64_t)w->block->serial + 1), hi = loc->brk;
    for (; i && loc->watch[i - 1].lo == loc->brk; i = loc->watch[i - 1].prev)
        if (loc->watch[i - 1].hi > hi && has_seen(&loc->watch[i - 1], w, lane, loc->brk + 1, hi + 1))
            hi = loc->watch[i - 1].hi;
    i = wf__lane_clk(w, lane)->far ? loc->n_watch : 0; // else it knows nothing of other blocks
    for (uint32_t stale = 0; i-- > 0 && stale < REVISED && loc->watch[i].lo == loc->brk;) {
        stale = loc->watch[i].hi > hi ? 0 : stale + 1;
        if (!stale && has_seen(&loc->watch[i], w, lane, loc->brk + 1, hi + 1))
            hi = loc->watch[i].hi;
    }
    return hi > loc->brk ? hi : 0;
}

bool wf__loc_seen(const struct wf__loc *loc, const struct wf__warp *w, uint32_t lane, uint32_t lo,
                  uint32_t hi, struct wf__sight *sight)
{
    if (hi > loc->brk) { // a watch of an older chain saw none of these
        if (sight->loc != loc)
            *sight = (struct wf__sight){loc, seen_up_to(loc, w, lane)};
        return lo > loc->brk && hi <= sight->hi;
    }
    // Watches are in the order of their lo; those behind the first with lo or more saw newer chains only. Their hi rises,
    // but for REVISED at a time: after so many that end before hi, all do.
    uint32_t first = 0, end = loc->n_watch;
    while (first < end) {
        const uint32_t mid = first + (end - first) / 2;
        if (loc->watch[mid].lo < lo)
            first = mid + 1;
        else
            end = mid;
    }
    const bool is_far = wf__lane_clk(w, lane)->far; // else it knows nothing of other blocks
    for (uint32_t i = first, stale = 0; i-- > 0 && stale < REVISED;) {
        const struct wf__watch *o = &loc->watch[i];
        stale = o->hi < hi ? stale + 1 : 0;
        if (!stale && (is_far || o->serial == w->block->serial) && has_seen(o, w, lane, lo, hi))
            return true;
    }
    return false;
}

// fence.sc: what goes from the location to the lane (o) and from the lane to the location (sw, sr).
static void sc_access(struct wf__warp *w, uint32_t lane, struct wf__loc *loc,
                      const struct wf__step *st, bool linked)
{
    struct wf__clocks *cs = &w->block->grid->cs;
    const struct wf__sc *sc = wf__lane_sc(w, lane);
    uint32_t me = w->block->serial;
    if (loc->sc_serial != me) { // fences of block scope stay in their block
        loc->sw[0] = loc->sr[0] = NULL;
        loc->sc_serial = me;
    }
    if (linked) {
        const struct wf__clk *o[2];
        for (int i = 0; i < 2; i++) {
            o[i] = wf__clk_merge(
                cs, wf__lane_clk(w, lane)->sc ? wf__lane_clk(w, lane)->sc->o[i] : NULL, loc->sw[i]);
            if (st->writes)
                o[i] = wf__clk_merge(cs, o[i], loc->sr[i]);
        }
        const struct wf__sc *k = wf__lane_clk(w, lane)->sc;
        if (o[0] != (k ? k->o[0] : NULL) || o[1] != (k ? k->o[1] : NULL)) {
            wf__split(w);
            w->lane[lane].sc = wf__sc_make(cs, k ? k->s[0] : NULL, k ? k->s[1] : NULL, o[0], o[1]);
        }
    }
    for (int i = 0; i < 2; i++) {
        const struct wf__clk *s = sc ? sc->s[i] : NULL;
        if (st->writes) {
            loc->sw[i] = wf__clk_merge(cs, wf__clk_merge(cs, loc->sw[i], loc->sr[i]), s);
            loc->sr[i] = NULL;
        } else {
            loc->sr[i] = wf__clk_merge(cs, loc->sr[i], s);
        }
    }
    if (sc && (sc->s[0] || sc->s[1]))
        w->block->info->published = w->block->k;
}

void wf__loc_access(struct wf__warp *w, uint32_t lane, struct wf__loc *loc, struct wf__step *st)
{
    const struct wf_site *s = st->site;
    struct wf__grid *g = w->block->grid;
    uint32_t me = w->block->serial;
    bool same = loc->serial == me && loc->warp == w->index && loc->lane == lane;
    bool linked = loc->is_set && loc->is_strong &&
                  (same || (wf__scope_holds(g, loc->level, loc->serial, me) &&
                            wf__scope_holds(g, s->scope, me, loc->serial)));
    bool acquires =
        s->order == WF_ORD_ACQUIRE || s->order == WF_ORD_ACQ_REL || s->order == WF_ORD_SC;
    st->saw = st->reads && linked && (!same || loc->brk + 1 < loc->seq); // or one that its own add stands on
    if (st->reads && !s->is_red) {
        struct wf__pending p = {.loc = loc->id};
        if (linked) {
            wf__visible(w, loc, &p);
            pend(w, lane, &p);
            if (!s->result_unused && (st->saw || loc->brk + 1 < loc->seq))
                watch(w, lane, loc);
        }
        if (acquires) {
            struct wf__lane_ext *x = w->ext ? &w->ext->lane[lane] : NULL;
            const struct wf__clk *k = p.by[reach(s->scope)], *own = p.by[0];
            for (uint32_t i = 0; x && i < x->n_pend; i++) // pattern (b): an earlier strong read
                if (x->pend[i].loc == loc->id) {
                    k = wf__clk_merge(&g->cs, k, x->pend[i].by[reach(s->scope)]);
                    own = wf__clk_merge(&g->cs, own, x->pend[i].by[0]);
                }
            wf__lane_learn(w, lane, k);
            wf__lane_learn(w, lane, own);
            wf__ext_get(w)->n_acq[lane]++;
        }
    }
    sc_access(w, lane, loc, st, linked);
    if (!st->writes)
        return;
    if (!(st->reads && linked)) {
        drop_attached(loc);
        loc->brk = loc->seq;
    }
    loc->seq++;
    if (!s->is_poll)
        loc->signal = s;
    attach_all(w, lane, loc, s);
    loc->is_set = loc->is_strong = true;
    loc->serial = me;
    loc->warp = (uint16_t)w->index;
    loc->lane = (uint8_t)lane;
    loc->level = (uint8_t)s->scope;
    if (s->order >= WF_ORD_RELEASE)
        wf__tick(w);
}

// SPDX-License-Identifier: Apache-2.0
// One look at a plain warp access: what whole.c and settle.c share.
#ifndef WF_CHECK_LOOK_H
#define WF_CHECK_LOOK_H

#include "check/advice.h"  // wf__redundant_used
#include "check/ctx.h"     // struct wf__acc
#include "check/pattern.h" // struct wf__pattern
#include "check/site.h"    // wf__site_get
#include "check/work.h"    // wf__work_passed

struct wf__look {
    struct wf__ctx *c;
    struct wf__warp *w;
    const struct wf_site *site;
    struct wf__block *owner; // shared memory: whose
    struct wf__pool *pool;
    uint64_t *cell0;
    uint8_t *bits;
    uint64_t base, end; // addresses from base on, below base + end
    uint32_t mask, rank, serial, passed, size; // passed: a barrier time that all lanes are behind
    uint8_t flags;
    bool is_shared, is_write, is_conflict;
    struct wf__acc x; // for what is not settled at a glance, made on first need
    struct wf_ev_access ev;
    bool has_x;
};

struct wf__words { // that are touched
    uint64_t off;          // bytes from wf__look.base to the first
    uint32_t n, bytes;     // bytes: from the first to the last
    const uint32_t *idx;   // places from the first one's, NULL: in a row
    const uint32_t *lane;  // plus lo: whose each is
    uint32_t lo, least, most;
    const struct wf__pattern *group; // of which each is, when lanes share words
};

// In settle.c: compares with what the cells hold and stores. False: word by word; nothing was changed that matters.
bool wf__look_settle(struct wf__look *k, const struct wf__words *t);
// The half of a reader after this one, 0: word by word. as: wf__look_before's lane.
uint32_t wf__look_joined(struct wf__look *k, uint32_t rd, uint32_t rec, uint32_t lane, uint32_t as);
struct wf__acc *wf__look_acc(struct wf__look *k);

// Is the half's record, which is not ancient, ordered before the warp? lane: that of the first word, whose
// handle h is: an own earlier access orders lane by lane. WF__NO_LANE: words are shared.
#define WF__NO_LANE 32u
static inline bool wf__look_before(struct wf__look *k, uint32_t h, uint32_t lane)
{
    const struct wf__rec *r = &k->pool->rec[h >> 5];
    const struct wf__grid *g = k->w->block->grid;
    if (r->serial - g->serial0 >= g->n_blocks && r->kind != WF__PAIR)
        return wf__work_passed(k->w, k->mask, r->serial);
    if (r->flags & (WF__ASYNC | WF__NC))
        return false;
    if (r->serial == k->serial && r->warp < WF__AGENT) {
        if (r->kind == WF__ACC && r->warp == k->w->index && (h & 31) == lane && r->bytes == k->size)
            return true;
        if (r->epoch <= k->passed) {
            if (k->c->o.redundant && k->is_conflict)
                wf__redundant_used(k->w, lane, r, 32);
            return true;
        }
    }
    if (k->w->split || r->kind == WF__PAIR)
        return false;
    return wf__clk_covers(&g->cs, &k->w->k, r->serial - g->serial0, r->warp, r->mask, r->epoch) == r->mask;
}

static inline uint32_t wf__look_record(struct wf__look *k, const struct wf__pattern *group)
{
    uint32_t where = k->is_shared ? k->rank + 1 : 0, kind = group ? WF__GROUP : WF__ACC;
    uint32_t key = (group ? group->id : 0) << 16 | kind << 8 | where;
    uint32_t site = wf__site_get(k->site)->as->id;
    const struct wf__kept *kept = wf__kept_at(k->w, site, key);
    if (kept->site == site && kept->epoch == k->w->epoch && kept->kind == key && kept->rec >= k->pool->first)
        return kept->rec;
    return wf__rec_of(k->pool, k->w, k->site, where, group,
                      &(struct wf__rec){.mask = group ? group->mask : UINT32_MAX,
                                        .base = k->w->split ? k->passed : k->w->k.base,
                                        .flags = k->flags,
                                        .bytes = (uint8_t)k->size});
}

#endif

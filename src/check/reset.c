// SPDX-License-Identifier: Apache-2.0
// Counters that an atomic write sets anew while others add to them. Both are atomic, so there is no race; but
// where nothing orders the two, memory may take them in the other order, and the addition is lost.
//
// Kept for an address: the newest write that keeps nothing of what was there (a store, an exchange whose result
// nobody uses), the newest addition since then, and the threads that saw either: what they do later comes later
// in the order of that address (PTX ISA 8.9.6, coherence), fence or no fence.
#include <stdio.h>  // snprintf
#include <stdlib.h> // free
#include <string.h> // strlen

#include "base/bits.h"     // WF_EACH_LANE
#include "check/access.h"  // wf__acc_init
#include "check/advice.h"  // wf__reset_access
#include "check/say.h"     // wf__say_link
#include "check/site.h"    // wf__site_get
#include "check/where.h"   // wf__where_thread
#include "core/finding.h"  // wf_finding_add
#include "core/loc.h"      // wf_loc_user

#define SLOTS 1024u // addresses followed; one that comes to the place of another puts it out
#define SEERS 24u
#define TOLD 64u // pairs of places told of, at most

struct moment {
    uint32_t serial, epoch;
    uint16_t warp;
    uint8_t lane;
};
struct change { // of the value at an address
    const struct wf_site *site; // NULL: none
    struct moment at;
    uint32_t rec; // in the pool of its memory, see record_of()
    uint32_t n_seers; // more than SEERS: not all are known
    struct moment seer[SEERS];
};
struct slot {
    uint64_t key, launch;
    struct change reset, add;
};
static struct slot *table;
static struct {
    const struct wf_site *now, *then;
} told[TOLD];
static uint32_t n_told;

static bool comes_before(const struct wf__warp *w, uint32_t lane, const struct moment *m)
{
    return wf__covers(w, lane, m->serial, m->warp, 1u << m->lane, m->epoch);
}

static bool is_ordered(const struct wf__warp *w, uint32_t lane, const struct change *c)
{
    if (!c->site || c->n_seers > SEERS || comes_before(w, lane, &c->at))
        return true;
    for (uint32_t i = 0; i < c->n_seers; i++)
        if (comes_before(w, lane, &c->seer[i]))
            return true;
    return false;
}

static void see(struct change *c, struct moment m)
{
    if (!c->site || c->n_seers > SEERS)
        return;
    for (uint32_t i = 0; i < c->n_seers; i++) // the earliest says most
        if (c->seer[i].serial == m.serial && c->seer[i].warp == m.warp && c->seer[i].lane == m.lane)
            return;
    if (c->n_seers < SEERS)
        c->seer[c->n_seers] = m;
    c->n_seers++;
}

// The record that the race checker keeps of the change; NULL when it has gone or moved.
static const struct wf__rec *record_of(const struct wf__acc *x, const struct change *c)
{
    if (c->rec < x->pool->first || c->rec >= x->pool->n_rec)
        return NULL;
    const struct wf__rec *r = &x->pool->rec[c->rec];
    bool is_it = r->site == wf__site_get(c->site)->as && r->serial == c->at.serial && r->warp == c->at.warp &&
                 r->epoch == c->at.epoch;
    return is_it ? r : NULL;
}

// A flag is handed on between the two: then one of its fences is missing.
static bool say_flag(struct wf__acc *x, uint32_t lane, uint64_t addr, const struct change *c, struct wf_finding *f)
{
    const struct wf__word *wd = wf__word_from_cell(x, wf__acc_cell(x, addr));
    const struct wf__rec *e = record_of(x, c);
    struct wf__link k;
    if (!e || !wf__link_find(x, lane, e, c->at.lane, wd, &k))
        return false;
    struct wf__pair p = {.x = x, .e = e, .lane = lane, .other = c->at.lane, .addr = addr,
                         .now_writes = true, .then_writes = true, .same_block = e->serial == x->serial};
    wf__where_common(x->site->loc, e->site->loc, &p.now, &p.then);
    p.one_function = p.now->function && p.then->function && !strcmp(p.now->function, p.then->function);
    f->kind = wf__say_link(&p, f, &k);
    f->severity = f->kind == WF_F_FENCE_ACQUIRE ? WF_SEV_ADVICE : WF_SEV_WARNING;
    size_t n = strlen(f->why);
    snprintf(f->why + n, sizeof f->why - n, "; both are atomic, but where they change places the addition is lost");
    return true;
}

static void say_unordered(const struct wf__acc *x, const struct change *c, struct wf_finding *f)
{
    bool adds_now = x->site->is_add;
    unsigned now = wf_loc_user(x->site->loc)->line, then = wf_loc_user(c->site->loc)->line;
    unsigned add = adds_now ? now : then, write = adds_now ? then : now;
    snprintf(f->sentence, sizeof f->sentence,
             "The atomic addition in line %u and the atomic write in line %u, which sets the counter anew, may come in "
             "either order.", add, write);
    snprintf(f->why, sizeof f->why,
             "each is atomic, but nothing orders the two: when the write comes second, the addition is lost");
    bool is_one_block = x->is_shared || x->w->block->grid->n_blocks == 1;
    snprintf(f->fix, sizeof f->fix, "%s, or put %s between line %u and line %u",
             x->is_shared ? "let one thread set it first" : "set the counter before the launch",
             is_one_block ? "__syncthreads()" : "a barrier of the whole grid (or a flag with __threadfence() on both sides)",
             then, now);
}

static void tell(struct wf__acc *x, uint32_t lane, uint64_t addr, const struct change *c)
{
    const struct wf_site *s = x->site;
    for (uint32_t i = 0; i < n_told; i++)
        if (told[i].now == s && told[i].then == c->site)
            return;
    if (n_told == TOLD)
        return;
    told[n_told].now = s;
    told[n_told++].then = c->site;
    const struct wf__grid *g = x->w->block->grid;
    const struct wf_launch *l = g->ev->launch;
    struct wf_finding f = wf_finding_make(WF_F_LOST_ADDITION, s->kernel, l->id);
    f.n_parties = 2;
    if (!say_flag(x, lane, addr, c, &f))
        say_unordered(x, c, &f);
    wf__where_object(&f, x->is_shared, addr);
    f.party[0].role = f.party[1].role = WF_PARTY_ACCESS;
    f.party[0].loc = s->loc;
    f.party[1].loc = c->site->loc;
    wf__where_thread(&f.party[0], l, x->w->block->index, x->w->index, lane);
    wf__where_thread(&f.party[1], l, c->at.serial - g->serial0, c->at.warp, c->at.lane);
    wf__where_op(&f.party[0], s, s->bytes, true);
    wf__where_op(&f.party[1], c->site, c->site->bytes, true);
    wf_finding_add(&f);
}

// An empty place, or that of another address, is taken by what changes a value.
static struct slot *slot_of(uint64_t key, uint64_t launch, bool changes)
{
    if (!table)
        table = wf_xcalloc(SLOTS, sizeof *table);
    struct slot *s = &table[key * UINT64_C(0x9E3779B97F4A7C15) >> 54];
    if (s->key == key && s->launch == launch)
        return s;
    if (!changes)
        return NULL;
    s->key = key;
    s->launch = launch;
    s->reset.site = s->add.site = NULL;
    return s;
}

static void change_now(struct change *c, struct wf__acc *x, struct moment m)
{
    c->site = x->site;
    c->at = m;
    c->rec = wf__acc_rec(x);
    c->n_seers = 0;
}

void wf__reset_access(struct wf__ctx *c, const struct wf_ev_access *a)
{
    const struct wf_site *s = a->site;
    const struct wf__warp *w = a->warp->user;
    const struct wf__block *b = w->block;
    bool is_shared = a->space == WF_SPACE_SHARED;
    bool is_reset = s->is_atomic ? s->is_exchange && s->result_unused : s->is_write;
    if ((s->is_volatile ? s->is_write : !s->is_atomic && s->order == WF_ORD_WEAK) || s->elements != 1 ||
        (is_shared && a->owner_rank != b->ev->rank))
        return;
    struct wf__acc x;
    if (!wf__acc_init(&x, c, a))
        return;
    x.bytes = s->bytes;
    WF_EACH_LANE(a->mask & ~w->lost, l)
    {
        uint64_t addr = a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l];
        bool adds = s->is_add && !s->is_poll && !(a->value && !a->value[l]); // an addition of 0 is a read
        uint64_t key = is_shared ? (UINT64_C(1) << 62) + ((uint64_t)b->serial << 24) + addr : addr;
        if (addr - x.addr0 + s->bytes > x.limit)
            continue;
        struct slot *t = slot_of(key, b->grid->ev->launch->id, is_reset || adds);
        struct moment m = {b->serial, w->epoch, (uint16_t)w->index, (uint8_t)l};
        if (!t)
            continue;
        if (is_reset) {
            if (!is_ordered(w, l, &t->add))
                tell(&x, l, addr, &t->add);
            change_now(&t->reset, &x, m);
            t->add.site = NULL;
        } else if (adds) {
            if (!is_ordered(w, l, &t->reset))
                tell(&x, l, addr, &t->reset);
            change_now(&t->add, &x, m);
        } else {
            see(&t->reset, m);
            see(&t->add, m);
        }
    }
}

void wf__reset_fini(void)
{
    free(table);
    table = NULL;
    n_told = 0;
}

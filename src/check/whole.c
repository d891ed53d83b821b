// SPDX-License-Identifier: Apache-2.0
// The fast way. Nearly every access of a real program is plain, of whole words, in memory that is live and
// written, and finds nothing but what is ordered before it. Then it takes a look at the initialised bits, one
// pass over the cells, which says whether each half is ancient in all of them or of one record with the lanes
// in step, a test of that record for the whole warp, and one pass that stores. Lines that a warp touches from
// end to end are closed (line.h) and take one cell instead of 32.
#include "check/whole.h"

#include <string.h> // memcpy

#include "base/bits.h"     // WF_EACH_LANE
#include "check/cells.h"   // wf__cells_scan
#include "check/hostmem.h" // wf__hostmem_near
#include "check/lock.h"    // wf__lock_hook_begin
#include "check/look.h"    // struct wf__look
#include "check/memory.h"  // wf__memory_is_live

#define STEPS_AHEAD 3

static uint32_t lanes_of[5][128]; // by log2 of the element size: lane of word i, from that of word 0

void wf__whole_init(void)
{
    for (uint32_t v = 0; v < 5; v++)
        for (uint32_t i = 0; i < 128; i++)
            lanes_of[v][i] = v < 2 ? i << (2 - v) : i >> (v - 2);
}

static bool place(struct wf__look *k, struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, uint32_t mask,
                  bool is_shared, uint32_t rank)
{
    struct wf__block *b = w->block;
    k->c = c;
    k->w = w;
    k->site = s;
    k->mask = mask;
    k->is_shared = is_shared;
    k->is_write = s->is_write;
    k->rank = rank;
    k->owner = NULL;
    k->size = (uint32_t)s->bytes * s->elements;
    k->serial = b->serial;
    k->passed = w->k.base <= b->info->first_exit ? w->k.base : b->info->exit_base;
    k->flags = (uint8_t)((s->is_read ? WF__R : 0) | (s->is_write ? WF__W : 0) | (s->is_nc ? WF__NC : 0));
    k->has_x = false;
    if (is_shared) {
        k->owner = rank == b->ev->rank ? b : wf__peer(b, rank);
        if (!k->owner || !k->owner->slot || (s->is_write && b->grid->ev->has_bulk))
            return false;
        k->pool = &k->owner->slot->pool;
        k->cell0 = k->owner->slot->cell;
        k->bits = k->owner->slot->init;
        k->base = 0;
        k->end = k->owner->grid->ev->shared_bytes;
        k->owner->slot->is_visited |= k->owner != b;
        if (k->owner->slot->heard.is_on && (s->is_write || k->owner != b))
            wf__heard_end(&k->owner->slot->heard, k->pool, k->cell0);
    } else {
        k->pool = &c->sh.pool;
        k->cell0 = c->sh.cell;
        k->bits = c->bits;
        k->base = c->sh.base;
        k->end = c->sh.bytes;
        if (!k->cell0 || b->grid->moves)
            return false;
    }
    return k->pool->n_rec <= k->pool->limit && (k->bits || !c->o.memory);
}

// ---- memory: written, and thus live, or (writes) live

static bool are_words_set(const uint8_t *bits, const struct wf__words *t)
{
    return t->idx ? wf__cells_bits(bits, t->off / 4, t->idx, t->n) : wf__memory_are_set(bits, t->off, t->bytes);
}

// *births: the words become written by this access.
static bool memory_is_fine(struct wf__look *k, const struct wf__words *t, bool *births)
{
    *births = false;
    if (!k->c->o.memory || are_words_set(k->bits, t))
        return true;
    *births = true;
    return k->is_write && (k->is_shared || wf__memory_is_live(k->base + t->off, t->bytes));
}

static void set_words(uint8_t *bits, const struct wf__words *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t bit = t->off + 4 * (t->idx ? t->idx[i] : i);
        bits[bit >> 3] |= (uint8_t)(0xf << (bit & 7));
    }
}

// An instruction goes through memory at even steps, more often than not; cells are far apart.
static void fetch_ahead(const struct wf__look *k, uint64_t off, uint32_t words)
{
    struct wf__site *s = wf__site_get(k->site);
    uint64_t next = off + STEPS_AHEAD * (off - s->last);
    s->last = off;
    if (k->is_shared || next >= k->end)
        return;
    for (uint32_t i = 0; i < words; i += 8) // cells of a cache line
        __builtin_prefetch(k->cell0 + next / 4 + i, 1);
    if (k->bits)
        __builtin_prefetch(k->bits + next / 8);
}

static bool row_of(const struct wf__look *k, uint64_t addr0, struct wf__words *t)
{
    uint32_t size = k->size, v = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
    t->lo = wf_ctz32(k->mask);
    uint32_t lanes = 32 - t->lo - (uint32_t)__builtin_clz(k->mask); // from the first to the last
    t->off = addr0 + (uint64_t)size * t->lo - k->base;
    t->bytes = size * lanes;
    t->n = t->bytes / 4;
    t->idx = NULL;
    t->lane = lanes_of[v];
    t->least = 0;
    t->most = t->lane[t->n ? t->n - 1 : 0];
    t->group = NULL;
    // Lanes in one run, whole words.
    return k->mask >> t->lo == UINT32_MAX >> (32 - lanes) && !(t->off & 3) && !(t->bytes & 3) &&
           (size >= 4 ? !(t->off & (size - 1)) : !(t->lo % (4 / size)));
}

static inline void count(struct wf__ctx *c, uint32_t lanes)
{
    c->stats.warp_accesses++;
    c->stats.fast_accesses++;
    c->stats.lane_accesses += lanes;
}

// Notes a read that can race with nothing.
static bool hear(struct wf__look *k, const struct wf__words *t, const struct wf__pattern *p)
{
    if (!k->is_shared || k->is_write)
        return false;
    struct wf__heard *h = &k->owner->slot->heard;
    if (!h->is_on)
        return false;
    if (wf__heard_put(h, (struct wf__heard1){p, wf__look_record(k, t->group), (uint32_t)(t->off / 4), k->mask}))
        return true;
    wf__heard_end(h, k->pool, k->cell0);
    return false;
}

bool wf__whole(struct wf__ctx *c, const struct wf_ev_access *a, const struct wf__pattern *p)
{
    struct wf__look k;
    struct wf__words t;
    struct wf__warp *w = a->warp->user;
    bool is_shared = a->space == WF_SPACE_SHARED;
    if (wf__site_get(a->site)->what != WF__SITE_PLAIN || w->lost || (!is_shared && a->space != WF_SPACE_GLOBAL) ||
        !place(&k, c, w, a->site, a->mask, is_shared, a->owner_rank))
        return false;
    bool is_row = a->is_linear && a->stride == (int64_t)k.size;
    if (is_row) {
        if (!row_of(&k, a->addr[0], &t))
            return false;
    } else {
        if (!p || (p->is_grouped && k.is_write))
            return false;
        uint32_t first = wf_ctz32(a->mask);
        uint64_t at = a->is_linear ? a->addr[0] + (uint64_t)a->stride * first : a->addr[first];
        t = (struct wf__words){.off = at + (uint64_t)p->low - k.base,
                           .n = p->n,
                           .bytes = 4 * p->span,
                           .idx = p->is_dense ? NULL : p->idx,
                           .lane = p->lane,
                           .least = p->least,
                           .most = p->most,
                           .group = p->is_grouped ? p : NULL};
    }
    bool births;
    fetch_ahead(&k, t.off, t.idx ? 1 : t.n);
    if (t.off >= k.end || t.bytes > k.end - t.off || !memory_is_fine(&k, &t, &births) ||
        (c->o.race && !hear(&k, &t, is_row ? NULL : p) && !wf__look_settle(&k, &t)))
        return false;
    if (births)
        set_words(k.bits, &t);
    count(c, p ? p->lanes : t.bytes / k.size);
    if (!is_shared && c->o.race && w->block->grid->work && wf__hostmem_near(k.base + t.off))
        wf__hostmem_access(c, a);
    return true;
}

// ---- whole closed lines


// The line's first cell after the access, 0: it needs a closer look.
static uint64_t line_after(struct wf__look *k, uint64_t c, uint32_t h)
{
    uint32_t wr = (uint32_t)c, rd = wf__line_reader(c), floor = k->pool->first << 5, lane = h & 31;
    k->is_conflict = true;
    if (!wf__line_is(c) || (wr >= floor && !wf__look_before(k, wr, lane)))
        return 0;
    if (k->is_write)
        return rd >= floor && !wf__look_before(k, rd, lane) ? 0 : WF__LINE | h;
    k->is_conflict = false;
    if (rd >= floor && rd != h) {
        const struct wf__rec *r = &k->pool->rec[rd >> 5];
        if ((r->flags ^ k->flags) & WF__NC || r->bytes != k->size || (rd & 31) != lane)
            return 0;
        if (!wf__look_before(k, rd, lane))
            h = wf__look_joined(k, rd, h >> 5, lane, lane);
    }
    return WF__LINE | (uint64_t)h << 32 | wr;
}

static bool run(struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, bool is_shared, uint64_t addr)
{
    struct wf__look k;
    if (wf__site_get(s)->what != WF__SITE_PLAIN || w->lost ||
        !place(&k, c, w, s, UINT32_MAX, is_shared, w->block->ev->rank) || k.size < 4)
        return false;
    uint64_t off = addr - k.base;
    struct wf__words t = {.off = off, .bytes = 32 * k.size, .n = 8 * k.size};
    bool births;
    if (off & 127 || off >= k.end || t.bytes > k.end - off || !memory_is_fine(&k, &t, &births))
        return false;
    if (hear(&k, &t, NULL)) {
        count(c, 32);
        return true;
    }
    uint64_t *cell = k.cell0 + off / 4, after[4];
    fetch_ahead(&k, off, 1);
    uint32_t n = k.size / 4, h = wf__look_record(&k, NULL) << 5;
    for (uint32_t i = 0; i < n; i++)
        if (!(after[i] = line_after(&k, cell[i * WF__LINE_WORDS], h + i * (32 / n))))
            return false;
    for (uint32_t i = 0; i < n; i++)
        cell[i * WF__LINE_WORDS] = after[i];
    if (births)
        memset(k.bits + off / 8, 0xff, t.bytes / 8);
    count(c, 32);
    if (!is_shared && w->block->grid->work && wf__hostmem_near(addr)) {
        wf__look_acc(&k);
        k.ev.is_linear = true;
        k.ev.stride = (int64_t)k.size;
        k.ev.addr = &addr;
        wf__hostmem_access(c, &k.ev);
    }
    return true;
}

bool wf__whole_run(void *arg, struct wf_ev_warp *ev, const struct wf_site *s, bool is_shared, uint64_t addr)
{
    bool took = wf__lock_hook_begin();
    bool done = run(arg, ev->user, s, is_shared, addr);
    wf__lock_hook_end(took);
    return done;
}

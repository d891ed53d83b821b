// SPDX-License-Identifier: Apache-2.0
// The common case of all: a whole warp reads or writes consecutive elements, plainly, of whole closed lines
// (line.h), in memory that is live and written, and whatever was there before is ordered before. One look
// at the initialised bits and one cell a line; everything else is left to the checkers' own ways, and
// nothing was changed then.
#include "check/run.h"

#include <string.h> // memset

#include "check/hostmem.h" // wf__hostmem_near
#include "check/lock.h"    // wf__lock_hook_begin
#include "check/memory.h"  // wf__memory_written
#include "check/site.h"    // wf__site_get
#include "check/span.h"    // wf__reader_added

struct run {
    struct wf__warp *w;
    const struct wf_site *site;
    struct wf__pool *pool;
    uint32_t serial, base, size;
    uint8_t flags;
    bool is_shared;
    // For what is not settled at a glance; made on first need.
    struct wf__acc x;
    struct wf_ev_access ev;
    bool has_x;
};

static struct wf__acc *acc(struct run *r, uint64_t addr)
{
    if (r->has_x)
        return &r->x;
    struct wf__ctx *c = &wf__check;
    r->has_x = true;
    r->ev = (struct wf_ev_access){.site = r->site,
                                  .warp = r->w->ev,
                                  .space = r->is_shared ? WF_SPACE_SHARED : WF_SPACE_GLOBAL,
                                  .owner_rank = r->w->block->ev->rank,
                                  .mask = UINT32_MAX,
                                  .is_linear = true,
                                  .stride = (int64_t)r->size,
                                  .addr = NULL};
    r->x = (struct wf__acc){.ctx = c,
                            .w = r->w,
                            .ev = &r->ev,
                            .site = r->site,
                            .pool = r->pool,
                            .owner = r->is_shared ? r->w->block : NULL,
                            .addr0 = addr,
                            .serial = r->serial,
                            .base = r->base,
                            .flags = r->flags,
                            .bytes = (uint8_t)r->size,
                            .level = (uint8_t)r->site->scope,
                            .is_shared = r->is_shared};
    return &r->x;
}

// Is all that the half stands for, which is not ancient, ordered before the warp, lane by lane?
static bool is_before(struct run *r, uint32_t h, uint32_t lane, uint64_t addr)
{
    const struct wf__rec *o = &r->pool->rec[h >> 5];
    if (o->serial == r->serial && !(o->flags & (WF__ASYNC | WF__NC)) && o->warp < WF__AGENT) {
        if (o->epoch <= r->base)
            return true;
        if (o->kind == WF__ACC && o->warp == r->w->index)
            return (h & 31) == lane && o->bytes == r->size;
    }
    struct wf__acc *x = acc(r, addr);
    return wf__rec_before(x, h, WF__NO_LANE);
}

// The line's first cell after the access, 0: it needs a closer look.
static uint64_t line_after(struct run *r, uint64_t c, uint32_t h, uint64_t addr)
{
    uint32_t wr = (uint32_t)c, rd = wf__line_reader(c), floor = r->pool->first << 5, lane = h & 31;
    if (!wf__line_is(c) || (wr >= floor && !is_before(r, wr, lane, addr)))
        return 0;
    if (r->site->is_write)
        return rd >= floor && !is_before(r, rd, lane, addr) ? 0 : WF__LINE | h;
    if (rd >= floor && rd != h) {
        const struct wf__rec *o = &r->pool->rec[rd >> 5];
        if ((o->flags ^ r->flags) & WF__NC || o->bytes != r->size || (rd & 31) != lane)
            return 0;
        if (!is_before(r, rd, lane, addr))
            h = wf__reader_added(acc(r, addr), rd, h >> 5, lane);
    }
    return WF__LINE | (uint64_t)h << 32 | wr;
}

static uint32_t rec_of(struct run *r)
{
    struct wf__warp *w = r->w;
    uint32_t key = r->is_shared ? w->block->ev->rank + 1 : 0; // as in race.c, kind ACC
    struct wf__kept *k = wf__kept_slot(w, r->site->id, WF__ACC);
    if (k->site == r->site->id && k->epoch == w->epoch && k->kind == key && k->mask == UINT32_MAX &&
        k->rec >= r->pool->first)
        return k->rec;
    uint32_t n = r->pool->n_rec++;
    r->pool->rec[n] = (struct wf__rec){.site = r->site,
                                       .serial = r->serial,
                                       .epoch = w->epoch,
                                       .mask = UINT32_MAX,
                                       .base = w->split ? r->base : w->k.base,
                                       .warp = (uint16_t)w->index,
                                       .kind = WF__ACC,
                                       .flags = r->flags,
                                       .bytes = (uint8_t)r->size,
                                       .level = (uint8_t)r->site->scope};
    *k = (struct wf__kept){.site = r->site->id, .epoch = w->epoch, .mask = UINT32_MAX, .rec = n, .kind = key};
    return n;
}

static bool all_written(const uint8_t *bits, uint64_t off, uint32_t bytes)
{
    const uint64_t *b = (const void *)(bits + off / 8); // of a line's first byte: aligned
    uint64_t v = UINT64_MAX;
    for (uint32_t i = 0; i < bytes / 64; i++)
        v &= b[i];
    return v == UINT64_MAX;
}

static bool run(struct wf__ctx *c, struct wf_ev_warp *ev, const struct wf_site *s, bool is_shared, uint64_t addr)
{
    struct run r;
    r.w = ev->user;
    struct wf__block *b = r.w->block;
    r.size = (uint32_t)s->bytes * s->elements;
    uint32_t bytes = 32 * r.size;
    uint64_t off = addr, *cell, end;
    uint8_t *bits;
    if (wf__site_get(s)->what != WF__SITE_PLAIN || r.w->lost)
        return false;
    if (is_shared) {
        if (!b->slot || b->grid->ev->has_bulk)
            return false;
        r.pool = &b->slot->pool;
        cell = b->slot->cell;
        bits = b->slot->init;
        end = b->grid->ev->shared_bytes;
    } else {
        off -= c->sh.base;
        r.pool = &c->sh.pool;
        cell = c->sh.cell;
        bits = c->bits;
        end = c->sh.bytes;
        if (!cell || b->grid->moves)
            return false;
    }
    if (off & 127 || off >= end || bytes > end - off || r.pool->n_rec > r.pool->limit)
        return false;
    bool written = !c->o.memory || all_written(bits, off, bytes);
    if (!written && (!s->is_write || (!is_shared && !wf__memory_is_live(addr, bytes))))
        return false;
    r.site = s;
    r.serial = b->serial;
    r.is_shared = is_shared;
    r.has_x = false;
    r.base = r.w->k.base <= b->info->first_exit ? r.w->k.base : b->info->exit_base;
    r.flags = (uint8_t)((s->is_read ? WF__R : 0) | (s->is_write ? WF__W : 0) | (s->is_nc ? WF__NC : 0));
    cell += off / 4;
    uint32_t n = r.size / 4, h = rec_of(&r) << 5;
    uint64_t after[4];
    for (uint32_t i = 0; i < n; i++)
        if (!(after[i] = line_after(&r, cell[i * WF__LINE_WORDS], h + i * (32 / n), addr + i * 128)))
            return false;
    for (uint32_t i = 0; i < n; i++)
        cell[i * WF__LINE_WORDS] = after[i];
    if (!written)
        memset(bits + off / 8, 0xff, bytes / 8);
    if (!is_shared && wf__hostmem_near(addr)) {
        acc(&r, addr);
        r.ev.addr = &addr;
        if (b->grid->work)
            wf__hostmem_access(c, &r.ev);
    }
    c->stats.warp_accesses++;
    c->stats.fast_accesses++;
    c->stats.lane_accesses += 32;
    return true;
}

bool wf__run(void *arg, struct wf_ev_warp *ev, const struct wf_site *s, bool is_shared, uint64_t addr)
{
    wf__lock_hook_begin();
    bool done = run(arg, ev, s, is_shared, addr);
    wf__lock_hook_end();
    return done;
}

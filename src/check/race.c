// SPDX-License-Identifier: Apache-2.0
// The race checker's way of one warp access: find the cells, compare, store.
//
// Plain accesses to whole words are done in the cells, word by word, where whole.c could not settle them as a
// whole; what a cell cannot hold goes to word.c; strong accesses to strong.c, copies to async.c.
#include "base/bits.h"     // WF_EACH_LANE
#include "base/err.h"      // WF_ASSERT
#include "check/access.h"  // wf__weak_word
#include "check/advice.h"  // wf__redundant_used
#include "check/compact.h" // wf__pool_compact
#include "check/ctx.h"     // struct wf__acc
#include "check/proxy.h"   // wf__proxy_write
#include "check/site.h"    // wf__site_get
#include "check/sync.h"    // wf__loc_weak_write
#include "check/verdict.h" // wf__race_found
#include "check/work.h"    // wf__work_passed

uint32_t wf__acc_before(struct wf__acc *x, const struct wf__rec *r, uint32_t mask, uint32_t lane)
{
    const struct wf__grid *g = x->w->block->grid;
    if (r->serial - g->serial0 >= g->n_blocks) // of another launch: all of it or nothing
        return wf__work_passed(x->w, 1u << lane, r->serial) ? mask : 0;
    if (r->flags & (WF__ASYNC | WF__NC)) {
        bool own = r->serial == x->serial && r->warp == x->w->index;
        return own && !(r->flags & WF__ASYNC) ? mask & (1u << lane) : 0;
    }
    if (r->serial == x->serial && r->epoch <= x->base && r->warp < WF__AGENT) {
        if (x->ctx->o.redundant && x->is_conflict)
            wf__redundant_used(x->w, lane, r, wf_ctz32(mask));
        return mask;
    }
    return wf__covers(x->w, lane, r->serial, r->warp, mask, r->epoch);
}

uint32_t wf__rec_of(struct wf__pool *p, struct wf__warp *w, const struct wf_site *s, uint32_t where,
                    const struct wf__pattern *group, const struct wf__rec *r)
{
    s = wf__site_get(s)->as;
    uint8_t kind = group ? WF__GROUP : WF__ACC;
    uint32_t key = (group ? group->id : 0) << 16 | (uint32_t)kind << 8 | where;
    struct wf__kept *kept = wf__kept_at(w, s->id, key);
    if (kept->site == s->id && kept->epoch == w->epoch && kept->kind == key && kept->rec >= p->first)
        return kept->rec;
    WF_ASSERT(p->n_rec < p->cap_rec); // room is made before each access
    uint32_t n = p->n_rec++;
    struct wf__rec *to = &p->rec[n];
    __builtin_prefetch(to + 8, 1);
    *to = *r;
    to->site = s;
    to->serial = w->block->serial;
    to->epoch = w->epoch;
    to->warp = (uint16_t)w->index;
    to->kind = kind;
    to->level = (uint8_t)s->scope;
    to->prev = group ? group->id : 0;
    *kept = (struct wf__kept){.site = s->id, .epoch = w->epoch, .rec = n, .kind = key};
    return n;
}

static uint32_t rec_make(struct wf__acc *x, const struct wf__pattern *group)
{
    struct wf__rec r = {.mask = group ? group->mask : UINT32_MAX,
                        .base = x->w->split ? x->base : x->w->k.base,
                        .flags = (uint8_t)x->flags,
                        .bytes = x->bytes};
    return wf__rec_of(x->pool, x->w, x->site, x->is_shared ? x->ev->owner_rank + 1 : 0, group, &r);
}

// Made on first need; the same one as long as the warp's epoch lasts.
uint32_t wf__acc_rec(struct wf__acc *x)
{
    if (!x->rec)
        x->rec = rec_make(x, NULL);
    return x->rec;
}

bool wf__handle_before(struct wf__acc *x, uint32_t h, uint32_t lane)
{
    while (h >> 5 != x->sure) {
        const struct wf__rec *r = &x->pool->rec[h >> 5];
        if (r->serial == x->serial && r->epoch <= x->base && !(r->flags & (WF__ASYNC | WF__NC)) &&
            r->warp < WF__AGENT) {
            if (x->ctx->o.redundant && x->is_conflict)
                wf__redundant_used(x->w, lane, r, h & 31);
            else
                x->sure = h >> 5;
            return true;
        }
        if (r->kind != WF__PAIR) {
            uint32_t lanes = wf__rec_lanes(r, h & 31);
            return wf__acc_before(x, r, lanes, lane) == lanes;
        }
        if (!wf__handle_before(x, r->add << 5 | (h & 31), lane))
            return false;
        h = r->prev << 5 | ((h + r->delta) & 31);
        if (wf__is_old(x->pool, h))
            return true;
    }
    return true;
}

// The word's bytes that these lanes of the record touched.
static uint8_t bytes_of(const struct wf__rec *r, uint32_t h, uint32_t lanes)
{
    uint32_t bytes = 0;
    if (r->bytes >= 4)
        return 0xf;
    WF_EACH_LANE(lanes, l)
    {
        bytes |= ((1u << r->bytes) - 1) << (l - (h & 31)) * r->bytes;
    }
    return (uint8_t)bytes;
}

// Reports the members of h that are not ordered before `lane` and clash, one for each byte.
static void handle_check(struct wf__acc *x, uint64_t *cell, uint32_t h, uint32_t lane,
                         bool is_write)
{
    uint8_t told[3] = {0};
    uint32_t most = x->is_shared ? 1 : 2, left = 64; // once all bytes are told of, members to look at for a wider reach
    while (!wf__is_old(x->pool, h) && told[most] != 0xf &&
           ((told[0] | told[1] | told[2]) != 0xf || left--)) {
        const struct wf__rec *r = &x->pool->rec[h >> 5];
        const struct wf__rec *m = r->kind == WF__PAIR ? &x->pool->rec[r->add] : r;
        uint32_t lanes = wf__rec_lanes(m, h & 31);
        uint32_t open = lanes & ~wf__acc_before(x, m, lanes, lane);
        enum wf__clash clash = open ? wf__clash(x, m) : WF__CLASH_NONE;
        uint32_t reach = wf__acc_reach(x, m);
        uint8_t bytes = clash == WF__CLASH_NONE ? 0 : (uint8_t)(bytes_of(m, h, open) & ~told[reach]);
        if (bytes)
            wf__race_found(x, lane, wf__acc_addr(x, cell), bytes, m, wf_ctz32(open), clash, NULL,
                           is_write);
        told[reach] |= bytes;
        if (r->kind != WF__PAIR)
            return;
        h = r->prev << 5 | ((h + r->delta) & 31);
    }
}

// A reader that nothing can ever be ordered after, among the members of a union; or 0.
static uint32_t hopeless_reader(const struct wf__acc *x, uint32_t h)
{
    const struct wf__grid *g = x->w->block->grid;
    for (; !wf__is_old(x->pool, h);) {
        const struct wf__rec *r = &x->pool->rec[h >> 5];
        const struct wf__rec *m = r->kind == WF__PAIR ? &x->pool->rec[r->add] : r;
        uint32_t i = m->serial - g->serial0;
        if (!(m->flags & WF__GUESS) && i < g->n_blocks && g->cs.blk[i].is_dead &&
            m->epoch > g->cs.blk[i].published)
            return r->kind == WF__PAIR ? r->add << 5 | (h & 31) : h;
        if (r->kind != WF__PAIR)
            return 0;
        h = r->prev << 5 | ((h + r->delta) & 31);
    }
    return 0;
}

uint32_t wf__union_next(const struct wf__pool *p, uint32_t h)
{
    return p->rec[h >> 5].prev << 5 | ((h + p->rec[h >> 5].delta) & 31);
}

// The reader half after a weak read by `lane` of record `rec`; old is not ancient and not ordered.
uint32_t wf__reader_added(struct wf__acc *x, uint32_t old, uint32_t rec, uint32_t lane, bool is_one)
{
    const struct wf__rec *r = &x->pool->rec[old >> 5];
    uint32_t h = (r->base >= 4 || r->kind != WF__PAIR) && wf__union_due(x->pool, r) ? hopeless_reader(x, old) : 0;
    return h ? h : wf__read_union(x->pool, old, rec, lane, is_one);
}

// The newest members of an unordered reader half that the lane is ordered after go: it stands for them.
static uint32_t without_older(struct wf__acc *x, uint32_t h, uint32_t lane)
{
    while (x->pool->rec[h >> 5].kind == WF__PAIR && wf__handle_before(x, x->pool->rec[h >> 5].add << 5 | (h & 31), lane))
        h = wf__union_next(x->pool, h);
    return h;
}

static void weak_part(struct wf__acc *x, uint64_t *cell, uint32_t lane, uint8_t bytes, uint8_t rw)
{
    struct wf__word *wd = wf__word_from_cell(x, cell);
    wf__word_touch(x, wd, lane, bytes, rw, 0, NULL);
    if (rw & WF__W) {
        uint64_t at = wf__acc_addr(x, cell) + (uint32_t)__builtin_ctz(bytes);
        uint32_t n = wf_popcount32(bytes);
        for (uint32_t i = 0; i < wd->n_loc; i++)
            if (wd->loc[i]->addr < at + n && at < wd->loc[i]->addr + wd->loc[i]->bytes)
                wf__loc_weak_write(wd->loc[i]);
        wf__word_shrink(x, wd);
    }
}

// Nothing in the word matters to the launch that runs.
static bool is_past(const struct wf__pool *p, const struct wf__word *wd)
{
    for (uint32_t i = 0; i < wd->n; i++)
        if (wd->at[i].rec >= p->first)
            return false;
    return !wd->n_loc;
}

// A plain access to a whole word. 
void wf__weak_word(struct wf__acc *x, uint64_t *cell, uint32_t lane, bool is_write)
{
    uint64_t c = *cell;
    uint32_t wr = (uint32_t)c, rd = (uint32_t)(c >> 32), first = x->pool->first;
    if (wr & WF__SPILL) {
        struct wf__word *wd = wf__word_of(x->pool, cell);
        if (wd && !(is_write && is_past(x->pool, wd))) {
            weak_part(x, cell, lane, 0xf, is_write ? WF__W : WF__R);
            return;
        }
        if (wd)
            wf__word_free(x->pool, wd);
        wr = rd = 0;
    }
    bool rd_live = rd >> 5 >= first;
    if (rd_live &&
        (x->pool->rec[rd >> 5].flags ^ x->flags) & WF__NC) { // neither stands for the other
        weak_part(x, cell, lane, 0xf, is_write ? WF__W : WF__R);
        return;
    }
    x->is_conflict = true;
    if (wr >> 5 >= first && !wf__handle_before(x, wr, lane))
        handle_check(x, cell, wr, lane, is_write);
    uint32_t h = wf__acc_rec(x) << 5 | lane;
    if (is_write) {
        if (rd_live && !wf__handle_before(x, rd, lane))
            handle_check(x, cell, rd, lane, true);
        *cell = h;
        return;
    }
    x->is_conflict = false;
    if (rd_live && rd >> 5 != x->rec && x->flags & WF__GUESS) { // stands for nothing else
        weak_part(x, cell, lane, 0xf, WF__R);
        return;
    }
    if (rd_live && rd != h) {
        uint32_t known = wf__read_known(x->pool, rd, x->rec, lane);
        if (known)
            h = known;
        else if (!wf__handle_before(x, rd, lane))
            h = wf__reader_added(x, without_older(x, rd, lane), x->rec, lane, true);
    }
    *cell = (uint64_t)h << 32 | wr;
}

// Lanes of a pattern, `lane` the lowest, read one whole word; x->rec is their record.
static void group_read(struct wf__acc *x, uint64_t *cell, uint32_t lane, uint32_t group)
{
    uint64_t c = *cell;
    uint32_t wr = (uint32_t)c, rd = (uint32_t)(c >> 32), first = x->pool->first;
    bool is_spilled = wr & WF__SPILL && wf__word_of(x->pool, cell), rd_live = rd >> 5 >= first;
    if (is_spilled || (!(wr & WF__SPILL) && rd_live && (x->pool->rec[rd >> 5].flags ^ x->flags) & WF__NC)) {
        WF_EACH_LANE(group, l)
        {
            weak_part(x, cell, l, 0xf, WF__R);
        }
        return;
    }
    if (wr & WF__SPILL) {
        wr = rd = 0;
        rd_live = false;
    }
    x->is_conflict = true;
    if (wr >> 5 >= first) {
        WF_EACH_LANE(group, l)
        {
            if (!wf__handle_before(x, wr, l))
                handle_check(x, cell, wr, l, false);
        }
    }
    x->is_conflict = false;
    uint32_t h = x->rec << 5 | lane;
    if (rd_live && rd != h) {
        const struct wf__rec *r = &x->pool->rec[rd >> 5];
        bool own = r->kind != WF__PAIR && r->serial == x->serial && r->warp == x->w->index &&
                   !(r->flags & (WF__NC | WF__ASYNC)) && !(wf__rec_lanes(r, rd & 31) & ~group);
        bool before = !own;
        for (uint32_t m = group; m && before; m &= m - 1)
            before = wf__handle_before(x, rd, wf_ctz32(m));
        if (!own && !before)
            h = wf__reader_added(x, rd, x->rec, lane, true);
    }
    *cell = (uint64_t)h << 32 | wr;
}

// Word by word: what the whole did not settle. Lowest lanes first, as findings name the first one.
static void weak_pattern(struct wf__acc *x, const struct wf__pattern *p, uint64_t low)
{
    if (p->is_grouped)
        x->rec = rec_make(x, p);
    for (uint32_t l = p->least; l <= p->most; l++)
        for (uint32_t i = 0; i < p->n; i++) {
            uint64_t *cell = wf__acc_cell(x, low + 4 * p->idx[i]);
            if (p->lane[i] == l && p->is_grouped)
                group_read(x, cell, l, p->group[l]);
            else if (p->lane[i] == l)
                wf__weak_word(x, cell, l, x->site->is_write);
        }
}

// ---- plain accesses

static void weak_lane(struct wf__acc *x, uint64_t addr, uint32_t lane, uint32_t size)
{
    bool is_write = x->site->is_write;
    uint64_t used = x->site->used_bytes; // of a whole vector, at most 32 bytes
    if (addr - x->addr0 + size > x->limit || addr < x->addr0)
        return;
    if (!((addr | size) & 3) && (is_write || used << (64 - size) == UINT64_MAX << (64 - size))) {
        for (uint32_t i = 0; i < size / 4; i++)
            wf__weak_word(x, wf__acc_cell(x, addr + 4 * i), lane, is_write);
        return;
    }
    for (uint32_t at = 0; at < size;) {
        uint64_t *cell = wf__acc_cell(x, addr + at);
        uint32_t off = (uint32_t)(addr + at) & 3;
        uint32_t n = size - at < 4 - off ? size - at : 4 - off;
        uint32_t bytes = ((1u << n) - 1) << off;
        if (!is_write)
            bytes &= (uint32_t)(used >> at) << off;
        at += n;
        bytes &= 0xf;
        if (bytes == 0xf)
            wf__weak_word(x, cell, lane, is_write);
        else if (bytes)
            weak_part(x, cell, lane, (uint8_t)bytes, is_write ? WF__W : WF__R);
    }
}

static void weak_access(struct wf__acc *x, const uint64_t *addr, uint32_t size, const struct wf__pattern *p)
{
    uint64_t low = p ? addr[wf_ctz32(p->mask)] + (uint64_t)p->low : 0;
    if (p && !(p->is_grouped && x->site->is_write) && low >= x->addr0 && low - x->addr0 <= x->limit &&
        4 * p->span <= x->limit - (low - x->addr0)) {
        weak_pattern(x, p, low);
        return;
    }
    WF_EACH_LANE(x->ev->mask, l)
    {
        weak_lane(x, addr[l], l, size);
    }
}

// ---- one warp access

static uint16_t flags_of(const struct wf__ctx *c, const struct wf_site *s)
{
    uint32_t f = (s->is_read ? WF__R : 0u) | (s->is_write ? WF__W : 0u);
    bool relaxed = c->o.volatile_mode == WF_VOLATILE_RELAXED;
    if (s->is_atomic)
        f |= WF__STRONG | WF__RMW | WF__R;
    else if (s->is_volatile)
        f |= WF__VOL | (relaxed ? WF__STRONG : 0u);
    else if (s->order != WF_ORD_WEAK)
        f |= WF__STRONG;
    if (s->is_cas_guess)
        f |= WF__GUESS;
    if (s->is_nc)
        f |= WF__NC;
    return (uint16_t)f;
}

static bool acc_place(struct wf__acc *x, struct wf__ctx *c, const struct wf_ev_access *a)
{
    if (a->space == WF_SPACE_GLOBAL) {
        if (!c->sh.cell)
            return false;
        x->pool = &c->sh.pool;
        x->cell0 = c->sh.cell;
        x->addr0 = c->sh.base;
        x->limit = c->sh.bytes;
        return true;
    }
    if (a->space != WF_SPACE_SHARED)
        return false;
    x->owner = wf__peer(x->w->block, a->owner_rank);
    if (!x->owner)
        return false;
    x->is_shared = true;
    x->owner->slot->is_visited |= x->owner != x->w->block;
    x->pool = &x->owner->slot->pool;
    x->cell0 = x->owner->slot->cell;
    if (x->owner->slot->heard.is_on)
        wf__heard_end(&x->owner->slot->heard, x->pool, x->cell0);
    x->limit = x->owner->slot->words * 4;
    return true;
}

bool wf__acc_init(struct wf__acc *x, struct wf__ctx *c, const struct wf_ev_access *a)
{
    struct wf__warp *w = a->warp->user;
    struct wf__block *b = w->block;
    const struct wf_site *s = a->site;
    *x = (struct wf__acc){.ctx = c,
                          .w = w,
                          .ev = a,
                          .site = s,
                          .serial = b->serial,
                          .flags = flags_of(c, s),
                          .level = (uint8_t)s->scope};
    x->base = w->k.base <= b->info->first_exit ? w->k.base : b->info->exit_base;
    if (acc_place(x, c, a) && x->pool->n_rec > x->pool->limit)
        wf__pool_compact(c, x->pool, x->owner);
    return x->pool;
}

void wf__touch(struct wf__ctx *c, uint64_t off, uint64_t bytes)
{
    for (uint64_t i = off >> 20; i <= (off + bytes - 1) >> 20 && i <= c->sh.bytes >> 20; i++)
        c->sh.touched[i] = 1;
}

void wf__race_access(struct wf__ctx *c, const struct wf_ev_access *a, const struct wf__pattern *p)
{
    struct wf__acc x;
    const struct wf_site *s = a->site;
    uint32_t size = (uint32_t)s->bytes * s->elements;
    if (!a->mask)
        return;
    if (!wf__acc_init(&x, c, a)) {
        if (a->space == WF_SPACE_SHARED)
            wf__remote_gone(&x);
        return;
    }
    if (x.is_shared && s->is_write && x.w->block->grid->ev->has_bulk)
        wf__proxy_write(&x, a, size);
    c->stats.warp_accesses++;
    c->stats.lane_accesses += wf_popcount32(a->mask);
    bool strong = s->is_atomic || s->is_volatile || s->order != WF_ORD_WEAK;
    x.bytes = (uint8_t)(strong ? s->bytes : size);
    uint64_t line[32];
    const uint64_t *addr = a->addr;
    if (a->is_linear && !a->stride && strong && wf__strong_at_one(&x, a->addr[0]))
        return;
    if (a->is_linear) {
        for (uint32_t l = 0; l < 32; l++)
            line[l] = a->addr[0] + (uint64_t)a->stride * l;
        addr = line;
    }
    if (!x.is_shared && p)
        wf__touch(c, addr[wf_ctz32(a->mask)] + (uint64_t)p->low - x.addr0, 4 * (uint64_t)p->span);
    WF_EACH_LANE(x.is_shared || p ? 0 : a->mask, l)
    {
        wf__touch(c, addr[l] - x.addr0, size);
    }
    if (strong)
        wf__strong_access(&x, addr);
    else
        weak_access(&x, addr, size, p);
}

// SPDX-License-Identifier: Apache-2.0
// The race checker's way of one warp access: find the cells, compare, store.
//
// Plain accesses to whole words are done in the cells; a whole-warp access to consecutive words is
// one vector compare and one vector store (span.c). Everything else goes word by word, and what a cell
// cannot hold goes to word.c. Strong accesses also pass through their location (sync.c), after the
// check, so that an acquire does not excuse the access that made it.
#include "base/bits.h"  // WF_EACH_LANE
#include "base/err.h"   // WF_ASSERT
#include "check/advice.h" // wf__redundant_used
#include "check/ctx.h"  // struct wf__acc
#include "check/span.h" // wf__span_linear
#include "check/sync.h" // wf__loc_access
#include "check/verdict.h" // wf__seen_note

uint32_t wf__acc_before(struct wf__acc *x, const struct wf__rec *r, uint32_t mask, uint32_t lane)
{
    if (r->flags & (WF__ASYNC | WF__NC)) {
        if (r->flags & WF__ASYNC)
            return 0;
        bool own = r->serial == x->serial && r->warp == x->w->index;
        if (own || !wf__grid_after(x->w->block->grid, r->serial))
            return own ? mask & (1u << lane) : 0;
    }
    if (r->serial == x->serial && r->epoch <= x->base && r->warp < WF__AGENT) {
        if (x->ctx->o.redundant && x->is_conflict)
            wf__redundant_used(x->w, lane, r, wf_ctz32(mask));
        return mask;
    }
    return wf__covers(x->w, lane, r->serial, r->warp, mask, r->epoch);
}

// The record of this access, made on first need; the same one as long as the warp's epoch lasts.
static uint32_t rec_make(struct wf__acc *x, uint8_t kind, uint32_t mask)
{
    struct wf__warp *w = x->w;
    uint32_t key = (uint32_t)kind << 8 | (x->is_shared ? x->ev->owner_rank + 1 : 0);
    uint32_t slot = (x->site->id * 2 + kind) & 15;
    if (w->cache[slot].site == x->site->id && w->cache[slot].epoch == w->epoch &&
        w->cache[slot].kind == key && w->cache[slot].mask == mask &&
        w->cache[slot].rec >= x->pool->first)
        return w->cache[slot].rec;
    uint32_t n = wf__rec_new(x->pool);
    struct wf__rec *r = &x->pool->rec[n];
    *r = (struct wf__rec){.site = x->site, .serial = x->serial, .epoch = w->epoch, .mask = mask,
                          .base = w->split ? x->base : w->k.base, .warp = (uint16_t)w->index,
                          .kind = kind, .flags = (uint8_t)x->flags, .bytes = x->bytes,
                          .level = x->level};
    w->cache[slot].site = x->site->id;
    w->cache[slot].epoch = w->epoch;
    w->cache[slot].kind = key;
    w->cache[slot].mask = mask;
    w->cache[slot].rec = n;
    return n;
}

uint32_t wf__acc_rec(struct wf__acc *x)
{
    if (!x->rec)
        x->rec = rec_make(x, WF__ACC, UINT32_MAX);
    return x->rec;
}

static uint32_t handle_lanes(const struct wf__rec *r, uint32_t lane)
{
    if (r->kind == WF__MULTI)
        return r->mask;
    return r->bytes >= 4 ? 1u << lane : ((1u << 4 / r->bytes) - 1) << lane;
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
            uint32_t lanes = handle_lanes(r, h & 31);
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
    if (r->kind == WF__MULTI || r->bytes >= 4)
        return 0xf;
    WF_EACH_LANE(lanes, l)
    {
        bytes |= ((1u << r->bytes) - 1) << (l - (h & 31)) * r->bytes;
    }
    return (uint8_t)bytes;
}

// Reports the members of h that are not ordered before `lane` and clash, one for each byte.
static void handle_check(struct wf__acc *x, uint64_t *cell, uint32_t h, uint32_t lane, bool is_write)
{
    uint8_t told = 0;
    for (; !wf__is_old(x->pool, h) && told != 0xf;) {
        const struct wf__rec *r = &x->pool->rec[h >> 5];
        const struct wf__rec *m = r->kind == WF__PAIR ? &x->pool->rec[r->add] : r;
        uint32_t lanes = handle_lanes(m, h & 31);
        uint32_t open = lanes & ~wf__acc_before(x, m, lanes, lane);
        enum wf__clash clash = open ? wf__clash(x, m) : WF__CLASH_NONE;
        uint8_t bytes = clash == WF__CLASH_NONE ? 0 : (uint8_t)(bytes_of(m, h, open) & ~told);
        if (bytes)
            wf__race_found(x, lane, wf__acc_addr(x, cell), bytes, m, wf_ctz32(open), clash, NULL,
                           is_write);
        told |= bytes;
        if (r->kind != WF__PAIR)
            return;
        h = r->prev << 5 | ((h + r->delta) & 31);
    }
}

// A reader that nothing can ever be ordered after, among the members of a long union; or 0.
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

// The reader half after a weak read by `lane` of record `rec`; old is not ancient and not ordered.
uint32_t wf__reader_added(struct wf__acc *x, uint32_t old, uint32_t rec, uint32_t lane)
{
    uint32_t h = hopeless_reader(x, old);
    return h ? h : wf__read_union(x->pool, old, rec, lane);
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

// A plain access to a whole word. rec: of kind ACC, or MULTI for all its lanes at once.
static void weak_word(struct wf__acc *x, uint64_t *cell, uint32_t lane, bool is_write)
{
    uint64_t c = *cell;
    uint32_t wr = (uint32_t)c, rd = (uint32_t)(c >> 32), first = x->pool->first;
    if (wr & WF__SPILL) {
        if (wf__word_of(x->pool, cell)) {
            weak_part(x, cell, lane, 0xf, is_write ? WF__W : WF__R);
            return;
        }
        wr = rd = 0;
    }
    bool rd_live = rd >> 5 >= first;
    if (rd_live && (x->pool->rec[rd >> 5].flags ^ x->flags) & WF__NC) { // neither stands for the other
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
    if (rd_live && rd != h && !wf__handle_before(x, rd, lane))
        h = wf__reader_added(x, rd, x->rec, lane);
    *cell = (uint64_t)h << 32 | wr;
}

// All lanes of the mask read the same whole word.
static void weak_broadcast(struct wf__acc *x, uint64_t *cell, uint32_t mask)
{
    uint64_t c = *cell;
    uint32_t wr = (uint32_t)c, rd = (uint32_t)(c >> 32), first = x->pool->first;
    if (wr & WF__SPILL) {
        if (wf__word_of(x->pool, cell)) {
            WF_EACH_LANE(mask, l)
            {
                weak_part(x, cell, l, 0xf, WF__R);
            }
            return;
        }
        wr = rd = 0;
    }
    x->is_conflict = true;
    if (wr >> 5 >= first) {
        WF_EACH_LANE(mask, l)
        {
            if (!wf__handle_before(x, wr, l))
                handle_check(x, cell, wr, l, false);
        }
    }
    x->is_conflict = false;
    uint32_t rec = rec_make(x, WF__MULTI, mask), h = rec << 5;
    if (rd >> 5 >= first && rd >> 5 != rec) {
        const struct wf__rec *r = &x->pool->rec[rd >> 5];
        bool own = r->kind != WF__PAIR && r->serial == x->serial && r->warp == x->w->index &&
                   !(r->flags & (WF__NC | WF__ASYNC)) && !(handle_lanes(r, rd & 31) & ~mask);
        bool before = !own;
        for (uint32_t m = mask; m && before; m &= m - 1)
            before = wf__handle_before(x, rd, wf_ctz32(m));
        if (!own && !before)
            h = wf__reader_added(x, rd, rec, 0);
    }
    *cell = (uint64_t)h << 32 | wr;
}

// ---- strong accesses

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
static struct wf__loc *loc_make(struct wf__acc *x, struct wf__word *wd, uint64_t addr, uint8_t bytes)
{
    struct wf__loc *l = wf__loc_new(wd, addr, x->bytes);
    const struct wf__entry *last = NULL;
    l->next = x->pool->locs;
    x->pool->locs = l;
    l->seq = wd->seq;
    for (uint32_t i = 0; i < wd->n; i++) {
        const struct wf__entry *e = &wd->at[i];
        if (!e->seq || !(e->bytes & bytes) || e->rec < x->pool->first)
            continue;
        if (!last || e->seq > last->seq)
            last = e;
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
    for (uint32_t i = 0; i < wd->n; i++) {
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
    uint64_t *cell = x->cell0 + (addr - x->addr0) / 4;
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
        *cell = writes ? h : h << 32;
        return;
    }
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

static void strong_access(struct wf__acc *x, const uint64_t *addr)
{
    const struct wf_site *s = x->site;
    WF_EACH_LANE(x->ev->mask, l)
    {
        for (uint32_t e = 0; e < s->elements; e++) {
            uint64_t at = addr[l] + (uint64_t)e * s->bytes;
            if (at - x->addr0 + s->bytes > x->limit || at % s->bytes)
                continue;
            bool writes = s->is_atomic ? x->ev->writes >> l & 1 : s->is_write;
            strong_element(x, at, l, writes);
        }
    }
}

// ---- plain accesses

static void weak_lane(struct wf__acc *x, uint64_t addr, uint32_t lane, uint32_t size)
{
    bool is_write = x->site->is_write;
    uint64_t used = x->site->used_bytes;
    if (addr - x->addr0 + size > x->limit || addr < x->addr0)
        return;
    for (uint32_t at = 0; at < size;) {
        uint64_t *cell = x->cell0 + (addr + at - x->addr0) / 4;
        uint32_t off = (uint32_t)(addr + at) & 3;
        uint32_t n = size - at < 4 - off ? size - at : 4 - off;
        uint32_t bytes = ((1u << n) - 1) << off;
        if (!is_write)
            bytes &= (uint32_t)(used >> at) << off;
        at += n;
        bytes &= 0xf;
        if (bytes == 0xf)
            weak_word(x, cell, lane, is_write);
        else if (bytes)
            weak_part(x, cell, lane, (uint8_t)bytes, is_write ? WF__W : WF__R);
    }
}

static void weak_access(struct wf__acc *x, const uint64_t *addr, uint32_t size)
{
    uint32_t mask = x->ev->mask;
    if (!x->site->is_write && size == 4 && mask & (mask - 1)) {
        uint64_t a0 = addr[wf_ctz32(mask)];
        uint32_t same = 0;
        WF_EACH_LANE(mask, l)
        {
            same |= addr[l] == a0 ? 1u << l : 0;
        }
        if (same == mask && !(a0 & 3) && a0 - x->addr0 + 4 <= x->limit &&
            !(x->flags & (WF__GUESS | WF__NC)) && x->site->used_bytes >= 0xf) {
            weak_broadcast(x, x->cell0 + (a0 - x->addr0) / 4, mask);
            return;
        }
    }
    WF_EACH_LANE(mask, l)
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

static bool acc_init(struct wf__acc *x, struct wf__ctx *c, const struct wf_ev_access *a)
{
    struct wf__warp *w = a->warp->user;
    struct wf__block *b = w->block;
    const struct wf_site *s = a->site;
    *x = (struct wf__acc){.ctx = c, .w = w, .ev = a, .site = s, .serial = b->serial,
                          .flags = flags_of(c, s), .level = (uint8_t)s->scope};
    x->base = w->k.base <= b->info->first_exit ? w->k.base : b->info->exit_base;
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
    x->owner = wf__peer(b, a->owner_rank);
    if (!x->owner)
        return false;
    x->is_shared = true;
    x->pool = &x->owner->slot->pool;
    x->cell0 = x->owner->slot->cell;
    x->limit = x->owner->slot->words * 4;
    return true;
}

static void mark(struct wf__ctx *c, uint64_t off, uint64_t bytes)
{
    if (off >= c->sh.bytes)
        return;
    c->sh.touched[off >> 20] = 1;
    if (off + bytes - 1 < c->sh.bytes)
        c->sh.touched[(off + bytes - 1) >> 20] = 1;
}

void wf__race_access(struct wf__ctx *c, const struct wf_ev_access *a)
{
    struct wf__acc x;
    const struct wf_site *s = a->site;
    uint32_t size = (uint32_t)s->bytes * s->elements;
    if (!a->mask || !acc_init(&x, c, a))
        return;
    c->stats.warp_accesses++;
    c->stats.lane_accesses += wf_popcount32(a->mask);
    bool strong = s->is_atomic || s->is_volatile || s->order != WF_ORD_WEAK;
    x.bytes = (uint8_t)(strong ? s->bytes : size);
    if (!strong && a->is_linear && a->stride == (int64_t)size && wf__span_linear(&x, a, size)) {
        c->stats.fast_accesses++;
        return;
    }
    uint64_t line[32];
    const uint64_t *addr = a->addr;
    if (a->is_linear) {
        for (uint32_t l = 0; l < 32; l++)
            line[l] = a->addr[0] + (uint64_t)a->stride * l;
        addr = line;
    }
    if (!x.is_shared)
        WF_EACH_LANE(a->mask, l)
        {
            mark(c, addr[l] - x.addr0, size);
        }
    if (strong)
        strong_access(&x, addr);
    else
        weak_access(&x, addr, size);
}

// ---- asynchronous copies

struct copy {
    uint64_t token;
    uint32_t dst, src; // records
    // Complete by an mbarrier: it counts as an access of this pseudo-thread.
    bool is_done;
    uint32_t agent, lane, epoch;
};

static void async_half(struct wf__acc *x, uint64_t addr, uint32_t bytes, uint32_t lane, bool is_write)
{
    if (addr - x->addr0 + bytes > x->limit || addr % 4)
        return;
    x->rec = wf__rec_new(x->pool);
    x->pool->rec[x->rec] =
        (struct wf__rec){.site = x->site, .serial = x->serial, .epoch = x->w->epoch,
                         .mask = 1u << lane, .base = x->base, .warp = (uint16_t)x->w->index,
                         .flags = (uint8_t)x->flags, .bytes = (uint8_t)bytes};
    for (uint32_t i = 0; i < bytes; i += 4)
        weak_word(x, x->cell0 + (addr + i - x->addr0) / 4, lane, is_write);
}

// The copy is a thread of its own, forked here: what the issuer knows now comes before it, and nothing
// comes after it until it is done.
void wf__race_async(struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, uint32_t lane,
                    uint64_t dst, uint64_t src, uint32_t bytes, uint64_t token)
{
    struct wf_ev_access a = {.site = s, .warp = w->ev, .space = WF_SPACE_SHARED,
                             .owner_rank = w->block->ev->rank, .mask = 1u << lane};
    struct wf__acc x;
    struct copy *k = wf_arena_alloc(&w->block->grid->cs.arena, sizeof *k);
    if (acc_init(&x, c, &a)) {
        x.flags = WF__W | WF__ASYNC;
        async_half(&x, dst, bytes, lane, true);
        k->dst = x.rec;
    }
    a.space = WF_SPACE_GLOBAL;
    if (acc_init(&x, c, &a)) {
        x.flags = WF__R | WF__ASYNC;
        mark(c, src - x.addr0, bytes);
        async_half(&x, src, bytes, lane, false);
        k->src = x.rec;
    }
    k->token = token;
    wf_map_put(&w->block->async, token + 1, k);
}

static void copy_done(struct wf__rec *r, uint32_t serial, uint32_t warp, uint32_t epoch)
{
    r->serial = serial;
    r->warp = (uint16_t)warp;
    r->epoch = epoch;
    r->flags &= (uint8_t)~WF__ASYNC;
}

void wf__race_async_done(struct wf__ctx *c, struct wf__warp *w, uint32_t lane, uint64_t token,
                         uint64_t mbar)
{
    struct wf__block *b = w->block;
    struct copy *k = mbar ? wf_map_get(&b->async, token + 1) : wf_map_del(&b->async, token + 1);
    if (!k || k->is_done)
        return;
    uint32_t warp = mbar ? wf__mbar_copied(b, mbar, lane) : w->index;
    uint32_t epoch = mbar ? b->k : w->epoch;
    k->is_done = true;
    k->agent = warp;
    k->lane = lane;
    k->epoch = epoch;
    if (k->dst)
        copy_done(&b->slot->pool.rec[k->dst], b->serial, warp, epoch);
    if (k->src)
        copy_done(&c->sh.pool.rec[k->src], b->serial, warp, epoch);
}

// Copies that the block's threads, all of one knowledge now, know to be complete need no more care.
// Returns the oldest record of the others.
static uint32_t copies_settle(struct wf__block *b)
{
    const struct wf__warp *w = b->warp;
    uint32_t oldest = UINT32_MAX;
    while (!w->live && w + 1 < b->warp + b->n_warps)
        w++;
    for (bool again = true; again;) {
        struct copy *known = NULL;
        uint64_t key;
        void *v;
        oldest = UINT32_MAX;
        for (size_t i = 0; wf_map_next(&b->async, &i, &key, &v);) {
            struct copy *k = v;
            if (k->is_done &&
                wf__clk_covers(&b->grid->cs, &w->k, b->index, k->agent, 1u << k->lane, k->epoch))
                known = k;
            else if (k->dst < oldest)
                oldest = k->dst;
        }
        again = known != NULL;
        if (known)
            wf_map_del(&b->async, known->token + 1);
    }
    return oldest;
}

void wf__race_barrier(struct wf__block *b)
{
    if (!b->slot || b->grid->ev->blocks_per_cluster > 1 || b->info->gone)
        return;
    uint32_t oldest = b->async.n ? copies_settle(b) : UINT32_MAX;
    if (oldest == UINT32_MAX)
        wf__seen_forget_shared(b);
    wf__slot_barrier(b->slot, oldest);
}

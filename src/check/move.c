// SPDX-License-Identifier: Apache-2.0
// Copies and fills in streams, and kernels that are not watched. Ranges, not cells: a copy of a gigabyte costs one
// entry here. A later kernel carries the ranges of the copies that run beside it; a copy looks at the cells only when
// kernels run beside it.
#include <stdlib.h> // free
#include <string.h> // memmove

#include "base/bits.h"     // WF_EACH_LANE
#include "check/hostmem.h" // wf__hostmem_move
#include "check/trust.h"   // wf__trust_told
#include "check/verdict.h" // wf__races_flush
#include "check/work.h"

#define SITES_TOLD 8 // of one copy
#define MOST_TRUSTED 256 // ranges, beyond which a kernel that is not watched is not kept

struct range {
    struct wf__work *work;
    uint64_t addr, end; // of all rows
    uint64_t width, pitch;
    bool is_write, is_lifetime;
    bool is_trusted; // of a kernel that was not watched: it touches no other bytes, perhaps not all of these
    bool is_atomic;  // likewise: by atomics only
};
struct wf__moves {
    uint32_t n;
    uint64_t lo, hi;
    struct range at[];
};
static WF_VEC(struct range) ranges; // of all work in the list of works

static bool touches(const struct range *r, uint64_t addr, uint64_t bytes)
{
    if (addr >= r->end || addr + bytes <= r->addr)
        return false;
    if (r->end - r->addr == r->width || addr <= r->addr)
        return true;
    uint64_t at = (addr - r->addr) % r->pitch;
    return at < r->width || at + bytes > r->pitch;
}

static bool overlap(const struct range *a, const struct range *b)
{
    if (a->addr >= b->end || b->addr >= a->end)
        return false;
    bool flat_a = a->end - a->addr == a->width, flat_b = b->end - b->addr == b->width;
    if (flat_a && flat_b)
        return true;
    if (flat_a)
        return touches(b, a->addr, a->width);
    uint64_t from = a->addr;
    for (uint64_t row = from; row < a->end && row < b->end; row += a->pitch)
        if (touches(b, row, a->width))
            return true;
    return false;
}

static bool is_beside(const struct wf_task *o, uint64_t early, const struct wf__work *w)
{
    return w->number != o->number &&
           (!wf__work_before(o, w) || (w->stream == o->stream && w->number > early));
}

void wf__move_forget(struct wf__ctx *c, const struct wf__work *w)
{
    (void)c;
    size_t n = 0;
    if (w->n_blocks && !w->has_rows)
        return;
    for (size_t i = 0; i < ranges.n; i++)
        if (ranges.at[i].work != w)
            ranges.at[n++] = ranges.at[i];
    ranges.n = n;
}

static struct wf__side side_of(const struct range *r)
{
    return (struct wf__side){.work = r->work,
                             .writes = r->is_write,
                             .is_lifetime = r->is_lifetime,
                             .bytes = (uint32_t)(r->width > UINT32_MAX ? UINT32_MAX : r->width)};
}

// now meets r, which came before.
static void say(const struct wf__side *now, const struct range *r, uint64_t addr)
{
    struct wf__side then = side_of(r);
    if (r->is_trusted)
        wf__trust_told(r->work->kernel);
    else
        wf__say_streams(now, &then, addr > r->addr ? addr : r->addr);
}

// ---- against cells

struct scan {
    struct wf__ctx *c;
    const struct wf_task *o;
    const struct range *r;
    const struct wf_site *told[SITES_TOLD];
    uint32_t n_told, floor;
};

static void meet(struct scan *s, uint32_t rec, uint32_t lane, uint64_t addr, bool writes)
{
    const struct wf__rec *r = &s->c->sh.pool.rec[rec];
    if (rec < s->floor || s->n_told == SITES_TOLD || !(s->r->is_write || writes))
        return;
    const struct wf__work *w = wf__work_of(s->c, r->serial);
    if (!w || !is_beside(s->o, UINT64_MAX, w))
        return;
    for (uint32_t i = 0; i < s->n_told; i++)
        if (s->told[i] == r->site)
            return;
    s->told[s->n_told++] = r->site;
    struct wf__side now = side_of(s->r);
    struct wf__side then = {.work = w,
                            .site = r->site,
                            .block = r->serial - w->serial0,
                            .warp = r->warp,
                            .lane = lane,
                            .bytes = r->bytes,
                            .writes = writes};
    wf__say_streams(&now, &then, addr);
}

static void meet_handle(struct scan *s, uint32_t h, uint64_t addr, bool writes)
{
    const struct wf__pool *p = &s->c->sh.pool;
    while (h >> 5 >= s->floor) {
        const struct wf__rec *r = &p->rec[h >> 5];
        uint32_t one = r->kind == WF__PAIR ? r->add : h >> 5, lane = h & 31;
        meet(s, one, lane, addr, writes);
        if (r->kind != WF__PAIR)
            return;
        h = r->prev << 5 | ((h + r->delta) & 31);
    }
}

static void meet_cell(struct scan *s, uint64_t *cell, uint64_t addr)
{
    struct wf__pool *p = &s->c->sh.pool;
    uint32_t wr = (uint32_t)*cell;
    if (!(wr & WF__SPILL)) {
        meet_handle(s, wr, addr, true);
        meet_handle(s, (uint32_t)(*cell >> 32), addr, false);
        return;
    }
    const struct wf__word *w = wf__word_of(p, cell);
    for (uint32_t i = 0; w && i < w->n; i++)
        meet(s, w->at[i].rec, wf_ctz32(w->at[i].mask), addr + (uint32_t)__builtin_ctz(w->at[i].bytes),
             w->at[i].flags & WF__W);
}

static void scan_cells(struct scan *s, uint64_t addr, uint64_t bytes)
{
    struct wf__shadow *sh = &s->c->sh;
    if (addr < sh->base || addr - sh->base >= sh->bytes)
        return;
    uint64_t at = addr - sh->base, end = at + bytes;
    end = end > sh->bytes ? sh->bytes : end;
    while (at < end && s->n_told < SITES_TOLD) {
        uint64_t next = (at | ((UINT64_C(1) << 20) - 1)) + 1;
        if (sh->touched[at >> 20])
            for (uint64_t i = at / 4; i < (next < end ? next : end + 3) / 4; i++) {
                uint64_t first = sh->cell[i & ~UINT64_C(31)], here = sh->base + (i * 4 < at ? at : i * 4);
                if (wf__line_is(first)) { // one of its words tells as much as all
                    meet_handle(s, wf__line_handle(&sh->pool, (uint32_t)first, i & 31), here, true);
                    meet_handle(s, wf__line_handle(&sh->pool, wf__line_reader(first), i & 31), here, false);
                    i |= 31;
                } else if (sh->cell[i]) {
                    meet_cell(s, &sh->cell[i], here);
                }
            }
        at = next;
    }
}

static bool has_launch_beside(const struct wf__ctx *c, const struct wf_task *o)
{
    for (size_t i = c->works.n; i-- > 0;)
        if (c->works.at[i]->n_blocks && is_beside(o, UINT64_MAX, c->works.at[i]))
            return true;
    return false;
}

static bool meet_launches(struct wf__ctx *c, const struct wf_ev_move *b, const struct range *r)
{
    if (!c->sh.cell || !has_launch_beside(c, b->order))
        return false;
    struct scan s = {
        .c = c, .o = b->order, .r = r, .floor = wf__work_floor(c, b->order, UINT64_MAX)};
    for (uint64_t at = r->addr; at < r->end; at += r->end - r->addr == r->width ? r->width : r->pitch)
        scan_cells(&s, at, r->width);
    return s.n_told > 0;
}

// The same bytes again by the same stream: the newer one stands for both.
static void keep_range(const struct range *r)
{
    for (size_t i = ranges.n; i-- > 0;) {
        struct range *o = &ranges.at[i];
        if (o->work->stream == r->work->stream && o->addr == r->addr && o->end == r->end &&
            o->width == r->width && o->is_write == r->is_write && o->is_trusted == r->is_trusted &&
            o->is_atomic == r->is_atomic) {
            *o = *r;
            return;
        }
    }
    WF_PUSH(&ranges, *r);
}

static void forget_within(const struct range *r)
{
    size_t n = 0;
    for (size_t i = 0; i < ranges.n; i++)
        if (ranges.at[i].addr < r->addr || ranges.at[i].end > r->end)
            ranges.at[n++] = ranges.at[i];
    ranges.n = n;
}

// A call that is no work of a stream: it is only compared.
static void free_by_call(struct wf__ctx *c, const struct wf_ev_move *b)
{
    const struct wf_task *o = b->order;
    struct wf__work call = {.agent = o->agent, .order = o, .what = o->what, .calls = o->calls, .stream = UINT32_MAX};
    struct range r = {.work = &call, .addr = b->addr, .end = b->addr + b->width, .width = b->width, .pitch = b->width,
                      .is_write = true, .is_lifetime = true};
    bool has_met = meet_launches(c, b, &r);
    for (size_t i = 0; i < ranges.n && !has_met; i++) {
        const struct range *was = &ranges.at[i];
        if (was->is_lifetime && was->work->agent == o->agent)
            continue; // given and taken back unused
        has_met = is_beside(o, UINT64_MAX, was->work) && overlap(was, &r);
        struct wf__side now = side_of(&r);
        if (has_met)
            say(&now, was, r.addr);
    }
    wf__shadow_wipe(&c->sh, r.addr, r.end - r.addr);
    forget_within(&r);
}

void wf__move(struct wf__ctx *c, const struct wf_ev_move *b)
{
    struct wf__work *w = c->works.n ? c->works.at[c->works.n - 1] : NULL;
    if (!b->width || !b->rows)
        return;
    if (b->is_call) {
        free_by_call(c, b);
        return;
    }
    if (!w || w->number != b->order->number)
        w = wf__work_new(c, b->order);
    w->order = b->order;
    struct range r = {.work = w,
                      .addr = b->addr,
                      .width = b->width,
                      .pitch = b->rows > 1 ? b->pitch : b->width,
                      .is_write = b->is_write,
                      .is_lifetime = b->is_lifetime};
    if (r.pitch == r.width)
        r.width *= b->rows;
    r.end = r.width == b->width * b->rows ? r.addr + r.width
                                          : r.addr + (b->rows - 1) * b->pitch + b->width;
    bool is_birth = b->is_lifetime && !b->ends;
    bool has_met = !is_birth && meet_launches(c, b, &r);
    for (size_t i = 0; i < ranges.n && !is_birth; i++) {
        const struct range *o = &ranges.at[i];
        if (!(o->is_write || r.is_write) || !is_beside(b->order, UINT64_MAX, o->work) ||
            !overlap(o, &r))
            continue;
        if (o->is_lifetime && r.is_lifetime && has_met)
            continue; // the use in between says it better
        struct wf__side now = side_of(&r);
        say(&now, o, r.addr);
        has_met = true;
    }
    if (b->is_lifetime) { // who used it before is compared with; the pool orders the next owner itself
        wf__shadow_wipe(&c->sh, r.addr, r.end - r.addr);
        forget_within(&r);
    }
    keep_range(&r);
    wf__hostmem_move(w, r.addr, r.end - r.addr, r.is_write ? WF__W : WF__R);
    w->order = NULL;
}

// ---- a kernel that leaves nothing in the cells

// Is all of a row written for certain, as another row says?
static bool is_known(const struct wf_ev_row *r, const struct wf_ev_row *row, uint32_t n)
{
    bool is_in = false;
    for (uint32_t i = 0; i < n && r->is_written; i++)
        is_in |= row[i].is_filled && row[i].lo <= r->lo && r->hi <= row[i].hi;
    return is_in;
}

bool wf__move_trusted(struct wf__work *w, const struct wf_ev_row *row, uint32_t n)
{
    if (ranges.n + n > MOST_TRUSTED)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct wf_ev_row *r = &row[i];
        uint64_t width = r->hi - r->lo;
        if (!is_known(r, row, n))
            keep_range(&(struct range){.work = w, .addr = r->lo, .end = r->hi, .width = width, .pitch = width,
                                       .is_write = !r->is_read || r->is_atomic, .is_trusted = !r->is_filled,
                                       .is_atomic = r->is_atomic});
    }
    w->has_rows = true;
    return true;
}

// ---- a kernel against ranges

static int by_addr(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void wf__move_grid_begin(struct wf__ctx *c, struct wf__grid *g)
{
    (void)c;
    const struct wf_task *o = g->ev->launch->order;
    uint32_t n = 0;
    for (size_t i = 0; i < ranges.n; i++)
        n += is_beside(o, g->early, ranges.at[i].work);
    if (!n)
        return;
    struct wf__moves *k = g->moves = wf_xcalloc(1, sizeof *k + n * sizeof *k->at);
    for (size_t i = 0; i < ranges.n; i++)
        if (is_beside(o, g->early, ranges.at[i].work))
            k->at[k->n++] = ranges.at[i];
    qsort(k->at, n, sizeof *k->at, by_addr);
    k->lo = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        k->lo = k->at[i].addr < k->lo ? k->at[i].addr : k->lo;
        k->hi = k->at[i].end > k->hi ? k->at[i].end : k->hi;
    }
}

static void lane_meets(const struct wf_ev_access *a, const struct range *r, uint32_t lane,
                       uint64_t addr, uint32_t bytes)
{
    const struct wf__warp *w = a->warp->user;
    const struct wf__grid *g = w->block->grid;
    bool writes = a->site->is_atomic ? a->writes >> lane & 1 : a->site->is_write;
    if (!(writes || r->is_write) || !touches(r, addr, bytes) || (r->is_atomic && a->site->is_atomic))
        return;
    if (r->work->stream == g->work->stream && w->passed >> lane & 1 &&
        wf__work_before(g->ev->launch->order, r->work))
        return;
    struct wf__side now = {.work = g->work,
                           .site = a->site,
                           .block = w->block->index,
                           .warp = w->index,
                           .lane = lane,
                           .bytes = bytes,
                           .writes = writes};
    say(&now, r, addr);
}

void wf__move_access(struct wf__ctx *c, const struct wf_ev_access *a)
{
    (void)c;
    const struct wf__warp *w = a->warp->user;
    const struct wf__moves *k = w->block->grid->moves;
    uint32_t bytes = (uint32_t)a->site->bytes * a->site->elements;
    uint64_t lo = UINT64_MAX, hi = 0;
    WF_EACH_LANE(a->mask, l)
    {
        uint64_t at = a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l];
        lo = at < lo ? at : lo;
        hi = at + bytes > hi ? at + bytes : hi;
    }
    if (lo >= k->hi || hi <= k->lo)
        return;
    for (uint32_t i = 0; i < k->n && k->at[i].addr < hi; i++) {
        if (k->at[i].end <= lo)
            continue;
        WF_EACH_LANE(a->mask, l)
        {
            lane_meets(a, &k->at[i], l,
                       a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l], bytes);
        }
    }
}

// ---- the host against ranges

bool wf__move_host(const struct wf__ctx *c, const uint64_t *before, uint32_t n, uint64_t addr,
                   bool is_write, struct wf__side *out)
{
    (void)c;
    for (size_t i = ranges.n; i-- > 0;) {
        const struct range *r = &ranges.at[i];
        if ((r->is_write || is_write) && !r->is_lifetime && !r->is_trusted && touches(r, addr, 1) &&
            !wf_task_has(before, n, r->work->stream, r->work->number)) {
            *out = side_of(r);
            return true;
        }
    }
    return false;
}

void wf__move_fini(void)
{
    WF_VEC_FINI(&ranges);
}

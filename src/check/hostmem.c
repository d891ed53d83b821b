// SPDX-License-Identifier: Apache-2.0
// Pages of each launch, and the judgement of a host access. A host access itself is no record: it comes
// before all work that is put later, so only earlier work that is not waited for can race with it.
//
// A word that a kernel wrote by a volatile or a strong system-scope access is a flag to the host: reading
// it is no race, and tells the host that the kernel has come so far. How far is not followed: the whole
// launch counts as over (memory-model.md).
#include "check/hostmem.h"

#include <stdlib.h> // qsort

#include "base/bits.h"  // WF_EACH_LANE
#include "base/os.h"    // wf_os_reserve
#include "check/lock.h" // wf__lock_grid_begin
#include "core/hostcode.h" // wf_calls_here
#include "mem/guard.h"  // wf_mem_guard_set

#define PAGE_SHIFT 12
#define PAGE (UINT64_C(1) << PAGE_SHIFT)
#define MANY_RUNS 512 // of one launch

static uint64_t lo, hi;
// Work's number * 4 + what it does there: so that a page is noted once a launch.
static uint64_t *stamp; // [pages of the zone], reserved memory
static uint64_t last_page;
static uint8_t last_rw;

static bool host_access(void *arg, const struct wf_guard_access *a, struct wf_task *learned);

void wf__hostmem_init(struct wf__ctx *c)
{
    wf_mem_guard_zone(&lo, &hi);
    if (hi > lo && !stamp) {
        size_t bytes = (size_t)((hi - lo) >> PAGE_SHIFT) * sizeof *stamp;
        stamp = wf_os_reserve(bytes);
        if (stamp && wf_os_commit(stamp, bytes) != 0) {
            wf_os_release(stamp, bytes);
            stamp = NULL;
        }
    }
    if (stamp)
        wf_mem_guard_listen(host_access, c);
}

static void note(struct wf__work *w, uint64_t from, uint64_t to, uint8_t rw)
{
    struct wf__run *r = w->n_runs ? &w->runs[w->n_runs - 1] : NULL;
    if (r && r->rw == rw && from <= r->hi && to >= r->lo) {
        r->lo = from < r->lo ? from : r->lo;
        r->hi = to > r->hi ? to : r->hi;
        return;
    }
    if (w->n_runs == w->cap_runs) {
        w->cap_runs = w->cap_runs ? 2 * w->cap_runs : 8;
        w->runs = wf_xrealloc(w->runs, w->cap_runs * sizeof *w->runs);
    }
    w->runs[w->n_runs++] = (struct wf__run){from, to, rw};
}

static void touch(struct wf__work *w, uint64_t addr, uint64_t bytes, uint8_t rw)
{
    for (uint64_t page = addr & ~(PAGE - 1); page < addr + bytes && page < hi; page += PAGE) {
        uint64_t *s = &stamp[(page - lo) >> PAGE_SHIFT];
        uint64_t mine = w->number << 2, has = (*s ^ mine) >> 2 ? 0 : *s & 3;
        if (has & rw & (WF__R | WF__W) && (has | rw) == has)
            continue;
        *s = mine | has | rw;
        note(w, page, page + PAGE, rw);
    }
}

bool wf__hostmem_near(uint64_t addr)
{
    return addr - lo < hi - lo;
}

void wf__hostmem_access(struct wf__ctx *c, const struct wf_ev_access *a)
{
    (void)c;
    struct wf__work *w = ((struct wf__warp *)a->warp->user)->block->grid->work;
    uint32_t bytes = (uint32_t)a->site->bytes * a->site->elements;
    uint8_t rw = (uint8_t)((a->site->is_read || a->site->is_atomic ? WF__R : 0) |
                           (a->site->is_write || (a->site->is_atomic && a->writes) ? WF__W : 0));
    uint64_t first = a->addr[a->is_linear ? 0 : wf_ctz32(a->mask)];
    if (first - lo >= hi - lo || !stamp)
        return; // a warp's lanes are in one zone or the access is wrong anyway
    if (a->is_linear) {
        uint32_t l0 = wf_ctz32(a->mask), l1 = 31 - (uint32_t)__builtin_clz(a->mask);
        uint64_t x = first + (uint64_t)a->stride * l0, y = first + (uint64_t)a->stride * l1;
        uint64_t from = x < y ? x : y, to = (x < y ? y : x) + bytes;
        if ((from ^ to) >> PAGE_SHIFT == 0 && from >> PAGE_SHIFT == last_page &&
            (last_rw & rw) == rw && stamp[(from - lo) >> PAGE_SHIFT] >> 2 == w->number)
            return;
        if (to - from <= 64 * PAGE) {
            touch(w, from, to - from, rw);
            last_page = from >> PAGE_SHIFT;
            last_rw = (uint8_t)(stamp[(from - lo) >> PAGE_SHIFT] & 3);
            return;
        }
    }
    WF_EACH_LANE(a->mask, l)
    {
        uint64_t at = a->is_linear ? first + (uint64_t)a->stride * l : a->addr[l];
        if (at - lo < hi - lo)
            touch(w, at, bytes, rw);
    }
}

void wf__hostmem_move(struct wf__work *w, uint64_t addr, uint64_t bytes, uint8_t rw)
{
    if (!stamp || addr - lo >= hi - lo)
        return;
    note(w, addr & ~(PAGE - 1), (addr + bytes + PAGE - 1) & ~(PAGE - 1), rw);
    wf__hostmem_watch(w);
}

static int by_page(const void *a, const void *b)
{
    const struct wf__run *x = a, *y = b;
    if (x->rw != y->rw)
        return x->rw - y->rw;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

// Runs that lie no further apart become one: the pages between are watched in vain, which does no harm, while
// the process has only so many mappings.
static void close_gaps(struct wf__work *w, uint64_t gap)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < w->n_runs; i++) {
        if (w->runs[i].rw == w->runs[n].rw && w->runs[i].lo <= w->runs[n].hi + gap)
            w->runs[n].hi = w->runs[i].hi > w->runs[n].hi ? w->runs[i].hi : w->runs[n].hi;
        else
            w->runs[++n] = w->runs[i];
    }
    w->n_runs = n + 1;
}

void wf__hostmem_end(struct wf__ctx *c, struct wf__work *w)
{
    (void)c;
    if (!w->n_runs)
        return;
    qsort(w->runs, w->n_runs, sizeof *w->runs, by_page);
    close_gaps(w, 0);
    for (uint64_t gap = PAGE; w->n_runs > MANY_RUNS; gap *= 2)
        close_gaps(w, gap);
    wf__hostmem_watch(w);
}

void wf__hostmem_watch(const struct wf__work *w)
{
    for (uint32_t i = 0; i < w->n_runs; i++)
        wf_mem_guard_set(w->runs[i].lo, w->runs[i].hi - w->runs[i].lo,
                         w->runs[i].rw & WF__W ? WF_GUARD_ALL : WF_GUARD_WRITES);
}

void wf__hostmem_open(const struct wf__work *w)
{
    for (uint32_t i = 0; i < w->n_runs; i++)
        wf_mem_guard_set(w->runs[i].lo, w->runs[i].hi - w->runs[i].lo, WF_GUARD_OPEN);
}

// ---- the host's access

struct look {
    struct wf__ctx *c;
    const uint64_t *before;
    uint32_t n_before, lane;
    bool is_write;
    const struct wf__rec *rec; // found
    struct wf__work *work;
    bool then_writes, is_flag;
};

static bool is_flag(const struct wf__rec *r)
{
    return r->flags & WF__VOL || (r->flags & WF__STRONG && r->level == WF_SCOPE_SYS);
}

static void look_rec(struct look *k, uint32_t rec, uint32_t lane, bool writes)
{
    const struct wf__pool *p = &k->c->sh.pool;
    const struct wf__rec *r = &p->rec[rec];
    if (rec < p->gone || !(writes || k->is_write) || (k->rec && !k->is_flag))
        return;
    struct wf__work *w = wf__work_of(k->c, r->serial);
    if (!w || w->is_running || wf_task_has(k->before, k->n_before, w->stream, w->number))
        return;
    k->rec = r;
    k->work = w;
    k->lane = lane;
    k->then_writes = writes;
    k->is_flag = is_flag(r);
}

static void look_handle(struct look *k, uint32_t h, bool writes)
{
    const struct wf__pool *p = &k->c->sh.pool;
    while (h >> 5 >= p->gone) {
        const struct wf__rec *r = &p->rec[h >> 5];
        look_rec(k, r->kind == WF__PAIR ? r->add : h >> 5, h & 31, writes);
        if (r->kind != WF__PAIR)
            return;
        h = r->prev << 5 | ((h + r->delta) & 31);
    }
}

static void look_cell(struct look *k, uint64_t addr)
{
    struct wf__shadow *sh = &k->c->sh;
    if (!sh->cell || addr - sh->base >= sh->bytes)
        return;
    uint64_t *cell = wf__cell_at(&sh->pool, sh->cell, (addr - sh->base) / 4);
    if (!((uint32_t)*cell & WF__SPILL)) {
        look_handle(k, (uint32_t)*cell, true);
        look_handle(k, (uint32_t)(*cell >> 32), false);
        return;
    }
    const struct wf__word *w = wf__word_of(&sh->pool, cell);
    for (uint32_t i = 0; w && i < w->n; i++)
        if (w->at[i].bytes >> (addr & 3))
            look_rec(k, w->at[i].rec, wf_ctz32(w->at[i].mask), w->at[i].flags & WF__W);
}

static bool judge(struct look *k, uint64_t addr, struct wf_task *learned)
{
    struct wf__side host = {.writes = k->is_write}, then;
    look_cell(k, addr);
    if (k->rec && k->is_flag) {
        if (k->is_write)
            return false;
        *learned = (struct wf_task){.stream = k->work->stream, .number = k->work->number};
        return true;
    }
    if (k->rec) {
        then = (struct wf__side){.work = k->work,
                                 .site = k->rec->site,
                                 .block = k->rec->serial - k->work->serial0,
                                 .warp = k->rec->warp,
                                 .lane = k->lane,
                                 .bytes = k->rec->bytes,
                                 .writes = k->then_writes};
    } else if (!wf__move_host(k->c, k->before, k->n_before, addr, k->is_write, &then)) {
        return false;
    }
    wf_calls_here(&host.calls);
    wf__say_host(&host, &then, addr);
    return false;
}

static bool host_access(void *arg, const struct wf_guard_access *a, struct wf_task *learned)
{
    struct wf__ctx *c = arg;
    wf__lock_grid_begin();
    struct look k = {.c = c,
                     .before = !a->as      ? c->host_before
                               : a->as->any ? a->as->any
                                            : a->as->before,
                     .n_before = a->as ? a->as->n_before : c->n_host_before,
                     .is_write = a->is_write};
    bool learns = judge(&k, a->addr, learned);
    wf__lock_grid_end();
    return learns;
}

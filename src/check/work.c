// SPDX-License-Identifier: Apache-2.0
// The list of work that is not waited for, in the order in which it was done.
#include "check/work.h"

#include <stdlib.h> // free
#include <string.h> // memmove

#include "base/arena.h"     // wf_xcalloc
#include "check/hostmem.h"  // wf__hostmem_open
#include "check/trust.h"    // wf__trust_stream

#define MANY_WORKS 8192 // a program that never waits: older work counts as over
#define MANY_WAITED 64  // likewise, of what some of the host's threads have waited for

static void work_free(struct wf__work *w)
{
    free(w->runs);
    free(w);
}

static void drop(struct wf__ctx *c, bool (*is_out)(const void *arg, const struct wf__work *w),
                 const void *arg)
{
    size_t n = 0;
    uint32_t gone = c->sh.pool.n_rec;
    bool has_runs = false;
    for (size_t i = 0; i < c->works.n; i++) {
        struct wf__work *w = c->works.at[i];
        if (!w->is_running && is_out(arg, w)) {
            has_runs |= w->n_runs > 0;
            wf__hostmem_open(w);
            wf__move_forget(c, w);
            for (struct wf__grid *g = c->grids; g; g = g->next)
                g->seen = NULL;
            work_free(w);
            continue;
        }
        gone = w->rec0 < gone ? w->rec0 : gone;
        c->works.at[n++] = w;
    }
    c->works.n = n;
    if (gone > c->sh.pool.gone)
        c->sh.pool.gone = gone;
    for (size_t i = 0; i < n && has_runs; i++)
        wf__hostmem_watch(c->works.at[i]); // what was opened above may be theirs as well
}

static bool is_below(const void *arg, const struct wf__work *w)
{
    return w->number < *(const uint64_t *)arg;
}

struct wf__work *wf__work_new(struct wf__ctx *c, const struct wf_task *o)
{
    if (c->works.n >= MANY_WORKS) {
        const uint64_t half = c->works.at[c->works.n / 2]->number;
        drop(c, is_below, &half);
        c->stats.forgotten++;
    }
    wf__trust_stream(o);
    struct wf__work *w = wf_xcalloc(1, sizeof *w);
    *w = (struct wf__work){.serial0 = c->next_serial,
                           .rec0 = c->sh.pool.n_rec,
                           .stream = o->stream,
                           .agent = o->agent,
                           .number = o->number,
                           .put = o->put,
                           .order = o,
                           .early = UINT64_MAX,
                           .what = o->what,
                           .calls = o->calls};
    WF_PUSH(&c->works, w);
    return w;
}

bool wf__work_before(const struct wf_task *o, const struct wf__work *w)
{
    return wf_task_has(o->before, o->n_before, w->stream, w->number) && wf_task_sees(o, w->agent, w->put);
}

bool wf__work_by_luck(const struct wf__work *now, const struct wf__work *then)
{
    const struct wf_task *o = now->order;
    return o && o->any && !wf__work_before(o, then) && wf_task_has(o->any, o->n_before, then->stream, then->number);
}

// The kernel in front of a dependent launch, if it allowed that to begin early.
static const struct wf__work *in_front(const struct wf__ctx *c, const struct wf_task *o)
{
    for (size_t i = c->works.n; i-- > 0;) {
        const struct wf__work *w = c->works.at[i];
        if (w->stream == o->stream && w->number < o->number)
            return w->n_blocks && w->has_triggered ? w : NULL;
    }
    return NULL;
}

struct wf__work *wf__work_grid(struct wf__ctx *c, struct wf__grid *g)
{
    const struct wf_launch *l = g->ev->launch;
    const struct wf__work *p = l->is_early ? in_front(c, l->order) : NULL;
    struct wf__work *w = wf__work_new(c, l->order);
    w->n_blocks = g->n_blocks;
    w->is_running = true;
    w->waits_first = true;
    w->launch = *l;
    w->launch.order = NULL;
    w->launch.params = NULL;
    w->kernel = l->kernel;
    if (p)
        w->early = p->waits_first || p->early > p->number ? p->number - 1 : p->early;
    g->early = w->early;
    g->work = w;
    return w;
}

void wf__work_grid_end(struct wf__ctx *c, struct wf__grid *g)
{
    struct wf__work *w = g->work;
    if (!w)
        return;
    w->is_running = false;
    w->order = NULL;
    wf__hostmem_end(c, w);
}

struct wf__work *wf__work_of(const struct wf__ctx *c, uint32_t serial)
{
    size_t lo = 0, hi = c->works.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (c->works.at[mid]->serial0 <= serial)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo-- > 0) {
        struct wf__work *w = c->works.at[lo];
        if (w->n_blocks)
            return serial - w->serial0 < w->n_blocks ? w : NULL;
    }
    return NULL;
}

uint32_t wf__work_floor(const struct wf__ctx *c, const struct wf_task *o, uint64_t early)
{
    uint32_t floor = c->sh.pool.n_rec;
    for (size_t i = 0; i < c->works.n; i++) {
        const struct wf__work *w = c->works.at[i];
        bool is_before = wf__work_before(o, w) && !(w->stream == o->stream && w->number > early);
        if (!is_before && w->number != o->number && w->rec0 < floor)
            floor = w->rec0;
    }
    return floor;
}

static bool is_too_early(const struct wf__grid *g, const struct wf__work *w)
{
    return w->stream == g->work->stream && w->number > g->early;
}

bool wf__work_passed(const struct wf__warp *w, uint32_t lanes, uint32_t serial)
{
    const struct wf__grid *g = w->block->grid;
    if (!g->work)
        return wf__grid_after(g, serial);
    const struct wf__work *o = g->seen;
    if (!o || serial - o->serial0 >= o->n_blocks)
        o = ((struct wf__grid *)g)->seen = wf__work_of(&wf__check, serial);
    if (!o)
        return true;
    return wf__work_before(g->ev->launch->order, o) &&
           (!is_too_early(g, o) || (w->passed & lanes) == lanes);
}

static bool all(const void *arg, const struct wf__work *w)
{
    (void)arg;
    (void)w;
    return true;
}

void wf__work_forget(struct wf__ctx *c)
{
    drop(c, all, NULL);
}

// ---- what the host has waited for

static bool is_any(const struct wf_host_view *v, const struct wf__work *w)
{
    return wf_task_has(v->any, v->n, w->stream, w->number);
}

static bool is_known(const void *arg, const struct wf__work *w)
{
    const struct wf_host_view *v = arg;
    if (!is_any(v, w))
        return false;
    return !v->is_many || (wf_task_has(v->all, v->n_all, w->stream, w->number) &&
                           wf_task_has(v->all_seen, v->n_all_seen, w->agent, w->put));
}

static bool is_waited_below(const void *arg, const struct wf__work *w)
{
    return w->is_waited && is_below(arg, w);
}

// Some of the host's threads have waited, others do not know.
static void keep_waited(struct wf__ctx *c, const struct wf_host_view *v)
{
    size_t n = 0;
    bool opens = false;
    for (size_t i = 0; i < c->works.n; i++) {
        struct wf__work *w = c->works.at[i];
        if (!w->is_waited && !w->is_running && is_any(v, w)) {
            w->is_waited = true;
            opens |= w->n_runs > 0;
            wf__hostmem_open(w);
            w->n_runs = 0;
        }
        n += w->is_waited;
    }
    for (size_t i = 0; i < c->works.n && opens; i++)
        wf__hostmem_watch(c->works.at[i]);
    if (n <= MANY_WAITED)
        return;
    for (size_t i = 0, left = n - MANY_WAITED; i < c->works.n; i++)
        if (c->works.at[i]->is_waited && left-- == 0) {
            const uint64_t oldest = c->works.at[i]->number;
            drop(c, is_waited_below, &oldest);
            return;
        }
}

void wf__work_host_knows(struct wf__ctx *c, const struct wf_host_view *v)
{
    free(c->host_before);
    c->host_before = wf_xcalloc(v->n + 1, sizeof *c->host_before);
    if (v->n)
        memcpy(c->host_before, v->any, v->n * sizeof *v->any);
    c->n_host_before = v->n;
    if (c->works.n)
        drop(c, is_known, v);
    if (c->works.n && v->is_many)
        keep_waited(c, v);
}

void wf__work_fini(struct wf__ctx *c)
{
    for (size_t i = 0; i < c->works.n; i++)
        work_free(c->works.at[i]);
    WF_VEC_FINI(&c->works);
    wf__move_fini();
    free(c->host_before);
}

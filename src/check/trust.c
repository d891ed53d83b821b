// SPDX-License-Identifier: Apache-2.0
// A proof says that a launch's own threads are ordered. Here is asked what it cannot know: that the memory it touches is
// live, that what it reads was written, and that no other work may touch it meanwhile. Such a launch leaves nothing
// in the cells: everything that comes later has to come after it. That is so as long as no stream lives whose work
// may be beside it; with several, launches are watched. What a later stream does beside it is compared with its rows
// (move.c), which say where it certainly touches nothing.
#include "check/trust.h"

#include <stdio.h>  // snprintf
#include <string.h> // memset

#include "check/lock.h"   // wf__lock_grid_enter
#include "check/memory.h" // wf__memory_age
#include "check/work.h"   // wf__work_before
#include "core/trouble.h" // wf_trouble_add
#include "mem/space.h"    // wf_heap_find

#define KNOWN 16

static struct {
    uint32_t stream; // of the newest launch that was trusted and is not kept (move.c)
    uint64_t number;
    char kernel[200]; // "": none yet
    bool is_told;
    struct wf_ev_row full[KNOWN]; // rows that are written from end to end, as long as no memory is given or taken
    uint32_t n_full, next;
    uint64_t age;
} trust;

void wf__trust_fini(void)
{
    memset(&trust, 0, sizeof trust);
}

void wf__trust_told(const char *kernel)
{
    struct wf_err err;
    if (trust.is_told)
        return;
    trust.is_told = true;
    wf_err_set(&err, WF_E_UNSUPPORTED, "what a second stream does without waiting for it was not compared with this launch, which was "
                                       "proven and not watched while there was one stream only");
    snprintf(err.hint, sizeof err.hint, "--proofs no watches every launch");
    wf_trouble_add(&err, kernel);
}

void wf__trust_stream(const struct wf_task *o)
{
    if (*trust.kernel && !wf_task_has(o->before, o->n_before, trust.stream, trust.number))
        wf__trust_told(trust.kernel);
}

static bool is_alone(const struct wf__ctx *c, const struct wf__grid *g)
{
    const struct wf_task *o = g->ev->launch->order;
    if (c->grids != g || g->next || g->moves || (o && o->has_company) || g->early != UINT64_MAX)
        return false;
    for (size_t i = 0; i < c->works.n && o; i++)
        if (c->works.at[i] != g->work && !wf__work_before(o, c->works.at[i]))
            return false;
    return true;
}

// In one live block that the host cannot see.
static bool is_device(const struct wf_ev_row *r)
{
    struct wf_mem_block b;
    return wf_heap_find(r->lo, &b) && b.state == WF_MEM_LIVE && r->lo >= b.addr && r->hi - b.addr <= b.bytes &&
           (b.kind == WF_MEM_DEVICE || b.kind == WF_MEM_MODULE) && !(r->is_written && b.is_read_only);
}

static bool is_full(const struct wf__ctx *c, const struct wf_ev_row *r)
{
    for (uint32_t i = 0; i < trust.n_full; i++)
        if (trust.full[i].lo <= r->lo && r->hi <= trust.full[i].hi)
            return true;
    if (!wf__memory_are_set(c->bits, r->lo - c->sh.base, r->hi - r->lo))
        return false;
    trust.full[trust.n_full < KNOWN ? trust.n_full++ : trust.next++ % KNOWN] = *r;
    return true;
}

static bool is_filled(const struct wf_ev_row *r, const struct wf_ev_row *row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (row[i].is_filled && row[i].lo <= r->lo && r->hi <= row[i].hi)
            return true;
    return false;
}

// A guarded row becomes the whole of its allocation, where nobody but atomics may be then.
static bool is_apart(struct wf_ev_row *r, const struct wf_ev_row *row, uint32_t n)
{
    struct wf_mem_block b;
    if (!wf_heap_find(r->lo, &b))
        return false;
    r->lo = b.addr;
    r->hi = b.addr + b.bytes;
    for (uint32_t i = 0; i < n; i++)
        if (!row[i].is_atomic && row[i].lo < r->hi && r->lo < row[i].hi)
            return false;
    return true;
}

static bool may_go(struct wf__ctx *c, const struct wf__grid *g, struct wf_ev_row *row, uint32_t n)
{
    if (!c->bits || !c->o.memory || !c->o.race || c->o.redundant || !is_alone(c, g))
        return false;
    if (trust.age != wf__memory_age()) {
        trust.age = wf__memory_age();
        trust.n_full = trust.next = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (row[i].is_guarded && !is_apart(&row[i], row, n))
            return false;
        if (row[i].lo < c->sh.base || row[i].hi - c->sh.base > c->sh.bytes || !is_device(&row[i]))
            return false;
        if (!row[i].is_filled && !is_full(c, &row[i]) && (row[i].is_read || !is_filled(&row[i], row, n)))
            return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (row[i].is_filled && !is_full(c, &row[i]))
            wf__memory_fill(c->bits, row[i].lo - c->sh.base, row[i].hi - row[i].lo);
    return true;
}

bool wf__trust(void *arg, struct wf_ev_grid *ev, struct wf_ev_row *row, uint32_t n)
{
    struct wf__ctx *c = arg;
    struct wf__grid *g = ev->user;
    wf__lock_grid_enter();
    bool ok = may_go(c, g, row, n);
    c->stats.trusted += ok;
    if (ok && (!g->work || !wf__move_trusted(g->work, row, n))) {
        snprintf(trust.kernel, sizeof trust.kernel, "%s", ev->launch->kernel);
        trust.stream = ev->launch->order ? ev->launch->order->stream : 0;
        trust.number = ev->launch->order ? ev->launch->order->number : 0;
    }
    wf__lock_grid_leave();
    return ok;
}

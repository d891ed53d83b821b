// SPDX-License-Identifier: Apache-2.0
// From core/event.h to the checkers: keeps the shared happens-before up to date and hands each
// event to the checkers that were asked for.
#include "check/check.h"

#include <stdlib.h> // free

#include "base/err.h"      // WF_ASSERT
#include "check/advice.h"  // wf__order_access
#include "check/ctx.h"     // struct wf__ctx
#include "check/hostmem.h" // wf__hostmem_access
#include "check/lock.h"    // wf__lock_hook_begin
#include "check/memory.h"  // wf__memory_access
#include "check/site.h"    // wf__site_fini
#include "check/pattern.h" // wf__pattern_of
#include "check/proxy.h"   // wf__race_bulk
#include "check/sync.h"    // wf__fence
#include "check/trust.h"   // wf__trust
#include "check/verdict.h" // wf__races_flush
#include "check/whole.h"   // wf__whole
#include "check/work.h"    // wf__work_grid
#include "mem/space.h"     // wf_space_get

#define MANY_SERIALS (UINT32_C(1) << 31)

struct wf__ctx wf__check;

struct wf_check_opts wf_check_defaults(void)
{
    return (struct wf_check_opts){.race = true,
                                  .memory = true,
                                  .order = true,
                                  .contention = true,
                                  .volatile_mode = WF_VOLATILE_PLAIN};
}

static void grid_begin(void *arg, struct wf_ev_grid *ev)
{
    struct wf__ctx *c = arg;
    const struct wf_task *order = ev->launch->order;
    wf__lock_grid_begin();
    if (!c->grids && (!order || c->next_serial > MANY_SERIALS))
        wf__work_forget(c);
    if (!c->grids && !c->works.n) {
        c->next_serial = 1;
        if (c->has_shadow)
            wf__shadow_age(&c->sh);
    }
    struct wf__grid *g = wf__grid_new(ev, c->next_serial);
    if (order) {
        wf__work_grid(c, g);
        uint32_t floor = wf__work_floor(c, order, g->early);
        if (!c->grids || floor < c->sh.pool.first)
            c->sh.pool.first = floor;
        wf__move_grid_begin(c, g);
    }
    WF_ASSERT(g->n_blocks <= UINT32_MAX - c->next_serial);
    c->next_serial += g->n_blocks;
    for (struct wf__grid *o = c->grids; o; o = o->next) {
        g->beside = wf_xrealloc(g->beside, (g->n_beside + 1) * sizeof *g->beside);
        g->beside[g->n_beside++] = (struct wf__range){o->serial0, o->n_blocks};
    }
    g->next = c->grids;
    c->grids = g;
    ev->user = g;
    wf__lock_grid_leave();
}

static void grid_end(void *arg, struct wf_ev_grid *ev)
{
    struct wf__ctx *c = arg;
    struct wf__grid *g = ev->user;
    wf__lock_grid_enter();
    wf__order_grid_end(g);
    wf__contend_grid_end(c, g);
    wf__redundant_grid_end(g);
    wf__memory_flush();
    wf__races_flush();
    for (struct wf__grid **at = &c->grids; *at; at = &(*at)->next)
        if (*at == g) {
            *at = g->next;
            break;
        }
    c->stats.clocks_bytes += g->cs.arena.used_bytes;
    wf__work_grid_end(c, g);
    wf__grid_rest(g);
    g->next = c->ended;
    c->ended = g;
    ev->user = NULL;
    if (!c->grids) { // what is attached to places may name clocks of grids that are over
        wf__shadow_unlink(&c->sh);
        while ((g = c->ended)) {
            c->ended = g->next;
            wf__grid_free(g);
        }
    }
    wf__lock_grid_end();
}

static void block_begin(void *arg, struct wf_ev_block *ev)
{
    struct wf__ctx *c = arg;
    bool took = wf__lock_hook_begin();
    struct wf__block *b = wf__block_new(ev->grid->user, ev);
    if (c->has_shadow || c->o.memory) {
        b->slot = wf__slot_get(&c->sh, ev->slot, ev->grid->shared_bytes);
        wf__slot_begin(b->slot);
    }
    ev->user = b;
    wf__memory_block_begin(c, b);
    wf__lock_hook_end(took);
}

static void block_end(void *arg, struct wf_ev_block *ev)
{
    struct wf__ctx *c = arg;
    bool took = wf__lock_hook_begin();
    if (c->o.race)
        wf__race_block_end(c, ev->user);
    wf__block_free(ev->user);
    ev->user = NULL;
    wf__lock_hook_end(took);
}

static void warp_begin(void *arg, struct wf_ev_warp *w)
{
    (void)arg;
    wf__warp_start(w->block->user, w);
}

static void lanes_exit(void *arg, struct wf_ev_warp *w, uint32_t mask)
{
    (void)arg;
    bool took = wf__lock_hook_begin();
    wf__exit(w->user, mask);
    wf__lock_hook_end(took);
}

// Lanes at equal distances that do not lie side by side, nor at one place, are told like all others.
static const struct wf_ev_access *spread_out(const struct wf_ev_access *a, struct wf_ev_access *copy, uint64_t addr[32])
{
    if (!a->is_linear || !a->stride || a->stride == (int64_t)a->site->bytes * a->site->elements)
        return a;
    for (uint32_t l = 0; l < 32; l++)
        addr[l] = a->addr[0] + (uint64_t)a->stride * l;
    *copy = (struct wf_ev_access){.site = a->site,
                                  .warp = a->warp,
                                  .space = a->space,
                                  .owner_rank = a->owner_rank,
                                  .mask = a->mask,
                                  .addr = addr,
                                  .writes = a->writes,
                                  .value = a->value};
    return copy;
}

static void access(void *arg, const struct wf_ev_access *a)
{
    struct wf__ctx *c = arg;
    struct wf_ev_access copy;
    uint64_t addr[32];
    bool took = wf__lock_hook_begin();
    const struct wf__warp *w = a->warp->user;
    const struct wf__pattern *p = NULL;
    if (a->mask && !a->is_linear)
        p = wf__pattern_of(a->site, a->addr, a->mask);
    else if (a->mask && a->stride != (int64_t)a->site->bytes * a->site->elements)
        p = wf__pattern_of_linear(a->site, a->addr[0], a->stride, a->mask);
    if (a->mask && wf__whole(c, a, p)) {
        wf__lock_hook_end(took);
        return;
    }
    a = spread_out(a, &copy, addr);
    if (c->o.memory)
        wf__memory_access(c, a);
    if (c->o.race && w->block->grid->ev->has_resets)
        wf__reset_access(c, a);
    if (c->o.race && !w->lost) {
        wf__race_access(c, a, p);
    } else if (c->o.race && a->mask & ~w->lost) {
        struct wf_ev_access kept = *a;
        kept.mask &= ~w->lost;
        wf__race_access(c, &kept, NULL);
    }
    if (c->o.race && w->block->grid->work && a->space == WF_SPACE_GLOBAL) {
        wf__hostmem_access(c, a);
        if (w->block->grid->moves)
            wf__move_access(c, a);
    }
    if (a->site->is_atomic && c->o.contention)
        wf__contend_access(c, a);
    if (a->site->is_float_add && c->o.order)
        wf__order_access(c, a);
    if (c->o.redundant && a->site->order >= WF_ORD_ACQUIRE)
        wf__redundant_sync(a->warp->block->user);
    wf__lock_hook_end(took);
}

static void fence(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask)
{
    (void)arg;
    bool took = wf__lock_hook_begin();
    if (s->is_proxy)
        wf__proxy_fence(w->user, mask);
    else
        wf__fence(w->user, s, mask);
    if (wf__check.o.redundant)
        wf__redundant_sync(w->block->user);
    wf__lock_hook_end(took);
}

static void bar_arrive(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t id,
                       uint64_t instance, uint32_t mask)
{
    (void)arg;
    (void)s;
    bool took = wf__lock_hook_begin();
    wf__bar_arrive(w->user, id, instance, mask);
    wf__lock_hook_end(took);
}

// One thread waited for the kernel in front, and the others met it at a barrier.
static void pass_on(struct wf__block *b, const uint32_t *met)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < b->n_warps; i++)
        any |= b->warp[i].passed & met[i];
    for (uint32_t i = 0; i < b->n_warps && any; i++)
        b->warp[i].passed |= met[i];
}

static void dep_wait(void *arg, struct wf_ev_warp *ev, uint32_t mask)
{
    (void)arg;
    struct wf__warp *w = ev->user;
    w->passed |= mask;
}

static void dep_trigger(void *arg, struct wf_ev_warp *ev, uint32_t mask)
{
    (void)arg;
    struct wf__warp *w = ev->user;
    struct wf__work *k = w->block->grid->work;
    if (!k)
        return;
    k->has_triggered = true;
    k->waits_first &= (w->passed & mask) == mask;
}

static void move(void *arg, const struct wf_ev_move *b)
{
    wf__lock_grid_begin(); // as if it were a launch
    wf__move(arg, b);
    wf__lock_grid_end();
}

static void mark(void *arg, const struct wf_task *o)
{
    struct wf__ctx *c = arg;
    wf__lock_grid_begin();
    c->marks[c->n_marks++ % WF__MARKS] = (struct wf__mark){o->stream, o->number, o->calls};
    wf__lock_grid_end();
}

static void host_knows(void *arg, const struct wf_host_view *v)
{
    wf__lock_grid_begin();
    wf__work_host_knows(arg, v);
    wf__lock_grid_end();
}

static void bar_complete(void *arg, const struct wf_ev_barrier *ev)
{
    struct wf__ctx *c = arg;
    struct wf__block *b = ev->block->user;
    bool took = wf__lock_hook_begin();
    bool full = wf__bar_complete(b, ev);
    if (b->grid->early != UINT64_MAX)
        pass_on(b, ev->waited);
    if (c->o.redundant)
        wf__redundant_barrier(b, ev->site, full);
    if (full && c->o.race && !c->o.redundant)
        wf__race_barrier(b);
    wf__lock_hook_end(took);
}

static void warp_sync(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask)
{
    (void)arg;
    (void)s;
    struct wf__warp *x = w->user;
    bool took = wf__lock_hook_begin();
    if (x->passed & mask)
        x->passed |= mask;
    wf__warp_sync(x, mask);
    wf__lock_hook_end(took);
}

static void cluster_arrive(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask,
                           uint64_t phase, bool is_release)
{
    (void)arg;
    (void)s;
    bool took = wf__lock_hook_begin();
    wf__cluster_arrive(w->user, mask, phase, is_release);
    wf__lock_hook_end(took);
}

static void cluster_wait(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask,
                         uint64_t phase, bool is_acquire)
{
    (void)arg;
    (void)s;
    bool took = wf__lock_hook_begin();
    wf__cluster_wait(w->user, mask, phase, is_acquire);
    wf__lock_hook_end(took);
}

static void mbar_init(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                      uint32_t owner_rank, uint64_t addr)
{
    (void)arg;
    bool took = wf__lock_hook_begin();
    wf__mbar_made(w->user, s, lane, owner_rank, addr);
    wf__lock_hook_end(took);
}

static void mbar_arrive(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                        uint32_t owner_rank, uint64_t addr, uint64_t phase, bool is_release)
{
    (void)arg;
    bool took = wf__lock_hook_begin();
    wf__mbar_used(w->user, s, lane, owner_rank, addr);
    wf__mbar_arrive(w->user, lane, owner_rank, addr, phase, is_release);
    wf__lock_hook_end(took);
}

static void mbar_wait(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                      uint32_t owner_rank, uint64_t addr, uint64_t phase, bool is_acquire)
{
    (void)arg;
    bool took = wf__lock_hook_begin();
    wf__mbar_used(w->user, s, lane, owner_rank, addr);
    wf__mbar_wait(w->user, lane, owner_rank, addr, phase, is_acquire);
    wf__lock_hook_end(took);
}

static uint32_t raced_reads(void *arg, const struct wf_ev_grid *g, const struct wf_site **out, uint32_t most)
{
    (void)arg;
    return wf__raced_reads(g, out, most);
}

static void explain_wait(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask,
                         struct wf_finding *f)
{
    (void)arg;
    bool took = wf__lock_hook_begin();
    wf__contend_explain(w, s, mask, f);
    wf__lock_hook_end(took);
}

static void async_issue(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                        uint64_t dst, uint64_t src, uint32_t bytes, uint64_t token)
{
    struct wf__ctx *c = arg;
    bool took = wf__lock_hook_begin();
    wf__memory_async(c, w->user, s, lane, dst, src, bytes);
    if (c->o.race)
        wf__race_async(c, w->user, s, lane, dst, src, bytes, token);
    wf__lock_hook_end(took);
}

static void async_done(void *arg, struct wf_ev_warp *w, uint32_t lane, uint64_t token,
                       uint64_t mbar)
{
    bool took = wf__lock_hook_begin();
    wf__race_async_done(arg, w->user, lane, token, mbar);
    wf__lock_hook_end(took);
}

static void bulk_issue(void *arg, const struct wf_ev_bulk *b)
{
    struct wf__ctx *c = arg;
    bool took = wf__lock_hook_begin();
    wf__memory_bulk(c, b);
    if (c->o.race)
        wf__race_bulk(c, b);
    wf__lock_hook_end(took);
}

static void bulk_done(void *arg, struct wf_ev_warp *w, uint32_t lane, uint64_t token,
                      uint32_t mbar_rank, uint64_t mbar, bool reads_only)
{
    (void)arg;
    bool took = wf__lock_hook_begin();
    wf__race_bulk_done(w->user, lane, token, mbar_rank, mbar, reads_only);
    wf__lock_hook_end(took);
}

void wf_check_events(const struct wf_check_opts *o, struct wf_events *out)
{
    struct wf__ctx *c = &wf__check;
    bool access_any = o->race || o->memory || o->order || o->contention || o->redundant;
    c->o = *o;
    c->o.race |= o->redundant; // barriers are judged by what the race checker compares
    *out = (struct wf_events){.arg = c};
    if (!access_any)
        return;
    if (!o->global_bytes) {
        const struct wf_space *s = wf_space_get(NULL);
        if (s) {
            c->o.global_base = s->base;
            c->o.global_bytes = s->bytes;
        }
    }
    wf__shadow_init(&c->sh, c->o.global_base, c->o.global_bytes);
    c->has_shadow = true;
    wf__whole_init();
    wf__memory_init(c);
    out->grid_begin = grid_begin;
    out->grid_end = grid_end;
    if (c->o.race && o->memory)
        out->trusts = wf__trust;
    out->block_begin = block_begin;
    out->block_end = block_end;
    out->warp_begin = warp_begin;
    out->lanes_exit = lanes_exit;
    out->access = access;
    if (c->o.race && (!o->memory || c->bits))
        out->run = wf__whole_run;
    out->explain_wait = explain_wait;
    out->raced_reads = raced_reads;
    if (!c->o.race && !o->memory)
        return;
    out->async_issue = async_issue;
    out->bulk_issue = bulk_issue;
    if (!c->o.race)
        return;
    out->async_done = async_done;
    out->bulk_done = bulk_done;
    out->dep_wait = dep_wait;
    out->dep_trigger = dep_trigger;
    out->move = move;
    out->mark = mark;
    out->host_knows = host_knows;
    wf__hostmem_init(c);
    out->fence = fence;
    out->bar_arrive = bar_arrive;
    out->bar_complete = bar_complete;
    out->warp_sync = warp_sync;
    out->cluster_arrive = cluster_arrive;
    out->cluster_wait = cluster_wait;
    out->mbar_init = mbar_init;
    out->mbar_arrive = mbar_arrive;
    out->mbar_wait = mbar_wait;
}

void wf_check_flush(void)
{
    wf__lock_or_not();
    wf__memory_flush();
    wf__races_flush();
}

void wf_check_fini(void)
{
    struct wf__ctx *c = &wf__check;
    WF_ASSERT(!c->grids);
    wf__races_fini();
    wf__site_fini();
    wf__trust_fini();
    wf__pattern_fini();
    wf__work_fini(c);
    wf__memory_fini(c);
    wf__contend_fini();
    wf__reset_fini();
    wf__redundant_fini();
    if (c->has_shadow)
        wf__shadow_fini(&c->sh);
    *c = (struct wf__ctx){0};
}

void wf_check_stats(struct wf_check_stats *out)
{
    const struct wf__ctx *c = &wf__check;
    *out = c->stats;
    out->records = c->sh.pool.n_rec;
    out->record_bytes = out->records * sizeof *c->sh.pool.rec;
    out->spill_bytes = (uint64_t)c->sh.pool.cap_word * sizeof(struct wf__word);
    if (c->has_shadow)
        wf__shadow_count(&c->sh, &out->words, &out->page_bytes);
    out->cell_bytes = out->words * sizeof *c->sh.cell;
}

// SPDX-License-Identifier: Apache-2.0
// Clusters: CTAs that start together on one worker, reach each other's shared memory and meet at the
// cluster barrier (PTX ISA 9.7.13.3); and the other ways a path pauses.

#include <string.h> // memset

#include "exec/async.h"

static uint64_t linear_of(const struct wf_grid_ctx *g, uint64_t cluster, uint32_t rank)
{
    uint32_t nc[3], id[3], in[3];
    for (int d = 0; d < 3; d++)
        nc[d] = g->nctaid[d] / g->cluster[d];
    id[0] = (uint32_t)(cluster % nc[0]);
    id[1] = (uint32_t)(cluster / nc[0] % nc[1]);
    id[2] = (uint32_t)(cluster / nc[0] / nc[1]);
    in[0] = rank % g->cluster[0];
    in[1] = rank / g->cluster[0] % g->cluster[1];
    in[2] = rank / g->cluster[0] / g->cluster[1];
    uint64_t x = id[0] * g->cluster[0] + in[0], y = id[1] * g->cluster[1] + in[1], z = id[2] * g->cluster[2] + in[2];
    return x + g->nctaid[0] * (y + (uint64_t)g->nctaid[1] * z);
}

void exec__cluster_start(struct grid *g, uint64_t cluster, struct cta **pool, void (*add)(void *arg, struct cta *c), void *arg)
{
    struct cluster *k = wf_xcalloc(1, sizeof *k);
    k->n = g->cluster_size;
    k->cta = wf_xcalloc(k->n, sizeof(struct cta *));
    k->blocks = wf_xcalloc(k->n, sizeof(struct wf_block *));
    for (uint32_t r = 0; r < k->n; r++) {
        struct cta *c = exec__cta_get(g, linear_of(&g->ctx, cluster, r), pool);
        k->cta[c->b.rank] = c;
        k->blocks[c->b.rank] = &c->b;
        c->cluster = k;
    }
    for (uint32_t r = 0; r < k->n; r++) {
        k->cta[r]->b.peers = k->blocks;
        add(arg, k->cta[r]);
    }
}

// The block's memory is put back into the pool now; peers that still look at it are at fault.
void exec__cluster_leave(struct cta *c)
{
    struct cluster *k = c->cluster;
    exec__bulk_finish(c); // while its peers can still be found
    c->cluster = NULL;
    if (++k->done < k->n)
        return;
    free(k->cta);
    free(k->blocks);
    free(k);
}

static uint32_t waiting_for(const struct cluster *k) // live threads
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < k->n; r++)
        for (uint32_t i = 0; k->cta[r]->cluster == k && i < k->cta[r]->b.n_warps; i++)
            n += wf_popcount32(k->cta[r]->warps[i].live & ~k->cta[r]->x[i].cluster_arrived);
    return n;
}

static void try_complete(struct cluster *k)
{
    if (!k->arrived || waiting_for(k))
        return;
    k->arrived = 0;
    k->phase++;
    for (uint32_t r = 0; r < k->n; r++) {
        struct cta *c = k->cta[r];
        if (c->cluster != k)
            continue;
        for (uint32_t i = 0; i < c->b.n_warps; i++) {
            struct wf_warp *w = &c->warps[i];
            c->x[i].cluster_arrived = 0;
            for (uint32_t p = w->n_paths; p-- > 0;) {
                struct wf_path q = w->path[p];
                if (q.state != WF_PATH_CLUSTER)
                    continue;
                w->path[p] = w->path[--w->n_paths];
                q.state = WF_PATH_READY;
                q.yields = c->x[i].turn - 1;
                const struct wf_events *ev = c->grid->ev;
                if (ev && ev->cluster_wait)
                    ev->cluster_wait(ev->arg, &c->x[i].ev, q.frame->code->sites[q.site], q.mask, k->phase - 1, true);
                exec__add_path(w, q);
            }
            exec__refresh(w);
        }
        c->moved = true;
    }
    atomic_fetch_add_explicit(&k->cta[0]->grid->progress, 1, memory_order_relaxed);
}

void exec__cluster_exit(struct wf_warp *w, uint32_t mask)
{
    struct cta *c = cta_of(w);
    (void)mask;
    if (c->cluster)
        try_complete(c->cluster);
}

// A block without clusters is a cluster of its own.
static struct cluster *cluster_of(struct cta *c)
{
    if (c->cluster)
        return c->cluster;
    struct cluster *k = wf_xcalloc(1, sizeof *k);
    k->n = 1;
    k->cta = wf_xcalloc(1, sizeof(struct cta *));
    k->blocks = wf_xcalloc(1, sizeof(struct wf_block *));
    k->cta[0] = c;
    k->blocks[0] = &c->b;
    c->cluster = k;
    return k;
}

enum { PAUSE_SLEEP, PAUSE_DEP, PAUSE_ARRIVE, PAUSE_WAIT };

uint64_t wf_x_pause(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, uint32_t kind, uint32_t ns)
{
    struct cta *c = cta_of(w);
    struct xwarp *x = x_of(w);
    const struct wf_events *ev = c->grid->ev;
    struct wf_path p = {.pc = pc, .mask = mask, .frame = w->cur, .site = site, .yields = x->turn - 1};
    bool relaxed = kind & 0x100;
    switch (kind & 0xff) {
    case PAUSE_SLEEP:
        c->b.clock += ns ? ns : 1;
        if (ns || !c->grid->order.is_on || c->nap)
            exec__note_visit(w, &p); // a loop that sleeps and counts is at work
        if (ns || !c->grid->order.is_on || exec__order_preempts(c->grid) || exec__order_rests(c, (uint32_t)(w - c->warps), pc))
            p.yields = x->turn; // others run first
        exec__add_path(w, p);
        if (!ns && c->grid->order.is_on)
            exec__order_lanes(w);
        break;
    case PAUSE_DEP: // kernels of a stream run one behind the other: what it waits for is complete
        if (ev && ev->dep_wait)
            ev->dep_wait(ev->arg, &x->ev, mask);
        exec__add_path(w, p);
        break;
    case PAUSE_ARRIVE: {
        struct cluster *k = cluster_of(c);
        k->arrived += wf_popcount32(mask & ~x->cluster_arrived);
        x->cluster_arrived |= mask;
        if (ev && ev->cluster_arrive)
            ev->cluster_arrive(ev->arg, &x->ev, site_of(w, site), mask, k->phase, !relaxed);
        WF_EACH_LANE(mask, lane)
            x->cluster_phase[lane] = k->phase;
        exec__add_path(w, p);
        try_complete(k);
        break;
    }
    default: {
        struct cluster *k = cluster_of(c);
        uint32_t early = 0; // lanes whose phase is not complete
        WF_EACH_LANE(mask, lane)
            if (k->phase <= x->cluster_phase[lane])
                early |= 1u << lane;
        if (mask & ~early) {
            if (ev && ev->cluster_wait) // a lane that arrived at the next phase would have waited for this one
                ev->cluster_wait(ev->arg, &x->ev, site_of(w, site), mask & ~early, k->phase - 1, true);
            p.mask = mask & ~early;
            exec__add_path(w, p);
        }
        p.mask = early;
        p.state = WF_PATH_CLUSTER;
        if (early)
            exec__add_path(w, p);
        break;
    }
    }
    exec__refresh(w);
    return exec__next(w);
}

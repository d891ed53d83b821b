// SPDX-License-Identifier: Apache-2.0
// Meeting points: block barriers (with arrive), warp barriers, cluster barriers, mbarriers.
// Each joins the clocks of those who arrive into the clocks of those who go on (PTX ISA 9.7.13,
// 8.9.4). A barrier that all live threads of a block meet costs one pass over its warps and makes
// one number, the new base.
#include "base/bits.h" // WF_EACH_LANE
#include "base/err.h"  // WF_ASSERT
#include "check/hb.h"  // struct wf__block

static void set_lanes(struct wf__warp *w, uint32_t mask, const struct wf__clk *k)
{
    if (mask == w->live) {
        w->k = *k;
        w->split = false;
        return;
    }
    wf__split(w);
    WF_EACH_LANE(mask, l)
    {
        w->lane[l] = *k;
    }
}

static struct wf__arrived *arrived_find(struct wf__block *b, uint32_t id, uint64_t instance)
{
    for (uint32_t i = 0; i < b->n_arr; i++)
        if (b->arr[i].used && b->arr[i].id == id && b->arr[i].instance == instance)
            return &b->arr[i];
    return NULL;
}

void wf__bar_arrive(struct wf__warp *w, uint32_t id, uint64_t instance, uint32_t mask)
{
    struct wf__block *b = w->block;
    struct wf__arrived *a = arrived_find(b, id, instance);
    for (uint32_t i = 0; !a && i < b->n_arr; i++)
        if (!b->arr[i].used)
            a = &b->arr[i];
    if (!a) {
        if (b->n_arr == b->cap_arr) {
            b->cap_arr = b->cap_arr ? 2 * b->cap_arr : 4;
            b->arr = wf_xrealloc(b->arr, b->cap_arr * sizeof *b->arr);
        }
        a = &b->arr[b->n_arr++];
        a->used = false;
    }
    bool has = a->used;
    b->has_parts = true;
    a->id = id;
    a->instance = instance;
    wf__lanes_into(w, mask, &a->k, &has);
    a->used = true;
    wf__tick(w);
}

// All live threads and nobody else: every access made so far is known to all of them.
static bool is_full(const struct wf__block *b, const struct wf_ev_barrier *ev)
{
    for (uint32_t i = 0; i < b->n_warps; i++)
        if (ev->waited[i] != b->warp[i].live || ev->arrived[i] != ev->waited[i])
            return false;
    return true;
}

// A full barrier without exited threads: the base says all about the block's own threads; what is
// left to join is other blocks, fence.sc pasts and pseudo-threads.
static void join_rest(struct wf__block *b, struct wf__clk *acc)
{
    struct wf__clocks *cs = &b->grid->cs;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        struct wf__clk k;
        const struct wf__warp *w = &b->warp[i];
        if (!w->split && !w->ext && !w->k.far && !w->k.sc && !w->k.dev)
            continue;
        for (uint32_t left = w->live; left;) {
            left &= ~wf__group_take(&b->warp[i], left, &k);
            if (!k.far && !k.sc && !k.dev)
                continue;
            k.dev = wf__dev_join(cs, k.dev, NULL, UINT32_MAX);
            k.base = 0;
            wf__clk_join(cs, acc, &k);
        }
    }
}

bool wf__bar_complete(struct wf__block *b, const struct wf_ev_barrier *ev)
{
    struct wf__arrived *early = arrived_find(b, ev->id, ev->instance);
    bool full = !early && is_full(b, ev), has = false;
    struct wf__clk acc = {.block = b->index};
    if (full && !b->info->gone) {
        join_rest(b, &acc);
    } else {
        for (uint32_t i = 0; i < b->n_warps; i++)
            if (ev->waited[i])
                wf__lanes_into(&b->warp[i], ev->waited[i], &acc, &has);
        if (early && has)
            wf__clk_join(&b->grid->cs, &acc, &early->k);
        if (early)
            early->used = false;
    }
    acc.full = NULL;
    if (full) {
        acc.base = b->k;
        b->full_base = b->k;
        b->full_loc = ev->site->loc;
    }
    b->k++;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        if (!ev->waited[i])
            continue;
        set_lanes(&b->warp[i], ev->waited[i], &acc);
        b->warp[i].epoch = b->k;
    }
    return full;
}

void wf__warp_sync(struct wf__warp *w, uint32_t mask)
{
    if (wf_popcount32(mask) < 2)
        return;
    struct wf__clk acc;
    bool has = false;
    wf__lanes_into(w, mask, &acc, &has);
    wf__tick(w);
    set_lanes(w, mask, &acc);
}

// ---- cluster barrier

static struct wf__phase *phase_get(struct wf__block *b, uint64_t phase)
{
    struct wf__cluster *c = wf_map_get(&b->grid->cluster, b->ev->cluster + 1);
    if (!c) // a cluster of one block that uses the cluster barrier all the same
        return NULL;
    struct wf__phase *p = &c->ph[phase & 1];
    if (p->phase != phase) {
        p->phase = phase;
        p->is_ready = false;
        for (uint32_t i = 0; i < b->grid->ev->blocks_per_cluster; i++)
            p->has[i] = false;
    }
    return p;
}

void wf__cluster_arrive(struct wf__warp *w, uint32_t mask, uint64_t phase, bool is_release)
{
    struct wf__block *b = w->block;
    if (b->grid->ev->blocks_per_cluster <= 1) {
        if (is_release)
            wf__bar_arrive(w, 16, phase, mask);
        return;
    }
    struct wf__phase *p = phase_get(b, phase);
    if (!is_release)
        return;
    wf__lanes_into(w, mask, &p->rank[b->ev->rank], &p->has[b->ev->rank]);
    b->info->published = b->k;
    wf__tick(w);
}

// When every live thread of the block is among the deviations, their least epoch is a base.
static void raise_base(struct wf__block *b, struct wf__clk *k)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        uint32_t left = b->warp[i].live;
        for (uint32_t j = 0; k->dev && j < k->dev->n; j++) {
            const struct wf__dev1 *d = &k->dev->at[j];
            if (d->warp == i && (left & d->mask)) {
                left &= ~d->mask;
                if (d->epoch < least)
                    least = d->epoch;
            }
        }
        if (left)
            return;
    }
    if (b->info->gone || least == UINT32_MAX || least <= k->base)
        return;
    k->base = least;
    k->dev = wf__dev_join(&b->grid->cs, k->dev, NULL, least);
    k->full = NULL;
}

void wf__cluster_wait(struct wf__warp *w, uint32_t mask, uint64_t phase, bool is_acquire)
{
    struct wf__block *b = w->block;
    struct wf__clocks *cs = &b->grid->cs;
    if (!is_acquire)
        return;
    const struct wf__clk *k = NULL, *own = NULL;
    if (b->grid->ev->blocks_per_cluster <= 1) {
        struct wf__arrived *a = arrived_find(b, 16, phase), *old = arrived_find(b, 16, phase - 1);
        if (old)
            old->used = false;
        if (!a)
            return;
        raise_base(b, &a->k);
        k = &a->k;
    } else {
        struct wf__phase *p = phase_get(b, phase);
        for (uint32_t i = 0; !p->is_ready && i < b->grid->ev->blocks_per_cluster; i++) {
            struct wf__block *peer = wf__peer(b, i);
            if (!p->has[i])
                continue;
            if (peer)
                raise_base(peer, &p->rank[i]);
            if (k)
                wf__clk_join(cs, &p->all, &p->rank[i]);
            else
                p->all = p->rank[i];
            k = &p->all;
        }
        if (!p->is_ready && !k)
            return;
        p->is_ready = true;
        k = &p->all;
        if (p->has[b->ev->rank]) // its own block's fences of block scope go with its own clock only
            own = &p->rank[b->ev->rank];
    }
    if (w->split || mask != w->live) {
        WF_EACH_LANE(mask, l)
        {
            wf__lane_learn(w, l, k);
            wf__lane_learn(w, l, own);
        }
    } else {
        wf__clk_join(cs, &w->k, k);
        if (own)
            wf__clk_join(cs, &w->k, own);
    }
    uint32_t base = wf__lane_clk(w, wf_ctz32(mask))->base;
    if (base > b->full_base)
        b->full_base = base;
}

// ---- mbarrier

struct wf__mbar *wf__mbar_get(struct wf__block *owner, uint64_t addr)
{
    struct wf__mbar *m = wf_map_get(&owner->mbar, addr + 1);
    if (!m) {
        m = WF_NEW(&owner->grid->cs.arena, struct wf__mbar);
        wf_map_put(&owner->mbar, addr + 1, m);
    }
    return m;
}

void wf__mbar_arrive(struct wf__warp *w, uint32_t lane, uint32_t rank, uint64_t addr,
                     uint64_t phase, bool is_release)
{
    struct wf__block *owner = wf__peer(w->block, rank);
    if (!owner || !is_release)
        return;
    struct wf__mbar *m = wf__mbar_get(owner, addr);
    uint32_t i = phase & 1;
    if (!m->has[i] || m->phase[i] != phase) {
        m->has[i] = true; // seen from the owner's block: waits are local
        m->k[i] = (struct wf__clk){.block = owner->index};
        m->phase[i] = phase;
    }
    if (phase > m->now)
        m->now = phase;
    wf__lanes_into(w, 1u << lane, &m->k[i], &m->has[i]);
    if (owner != w->block)
        w->block->info->published = w->block->k;
    wf__tick(w);
}

void wf__mbar_wait(struct wf__warp *w, uint32_t lane, uint32_t rank, uint64_t addr, uint64_t phase,
                   bool is_acquire)
{
    struct wf__block *owner = wf__peer(w->block, rank);
    if (!owner || !is_acquire)
        return;
    struct wf__mbar *m = wf__mbar_get(owner, addr);
    uint32_t i = phase & 1;
    if (phase >= m->now)
        m->now = phase + 1;
    if (m->has[i] && m->phase[i] == phase) {
        if (owner != w->block) // the owner's knowledge leaves its block
            owner->info->published = owner->k;
        wf__lane_learn(w, lane, &m->k[i]);
    }
}

// Do all threads that live know of all copies of the phase before?
static bool copies_are_known(const struct wf__block *b, const struct wf__mbar *m)
{
    uint64_t phase = m->copied - 1;
    const struct wf__dev *d = m->has[phase & 1] && m->phase[phase & 1] == phase ? m->k[phase & 1].dev : NULL;
    if (!d)
        return false;
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t w = 0; d->at[i].warp == m->agent[m->turn] && w < b->n_warps; w++)
            for (uint32_t left = b->warp[w].split ? b->warp[w].live : b->warp[w].live & -b->warp[w].live; left;
                 left &= left - 1)
                if (wf__clk_covers(&b->grid->cs, wf__lane_clk(&b->warp[w], wf_ctz32(left)), b->index, d->at[i].warp,
                                   d->at[i].mask, d->at[i].epoch) != d->at[i].mask)
                    return false;
    return true;
}

// The copies of a phase end at numbers that rise from phase to phase, so one agent would do, if only nobody waited
// for a later phase alone: that would count as knowing the earlier ones. Where somebody still may, the next phase gets
// another agent; of these there are few, and who leaves out that many phases is taken to know.
static uint32_t agent_of_phase(struct wf__block *b, struct wf__mbar *m)
{
    if (m->copied && m->copied - 1 != m->now && !copies_are_known(b, m))
        m->turn = (m->turn + 1) % WF__MBAR_AGENTS;
    m->copied = m->now + 1;
    if (!m->agent[m->turn])
        m->agent[m->turn] = WF__AGENT + b->n_agents++;
    return m->agent[m->turn];
}

uint32_t wf__mbar_copied(struct wf__block *b, uint64_t addr, uint32_t lane)
{
    struct wf__clocks *cs = &b->grid->cs;
    struct wf__mbar *m = wf__mbar_get(b, addr);
    uint32_t i = m->now & 1, agent = agent_of_phase(b, m);
    struct wf__clk k = {.block = b->index};
    k.dev = wf__dev_add(cs, NULL, agent, 1u << lane, ++b->k);
    if (!m->has[i] || m->phase[i] != m->now)
        m->k[i] = k;
    else
        wf__clk_join(cs, &m->k[i], &k);
    m->has[i] = true;
    m->phase[i] = m->now;
    return agent;
}

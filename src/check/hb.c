// SPDX-License-Identifier: Apache-2.0
// Life of grids, blocks and warps, and the clock of a lane as others get to see it.
#include "check/hb.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/bits.h"  // WF_EACH_LANE
#include "base/err.h"   // WF_ASSERT
#include "base/os.h"    // wf_os_reserve
#include "check/proxy.h" // wf__proxy_free
#include "check/sync.h" // wf__fence_clk
#include "check/work.h" // wf__work_passed

// Blocks come and go by the thousand: their storage goes from one to the next of a grid.
static struct wf__block *spare_take(struct wf__grid *g)
{
    struct wf__block *b = g->spare;
    uint32_t n = g->ev->warps_per_block;
    if (!b) {
        b = wf_xcalloc(1, sizeof *b);
        b->warp = wf_xcalloc(n, sizeof *b->warp);
        return b;
    }
    struct wf__block was = *b;
    g->spare = was.next;
    for (uint32_t i = 0; i < n; i++) {
        struct wf__clk *lane = was.warp[i].lane;
        memset(&was.warp[i], 0, sizeof was.warp[i]);
        was.warp[i].lane = lane;
    }
    *b = (struct wf__block){.warp = was.warp, .gone = was.gone};
    return b;
}

void wf__grid_rest(struct wf__grid *g)
{
    for (struct wf__block *b; (b = g->spare);) {
        g->spare = b->next;
        for (uint32_t i = 0; i < g->ev->warps_per_block; i++)
            free(b->warp[i].lane);
        free(b->warp);
        free(b->gone);
        free(b);
    }
}

struct wf__grid *wf__grid_new(struct wf_ev_grid *ev, uint32_t serial0)
{
    struct wf__grid *g = wf_xcalloc(1, sizeof *g);
    const struct wf_launch *l = ev->launch;
    uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    g->ev = ev;
    g->serial0 = serial0;
    g->early = UINT64_MAX;
    g->n_blocks = blocks > UINT32_MAX ? UINT32_MAX : (uint32_t)blocks;
    wf__clocks_init(&g->cs, blocks);
    g->cs.blk = wf_os_reserve((size_t)g->n_blocks * sizeof *g->cs.blk);
    WF_ASSERT(g->cs.blk && wf_os_commit(g->cs.blk, (size_t)g->n_blocks * sizeof *g->cs.blk) == 0);
    return g;
}

void wf__grid_free(struct wf__grid *g)
{
    uint64_t key;
    void *v;
    for (size_t i = 0; wf_map_next(&g->cluster, &i, &key, &v);)
        free(v);
    wf_map_fini(&g->cluster);
    wf_os_release(g->cs.blk, (size_t)g->n_blocks * sizeof *g->cs.blk);
    wf__clocks_fini(&g->cs);
    free(g->beside);
    free(g->moves);
    free(g);
}

static struct wf__cluster *cluster_of(struct wf__block *b, bool make)
{
    struct wf__grid *g = b->grid;
    uint32_t n = g->ev->blocks_per_cluster;
    struct wf__cluster *c = wf_map_get(&g->cluster, b->ev->cluster + 1);
    if (!c && make) {
        c = wf_xcalloc(1, sizeof *c);
        c->rank = wf_arena_alloc(&g->cs.arena, n * sizeof(struct wf__block *));
        for (int i = 0; i < 2; i++) {
            c->ph[i].phase = UINT64_MAX;
            c->ph[i].rank = WF_NEW_N(&g->cs.arena, struct wf__clk, n);
            c->ph[i].has = WF_NEW_N(&g->cs.arena, bool, n);
        }
        wf_map_put(&g->cluster, b->ev->cluster + 1, c);
    }
    return c;
}

struct wf__block *wf__peer(struct wf__block *b, uint32_t rank)
{
    if (rank == b->ev->rank || b->grid->ev->blocks_per_cluster <= 1)
        return b;
    struct wf__cluster *c = cluster_of(b, false);
    return c && rank < b->grid->ev->blocks_per_cluster ? c->rank[rank] : NULL;
}

struct wf__block *wf__block_new(struct wf__grid *g, struct wf_ev_block *ev)
{
    struct wf__block *b = spare_take(g);
    b->grid = g;
    b->ev = ev;
    b->index = (uint32_t)ev->index;
    b->serial = g->serial0 + b->index;
    b->k = 1;
    b->n_warps = g->ev->warps_per_block;
    b->next = g->blocks;
    g->blocks = b;
    b->info = &g->cs.blk[b->index];
    *b->info = (struct wf__blk){.first_exit = UINT32_MAX, .cluster = (uint32_t)ev->cluster};
    if (g->ev->blocks_per_cluster > 1)
        cluster_of(b, true)->rank[ev->rank] = b;
    return b;
}

static void ext_free(struct wf__ext *x)
{
    for (uint32_t l = 0; x && l < 32; l++) {
        free(x->lane[l].pend);
        free(x->lane[l].rel);
    }
    free(x);
}

// Who reads later what the block wrote may have to know which fences came before the write.
static void keep_fences(struct wf__block *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        const struct wf__ext *x = b->warp[i].ext;
        for (int v = 0; x && x->has_sc && v < 2; v++) {
            struct wf__fence **to = b->info->last_sc[v];
            if (!to)
                to = WF_NEW_N(&b->grid->cs.arena, struct wf__fence *, b->n_warps * 32);
            b->info->last_sc[v] = to;
            memcpy(to + (size_t)i * 32, x->sc[v], sizeof x->sc[v]);
        }
    }
}

// When threads exited matters to those who have a later barrier of the block for a base.
static void keep_exits(struct wf__block *b)
{
    struct wf__blk *i = b->info;
    if (!i->gone)
        return;
    size_t n = b->n_warps * 32;
    i->gone = NULL;
    if (b->full_base > i->first_exit) {
        i->gone = WF_NEW_N(&b->grid->cs.arena, struct wf__gone, n);
        memcpy(i->gone, b->gone, n * sizeof *b->gone);
    }
}

void wf__block_free(struct wf__block *b)
{
    b->info->is_dead = true;
    keep_fences(b);
    for (struct wf__block **at = &b->grid->blocks; *at; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    if (b->grid->ev->blocks_per_cluster > 1)
        cluster_of(b, true)->rank[b->ev->rank] = NULL;
    for (uint32_t i = 0; i < b->n_warps; i++)
        ext_free(b->warp[i].ext);
    keep_exits(b);
    wf_map_fini(&b->mbar);
    wf_map_fini(&b->async);
    wf__proxy_free(b);
    free(b->arr);
    free(b->seen[0].at);
    free(b->seen[1].at);
    free(b->bar);
    b->next = b->grid->spare;
    b->grid->spare = b;
}

void wf__warp_start(struct wf__block *b, struct wf_ev_warp *ev)
{
    WF_ASSERT(ev->index < b->n_warps && b->n_warps <= WF__AGENT);
    struct wf__warp *w = &b->warp[ev->index];
    w->block = b;
    w->ev = ev;
    w->index = ev->index;
    w->epoch = 1;
    w->existing = w->live = ev->existing;
    w->lost = w->passed = 0;
    w->k = (struct wf__clk){.block = b->index};
    ev->user = w;
}

// Nearly all threads exit at the end of their kernel, behind the last barrier: then nobody ever asks when.
void wf__exit(struct wf__warp *w, uint32_t mask)
{
    struct wf__block *b = w->block;
    struct wf__blk *i = b->info;
    uint32_t n = b->n_warps * 32;
    if (!b->gone)
        b->gone = wf_xmalloc(n * sizeof *b->gone);
    if (!i->gone) {
        i->gone = b->gone;
        memset(b->gone, 0xff, n * sizeof *b->gone); // exit_k: not yet
    }
    struct wf__gone now = {b->k, b->full_base}, *at = &b->gone[w->index * 32];
    mask &= w->live;
    for (uint32_t l = 0; l < 32 && mask == UINT32_MAX; l++)
        at[l] = now;
    WF_EACH_LANE(mask == UINT32_MAX ? 0 : mask, l)
    {
        at[l] = now;
    }
    if (i->first_exit == UINT32_MAX) {
        i->first_exit = b->k;
        i->exit_base = b->full_base;
    }
    b->k++; // bases made from now on are above exit_k
    w->live &= ~mask;
}

bool wf__grid_after(const struct wf__grid *g, uint32_t serial)
{
    if (serial >= g->serial0)
        return false; // began later, while g runs
    for (uint32_t i = 0; i < g->n_beside; i++)
        if (serial - g->beside[i].serial0 < g->beside[i].n_blocks)
            return false;
    return true;
}

struct wf__ext *wf__ext_get(struct wf__warp *w)
{
    if (!w->ext)
        w->ext = wf_xcalloc(1, sizeof *w->ext);
    return w->ext;
}

void wf__split(struct wf__warp *w)
{
    if (w->split)
        return;
    if (!w->lane)
        w->lane = wf_xmalloc(32 * sizeof *w->lane);
    for (uint32_t l = 0; l < 32; l++)
        w->lane[l] = w->k;
    w->split = true;
}

void wf__tick(struct wf__warp *w)
{
    w->epoch = ++w->block->k;
}

// The newest fence.sc of a lane and those it learned of.
const struct wf__sc *wf__lane_sc(struct wf__warp *w, uint32_t lane)
{
    const struct wf__sc *sc = wf__lane_clk(w, lane)->sc;
    if (!w->ext || !w->ext->has_sc)
        return sc;
    struct wf__clocks *cs = &w->block->grid->cs;
    const struct wf__clk *s[2] = {sc ? sc->s[0] : NULL, sc ? sc->s[1] : NULL};
    bool changed = false;
    for (int i = 0; i < 2; i++) {
        struct wf__fence *f = w->ext->sc[i][lane];
        const struct wf__clk *m = f ? wf__clk_merge(cs, s[i], wf__fence_clk(cs, f, lane)) : s[i];
        changed |= m != s[i];
        s[i] = m;
    }
    return changed ? wf__sc_make(cs, s[0], s[1], sc ? sc->o[0] : NULL, sc ? sc->o[1] : NULL) : sc;
}

const struct wf__clk *wf__lane_publish(struct wf__warp *w, uint32_t lane)
{
    struct wf__clocks *cs = &w->block->grid->cs;
    struct wf__clk k = *wf__lane_clk(w, lane);
    k.dev = wf__dev_add(cs, k.dev, w->index, 1u << lane, w->epoch);
    k.sc = wf__lane_sc(w, lane);
    k.full = NULL;
    return wf__clk_keep(cs, &k);
}

// Of `left`, the lanes whose newest fence.sc are those of `lane`.
static uint32_t fenced_alike(const struct wf__warp *w, uint32_t lane, uint32_t left)
{
    const struct wf__ext *x = w->ext;
    uint32_t group = 0;
    WF_EACH_LANE(left, l)
    {
        if (x->sc[0][l] == x->sc[0][lane] && x->sc[1][l] == x->sc[1][lane])
            group |= 1u << l;
    }
    return group;
}

// wf__lane_sc() of several lanes that know the same and fenced together, joined.
static const struct wf__sc *group_sc(struct wf__warp *w, uint32_t lane, uint32_t group)
{
    struct wf__clocks *cs = &w->block->grid->cs;
    const struct wf__sc *sc = w->k.sc;
    const struct wf__clk *s[2] = {sc ? sc->s[0] : NULL, sc ? sc->s[1] : NULL};
    for (int i = 0; i < 2; i++) {
        struct wf__fence *f = w->ext->sc[i][lane];
        if (f)
            s[i] = wf__clk_merge(cs, s[i], wf__fence_group(cs, f, group));
    }
    return wf__sc_make(cs, s[0], s[1], sc ? sc->o[0] : NULL, sc ? sc->o[1] : NULL);
}

uint32_t wf__group_take(struct wf__warp *w, uint32_t left, struct wf__clk *k)
{
    bool fenced = w->ext && w->ext->has_sc;
    uint32_t l = wf_ctz32(left);
    uint32_t group = w->split ? 1u << l : fenced ? fenced_alike(w, l, left) : left;
    *k = *wf__lane_clk(w, l);
    k->sc = fenced && group & (group - 1) ? group_sc(w, l, group) : wf__lane_sc(w, l);
    k->full = NULL;
    return group;
}

void wf__lanes_into(struct wf__warp *w, uint32_t mask, struct wf__clk *acc, bool *has)
{
    struct wf__clocks *cs = &w->block->grid->cs;
    for (uint32_t left = mask; left;) {
        struct wf__clk k;
        uint32_t group = wf__group_take(w, left, &k);
        k.dev = wf__dev_add(cs, k.dev, w->index, group, w->epoch);
        if (*has)
            wf__clk_join(cs, acc, &k);
        else
            *acc = k;
        *has = true;
        left &= ~group;
    }
}

void wf__lane_learn(struct wf__warp *w, uint32_t lane, const struct wf__clk *k)
{
    if (!k)
        return;
    struct wf__clocks *cs = &w->block->grid->cs;
    struct wf__clk now = *wf__lane_clk(w, lane), was = now;
    wf__clk_join(cs, &now, k);
    if (now.base == was.base && now.dev == was.dev && now.far == was.far && now.sc == was.sc)
        return;
    wf__split(w);
    w->lane[lane] = now;
}

uint32_t wf__covers(const struct wf__warp *w, uint32_t lane, uint32_t serial, uint32_t warp,
                    uint32_t mask, uint32_t epoch)
{
    const struct wf__block *b = w->block;
    uint32_t index = serial - b->grid->serial0, got = 0;
    if (index >= b->grid->n_blocks)
        return wf__work_passed(w, 1u << lane, serial) ? mask : 0;
    if (index == b->index && warp == w->index)
        got = mask & (1u << lane);
    if (got != mask)
        got |= wf__clk_covers(&b->grid->cs, wf__lane_clk(w, lane), index, warp, mask & ~got, epoch);
    return got;
}

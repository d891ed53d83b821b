// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies as accesses, and what a full barrier makes ancient.
#include "base/map.h"      // wf_map_put
#include "check/access.h"  // wf__acc_init
#include "check/compact.h" // wf__copy_rec
#include "check/verdict.h" // wf__seen_forget_shared

static void async_half(struct wf__acc *x, uint64_t addr, uint32_t bytes, uint32_t lane,
                       bool is_write)
{
    if (addr - x->addr0 + bytes > x->limit || addr % 4)
        return;
    x->bytes = (uint8_t)bytes;
    x->rec = wf__rec_new(x->pool);
    x->pool->rec[x->rec] = (struct wf__rec){.site = x->site,
                                            .serial = x->serial,
                                            .epoch = x->w->epoch,
                                            .mask = 1u << lane,
                                            .base = x->base,
                                            .warp = (uint16_t)x->w->index,
                                            .flags = (uint8_t)x->flags,
                                            .bytes = (uint8_t)bytes};
    for (uint32_t i = 0; i < bytes; i += 4)
        wf__weak_word(x, wf__acc_cell(x, addr + i), lane, is_write);
}

// The copy is a thread of its own, forked here: what the issuer knows now comes before it, and
// nothing comes after it until it is done.
void wf__race_async(struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, uint32_t lane,
                    uint64_t dst, uint64_t src, uint32_t bytes, uint64_t token)
{
    struct wf_ev_access a = {.site = s,
                             .warp = w->ev,
                             .space = WF_SPACE_SHARED,
                             .owner_rank = w->block->ev->rank,
                             .mask = 1u << lane};
    struct wf__acc x;
    struct wf__copy *k = wf_arena_alloc(&w->block->grid->cs.arena, sizeof *k);
    if (wf__acc_init(&x, c, &a)) {
        x.flags = WF__W | WF__ASYNC;
        async_half(&x, dst, bytes, lane, true);
        k->dst = x.rec;
    }
    a.space = WF_SPACE_GLOBAL;
    if (wf__acc_init(&x, c, &a)) {
        x.flags = WF__R | WF__ASYNC;
        wf__touch(c, src - x.addr0, bytes);
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
    struct wf__copy *k = mbar ? wf_map_get(&b->async, token + 1) : wf_map_del(&b->async, token + 1);
    if (!k || k->is_done)
        return;
    uint32_t warp = mbar ? wf__mbar_copied(b, mbar - 1, lane) : w->index;
    uint32_t epoch = mbar ? b->k : w->epoch;
    k->is_done = true;
    k->agent_block = b->index;
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
        struct wf__copy *known = NULL;
        uint64_t key;
        void *v;
        oldest = UINT32_MAX;
        for (size_t i = 0; wf_map_next(&b->async, &i, &key, &v);) {
            struct wf__copy *k = v;
            if (k->is_done &&
                wf__clk_covers(&b->grid->cs, &w->k, k->agent_block, k->agent, 1u << k->lane, k->epoch))
                known = k;
            else if (wf__copy_oldest(k) < oldest)
                oldest = wf__copy_oldest(k);
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
    // A copy whose place in shared memory was bad has no record there.
    uint32_t oldest = b->async.n ? copies_settle(b) : UINT32_MAX;
    if (oldest == UINT32_MAX)
        wf__seen_forget_shared(b);
    wf__slot_barrier(b->slot, oldest);
}

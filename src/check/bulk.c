// SPDX-License-Identifier: Apache-2.0
// Bulk copies as accesses: a copy is a thread of its own, forked where it is issued. What it touches is ordered
// before nothing until it is known to be complete: by the mbarrier that counts it, or when its lane has waited for
// its group. Each block that has a part of it in its shared memory keeps that part's record; global parts are kept
// by the block that issued it. The destinations of reductions are not compared with other accesses.
#include "base/map.h"      // wf_map_put
#include "check/access.h"  // wf__acc_init
#include "check/compact.h" // struct wf__copy
#include "check/proxy.h"

static struct wf__copy *copy_of(struct wf__block *keeper, uint64_t token)
{
    struct wf__copy *k = wf_map_get(&keeper->async, token + 1);
    if (!k) {
        k = WF_NEW(&keeper->grid->cs.arena, struct wf__copy);
        k->token = token;
        wf_map_put(&keeper->async, token + 1, k);
    }
    return k;
}

// One piece: compared and noted, word by word, under one record for all pieces of a kind and place.
static void piece(struct wf__ctx *c, const struct wf_ev_bulk *e, const struct wf_ev_piece *p, bool is_write)
{
    struct wf__warp *w = e->warp->user;
    struct wf_ev_access a = {.site = e->site, .warp = e->warp, .space = p->space, .owner_rank = p->owner_rank, .mask = 1u << e->lane};
    struct wf__acc x;
    if (!wf__acc_init(&x, c, &a) || p->addr - x.addr0 + p->bytes > x.limit || (p->addr | p->bytes) % 4)
        return;
    struct wf__block *keeper = x.is_shared ? x.owner : w->block;
    struct wf__copy *k = copy_of(keeper, e->token);
    uint32_t *rec = x.is_shared ? (is_write ? &k->dst : &k->src_shared) : (is_write ? &k->dst_global : &k->src);
    x.flags = (uint16_t)((is_write ? WF__W : WF__R) | WF__ASYNC);
    if (!*rec) {
        *rec = wf__rec_new(x.pool);
        x.pool->rec[*rec] = (struct wf__rec){.site = x.site, .serial = x.serial, .epoch = w->epoch, .mask = 1u << e->lane,
                                             .base = x.base, .warp = (uint16_t)w->index, .flags = (uint8_t)x.flags, .bytes = 16};
    }
    x.rec = *rec;
    if (!x.is_shared)
        wf__touch(c, p->addr - x.addr0, p->bytes);
    for (uint64_t i = 0; i < p->bytes; i += 4)
        wf__weak_word(&x, wf__acc_cell(&x, p->addr + i), e->lane, is_write);
    if (x.is_shared)
        wf__proxy_check(&x, e->lane, p->addr, p->bytes, is_write);
}

void wf__race_bulk(struct wf__ctx *c, const struct wf_ev_bulk *e)
{
    for (uint32_t i = 0; i < e->n_read; i++)
        piece(c, e, &e->read[i], false);
    for (uint32_t i = 0; i < e->n_write && !e->is_atomic; i++)
        piece(c, e, &e->write[i], true);
}

static void settle(struct wf__pool *p, uint32_t rec, uint32_t serial, uint32_t warp, uint32_t epoch)
{
    if (!rec)
        return;
    struct wf__rec *r = &p->rec[rec];
    r->serial = serial;
    r->warp = (uint16_t)warp;
    r->epoch = epoch;
    r->flags &= (uint8_t)~WF__ASYNC;
}

static void done(struct wf__block *keeper, uint64_t token, struct wf__block *agent_block, uint32_t agent, uint32_t epoch,
                 uint32_t lane, bool reads_only)
{
    struct wf__copy *k = wf_map_get(&keeper->async, token + 1);
    if (!k || k->is_done)
        return;
    struct wf__pool *global = &wf__check.sh.pool;
    settle(global, k->src, agent_block->serial, agent, epoch);
    settle(&keeper->slot->pool, k->src_shared, agent_block->serial, agent, epoch);
    if (reads_only)
        return;
    settle(&keeper->slot->pool, k->dst, agent_block->serial, agent, epoch);
    settle(global, k->dst_global, agent_block->serial, agent, epoch);
    k->is_done = true;
    k->agent_block = agent_block->index;
    k->agent = agent;
    k->lane = lane;
    k->epoch = epoch;
}

void wf__race_bulk_done(struct wf__warp *w, uint32_t lane, uint64_t token, uint32_t mbar_rank, uint64_t mbar, bool reads_only)
{
    struct wf__block *b = w->block, *owner = mbar_rank == UINT32_MAX ? b : wf__peer(b, mbar_rank);
    if (!owner)
        return;
    uint32_t agent = w->index, epoch = w->epoch;
    if (mbar_rank != UINT32_MAX) {
        agent = wf__mbar_copied(owner, mbar, lane);
        epoch = owner->k;
    }
    done(b, token, owner, agent, epoch, lane, reads_only);
    if (owner != b)
        done(owner, token, owner, agent, epoch, lane, reads_only);
}

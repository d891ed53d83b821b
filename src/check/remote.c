// SPDX-License-Identifier: Apache-2.0
// Distributed shared memory of a block that ends. The block is gone when its last thread exits, so
// each access of a peer must come before what at least one of its threads did last (PTX ISA 2.2.2).
#include <stdio.h> // snprintf

#include "core/loc.h"     // wf_loc_user
#include "base/bits.h"    // wf_ctz32
#include "check/ctx.h"    // struct wf__ctx
#include "check/where.h"  // wf__where_thread
#include "core/finding.h" // wf_finding_add
#include "core/loc.h"     // wf_loc_user

static void tell(const struct wf__block *b, const struct wf_loc *end, uint64_t at, const struct wf__rec *r,
                 uint32_t lane)
{
    const struct wf_launch *l = b->grid->ev->launch;
    struct wf_finding f = wf_finding_make(WF_F_MEM_FREED, r->site->kernel, l->id);
    struct wf_party *a = wf_finding_party(&f, WF_PARTY_ACCESS, r->site->loc);
    wf__where_thread(a, l, r->serial - b->grid->serial0, r->warp, lane);
    wf__where_op(a, r->site, r->bytes, r->flags & WF__W);
    wf__where_object(&f, true, at);
    struct wf_party *o = wf_finding_party(&f, WF_PARTY_NOTE, end);
    wf__where_thread(o, l, b->index, 0, 0);
    o->has_thread = false;
    snprintf(o->note, sizeof o->note, "this block owns the memory and ends %swithout waiting",
             end ? "here " : "");
    snprintf(
        f.sentence, sizeof f.sentence,
        "The %s in line %u uses the shared memory of another block of the cluster, which may have "
        "ended by then.",
        r->flags & WF__W ? "write" : "read", wf_loc_user(r->site->loc)->line);
    snprintf(f.why, sizeof f.why,
             "nothing orders the access before the end of the block that owns the memory");
    snprintf(
        f.fix, sizeof f.fix,
        "let all blocks of the cluster meet once more before they end: cluster.sync() after line "
        "%u",
        wf_loc_user(r->site->loc)->line);
    wf_finding_add(&f);
}

void wf__remote_gone(const struct wf__acc *x)
{
    const struct wf__block *b = x->w->block;
    const struct wf__rec r = {.site = x->site,
                              .serial = b->serial,
                              .warp = (uint16_t)x->w->index,
                              .flags = x->site->is_write ? WF__W : WF__R,
                              .bytes = x->site->bytes};
    uint32_t lane = wf_ctz32(x->ev->mask);
    struct wf__block gone = {.grid = b->grid}; // what is left of the owner: its place in the grid
    gone.index = b->index - b->ev->rank + x->ev->owner_rank;
    tell(&gone, b->grid->end, x->ev->is_linear ? x->ev->addr[0] : x->ev->addr[lane], &r, lane);
}

static bool known(struct wf__block *b, const struct wf__clk *all, const struct wf__rec *r,
                  uint32_t lanes)
{
    return wf__clk_covers(&b->grid->cs, all, r->serial - b->grid->serial0, r->warp, lanes,
                          r->epoch) == lanes;
}

static void look(struct wf__block *b, const struct wf__clk *all, uint64_t at, uint32_t h)
{
    const struct wf__pool *p = &b->slot->pool;
    for (; !wf__is_old(p, h);) {
        const struct wf__rec *r = &p->rec[h >> 5];
        const struct wf__rec *m = r->kind == WF__PAIR ? &p->rec[r->add] : r;
        uint32_t lanes = wf__rec_lanes(m, h & 31);
        if (m->serial != b->serial && !known(b, all, m, lanes)) {
            tell(b, b->ev->end, at, m, wf_ctz32(lanes));
            return;
        }
        if (r->kind != WF__PAIR)
            return;
        h = r->prev << 5 | ((h + r->delta) & 31);
    }
}

void wf__race_block_end(struct wf__ctx *c, struct wf__block *b)
{
    (void)c;
    struct wf__slot *s = b->slot;
    b->grid->end = b->ev->end;
    if (!s || !s->is_visited)
        return;
    struct wf__clk all = {.block = b->index};
    for (uint32_t i = 0; i < b->n_warps; i++)
        WF_EACH_LANE(b->warp[i].existing, l)
        {
            wf__clk_join(&b->grid->cs, &all, wf__lane_clk(&b->warp[i], l));
        }
    for (uint64_t i = 0; i < s->words; i++) {
        const struct wf__word *w = wf__word_of(&s->pool, wf__cell_at(&s->pool, s->cell, i));
        for (uint32_t j = 0; w && j < w->n; j++) {
            const struct wf__rec *r = &s->pool.rec[w->at[j].rec];
            if (w->at[j].rec >= s->pool.first && r->serial != b->serial &&
                !known(b, &all, r, w->at[j].mask))
                tell(b, b->ev->end, i * 4, r, wf_ctz32(w->at[j].mask));
        }
        if (w || (uint32_t)s->cell[i] & WF__SPILL)
            continue;
        look(b, &all, i * 4, (uint32_t)s->cell[i]);
        look(b, &all, i * 4, (uint32_t)(s->cell[i] >> 32));
    }
}

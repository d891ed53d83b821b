// SPDX-License-Identifier: Apache-2.0
// Links: a strong write after one access, read strongly before the other. A pair that such a link
// connects lacks a fence, not a barrier; which side lacks it is told by what was attached.
#include "base/bits.h"     // WF_EACH_LANE
#include "check/verdict.h" // struct wf__seen

// Of global memory and of shared memory so many each: a warp that adds up volatile shared cells
// must not push out the counter that the blocks met at.
#define SEEN 64u

void wf__seen_note(struct wf__acc *x, uint32_t lane, struct wf__loc *loc)
{
    struct wf__block *b = x->w->block;
    struct wf__clocks *cs = &b->grid->cs;
    if (x->is_shared && x->owner != b) // of a peer, whose memory may be reused before ours
        return;
    struct wf__seen_ring *ring = &b->seen[x->is_shared];
    if (!ring->at)
        ring->at = wf_xcalloc(SEEN, sizeof *ring->at);
    struct wf__seen *s = NULL;
    for (uint32_t i = 0; i < ring->n && !s; i++)
        if (ring->at[i].loc == loc && ring->at[i].warp == x->w->index && ring->at[i].lane == lane)
            s = &ring->at[i];
    if (!s) {
        s = &ring->at[ring->next++ % SEEN];
        if (ring->n < SEEN)
            ring->n++;
    }
    const struct wf__clk *all = loc->wide;
    uint64_t key;
    void *v;
    if (loc->by_block.n <= 8)
        for (size_t i = 0; wf_map_next(&loc->by_block, &i, &key, &v);)
            all = wf__clk_merge(cs, all, ((struct wf__att *)v)->any);
    struct wf__pending p;
    wf__visible(x->w, loc, &p);
    *s = (struct wf__seen){.loc = loc,
                           .site = x->site,
                           .attached = all,
                           .usable = p.by[2],
                           .hi = loc->seq,
                           .epoch = x->w->epoch,
                           .warp = (uint16_t)x->w->index,
                           .lane = (uint8_t)lane};
    s->acquires = x->site->order == WF_ORD_ACQUIRE || x->site->order >= WF_ORD_ACQ_REL;
    s->n_acq = x->w->ext ? x->w->ext->n_acq[lane] : 0;
}

void wf__seen_forget_shared(struct wf__block *b)
{
    b->seen[1].n = b->seen[1].next = 0;
}

// Is the strong write of record r, by these lanes, after the access of record e by lane `other`?
static bool comes_after(const struct wf__grid *g, const struct wf__rec *r, uint32_t mask,
                        const struct wf__rec *e, uint32_t other, bool same_pool)
{
    if (r->serial != e->serial)
        return false;
    if (r->warp == e->warp && mask >> other & 1)
        return r->epoch > e->epoch || (r->epoch == e->epoch && (!same_pool || r > e));
    // By a barrier, or as the writer knows of it by now: __syncwarp(), or another flag of the block.
    if (e->epoch <= r->base)
        return true;
    const struct wf__block *b = g->blocks;
    while (b && b->serial != r->serial)
        b = b->next;
    if (!b) // gone, and what its threads knew: of one warp, __syncwarp() is likely
        return r->warp == e->warp && e->epoch < r->epoch;
    return e->epoch < r->epoch &&
           wf__covers(&b->warp[r->warp], wf_ctz32(mask), e->serial, e->warp, 1u << other, e->epoch);
}

// Does the clock know of the access?
static bool has(const struct wf__block *b, const struct wf__clk *k, const struct wf__rec *e, uint32_t other)
{
    return k && wf__clk_covers(&b->grid->cs, k, e->serial - b->grid->serial0, e->warp, 1u << other, e->epoch);
}

static bool find_in(struct wf__acc *x, uint32_t lane, const struct wf__rec *e, uint32_t other,
                    const struct wf__word *word, bool is_shared, struct wf__link *out)
{
    struct wf__block *b = x->w->block;
    const struct wf__seen_ring *ring = &b->seen[is_shared];
    const struct wf__pool *p = is_shared ? &b->slot->pool : &x->ctx->sh.pool;
    for (uint32_t k = 0; k < ring->n; k++) {
        const struct wf__seen *s = &ring->at[(ring->next + SEEN - 1 - k) % SEEN];
        if (!s->loc || s->loc->word == word)
            continue;
        bool own = s->warp == x->w->index && s->lane == lane;
        if (!own && !wf__covers(x->w, lane, b->serial, s->warp, 1u << s->lane, s->epoch))
            continue;
        const struct wf__word *wd = s->loc->word;
        const struct wf__entry *w = NULL; // the signal; an atomic that only waits will do when there is no other
        for (uint32_t i = wd->n; i-- > 0;) {
            const struct wf__entry *o = &wd->at[i];
            const struct wf__rec *r = &p->rec[o->rec];
            if (!o->seq || o->seq0 > s->hi || o->rec < p->first || (w && r->site->is_poll) ||
                !comes_after(b->grid, r, o->mask, e, other, p == x->pool))
                continue;
            w = o;
            if (!r->site->is_poll)
                break;
        }
        if (!w)
            continue;
        const struct wf__rec *r = &p->rec[w->rec];
        const struct wf__ext *ext = b->warp[s->warp].ext;
        bool only_waits = r->site->is_poll && s->loc->signal;
        *out = (struct wf__link){.write = only_waits ? s->loc->signal : r->site, .read = s->site};
        // A fence of the one thread must also serve the others of its block: beside the barrier.
        out->same_thread = r->warp == e->warp && w->mask >> other & 1 && e->epoch > r->base;
        out->reader_is_other = !own || s->epoch <= x->base;
        out->acquired = s->acquires || (ext && ext->n_acq[s->lane] > s->n_acq);
        out->released = has(b, s->attached, e, other);
        out->is_narrow = out->released && !has(b, s->usable, e, other);
        return true;
    }
    return false;
}

bool wf__link_find(struct wf__acc *x, uint32_t lane, const struct wf__rec *e, uint32_t other,
                   const struct wf__word *word, struct wf__link *out)
{
    return find_in(x, lane, e, other, word, false, out) ||
           find_in(x, lane, e, other, word, true, out);
}

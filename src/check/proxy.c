// SPDX-License-Identifier: Apache-2.0
// Which ordinary writes a bulk copy may meet: see proxy.h. Kept for each word of a block's shared memory: the
// newest ordinary write; for each block: its newest proxy fences with what their threads knew then. A write is
// fine if there is a fence that comes after it and before the copy, whoever made it. When fences have been
// forgotten nothing is said.
#include "check/proxy.h"

#include <stdio.h>  // snprintf
#include <stdlib.h> // free

#include "base/bits.h"    // WF_EACH_LANE
#include "check/where.h"  // wf__where_thread
#include "core/finding.h" // wf_finding_add
#include "core/loc.h"     // wf_loc_user

#define FENCES 512

struct wf__pword { // the newest ordinary write of a word
    const struct wf_site *site;
    uint32_t epoch, block; // block: its serial
    uint16_t warp;
    uint8_t lane;
};
struct wf__pfence {
    const struct wf__clk *k; // what its lanes knew
    uint32_t warp, mask, epoch;
};
struct wf__proxy {
    struct wf__pword *word;
    uint64_t words;
    struct wf__pfence fence[FENCES];
    uint32_t n_fences; // ever
    const struct wf_site *told_copy, *told_write;
};

static struct wf__proxy *proxy_of(struct wf__block *b)
{
    if (!b->proxy && b->slot) {
        b->proxy = wf_xcalloc(1, sizeof *b->proxy);
        b->proxy->words = b->slot->words;
        b->proxy->word = wf_xcalloc(b->proxy->words + 1, sizeof *b->proxy->word);
    }
    return b->proxy;
}

void wf__proxy_free(struct wf__block *b)
{
    if (b->proxy)
        free(b->proxy->word);
    free(b->proxy);
}

void wf__proxy_write(struct wf__acc *x, const struct wf_ev_access *a, uint32_t size)
{
    struct wf__proxy *p = x->owner ? proxy_of(x->owner) : NULL;
    WF_EACH_LANE(p ? a->mask : 0, l)
    {
        uint64_t at = (a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l]) / 4;
        for (uint64_t i = at; i <= at + (size + 3) / 4 - 1 && i < p->words; i++)
            p->word[i] = (struct wf__pword){x->site, x->w->epoch, x->serial, (uint16_t)x->w->index, (uint8_t)l};
    }
}

void wf__proxy_fence(struct wf__warp *w, uint32_t mask)
{
    struct wf__proxy *p = proxy_of(w->block);
    uint32_t left = mask;
    if (!p)
        return;
    wf__tick(w);
    while (left) {
        uint32_t lane = wf_ctz32(left), group = w->split ? 1u << lane : left;
        struct wf__clk k = *wf__lane_clk(w, lane);
        k.full = NULL;
        p->fence[p->n_fences++ % FENCES] =
            (struct wf__pfence){wf__clk_keep(&w->block->grid->cs, &k), w->index, group, w->epoch};
        left &= ~group;
    }
    wf__tick(w);
}

// Is there a fence between the write and what `lane` does now?
static bool is_fenced(const struct wf__acc *x, uint32_t lane, const struct wf__proxy *p, const struct wf__pword *v)
{
    const struct wf__block *b = x->w->block;
    uint32_t n = p->n_fences < FENCES ? p->n_fences : FENCES;
    for (uint32_t i = 0; i < n; i++) {
        const struct wf__pfence *f = &p->fence[(p->n_fences - 1 - i) % FENCES];
        uint32_t behind = 0; // lanes of the fence that come after the write
        if (wf__clk_covers(&b->grid->cs, f->k, b->index, v->warp, 1u << v->lane, v->epoch))
            behind = f->mask;
        else if (f->warp == v->warp && v->epoch <= f->epoch)
            behind = f->mask & (1u << v->lane);
        if (behind && wf__covers(x->w, lane, b->serial, f->warp, behind, f->epoch))
            return true;
    }
    return p->n_fences > FENCES; // forgotten: no saying
}

static void tell(struct wf__acc *x, uint32_t lane, uint64_t addr, const struct wf__pword *v, bool is_write)
{
    const struct wf_launch *l = x->w->block->grid->ev->launch;
    struct wf_finding f = wf_finding_make(WF_F_RACE_SHARED, x->site->kernel, l->id);
    unsigned at = wf_loc_user(v->site->loc)->line, now = wf_loc_user(x->site->loc)->line;
    wf__where_object(&f, true, addr);
    f.n_parties = 2;
    f.party[0].role = f.party[1].role = WF_PARTY_ACCESS;
    f.party[0].loc = x->site->loc;
    f.party[1].loc = v->site->loc;
    wf__where_thread(&f.party[0], l, x->w->block->index, x->w->index, lane);
    wf__where_thread(&f.party[1], l, x->w->block->index, v->warp, v->lane);
    snprintf(f.party[0].op, sizeof f.party[0].op, "%s by a bulk copy", is_write ? "write" : "read");
    wf__where_op(&f.party[1], v->site, v->site->bytes, true);
    snprintf(f.sentence, sizeof f.sentence,
             "The bulk copy in line %u %s what the write in line %u put into shared memory, and no proxy fence stands between.",
             now, is_write ? "overwrites" : "reads", at);
    snprintf(f.why, sizeof f.why, "bulk copies go by the async proxy: barriers order threads, but not what the two proxies see");
    snprintf(f.fix, sizeof f.fix,
             "put fence.proxy.async (cuda::ptx::fence_proxy_async(space_shared), cde::fence_proxy_async_shared_cta()) after line "
             "%u, before the barrier that the copy waits for", at);
    wf_finding_add(&f);
}

void wf__proxy_check(struct wf__acc *x, uint32_t lane, uint64_t addr, uint32_t bytes, bool is_write)
{
    struct wf__proxy *p = x->owner == x->w->block ? x->owner->proxy : NULL;
    const struct wf__pword *last = NULL;
    bool was = true;
    for (uint64_t i = addr / 4; p && i < (addr + bytes) / 4 && i < p->words; i++) {
        const struct wf__pword *v = &p->word[i];
        if (!v->site || v->block != x->serial)
            continue;
        if (!last || last->warp != v->warp || last->lane != v->lane || last->epoch != v->epoch)
            was = is_fenced(x, lane, p, v);
        last = v;
        if (!was && !(p->told_copy == x->site && p->told_write == v->site)) {
            // Not ordered at all: a race, which is told as such.
            if (wf__covers(x->w, lane, v->block, v->warp, 1u << v->lane, v->epoch))
                tell(x, lane, i * 4, v, is_write);
            p->told_copy = x->site;
            p->told_write = v->site;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// CTA barriers (PTX ISA 9.7.13.1). A path that waits is parked; its warp arrives when all its live
// lanes have come to the barrier with that id; the barrier completes when the expected warps have
// arrived, exited ones not counting. What was wrong with how they met becomes a finding.

#include <string.h> // memset

#include "core/loc.h"
#include "exec/exec_priv.h"

static bool same_line(const struct wf_site *a, const struct wf_site *b)
{
    const struct wf_loc *x = wf_loc_user(a->loc), *y = wf_loc_user(b->loc);
    if (!x->file || !y->file)
        return a == b;
    return x->line == y->line && !strcmp(x->file, y->file);
}

static void diverged(struct wf_warp *w, const struct wf_site *s, uint32_t lanes, struct wf_warp *w2,
                     const struct wf_site *s2, uint32_t lanes2, const char *sentence, const char *fix)
{
    struct grid *g = grid_of(w);
    struct wf_finding f = wf_finding_make(WF_F_BARRIER_DIVERGENCE, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_WAITER, w, s, lanes, "__syncthreads()");
    if (w2)
        exec__party(&f, s2 ? WF_PARTY_WAITER : WF_PARTY_NOTE, w2, s2, lanes2,
                    s2 ? "__syncthreads()" : "has left the kernel");
    snprintf(f.sentence, sizeof f.sentence, "%s", sentence);
    snprintf(f.why, sizeof f.why, "all threads of the block have to reach the same barrier; its condition must be the same for all");
    snprintf(f.fix, sizeof f.fix, "%s", fix);
    if (w2 && !s2 && w2->exit_loc)
        f.party[f.n_parties - 1].loc = exec__loc(g->code->prog, w2->exit_loc, 0, g->launch->kernel);
    wf_finding_add(&f);
}

static void misuse(struct wf_warp *w, const struct wf_site *s, uint32_t lanes, enum wf_finding_kind kind, const char *sentence)
{
    struct grid *g = grid_of(w);
    struct wf_finding f = wf_finding_make(kind, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_ACCESS, w, s, lanes, s->what);
    snprintf(f.sentence, sizeof f.sentence, "%s", sentence);
    snprintf(f.fix, sizeof f.fix, "use an id from 0 to 15 and a count that is a multiple of 32, the same for all who meet");
    wf_finding_add(&f);
}

static uint32_t live_warps(const struct cta *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        n += c->warps[i].live != 0;
    return n;
}

static void first_of(struct cta *c, const uint32_t *want, struct wf_warp **w, uint32_t *mask)
{
    *w = NULL;
    for (uint32_t i = 0; i < c->b.n_warps && !*w; i++)
        if (want[i]) {
            *w = &c->warps[i];
            *mask = want[i];
        }
}

// Aligned barriers that threads which left the kernel should have met.
static void check_exited(struct cta *c, struct bar *b, uint32_t id)
{
    if (!b->last->is_aligned || b->expected || c->exits_told || c->ev.is_mixed_up)
        return; // later barriers miss the same threads
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        uint32_t gone = c->warps[i].existing & ~c->x[i].bar_lanes[id] & ~c->warps[i].live;
        if (!gone)
            continue;
        struct wf_warp *w;
        uint32_t m, arrived[64];
        for (uint32_t k = 0; k < c->b.n_warps; k++)
            arrived[k] = c->x[k].bar_lanes[id];
        first_of(c, arrived, &w, &m);
        c->exits_told = true;
        if (w)
            diverged(w, b->first, m, &c->warps[i], NULL, gone,
                     "a barrier was passed by part of the block: other threads had already left the kernel",
                     "let all threads reach the barrier: replace the early return by a condition around the work");
        return;
    }
}

static void release(struct cta *c, uint32_t id)
{
    struct bar *b = &c->bar[id];
    const struct wf_events *ev = c->grid->ev;
    check_exited(c, b, id);
    if (ev && ev->bar_complete) {
        uint32_t arrived[64], waited[64];
        for (uint32_t i = 0; i < c->b.n_warps; i++) {
            arrived[i] = c->x[i].bar_lanes[id];
            waited[i] = c->x[i].wait_lanes[id];
        }
        struct wf_ev_barrier e = {.site = b->last, .block = &c->ev, .id = id, .instance = b->instance, .arrived = arrived, .waited = waited};
        ev->bar_complete(ev->arg, &e);
    }
    bool is_progress = false;
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        struct wf_warp *w = &c->warps[i];
        struct xwarp *x = &c->x[i];
        x->bar_lanes[id] = x->wait_lanes[id] = 0;
        x->counted[id] = false;
        for (uint32_t k = w->n_paths; k-- > 0;) {
            struct wf_path p = w->path[k];
            if (p.state != WF_PATH_BAR || (p.want & 0xff) != id)
                continue;
            w->path[k] = w->path[--w->n_paths];
            p.state = WF_PATH_READY;
            p.yields = x->turn - 1;
            is_progress |= !p.frame->code->pcs[p.pc & ~WF_PC_RELEASED].is_still;
            uint32_t kind = p.want >> 8; // each path gets what it asked for, whatever the first one was
            WF_EACH_LANE(p.mask, lane)
                w->bar_result[lane] = kind == BAR_POPC ? b->red_count : kind == BAR_AND ? b->red_and : b->red_or;
            exec__add_path(w, p);
        }
        exec__refresh(w);
    }
    *b = (struct bar){.instance = b->instance + 1, .red_and = 1};
    if (!is_progress) // all go on waiting
        return;
    c->moved = true;
    atomic_fetch_add_explicit(&c->grid->progress, 1, memory_order_relaxed);
}

static void try_complete(struct cta *c, uint32_t id)
{
    struct bar *b = &c->bar[id];
    if (!b->arrived)
        return;
    if (b->expected ? b->arrived * 32 >= b->expected : b->arrived >= live_warps(c)) {
        // With all threads expected, every live warp itself has to be among the arrived.
        for (uint32_t i = 0; !b->expected && i < c->b.n_warps; i++)
            if (c->warps[i].live && !c->x[i].counted[id])
                return;
        release(c, id);
    }
}

// All live lanes of the warp stand at barrier id (or came by with .arrive): the warp arrives.
static void try_arrive(struct wf_warp *w, uint32_t id)
{
    struct cta *c = cta_of(w);
    struct xwarp *x = x_of(w);
    struct bar *b = &c->bar[id];
    uint32_t here = x->bar_lanes[id];
    if (x->counted[id] || !here || (w->live & ~here))
        return;
    x->counted[id] = true;
    b->arrived++;
    try_complete(c, id);
}

// Lanes come to barrier id; what is wrong with it is told.
static void note_arrival(struct wf_warp *w, struct bar *b, const struct wf_site *s, uint32_t mask, uint32_t count,
                         uint32_t kind)
{
    struct cta *c = cta_of(w);
    if (!b->first) {
        b->first = s;
        b->first_warp = w->index;
        b->first_lanes = mask;
        b->kind = kind;
        b->expected = count;
        b->red_and = 1;
    } else if (!b->is_mixed) {
        if (s->is_aligned && b->first->is_aligned && !b->expected && !count && !same_line(s, b->first)) {
            b->is_mixed = true;
            c->ev.is_mixed_up = true;
            diverged(&c->warps[b->first_warp], b->first, b->first_lanes, w, s, mask,
                     "threads of one block wait at different barriers, which pair up by accident",
                     "move the barrier out of the branch, so that all threads meet the same one");
        } else if (b->expected != count) {
            b->is_mixed = true;
            misuse(w, s, mask, WF_F_BARRIER_COUNT, "threads meet at one barrier with different counts");
        } else if ((b->kind >= BAR_POPC) != (kind >= BAR_POPC)) {
            b->is_mixed = true;
            misuse(w, s, mask, WF_F_BARRIER_MISUSE, "barrier.red is mixed with barrier.sync or .arrive on one barrier");
        }
    }
    b->last = s;
}

void exec__bar_arrive(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, uint32_t id, uint32_t count, uint32_t kind,
                      uint32_t pred)
{
    struct cta *c = cta_of(w);
    struct xwarp *x = x_of(w);
    const struct wf_site *s = site_of(w, site);
    struct grid *g = c->grid;
    if (id >= N_BARRIERS || count % 32 || (kind == BAR_ARRIVE && !count)) {
        misuse(w, s, mask, WF_F_BARRIER_COUNT,
               id >= N_BARRIERS ? "barrier id above 15" : count % 32 ? "the thread count of a barrier is no multiple of 32"
                                                                     : "barrier.arrive without a thread count");
        exec__stop(g, WF_RUN_ILLEGAL);
        return;
    }
    struct bar *b = &c->bar[id];
    if (kind == BAR_ARRIVE && (x->bar_lanes[id] & mask))
        misuse(w, s, mask, WF_F_BARRIER_MISUSE, "a warp arrives twice at one barrier before it completes");
    note_arrival(w, b, s, mask, count, kind);
    x->bar_lanes[id] |= mask;
    b->red_count += wf_popcount32(pred & mask);
    b->red_and &= (pred & mask) == mask;
    b->red_or |= (pred & mask) != 0;
    struct wf_path p = {.pc = pc, .mask = mask, .frame = w->cur, .site = site, .yields = x->turn - 1};
    if (kind == BAR_ARRIVE) {
        if (g->ev && g->ev->bar_arrive)
            g->ev->bar_arrive(g->ev->arg, &x->ev, s, id, b->instance, mask);
    } else {
        p.state = WF_PATH_BAR;
        p.want = id | kind << 8;
        p.count = count;
        x->wait_lanes[id] |= mask;
    }
    exec__add_path(w, p);
    try_arrive(w, id);
}

uint64_t wf_x_bar(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, uint32_t id, uint32_t count, uint32_t kind,
                  uint32_t pred)
{
    exec__bar_arrive(w, pc, mask, site, id, count, kind, pred);
    return exec__next(w);
}

uint64_t wf_x_bar_each(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, const uint32_t *ids,
                       const uint32_t *counts, uint32_t kind, uint32_t pred)
{
    while (mask) {
        unsigned first = wf_ctz32(mask);
        uint32_t same = 0, count = counts ? counts[first] : 0;
        WF_EACH_LANE(mask, lane)
            if (ids[lane] == ids[first] && (!counts || counts[lane] == count))
                same |= 1u << lane;
        mask &= ~same;
        exec__bar_arrive(w, pc, same, site, ids[first], count, kind, pred);
    }
    return exec__next(w);
}

// Lanes of w have exited: barriers that waited for them only go on.
void exec__bar_exit(struct wf_warp *w)
{
    struct cta *c = cta_of(w);
    for (uint32_t id = 0; id < N_BARRIERS; id++) {
        if (!c->bar[id].first)
            continue;
        if (w->live)
            try_arrive(w, id);
        try_complete(c, id);
    }
}

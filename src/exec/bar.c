// SPDX-License-Identifier: Apache-2.0
// CTA barriers (PTX ISA 9.7.13.1). A path that waits is parked; its warp arrives when all its live
// lanes have come to the barrier with that id; the barrier completes when the expected warps have
// arrived, exited ones not counting. What was wrong with how they met becomes a finding.

#include <string.h> // memset

#include "core/loc.h"
#include "exec/exec_priv.h"

struct arrival {
    struct wf_warp *w;
    const struct wf_site *s;
    uint32_t mask, id, count, kind, pred;
};

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
    exec__follows_race(g, s, s2, &f);
    if (w2 && !s2 && w2->exit_loc)
        f.party[f.n_parties - 1].loc = exec__loc(g->code->prog, w2->exit_loc, 0, g->launch->kernel);
    wf_finding_add(&f);
}

static void name_op(char op[64], uint32_t id, uint32_t count, uint32_t kind)
{
    static const char *const name[] = {"bar.sync", "bar.arrive", "bar.red.popc", "bar.red.and", "bar.red.or"};
    if (!id && !count && kind == BAR_SYNC)
        snprintf(op, 64, "__syncthreads()");
    else if (count)
        snprintf(op, 64, "%s %u, %u", name[kind], id, count);
    else
        snprintf(op, 64, "%s %u", name[kind], id);
}

// One comes to a barrier as it must not; b: its other party, who came before, or NULL.
static void misuse(const struct arrival *a, const struct bar *b, enum wf_finding_kind kind, const char *sentence, const char *fix)
{
    struct grid *g = grid_of(a->w);
    char op[64];
    struct wf_finding f = wf_finding_make(kind, g->launch->kernel, g->launch->id);
    name_op(op, a->id, a->count, a->kind);
    exec__party(&f, WF_PARTY_ACCESS, a->w, a->s, a->mask, op);
    if (b) {
        name_op(op, a->id, b->expected, b->kind);
        exec__party(&f, WF_PARTY_ACCESS, &cta_of(a->w)->warps[b->first_warp], b->first, b->first_lanes, op);
    }
    snprintf(f.sentence, sizeof f.sentence, "%s", sentence);
    snprintf(f.fix, sizeof f.fix, "%s", fix);
    wf_finding_add(&f);
}

// The warp stands for two at one barrier: it came by with .arrive, and comes again before the others did.
static void twice(const struct arrival *a, const struct wf_site *before)
{
    struct grid *g = grid_of(a->w);
    char op[64];
    struct wf_finding f = wf_finding_make(WF_F_BARRIER_MISUSE, g->launch->kernel, g->launch->id);
    name_op(op, a->id, a->count, a->kind);
    exec__party(&f, WF_PARTY_ACCESS, a->w, a->s, a->mask, op);
    name_op(op, a->id, a->count, BAR_ARRIVE);
    exec__party(&f, WF_PARTY_ACCESS, a->w, before, a->mask, op);
    snprintf(f.sentence, sizeof f.sentence, "a warp comes to barrier %u twice before the others have come once", a->id);
    snprintf(f.why, sizeof f.why, "bar.arrive does not wait: nothing keeps this warp from running ahead by a whole round");
    snprintf(f.fix, sizeof f.fix, "let it wait for the other side first, at a second barrier that says that the buffer is free again");
    wf_finding_add(&f);
}

static void arrive(const struct arrival *a, struct wf_frame *frame, uint32_t pc, uint32_t site);

// Those that had come a second time come now.
static void arrive_late(struct cta *c, uint32_t id)
{
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        struct wf_warp *w = &c->warps[i];
        for (uint32_t k = w->n_paths; k-- > 0;) {
            struct wf_path p = w->path[k];
            if (p.state != WF_PATH_BAR || (p.want & 0xff) != id || !(p.want >> 8 & BAR_LATE))
                continue;
            w->path[k] = w->path[--w->n_paths];
            struct arrival a = {w, p.frame->code->sites[p.site], p.mask, id, p.count, p.want >> 8 & 7u, 0};
            arrive(&a, p.frame, p.pc, p.site);
            k = w->n_paths;
        }
        exec__refresh(w);
    }
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
                     c->x[i].returned & gone || (c->warps[i].is_return && !c->warps[i].live)
                         ? "let all threads reach the barrier: replace the early return by a condition around the work"
                         : "let all threads reach the barrier: take it out of the branch, or let the loop run equally often for "
                           "all, and put only the work under the condition");
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
            if (p.state != WF_PATH_BAR || (p.want & 0xff) != id || p.want >> 8 & BAR_LATE)
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
    if (is_progress) { // else all go on waiting
        c->moved = true;
        atomic_fetch_add_explicit(&c->grid->progress, 1, memory_order_relaxed);
    }
    arrive_late(c, id);
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

// Lanes come to a barrier; what is wrong with it is told.
static void note_arrival(const struct arrival *a, struct bar *b)
{
    static const char fix_count[] = "give the same count to all who meet: all of them together, those that only arrive too";
    struct cta *c = cta_of(a->w);
    if (!b->first) {
        b->first = a->s;
        b->first_warp = a->w->index;
        b->first_lanes = a->mask;
        b->kind = a->kind;
        b->expected = a->count;
        b->red_and = 1;
    } else if (!b->is_mixed) {
        if (a->s->is_aligned && b->first->is_aligned && !b->expected && !a->count && !same_line(a->s, b->first)) {
            b->is_mixed = true;
            c->ev.is_mixed_up = true;
            diverged(&c->warps[b->first_warp], b->first, b->first_lanes, a->w, a->s, a->mask,
                     "threads of one block wait at different barriers, which pair up by accident",
                     "move the barrier out of the branch, so that all threads meet the same one");
        } else if (b->expected != a->count) {
            b->is_mixed = true;
            misuse(a, b, WF_F_BARRIER_COUNT, "threads meet at one barrier with different counts", fix_count);
        } else if ((b->kind >= BAR_POPC) != (a->kind >= BAR_POPC)) {
            b->is_mixed = true;
            misuse(a, b, WF_F_BARRIER_MISUSE, "barrier.red is mixed with barrier.sync or .arrive on one barrier",
                   "let all who meet use the same form, or two barriers");
        }
    }
    b->last = a->s;
}

static void arrive(const struct arrival *a, struct wf_frame *frame, uint32_t pc, uint32_t site)
{
    struct wf_warp *w = a->w;
    struct xwarp *x = x_of(w);
    struct grid *g = grid_of(w);
    struct bar *b = &cta_of(w)->bar[a->id];
    struct wf_path p = {.pc = pc, .mask = a->mask, .frame = frame, .site = site, .yields = x->turn - 1};
    if (x->bar_lanes[a->id] & a->mask) { // the run goes on as if it had waited
        twice(a, x->bar_site[a->id]);
        p.state = WF_PATH_BAR;
        p.want = a->id | (a->kind | BAR_LATE) << 8;
        p.count = a->count;
        exec__add_path(w, p);
        return;
    }
    note_arrival(a, b);
    x->bar_lanes[a->id] |= a->mask;
    x->bar_site[a->id] = a->s;
    b->red_count += wf_popcount32(a->pred & a->mask);
    b->red_and &= (a->pred & a->mask) == a->mask;
    b->red_or |= (a->pred & a->mask) != 0;
    if (a->kind == BAR_ARRIVE) {
        if (g->ev && g->ev->bar_arrive)
            g->ev->bar_arrive(g->ev->arg, &x->ev, a->s, a->id, b->instance, a->mask);
    } else {
        p.state = WF_PATH_BAR;
        p.want = a->id | a->kind << 8;
        p.count = a->count;
        x->wait_lanes[a->id] |= a->mask;
    }
    exec__add_path(w, p);
    try_arrive(w, a->id);
}

void exec__bar_arrive(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, uint32_t id, uint32_t count, uint32_t kind,
                      uint32_t pred)
{
    struct arrival a = {w, site_of(w, site), mask, id, count, kind, pred};
    if (id >= N_BARRIERS || count % 32 || (kind == BAR_ARRIVE && !count)) {
        misuse(&a, NULL, WF_F_BARRIER_COUNT,
               id >= N_BARRIERS ? "barrier id above 15" : count % 32 ? "the thread count of a barrier is no multiple of 32"
                                                                     : "barrier.arrive without a thread count",
               "use an id from 0 to 15 and a count that is a multiple of 32, the same for all who meet");
        exec__stop(grid_of(w), WF_RUN_ILLEGAL);
        return;
    }
    arrive(&a, w->cur, pc, site);
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

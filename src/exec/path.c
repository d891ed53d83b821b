// SPDX-License-Identifier: Apache-2.0
// The paths of a warp. The running one lives in compiled code; the others are parked here with their
// registers in the frame. The lowest pc of the deepest frame runs first, so lanes that split meet
// again at the join; two paths at one pc merge when the registers kept as one value agree.

#include <string.h> // memcmp

#include "exec/exec_priv.h"

static const struct wf_code_pc *pc_of(const struct wf_path *p)
{
    return &p->frame->code->pcs[p->pc & ~WF_PC_RELEASED];
}

// The value a lane has in a slot, without the part that depends on the lane.
static uint64_t base_value(const struct wf_frame *f, const struct wf_uniform_slot *s, unsigned lane)
{
    const uint8_t *p = f->regs + s->slot;
    uint64_t v = 0;
    if (s->bytes == 1) {
        uint32_t w;
        memcpy(&w, p, 4);
        return (w >> lane) & 1;
    }
    unsigned n = s->bytes > 8 ? 8 : s->bytes;
    memcpy(&v, p + (size_t)lane * s->bytes, n);
    v -= (uint64_t)s->stride * lane;
    return n < 8 ? v & ((UINT64_C(1) << (8 * n)) - 1) : v;
}

// Do the registers that are kept as one value agree? (Both paths stand at one pc of one frame.)
bool exec__may_join(const struct wf_path *a, const struct wf_path *b)
{
    const struct wf_code_pc *pc = pc_of(a);
    unsigned la = wf_ctz32(a->mask), lb = wf_ctz32(b->mask);
    for (uint32_t i = 0; i < pc->n_slots; i++)
        if (base_value(a->frame, &pc->slots[i], la) != base_value(b->frame, &pc->slots[i], lb))
            return false;
    return true;
}

static bool may_merge(const struct wf_path *a, const struct wf_path *b)
{
    if (a->pc != b->pc || a->frame != b->frame || a->state != b->state || a->state != WF_PATH_READY)
        return false;
    if (a->pc & WF_PC_RELEASED)
        return false; // each takes its own values from the exchange
    return exec__may_join(a, b);
}

static void drop(struct wf_warp *w, uint32_t i)
{
    w->path[i] = w->path[--w->n_paths];
}

void exec__add_path(struct wf_warp *w, struct wf_path p)
{
    for (uint32_t i = 0; i < w->n_paths; i++)
        if (may_merge(&w->path[i], &p)) {
            w->path[i].mask |= p.mask;
            if (w->path[i].yields > p.yields)
                w->path[i].yields = p.yields;
            return;
        }
    WF_ASSERT(w->n_paths < WF_MAX_PATHS);
    w->path[w->n_paths++] = p;
}

static bool is_runnable(struct wf_warp *w, const struct wf_path *p)
{
    return p->state == WF_PATH_READY && p->yields != x_of(w)->turn;
}

void exec__refresh(struct wf_warp *w)
{
    w->min_pc = UINT32_MAX;
    for (uint32_t i = 0; i < w->n_paths; i++) {
        const struct wf_path *p = &w->path[i];
        uint32_t pc = p->pc & ~WF_PC_RELEASED;
        if (is_runnable(w, p) && p->frame == w->cur && pc < w->min_pc)
            w->min_pc = pc;
    }
}

static bool before(const struct wf_path *a, const struct wf_path *b)
{
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return (a->pc & ~WF_PC_RELEASED) < (b->pc & ~WF_PC_RELEASED);
}

// Which path runs now: pc << 32 | mask, or stop. A path of another frame makes compiled code return
// first, since it is another function.
uint64_t exec__next(struct wf_warp *w)
{
    struct xwarp *x = x_of(w);
    uint32_t best = UINT32_MAX;
    if (!atomic_load_explicit(&grid_of(w)->cancel, memory_order_relaxed))
        for (uint32_t i = 0; i < w->n_paths; i++)
            if (is_runnable(w, &w->path[i]) && (best == UINT32_MAX || before(&w->path[i], &w->path[best])))
                best = i;
    if (best != UINT32_MAX && grid_of(w)->order.is_on)
        best = exec__order_path(w, best, is_runnable);
    if (best == UINT32_MAX) {
        w->min_pc = UINT32_MAX;
        return (uint64_t)WF_PC_STOP << 32;
    }
    struct wf_path p = w->path[best];
    drop(w, best);
    if (p.snap) {
        memcpy(w->xchg, p.snap, sizeof w->xchg);
        free(p.snap);
        p.snap = NULL;
    }
    if (p.frame != w->cur || x->left_frame) {
        x->left_frame = false;
        x->pending = p;
        x->again = true;
        return (uint64_t)WF_PC_STOP << 32;
    }
    exec__refresh(w);
    return (uint64_t)p.pc << 32 | p.mask;
}

// ---- called by compiled code ----

void wf_x_park(struct wf_warp *w, uint32_t pc, uint32_t mask)
{
    exec__add_path(w, (struct wf_path){.pc = pc, .mask = mask, .frame = w->cur, .yields = x_of(w)->turn - 1});
    if (pc < w->min_pc)
        w->min_pc = pc;
}

// A region leaves the warp to the scheduler: the path that would be next is parked.
void wf_x_bail(struct wf_warp *w, uint64_t next)
{
    struct xwarp *x = x_of(w);
    if (x->again) {
        x->again = false;
        exec__add_path(w, x->pending);
    } else if (next >> 32 != WF_PC_STOP) {
        exec__add_path(w, (struct wf_path){.pc = (uint32_t)(next >> 32), .mask = (uint32_t)next, .frame = w->cur,
                                           .yields = x->turn - 1});
    }
}

uint64_t wf_x_next(struct wf_warp *w)
{
    return exec__next(w);
}

uint64_t wf_x_meet(struct wf_warp *w, uint32_t pc, uint32_t mask)
{
    exec__add_path(w, (struct wf_path){.pc = pc, .mask = mask, .frame = w->cur, .yields = x_of(w)->turn - 1});
    return exec__next(w);
}

static uint64_t state_hash(const struct wf_path *p)
{
    const struct wf_code_pc *pc = pc_of(p);
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ p->mask;
    for (uint32_t i = 0; i < pc->n_live; i++) {
        const uint8_t *at = p->frame->regs + pc->live_slots[2 * i];
        uint32_t bytes = pc->live_slots[2 * i + 1], each = bytes / 32;
        if (!each) { // predicates: one word
            uint32_t v;
            memcpy(&v, at, 4);
            h = (h ^ (v & p->mask)) * UINT64_C(0x100000001b3);
            continue;
        }
        WF_EACH_LANE(p->mask, lane)
            for (uint32_t k = 0; k < each; k += 4) {
                uint32_t v = 0;
                memcpy(&v, at + (size_t)lane * each + k, each - k < 4 ? each - k : 4);
                h = (h ^ v) * UINT64_C(0x100000001b3);
                h ^= h >> 31;
            }
    }
    return h;
}

// A place within a loop that waits for memory.
static bool is_waiting_loop(const struct wf_path *p)
{
    const struct wf_code_pc *at = pc_of(p);
    return at->is_poll || (at->in_cycle && at->scc && p->frame->code->pcs[at->scc - 1].is_poll);
}

// Did the lanes of the path come by here with other registers than last time?
void exec__note_visit(struct wf_warp *w, const struct wf_path *p)
{
    struct xwarp *x = x_of(w);
    uint64_t h = state_hash(p);
    unsigned lane = wf_ctz32(p->mask);
    uint32_t *pc = x->spin_pc[lane], at = 0;
    while (at < SPIN_PLACES && pc[at] != p->pc + 1)
        at++;
    bool is_new = at == SPIN_PLACES;
    if (is_new)
        at = x->spin_next[lane]++ % SPIN_PLACES;
    uint64_t *last = &x->spin_hash[lane][at];
    if (is_new || (*last != h && !is_waiting_loop(p)))
        exec__progress(w);
    else if (*last != h)
        cta_of(w)->changed = true; // moves in circles, but not in the same one
    pc[at] = p->pc + 1;
    *last = h;
}

// A path gives way at a loop header. It has made progress unless it comes by with the same registers as last
// time, or is in a loop that waits for memory.
uint64_t wf_x_yield(struct wf_warp *w, uint32_t pc, uint32_t mask)
{
    struct xwarp *x = x_of(w);
    struct wf_path p = {.pc = pc, .mask = mask, .frame = w->cur, .yields = x->turn, .count = 0};
    if (!grid_of(w)->order.is_on) {
        exec__note_visit(w, &p);
    } else { // lanes that wait part and meet again: each for itself
        WF_EACH_LANE(mask, lane) {
            struct wf_path one = p;
            one.mask = 1u << lane;
            exec__note_visit(w, &one);
        }
    }
    exec__add_path(w, p);
    cta_of(w)->b.clock += 1000;
    return exec__next(w);
}

void exec__lanes_end(struct wf_warp *w, uint32_t mask)
{
    struct xwarp *x = x_of(w);
    const struct wf_events *ev = grid_of(w)->ev;
    if (ev && ev->lanes_exit)
        ev->lanes_exit(ev->arg, &x->ev, mask);
    w->live &= ~mask;
    exec__progress(w);
    exec__warp_exit(w);
    exec__bar_exit(w);
    exec__cluster_exit(w, mask);
}

uint64_t wf_x_exit(struct wf_warp *w, uint32_t mask)
{
    if (w->is_return)
        x_of(w)->returned |= mask;
    exec__lanes_end(w, mask);
    for (struct wf_frame *f = w->cur; f; f = f->parent) // exit inside a called function leaves all frames
        f->lanes &= ~mask;
    return exec__next(w);
}

uint64_t wf_x_trap(struct wf_warp *w, uint32_t loc, uint32_t mask)
{
    struct grid *g = grid_of(w);
    const struct ir_program *p = g->code->prog;
    struct wf_finding f = wf_finding_make(WF_F_TRAP, g->launch->kernel, g->launch->id);
    struct wf_party *q = wf_finding_party(&f, WF_PARTY_NOTE, exec__loc(p, loc, 0, g->launch->kernel));
    q->has_block = q->has_thread = true;
    memcpy(q->block, w->block->ctaid, sizeof q->block);
    exec__thread_of(w, wf_ctz32(mask), q->thread);
    q->lanes = mask;
    q->warp = w->index;
    snprintf(q->op, sizeof q->op, "trap");
    bool grid_sync = !g->launch->is_cooperative && !g->ctx.envreg1 && !g->ctx.envreg2 && exec__reads_envreg(p);
    if (grid_sync) { // cooperative groups trap when their workspace pointer is null
        f.kind = WF_F_LAUNCH_CONFIG;
        snprintf(f.sentence, sizeof f.sentence, "grid synchronization in a kernel that was not launched cooperatively");
        snprintf(f.fix, sizeof f.fix, "launch it with cudaLaunchCooperativeKernel");
    } else {
        snprintf(f.sentence, sizeof f.sentence, "the kernel executed a trap instruction");
        snprintf(f.fix, sizeof f.fix, "find out why this code was reached: __trap() or a failed device-side check");
    }
    wf_finding_add(&f);
    exec__stop(g, WF_RUN_TRAP);
    return exec__next(w);
}

uint64_t wf_x_dead_loop(struct wf_warp *w, uint32_t pc, uint32_t mask)
{
    struct grid *g = grid_of(w);
    const struct ir_program *p = g->code->prog;
    struct wf_finding f = wf_finding_make(WF_F_SPIN_HOISTED, g->launch->kernel, g->launch->id);
    struct wf_party *q = wf_finding_party(&f, WF_PARTY_WAITER,
                                          exec__loc(p, w->cur->code->pcs[pc].loc, 0, g->launch->kernel));
    q->has_block = q->has_thread = true;
    memcpy(q->block, w->block->ctaid, sizeof q->block);
    exec__thread_of(w, wf_ctz32(mask), q->thread);
    q->lanes = mask;
    q->warp = w->index;
    snprintf(q->op, sizeof q->op, "endless loop");
    snprintf(f.sentence, sizeof f.sentence, "a loop that nothing can end: its condition was read once, before the loop");
    snprintf(f.why, sizeof f.why, "the flag is read by a plain load, which the compiler may move out of the loop");
    snprintf(f.fix, sizeof f.fix, "read the flag with cuda::atomic_ref (memory_order_acquire) or through volatile and a fence");
    wf_finding_add(&f);
    exec__stop(g, WF_RUN_HANG);
    return exec__next(w);
}

// SPDX-License-Identifier: Apache-2.0
// Blocks: their memory, made once a worker and reused; the start of their warps; one visit that lets
// every warp run until it stops.

#include <string.h> // memset

#include "exec/exec_priv.h"

#define MAX_WARPS 32 // of a block: 1024 threads

static uint64_t round_up(uint64_t x, uint64_t to)
{
    return (x + to - 1) & ~(to - 1);
}

static void *aligned(size_t bytes)
{
    void *p = aligned_alloc(4096, round_up(bytes ? bytes : 1, 4096));
    if (!p)
        abort();
    return p;
}

static void reset_warp(struct cta *c, uint32_t i);

static struct cta *make(struct grid *g)
{
    struct cta *c = wf_xcalloc(1, sizeof *c);
    uint32_t n = g->ctx.n_warps;
    uint64_t frame = round_up(g->code->code[0].frame_bytes, 64), local = 0;
    for (uint32_t i = 0; i < g->code->prog->n_funcs; i++)
        if (g->code->code[i].local_bytes > local)
            local = g->code->code[i].local_bytes;
    // A stack for frames of real calls and for alloca behind the fixed part.
    local = round_up(local + (g->code->prog->n_funcs > 1 ? 65536 : g->code->prog->funcs[0]->has_alloca ? 16384 : 0), 16);
    c->grid = g;
    c->linear = UINT64_MAX - 1;
    c->warps = aligned(n * sizeof *c->warps);
    c->x = aligned(n * sizeof *c->x);
    memset(c->x, 0, n * sizeof *c->x);
    c->frames = aligned(n * frame);
    memset(c->frames, 0, n * frame);
    c->b = (struct wf_block){.grid = &g->ctx, .warps = c->warps, .n_warps = n, .exec = c, .ev = &c->ev};
    c->b.local_warp_bytes = local * 32;
    c->b.local = local ? aligned(local * 32 * n) : NULL;
    c->b.shared = aligned(g->shared_alloc);
    memset(c->b.shared, 0, g->shared_alloc);
    static _Atomic uint32_t slots;
    c->ev.slot = atomic_fetch_add(&slots, 1);
    c->ev.shared = c->b.shared;
    for (uint32_t i = 0; i < n; i++) {
        struct wf_warp *w = &c->warps[i];
        memset(w, 0, sizeof *w);
        w->block = &c->b;
        w->index = i;
        w->exec = &c->x[i];
        w->frame = c->frames + i * frame;
        c->x[i].top = (struct wf_frame){.code = &g->code->code[0], .regs = w->frame};
        c->x[i].ev = (struct wf_ev_warp){.block = &c->ev, .index = i};
        w->ev = &c->x[i].ev;
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t t = i * 32 + lane;
            if (t >= g->ctx.n_threads)
                continue;
            w->existing |= 1u << lane;
            w->tid[0][lane] = t % g->ctx.ntid[0];
            w->tid[1][lane] = t / g->ctx.ntid[0] % g->ctx.ntid[1];
            w->tid[2][lane] = t / g->ctx.ntid[0] / g->ctx.ntid[1];
        }
        for (int d = 0; d < 3; d++)
            w->tid0[d] = w->tid[d][0];
        c->x[i].ev.existing = w->existing;
        reset_warp(c, i);
    }
    return c;
}

// What the scheduler of single warps needs; the fast path does without.
static void reset_warp(struct cta *c, uint32_t i)
{
    struct wf_warp *w = &c->warps[i];
    struct xwarp *x = &c->x[i];
    w->min_pc = UINT32_MAX;
    w->cur = &x->top;
    w->frame = x->top.regs;
    x->top.lanes = w->live;
    x->turn = 1;
    x->again = x->left_frame = false;
    memset(x->bar_lanes, 0, sizeof x->bar_lanes);
    memset(x->wait_lanes, 0, sizeof x->wait_lanes);
    memset(x->counted, 0, sizeof x->counted);
    memset(x->spin_pc, 0, sizeof x->spin_pc);
    memset(x->stack_top, 0, sizeof x->stack_top);
    x->cluster_arrived = x->returned = 0;
    w->n_paths = 0;
}

static void start_warp(struct cta *c, uint32_t i)
{
    struct wf_warp *w = &c->warps[i];
    w->live = w->existing;
    if (c->is_used) { // the last block needed more than the fast path
        reset_warp(c, i);
    }
}

static void position(struct cta *c, uint64_t linear)
{
    const struct wf_grid_ctx *g = &c->grid->ctx;
    struct wf_block *b = &c->b;
    if (linear == c->linear + 1 && b->ctaid[0] + 1 < g->nctaid[0]) { // the usual case: the next one in the row
        b->ctaid[0]++;
    } else {
        b->ctaid[0] = (uint32_t)(linear % g->nctaid[0]);
        b->ctaid[1] = (uint32_t)(linear / g->nctaid[0] % g->nctaid[1]);
        b->ctaid[2] = (uint32_t)(linear / g->nctaid[0] / g->nctaid[1]);
    }
    c->linear = linear;
    if (!g->is_cluster) { // each block is a cluster of its own
        memcpy(b->clusterid, b->ctaid, sizeof b->clusterid);
        memcpy(b->nclusterid, g->nctaid, sizeof b->nclusterid);
        b->n_ranks = 1;
        c->ev.cluster = linear;
        return;
    }
    for (int d = 0; d < 3; d++) {
        b->clusterid[d] = b->ctaid[d] / g->cluster[d];
        b->cluster_ctaid[d] = b->ctaid[d] % g->cluster[d];
        b->nclusterid[d] = g->nctaid[d] / g->cluster[d];
    }
    b->rank = b->cluster_ctaid[0] + g->cluster[0] * (b->cluster_ctaid[1] + g->cluster[1] * b->cluster_ctaid[2]);
    b->n_ranks = g->cluster[3];
    c->ev.cluster = b->clusterid[0] + (uint64_t)b->nclusterid[0] * (b->clusterid[1] + (uint64_t)b->nclusterid[1] * b->clusterid[2]);
}

struct cta *exec__cta_get(struct grid *g, uint64_t linear, struct cta **pool)
{
    struct cta *c = *pool;
    if (c)
        *pool = c->next_free;
    else
        c = make(g);
    c->cluster = NULL;
    c->b.peers = NULL;
    c->moved = c->changed = false;
    c->exits_told = c->ev.is_mixed_up = false;
    position(c, linear);
    for (uint32_t i = 0; i < N_BARRIERS && c->is_used; i++)
        c->bar[i] = (struct bar){.red_and = 1};
    if (g->ctx.shared_bytes > g->ctx.reserved_offset) // cooperative groups expect zero there
        memset(c->b.shared + g->ctx.reserved_offset, 0, g->ctx.shared_bytes - g->ctx.reserved_offset);
    c->ev.grid = &g->evg;
    c->ev.index = linear;
    c->ev.rank = c->b.rank;
    if (g->ev && g->ev->block_begin)
        g->ev->block_begin(g->ev->arg, &c->ev);
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        start_warp(c, i);
        if (g->ev && g->ev->warp_begin)
            g->ev->warp_begin(g->ev->arg, &c->x[i].ev);
    }
    c->is_used = false;
    c->is_fast = true;
    c->fast_pc = c->n_still = 0;
    if (!g->code->code[0].regions[0] || g->order.is_on)
        exec__leave_fast(c);
    return c;
}

// The next block in the place of one that ended without ever needing more than regions. False: take another.
bool exec__cta_again(struct cta *c, uint64_t linear)
{
    const struct grid *g = c->grid;
    if (c->is_used || !c->is_fast || c->cluster || c->has_async || g->ev || g->order.is_on ||
        g->ctx.shared_bytes > g->ctx.reserved_offset)
        return false;
    position(c, linear);
    c->ev.index = linear;
    c->fast_pc = 0;
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        c->warps[i].live = c->warps[i].existing;
    return true;
}

// Registers that were stored once for the warp go to all its lanes.
static void spread(struct wf_warp *w, uint32_t pc)
{
    const struct wf_code_pc *p = &w->cur->code->pcs[pc];
    unsigned first = wf_ctz32(w->live);
    for (uint32_t i = 0; i < p->n_slots; i++) {
        const struct wf_uniform_slot *s = &p->slots[i];
        uint8_t *at = w->frame + s->slot;
        if (s->bytes == 1) // predicates are stored as a whole word
            continue;
        unsigned n = s->bytes > 8 ? 8 : s->bytes;
        uint64_t v = 0;
        memcpy(&v, at + (size_t)first * s->bytes, n);
        WF_EACH_LANE(w->live, lane) {
            uint64_t x = v + (uint64_t)s->stride * (lane - first);
            memcpy(at + (size_t)lane * s->bytes, &x, n);
            if (s->bytes == 16)
                memcpy(at + (size_t)lane * 16 + 8, at + (size_t)first * 16 + 8, 8);
        }
    }
}

// All warps become paths of the general scheduler, at fast_pc.
void exec__leave_fast(struct cta *c)
{
    c->is_fast = false;
    c->is_used = true;
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        struct wf_warp *w = &c->warps[i];
        if (!w->live)
            continue;
        if (c->fast_pc)
            spread(w, c->fast_pc);
        exec__add_path(w, (struct wf_path){.pc = c->fast_pc, .mask = w->live, .frame = &c->x[i].top});
        exec__refresh(w);
    }
}

// Warps stopped in different ways: each goes where the general scheduler would have it.
static void sort_out(struct cta *c)
{
    const struct wf_code *code = &c->grid->code->code[0];
    c->is_fast = false;
    c->is_used = true;
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        struct wf_warp *w = &c->warps[i];
        uint32_t s = w->stop_at;
        if (s == WF_STOP_BAIL || s == WF_STOP_EXIT || !w->live)
            continue;
        const struct wf_code_sync *y = &code->syncs[s];
        spread(w, y->resume);
        exec__bar_arrive(w, y->resume, w->live, y->site, y->id, 0, y->kind, w->stop_pred);
    }
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        struct wf_warp *w = &c->warps[i];
        if (w->stop_at == WF_STOP_EXIT && w->stop_pred) {
            uint32_t lanes = w->stop_pred;
            w->stop_pred = 0;
            exec__lanes_end(w, lanes);
        }
        exec__refresh(w);
    }
}

// All live warps stand at one plain barrier: it completes.
static void pass_barrier(struct cta *c, const struct wf_code_sync *y)
{
    const struct wf_events *ev = c->grid->ev;
    struct bar *b = &c->bar[y->id];
    if (y->kind) {
        uint32_t count = 0, all = 1, any = 0;
        for (uint32_t i = 0; i < c->b.n_warps; i++) {
            const struct wf_warp *w = &c->warps[i];
            uint32_t p = w->stop_pred & w->live;
            count += wf_popcount32(p);
            all &= p == w->live;
            any |= p != 0;
        }
        for (uint32_t i = 0; i < c->b.n_warps; i++)
            for (unsigned lane = 0; lane < 32; lane++)
                c->warps[i].bar_result[lane] = y->kind == BAR_POPC ? count : y->kind == BAR_AND ? all : any;
    }
    if (ev && ev->bar_complete) {
        uint32_t lanes[64];
        for (uint32_t i = 0; i < c->b.n_warps; i++)
            lanes[i] = c->warps[i].live;
        struct wf_ev_barrier e = {.site = c->grid->code->code[0].sites[y->site], .block = &c->ev, .id = y->id,
                                  .instance = b->instance, .arrived = lanes, .waited = lanes};
        ev->bar_complete(ev->arg, &e);
    }
    b->instance++;
    c->fast_pc = y->resume;
}

#define PASSES_A_VISIT 256 // returns of regions
#define PATIENT_PASSES 2   // the same in a loop that waits; each may stand for many barriers

enum fast { FAST_DONE, FAST_PAUSED, FAST_LEFT }; // left: the general scheduler goes on

static enum fast run_fast(struct cta *c)
{
    const struct wf_code *code = &c->grid->code->code[0];
    // The block may wait for another one in a loop with barriers: after some of them that one gets its turn.
    for (uint32_t n = 0; !atomic_load_explicit(&c->grid->cancel, memory_order_relaxed); n++) {
        if (n == PASSES_A_VISIT)
            return FAST_PAUSED;
        wf_region_fn fn = code->regions[c->fast_pc];
        if (!fn) {
            exec__leave_fast(c);
            return FAST_LEFT;
        }
        c->b.enter = c->fast_pc;
        uint32_t stop = fn(&c->b);
        c->b.clock += 100;
        c->moved = true;
        if (stop == WF_STOP_EXIT) {
            const struct wf_events *ev = c->grid->ev;
            for (uint32_t i = 0; i < c->b.n_warps && ev && ev->lanes_exit; i++)
                if (c->warps[i].stop_pred)
                    ev->lanes_exit(ev->arg, &c->x[i].ev, c->warps[i].stop_pred);
            return FAST_DONE;
        }
        if (stop >= WF_STOP_EXIT) {
            sort_out(c);
            return FAST_LEFT;
        }
        pass_barrier(c, &code->syncs[stop]);
        c->n_still = code->pcs[c->fast_pc].is_still ? c->n_still + 1 : 0;
        if (c->n_still > PATIENT_PASSES) { // the general scheduler tells whether this is a hang
            exec__leave_fast(c);
            c->moved = false;
            return FAST_LEFT;
        }
    }
    return FAST_DONE;
}

// After a visit: do all live warps stand at one place again?
static void try_fast(struct cta *c)
{
    uint32_t pc = UINT32_MAX;
    if (c->grid->order.is_on)
        return;
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        const struct wf_warp *w = &c->warps[i];
        if (w->live != w->existing) // barriers that exited threads miss are for the general scheduler
            return;
        const struct wf_path *p = &w->path[0];
        if (w->n_paths != 1 || p->state != WF_PATH_READY || p->mask != w->live || p->frame != &c->x[i].top ||
            (p->pc & WF_PC_RELEASED) || (pc != UINT32_MAX && p->pc != pc))
            return;
        pc = p->pc;
    }
    if (pc == UINT32_MAX || pc == 0 || !c->grid->code->code[0].regions[pc] || c->grid->code->code[0].pcs[pc].is_still)
        return;
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        c->warps[i].n_paths = 0;
        c->warps[i].stop_pred = 0;
    }
    c->is_fast = true;
    c->fast_pc = pc;
}

static void drop_frames(struct wf_warp *w)
{
    for (uint32_t i = 0; i < w->n_paths; i++)
        free(w->path[i].snap);
    w->n_paths = 0; // frames of cancelled calls are left to the end of the process
}

// Where the block's threads left the kernel: of interest to peers that use its shared memory.
static const struct wf_loc *end_of(struct cta *c)
{
    struct grid *g = c->grid;
    uint32_t id = 0;
    for (uint32_t i = 0; i < c->b.n_warps && !id; i++)
        id = c->warps[i].end_loc;
    if (id && id != g->end_id) {
        g->end = exec__loc(g->code->prog, id, 0, g->launch->kernel);
        g->end_id = id;
    }
    return id ? g->end : NULL;
}

void exec__cta_put(struct cta *c, struct cta **pool)
{
    struct grid *g = c->grid;
    for (uint32_t i = 0; i < c->b.n_warps && c->is_used; i++)
        drop_frames(&c->warps[i]);
    if (c->has_async)
        exec__async_drop(c);
    c->has_async = false;
    c->ev.end = g->ev && g->cluster_size > 1 ? end_of(c) : NULL;
    if (g->ev && g->ev->block_end)
        g->ev->block_end(g->ev->arg, &c->ev);
    c->next_free = *pool;
    *pool = c;
}

void exec__cta_free(struct cta *pool)
{
    while (pool) {
        struct cta *next = pool->next_free;
        exec__async_fini(pool);
        free(pool->b.shared);
        free(pool->b.local);
        free(pool->frames);
        free(pool->x);
        free(pool->warps);
        wf_map_fini(&pool->mbars);
        free(pool);
        pool = next;
    }
}

static bool has_ready(const struct wf_warp *w)
{
    for (uint32_t i = 0; i < w->n_paths; i++)
        if (w->path[i].state == WF_PATH_READY)
            return true;
    return false;
}

// The function of a frame; the first split or waiting warp of a kernel has it compiled.
static wf_code_fn function_of(struct wf_warp *w, const struct wf_path *p)
{
    struct grid *g = grid_of(w);
    struct wf_err err = {0};
    wf_code_fn fn = atomic_load_explicit(&p->frame->code->fn, memory_order_acquire);
    if (fn || !jit_code_fn(p->frame->code, &fn, &err))
        return fn;
    pthread_mutex_lock(&g->lock);
    if (!g->err.code)
        g->err = err;
    pthread_mutex_unlock(&g->lock);
    exec__stop(g, WF_RUN_UNSUPPORTED);
    exec__add_path(w, *p);
    return NULL;
}

static void run_warp(struct wf_warp *w)
{
    struct xwarp *x = w->exec;
    struct grid *g = grid_of(w);
    x->turn++;
    if (g->order.is_on)
        exec__order_lanes(w);
    for (;;) {
        uint64_t r = exec__next(w);
        struct wf_path p;
        if (x->again) {
            p = x->pending;
            x->again = false;
        } else if (r >> 32 == WF_PC_STOP) {
            return;
        } else {
            p = (struct wf_path){.pc = (uint32_t)(r >> 32), .mask = (uint32_t)r, .frame = w->cur};
        }
        w->cur = p.frame;
        w->frame = p.frame->regs;
        w->budget = g->order.is_on ? exec__order_budget(g) : 4096;
        x->left_frame = false;
        exec__refresh(w);
        wf_code_fn fn = function_of(w, &p);
        if (!fn)
            return;
        fn(w, p.pc, p.mask);
        if (x->again) { // compiled code returned because another function is next
            exec__add_path(w, x->pending);
            x->again = false;
        }
    }
}

static void run_seeded(struct cta *c)
{
    uint32_t index[MAX_WARPS];
    bool any_naps = false, any_ran = false;
    exec__order_warps(c->grid, index, c->b.n_warps);
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        struct wf_warp *w = &c->warps[index[i]];
        if (!w->n_paths || !has_ready(w))
            continue;
        if (exec__order_naps(c, index[i])) {
            any_naps = true;
            continue;
        }
        any_ran = true;
        run_warp(w);
    }
    if (any_naps && !c->moved) // the others wait, perhaps for it
        c->nap = any_ran ? c->nap / 2 : 0;
    if (any_naps && !c->nap)
        run_warp(&c->warps[c->napper]);
}

enum visit exec__visit(struct cta *c)
{
    bool live = false;
    c->moved = c->changed = false;
    c->b.clock += 100;
    enum fast fast = c->is_fast ? run_fast(c) : FAST_LEFT;
    if (fast != FAST_LEFT)
        return fast == FAST_PAUSED || atomic_load_explicit(&c->grid->cancel, memory_order_relaxed) ? VISIT_MOVED : VISIT_DONE;
    if (c->grid->order.is_on)
        run_seeded(c);
    for (uint32_t i = 0; i < c->b.n_warps && !c->grid->order.is_on; i++)
        if (c->warps[i].n_paths && has_ready(&c->warps[i]))
            run_warp(&c->warps[i]);
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        live |= c->warps[i].live != 0;
    if (!live)
        return VISIT_DONE;
    try_fast(c);
    return c->moved ? VISIT_MOVED : VISIT_WAITS;
}

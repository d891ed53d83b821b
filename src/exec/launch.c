// SPDX-License-Identifier: Apache-2.0
// A grid from start to end: workers take blocks in ascending order and run each as far as it goes; a
// block that only waits lets the next one start, as long as the modelled GPU would hold it. When no
// worker sees anything but waiting, the grid is ended with a finding that names the waiters.

#include <sched.h>  // sched_yield
#include <string.h> // memcpy
#include <time.h>   // nanosleep

#include "base/crew.h"
#include "base/os.h"
#include "core/progress.h" // wf_progress_launch
#include "core/trouble.h" // wf_trouble_add
#include "exec/exec_priv.h"
#include "mem/fault.h"
#include "mem/outside.h"

typedef WF_VEC(struct cta *) cta_vec;

// A block that seems to work may still wait for one that has not started: the more are here, the later.
#define PATIENCE 256

struct worker {
    struct grid *g;
    struct cta *pool;
    cta_vec here; // resident blocks of this worker
    uint64_t seen;     // grid progress when this worker last moved
    uint64_t since_ns; // when it was first seen unchanged
    uint32_t quiet_rounds;
    bool is_idle; // and told so
    struct worker *all;
    _Atomic uint64_t quiet; // rounds that saw nothing but waiting, AT_REST when it has ended
    uint64_t *quiet_then;   // those of all workers when since_ns was taken
    uint32_t busy_visits; // visits that moved since this worker last started or ended a block
    uint64_t next, end; // blocks (clusters) taken and not yet started
    struct late_adds adds;
};

// Takes the next few blocks: one at a time would make the workers fight for the counter. The last ones
// are taken singly, so that nobody is left with much when the others are done.
// Blocks side by side read memory side by side: long runs of them are kind to the prefetchers.
#define MOST_TAKEN 512
#define FEW_TAKEN 64

static bool take(struct worker *k)
{
    struct grid *g = k->g;
    uint64_t n = g->n_blocks / g->cluster_size, seen = atomic_load_explicit(&g->next_block, memory_order_relaxed);
    if (seen >= n)
        return false;
    uint64_t many = (n - seen) / (8u * g->n_workers) + 1;
    many = many > MOST_TAKEN ? MOST_TAKEN : many;
    if (g->resident < many) // waiting blocks must not hold others back
        many = g->resident < FEW_TAKEN ? 1 : FEW_TAKEN;
    if (g->ev && g->n_workers == 1)
        many = 1;
    if (wf_settings()->is_check)
        wf_progress_blocks(many * g->cluster_size);
    k->next = atomic_fetch_add_explicit(&g->next_block, many, memory_order_relaxed);
    k->end = k->next + many < n ? k->next + many : n;
    atomic_fetch_add_explicit(&g->progress, 1, memory_order_relaxed);
    return k->next < k->end;
}

// Blocks start in whole clusters.
static bool start_blocks(struct worker *k)
{
    struct grid *g = k->g;
    k->busy_visits = 0;
    bool all_fit = g->n_blocks <= (uint64_t)g->resident * g->n_workers; // then nobody keeps what he took from starting
    if (!all_fit && k->here.n + g->cluster_size > g->resident)
        return false;
    if (k->next >= k->end && !take(k))
        return false;
    uint64_t i = exec__order_block(g, k->next++);
    if (g->cluster_size == 1)
        WF_PUSH(&k->here, exec__cta_get(g, i, &k->pool));
    else
        exec__cluster_start(g, i, &k->pool, exec__add_to, &k->here);
    return true;
}

void exec__add_to(void *arg, struct cta *c)
{
    cta_vec *v = arg;
    WF_PUSH(v, c);
}

static bool blocks_left(const struct grid *g)
{
    return atomic_load_explicit(&((struct grid *)g)->next_block, memory_order_relaxed) < g->n_blocks / g->cluster_size;
}

static void retire(struct worker *k, size_t i)
{
    struct cta *c = k->here.at[i];
    k->here.at[i] = k->here.at[--k->here.n];
    k->busy_visits = 0;
    if (c->cluster)
        exec__cluster_leave(c);
    exec__cta_put(c, &k->pool);
    if (k->next >= k->end) // else take() tells soon enough
        atomic_fetch_add_explicit(&k->g->progress, 1, memory_order_relaxed);
}

static _Atomic uint32_t stuck_grids; // that stand still, in all streams

static void set_stuck(struct grid *g, bool stuck)
{
    if (atomic_exchange(&g->is_stuck, stuck) != stuck)
        atomic_fetch_add(&stuck_grids, stuck ? 1u : UINT32_MAX);
}

// Nothing but waiting for a while, in all workers: true when the grid has to be ended.
#define AT_REST (UINT64_MAX / 2)

static void note_quiet(struct worker *k)
{
    for (uint32_t i = 0; i < k->g->n_workers; i++)
        k->quiet_then[i] = atomic_load(&k->all[i].quiet);
}

// Have all workers looked at all their blocks since then and seen only waiting? One that is still inside
// a block's code may be about to write what the others wait for.
static bool all_quiet(const struct worker *k)
{
    for (uint32_t i = 0; i < k->g->n_workers; i++) {
        uint64_t q = atomic_load(&((struct worker *)k)->all[i].quiet);
        if (q < AT_REST && q < k->quiet_then[i] + 2)
            return false;
    }
    return true;
}

static bool hangs(struct worker *k, bool changed, bool any_ready)
{
    struct grid *g = k->g;
    uint64_t now = wf_os_now_ns(), p = atomic_load(&g->progress);
    if (p != k->seen) {
        k->seen = p;
        k->since_ns = now;
        k->quiet_rounds = 0;
        k->is_idle = false;
        note_quiet(k);
        set_stuck(g, false);
        return false;
    }
    k->quiet_rounds++;
    uint64_t limit = (uint64_t)wf_settings()->hang_ms * 1000000u;
    if (!limit)
        limit = UINT64_C(2000000000);
    if (wf_settings()->is_check && !k->is_idle && now - k->since_ns > limit / 64 && k->quiet_rounds > 3 && all_quiet(k)) {
        k->is_idle = true; // it may wait for the host, which waits for this launch
        wf_mem_outside_idle();
    }
    // Sure: no path can run at all. Nearly sure: all that run poll with unchanged registers. Else: time.
    uint64_t wait = !any_ready ? limit / 20 : !changed ? limit / 4 : limit * 9 / 10;
    if (now - k->since_ns <= wait || k->quiet_rounds <= 3 || !all_quiet(k))
        return false;
    set_stuck(g, true);
    // Host threads and other grids may still write what is waited for.
    return !wf_mem_outside_may_write(atomic_load(&stuck_grids));
}

static bool some_ready(const struct worker *k)
{
    for (size_t i = 0; i < k->here.n; i++)
        for (uint32_t w = 0; w < k->here.at[i]->b.n_warps; w++)
            for (uint32_t p = 0; p < k->here.at[i]->warps[w].n_paths; p++)
                if (k->here.at[i]->warps[w].path[p].state == WF_PATH_READY)
                    return true;
    return false;
}

static void give_up(struct worker *k)
{
    pthread_mutex_lock(&k->g->lock);
    for (size_t i = 0; i < k->here.n; i++)
        WF_PUSH(&k->g->hung, k->here.at[i]);
    pthread_mutex_unlock(&k->g->lock);
}

// One round over the blocks under way.
static void visit_all(struct worker *k, bool *moved, bool *changed)
{
    struct grid *g = k->g;
    for (size_t i = 0; i < k->here.n;) {
        struct cta *c = k->here.at[i];
        c->b.adds = &k->adds;
        enum visit v = exec__visit(c);
        while (v == VISIT_DONE && k->next < k->end && exec__cta_again(c, exec__order_block(g, k->next))) {
            k->next++;
            k->busy_visits = 0;
            v = exec__visit(c);
        }
        *moved |= v != VISIT_WAITS;
        *changed |= c->changed;
        if (v == VISIT_DONE)
            retire(k, i);
        else if (v == VISIT_MOVED && k->here.n == 1 && !g->order.is_on && ++k->busy_visits < PATIENCE &&
                 !atomic_load_explicit(&g->cancel, memory_order_relaxed))
            continue; // alone: go on with it
        else
            i++;
    }
}

// In another order than the plain one some blocks are kept under way; more come when these seem to wait, which
// a path that gave way looks like for a moment.
static bool wants_block(const struct worker *k, bool moved)
{
    const struct order *o = &k->g->order;
    if (o->is_on)
        return k->here.n < o->eager || (!moved && k->quiet_rounds % 16 == 15);
    return !k->here.n || !moved || k->busy_visits >= PATIENCE * k->here.n;
}

// Where all blocks under way wait, as many again start: one by one, n blocks that meet at a barrier of the grid
// would be visited n * n / 2 times before the last one is there.
static bool start_some(struct worker *k, bool moved)
{
    size_t n = moved || k->g->order.is_on || k->here.n < k->g->cluster_size ? 1 : k->here.n / k->g->cluster_size;
    bool any = false;
    while (n-- && start_blocks(k))
        any = true;
    return any;
}

static void run_blocks(struct worker *k)
{
    struct grid *g = k->g;
    k->since_ns = wf_os_now_ns();
    while (!atomic_load_explicit(&g->cancel, memory_order_relaxed)) {
        bool moved = false, changed = false;
        if (g->order.is_on)
            exec__order_blocks(g, k->here.at, k->here.n);
        visit_all(k, &moved, &changed);
        if (atomic_load_explicit(&g->cancel, memory_order_relaxed))
            break;
        k->busy_visits += moved;
        if (wants_block(k, moved))
            moved |= start_some(k, moved);
        if (moved)
            continue;
        if (!k->here.n && k->next >= k->end && !blocks_left(g)) {
            atomic_store(&k->quiet, AT_REST);
            return;
        }
        atomic_fetch_add(&k->quiet, 1);
        if (hangs(k, changed, some_ready(k))) {
            exec__stop(g, WF_RUN_HANG);
            break;
        }
        if (g->n_workers > 1)
            sched_yield();
    }
    give_up(k);
}

static void work(void *arg)
{
    struct worker *k = arg;
    struct wf_mem_work before = wf_mem_fault_work((struct wf_mem_work){"running", k->g->launch->kernel});
    run_blocks(k);
    exec__make_late_adds(&k->adds);
#if defined(__x86_64__)
    if (k->g->ctx.streams)
        __builtin_ia32_sfence(); // stores past the caches (jit/ldst.c) are weakly ordered
#endif
    wf_mem_fault_work(before);
}

static uint32_t residency(const struct grid *g, const struct wf_kernel *k, const struct wf_launch *l)
{
    const struct wf_settings *s = wf_settings();
    if (s->resident_blocks)
        return s->resident_blocks;
    uint32_t regs = k->info.regs ? k->info.regs : s->regs_per_thread;
    uint32_t each = wf_gpu_blocks_per_sm(wf_gpu_default(), g->ctx.n_threads, regs, k->info.shared_static, l->dynamic_shared);
    uint64_t all = (uint64_t)(each ? each : 1) * wf_gpu_default()->sm_count;
    return all > 1u << 20 ? 1u << 20 : (uint32_t)all;
}

bool exec__reads_envreg(const struct ir_program *p)
{
    for (uint32_t f = 0; f < p->n_funcs; f++)
        for (uint32_t k = 0; k < p->funcs[f]->n_blocks; k++)
            for (uint32_t i = 0; i < p->funcs[f]->blocks[k].n_insns; i++)
                for (uint32_t s = 0; s < p->funcs[f]->blocks[k].insns[i].n_src; s++) {
                    const struct ir_src *x = &p->funcs[f]->blocks[k].insns[i].src[s];
                    if (x->kind == IR_S_SREG && x->sreg == PTX_SR_ENVREG)
                        return true;
                }
    return false;
}

static enum wf_status set_up(struct grid *g, struct wf_kernel *k, const struct wf_launch *l, struct wf_err *err)
{
    const struct wf_space *sp = wf_space_get(err);
    struct wf_grid_ctx *c = &g->ctx;
    if (!sp)
        return WF_E_NOMEM;
    c->delta = sp->delta;
    c->base = sp->base;
    c->bytes = sp->bytes;
    memcpy(c->ntid, (uint32_t[]){l->block.x, l->block.y, l->block.z, 0}, sizeof c->ntid);
    memcpy(c->nctaid, (uint32_t[]){l->grid.x, l->grid.y, l->grid.z, 0}, sizeof c->nctaid);
    uint32_t cs = l->cluster.x * l->cluster.y * l->cluster.z;
    memcpy(c->cluster, (uint32_t[]){l->cluster.x, l->cluster.y, l->cluster.z, cs}, sizeof c->cluster);
    c->is_cluster = cs > 1;
    g->cluster_size = cs ? cs : 1;
    c->n_threads = l->block.x * l->block.y * l->block.z;
    c->n_warps = (c->n_threads + 31) / 32;
    struct ir_blocks blocks = {.affine_tid = (l->block.y == 1 && l->block.z == 1) || l->block.x % 32 == 0,
                               .whole_warps = c->n_threads % 32 == 0};
    blocks.rows_of_16 = !blocks.affine_tid && l->block.x % 16 == 0;
    g->blocks = blocks;
    enum wf_status st = exec__variant(k, blocks, WATCH_NOTHING, false, &g->code, err);
    if (st)
        return st;
    c->param_addr = sp->base + WF_PARAM_OFFSET;
    c->params = l->params; // outside of what a store of the kernel can reach
    const struct ir_func *f = g->code->prog->funcs[0];
    c->syms = g->code->syms;
    c->static_shared = f->shared_dynamic_offset;
    c->dynamic_shared = l->dynamic_shared;
    c->shared_bytes = (l->dynamic_shared ? f->shared_dynamic_offset + l->dynamic_shared : f->shared_bytes);
    c->reserved_offset = (c->shared_bytes + 127u) & ~127u;
    if (exec__reads_reserved(g->code->prog))
        c->shared_bytes = c->reserved_offset + 1024;
    else
        c->reserved_offset = c->shared_bytes;
    g->shared_alloc = c->shared_bytes + 256;
    c->launch_id = l->id;
    c->sm_count = wf_gpu_default()->sm_count;
    c->exec = g;
    if (l->is_cooperative) { // the grid barrier's workspace, 8 zeroed bytes
        uint64_t ws;
        st = wf_heap_alloc(WF_MEM_INTERNAL, 8, 8, "grid barrier", &ws, err);
        if (st)
            return st;
        c->envreg1 = (uint32_t)(ws >> 32);
        c->envreg2 = (uint32_t)ws;
    }
    g->n_blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    uint64_t much = wf_settings()->stream_bytes ? wf_settings()->stream_bytes : wf_os_cache_bytes() / 2;
    c->streams = g->n_blocks * c->n_threads * 4 > much; // as if each stored a word
    return WF_OK;
}

bool exec__reads_reserved(const struct ir_program *p)
{
    for (uint32_t f = 0; f < p->n_funcs; f++)
        for (uint32_t k = 0; k < p->funcs[f]->n_blocks; k++)
            for (uint32_t i = 0; i < p->funcs[f]->blocks[k].n_insns; i++)
                for (uint32_t s = 0; s < p->funcs[f]->blocks[k].insns[i].n_src; s++) {
                    const struct ir_src *x = &p->funcs[f]->blocks[k].insns[i].src[s];
                    if (x->kind == IR_S_SREG && x->sreg >= PTX_SR_RESERVED_SMEM_OFFSET_BEGIN &&
                        x->sreg <= PTX_SR_RESERVED_SMEM_OFFSET_1)
                        return true;
                }
    return false;
}

static void run_workers(struct grid *g)
{
    struct worker *w = wf_xcalloc(g->n_workers, sizeof *w);
    struct wf_crew_member **crew = wf_xcalloc(g->n_workers, sizeof *crew);
    for (uint32_t i = 0; i < g->n_workers; i++) {
        w[i].g = g;
        w[i].all = w;
        w[i].quiet_then = wf_xcalloc(g->n_workers, sizeof *w[i].quiet_then);
    }
    uint32_t started = 1;
    for (; started < g->n_workers; started++)
        if (!(crew[started] = wf_crew_start(work, &w[started])))
            break; // fewer workers do as well
    for (uint32_t i = started; i < g->n_workers; i++)
        atomic_store(&w[i].quiet, AT_REST);
    work(&w[0]);
    for (uint32_t i = 1; i < started; i++)
        wf_crew_wait(crew[i]);
    if (atomic_load(&g->cancel) == WF_RUN_HANG + 1u)
        exec__report_hang(g, g->hung.at, g->hung.n);
    for (uint32_t i = 0; i < g->n_workers; i++) {
        while (w[i].here.n) {
            struct cta *c = w[i].here.at[--w[i].here.n];
            if (c->cluster)
                exec__cluster_leave(c);
            exec__cta_put(c, &w[i].pool);
        }
        exec__cta_free(w[i].pool);
        WF_VEC_FINI(&w[i].here);
        free(w[i].quiet_then);
    }
    free(w);
    free(crew);
}

static enum wf_exec_result finish(struct grid *g, struct wf_err *err)
{
    enum wf_exec_result r = WF_RUN_OK;
    uint32_t c = atomic_load(&g->cancel);
    uint64_t addr;
    if (c)
        r = (enum wf_exec_result)(c - 1);
    if (wf_mem_fault_take(&addr)) {
        if (!g->ev)
            exec__late_fault(g, addr);
        if (r == WF_RUN_OK)
            r = WF_RUN_FAULT;
    }
    if (err && g->err.code)
        *err = g->err;
    return r;
}

// How many threads run blocks, and how many blocks each has under way.
static void share_out(struct grid *g)
{
    const struct wf_settings *s = wf_settings();
    uint32_t workers = g->ev || g->is_ordered ? 1 : s->workers ? s->workers : wf_os_cpus();
    uint64_t clusters = g->n_blocks / g->cluster_size;
    g->n_workers = clusters < workers ? (uint32_t)(clusters ? clusters : 1) : workers;
    uint32_t all = residency(g, g->kernel, g->launch);
    g->resident = (all + g->n_workers - 1) / g->n_workers;
    if (g->resident < g->cluster_size)
        g->resident = g->cluster_size;
}

static void begin(struct grid *g)
{
    bool has_bulk = false;
    for (uint32_t i = 0; i < g->code->prog->n_funcs; i++)
        has_bulk |= g->code->prog->funcs[i]->has_bulk;
    g->evg = (struct wf_ev_grid){.launch = g->launch, .has_bulk = has_bulk, .has_resets = exec__events && exec__has_resets(g->code->prog),
                                 .warps_per_block = g->ctx.n_warps, .threads_per_block = g->ctx.n_threads,
                                 .blocks_per_cluster = g->cluster_size, .shared_bytes = g->ctx.shared_bytes,
                                 .shared_reserved = g->ctx.shared_bytes - g->ctx.reserved_offset,
                                 .rests_on = exec__rests_on};
    if (exec__events && exec__events->grid_begin)
        exec__events->grid_begin(exec__events->arg, &g->evg);
}

// A launch was proven and watched all the same: has it shown what the proof denies?
static void compare(const struct grid *g, uint32_t findings)
{
    for (uint32_t i = findings; g->evg.is_proven && g->ev && i < wf_finding_total(); i++) {
        const struct wf_finding *f = wf_finding_get(i);
        if (f->severity > WF_SEV_WARNING || f->launch != g->launch->id)
            continue;
        struct wf_err err;
        wf_err_set(&err, WF_E_INTERNAL, "proven free of races, and found to have %s", wf_finding_slug(f->kind));
        wf_trouble_add(&err, g->launch->kernel);
    }
}

// Is nobody interested in what the grid's threads do? They run as under `run` then.
static bool is_trusted(struct grid *g)
{
    if (!exec__events || !exec__events->trusts || !wf_settings()->proofs)
        return !exec__events;
    return exec__is_proven(g);
}

enum wf_exec_result wf_exec_run(struct wf_kernel *k, const struct wf_launch *l, struct wf_err *err)
{
    struct grid *g = wf_xcalloc(1, sizeof *g);
    enum wf_exec_result r = WF_RUN_UNSUPPORTED;
    wf_kernel_info(k);
    g->kernel = k;
    g->launch = l;
    pthread_mutex_init(&g->lock, NULL);
    wf_mem_fault_install();
    if (set_up(g, k, l, err) == WF_OK) {
        uint32_t findings = wf_finding_total();
        begin(g);
        g->ev = is_trusted(g) ? NULL : exec__events;
        g->ctx.events = g->ev;
        share_out(g);
        exec__order_begin(g, g->ev || !wf_settings()->is_check ? wf_settings()->seed : 0);
        enum wf_status st = exec__variant(k, g->blocks, g->ev ? WATCH_ALL : g->guards ? WATCH_ATOMICS : WATCH_NOTHING, true, &g->code, err);
        g->ctx.syms = g->code->syms;
        g->ctx.guards = g->guards;
        g->evg.code = g->code;
        if (wf_settings()->is_check)
            wf_progress_launch(l->kernel, g->n_blocks);
        if (!st && g->n_blocks && g->ctx.n_threads)
            run_workers(g);
        if (!st)
            r = finish(g, err);
        set_stuck(g, false);
        if (exec__events && exec__events->grid_end)
            exec__events->grid_end(exec__events->arg, &g->evg);
        compare(g, findings);
        exec__flush_output();
    }
    if (g->ctx.envreg1 || g->ctx.envreg2)
        wf_heap_free((uint64_t)g->ctx.envreg1 << 32 | g->ctx.envreg2, NULL, NULL);
    WF_VEC_FINI(&g->hung);
    free(g->guards);
    pthread_mutex_destroy(&g->lock);
    free(g);
    return r;
}

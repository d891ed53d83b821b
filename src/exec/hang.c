// SPDX-License-Identifier: Apache-2.0
// What to say when a grid cannot go on: who waits for what, and who could have let it go on. Called
// with all resident blocks standing still.

#include <string.h> // strcmp, strstr

#include "core/loc.h"
#include "exec/exec_priv.h"

static void add_waiters_of_barrier(struct wf_finding *f, struct cta *c, uint32_t id)
{
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        for (uint32_t k = 0; k < c->warps[i].n_paths; k++) {
            const struct wf_path *p = &c->warps[i].path[k];
            if (p->state == WF_PATH_BAR && (p->want & 0xff) == id) {
                exec__party(f, WF_PARTY_WAITER, &c->warps[i], p->frame->code->sites[p->site], p->mask, NULL);
                return;
            }
        }
}

static const struct wf_site *poll_site(struct wf_warp *w, const struct wf_path *p)
{
    (void)w;
    const struct wf_code *code = p->frame->code;
    uint32_t loc = code->pcs[p->pc & ~WF_PC_RELEASED].loc;
    // The strong read of the loop: the first site of a read that has the loop's line or follows it.
    (void)loc;
    return code->pcs[p->pc & ~WF_PC_RELEASED].poll_site < code->n_sites
               ? code->sites[code->pcs[p->pc & ~WF_PC_RELEASED].poll_site]
               : NULL;
}

static bool add_spinner(struct wf_finding *f, struct cta *c, enum wf_party_role role)
{
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        for (uint32_t k = 0; k < c->warps[i].n_paths; k++) {
            const struct wf_path *p = &c->warps[i].path[k];
            if (p->state != WF_PATH_READY)
                continue;
            const struct wf_site *s = poll_site(&c->warps[i], p);
            exec__party(f, role, &c->warps[i], s, p->mask, s ? s->what : "loop");
            if (!s) {
                struct wf_party *q = &f->party[f->n_parties - 1];
                q->loc = exec__loc(c->grid->code->prog, p->frame->code->pcs[p->pc & ~WF_PC_RELEASED].loc, 0,
                                   c->grid->launch->kernel);
            }
            snprintf(f->party[f->n_parties - 1].note, sizeof f->party[0].note, "spins here");
            return true;
        }
    return false;
}

// Who wrote what the spinning lanes wait for.
static void explain(struct wf_finding *f, struct cta *c)
{
    const struct wf_events *ev = c->grid->ev;
    for (uint32_t i = 0; i < c->b.n_warps && ev && ev->explain_wait; i++)
        for (uint32_t k = 0; k < c->warps[i].n_paths; k++) {
            const struct wf_path *p = &c->warps[i].path[k];
            const struct wf_site *s = p->state == WF_PATH_READY ? poll_site(&c->warps[i], p) : NULL;
            if (!s)
                continue;
            ev->explain_wait(ev->arg, &c->x[i].ev, s, p->mask, f);
            return;
        }
}

static bool has_spinner(const struct cta *c)
{
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        for (uint32_t k = 0; k < c->warps[i].n_paths; k++)
            if (c->warps[i].path[k].state == WF_PATH_READY)
                return true;
    return false;
}

// Does a thread of the block spin for a lock (a loop of CAS or exchange)? Then the holder may be the one that
// waits at the barrier; a thread that spins on a plain value waits for other blocks.
static bool spins_for_lock(struct cta *c)
{
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        for (uint32_t k = 0; k < c->warps[i].n_paths; k++) {
            const struct wf_path *p = &c->warps[i].path[k];
            const struct wf_site *s = p->state == WF_PATH_READY ? poll_site(&c->warps[i], p) : NULL;
            if (s && s->is_atomic && s->is_write && (strstr(s->what, ".cas.") || strstr(s->what, ".exch.")))
                return true;
        }
    return false;
}

static void spin_hang(struct cta *c, bool others_wait_to_start);

static void barrier_hang(struct cta *c, uint32_t id, bool starting)
{
    struct grid *g = c->grid;
    const struct bar *b = &c->bar[id];
    bool spins = has_spinner(c);
    if (spins && !b->expected && !spins_for_lock(c)) {
        spin_hang(c, starting);
        return;
    }
    struct wf_finding f = wf_finding_make(spins ? WF_F_DEADLOCK_SPIN : WF_F_DEADLOCK_BARRIER, g->launch->kernel, g->launch->id);
    uint32_t lanes = 0, live = 0;
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        lanes += wf_popcount32(c->x[i].bar_lanes[id]);
        live += wf_popcount32(c->warps[i].live);
    }
    add_waiters_of_barrier(&f, c, id);
    if (spins)
        add_spinner(&f, c, WF_PARTY_RELEASER);
    for (uint32_t other = 0; other < N_BARRIERS && !spins; other++)
        if (other != id)
            add_waiters_of_barrier(&f, c, other);
    if (b->expected)
        snprintf(f.sentence, sizeof f.sentence,
                 "deadlock: barrier %u waits for %u threads, but only %u can come (%u threads of the block are left)", id,
                 b->expected, lanes, live);
    else if (spins)
        snprintf(f.sentence, sizeof f.sentence,
                 "deadlock: %u threads wait at a barrier for threads of their block that wait in a loop for them", lanes);
    else
        snprintf(f.sentence, sizeof f.sentence, "deadlock: %u of %u threads wait at barrier %u, and no other can come to it", lanes,
                 live, id);
    snprintf(f.why, sizeof f.why,
             spins ? "the threads in the loop wait for something that only the threads at the barrier can do"
                   : "a barrier completes only when every thread it counts has arrived");
    snprintf(f.fix, sizeof f.fix,
             spins ? "do not hold a lock across a barrier: let one thread of the block take it, or move the barrier out"
                   : "make the count equal to the threads that reach the barrier, and let all of them reach it");
    wf_finding_add(&f);
}

static void warp_hang(struct wf_warp *w, const struct wf_path *p)
{
    struct grid *g = grid_of(w);
    const struct wf_site *s = p->frame->code->sites[p->site];
    uint32_t met = 0;
    for (uint32_t k = 0; k < w->n_paths; k++)
        if (w->path[k].state == WF_PATH_SYNC && w->path[k].want == p->want &&
            !strcmp(w->path[k].frame->code->sites[w->path[k].site]->what, s->what))
            met |= w->path[k].mask;
    uint32_t missing = p->want & w->live & ~met;
    // A mask that names lanes which do something else: the mask is the fault.
    struct wf_finding f = wf_finding_make(WF_F_WARP_MASK, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_WAITER, w, s, p->mask, s->what);
    for (uint32_t k = 0; k < w->n_paths; k++) {
        const struct wf_path *q = &w->path[k];
        if (!(q->mask & missing))
            continue;
        const struct wf_site *s2 = q->state == WF_PATH_READY ? poll_site(w, q) : q->frame->code->sites[q->site];
        exec__party(&f, WF_PARTY_RELEASER, w, s2, q->mask & missing, s2 ? s2->what : "loop");
        snprintf(f.party[f.n_parties - 1].note, sizeof f.party[0].note, "named by the mask, but waits here");
        break;
    }
    snprintf(f.sentence, sizeof f.sentence, "%s with mask 0x%08x waits for lanes 0x%08x, which never come to it", s->what, p->want,
             missing);
    snprintf(f.why, sizeof f.why, "every live lane that the mask names has to execute the same instruction");
    snprintf(f.fix, sizeof f.fix, "let all lanes take part (take the call out of the branch), or name only those that do: "
                                  "__ballot_sync before the branch gives the mask");
    wf_finding_add(&f);
}

// Is the wait that of cooperative groups' grid barrier? CUDA's headers give it a name; those for clang have none in the line
// table, but then one place of the source both waits in a loop and at a barrier.
static bool is_grid_sync(const struct grid *g, const struct wf_finding *f)
{
    const struct wf_loc *at = f->n_parties ? f->party[0].loc : NULL, *other = f->n_parties > 1 ? f->party[1].loc : NULL;
    if (at && other && g->launch->is_cooperative && at->file && other->file && at->line == other->line && at->col == other->col &&
        !strcmp(at->file, other->file))
        return true;
    for (; at; at = at->inlined)
        if (at->function && strstr(at->function, "sync_grids"))
            return true;
    return false;
}

static void spin_hang(struct cta *c, bool others_wait_to_start)
{
    struct grid *g = c->grid;
    struct wf_finding f = wf_finding_make(others_wait_to_start ? WF_F_DEADLOCK_RESIDENCY : WF_F_DEADLOCK_SPIN, g->launch->kernel,
                                          g->launch->id);
    add_spinner(&f, c, WF_PARTY_WAITER);
    explain(&f, c);
    for (uint32_t id = 0; id < N_BARRIERS; id++)
        if (c->x[0].wait_lanes[id] || c->bar[id].arrived || c->bar[id].first)
            add_waiters_of_barrier(&f, c, id);
    uint64_t started = atomic_load(&g->next_block) * g->cluster_size;
    if (started > g->n_blocks)
        started = g->n_blocks;
    if (others_wait_to_start) {
        snprintf(f.sentence, sizeof f.sentence,
                 "deadlock: the %llu resident blocks wait for blocks that cannot start (%llu of %llu have started)",
                 (unsigned long long)started, (unsigned long long)started, (unsigned long long)g->n_blocks);
        snprintf(f.why, sizeof f.why, "a block starts only when the GPU has room: a resident block must not wait for one that is not");
        snprintf(f.fix, sizeof f.fix, "launch no more blocks than fit at once (cudaOccupancyMaxActiveBlocksPerMultiprocessor), use a "
                                      "cooperative launch, or split the kernel in two");
    } else if (is_grid_sync(g, &f)) {
        snprintf(f.sentence, sizeof f.sentence, "deadlock: blocks wait at the barrier of the grid for blocks that have ended or wait elsewhere");
        snprintf(f.why, sizeof f.why, "the barrier of a grid completes only when every block of it comes there");
        snprintf(f.fix, sizeof f.fix, "let every block come to the grid's sync() equally often: no return before it, and as many turns of a "
                                      "loop around it in each block");
    } else {
        snprintf(f.sentence, sizeof f.sentence, "deadlock: a loop waits for a value that no thread can write any more");
        snprintf(f.why, sizeof f.why, "every other thread has ended or waits as well");
        snprintf(f.fix, sizeof f.fix, "make sure that the write which ends the loop happens on every path, and is not undone before all have seen it");
        if (f.n_parties && !strcmp(f.party[0].op, "mbarrier")) {
            f.kind = WF_F_DEADLOCK_BARRIER;
            exec__mbar_hang(c, &f);
        }
    }
    wf_finding_add(&f);
}

static bool report_block(struct cta *c, bool starting)
{
    bool any = false;
    for (uint32_t i = 0; i < c->b.n_warps && !any; i++)
        for (uint32_t k = 0; k < c->warps[i].n_paths && !any; k++)
            if (c->warps[i].path[k].state == WF_PATH_SYNC) {
                warp_hang(&c->warps[i], &c->warps[i].path[k]);
                any = true;
            }
    for (uint32_t id = 0; id < N_BARRIERS && !any; id++)
        for (uint32_t i = 0; i < c->b.n_warps && !any; i++)
            if (c->x[i].wait_lanes[id]) {
                barrier_hang(c, id, starting);
                any = true;
            }
    if (!any && has_spinner(c)) {
        spin_hang(c, starting);
        any = true;
    }
    if (any)
        return true;
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        for (uint32_t k = 0; k < c->warps[i].n_paths; k++) {
            const struct wf_path *p = &c->warps[i].path[k];
            struct wf_finding f = wf_finding_make(WF_F_DEADLOCK_BARRIER, c->grid->launch->kernel, c->grid->launch->id);
            exec__party(&f, WF_PARTY_WAITER, &c->warps[i], p->frame->code->sites[p->site], p->mask, "barrier.cluster.wait");
            snprintf(f.sentence, sizeof f.sentence, "deadlock: threads wait at the cluster barrier for others that never come");
            snprintf(f.fix, sizeof f.fix, "every thread of the cluster has to arrive");
            wf_finding_add(&f);
            return true;
        }
    return false;
}

static int by_index(const void *a, const void *b)
{
    uint64_t x = (*(struct cta *const *)a)->linear, y = (*(struct cta *const *)b)->linear;
    return x < y ? -1 : x > y;
}

void exec__report_hang(struct grid *g, struct cta *const *ctas, size_t n)
{
    if (!n)
        return;
    bool starting = atomic_load(&g->next_block) * g->cluster_size < g->n_blocks;
    struct cta **all = wf_xmalloc(n * sizeof *all);
    memcpy(all, ctas, n * sizeof *all);
    qsort(all, n, sizeof *all, by_index);
    // One block tells it: faults inside a block come before waits between blocks.
    bool told = false;
    for (size_t i = 0; i < n && !told; i++) {
        bool inner = false;
        for (uint32_t k = 0; k < all[i]->b.n_warps && !inner; k++)
            for (uint32_t p = 0; p < all[i]->warps[k].n_paths; p++)
                inner |= all[i]->warps[k].path[p].state == WF_PATH_SYNC || all[i]->warps[k].path[p].state == WF_PATH_BAR;
        // A block whose threads wait at a barrier for its own spinning thread waits for what that one waits for,
        // unless all blocks are like this.
        if (inner)
            told = report_block(all[i], starting);
    }
    for (size_t i = 0; i < n && !told; i++)
        told = report_block(all[i], starting);
    free(all);
}

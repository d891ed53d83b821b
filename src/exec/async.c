// SPDX-License-Identifier: Apache-2.0
// cp.async, mbarrier and cluster addresses (PTX ISA 9.7.9.25, 9.7.13.15). A copy is made at the wait that
// covers it, not when it is issued: who reads the destination early sees what was there. mbarrier state
// lives beside the block; the 8 bytes in shared memory only mark that an object is there.

#include <string.h> // memcpy

#include "exec/memory.h"

// The operation as jit/async.c encodes it.
enum { F_BULK, F_COMMIT, F_WAIT_GROUP, F_WAIT_ALL, F_READ, F_MBARRIER, F_NOINC, F_INIT, F_INVAL, F_ARRIVE, F_DROP,
       F_EXPECT_TX, F_COMPLETE_TX, F_NOCOMPLETE, F_TEST_WAIT, F_TRY_WAIT, F_PARITY, F_PENDING, F_RELAXED, F_TENSOR,
       F_REDUCE, F_TX_BYTES, F_BULK_GROUP, F_PREFETCH };

struct mbar {
    uint64_t phase;
    uint32_t expected, pending;
    int64_t tx;
};

struct call {
    struct wf_warp *w;
    const struct wf_site *s;
    uint32_t site;
    uint64_t code;
    const uint64_t *const *arg;
    unsigned n;
};

static bool is(const struct call *c, unsigned f)
{
    return c->code >> f & 1;
}

static struct cta *owner(struct wf_warp *w, uint64_t addr, unsigned space, uint64_t *off, uint32_t *rank)
{
    const struct wf_grid_ctx *g = w->block->grid;
    struct cta *c = cta_of(w);
    *rank = w->block->rank;
    *off = addr;
    if (space == PTX_SP_GENERIC) {
        uint64_t o = addr - g->base - WF_SHARED_OFFSET;
        if (o < WF_SHARED_WINDOW) {
            *rank = (uint32_t)(o / WF_SHARED_STRIDE);
            *off = o % WF_SHARED_STRIDE;
        }
    } else if (addr >> 24 && addr >> 24 <= w->block->n_ranks) {
        *rank = (uint32_t)(addr >> 24) - 1;
        *off = addr & 0xffffff;
    }
    if (*rank != w->block->rank && w->block->peers && *rank < w->block->n_ranks)
        c = w->block->peers[*rank]->exec;
    return c;
}

static void bad_mbar(const struct call *c, unsigned lane, const char *sentence)
{
    struct grid *g = grid_of(c->w);
    struct wf_finding f = wf_finding_make(WF_F_BARRIER_MISUSE, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_ACCESS, c->w, c->s, 1u << lane, "mbarrier");
    snprintf(f.sentence, sizeof f.sentence, "%s", sentence);
    snprintf(f.space, sizeof f.space, "shared");
    snprintf(f.fix, sizeof f.fix, "initialise the mbarrier once, by one thread, and __syncthreads() before it is used");
    wf_finding_add(&f);
}

static struct mbar *find_mbar(const struct call *c, unsigned lane, struct cta **own, uint64_t *off, uint32_t *rank)
{
    *own = owner(c->w, c->arg[0][lane], c->code >> 32 & 0xf, off, rank);
    return wf_map_get(&(*own)->mbars, *off + 1);
}

static void try_phase(struct cta *c, struct mbar *m)
{
    if (m->pending || m->tx)
        return;
    m->phase++;
    m->pending = m->expected;
    c->moved = true;
    atomic_fetch_add_explicit(&c->grid->progress, 1, memory_order_relaxed);
}

static void told_arrive(const struct call *c, unsigned lane, uint32_t rank, uint64_t off, uint64_t phase)
{
    const struct wf_events *ev = grid_of(c->w)->ev;
    if (ev && ev->mbar_arrive)
        ev->mbar_arrive(ev->arg, &x_of(c->w)->ev, c->s, lane, rank, off, phase, !is(c, F_RELAXED));
}

static uint64_t mbarrier(const struct call *c, unsigned lane)
{
    struct cta *own;
    uint64_t off;
    uint32_t rank;
    if (is(c, F_PENDING))
        return c->arg[0][lane] & 0xfffff;
    struct mbar *m = find_mbar(c, lane, &own, &off, &rank);
    if (is(c, F_INIT)) {
        const char *why;
        uint8_t *p = exec__pointer(c->w, PTX_SP_GENERIC, c->w->block->grid->base + WF_SHARED_OFFSET + rank * WF_SHARED_STRIDE + off, 8, &why);
        if (!p || off % 8) {
            exec__mem_fault(c->w, c->site, lane, off, 8, true, p ? WF_F_MEM_MISALIGNED : WF_F_MEM_BOUNDS, p ? "is misaligned" : why);
            return 0;
        }
        if (!m) {
            m = wf_xcalloc(1, sizeof *m);
            wf_map_put(&own->mbars, off + 1, m);
            own->has_async = true;
        }
        *m = (struct mbar){.expected = (uint32_t)c->arg[1][lane], .pending = (uint32_t)c->arg[1][lane]};
        return 0;
    }
    if (!m) {
        bad_mbar(c, lane, "an mbarrier operation on memory that holds no mbarrier object");
        return is(c, F_TEST_WAIT) || is(c, F_TRY_WAIT);
    }
    if (is(c, F_INVAL)) {
        wf_map_del(&own->mbars, off + 1);
        free(m);
        return 0;
    }
    if (is(c, F_TEST_WAIT) || is(c, F_TRY_WAIT)) {
        uint64_t want = c->arg[1][lane];
        bool done = is(c, F_PARITY) ? (m->phase & 1) != (want & 1) : m->phase > want >> 20;
        uint64_t seen = is(c, F_PARITY) ? m->phase - 1 : want >> 20;
        const struct wf_events *ev = grid_of(c->w)->ev;
        if (done && ev && ev->mbar_wait)
            ev->mbar_wait(ev->arg, &x_of(c->w)->ev, c->s, lane, rank, off, seen, !is(c, F_RELAXED));
        if (!done && is(c, F_TRY_WAIT))
            c->w->block->clock += 1000;
        return done;
    }
    uint64_t state = m->phase << 20 | (m->pending & 0xfffff);
    if (is(c, F_EXPECT_TX) && !is(c, F_ARRIVE) && !is(c, F_DROP)) {
        m->tx += (int64_t)c->arg[1][lane];
        return 0;
    }
    if (is(c, F_COMPLETE_TX) && !is(c, F_ARRIVE)) {
        m->tx -= (int64_t)c->arg[1][lane];
        try_phase(own, m);
        return 0;
    }
    uint32_t count = 1;
    if (is(c, F_EXPECT_TX))
        m->tx += (int64_t)c->arg[1][lane];
    else if (c->n > 1)
        count = (uint32_t)c->arg[1][lane];
    if (is(c, F_DROP))
        m->expected -= count < m->expected ? count : m->expected;
    if (count > m->pending) {
        bad_mbar(c, lane, "more arrivals at an mbarrier than its phase expects");
        count = m->pending;
    }
    told_arrive(c, lane, rank, off, m->phase);
    m->pending -= count;
    try_phase(own, m);
    return state;
}

// ---- cp.async ----

static struct lane_async *lane_state(struct wf_warp *w, unsigned lane)
{
    struct xwarp *x = x_of(w);
    cta_of(w)->has_async = true;
    if (!x->async)
        x->async = wf_xcalloc(32, sizeof *x->async);
    return &x->async[lane];
}

static void issue(const struct call *c, unsigned lane)
{
    struct grid *g = grid_of(c->w);
    struct lane_async *a = lane_state(c->w, lane);
    struct async_copy *k = wf_xcalloc(1, sizeof *k);
    uint64_t n = c->n > 2 ? c->arg[2][lane] : 4, fill = c->n > 3 ? c->arg[3][lane] : n;
    uint64_t off;
    uint32_t rank;
    owner(c->w, c->arg[0][lane], c->code >> 32 & 0xf, &off, &rank);
    k->dst = (uint32_t)off;
    k->src = c->arg[1][lane];
    k->bytes = (uint32_t)n;
    k->fill = (uint32_t)(fill < n ? fill : n);
    k->token = ++g->token;
    if (a->open_tail)
        a->open_tail->next = k;
    else
        a->open = k;
    a->open_tail = k;
    const struct wf_events *ev = g->ev;
    if (ev && ev->async_issue)
        ev->async_issue(ev->arg, &x_of(c->w)->ev, c->s, lane, k->dst, k->src, k->bytes, k->token);
}

static void perform(const struct call *c, unsigned lane, struct async_copy *k, uint64_t mbar)
{
    struct wf_warp *w = c->w;
    while (k) {
        struct async_copy *next = k->next;
        const char *why;
        uint8_t *d = exec__pointer(w, PTX_SP_SHARED, k->dst, k->bytes, &why);
        uint8_t buf[16] = {0};
        if (!d || k->bytes > 16)
            exec__mem_fault(w, c->site, lane, k->dst, k->bytes, true, WF_F_MEM_BOUNDS, "beyond the block's shared memory");
        else if (k->fill && !exec__read(w, lane, k->src, buf, k->fill))
            exec__mem_fault(w, c->site, lane, k->src, k->fill, false, WF_F_MEM_BOUNDS, "outside device memory");
        else
            memcpy(d, buf, k->bytes);
        const struct wf_events *ev = grid_of(w)->ev;
        if (ev && ev->async_done)
            ev->async_done(ev->arg, &x_of(w)->ev, lane, k->token, mbar);
        free(k);
        k = next;
    }
}

static void commit(struct lane_async *a)
{
    WF_PUSH(&a->groups, a->open); // an empty group counts too
    a->open = a->open_tail = NULL;
}

static void wait_groups(const struct call *c, unsigned lane, uint64_t keep)
{
    struct lane_async *a = lane_state(c->w, lane);
    size_t done = a->groups.n > keep ? a->groups.n - (size_t)keep : 0;
    for (size_t i = 0; i < done; i++)
        perform(c, lane, a->groups.at[i], 0);
    if (done)
        memmove(a->groups.at, a->groups.at + done, sizeof *a->groups.at * (a->groups.n - done));
    a->groups.n -= done;
}

// cp.async.mbarrier.arrive: arrives when the thread's earlier copies are done; they are made now, which
// is one of the moments allowed.
static void arrive_on(const struct call *c, unsigned lane)
{
    struct cta *own;
    uint64_t off;
    uint32_t rank;
    struct mbar *m = find_mbar(c, lane, &own, &off, &rank);
    struct lane_async *a = lane_state(c->w, lane);
    if (!m) {
        bad_mbar(c, lane, "cp.async.mbarrier.arrive on memory that holds no mbarrier object");
        return;
    }
    for (size_t i = 0; i < a->groups.n; i++)
        perform(c, lane, a->groups.at[i], off + 1);
    a->groups.n = 0;
    perform(c, lane, a->open, off + 1);
    a->open = a->open_tail = NULL;
    if (!is(c, F_NOINC))
        m->pending++;
    told_arrive(c, lane, rank, off, m->phase);
    if (m->pending)
        m->pending--;
    try_phase(own, m);
}

static void refuse(const struct call *c, const char *what)
{
    struct grid *g = grid_of(c->w);
    pthread_mutex_lock(&g->lock);
    if (!g->err.code)
        wf_err_set(&g->err, WF_E_UNSUPPORTED, "%s: %s (PTX line %u) is not supported", g->launch->kernel, what,
                   c->s->loc->ptx_line);
    pthread_mutex_unlock(&g->lock);
    exec__stop(g, WF_RUN_UNSUPPORTED);
}

static void copies(const struct call *c, unsigned lane)
{
    if (is(c, F_BULK) && (is(c, F_COMMIT) || is(c, F_WAIT_GROUP)))
        return; // bulk copies are made when they are issued
    if (is(c, F_BULK) || is(c, F_TENSOR)) {
        refuse(c, is(c, F_TENSOR) ? "cp.async.bulk.tensor" : "cp.async.bulk");
        return;
    }
    if (is(c, F_COMMIT))
        commit(lane_state(c->w, lane));
    else if (is(c, F_WAIT_GROUP))
        wait_groups(c, lane, c->n ? c->arg[0][lane] : 0);
    else if (is(c, F_WAIT_ALL)) {
        commit(lane_state(c->w, lane));
        wait_groups(c, lane, 0);
    } else if (is(c, F_MBARRIER)) {
        arrive_on(c, lane);
    } else {
        issue(c, lane);
    }
}

// mapa: the address of the same variable in CTA `rank`; getctarank: whose an address is.
static uint64_t map_address(const struct call *c, unsigned lane)
{
    const struct wf_grid_ctx *g = c->w->block->grid;
    uint64_t a = c->arg[0][lane], rank = c->arg[1][lane], o = a - g->base - WF_SHARED_OFFSET;
    if ((c->code >> 32 & 0xf) == PTX_SP_GENERIC && o < WF_SHARED_WINDOW)
        return g->base + WF_SHARED_OFFSET + rank * WF_SHARED_STRIDE + o % WF_SHARED_STRIDE;
    return (a & 0xffffff) | (rank + 1) << 24;
}

static uint64_t rank_of(const struct call *c, unsigned lane)
{
    uint64_t off;
    uint32_t rank;
    owner(c->w, c->arg[0][lane], c->code >> 32 & 0xf, &off, &rank);
    return rank;
}

void wf_x_async(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, const uint64_t *const *arg, uint64_t *out)
{
    unsigned op = code >> 40 & 0xffff;
    struct call c = {.w = w, .site = site, .s = site == UINT32_MAX ? NULL : site_of(w, site), .code = code, .arg = arg,
                     .n = code >> 56 & 0xf};
    memset(out, 0, 32 * sizeof *out);
    WF_EACH_LANE(mask, lane) {
        if (op == PTX_O_MBARRIER)
            out[lane] = mbarrier(&c, lane);
        else if (op == PTX_O_CP)
            copies(&c, lane);
        else if (op == PTX_O_MAPA)
            out[lane] = map_address(&c, lane);
        else
            out[lane] = rank_of(&c, lane);
    }
}

static void free_copies(struct async_copy *k)
{
    while (k) {
        struct async_copy *next = k->next;
        free(k);
        k = next;
    }
}

// What a block leaves behind: copies that nobody waited for, mbarriers.
void exec__async_drop(struct cta *c)
{
    size_t pos = 0;
    uint64_t key;
    void *m;
    while (wf_map_next(&c->mbars, &pos, &key, &m))
        free(m);
    wf_map_fini(&c->mbars);
    memset(&c->mbars, 0, sizeof c->mbars);
    for (uint32_t i = 0; i < c->b.n_warps; i++) {
        struct lane_async *a = c->x[i].async;
        for (unsigned lane = 0; a && lane < 32; lane++) {
            free_copies(a[lane].open);
            for (size_t k = 0; k < a[lane].groups.n; k++)
                free_copies(a[lane].groups.at[k]);
            WF_VEC_FINI(&a[lane].groups);
        }
        free(a);
        c->x[i].async = NULL;
    }
}

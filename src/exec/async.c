// SPDX-License-Identifier: Apache-2.0
// cp.async and cluster addresses (PTX ISA 9.7.9.25). A copy is made at the wait that covers it, not when it is
// issued: who reads the destination early sees what was there.

#include <string.h> // memcpy

#include "exec/async.h"

// ---- cp.async ----

static struct lane_async *lane_state(struct wf_warp *w, unsigned lane)
{
    struct xwarp *x = x_of(w);
    cta_of(w)->has_async = true;
    if (!x->async)
        x->async = wf_xcalloc(32, sizeof *x->async);
    return &x->async[lane];
}

// Copies come and go by the million: those of a block are used again.
static struct async_copy *copy_new(struct cta *c)
{
    struct async_copy *k = c->spare_copies;
    if (!k)
        return wf_xcalloc(1, sizeof *k);
    c->spare_copies = k->next;
    memset(k, 0, sizeof *k);
    return k;
}

static void copy_free(struct cta *c, struct async_copy *k)
{
    k->next = c->spare_copies;
    c->spare_copies = k;
}

static void issue(const struct async_call *c, unsigned lane)
{
    struct grid *g = grid_of(c->w);
    struct lane_async *a = lane_state(c->w, lane);
    struct async_copy *k = copy_new(cta_of(c->w));
    uint64_t n = c->n > 2 ? c->arg[2][lane] : 4, fill = c->n > 3 ? c->arg[3][lane] : n;
    uint64_t off;
    uint32_t rank;
    exec__shared_owner(c->w, c->arg[0][lane], c->code >> 32 & 0xf, &off, &rank);
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

static void perform(const struct async_call *c, unsigned lane, struct async_copy *k, uint64_t mbar)
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
        copy_free(cta_of(w), k);
        k = next;
    }
}

static void commit(struct lane_async *a)
{
    WF_PUSH(&a->groups, a->open); // an empty group counts too
    a->open = a->open_tail = NULL;
}

static void wait_groups(const struct async_call *c, unsigned lane, uint64_t keep)
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
static void arrive_on(const struct async_call *c, unsigned lane)
{
    struct cta *own;
    uint64_t off;
    uint32_t rank;
    own = exec__shared_owner(c->w, c->arg[0][lane], c->code >> 32 & 0xf, &off, &rank);
    struct mbar *m = exec__mbar_find(own, off);
    struct lane_async *a = lane_state(c->w, lane);
    if (!m) {
        exec__mbar_none(c->w, c->s, lane, "arrival of copies");
        return;
    }
    exec__mbar_told(c, lane, rank, off, m->phase); // first: says which phase the copies belong to
    for (size_t i = 0; i < a->groups.n; i++)
        perform(c, lane, a->groups.at[i], off + 1);
    a->groups.n = 0;
    perform(c, lane, a->open, off + 1);
    a->open = a->open_tail = NULL;
    if (!async_is(c, F_NOINC))
        m->pending++;
    if (m->pending)
        m->pending--;
    exec__mbar_try(own, m);
}

static void copies(const struct async_call *c, unsigned lane)
{
    if (async_is(c, F_COMMIT))
        commit(lane_state(c->w, lane));
    else if (async_is(c, F_WAIT_GROUP))
        wait_groups(c, lane, c->n ? c->arg[0][lane] : 0);
    else if (async_is(c, F_WAIT_ALL)) {
        commit(lane_state(c->w, lane));
        wait_groups(c, lane, 0);
    } else if (async_is(c, F_MBARRIER)) {
        arrive_on(c, lane);
    } else {
        issue(c, lane);
    }
}

// mapa: the address of the same variable in CTA `rank`; getctarank: whose an address is.
static uint64_t map_address(const struct async_call *c, unsigned lane)
{
    const struct wf_grid_ctx *g = c->w->block->grid;
    uint64_t a = c->arg[0][lane], rank = c->arg[1][lane], o = a - g->base - WF_SHARED_OFFSET;
    if ((c->code >> 32 & 0xf) == PTX_SP_GENERIC && o < WF_SHARED_WINDOW)
        return g->base + WF_SHARED_OFFSET + rank * WF_SHARED_STRIDE + o % WF_SHARED_STRIDE;
    return (a & 0xffffff) | (rank + 1) << 24;
}

static uint64_t rank_of(const struct async_call *c, unsigned lane)
{
    uint64_t off;
    uint32_t rank;
    exec__shared_owner(c->w, c->arg[0][lane], c->code >> 32 & 0xf, &off, &rank);
    return rank;
}

void wf_x_async(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, const uint64_t *const *arg, uint64_t *out)
{
    unsigned op = code >> 40 & 0xffff;
    struct async_call c = {.w = w, .site = site, .s = site == UINT32_MAX ? NULL : site_of(w, site), .code = code, .arg = arg,
                     .n = code >> 56 & 0xf};
    memset(out, 0, 32 * sizeof *out);
    WF_EACH_LANE(mask, lane) {
        if (op == PTX_O_MBARRIER)
            out[lane] = exec__mbarrier(&c, lane);
        else if (op == PTX_O_CP)
            copies(&c, lane);
        else if (op == PTX_O_MAPA)
            out[lane] = map_address(&c, lane);
        else
            out[lane] = rank_of(&c, lane);
    }
}

static void free_copies(struct cta *c, struct async_copy *k)
{
    while (k) {
        struct async_copy *next = k->next;
        copy_free(c, k);
        k = next;
    }
}

void exec__async_fini(struct cta *c)
{
    while (c->spare_copies) {
        struct async_copy *k = c->spare_copies;
        c->spare_copies = k->next;
        free(k);
    }
}

// What a block leaves behind: copies that nobody waited for, mbarriers.
void exec__async_drop(struct cta *c)
{
    exec__bulk_finish(c);
    for (uint32_t i = 0; i < c->b.n_warps; i++)
        memset(c->x[i].bulk_groups, 0, sizeof c->x[i].bulk_groups);
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
            free_copies(c, a[lane].open);
            for (size_t k = 0; k < a[lane].groups.n; k++)
                free_copies(c, a[lane].groups.at[k]);
            WF_VEC_FINI(&a[lane].groups);
        }
        free(a);
        c->x[i].async = NULL;
    }
}

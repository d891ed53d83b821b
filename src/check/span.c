// SPDX-License-Identifier: Apache-2.0
// The fast path: a warp reads or writes consecutive words. One pass over the cells says whether
// each half is ancient in all of them or holds the same record with the lanes in step; then one
// test of that record decides for the whole warp, and one pass stores.
#include "check/span.h"

#include "base/bits.h"    // wf_popcount32
#include "check/advice.h" // wf__redundant_used
#include "check/work.h"   // wf__work_passed

struct scan {
    uint32_t wr_live, rd_live; // not 0: some half is not ancient
    uint32_t wr_off, rd_off;   // not 0: not in step with the first
};

// lane[i]: lane of word i, counted from that of word 0.
#define SCAN_BODY                                                                                  \
    uint32_t w0 = (uint32_t)c[0], r0 = (uint32_t)(c[0] >> 32);                                     \
    uint32_t wl = 0, rl = 0, wo = 0, ro = 0;                                                       \
    for (uint32_t i = 0; i < n; i++) {                                                             \
        uint32_t w = (uint32_t)c[i], r = (uint32_t)(c[i] >> 32);                                   \
        wl |= w >= floor;                                                                          \
        rl |= r >= floor;                                                                          \
        wo |= (w - lane[i]) ^ w0;                                                                  \
        ro |= (r - lane[i]) ^ r0;                                                                  \
    }                                                                                              \
    *s = (struct scan){wl, rl, wo, ro};

#define STORE_BODY                                                                                 \
    for (uint32_t i = 0; i < n; i++)                                                               \
        c[i] = (c[i] & keep) | (uint64_t)(h + lane[i]) << shift;

static void scan_any(const uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t floor,
                     struct scan *s)
{
    SCAN_BODY
}
static void store_any(uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep,
                      uint32_t shift)
{
    STORE_BODY
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
scan_avx2(const uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t floor, struct scan *s)
{
    SCAN_BODY
}
__attribute__((target("avx2"))) static void
store_avx2(uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep, uint32_t shift)
{
    STORE_BODY
}
__attribute__((target("avx512f,avx512vl,avx512dq"))) static void
scan_avx512(const uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t floor, struct scan *s)
{
    SCAN_BODY
}
__attribute__((target("avx512f,avx512vl,avx512dq"))) static void
store_avx512(uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep,
             uint32_t shift)
{
    STORE_BODY
}
#endif

static void (*scan_fn)(const uint64_t *, uint32_t, const uint32_t *, uint32_t,
                       struct scan *) = scan_any;
static void (*store_fn)(uint64_t *, uint32_t, const uint32_t *, uint32_t, uint64_t,
                        uint32_t) = store_any;

static uint32_t lanes_of[5][128]; // by log2 of the element size: lane of word i

void wf__span_init(void)
{
    for (uint32_t v = 0; v < 5; v++)
        for (uint32_t i = 0; i < 128; i++)
            lanes_of[v][i] = v < 2 ? i << (2 - v) : i >> (v - 2);
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) {
        scan_fn = scan_avx2;
        store_fn = store_avx2;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        scan_fn = scan_avx512;
        store_fn = store_avx512;
    }
#endif
}

// Is the record, its lanes shifted by d against ours, ordered before all of us lane by lane?
static bool rec_before(struct wf__acc *x, uint32_t h, uint32_t lane)
{
    const struct wf__rec *r = &x->pool->rec[h >> 5];
    if (h >> 5 == x->sure)
        return true;
    const struct wf__grid *g = x->w->block->grid;
    if (r->serial - g->serial0 >= g->n_blocks && r->kind != WF__PAIR)
        return wf__work_passed(x->w, x->ev->mask, r->serial);
    if (r->flags & (WF__ASYNC | WF__NC))
        return false;
    if (r->serial == x->serial && r->warp < WF__AGENT) {
        // One's own earlier access, lane by lane; of partial words: the same lanes side by side.
        if (r->kind == WF__ACC && r->warp == x->w->index && (h & 31) == lane &&
            (r->bytes == x->bytes || (r->bytes >= 4 && x->bytes >= 4)))
            return true;
        if (r->epoch <= x->base) {
            if (x->ctx->o.redundant && x->is_conflict)
                wf__redundant_used(x->w, lane, r, 32);
            else
                x->sure = h >> 5;
            return true;
        }
    }
    if (x->w->split || r->kind == WF__PAIR)
        return false;
    const struct wf__clk *k = &x->w->k;
    return wf__clk_covers(&g->cs, k, r->serial - g->serial0, r->warp, r->mask, r->epoch) == r->mask;
}

bool wf__span_linear(struct wf__acc *x, const struct wf_ev_access *a, uint32_t size)
{
    uint32_t v = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : size == 16 ? 4 : 5;
    bool is_write = x->site->is_write;
    if (v == 5 || x->flags & (WF__GUESS | WF__NC) ||
        (!is_write && x->site->used_bytes << (32 - size) != UINT32_MAX << (32 - size)))
        return false;
    // Lanes in one run, whole words.
    uint32_t lo = wf_ctz32(a->mask), lanes = wf_popcount32(a->mask);
    uint64_t at = a->addr[0] + (uint64_t)size * lo - x->addr0, bytes = (uint64_t)size * lanes;
    if ((lanes < 32 && a->mask >> lo != (1u << lanes) - 1) || at % 4 || bytes % 4 || lanes < 4 ||
        (size < 4 && lo % (4 / size)) || at > x->limit || bytes > x->limit - at)
        return false;
    uint64_t *cell = x->cell0 + at / 4;
    uint32_t n = (uint32_t)(bytes / 4), floor = x->pool->first << 5;
    const uint32_t *lane = lanes_of[v];
    struct scan s;
    scan_fn(cell, n, lane, floor, &s);
    uint32_t wr = (uint32_t)cell[0], rd = (uint32_t)(cell[0] >> 32);
    x->is_conflict = true;
    if (s.wr_live && (s.wr_off || wr & WF__SPILL || !rec_before(x, wr, lo)))
        return false;
    uint32_t rec = wf__acc_rec(x), h = rec << 5 | lo;
    x->is_conflict = is_write;
    if (s.rd_live) {
        if (s.rd_off)
            return false;
        if (!is_write && rd == h)
            return true; // nothing new
        if (!rec_before(x, rd, lo)) {
            if (is_write || size < 4)
                return false;
            const struct wf__rec *r = &x->pool->rec[rd >> 5];
            if (r->kind == WF__MULTI)
                return false;
            h = wf__reader_added(x, rd, rec, lo);
            if (h == rd)
                return true;
        }
    }
    if (is_write && !s.rd_live && wr == h && !s.wr_off)
        return true;
    if (!x->is_shared) {
        x->ctx->sh.touched[at >> 20] = 1;
        x->ctx->sh.touched[(at + bytes - 1) >> 20] = 1;
    }
    store_fn(cell, n, lane, h, is_write ? 0 : UINT32_MAX, is_write ? 0 : 32);
    return true;
}

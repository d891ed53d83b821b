// SPDX-License-Identifier: Apache-2.0
// The fast path: a warp reads or writes consecutive words. One pass over the cells says whether
// each half is ancient in all of them or holds the same record with the lanes in step; then one
// test of that record decides for the whole warp, and one pass stores.
#include "check/span.h"

#include "base/bits.h"    // wf_popcount32
#include "check/advice.h" // wf__redundant_used
#include "check/work.h"   // wf__work_passed

struct scan {
    uint32_t wr_kept, rd_kept; // not 0: some half is not ancient for good
    uint32_t wr_live, rd_live; // not 0: some half is not ancient
    uint32_t wr_off, rd_off;   // not 0: not in step with the first
};

// lane[i]: lane of word i. gone, floor: handles below are ancient for good, are ancient.
#define SCAN_BODY                                                                                  \
    uint32_t w0 = (uint32_t)c[0] - lane[0], r0 = (uint32_t)(c[0] >> 32) - lane[0];                 \
    uint32_t wk = 0, rk = 0, wl = 0, rl = 0, wo = 0, ro = 0;                                       \
    for (uint32_t i = 0; i < n; i++) {                                                             \
        uint32_t w = (uint32_t)c[AT(i)], r = (uint32_t)(c[AT(i)] >> 32);                           \
        wk |= w >= gone;                                                                           \
        rk |= r >= gone;                                                                           \
        wl |= w >= floor;                                                                          \
        rl |= r >= floor;                                                                          \
        wo |= (w - lane[i]) ^ w0;                                                                  \
        ro |= (r - lane[i]) ^ r0;                                                                  \
    }                                                                                              \
    *s = (struct scan){wk, rk, wl, rl, wo, ro};

#define STORE_BODY                                                                                 \
    for (uint32_t i = 0; i < n; i++)                                                               \
        c[AT(i)] = (c[AT(i)] & keep) | (uint64_t)(h + lane[i]) << shift;

#define SCAN_ARGS                                                                                  \
    const uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t gone, uint32_t floor, struct scan *s
#define STORE_ARGS                                                                                 \
    uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep, uint32_t shift

#define AT(i) i
static void scan_any(SCAN_ARGS)
{
    SCAN_BODY
}
static void store_any(STORE_ARGS)
{
    STORE_BODY
}

#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))
__attribute__((target("avx2"))) static void scan_avx2(SCAN_ARGS)
{
    SCAN_BODY
}
__attribute__((target("avx2"))) static void store_avx2(STORE_ARGS)
{
    STORE_BODY
}
AVX512 static void scan_avx512(SCAN_ARGS)
{
    SCAN_BODY
}
AVX512 static void store_avx512(STORE_ARGS)
{
    STORE_BODY
}
#endif
#undef AT

// The same of words here and there.
#define AT(i) idx[i]
static void scan_words_any(SCAN_ARGS, const uint32_t *idx)
{
    SCAN_BODY
}
static void store_words_any(STORE_ARGS, const uint32_t *idx)
{
    STORE_BODY
}
#if defined(__x86_64__)
AVX512 static void scan_words_avx512(SCAN_ARGS, const uint32_t *idx)
{
    SCAN_BODY
}
AVX512 static void store_words_avx512(STORE_ARGS, const uint32_t *idx)
{
    STORE_BODY
}
#endif
#undef AT

static void (*scan_words_fn)(SCAN_ARGS, const uint32_t *idx) = scan_words_any;
static void (*store_words_fn)(STORE_ARGS, const uint32_t *idx) = store_words_any;
static void (*scan_fn)(SCAN_ARGS) = scan_any;
static void (*store_fn)(STORE_ARGS) = store_any;

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
        scan_words_fn = scan_words_avx512;
        store_words_fn = store_words_avx512;
    }
#endif
}

// Is the record, its lanes shifted by d against ours, ordered before all of us lane by lane?
bool wf__rec_before(struct wf__acc *x, uint32_t h, uint32_t lane)
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

// Is a half that is in step of one record, of elements that lie like ours? Handles are numbers in a row: the
// lanes of one record go on into those of the next.
static bool one_record(uint32_t first, uint32_t least, uint32_t most, uint32_t lane0)
{
    uint32_t l = first & 31;
    return l + least >= lane0 && l + most < lane0 + 32;
}

// What a reader's half becomes for lane's word, 0: word by word.
static uint32_t read_half(struct wf__acc *x, uint32_t rd, uint32_t rec, uint32_t lane)
{
    const struct wf__rec *r = &x->pool->rec[rd >> 5];
    if ((r->flags ^ x->flags) & WF__NC || r->bytes < 4) // neither stands for the other
        return 0;
    return wf__reader_added(x, rd, rec, lane);
}

// After an access that was done as a whole: lines whose words are all in step need one cell only.
static void close_lines(struct wf__acc *x, uint64_t at, uint32_t n, const uint32_t *lane, uint32_t wr, uint32_t rd)
{
    uint32_t i = (32 - (uint32_t)(at / 4)) & 31;
    for (; i + WF__LINE_WORDS <= n; i += WF__LINE_WORDS)
        x->cell0[at / 4 + i] = WF__LINE | (uint64_t)(rd ? rd + lane[i] : 0) << 32 | (wr ? wr + lane[i] : 0);
}

bool wf__span_linear(struct wf__acc *x, const struct wf_ev_access *a, uint32_t size)
{
    uint32_t v = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : size == 16 ? 4 : 5;
    bool is_write = x->site->is_write;
    if (v == 5 || x->flags & WF__GUESS ||
        (!is_write && x->site->used_bytes << (32 - size) != UINT32_MAX << (32 - size)))
        return false;
    // Lanes in one run, whole words.
    uint32_t lo = wf_ctz32(a->mask), lanes = wf_popcount32(a->mask);
    uint64_t at = a->addr[0] + (uint64_t)size * lo - x->addr0, bytes = (uint64_t)size * lanes;
    if ((lanes < 32 && a->mask >> lo != (1u << lanes) - 1) || at % 4 || bytes % 4 || lanes < 4 ||
        (size < 4 && lo % (4 / size)) || at > x->limit || bytes > x->limit - at)
        return false;
    for (uint64_t i = at / 4; i < (at + bytes) / 4; i = (i | 31) + 1)
        wf__cell_at(x->pool, x->cell0, i);
    uint64_t *cell = x->cell0 + at / 4;
    uint32_t n = (uint32_t)(bytes / 4), floor = x->pool->first << 5;
    const uint32_t *lane = lanes_of[v];
    struct scan s;
    scan_fn(cell, n, lane, x->pool->gone << 5, floor, &s);
    uint32_t wr = (uint32_t)cell[0], rd = (uint32_t)(cell[0] >> 32), most = lane[n - 1];
    bool wr_is_one = !s.wr_off && one_record(wr, 0, most, 0) && !(wr & WF__SPILL);
    x->is_conflict = true;
    if (s.wr_live && (!wr_is_one || !wf__rec_before(x, wr, lo)))
        return false;
    uint32_t rec = wf__acc_rec(x), h = rec << 5 | lo;
    x->is_conflict = is_write;
    if (s.rd_live) {
        if (s.rd_off || !one_record(rd, 0, most, 0))
            return false;
        if (!is_write && rd == h && (!s.wr_kept || !wr_is_one))
            return true; // nothing new
        if (rd != h && !wf__rec_before(x, rd, lo)) {
            if (is_write || size < 4 || !(h = read_half(x, rd, rec, lo)))
                return false;
        }
    }
    if (is_write && !s.rd_kept && wr == h && !s.wr_off)
        return true;
    if (!x->is_shared) {
        x->ctx->sh.touched[at >> 20] = 1;
        x->ctx->sh.touched[(at + bytes - 1) >> 20] = 1;
    }
    store_fn(cell, n, lane, h, is_write ? 0 : UINT32_MAX, is_write ? 0 : 32);
    if (size < 4 || n < WF__LINE_WORDS)
        return true;
    if (is_write)
        close_lines(x, at, n, lane, h, 0);
    else if (!s.wr_kept)
        close_lines(x, at, n, lane, 0, h);
    else if (wr_is_one && x->pool->rec[wr >> 5].bytes == size)
        close_lines(x, at, n, lane, wr, h);
    return true;
}

bool wf__span_pattern(struct wf__acc *x, const struct wf__pattern *p, uint64_t at)
{
    bool is_write = x->site->is_write;
    if (p->is_dense)
        for (uint64_t i = at / 4; i < at / 4 + p->n; i = (i | 31) + 1)
            wf__cell_at(x->pool, x->cell0, i);
    for (uint32_t i = 0; i < p->n && !p->is_dense; i++)
        wf__cell_at(x->pool, x->cell0, at / 4 + p->idx[i]);
    uint64_t *cell = x->cell0 + at / 4;
    uint32_t n = p->n, gone = x->pool->gone << 5, floor = x->pool->first << 5, lane0 = p->lane[0];
    struct scan s;
    if (p->is_dense)
        scan_fn(cell, n, p->lane, gone, floor, &s);
    else
        scan_words_fn(cell, n, p->lane, gone, floor, &s, p->idx);
    uint32_t wr = (uint32_t)cell[0], rd = (uint32_t)(cell[0] >> 32);
    uint32_t as = p->is_grouped ? WF__NO_LANE : lane0; // a group is no lane
    x->is_conflict = true;
    if (s.wr_live && (s.wr_off || wr & WF__SPILL || !one_record(wr, p->least, p->most, lane0) || !wf__rec_before(x, wr, as)))
        return false;
    uint32_t rec = p->is_grouped ? wf__group_rec(x, p) : wf__acc_rec(x), h = rec << 5 | lane0;
    x->rec = rec;
    x->is_conflict = is_write;
    if (s.rd_live) {
        if (s.rd_off || !one_record(rd, p->least, p->most, lane0))
            return false;
        if (!is_write && rd == h)
            return true; // nothing new
        if (!wf__rec_before(x, rd, as) && (is_write || !(h = read_half(x, rd, rec, lane0))))
            return false;
    }
    uint64_t keep = is_write ? 0 : UINT32_MAX;
    uint32_t shift = is_write ? 0 : 32;
    if (p->is_dense)
        store_fn(cell, n, p->lane, h - lane0, keep, shift);
    else
        store_words_fn(cell, n, p->lane, h - lane0, keep, shift, p->idx);
    return true;
}

// SPDX-License-Identifier: Apache-2.0
// See heard.h.
#include "check/heard.h"

#include "base/arena.h"    // wf_xrealloc
#include "base/bits.h"     // wf_ctz32
#include "check/line.h"    // wf__cell_at
#include "check/pattern.h" // struct wf__pattern

bool wf__heard_more(struct wf__heard *h)
{
    if (h->cap == WF__MOST_HEARD)
        return false;
    h->cap = h->cap ? 2 * h->cap : 64;
    h->at = wf_xrealloc(h->at, h->cap * sizeof *h->at);
    return true;
}

// The readers that read `rd` without its newest ones of the same warp and lane: the newer read stands for them.
static uint32_t without_own(const struct wf__pool *p, uint32_t rd, const struct wf__rec *r, uint32_t lane)
{
    for (;;) {
        const struct wf__rec *u = &p->rec[rd >> 5], *m = u->kind == WF__PAIR ? &p->rec[u->add] : u;
        if (m->serial != r->serial || m->warp != r->warp || m->flags & (WF__ASYNC | WF__NC | WF__GUESS) ||
            wf__rec_lanes(m, rd & 31) & ~wf__rec_lanes(r, lane) || m->bytes < 4 || r->bytes < 4)
            return rd;
        if (u->kind != WF__PAIR)
            return 0;
        rd = u->prev << 5 | ((rd + u->delta) & 31);
    }
}

static void word_read(struct wf__pool *p, uint64_t *cell, uint32_t rec, uint32_t lane)
{
    uint32_t wr = (uint32_t)*cell, rd = (uint32_t)(*cell >> 32), h = rec << 5 | lane;
    if (wr & WF__SPILL) // of a word that is no more
        wr = rd = 0;
    if (rd >> 5 >= p->first && rd != h) {
        uint32_t known = wf__read_known(p, rd, rec, lane);
        uint32_t left = known ? 0 : without_own(p, rd, &p->rec[rec], lane);
        h = known ? known : left ? wf__read_union(p, left, rec, lane, true) : h;
    }
    *cell = (uint64_t)h << 32 | wr;
}

static bool is_all_old(const uint64_t *first, uint32_t floor)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < WF__LINE_WORDS; i++)
        live |= ((uint32_t)first[i] >= floor) | ((uint32_t)(first[i] >> 32) >= floor);
    return !live;
}

// A whole line that a warp read side by side, h: of its first word. False: word by word.
static bool line_read(struct wf__pool *p, uint64_t *first, uint32_t h)
{
    uint64_t c = *first;
    uint32_t rd = wf__line_reader(c), floor = p->first << 5;
    if (!wf__line_is(c)) {
        if (!is_all_old(first, floor))
            return false;
        p->closed++;
        c = rd = 0;
    }
    if (rd >= floor && rd != h) {
        if (p->rec[rd >> 5].bytes != p->rec[h >> 5].bytes || (rd & 31) != (h & 31))
            return false;
        uint32_t known = wf__read_known(p, rd, h >> 5, h & 31);
        h = known ? known : wf__read_union(p, rd, h >> 5, h & 31, false);
    }
    *first = WF__LINE | (uint64_t)h << 32 | (uint32_t)c;
    return true;
}

static void words_read(struct wf__pool *p, uint64_t *cell0, const struct wf__heard1 *e)
{
    uint32_t size = p->rec[e->rec].bytes, lo = wf_ctz32(e->mask);
    uint32_t n = e->p ? e->p->n : size * (32 - lo - (uint32_t)__builtin_clz(e->mask)) / 4;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = e->p ? e->p->lane[i] : lo + i * 4 / size, at = e->word + (e->p ? e->p->idx[i] : i);
        if (!e->p && size >= 4 && at % WF__LINE_WORDS == 0 && n - i >= WF__LINE_WORDS &&
            line_read(p, cell0 + at, e->rec << 5 | lane))
            i += WF__LINE_WORDS - 1;
        else
            word_read(p, wf__cell_at(p, cell0, at), e->rec, lane);
    }
}

void wf__heard_end(struct wf__heard *h, struct wf__pool *p, uint64_t *cell0)
{
    h->is_on = false;
    for (uint32_t i = 0; i < h->n; i++)
        words_read(p, cell0, &h->at[i]);
    h->n = 0;
}

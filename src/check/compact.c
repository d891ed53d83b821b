// SPDX-License-Identifier: Apache-2.0
// When the record numbers of a pool run out: find the records that some cell, word
// or copy still names, number them afresh in their old order, and rewrite every name.
#include "check/compact.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/bits.h"  // wf_popcount32
#include "check/crowd.h" // wf__crowd_reset
#include "check/line.h" // WF__LINE
#include "check/work.h" // struct wf__work

struct plan {
    struct wf__pool *p;
    uint64_t *live;   // a bit for each record
    uint32_t *before; // live ones before each 64
};

static void mark(struct plan *m, uint32_t rec)
{
    while (rec >= m->p->gone && !(m->live[rec / 64] >> (rec % 64) & 1)) {
        const struct wf__rec *r = &m->p->rec[rec];
        m->live[rec / 64] |= UINT64_C(1) << (rec % 64);
        if (r->kind != WF__PAIR)
            return;
        mark(m, r->add);
        rec = r->prev;
    }
}

// The number of the first live record from `rec` on.
static uint32_t place(const struct plan *m, uint32_t rec)
{
    return 1 + m->before[rec / 64] +
           (uint32_t)__builtin_popcountll(m->live[rec / 64] & ((UINT64_C(1) << (rec % 64)) - 1));
}

static uint32_t renamed(const struct plan *m, uint32_t rec)
{
    if (rec < m->p->gone || !(m->live[rec / 64] >> (rec % 64) & 1))
        return 0;
    return place(m, rec);
}

static void mark_cells(struct plan *m, const uint64_t *cell, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t w = (uint32_t)cell[i], r = wf__line_reader(cell[i]);
        if (!cell[i] || w & WF__SPILL)
            continue;
        mark(m, w >> 5);
        mark(m, r >> 5);
        if (i % WF__LINE_WORDS == 0 && wf__line_is(cell[i]))
            i += WF__LINE_WORDS - 1;
    }
}

static void rename_cells(const struct plan *m, uint64_t *cell, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t w = (uint32_t)cell[i], r = wf__line_reader(cell[i]);
        uint64_t line = cell[i] & WF__LINE;
        if (!cell[i])
            continue;
        if (w & WF__SPILL) {
            if (!wf__word_of(m->p, &cell[i]))
                cell[i] = 0;
            continue;
        }
        uint32_t nw = renamed(m, w >> 5), nr = renamed(m, r >> 5);
        cell[i] = line | (uint64_t)(nr ? nr << 5 | (r & 31) : 0) << 32 | (nw ? nw << 5 | (w & 31) : 0);
        if (line)
            i += WF__LINE_WORDS - 1;
    }
}

static void words(struct plan *m, bool only_mark)
{
    for (uint32_t i = 0; i < m->p->n_word; i++) {
        struct wf__word *w = wf__word_at(m->p, i);
        uint32_t n = 0;
        for (uint32_t j = 0; w->cell && j < w->n; j++) {
            if (only_mark) {
                mark(m, w->at[j].rec);
                continue;
            }
            struct wf__entry e = w->at[j];
            e.rec = renamed(m, e.rec);
            if (e.rec)
                w->at[n++] = e;
        }
        if (only_mark)
            continue;
        w->n = n;
        w->n_out = 0;
        wf__crowd_reset(w);
    }
}

static void blocks(struct wf__ctx *c, struct plan *m, bool only_mark, const struct wf__block *owner)
{
    for (struct wf__grid *g = c->grids; g; g = g->next)
        for (struct wf__block *b = g->blocks; b; b = b->next) {
            for (uint32_t i = 0; !only_mark && i < b->n_warps; i++)
                memset(b->warp[i].kept, 0, sizeof b->warp[i].kept);
            uint64_t key;
            void *v;
            for (size_t i = 0; wf_map_next(&b->async, &i, &key, &v);) {
                struct wf__copy *k = v;
                uint32_t *rec[2] = {owner ? &k->dst : &k->src, owner ? &k->src_shared : &k->dst_global};
                if (owner && owner != b)
                    continue;
                for (int r = 0; r < 2; r++) {
                    if (only_mark)
                        mark(m, *rec[r]);
                    else
                        *rec[r] = renamed(m, *rec[r]);
                }
            }
        }
}

static void records(struct plan *m)
{
    struct wf__pool *p = m->p;
    uint32_t n = 1;
    for (uint32_t i = p->gone; i < p->n_rec; i++) {
        if (!(m->live[i / 64] >> (i % 64) & 1))
            continue;
        struct wf__rec r = p->rec[i];
        if (r.kind == WF__PAIR) {
            r.prev = renamed(m, r.prev);
            r.add = renamed(m, r.add);
        }
        p->rec[n++] = r;
    }
    p->first = place(m, p->first);
    p->n_rec = n;
    p->gone = 1;
    wf__memo_clear(p);
}

void wf__pool_compact(struct wf__ctx *c, struct wf__pool *p, const struct wf__block *owner)
{
    struct wf__shadow *s = &c->sh;
    uint32_t n64 = p->n_rec / 64 + 1, sum = 0;
    struct plan m = {p, wf_xcalloc(n64, sizeof *m.live), wf_xcalloc(n64, sizeof *m.before)};
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            for (uint32_t i = 0; i < n64; i++) {
                m.before[i] = sum;
                sum += (uint32_t)__builtin_popcountll(m.live[i]);
            }
            if (sum > p->cap_rec / 8 * 7) { // no room to go on with: forget, and say so
                memset(m.live, 0, n64 * sizeof *m.live);
                c->stats.forgotten++;
            }
        }
        if (owner) {
            struct wf__slot *t = owner->slot;
            pass ? rename_cells(&m, t->cell, t->words) : mark_cells(&m, t->cell, t->words);
        }
        for (uint64_t i = 0; !owner && i <= s->bytes >> 20; i++) {
            uint64_t at = i << 18, n = s->bytes / 4 - at < 1u << 18 ? s->bytes / 4 - at : 1u << 18;
            if (s->touched[i])
                pass ? rename_cells(&m, s->cell + at, n) : mark_cells(&m, s->cell + at, n);
        }
        words(&m, pass == 0);
        blocks(c, &m, pass == 0, owner);
    }
    for (size_t i = 0; !owner && i < c->works.n; i++)
        c->works.at[i]->rec0 = place(&m, c->works.at[i]->rec0);
    records(&m);
    // The next time when that many were made that a look at all cells is little beside it.
    uint64_t lines = 0, most = p->cap_rec - WF__ACCESS_RECS;
    for (uint64_t i = 0; !owner && i <= s->bytes >> 20; i++)
        lines += s->touched[i] ? (1u << 20) / 128 : 0;
    if (p->limit >= WF__ACCESS_RECS) { // not in tests
        uint64_t next = 4 * lines > 2 * (uint64_t)p->n_rec ? 4 * lines : 2 * (uint64_t)p->n_rec;
        next = next > WF__FIRST_LIMIT ? next : WF__FIRST_LIMIT;
        p->limit = (uint32_t)(next < most ? next : most);
    }
    free(m.live);
    free(m.before);
}

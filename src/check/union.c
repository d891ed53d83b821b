// SPDX-License-Identifier: Apache-2.0
// Unions of readers: what the reader half of a cell stands for when several unordered reads matter.
//
// A union is a chain of records, the newest reader first. It is memoized, so that a tile read by many warps costs
// one record a warp access, whatever its words.
#include <stdlib.h> // free
#include <string.h> // memcmp

#include "base/arena.h"   // wf_xcalloc
#include "check/shadow.h" // struct wf__pool

#define LOOK 8u // members that are compared with a new one

static bool same_time(const struct wf__rec *a, const struct wf__rec *b)
{
    return a->serial == b->serial && a->warp == b->warp && a->epoch == b->epoch &&
           !((a->flags ^ b->flags) & (WF__GUESS | WF__NC | WF__STRONG)) &&
           !((a->flags | b->flags) & WF__ASYNC);
}

// Does m, read by the handle's lane l, say what r does of `lane`? 1 yes and so for every lane shifted alike,
// 2 yes for this lane.
static int says(const struct wf__rec *m, uint32_t l, const struct wf__rec *r, uint32_t lane)
{
    if (!same_time(m, r) || wf__rec_lanes(r, lane) & ~wf__rec_lanes(m, l))
        return 0;
    if (m->bytes < 4 && (r->bytes != m->bytes || l != lane)) // each of its lanes has a part of the word
        return 0;
    return m->kind == r->kind && l == lane && (m->kind != WF__GROUP || m->prev == r->prev) ? 1 : 2;
}

// Do the members of h, the newest ones, hold (same block, warp and epoch as r) in that lane already?
static int union_has(const struct wf__pool *p, uint32_t h, const struct wf__rec *r, uint32_t lane)
{
    for (uint32_t n = 0;; n++) {
        const struct wf__rec *m = &p->rec[h >> 5];
        uint32_t l = h & 31;
        int yes = says(m->kind == WF__PAIR ? &p->rec[m->add] : m, l, r, lane);
        if (yes || m->kind != WF__PAIR || n == LOOK)
            return yes;
        h = m->prev << 5 | ((l + m->delta) & 31);
    }
}

static uint64_t union_key(uint32_t h, uint32_t add, uint32_t lane)
{
    return (uint64_t)(h >> 5) << 37 | (uint64_t)add << 5 | (((h & 31) - lane) & 31);
}

uint32_t wf__read_known(struct wf__pool *p, uint32_t h, uint32_t add, uint32_t lane)
{
    uint64_t key = union_key(h, add, lane);
    uint64_t slot = (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - p->memo_bits);
    if (!p->memo || p->memo[slot].key != key || p->memo[slot].rec < p->first)
        return 0;
    return p->memo[slot].rec << 5 | (p->memo[slot].rec == h >> 5 ? (h & 31) : lane);
}

// A record that stands for handle h and (add, lane).
static uint32_t pair(struct wf__pool *p, uint32_t h, uint32_t add, uint32_t lane)
{
    uint32_t rec = wf__rec_new(p);
    struct wf__rec *n = &p->rec[rec];
    const struct wf__rec *a = &p->rec[add], *prev = &p->rec[h >> 5];
    *n = *a;
    n->kind = WF__PAIR;
    n->flags = (uint8_t)(a->flags | prev->flags);
    n->prev = h >> 5;
    n->add = add;
    n->delta = (uint8_t)((h - lane) & 31);
    n->serial = prev->serial == a->serial ? a->serial : UINT32_MAX;
    n->warp = prev->warp == a->warp ? a->warp : UINT16_MAX;
    n->epoch = prev->epoch > a->epoch ? prev->epoch : a->epoch;
    n->base = prev->kind == WF__PAIR ? prev->base + 1 : 2;
    return rec;
}

struct member {
    uint64_t key[3]; // equal: one says what the other does
    uint32_t rec, lane, age;
};

static struct member member_of(const struct wf__pool *p, uint32_t rec, uint32_t lane, uint32_t age)
{
    const struct wf__rec *r = &p->rec[rec];
    uint32_t bytes = r->bytes < 4 ? r->bytes : 4, flags = r->flags & (WF__GUESS | WF__NC | WF__STRONG | WF__ASYNC);
    return (struct member){.key = {(uint64_t)r->serial << 32 | r->epoch,
                                   (uint64_t)r->warp << 32 | flags << 16 | (uint32_t)r->kind << 8 | bytes,
                                   (uint64_t)(r->kind == WF__GROUP ? r->prev : 0) << 32 | lane},
                           .rec = rec,
                           .lane = lane,
                           .age = age};
}

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return x->age < y->age ? 1 : -1; // oldest first
}

static int by_age(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->age < y->age ? 1 : -1;
}

// A long union without the members that say what others say; h itself when most are needed.
static uint32_t thinned(struct wf__pool *p, uint32_t h)
{
    uint32_t all = p->rec[h >> 5].base, n = 0, kept = 0;
    if (p->cap_rec - p->n_rec < 4 * WF__ACCESS_RECS + all)
        return h;
    struct member *m = wf_xmalloc((all + 1) * sizeof *m);
    for (uint32_t at = h;; n++) {
        const struct wf__rec *r = &p->rec[at >> 5];
        if (at >> 5 < p->first || n == all)
            break;
        m[n] = member_of(p, r->kind == WF__PAIR ? r->add : at >> 5, at & 31, n);
        if (r->kind != WF__PAIR) {
            n++;
            break;
        }
        at = r->prev << 5 | ((at + r->delta) & 31);
    }
    qsort(m, n, sizeof *m, by_key);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || memcmp(m[i].key, m[kept - 1].key, sizeof m[i].key) || p->rec[m[i].rec].flags & WF__ASYNC)
            m[kept++] = m[i];
    if (kept <= n / 2) {
        qsort(m, kept, sizeof *m, by_age);
        h = m[0].rec << 5 | m[0].lane;
        for (uint32_t i = 1; i < kept; i++)
            h = pair(p, h, m[i].rec, m[i].lane) << 5 | m[i].lane;
    }
    free(m);
    return h;
}

uint32_t wf__read_union(struct wf__pool *p, uint32_t h, uint32_t add, uint32_t lane, bool is_one)
{
    uint32_t known = wf__read_known(p, h, add, lane);
    if (known)
        return known;
    uint64_t key = union_key(h, add, lane), slot = (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - p->memo_bits);
    if (!p->memo)
        p->memo = wf_xcalloc((size_t)1 << p->memo_bits, sizeof *p->memo);
    int has = union_has(p, h, &p->rec[add], lane);
    if (has == 2 && is_one)
        return h;
    uint32_t rec = h >> 5;
    if (has != 1) {
        const struct wf__rec *r = &p->rec[rec];
        rec = pair(p, r->kind == WF__PAIR && r->base >= 8 && wf__union_due(p, r) ? thinned(p, h) : h, add, lane);
    }
    p->memo[slot].key = key;
    p->memo[slot].rec = rec;
    return rec << 5 | (rec == h >> 5 ? (h & 31) : lane);
}

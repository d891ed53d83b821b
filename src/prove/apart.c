// SPDX-License-Identifier: Apache-2.0
// Do two accesses of a launch never touch a byte in two threads without order?
//
// Forms with the same weights differ by a constant only. Sorted by weight, digits whose weight is at least as large as
// all that the smaller ones and the element can add make each address once (mixed radix): then no two threads meet.
// The constant is a digit more, of two values. Threads that a barrier orders need be apart from those outside of the
// barrier's reach only.
#include <string.h> // memcpy

#include "prove/digits.h"
#include "prove/machine.h"

// Are all numbers that the digits make at least `width` apart?
static bool is_spread(struct digit *d, uint32_t n, int64_t width)
{
    prove__sort_digits(d, n);
    for (uint32_t i = 0; i < n; i++) {
        if (d[i].weight < width)
            return false;
        width += d[i].weight * (d[i].extent - 1);
    }
    return true;
}

// Which of the threads' digits part two threads that are not ordered: all, those of warps and blocks, those of blocks.
enum reach { ALL, WARPS, BLOCKS };

static bool is_outer(const struct space *s, uint32_t i, enum reach r)
{
    return r == ALL || i >= s->n_tid || (r == WARPS && s->linear[i] >= 32);
}

static int64_t extent_of(const struct touch *a, const struct touch *b, uint32_t i)
{
    int64_t lo = a->box.lo[i] < b->box.lo[i] ? a->box.lo[i] : b->box.lo[i];
    int64_t hi = a->box.hi[i] > b->box.hi[i] ? a->box.hi[i] : b->box.hi[i];
    return hi - lo + 1;
}

// Both addresses' weights and constants. A digit that one of them has at one value only counts with the weight that the
// other has for it.
struct view {
    int64_t k[2], c[2][PROVE_ATOMS];
};

static bool is_fixed(const struct touch *t, uint32_t i)
{
    return t->box.lo[i] == t->box.hi[i];
}

static void look(const struct space *s, const struct touch *a, const struct touch *b, struct view *v)
{
    const struct touch *t[2] = {a, b};
    for (int x = 0; x < 2; x++) {
        v->k[x] = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            bool fixed = is_fixed(t[x], i);
            v->k[x] += fixed ? t[x]->at->c[i] * t[x]->box.lo[i] : 0;
            v->c[x][i] = fixed ? 0 : t[x]->at->c[i];
        }
    }
    for (int x = 0; x < 2; x++)
        for (uint32_t i = 0; i < s->n; i++)
            if (is_fixed(t[x], i) && !is_fixed(t[!x], i)) {
                v->c[x][i] = v->c[!x][i];
                v->k[x] -= v->c[x][i] * t[x]->box.lo[i];
            }
}

// Bytes from the inner digits, slack and element included: [*lo, *hi) beside the outer digits' sum.
static void inner_part(const struct space *s, const struct touch *t, const struct view *v, int x, enum reach r, int64_t *lo, int64_t *hi)
{
    *lo = v->k[x] + t->at->k + t->at->lo;
    *hi = v->k[x] + t->at->k + t->at->hi + t->bytes;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t c = v->c[x][i];
        if (!c || is_outer(s, i, r))
            continue;
        *lo += c * (c > 0 ? t->box.lo[i] : t->box.hi[i]);
        *hi += c * (c > 0 ? t->box.hi[i] : t->box.lo[i]);
    }
}

// Threads that differ in an outer digit never meet.
static bool are_apart_outside(const struct space *s, const struct touch *a, const struct touch *b, enum reach r, uint32_t n)
{
    struct digit d[PROVE_ATOMS + 1], copy[PROVE_ATOMS + 1];
    struct view v;
    uint32_t n_d = 0;
    int64_t alo, ahi, blo, bhi;
    bool has_still = false; // outer digits that do not move the address
    look(s, a, b, &v);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_outer(s, i, r))
            continue;
        if (v.c[0][i] != v.c[1][i])
            return false;
        int64_t e = extent_of(a, b, i);
        if (e < 2)
            continue;
        has_still |= !v.c[0][i];
        if (v.c[0][i])
            d[n_d++] = (struct digit){prove__magnitude(v.c[0][i]), e};
    }
    inner_part(s, a, &v, 0, r, &alo, &ahi);
    inner_part(s, b, &v, 1, r, &blo, &bhi);
    int64_t width_a = ahi - alo, width_b = bhi - blo, lo = alo < blo ? alo : blo, hi = ahi > bhi ? ahi : bhi;
    memcpy(copy, d, sizeof copy);
    if (!has_still && is_spread(copy, n_d, hi - lo))
        return true;
    if (r != ALL || alo == blo) // the same thread, or one that is ordered, may be meant
        return false;
    d[n_d++] = (struct digit){prove__magnitude(blo - alo), 2};
    return is_spread(d, n_d, width_a > width_b ? width_a : width_b);
}

// The smaller digits' part of an address under the box: [*lo, *hi). Digits of weight `from` on are left out.
static void low_part(const struct space *s, const struct touch *t, const struct view *v, int x, int64_t from, int64_t *lo, int64_t *hi)
{
    *lo = v->k[x] + t->at->k + t->at->lo;
    *hi = v->k[x] + t->at->k + t->at->hi + t->bytes;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t c = v->c[x][i];
        if (!c || prove__magnitude(c) >= from)
            continue;
        *lo += c * (c > 0 ? t->box.lo[i] : t->box.hi[i]);
        *hi += c * (c > 0 ? t->box.hi[i] : t->box.lo[i]);
    }
}

// Whatever the threads: the large digits lead to rows, and within a row the two never meet, as the border of a tile and
// its inside.
static bool are_apart_in_rows(const struct space *s, const struct touch *a, const struct touch *b, int64_t from)
{
    struct digit d[PROVE_ATOMS];
    struct view v;
    uint32_t n = 0;
    int64_t alo, ahi, blo, bhi;
    look(s, a, b, &v);
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t e = extent_of(a, b, i), c = v.c[0][i];
        if (prove__magnitude(c) < from && prove__magnitude(v.c[1][i]) < from)
            continue;
        if (c != v.c[1][i])
            return false;
        if (e > 1)
            d[n++] = (struct digit){prove__magnitude(c), e};
    }
    low_part(s, a, &v, 0, from, &alo, &ahi);
    low_part(s, b, &v, 1, from, &blo, &bhi);
    if (ahi > blo && bhi > alo)
        return false;
    return is_spread(d, n, (ahi > bhi ? ahi : bhi) - (alo < blo ? alo : blo));
}

static bool are_apart_in_some_rows(const struct space *s, const struct touch *a, const struct touch *b)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (a->at->c[i] && are_apart_in_rows(s, a, b, prove__magnitude(a->at->c[i])))
            return true;
    return false;
}

// Whatever the threads: remainders that never meet.
static bool are_apart_by_rest(const struct space *s, const struct touch *a, const struct touch *b)
{
    int64_t g = prove__gcd(a->at->lo == a->at->hi ? 0 : a->at->grain, b->at->lo == b->at->hi ? 0 : b->at->grain);
    for (uint32_t i = 0; i < s->n; i++)
        g = prove__gcd(prove__gcd(g, a->at->c[i]), b->at->c[i]);
    if (!g)
        return false;
    int64_t by = ((b->at->k + b->at->lo - a->at->k - a->at->lo) % g + g) % g;
    return by >= a->bytes && by + b->bytes <= g;
}

static bool is_one_warp(const struct space *s, const struct touch *t)
{
    for (uint32_t i = 0; i < s->n_tid; i++)
        if (s->linear[i] >= 32 && t->box.lo[i] != t->box.hi[i])
            return false;
    return s->has_warps;
}

static bool is_same_warp(const struct space *s, const struct touch *a, const struct touch *b)
{
    for (uint32_t i = 0; i < s->n_tid; i++)
        if (s->linear[i] >= 32 && (a->box.lo[i] != b->box.lo[i] || a->box.hi[i] != b->box.hi[i]))
            return false;
    return is_one_warp(s, a) && is_one_warp(s, b);
}

static bool are_apart(const struct space *s, const struct touch *a, const struct touch *b)
{
    if (a->is_atomic && b->is_atomic && a->bytes == b->bytes)
        return true;
    if (!a->is_shared && (a->is_guarded || b->is_guarded)) // whether plain ones are there is asked with the rows
        return !a->is_atomic || !b->is_atomic;
    if (a->is_nc || b->is_nc)
        return false;
    bool by_block = a->phase != b->phase;
    bool by_warp = a->warp_run == b->warp_run && a->warp_phase != b->warp_phase && s->has_warps;
    uint32_t n = a->is_shared ? s->n_tid : s->n;
    if (by_block && a->is_shared)
        return true;
    if (by_warp && a->is_shared && is_same_warp(s, a, b))
        return true;
    if (are_apart_outside(s, a, b, ALL, n) || are_apart_by_rest(s, a, b) || are_apart_in_some_rows(s, a, b))
        return true;
    return (by_warp && are_apart_outside(s, a, b, WARPS, n)) || (by_block && are_apart_outside(s, a, b, BLOCKS, n));
}

static bool is_far(const struct touch *a, const struct touch *b)
{
    return a->hi <= b->lo || b->hi <= a->lo;
}

// It may cost about as much as the launch costs watched.
bool prove__apart(struct machine *m)
{
    const struct wf_launch *l = m->x->launch;
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z * l->grid.x * l->grid.y * l->grid.z;
    uint64_t left = 100000 + threads / 4 * m->touch.n;
    for (size_t i = 0; i < m->touch.n; i++) {
        const struct touch *a = &m->touch.at[i];
        if (!a->is_write)
            continue;
        for (size_t j = 0; j < m->touch.n; j++) {
            const struct touch *b = &m->touch.at[j];
            if (a->is_shared != b->is_shared || (j < i && b->is_write) || is_far(a, b))
                continue;
            if (!left--)
                return prove__fail(m, "too many accesses to compare", a->line);
            if (!are_apart(&m->s, a, b))
                return prove__fail(m, "two threads that may touch the same memory", a->line);
        }
    }
    return true;
}

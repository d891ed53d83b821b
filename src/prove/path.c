// SPDX-License-Identifier: Apache-2.0
// Ranges of forms under conditions.
//
// With weights l >= 0 the most of a under e >= 0 is no more than the most of a + l * e over all threads. The weights
// tried are those at which one digit cancels; where a and e are parallel, as address and index are, that is exact. The
// next condition is added to the sum that the last one left.
#include "prove/path.h"

#include <string.h> // memcpy

typedef __int128 wide;

struct sum { // (k + sum of c * atom) / by, the conditions' parts included
    wide k, c[PROVE_ATOMS], by;
};

static wide floor_wide(wide a, wide b)
{
    return a >= 0 ? a / b : -(-(a + 1) / b) - 1;
}

// *out = q * a + p * b; false: too large.
static bool combined(wide q, wide a, wide p, wide b, wide *out)
{
    wide x, y;
    return !__builtin_mul_overflow(q, a, &x) && !__builtin_mul_overflow(p, b, &y) && !__builtin_add_overflow(x, y, out);
}

// The most of (q * m + p * e) / q, times q and m's own divisor. False: too large.
static bool most_of(const struct space *s, const struct sum *m, wide q, const struct form *e, wide p, wide *sum)
{
    if (!combined(q, m->k, p, (wide)e->k + e->hi, sum))
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        wide c;
        if ((!m->c[i] && !e->c[i]) || s->extent[i] < 2)
            continue;
        if (!combined(q, m->c[i], p, e->c[i], &c) || (c > 0 && !combined(c, s->extent[i] - 1, 1, *sum, sum)))
            return false;
    }
    return true;
}

static wide magnitude(wide a)
{
    return a < 0 ? -a : a;
}

// Adds the condition with the weight that makes the most of m least.
static void add_best(const struct space *s, struct sum *m, const struct form *e, int64_t *best)
{
    wide p_best = 0, q_best = 1, p0 = 0, q0 = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!m->c[i] || !e->c[i] || (m->c[i] > 0) == (e->c[i] > 0))
            continue;
        wide p = magnitude(m->c[i]), q = magnitude(e->c[i]), x, y;
        if (__builtin_mul_overflow(p, q0, &x) || __builtin_mul_overflow(q, p0, &y) || (q0 && x == y))
            continue;
        p0 = p;
        q0 = q;
        wide by, most;
        if (__builtin_mul_overflow(q, m->by, &by) || !most_of(s, m, q, e, p, &most))
            continue;
        most = floor_wide(most, by);
        if (most < *best) {
            *best = most < INT64_MIN / 2 ? INT64_MIN / 2 : (int64_t)most;
            p_best = p;
            q_best = q;
        }
    }
    if (!p_best)
        return;
    m->k = q_best * m->k + p_best * ((wide)e->k + e->hi);
    for (uint32_t i = 0; i < s->n; i++)
        m->c[i] = q_best * m->c[i] + p_best * e->c[i];
    m->by *= q_best;
}

// sign: 1 the most of a, -1 the most of -a.
static int64_t most(const struct space *s, const struct form *a, const struct conds *c, int sign)
{
    int64_t best = sign > 0 ? a->max : -a->min;
    struct sum m;
    if (!c->n)
        return best;
    m.k = sign * (wide)a->k + (sign > 0 ? a->hi : -(wide)a->lo);
    m.by = 1;
    for (uint32_t i = 0; i < s->n; i++)
        m.c[i] = sign * (wide)a->c[i];
    for (uint32_t j = 0; j < c->n; j++)
        add_best(s, &m, c->e[j], &best);
    return best;
}

int64_t prove__most(const struct space *s, const struct form *a, const struct conds *c)
{
    return most(s, a, c, 1);
}

int64_t prove__least(const struct space *s, const struct form *a, const struct conds *c)
{
    return -most(s, a, c, -1);
}

bool prove__is_nobody(const struct space *s, const struct conds *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (prove__most(s, c->e[i], c) < 0)
            return true;
    return false;
}

static void add(const struct space *s, struct conds *c, const struct form *e)
{
    if (e->min >= 0) // says nothing
        return;
    for (uint32_t i = 0; i < c->n; i++)
        if (prove__same_atoms(s, c->e[i], e)) { // the stronger one says all
            if (e->k < c->e[i]->k)
                c->e[i] = e;
            return;
        }
    if (c->n < PROVE_CONDS)
        c->e[c->n++] = e;
    else
        c->is_exact = false;
}

void prove__conds_add(const struct space *s, struct conds *c, const struct conds *more)
{
    c->is_exact &= more->is_exact;
    for (uint32_t i = 0; i < more->n; i++)
        add(s, c, more->e[i]);
}

void prove__conds_at_least(struct space *s, struct conds *c, const struct form *a, int64_t k)
{
    if (!a->is_known) {
        c->is_exact = false;
        return;
    }
    if (a->lo != a->hi)
        c->is_exact = false;
    struct form *e = wf_arena_alloc(s->arena, sizeof *e + s->n * sizeof e->c[0]);
    memcpy(e, a, sizeof *e + s->n * sizeof e->c[0]);
    e->bits = 64;
    e->k = a->k + a->hi - k;
    e->max = a->max - k;
    e->min = a->min - k + (a->hi - a->lo);
    e->lo = e->hi = 0;
    add(s, c, e);
}

void prove__box(struct space *s, const struct conds *c, struct box *b)
{
    for (uint32_t i = 0; i < s->n; i++) {
        b->lo[i] = 0;
        b->hi[i] = s->extent[i] - 1;
    }
    if (!c->n)
        return;
    struct wf_arena_mark mark = wf_arena_mark(s->arena);
    struct form *a = wf_arena_alloc(s->arena, sizeof *a + s->n * sizeof a->c[0]);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->extent[i] < 2)
            continue;
        a->c[i] = 1;
        a->max = s->extent[i] - 1;
        int64_t hi = prove__most(s, a, c), lo = prove__least(s, a, c);
        b->hi[i] = hi < b->hi[i] ? hi : b->hi[i];
        b->lo[i] = lo > 0 ? lo : 0;
        a->c[i] = 0;
    }
    wf_arena_rewind(s->arena, mark);
}

bool prove__conds_have_atoms(const struct conds *c, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (prove__has_atoms(c->e[i], from, to))
            return true;
    return false;
}

const struct form *prove__either_of(struct space *s, const struct form *a, const struct conds *ca, const struct form *b,
                                    const struct conds *cb)
{
    if (a == b || !a->is_known || !b->is_known || prove__same_atoms(s, a, b))
        return prove__either(s, a, b);
    int64_t lo = prove__least(s, a, ca), lo2 = prove__least(s, b, cb), hi = prove__most(s, a, ca), hi2 = prove__most(s, b, cb);
    return prove__between(s, a->bits, lo < lo2 ? lo : lo2, hi > hi2 ? hi : hi2);
}

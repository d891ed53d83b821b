// SPDX-License-Identifier: Apache-2.0
// Arithmetic of forms. Whatever overflows, or is no form any more, becomes unknown: that is always right.
#include "prove/value.h"

#include <string.h> // memcpy

#include "prove/digits.h"

static struct form *new_form(struct space *s, unsigned bits)
{
    struct form *f = wf_arena_alloc(s->arena, sizeof *f + s->n * sizeof f->c[0]);
    f->bits = (uint8_t)bits;
    return f;
}

const struct form *prove__unknown(struct space *s, unsigned bits)
{
    return new_form(s, bits);
}

// Ends of the range; false when they leave what can be counted with.
static bool find_ends(const struct space *s, struct form *f)
{
    __int128 lo = (__int128)f->k + f->lo, hi = (__int128)f->k + f->hi;
    for (uint32_t i = 0; i < s->n; i++) {
        __int128 far = (__int128)f->c[i] * (s->extent[i] - 1);
        if (far < 0)
            lo += far;
        else
            hi += far;
    }
    const __int128 most = (__int128)1 << 62;
    if (lo < -most || hi > most)
        return false;
    f->min = (int64_t)lo;
    f->max = (int64_t)hi;
    return true;
}

// Made a register's value: moved by 2^bits where that makes it a number of so many bits.
static const struct form *made(struct space *s, struct form *f)
{
    f->is_known = true;
    if (!find_ends(s, f))
        return prove__unknown(s, f->bits);
    if (f->bits >= 64)
        return f;
    int64_t all = INT64_C(1) << f->bits, low = -(all >> 1);
    if (f->min < low || f->max >= all) {
        int64_t turns = f->min >= 0 ? f->min / all : -((all - 1 - f->min) / all);
        f->k -= turns * all;
        f->min -= turns * all;
        f->max -= turns * all;
    }
    return f->min >= low && f->max < all ? f : prove__unknown(s, f->bits);
}

const struct form *prove__constant(struct space *s, unsigned bits, int64_t k)
{
    return prove__between(s, bits, k, k);
}

const struct form *prove__between(struct space *s, unsigned bits, int64_t lo, int64_t hi)
{
    struct form *f = new_form(s, bits);
    f->k = lo;
    f->grain = 1;
    if (__builtin_sub_overflow(hi, lo, &f->hi))
        return prove__unknown(s, bits);
    return made(s, f);
}

bool prove__has_atoms(const struct form *a, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (a->c[i])
            return true;
    return false;
}

bool prove__same_atoms(const struct space *s, const struct form *a, const struct form *b)
{
    return !memcmp(a->c, b->c, s->n * sizeof a->c[0]);
}

bool prove__is_constant(const struct space *s, const struct form *a, int64_t *k)
{
    (void)s;
    *k = a->min;
    return a->is_known && a->min == a->max;
}

const struct form *prove__as(struct space *s, const struct form *a, bool is_signed)
{
    unsigned bits = a->bits;
    if (bits >= 64) {
        if (a->is_known && (is_signed || a->min >= 0))
            return a;
        return is_signed || a->is_known ? prove__unknown(s, 64) : a;
    }
    int64_t half = INT64_C(1) << (bits - 1), lo = is_signed ? -half : 0, hi = is_signed ? half - 1 : 2 * half - 1;
    if (!a->is_known)
        return prove__between(s, 64, lo, hi);
    int64_t move = a->min >= lo && a->max <= hi                        ? 0
                   : a->min >= lo + 2 * half && a->max <= hi + 2 * half ? -2 * half
                   : a->min >= lo - 2 * half && a->max <= hi - 2 * half ? 2 * half
                                                                        : 1;
    if (move == 1)
        return prove__between(s, 64, lo, hi);
    return prove__scaled(s, 64, a, 1, move);
}

const struct form *prove__scaled(struct space *s, unsigned bits, const struct form *a, int64_t k, int64_t plus)
{
    if (k == 0)
        return prove__constant(s, bits, plus);
    if (!a->is_known)
        return prove__unknown(s, bits);
    struct form *f = new_form(s, bits);
    bool bad = __builtin_mul_overflow(a->k, k, &f->k);
    bad |= __builtin_add_overflow(f->k, plus, &f->k);
    bad |= __builtin_mul_overflow(a->grain, k > 0 ? k : -k, &f->grain);
    bad |= __builtin_mul_overflow(k > 0 ? a->lo : a->hi, k, &f->lo);
    bad |= __builtin_mul_overflow(k > 0 ? a->hi : a->lo, k, &f->hi);
    f->origin = k == 1 ? a->origin : 0;
    for (uint32_t i = 0; i < s->n; i++)
        bad |= __builtin_mul_overflow(a->c[i], k, &f->c[i]);
    return bad ? prove__unknown(s, bits) : made(s, f);
}

const struct form *prove__resized(struct space *s, unsigned bits, const struct form *a)
{
    return prove__scaled(s, bits, a, 1, 0);
}

int64_t prove__gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a < 0 ? -a : a;
}

// Of both slacks together.
static int64_t common(const struct form *a, const struct form *b)
{
    return prove__gcd(a->lo == a->hi ? 0 : a->grain, b->lo == b->hi ? 0 : b->grain);
}

const struct form *prove__add(struct space *s, unsigned bits, const struct form *a, const struct form *b, int64_t times)
{
    const struct form *x = prove__scaled(s, 64, b, times, 0);
    if (!a->is_known || !x->is_known || !b->is_known)
        return prove__unknown(s, bits);
    struct form *f = new_form(s, bits);
    f->grain = common(a, x);
    f->origin = !x->origin ? a->origin : !a->origin ? x->origin : 0;
    bool bad = __builtin_add_overflow(a->k, x->k, &f->k);
    bad |= __builtin_add_overflow(a->lo, x->lo, &f->lo);
    bad |= __builtin_add_overflow(a->hi, x->hi, &f->hi);
    for (uint32_t i = 0; i < s->n; i++)
        bad |= __builtin_add_overflow(a->c[i], x->c[i], &f->c[i]);
    return bad ? prove__unknown(s, bits) : made(s, f);
}

// Products of two forms: only their range is known.
const struct form *prove__mul(struct space *s, unsigned bits, const struct form *a, const struct form *b)
{
    int64_t k;
    if (prove__is_constant(s, a, &k))
        return prove__scaled(s, bits, b, k, 0);
    if (prove__is_constant(s, b, &k))
        return prove__scaled(s, bits, a, k, 0);
    if (!a->is_known || !b->is_known)
        return prove__unknown(s, bits);
    __int128 p[4] = {(__int128)a->min * b->min, (__int128)a->min * b->max, (__int128)a->max * b->min, (__int128)a->max * b->max};
    __int128 lo = p[0], hi = p[0];
    for (int i = 1; i < 4; i++) {
        lo = p[i] < lo ? p[i] : lo;
        hi = p[i] > hi ? p[i] : hi;
    }
    if (lo < -((__int128)1 << 61) || hi > (__int128)1 << 61)
        return prove__unknown(s, bits);
    return prove__between(s, bits, (int64_t)lo, (int64_t)hi);
}

// The part of a whose weights are no multiples of `by`, within 0..by-1, and the quotient of the others. When the part
// leaves that range the quotient is not exact.
const struct form *prove__divided(struct space *s, const struct form *a, int64_t by, bool rest)
{
    unsigned bits = a->bits;
    if (!a->is_known || by <= 0)
        return rest && by > 0 ? prove__between(s, bits, 0, by - 1) : prove__unknown(s, bits);
    struct form *q = new_form(s, bits), *r = new_form(s, 64);
    q->k = prove__floor_div(a->k, by);
    r->k = a->k - q->k * by;
    r->lo = a->lo;
    r->hi = a->hi;
    r->grain = a->grain;
    for (uint32_t i = 0; i < s->n; i++)
        if (a->c[i] % by)
            r->c[i] = a->c[i];
        else
            q->c[i] = a->c[i] / by;
    r->is_known = true;
    if (!find_ends(s, r))
        return prove__unknown(s, bits);
    bool is_exact = r->min >= 0 && r->max < by;
    if (rest)
        return is_exact ? prove__resized(s, bits, r) : prove__between(s, bits, 0, by - 1);
    q->grain = 1;
    q->lo = prove__floor_div(r->min, by);
    q->hi = prove__floor_div(r->max, by);
    return made(s, q);
}

static bool is_power(int64_t k)
{
    return k > 0 && !(k & (k - 1));
}

// Is each bit of a either a constant or one atom of its own?
static bool is_bits(const struct space *s, const struct form *a, uint64_t *atoms)
{
    uint64_t used = 0;
    if (a->lo || a->hi || a->k < 0)
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!a->c[i])
            continue;
        if (!is_power(a->c[i]) || s->extent[i] != 2 || used & (uint64_t)a->c[i])
            return false;
        used |= (uint64_t)a->c[i];
    }
    *atoms = used;
    return !(used & (uint64_t)a->k);
}

const struct form *prove__and(struct space *s, const struct form *a, const struct form *b)
{
    int64_t k;
    unsigned bits = a->bits;
    if (prove__is_constant(s, a, &k) && !prove__is_constant(s, b, &k)) {
        const struct form *t = a;
        a = b;
        b = t;
    }
    if (!prove__is_constant(s, b, &k))
        return prove__unknown(s, bits);
    int64_t x;
    if (prove__is_constant(s, a, &x))
        return prove__constant(s, bits, x & k);
    if (k >= 0 && is_power(k + 1))
        return prove__divided(s, a, k + 1, true);
    if (k < 0 && is_power(-k) && a->is_known) // rounds down to a multiple
        return prove__add(s, bits, a, prove__divided(s, a, -k, true), -1);
    uint64_t atoms;
    if (k >= 0 && a->is_known && is_bits(s, a, &atoms)) {
        struct form *f = new_form(s, bits);
        f->k = a->k & k;
        for (uint32_t i = 0; i < s->n; i++)
            f->c[i] = a->c[i] & k;
        return made(s, f);
    }
    return k >= 0 ? prove__between(s, bits, 0, k) : prove__unknown(s, bits);
}

static int64_t lowest_bit(const struct space *s, const struct form *a)
{
    uint64_t all = (uint64_t)a->k | (uint64_t)a->lo | (uint64_t)a->hi;
    for (uint32_t i = 0; i < s->n; i++)
        all |= (uint64_t)a->c[i];
    if (a->lo != a->hi)
        all |= 1;
    return all ? (int64_t)(all & -all) : INT64_MAX;
}

const struct form *prove__or(struct space *s, const struct form *a, const struct form *b)
{
    int64_t x, y;
    unsigned bits = a->bits;
    if (prove__is_constant(s, a, &x) && prove__is_constant(s, b, &y))
        return prove__constant(s, bits, x | y);
    if (!a->is_known || !b->is_known || a->min < 0 || b->min < 0)
        return prove__unknown(s, bits);
    if (a->max < lowest_bit(s, b) || b->max < lowest_bit(s, a)) // no bit in both
        return prove__add(s, bits, a, b, 1);
    int64_t most = a->max > b->max ? a->max : b->max, all = 1;
    while (all <= most)
        all *= 2;
    return prove__between(s, bits, a->min > b->min ? a->min : b->min, all - 1);
}

// Bits in another order: bit i goes to 31 - i.
const struct form *prove__reversed(struct space *s, const struct form *a)
{
    uint64_t atoms;
    unsigned bits = a->bits;
    if (!a->is_known || (bits != 32 && bits != 64) || !is_bits(s, a, &atoms) || a->max >= INT64_C(1) << 31)
        return prove__unknown(s, bits);
    struct form *f = new_form(s, bits);
    for (unsigned i = 0; i < 31; i++)
        if (a->k >> i & 1) {
            if (bits - 1 - i > 61)
                return prove__unknown(s, bits);
            f->k |= INT64_C(1) << (bits - 1 - i);
        }
    for (uint32_t i = 0; i < s->n; i++)
        if (a->c[i]) {
            unsigned to = bits - 1 - (unsigned)__builtin_ctzll((uint64_t)a->c[i]);
            if (to > 61)
                return prove__unknown(s, bits);
            f->c[i] = INT64_C(1) << to;
        }
    return made(s, f);
}

const struct form *prove__xor(struct space *s, const struct form *a, const struct form *b)
{
    int64_t x, y;
    unsigned bits = a->bits;
    if (prove__is_constant(s, a, &x)) {
        const struct form *t = a;
        a = b;
        b = t;
    }
    if (!prove__is_constant(s, b, &y))
        return prove__unknown(s, bits);
    if (prove__is_constant(s, a, &x))
        return prove__constant(s, bits, x ^ y);
    uint64_t atoms;
    if (!a->is_known || y < 0 || !is_bits(s, a, &atoms)) {
        if (y == -1 && a->is_known)
            return prove__scaled(s, bits, a, -1, -1);
        return prove__unknown(s, bits);
    }
    struct form *f = new_form(s, bits);
    f->k = a->k ^ (y & ~(int64_t)atoms);
    for (uint32_t i = 0; i < s->n; i++) {
        f->c[i] = a->c[i] & y ? -a->c[i] : a->c[i];
        f->k += a->c[i] & y ? a->c[i] : 0;
    }
    return made(s, f);
}

const struct form *prove__either(struct space *s, const struct form *a, const struct form *b)
{
    if (a == b)
        return a;
    if (!a->is_known || !b->is_known)
        return prove__unknown(s, a->bits);
    if (!prove__same_atoms(s, a, b))
        return prove__between(s, a->bits, a->min < b->min ? a->min : b->min, a->max > b->max ? a->max : b->max);
    if (a->k == b->k && a->lo == b->lo && a->hi == b->hi)
        return a;
    struct form *f = new_form(s, a->bits);
    memcpy(f->c, a->c, s->n * sizeof f->c[0]);
    f->k = a->k;
    int64_t lo = b->k - a->k + b->lo, hi = b->k - a->k + b->hi;
    f->grain = prove__gcd(common(a, b), lo - a->lo);
    f->lo = a->lo < lo ? a->lo : lo;
    f->hi = a->hi > hi ? a->hi : hi;
    return made(s, f);
}

// ---- the threads

static bool add_atoms(struct space *s, int which, int dim, uint32_t extent, int64_t linear)
{
    int64_t weight = 1, rest = extent;
    struct form *f = (struct form *)s->id[which][dim];
    for (; rest > 1; s->n++) {
        if (s->n == PROVE_ATOMS)
            return false;
        int64_t e = rest % 2 ? rest : 2;
        s->extent[s->n] = e;
        s->linear[s->n] = linear * weight;
        f->c[s->n] = weight;
        weight *= e;
        rest /= e;
    }
    f->is_known = true;
    f->max = (int64_t)extent - 1;
    f->bits = 32;
    return true;
}

bool prove__space(struct space *s, const uint32_t block[3], const uint32_t grid[3])
{
    s->n = 0;
    for (int i = 0; i < 6; i++)
        s->id[i / 3][i % 3] = wf_arena_alloc(s->arena, sizeof(struct form) + PROVE_ATOMS * sizeof(int64_t));
    int64_t linear = 1;
    for (int i = 0; i < 3; linear *= block[i++])
        if (!add_atoms(s, 0, i, block[i], linear))
            return false;
    s->n_tid = s->n;
    for (int i = 0; i < 3; i++)
        if (!add_atoms(s, 1, i, grid[i], 0))
            return false;
    s->has_warps = true;
    for (uint32_t i = 0; i < s->n_tid; i++)
        s->has_warps &= s->linear[i] % 32 == 0 || (32 % s->linear[i] == 0 && s->linear[i] * s->extent[i] <= 32);
    return true;
}

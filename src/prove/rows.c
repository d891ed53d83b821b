// SPDX-License-Identifier: Apache-2.0
// The bytes that accesses touch, as rows: of global memory for whoever knows what is live and written, of shared memory
// to see that nothing is read before it was written.
#include <stdlib.h> // qsort
#include <string.h> // memset

#include "prove/digits.h"
#include "prove/machine.h"

#define MOST_ROWS 65536

struct rows {
    WF_VEC(struct wf_ev_row) v;
};

// Condition e takes part of the digits as one number, w * index with index 0, 1, ...: then it bounds that index, and
// the digits become one.
struct joined {
    bool is_digit[PROVE_ATOMS]; // that it stands for
    int64_t weight, count, lo, hi; // the address's part: weight * (lo..hi)
};

static bool is_chain(const struct space *s, const struct form *at, struct joined *j)
{
    struct digit d[PROVE_ATOMS];
    uint32_t n = 0;
    int sign = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (j->is_digit[i]) {
            sign |= at->c[i] < 0 ? 2 : 1;
            d[n++] = (struct digit){prove__magnitude(at->c[i]), s->extent[i]};
        }
    if (sign == 3 || !n)
        return false;
    prove__sort_digits(d, n);
    j->weight = sign == 2 ? -d[0].weight : d[0].weight;
    j->count = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (d[i].weight != d[0].weight * j->count)
            return false;
        j->count *= d[i].extent;
    }
    return true;
}

// Narrows the index by e = k + r * index >= 0. False: e is no such bound.
static bool narrow(const struct space *s, const struct form *at, const struct form *e, struct joined *j)
{
    int64_t r = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!j->is_digit[i])
            continue;
        int64_t step = at->c[i] / j->weight; // of the index
        if (e->c[i] % step || (r && e->c[i] / step != r))
            return false;
        r = e->c[i] / step;
    }
    if (r > 0) {
        int64_t lo = -prove__floor_div(e->k, r);
        j->lo = lo > j->lo ? lo : j->lo;
    } else {
        int64_t hi = prove__floor_div(e->k, -r);
        j->hi = hi < j->hi ? hi : j->hi;
    }
    return true;
}

// The digits that the conditions bound, joined: n of them. False: what they leave is not known exactly.
static bool join_digits(const struct space *s, const struct touch *t, struct joined *out, uint32_t *n)
{
    *n = 0;
    for (uint32_t c = 0; c < t->who->n; c++) {
        const struct form *e = t->who->e[c];
        struct joined j = {.weight = 0};
        bool moves = false, stays = false, is_new = true;
        for (uint32_t i = 0; i < s->n; i++) {
            j.is_digit[i] = e->c[i] && s->extent[i] > 1;
            if (!j.is_digit[i])
                continue;
            moves |= t->at->c[i] != 0;
            stays |= t->at->c[i] == 0;
            if (t->is_shared && i >= s->n_tid) // some blocks only
                return false;
        }
        if (moves && stays)
            return false;
        for (uint32_t k = 0; k < *n; k++) {
            uint32_t common = 0, own = 0;
            for (uint32_t i = 0; i < s->n; i++) {
                common += j.is_digit[i] && out[k].is_digit[i];
                own += j.is_digit[i] != out[k].is_digit[i];
            }
            if (common && own)
                return false;
            if (!common)
                continue;
            if (stays || !narrow(s, t->at, e, &out[k])) // two conditions on who: perhaps nobody satisfies both
                return false;
            is_new = false;
        }
        if (!is_new)
            continue;
        if (moves) {
            if (!is_chain(s, t->at, &j))
                return false;
            j.hi = j.count - 1;
            if (!narrow(s, t->at, e, &j))
                return false;
        } else {
            j.count = 1; // somebody satisfies it: the address is the same for all who do
        }
        out[(*n)++] = j;
    }
    return true;
}

// Calls fn for each row of bytes that the touch may reach; *exact: all of these bytes are reached, whatever happens.
// False: too many rows, or fn said so.
static bool each_row(const struct machine *m, const struct touch *t, bool *exact,
                     bool (*fn)(void *arg, int64_t lo, int64_t hi), void *arg)
{
    const struct space *s = &m->s;
    struct digit d[PROVE_ATOMS];
    struct joined join[PROVE_CONDS];
    uint32_t n = 0, i = 0, n_join = 0;
    int64_t start = t->at->k + t->at->lo, width = t->bytes + t->at->hi - t->at->lo, rows = 1, at[PROVE_ATOMS] = {0};
    *exact = t->is_sure && join_digits(s, t, join, &n_join);
    if (!*exact)
        n_join = 0;
    for (uint32_t a = 0; a < s->n; a++) {
        int64_t c = t->at->c[a], e = t->box.hi[a] - t->box.lo[a] + 1;
        bool is_joined = false;
        for (uint32_t k = 0; k < n_join; k++)
            is_joined |= join[k].is_digit[a];
        if (!c || is_joined)
            continue;
        start += c * (c > 0 ? t->box.lo[a] : t->box.hi[a]);
        if (e > 1)
            d[n++] = (struct digit){prove__magnitude(c), e};
    }
    for (uint32_t k = 0; k < n_join; k++) {
        const struct joined *j = &join[k];
        if (!j->weight)
            continue;
        if (j->lo > j->hi) // nobody
            return true;
        start += j->weight > 0 ? j->weight * j->lo : j->weight * j->hi;
        if (j->hi > j->lo)
            d[n++] = (struct digit){prove__magnitude(j->weight), j->hi - j->lo + 1};
    }
    prove__sort_digits(d, n);
    for (; i < n && d[i].weight <= width; i++) // no gap
        width += d[i].weight * (d[i].extent - 1);
    for (uint32_t k = i; k < n; k++)
        if ((rows *= d[k].extent) > MOST_ROWS)
            return false;
    for (;;) {
        int64_t lo = start > t->lo ? start : t->lo, hi = start + width < t->hi ? start + width : t->hi;
        if (lo < hi && !fn(arg, lo, hi))
            return false;
        uint32_t k = i;
        for (; k < n; k++) { // an odometer
            start += d[k].weight;
            if (++at[k] < d[k].extent)
                break;
            start -= d[k].weight * d[k].extent;
            at[k] = 0;
        }
        if (k == n)
            return true;
    }
}

static bool put(void *arg, int64_t lo, int64_t hi)
{
    struct rows *r = arg;
    struct wf_ev_row *last = r->v.n ? &r->v.at[r->v.n - 1] : NULL;
    if (last && (int64_t)last->hi == lo) {
        last->hi = (uint64_t)hi;
        return true;
    }
    if (r->v.n >= 4 * MOST_ROWS)
        return false;
    WF_PUSH(&r->v, (struct wf_ev_row){.lo = (uint64_t)lo, .hi = (uint64_t)hi});
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct wf_ev_row *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void unite(struct rows *r)
{
    size_t n = 0;
    if (r->v.n > 1)
        qsort(r->v.at, r->v.n, sizeof *r->v.at, by_start);
    for (size_t i = 0; i < r->v.n; i++)
        if (n && r->v.at[i].lo <= r->v.at[n - 1].hi)
            r->v.at[n - 1].hi = r->v.at[i].hi > r->v.at[n - 1].hi ? r->v.at[i].hi : r->v.at[n - 1].hi;
        else
            r->v.at[n++] = r->v.at[i];
    r->v.n = n;
}

static bool is_one(void *arg, int64_t lo, int64_t hi)
{
    (void)lo;
    (void)hi;
    return ++*(uint32_t *)arg == 1;
}

static bool guarded_row(struct prove_result *out, const struct touch *t)
{
    for (uint32_t i = 0; i < out->n_rows; i++)
        if (out->rows[i].site == t->site) // comes again in a loop
            return out->rows[i].lo == (uint64_t)t->origin;
    out->rows = wf_xrealloc(out->rows, (out->n_rows + 1) * sizeof *out->rows);
    out->rows[out->n_rows++] = (struct wf_ev_row){.lo = (uint64_t)t->origin, .hi = (uint64_t)t->origin + 1, .is_read = true,
                                                  .is_guarded = true, .is_atomic = true, .site = t->site};
    return true;
}

static bool shared_guard(struct prove_result *out, const struct touch *t)
{
    for (uint32_t i = 0; i < out->n_guards; i++)
        if (out->guards[i].site == t->site)
            return out->guards[i].lo == (uint64_t)t->lo && out->guards[i].hi == (uint64_t)t->hi;
    out->guards = wf_xrealloc(out->guards, (out->n_guards + 1) * sizeof *out->guards);
    out->guards[out->n_guards++] = (struct prove_guard){t->site, (uint64_t)t->lo, (uint64_t)t->hi};
    return true;
}

static bool global_rows(struct machine *m, struct prove_result *out)
{
    struct rows kind[4] = {0}; // read, written, filled, read and written by atomics
    bool ok = true, exact;
    for (size_t i = 0; i < m->touch.n && ok; i++) {
        const struct touch *t = &m->touch.at[i];
        if (t->is_shared)
            continue;
        if (t->is_guarded) {
            ok = guarded_row(out, t);
            continue;
        }
        bool is_read = !t->is_write || t->is_atomic;
        struct rows *to = t->is_atomic ? &kind[3] : is_read ? &kind[0] : &kind[1];
        if (!m->x->is_fine) {
            uint32_t n = 0;
            ok = put(to, t->lo, t->hi);
            if (!is_read && each_row(m, t, &exact, is_one, &n) && exact && n)
                ok = each_row(m, t, &exact, put, &kind[2]);
            continue;
        }
        ok = each_row(m, t, &exact, put, to);
        if (ok && !is_read && exact)
            ok = each_row(m, t, &exact, put, &kind[2]);
    }
    for (int k = 0; k < 4 && ok; k++) {
        unite(&kind[k]);
        out->rows = wf_xrealloc(out->rows, (out->n_rows + kind[k].v.n + 1) * sizeof *out->rows);
        for (size_t i = 0; i < kind[k].v.n; i++) {
            struct wf_ev_row r = kind[k].v.at[i];
            r.is_read = k == 0 || k == 3;
            r.is_atomic = k == 3;
            r.site = IR_NONE;
            r.is_written = k == 1;
            r.is_filled = k == 2;
            out->rows[out->n_rows++] = r;
        }
    }
    for (int k = 0; k < 4; k++)
        WF_VEC_FINI(&kind[k].v);
    return ok ? true : prove__fail(m, "too many rows of memory", 0);
}

static bool is_written(void *arg, int64_t lo, int64_t hi)
{
    return !memchr((const uint8_t *)arg + lo, 0, (size_t)(hi - lo));
}

static bool mark(void *arg, int64_t lo, int64_t hi)
{
    memset((uint8_t *)arg + lo, 1, (size_t)(hi - lo));
    return true;
}

static bool nothing(void *arg, int64_t lo, int64_t hi)
{
    (void)arg;
    (void)lo;
    (void)hi;
    return true;
}

// No thread reads shared memory that no thread has written: writes that all make, before.
static bool shared_is_written(struct machine *m, struct prove_result *out)
{
    uint8_t *byte = wf_xcalloc(m->x->shared_bytes + 1u, 1);
    bool ok = true, exact;
    for (size_t i = 0; i < m->touch.n && ok; i++) {
        const struct touch *t = &m->touch.at[i];
        if (!t->is_shared)
            continue;
        if (t->is_guarded) {
            ok = is_written(byte, t->lo, t->hi) && shared_guard(out, t);
            if (!ok)
                prove__fail(m, "shared memory that may not have been written", t->line);
        } else if (!t->is_write || t->is_atomic) {
            if (!each_row(m, t, &exact, is_written, byte))
                ok = prove__fail(m, "shared memory that may not have been written", t->line);
        } else if (each_row(m, t, &exact, nothing, NULL) && exact) {
            each_row(m, t, &exact, mark, byte);
        }
    }
    free(byte);
    return ok;
}

bool prove__rows(struct machine *m, struct prove_result *out)
{
    return shared_is_written(m, out) && global_rows(m, out);
}

// SPDX-License-Identifier: Apache-2.0
// Two texts line by line: the longest common sequence of what lies between their common ends, and the
// unified diff made of it.
#include <stdlib.h> // free
#include <string.h> // memcmp

#include "cure/cure.h"

#define CONTEXT 3
#define MAX_MIDDLE 4000 // lines of either side; beyond, the middle counts as all new

struct line {
    const char *at;
    size_t n; // with its end
};
typedef WF_VEC(struct line) lines;

static void split(const char *text, size_t n, lines *out)
{
    for (size_t i = 0; i < n;) {
        const char *nl = memchr(text + i, '\n', n - i);
        size_t len = nl ? (size_t)(nl - text) - i + 1 : n - i;
        WF_PUSH(out, (struct line){text + i, len});
        i += len;
    }
}

static bool same(const struct line *a, const struct line *b)
{
    return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

// was[j]: the old line (from 0) that new line j is, or UINT32_MAX.
static void match_middle(const lines *a, const lines *b, size_t lo, size_t na, size_t nb, uint32_t *was)
{
    if (!na || !nb || na > MAX_MIDDLE || nb > MAX_MIDDLE)
        return;
    size_t w = nb + 1;
    uint16_t *best = wf_xcalloc((na + 1) * w, sizeof *best);
    for (size_t i = na; i-- > 0;)
        for (size_t j = nb; j-- > 0;) {
            uint16_t skip_a = best[(i + 1) * w + j], skip_b = best[i * w + j + 1];
            best[i * w + j] = same(&a->at[lo + i], &b->at[lo + j]) ? (uint16_t)(best[(i + 1) * w + j + 1] + 1)
                              : skip_a > skip_b                    ? skip_a
                                                                   : skip_b;
        }
    for (size_t i = 0, j = 0; i < na && j < nb;) {
        if (same(&a->at[lo + i], &b->at[lo + j])) {
            was[lo + j] = (uint32_t)(lo + i);
            i++;
            j++;
        } else if (best[(i + 1) * w + j] >= best[i * w + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    free(best);
}

static uint32_t *match(const lines *a, const lines *b)
{
    uint32_t *was = wf_xcalloc(b->n + 1, sizeof *was);
    size_t lo = 0, hi = 0, least = a->n < b->n ? a->n : b->n;
    memset(was, 0xff, (b->n + 1) * sizeof *was);
    while (lo < least && same(&a->at[lo], &b->at[lo])) {
        was[lo] = (uint32_t)lo;
        lo++;
    }
    while (hi < least - lo && same(&a->at[a->n - 1 - hi], &b->at[b->n - 1 - hi])) {
        was[b->n - 1 - hi] = (uint32_t)(a->n - 1 - hi);
        hi++;
    }
    match_middle(a, b, lo, a->n - lo - hi, b->n - lo - hi, was);
    return was;
}

uint32_t *wf_cure_lines(const char *old, size_t old_n, const char *now, size_t now_n, uint32_t *count)
{
    lines a = {0}, b = {0};
    split(old, old_n, &a);
    split(now, now_n, &b);
    uint32_t *was = match(&a, &b), *out = wf_xcalloc(b.n + 1, sizeof *out);
    for (size_t j = 0; j < b.n; j++)
        out[j + 1] = was[j] == UINT32_MAX ? 0 : was[j] + 1;
    *count = (uint32_t)b.n;
    free(was);
    WF_VEC_FINI(&a);
    WF_VEC_FINI(&b);
    return out;
}

struct step { // one line of the diff
    char sign;
    const struct line *l;
    size_t a, b; // lines of both sides that come before
};

static void put_line(struct wf_str *out, char sign, const struct line *l)
{
    wf_str_addc(out, sign);
    wf_str_addn(out, l->at, l->n);
    if (l->at[l->n - 1] != '\n')
        wf_str_add(out, "\n\\ No newline at end of file\n");
}

static void put_hunk(struct wf_str *out, const struct step *s, size_t n)
{
    size_t na = 0, nb = 0;
    for (size_t i = 0; i < n; i++) {
        na += s[i].sign != '+';
        nb += s[i].sign != '-';
    }
    wf_str_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", s->a + (na > 0), na, s->b + (nb > 0), nb);
    for (size_t i = 0; i < n; i++)
        put_line(out, s[i].sign, s[i].l);
}

void wf_cure_diff(const char *old_name, const char *new_name, const char *old, size_t old_n,
                  const char *now, size_t now_n, struct wf_str *out)
{
    lines a = {0}, b = {0};
    WF_VEC(struct step) steps = {0};
    split(old, old_n, &a);
    split(now, now_n, &b);
    uint32_t *was = match(&a, &b);
    size_t i = 0, first = SIZE_MAX;
    for (size_t j = 0; j <= b.n; j++) {
        size_t same_at = j; // what goes stands before what comes
        while (same_at < b.n && was[same_at] == UINT32_MAX)
            same_at++;
        size_t to = same_at == b.n ? a.n : was[same_at];
        for (; i < to; i++)
            WF_PUSH(&steps, (struct step){'-', &a.at[i], i, j});
        if (j < b.n && was[j] == UINT32_MAX)
            WF_PUSH(&steps, (struct step){'+', &b.at[j], i, j});
        else if (j < b.n) {
            WF_PUSH(&steps, (struct step){' ', &b.at[j], i, j});
            i++;
        }
    }
    size_t last = 0; // behind the newest change
    bool is_named = false;
    for (size_t k = 0; k <= steps.n; k++) {
        bool changes = k < steps.n && steps.at[k].sign != ' ';
        if (first != SIZE_MAX && (k == steps.n || (!changes && k - last >= 2 * CONTEXT))) {
            size_t end = last + CONTEXT < steps.n ? last + CONTEXT : steps.n;
            if (!is_named)
                wf_str_printf(out, "--- %s\n+++ %s\n", old_name, new_name);
            is_named = true;
            put_hunk(out, &steps.at[first], end - first);
            first = SIZE_MAX;
        }
        if (changes) {
            if (first == SIZE_MAX)
                first = k > CONTEXT ? k - CONTEXT : 0;
            last = k + 1;
        }
    }
    free(was);
    WF_VEC_FINI(&steps);
    WF_VEC_FINI(&a);
    WF_VEC_FINI(&b);
}

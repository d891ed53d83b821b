// SPDX-License-Identifier: Apache-2.0
// Findings as bytes and back: the structures as they are, what they point at behind them. See record.h.
#include "core/record.h"

#include <string.h> // memcpy

#include "base/arena.h"   // struct wf_arena
#include "base/str.h"     // struct wf_str
#include "core/finding.h" // struct wf_finding

struct head {
    char magic[8];
    char version[24];
    uint64_t kinds, finding_bytes, n;
    struct wf_record r;
};

struct reader {
    const char *at, *end;
    struct wf_arena arena;
    bool (*keep)(void *arg, struct wf_finding *f);
    void *arg;
};

static void put(struct wf_str *out, const void *data, size_t n)
{
    wf_str_addn(out, data, n);
}

static void put_text(struct wf_str *out, const char *s)
{
    uint64_t n = s ? strlen(s) + 1 : 0; // with its end; 0: NULL
    put(out, &n, sizeof n);
    put(out, s ? s : "", n);
}

static void put_loc(struct wf_str *out, const struct wf_loc *l)
{
    for (; l; l = l->inlined) {
        uint32_t numbers[4] = {1, l->line, l->col, l->ptx_line};
        put(out, numbers, sizeof numbers);
        put_text(out, l->file);
        put_text(out, l->function);
    }
    put(out, (uint32_t[4]){0}, 4 * sizeof(uint32_t));
}

void wf_record_write(const struct wf_record *r, struct wf_str *out)
{
    struct head h = {.magic = "WFREC1\n",
                     .version = WF_VERSION,
                     .kinds = WF_F_COUNT,
                     .finding_bytes = sizeof(struct wf_finding),
                     .r = *r};
    wf_finding_sort();
    h.n = wf_finding_total();
    put(out, &h, sizeof h);
    for (uint32_t i = 0; i < h.n; i++) {
        const struct wf_finding *f = wf_finding_get(i);
        put(out, f, sizeof *f);
        put_text(out, f->kernel);
        for (uint32_t p = 0; p < f->n_parties; p++)
            put_loc(out, f->party[p].loc);
    }
}

static bool get(struct reader *r, void *to, size_t n)
{
    if ((size_t)(r->end - r->at) < n)
        return false;
    memcpy(to, r->at, n);
    r->at += n;
    return true;
}

static bool get_text(struct reader *r, const char **out)
{
    uint64_t n;
    *out = NULL;
    if (!get(r, &n, sizeof n) || n > (size_t)(r->end - r->at) || (n && r->at[n - 1]))
        return false;
    *out = n ? r->at : NULL;
    r->at += n;
    return true;
}

static bool get_loc(struct reader *r, const struct wf_loc **out)
{
    uint32_t numbers[4];
    *out = NULL;
    while (get(r, numbers, sizeof numbers)) {
        if (!numbers[0])
            return true;
        struct wf_loc *l = WF_NEW(&r->arena, struct wf_loc);
        l->line = numbers[1];
        l->col = numbers[2];
        l->ptx_line = numbers[3];
        if (!get_text(r, &l->file) || !get_text(r, &l->function))
            return false;
        *out = l;
        out = &l->inlined;
    }
    return false;
}

static bool get_finding(struct reader *r)
{
    struct wf_finding f;
    if (!get(r, &f, sizeof f) || f.n_parties > WF_MAX_PARTIES || (unsigned)f.kind >= WF_F_COUNT)
        return false;
    if (!get_text(r, &f.kernel))
        return false;
    for (uint32_t p = 0; p < f.n_parties; p++)
        if (!get_loc(r, &f.party[p].loc))
            return false;
    if (!r->keep || r->keep(r->arg, &f))
        wf_finding_add(&f); // copies
    return true;
}

enum wf_status wf_record_read(const char *bytes, size_t n, struct wf_record *out, struct wf_err *err)
{
    return wf_record_read_some(bytes, n, out, NULL, NULL, err);
}

enum wf_status wf_record_read_some(const char *bytes, size_t n, struct wf_record *out,
                                   bool (*keep)(void *arg, struct wf_finding *f), void *arg,
                                   struct wf_err *err)
{
    struct reader r = {
        .at = bytes, .end = bytes + n, .arena = {.name = "record"}, .keep = keep, .arg = arg};
    struct head h = {.n = 0};
    bool good = get(&r, &h, sizeof h) && !memcmp(h.magic, "WFREC1\n", 8) &&
                !strncmp(h.version, WF_VERSION, sizeof h.version) && h.kinds == WF_F_COUNT &&
                h.finding_bytes == sizeof(struct wf_finding);
    if (good)
        *out = h.r;
    for (uint64_t i = 0; i < h.n && good; i++)
        good = get_finding(&r);
    wf_arena_fini(&r.arena);
    return good ? WF_OK : wf_err_set(err, WF_E_IO, "the findings of a run cannot be read");
}

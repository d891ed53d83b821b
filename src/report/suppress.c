// SPDX-License-Identifier: Apache-2.0
// The suppression file. A rule is kept as three globs and a line range; there are few of them, so
// they are tried one after the other.
#include "report/suppress.h"

#include <string.h> // memchr

#include "base/file.h"    // wf_file_read
#include "base/vec.h"     // WF_VEC
#include "core/finding.h" // struct wf_finding
#include "report/demangle.h"
#include "report/suppress_priv.h"

#define MAX_LINE 4096 // bytes of one rule

struct rule {
    const char *slug, *file, *kernel; // globs
    uint32_t first, last;             // lines, 0..UINT32_MAX for any
};

struct wf_suppress {
    struct wf_arena arena;
    WF_VEC(struct rule) rules;
};

struct wf_suppress *wf_suppress_new(void)
{
    struct wf_suppress *s = wf_xcalloc(1, sizeof *s);
    wf_arena_init(&s->arena, "suppressions");
    return s;
}

void wf_suppress_free(struct wf_suppress *s)
{
    if (!s)
        return;
    WF_VEC_FINI(&s->rules);
    wf_arena_fini(&s->arena);
    free(s);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// The next word of *p..end, copied; NULL when there is none.
static char *word(struct wf_arena *a, const char **p, const char *end)
{
    while (*p < end && is_blank(**p))
        (*p)++;
    const char *from = *p;
    while (*p < end && !is_blank(**p))
        (*p)++;
    return *p > from ? wf_arena_strndup(a, from, (size_t)(*p - from)) : NULL;
}

// "12", "12-40" or "*" up to the end of s. False when it is none of them or the range is empty.
static bool parse_lines(const char *s, struct rule *r)
{
    uint64_t v[2] = {0, 0};
    int n = 0;
    if (strcmp(s, "*") == 0) {
        r->first = 0;
        r->last = UINT32_MAX;
        return true;
    }
    for (; n < 2; n++) {
        if (*s < '0' || *s > '9')
            return false;
        for (; *s >= '0' && *s <= '9'; s++)
            if ((v[n] = v[n] * 10 + (uint64_t)(*s - '0')) > UINT32_MAX)
                return false;
        if (n == 1 || *s != '-')
            break;
        s++;
    }
    r->first = (uint32_t)v[0];
    r->last = n ? (uint32_t)v[1] : r->first;
    return !*s && r->first > 0 && r->first <= r->last;
}

// Splits "file:lines"; a colon not followed by lines is an error, since it never helps.
static bool parse_place(char *place, struct rule *r)
{
    char *colon = strrchr(place, ':');
    r->file = place;
    r->first = 0;
    r->last = UINT32_MAX;
    if (!colon)
        return true;
    *colon = '\0';
    return parse_lines(colon + 1, r) && *place;
}

static enum wf_status parse_rule(struct wf_suppress *s, const char *name, uint32_t line,
                                 const char *p, const char *end, struct wf_err *err)
{
    struct rule r;
    const char *start = p, *nearest = NULL;
    char *slug = word(&s->arena, &p, end);
    if (!slug || *slug == '#')
        return WF_OK;
    if (!wf__kind_glob_known(slug, &nearest)) {
        enum wf_status st = wf_err_at(err, WF_E_INPUT, name, line,
                                      (uint32_t)(p - start - (ptrdiff_t)strlen(slug) + 1),
                                      "no finding kind is named '%s'", slug);
        if (nearest)
            wf_err_hint(err, "did you mean '%s'?", nearest);
        else
            wf_err_hint(err, "`warpfence explain` lists them");
        return st;
    }
    r.slug = slug;
    char *place = word(&s->arena, &p, end);
    uint32_t col = place ? (uint32_t)(p - start - (ptrdiff_t)strlen(place) + 1) : 0;
    if (!place || *place == '#')
        place = wf_arena_strdup(&s->arena, "*"), p = end;
    if (!parse_place(place, &r)) {
        enum wf_status st =
            wf_err_at(err, WF_E_INPUT, name, line, col,
                      "the second field must be file, file:line or file:first-last");
        wf_err_hint(err, "for example: race-global src/scan.cu:40-52 scan*");
        return st;
    }
    while (p < end && is_blank(*p))
        p++;
    for (const char *q = p; q < end; q++) // a comment begins with # after a blank
        if (*q == '#' && (q == p || is_blank(q[-1])))
            end = q;
    while (end > p && is_blank(end[-1]))
        end--;
    r.kernel = end > p ? wf_arena_strndup(&s->arena, p, (size_t)(end - p)) : "*";
    WF_PUSH(&s->rules, r);
    return WF_OK;
}

enum wf_status wf_suppress_parse(struct wf_suppress *s, const char *name, const char *text,
                                 size_t n, struct wf_err *err)
{
    const char *p = text, *end = text + n;
    uint32_t line = 1;
    for (; p < end; line++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        if (memchr(p, '\0', (size_t)(stop - p)))
            return wf_err_at(err, WF_E_INPUT, name, line, 0, "this is not a text file");
        if (stop - p > MAX_LINE)
            return wf_err_at(err, WF_E_INPUT, name, line, 0, "the line is longer than %d bytes",
                             MAX_LINE);
        enum wf_status st = parse_rule(s, name, line, p, stop, err);
        if (st != WF_OK)
            return st;
        p = nl ? nl + 1 : end;
    }
    return WF_OK;
}

enum wf_status wf_suppress_read(struct wf_suppress *s, const char *path, struct wf_err *err)
{
    struct wf_file file = {0};
    enum wf_status st = wf_file_read(path, &file, err);
    if (st != WF_OK)
        return st;
    st = wf_suppress_parse(s, path, file.at, file.n, err);
    wf_file_fini(&file);
    return st;
}

static bool matches_file(const char *glob, const char *file)
{
    if (wf__glob(glob, file))
        return true;
    for (const char *p = file; *glob != '/' && (p = strchr(p, '/')) != NULL;)
        if (wf__glob(glob, ++p))
            return true;
    return false;
}

static bool matches_place(const struct rule *r, const struct wf_finding *f)
{
    bool is_anywhere = strcmp(r->file, "*") == 0 && r->first == 0;
    for (uint32_t i = 0; i < f->n_parties && !is_anywhere; i++) {
        int limit = 32;
        for (const struct wf_loc *l = f->party[i].loc; l && limit--; l = l->inlined)
            if (l->file && l->line >= r->first && l->line <= r->last &&
                matches_file(r->file, l->file))
                return true;
    }
    return is_anywhere;
}

static bool matches_kernel(const char *glob, const char *mangled)
{
    if (strcmp(glob, "*") == 0)
        return true;
    if (!mangled)
        return false;
    struct wf_arena a;
    wf_arena_init(&a, "kernel name");
    struct wf_demangled d = wf_demangle(&a, mangled);
    bool is_match = wf__glob(glob, mangled) || wf__glob(glob, d.name) ||
                    wf__glob(glob, d.signature) || wf__glob(glob, d.full);
    wf_arena_fini(&a);
    return is_match;
}

bool wf_suppress_match(const struct wf_suppress *s, const struct wf_finding *f)
{
    for (size_t i = 0; s && i < s->rules.n; i++) {
        const struct rule *r = &s->rules.at[i];
        if (wf__kind_glob_match(r->slug, (uint32_t)f->kind) && matches_place(r, f) &&
            matches_kernel(r->kernel, f->kernel))
            return true;
    }
    return false;
}

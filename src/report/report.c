// SPDX-License-Identifier: Apache-2.0
// The walk that all formats share: which findings are shown, in which order, and the small facts
// every printer needs (paths, lanes, summary, fingerprint).
#include "report/report.h"

#include <inttypes.h> // PRIu64
#include <stdio.h>    // snprintf
#include <stdlib.h>   // getenv
#include <string.h>   // strcmp
#include <unistd.h>   // isatty

#include "base/bits.h" // wf_ctz32
#include "base/str.h"  // struct wf_str
#include "report/report_priv.h"
#include "report/suppress.h"

static const char *const format_names[] = {
    [WF_REPORT_TEXT] = "text",
    [WF_REPORT_JSON] = "json",
    [WF_REPORT_SARIF] = "sarif",
    [WF_REPORT_JUNIT] = "junit",
};
#define N_FORMATS (sizeof format_names / sizeof *format_names)

enum wf_status wf_report_format_parse(const char *name, enum wf_report_format *out,
                                      struct wf_err *err)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        if (strcmp(name, format_names[i]) == 0) {
            *out = (enum wf_report_format)i;
            return WF_OK;
        }
    }
    enum wf_status st = wf_err_set(err, WF_E_USAGE, "there is no report format '%s'", name);
    wf_err_hint(err, "text, json, sarif or junit");
    return st;
}

enum wf_status wf_report_wants_color(const char *when, int fd, bool *out, struct wf_err *err)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (!when || strcmp(when, "auto") == 0)
        *out = !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0) && isatty(fd);
    else if (strcmp(when, "always") == 0 || strcmp(when, "never") == 0)
        *out = when[0] == 'a';
    else
        return wf_err_set(err, WF_E_USAGE, "--color must be always, never or auto, not '%s'", when);
    return WF_OK;
}

const char *wf__severity_name(enum wf_severity s)
{
    static const char *const name[] = {
        [WF_SEV_ERROR] = "error", [WF_SEV_WARNING] = "warning", [WF_SEV_ADVICE] = "advice"};
    return name[s];
}

const char *wf__role_name(enum wf_party_role r)
{
    static const char *const name[] = {[WF_PARTY_ACCESS] = "access",
                                       [WF_PARTY_WAITER] = "waiter",
                                       [WF_PARTY_RELEASER] = "releaser",
                                       [WF_PARTY_ALLOC] = "allocation",
                                       [WF_PARTY_LAUNCH] = "launch",
                                       [WF_PARTY_NOTE] = "note"};
    return name[r];
}

const struct wf_loc *wf__primary(const struct wf_finding *f)
{
    const struct wf_loc *ptx = NULL;
    for (uint32_t i = 0; i < f->n_parties; i++) {
        const struct wf_loc *l = wf_loc_user(f->party[i].loc);
        if (l && l->file && l->line)
            return l;
        if (l && !ptx && (l->ptx_line || l->file))
            ptx = l;
    }
    return ptx;
}

const char *wf__shown_path(const struct wf__view *v, const char *file)
{
    if (!file || !*file)
        return "?";
    const char *base = v->o->base_dir;
    size_t n = base ? strlen(base) : 0;
    while (n > 1 && base[n - 1] == '/')
        n--;
    if (n > 1 && strncmp(file, base, n) == 0 && file[n] == '/' && file[n + 1])
        return file + n + 1;
    return strncmp(file, "./", 2) == 0 && file[2] ? file + 2 : file;
}

const char *wf__lanes_text(struct wf_arena *a, uint32_t mask)
{
    const char *s = "";
    for (uint32_t m = mask; m;) {
        unsigned from = wf_ctz32(m), to = from;
        while (to < 31 && (m >> (to + 1) & 1))
            to++;
        m &= to == 31 ? 0 : ~UINT32_C(0) << (to + 1);
        s = from == to ? wf_arena_printf(a, "%s%s%u", s, *s ? ", " : "", from)
                       : wf_arena_printf(a, "%s%s%u-%u", s, *s ? ", " : "", from, to);
    }
    return *s ? wf_arena_printf(a, "%s %s", wf_popcount32(mask) == 1 ? "lane" : "lanes", s) : "";
}

static void add_count(struct wf_str *s, uint32_t n, const char *one, const char *many)
{
    if (n)
        wf_str_printf(s, "%s%u %s", s->n ? ", " : "", (unsigned)n, n == 1 ? one : many);
}

const char *wf__summary_text(struct wf__view *v)
{
    const struct wf_report_counts *c = &v->count;
    struct wf_str s = {0};
    add_count(&s, c->errors, "error", "errors");
    add_count(&s, c->warnings, "warning", "warnings");
    add_count(&s, c->advice, "advice", "advice");
    if (!s.n)
        wf_str_add(&s, "no findings");
    wf_str_printf(&s, " in %" PRIu64 " launch%s", v->o->launches, v->o->launches == 1 ? "" : "es");
    if (v->o->schedules > 1)
        wf_str_printf(&s, ", %u schedules", (unsigned)v->o->schedules);
    if (c->omitted)
        wf_str_printf(&s, ", %u not shown (--max-findings=%u)", (unsigned)c->omitted,
                      (unsigned)v->o->max_findings);
    if (c->suppressed)
        wf_str_printf(&s, ", %u suppressed", (unsigned)c->suppressed);
    if (v->o->is_incomplete)
        wf_str_add(&s, "; the run did not finish");
    const char *text = wf_arena_strdup(&v->arena, wf_str_get(&s));
    wf_str_fini(&s);
    return text;
}

static uint64_t hash_bytes(uint64_t h, const char *s, size_t n) // FNV-1a
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
    return (h ^ 0xff) * UINT64_C(0x100000001b3); // ends the field
}

static uint64_t hash_place(struct wf__view *v, uint64_t h, const struct wf_loc *l)
{
    size_t n, from = 0;
    const char *path = wf__shown_path(v, l->file), *slash = strrchr(path, '/');
    h = hash_bytes(h, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
    const char *line = wf__source_line(v->source, l->file, l->line, &n);
    if (!line) {
        char number[16];
        snprintf(number, sizeof number, "%u", (unsigned)l->line);
        return hash_bytes(h, number, strlen(number));
    }
    while (from < n && (line[from] == ' ' || line[from] == '\t'))
        from++;
    return hash_bytes(h, line + from, n - from);
}

const char *wf__fingerprint(struct wf__view *v, const struct wf_finding *f)
{
    const char *slug = wf_finding_slug(f->kind), *kernel = f->kernel ? f->kernel : "";
    uint64_t h = hash_bytes(UINT64_C(0xcbf29ce484222325), slug, strlen(slug));
    h = hash_bytes(h, kernel, strlen(kernel));
    for (uint32_t i = 0; i < f->n_parties; i++)
        if (f->party[i].loc)
            h = hash_place(v, h, wf_loc_user(f->party[i].loc));
    return wf_arena_printf(&v->arena, "%016" PRIx64, h);
}

static bool is_suppressed(struct wf__view *v, const struct wf_finding *f)
{
    return wf_suppress_match(v->o->suppress, f) ||
           (v->source && wf__ignored_in_source(v->source, f, &v->arena, &v->notes));
}

static void count_one(struct wf_report_counts *c, enum wf_severity s)
{
    uint32_t *const where[] = {
        [WF_SEV_ERROR] = &c->errors, [WF_SEV_WARNING] = &c->warnings, [WF_SEV_ADVICE] = &c->advice};
    ++*where[s];
}

static void view_init(struct wf__view *v, const struct wf_report_opts *o)
{
    *v = (struct wf__view){.o = o};
    wf_arena_init(&v->arena, "report");
    if (!o->has_no_source)
        v->source = wf__source_new(o->base_dir);
}

// Errors first, then warnings, then advice; within each as they came.
static void view_select(struct wf__view *v)
{
    const struct wf_report_opts *o = v->o;
    if (!o->findings)
        wf_finding_sort();
    uint32_t n = o->findings ? o->n_findings : wf_finding_total();
    WF_VEC(const struct wf_finding *) kept = {0};
    for (uint32_t i = 0; i < n; i++) {
        const struct wf_finding *f = o->findings ? &o->findings[i] : wf_finding_get(i);
        if (is_suppressed(v, f)) {
            v->count.suppressed++;
            continue;
        }
        count_one(&v->count, f->severity);
        WF_PUSH(&kept, f);
    }
    for (int s = WF_SEV_ERROR; s <= WF_SEV_ADVICE; s++) {
        for (size_t i = 0; i < kept.n; i++) {
            if ((int)kept.at[i]->severity != s)
                continue;
            if (o->max_findings && v->shown.n >= o->max_findings)
                v->count.omitted++;
            else
                WF_PUSH(&v->shown, kept.at[i]);
        }
    }
    WF_VEC_FINI(&kept);
}

static void view_fini(struct wf__view *v)
{
    WF_VEC_FINI(&v->shown);
    WF_VEC_FINI(&v->notes.list);
    wf__source_free(v->source);
    wf_arena_fini(&v->arena);
}

enum wf_status wf_report_write(enum wf_report_format f, const struct wf_report_opts *o,
                               struct wf_str *out, struct wf_err *err)
{
    static void (*const print[N_FORMATS])(struct wf__view *, struct wf_str *) = {
        [WF_REPORT_TEXT] = wf__text_write,
        [WF_REPORT_JSON] = wf__json_write,
        [WF_REPORT_SARIF] = wf__sarif_write,
        [WF_REPORT_JUNIT] = wf__junit_write,
    };
    if ((size_t)f >= N_FORMATS)
        return wf_err_set(err, WF_E_USAGE, "there is no report format number %u", (unsigned)f);
    struct wf__view v;
    view_init(&v, o);
    view_select(&v);
    print[f](&v, out);
    view_fini(&v);
    return WF_OK;
}

struct wf_report_counts wf_report_count(const struct wf_report_opts *o)
{
    struct wf__view v;
    view_init(&v, o);
    view_select(&v);
    struct wf_report_counts c = v.count;
    view_fini(&v);
    return c;
}

void wf_report_one(const struct wf_report_opts *o, const struct wf_finding *f, struct wf_str *out)
{
    struct wf__view v;
    view_init(&v, o);
    if (!is_suppressed(&v, f))
        wf__text_finding(&v, f, out);
    view_fini(&v);
}

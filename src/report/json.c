// SPDX-License-Identifier: Apache-2.0
// JSON, version 1. docs/report-format.md is the specification: a field is added there first, and
// the version is raised when one changes its meaning or goes.
#include "base/json.h"

#include <inttypes.h> // PRIx64

#include "base/str.h" // wf_str_addc
#include "report/demangle.h"
#include "report/report_priv.h"

#define JSON_VERSION 1

void wf__field_str(struct wf_json *j, const char *key, const char *value)
{
    wf_json_key(j, key);
    wf_json_str(j, value);
}

void wf__field_u64(struct wf_json *j, const char *key, uint64_t value)
{
    wf_json_key(j, key);
    wf_json_u64(j, value);
}

static void number_or_null(struct wf_json *j, const char *key, uint64_t value) // 0: not known
{
    wf_json_key(j, key);
    if (value)
        wf_json_u64(j, value);
    else
        wf_json_str(j, NULL);
}

static const char *or_null(const char *s)
{
    return s && *s ? s : NULL;
}

static void place_fields(struct wf__view *v, struct wf_json *j, const struct wf_loc *l)
{
    wf__field_str(j, "file", l->file ? wf__shown_path(v, l->file) : NULL);
    number_or_null(j, "line", l->line);
    number_or_null(j, "column", l->col);
    wf__field_str(j, "function", wf_demangle(&v->arena, l->function).signature);
    number_or_null(j, "ptx_line", l->ptx_line);
}

// The positions of a chain from `from` on, up to `to`.
static void places(struct wf__view *v, struct wf_json *j, const char *key,
                   const struct wf_loc *from, const struct wf_loc *to)
{
    int limit = WF__INLINE_LIMIT;
    wf_json_key(j, key);
    wf_json_array(j);
    for (const struct wf_loc *at = from; at && at != to && limit--; at = at->inlined) {
        wf_json_object(j);
        place_fields(v, j, at);
        wf_json_end_object(j);
    }
    wf_json_end_array(j);
}

static void location(struct wf__view *v, struct wf_json *j, const struct wf_loc *l)
{
    const struct wf_loc *user = wf_loc_user(l);
    wf_json_key(j, "location");
    if (!l) {
        wf_json_str(j, NULL);
        return;
    }
    wf_json_object(j);
    place_fields(v, j, user);
    places(v, j, "inside", l, user);
    places(v, j, "inlined_at", user->inlined, NULL);
    wf_json_end_object(j);
}

static void triple(struct wf_json *j, const char *key, bool is_known, const uint32_t x[3])
{
    wf_json_key(j, key);
    if (!is_known) {
        wf_json_str(j, NULL);
        return;
    }
    wf_json_array(j);
    for (int i = 0; i < 3; i++)
        wf_json_u64(j, x[i]);
    wf_json_end_array(j);
}

static void party(struct wf__view *v, struct wf_json *j, const struct wf_party *p)
{
    wf_json_object(j);
    wf__field_str(j, "role", wf__role_name(p->role));
    location(v, j, p->loc);
    triple(j, "block", p->has_block, p->block);
    triple(j, "thread", p->has_thread, p->thread);
    wf_json_key(j, "warp");
    if (p->has_thread || p->lanes)
        wf_json_u64(j, p->warp);
    else
        wf_json_str(j, NULL);
    wf__field_str(j, "lanes",
                  p->lanes ? wf_arena_printf(&v->arena, "0x%08x", (unsigned)p->lanes) : NULL);
    wf__field_str(j, "operation", or_null(p->op));
    wf__field_str(j, "value", or_null(p->value));
    wf__field_str(j, "note", or_null(p->note));
    wf_json_end_object(j);
}

static void kernel(struct wf__view *v, struct wf_json *j, const struct wf_finding *f)
{
    wf_json_key(j, "kernel");
    if (!f->kernel) {
        wf_json_str(j, NULL);
        return;
    }
    wf_json_object(j);
    wf__field_str(j, "name", wf_demangle(&v->arena, f->kernel).signature);
    wf__field_str(j, "mangled", f->kernel);
    wf_json_end_object(j);
}

static void memory(struct wf__view *v, struct wf_json *j, const struct wf_finding *f)
{
    wf_json_key(j, "memory");
    if (!f->space[0] && !f->object[0] && !f->address) {
        wf_json_str(j, NULL);
        return;
    }
    wf_json_object(j);
    wf__field_str(j, "space", or_null(f->space));
    wf__field_str(j, "object", or_null(f->object));
    wf__field_str(j, "address", wf_arena_printf(&v->arena, "0x%" PRIx64, f->address));
    wf_json_end_object(j);
}

static void finding(struct wf__view *v, struct wf_json *j, const struct wf_finding *f)
{
    wf_json_object(j);
    wf__field_str(j, "id",
                  wf_arena_printf(&v->arena, "WF%03u", (unsigned)wf_finding_number(f->kind)));
    wf__field_str(j, "slug", wf_finding_slug(f->kind));
    wf__field_str(j, "severity", wf__severity_name(f->severity));
    wf__field_str(j, "title", wf_finding_title(f->kind));
    wf__field_str(j, "sentence", f->sentence[0] ? f->sentence : wf_finding_title(f->kind));
    wf__field_str(j, "why", or_null(f->why));
    wf__field_str(j, "fix", or_null(f->fix));
    kernel(v, j, f);
    number_or_null(j, "launch", f->launch);
    memory(v, j, f);
    location(v, j, wf__primary(f));
    wf_json_key(j, "parties");
    wf_json_array(j);
    for (uint32_t i = 0; i < f->n_parties; i++)
        party(v, j, &f->party[i]);
    wf_json_end_array(j);
    wf__field_u64(j, "count", f->count);
    wf__field_u64(j, "seed", f->seed);
    wf__field_str(j, "fingerprint", wf__fingerprint(v, f));
    wf_json_end_object(j);
}

static void summary(struct wf__view *v, struct wf_json *j)
{
    wf_json_key(j, "summary");
    wf_json_object(j);
    wf__field_u64(j, "errors", v->count.errors);
    wf__field_u64(j, "warnings", v->count.warnings);
    wf__field_u64(j, "advice", v->count.advice);
    wf__field_u64(j, "suppressed", v->count.suppressed);
    wf__field_u64(j, "omitted", v->count.omitted);
    wf__field_u64(j, "launches", v->o->launches);
    wf__field_u64(j, "schedules", v->o->schedules ? v->o->schedules : 1);
    wf_json_key(j, "complete");
    wf_json_bool(j, !v->o->is_incomplete);
    wf_json_end_object(j);
}

void wf__json_write(struct wf__view *v, struct wf_str *out)
{
    struct wf_json j;
    wf_json_init(&j, out, 2);
    wf_json_object(&j);
    wf__field_str(&j, "format", "warpfence-report");
    wf__field_u64(&j, "version", JSON_VERSION);
    wf_json_key(&j, "tool");
    wf_json_object(&j);
    wf__field_str(&j, "name", "warpfence");
    wf__field_str(&j, "version", v->o->version);
    wf_json_end_object(&j);
    wf__field_str(&j, "program", v->o->program);
    summary(v, &j);
    wf_json_key(&j, "findings");
    wf_json_array(&j);
    for (size_t i = 0; i < v->shown.n; i++)
        finding(v, &j, v->shown.at[i]);
    wf_json_end_array(&j);
    wf_json_key(&j, "notes");
    wf_json_array(&j);
    for (size_t i = 0; i < v->notes.list.n; i++) {
        wf_json_object(&j);
        wf__field_str(&j, "file", wf__shown_path(v, v->notes.list.at[i].file));
        wf__field_u64(&j, "line", v->notes.list.at[i].line);
        wf__field_str(&j, "text", v->notes.list.at[i].text);
        wf_json_end_object(&j);
    }
    wf_json_end_array(&j);
    wf_json_end_object(&j);
    wf_str_addc(out, '\n');
}

// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 (OASIS). Rules carry the finding pages, so a viewer can show them without the tool.
#include <inttypes.h> // PRIx64
#include <string.h>   // strlen

#include "base/json.h" // struct wf_json
#include "base/str.h"  // struct wf_str
#include "report/demangle.h"
#include "report/pages.h"
#include "report/report_priv.h"
#include "report/utf8.h"

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static void text_object(struct wf_json *j, const char *key, const char *text)
{
    wf_json_key(j, key);
    wf_json_object(j);
    wf__field_str(j, "text", text);
    wf_json_end_object(j);
}

static const char *level(enum wf_severity s)
{
    return s == WF_SEV_ADVICE ? "note" : wf__severity_name(s);
}

// Message strings (SARIF 3.11.5) write literal braces twice.
static const char *message(struct wf__view *v, const char *text)
{
    struct wf_str s = {0};
    for (; *text; text++) {
        if (*text == '{' || *text == '}')
            wf_str_addc(&s, *text);
        wf_str_addc(&s, *text);
    }
    const char *out = wf_arena_strdup(&v->arena, wf_str_get(&s));
    wf_str_fini(&s);
    return out;
}

// RFC 3986: everything but unreserved characters and the slash is percent-encoded, byte by byte.
static const char *uri(struct wf__view *v, const char *path)
{
    struct wf_str s = {0};
    wf_str_add(&s, path[0] == '/' ? "file://" : "");
    for (const char *p = path; *p; p++) {
        bool is_plain = (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
                        (*p >= 'a' && *p <= 'z') || strchr("-._~/", *p);
        if (is_plain)
            wf_str_addc(&s, *p);
        else
            wf_str_printf(&s, "%%%02X", (unsigned)(unsigned char)*p);
    }
    const char *out = wf_arena_strdup(&v->arena, wf_str_get(&s));
    wf_str_fini(&s);
    return out;
}

// Columns of findings count bytes; SARIF ones count characters here. 0 when it cannot be told.
static uint32_t character_column(struct wf__view *v, const struct wf_loc *l)
{
    size_t n, at = 0;
    const char *line = wf__source_line(v->source, l->file, l->line, &n);
    if (!line || l->col == 0 || l->col - 1 > n)
        return l->col;
    uint32_t column = 1, cp;
    while (at < l->col - 1) {
        at += wf__utf8_next(line + at, n - at, &cp);
        column++;
    }
    return column;
}

static void physical(struct wf__view *v, struct wf_json *j, const struct wf_loc *l)
{
    const char *path = wf__shown_path(v, l->file);
    wf_json_key(j, "physicalLocation");
    wf_json_object(j);
    wf_json_key(j, "artifactLocation");
    wf_json_object(j);
    wf__field_str(j, "uri", uri(v, path));
    if (path[0] != '/')
        wf__field_str(j, "uriBaseId", "%SRCROOT%");
    wf_json_end_object(j);
    if (l->line) {
        uint32_t column = character_column(v, l);
        wf_json_key(j, "region");
        wf_json_object(j);
        wf__field_u64(j, "startLine", l->line);
        if (column)
            wf__field_u64(j, "startColumn", column);
        wf_json_end_object(j);
    }
    wf_json_end_object(j);
}

static void logical(struct wf__view *v, struct wf_json *j, const struct wf_finding *f)
{
    if (!f->kernel)
        return;
    wf_json_key(j, "logicalLocations");
    wf_json_array(j);
    wf_json_object(j);
    wf__field_str(j, "fullyQualifiedName", wf_demangle(&v->arena, f->kernel).signature);
    wf__field_str(j, "decoratedName", f->kernel);
    wf__field_str(j, "kind", "function");
    wf_json_end_object(j);
    wf_json_end_array(j);
}

static const char *party_text(struct wf__view *v, const struct wf_party *p)
{
    struct wf_str s = {0};
    wf_str_add(&s, p->op[0] ? p->op : wf__role_name(p->role));
    if (p->value[0])
        wf_str_printf(&s, ", value %s", p->value);
    if (p->has_block)
        wf_str_printf(&s, ", block (%u,%u,%u)", (unsigned)p->block[0], (unsigned)p->block[1],
                      (unsigned)p->block[2]);
    if (p->has_thread)
        wf_str_printf(&s, ", thread (%u,%u,%u)", (unsigned)p->thread[0], (unsigned)p->thread[1],
                      (unsigned)p->thread[2]);
    if (p->lanes)
        wf_str_printf(&s, ", warp %u %s", (unsigned)p->warp, wf__lanes_text(&v->arena, p->lanes));
    if (p->note[0])
        wf_str_printf(&s, "; %s", p->note);
    const char *out = message(v, wf_str_get(&s));
    wf_str_fini(&s);
    return out;
}

static void related(struct wf__view *v, struct wf_json *j, uint64_t *id, const struct wf_loc *l,
                    const char *text)
{
    wf_json_object(j);
    wf__field_u64(j, "id", (*id)++);
    physical(v, j, l);
    text_object(j, "message", text);
    wf_json_end_object(j);
}

static void related_locations(struct wf__view *v, struct wf_json *j, const struct wf_finding *f)
{
    uint64_t id = 1;
    wf_json_key(j, "relatedLocations");
    wf_json_array(j);
    for (uint32_t i = 0; i < f->n_parties; i++) {
        const struct wf_loc *l = f->party[i].loc;
        const struct wf_loc *user = wf_loc_user(l);
        if (!user || !user->file)
            continue;
        related(v, j, &id, user, party_text(v, &f->party[i]));
        int limit = WF__INLINE_LIMIT;
        for (const struct wf_loc *at = user->inlined; at && limit--; at = at->inlined)
            if (at->file)
                related(v, j, &id, at, "inlined here");
        if (l != user && l->file)
            related(v, j, &id, l, "inside library code");
    }
    wf_json_end_array(j);
}

static void result(struct wf__view *v, struct wf_json *j, const struct wf_finding *f, uint64_t rule)
{
    const struct wf_loc *primary = wf__primary(f);
    wf_json_object(j);
    wf__field_str(j, "ruleId",
                  wf_arena_printf(&v->arena, "WF%03u", (unsigned)wf_finding_number(f->kind)));
    wf__field_u64(j, "ruleIndex", rule);
    wf__field_str(j, "level", level(f->severity));
    const char *text = wf_arena_printf(
        &v->arena, "%s%s%s%s%s", f->sentence[0] ? f->sentence : wf_finding_title(f->kind),
        f->why[0] ? "\nWhy: " : "", f->why, f->fix[0] ? "\nFix: " : "", f->fix);
    text_object(j, "message", message(v, text));
    wf_json_key(j, "locations");
    wf_json_array(j);
    if ((primary && primary->file) || f->kernel) {
        wf_json_object(j);
        if (primary && primary->file)
            physical(v, j, primary);
        logical(v, j, f);
        wf_json_end_object(j);
    }
    wf_json_end_array(j);
    related_locations(v, j, f);
    wf__field_u64(j, "occurrenceCount", f->count ? f->count : 1);
    wf_json_key(j, "partialFingerprints");
    wf_json_object(j);
    wf__field_str(j, "warpfence/v1", wf__fingerprint(v, f));
    wf_json_end_object(j);
    wf_json_end_object(j);
}

static void rule(struct wf__view *v, struct wf_json *j, enum wf_finding_kind k)
{
    wf_json_object(j);
    wf__field_str(j, "id", wf_arena_printf(&v->arena, "WF%03u", (unsigned)wf_finding_number(k)));
    wf__field_str(j, "name", wf_finding_slug(k));
    text_object(j, "shortDescription", wf_finding_title(k));
    const char *page = wf__page_text(k);
    if (page) {
        wf_json_key(j, "help");
        wf_json_object(j);
        wf__field_str(j, "text", page); // viewers show code as it is, so braces stay single
        wf__field_str(j, "markdown", page);
        wf_json_end_object(j);
    }
    wf_json_key(j, "defaultConfiguration");
    wf_json_object(j);
    wf__field_str(j, "level", level(wf_finding_default_severity(k)));
    wf_json_end_object(j);
    wf_json_end_object(j);
}

static void driver(struct wf__view *v, struct wf_json *j, uint64_t rule_index[WF_F_COUNT])
{
    bool is_used[WF_F_COUNT] = {false};
    uint64_t n = 0;
    for (size_t i = 0; i < v->shown.n; i++)
        is_used[v->shown.at[i]->kind] = true;
    wf_json_key(j, "tool");
    wf_json_object(j);
    wf_json_key(j, "driver");
    wf_json_object(j);
    wf__field_str(j, "name", "warpfence");
    if (v->o->version)
        wf__field_str(j, "version", v->o->version);
    wf_json_key(j, "rules");
    wf_json_array(j);
    for (int k = 0; k < WF_F_COUNT; k++) {
        if (!is_used[k])
            continue;
        rule_index[k] = n++;
        rule(v, j, (enum wf_finding_kind)k);
    }
    wf_json_end_array(j);
    wf_json_end_object(j);
    wf_json_end_object(j);
}

void wf__sarif_write(struct wf__view *v, struct wf_str *out)
{
    uint64_t rule_index[WF_F_COUNT] = {0};
    struct wf_json j;
    wf_json_init(&j, out, 2);
    wf_json_object(&j);
    wf__field_str(&j, "$schema", SCHEMA);
    wf__field_str(&j, "version", "2.1.0");
    wf_json_key(&j, "runs");
    wf_json_array(&j);
    wf_json_object(&j);
    driver(v, &j, rule_index);
    wf_json_key(&j, "invocations");
    wf_json_array(&j);
    wf_json_object(&j);
    wf_json_key(&j, "executionSuccessful");
    wf_json_bool(&j, !v->o->is_incomplete);
    wf_json_end_object(&j);
    wf_json_end_array(&j);
    wf__field_str(&j, "columnKind", "unicodeCodePoints");
    wf_json_key(&j, "results");
    wf_json_array(&j);
    for (size_t i = 0; i < v->shown.n; i++)
        result(v, &j, v->shown.at[i], rule_index[v->shown.at[i]->kind]);
    wf_json_end_array(&j);
    wf_json_end_object(&j);
    wf_json_end_array(&j);
    wf_json_end_object(&j);
    wf_str_addc(out, '\n');
}

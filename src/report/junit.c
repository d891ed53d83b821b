// SPDX-License-Identifier: Apache-2.0
// JUnit XML, as CI servers read it: one test case a finding. Errors fail; warnings and advice pass
// and carry their text, unless is_werror. A run without findings is one passing case.
#include <string.h> // strlen

#include "base/str.h" // struct wf_str
#include "report/report_priv.h"
#include "report/utf8.h"

static void attribute(struct wf_str *out, const char *name, const char *value)
{
    wf_str_printf(out, " %s=\"", name);
    wf__add_xml(out, value);
    wf_str_addc(out, '"');
}

static bool is_failure(const struct wf__view *v, const struct wf_finding *f)
{
    return f->severity == WF_SEV_ERROR || v->o->is_werror;
}

// The place and the kind make the name of a case; its number keeps
// names apart.
static void test_case(struct wf__view *v, struct wf_str *out, const struct wf_finding *f, size_t i)
{
    const struct wf_loc *l = wf__primary(f);
    const char *slug = wf_finding_slug(f->kind);
    const char *name =
        l && l->file ? wf_arena_printf(&v->arena, "%s:%u: %s (%zu)", wf__shown_path(v, l->file),
                                       (unsigned)l->line, wf_finding_title(f->kind), i + 1)
                     : wf_arena_printf(&v->arena, "%s (%zu)", wf_finding_title(f->kind), i + 1);
    struct wf_report_opts plain = *v->o;
    plain.is_color = false;
    const struct wf_report_opts *before = v->o;
    struct wf_str text = {0};
    v->o = &plain;
    wf__text_finding(v, f, &text);
    v->o = before;

    wf_str_add(out, "    <testcase");
    attribute(out, "classname", wf_arena_printf(&v->arena, "warpfence.%s", slug));
    attribute(out, "name", name);
    wf_str_add(out, " time=\"0\">\n");
    const char *tag = is_failure(v, f) ? "failure" : "system-out";
    wf_str_printf(out, "      <%s", tag);
    if (is_failure(v, f)) {
        attribute(out, "type", slug);
        attribute(out, "message", f->sentence[0] ? f->sentence : wf_finding_title(f->kind));
    }
    wf_str_addc(out, '>');
    wf__add_xml_text(out, wf_str_get(&text));
    wf_str_printf(out, "</%s>\n    </testcase>\n", tag);
    wf_str_fini(&text);
}

void wf__junit_write(struct wf__view *v, struct wf_str *out)
{
    size_t failures = 0, n = v->shown.n;
    for (size_t i = 0; i < n; i++)
        failures += is_failure(v, v->shown.at[i]);
    unsigned tests = n ? (unsigned)n : 1, incomplete = v->o->is_incomplete;
    wf_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    attribute(out, "name",
              v->o->program ? wf_arena_printf(&v->arena, "warpfence check %s", v->o->program)
                            : "warpfence check");
    wf_str_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"0\" time=\"0\">\n",
                  tests + incomplete, (unsigned)failures, incomplete);
    for (size_t i = 0; i < n; i++)
        test_case(v, out, v->shown.at[i], i);
    if (n == 0)
        wf_str_add(out,
                   "    <testcase classname=\"warpfence\" name=\"no findings\" time=\"0\"/>\n");
    if (incomplete)
        wf_str_add(out,
                   "    <testcase classname=\"warpfence\" name=\"the run finished\" time=\"0\">\n"
                   "      <error type=\"incomplete\" message=\"the run did not finish\"/>\n"
                   "    </testcase>\n");
    wf_str_add(out, "    <system-out>");
    wf__add_xml_text(out, wf__summary_text(v));
    wf_str_add(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
}

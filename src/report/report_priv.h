// SPDX-License-Identifier: Apache-2.0
// Inside src/report only: the view that every format prints. A view is made once by report.c
// (selection, order, counts) and is read-only for the printers.
#ifndef WF_REPORT_REPORT_PRIV_H
#define WF_REPORT_REPORT_PRIV_H

#include "base/arena.h" // struct wf_arena
#include "base/vec.h"   // WF_VEC
#include "core/loc.h"   // wf_loc_user
#include "report/report.h"
#include "report/source.h"        // struct wf__source
#include "report/suppress_priv.h" // struct wf__notes

struct wf_json;
struct wf_str;

struct wf__view {
    const struct wf_report_opts *o;
    struct wf_arena arena; // strings made for this report
    struct wf__source *source;
    WF_VEC(const struct wf_finding *) shown; // in order of printing
    struct wf__notes notes;                  // remarks about suppression comments
    struct wf_report_counts count;
};

#define WF__INLINE_LIMIT 32 // call sites of one chain that are printed

void wf__text_write(struct wf__view *v, struct wf_str *out);
void wf__text_finding(struct wf__view *v, const struct wf_finding *f, struct wf_str *out);
void wf__field_str(struct wf_json *j, const char *key, const char *value); // "key": "value"
void wf__field_u64(struct wf_json *j, const char *key, uint64_t value);
void wf__json_write(struct wf__view *v, struct wf_str *out);
void wf__sarif_write(struct wf__view *v, struct wf_str *out);
void wf__junit_write(struct wf__view *v, struct wf_str *out);

// Where the finding is shown: the first party with a line, else the first with a PTX line, or NULL.
const struct wf_loc *wf__primary(const struct wf_finding *f);
// `file` without base_dir in front; never NULL ("?" for an unknown file).
const char *wf__shown_path(const struct wf__view *v, const char *file);
const char *wf__severity_name(enum wf_severity s); // "error", "warning", "advice"
const char *wf__role_name(enum wf_party_role r);   // "access", "waiter", ...
// "lane 3", "lanes 0-15, 20"; "" for an empty mask.
const char *wf__lanes_text(struct wf_arena *a, uint32_t mask);
// "3 errors, 1 advice in 2 launches, 1 suppressed".
const char *wf__summary_text(struct wf__view *v);
// 16 hex digits that stay the same when unrelated lines are added to the file: made of kind, kernel
// and the text of the lines of all parties (their numbers when the file cannot be read).
const char *wf__fingerprint(struct wf__view *v, const struct wf_finding *f);

#endif

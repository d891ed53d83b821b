// SPDX-License-Identifier: Apache-2.0
// Findings in, bytes out. Every format shows the same selection: what is left after suppressions,
// errors first, at most max_findings. The same findings always give the same bytes.
// Reports read source files for excerpts; they know neither detectors nor the engine.
#ifndef WF_REPORT_REPORT_H
#define WF_REPORT_REPORT_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "base/err.h"     // enum wf_status
#include "core/finding.h" // struct wf_finding

struct wf_str;
struct wf_suppress;

enum wf_report_format { WF_REPORT_TEXT, WF_REPORT_JSON, WF_REPORT_SARIF, WF_REPORT_JUNIT };

// A zeroed struct is a valid choice: the whole store, plain text, no suppressions, no limit.
struct wf_report_opts {
    const struct wf_finding *findings; // NULL: the process's store, which is sorted first
    uint32_t n_findings;               // used with `findings`
    const char *program;               // what was checked, or NULL
    const char *version;               // of the tool, or NULL
    const char *base_dir;              // paths below it are shown relative to it; NULL: as they are
    uint64_t launches;                 // kernels launched, for the summary
    uint32_t max_findings;             // 0: no limit
    bool is_color;                     // text: escape sequences; see wf_report_wants_color
    bool has_no_source;                // no excerpts and no suppressions from source comments
    bool is_incomplete;                // the run was cut short (crash, interrupt, time limit)
    bool is_werror;                    // warnings and advice count as errors
    uint32_t schedules;                // orders that were run; 0 and 1: one
    const struct wf_suppress *suppress; // from a file, or NULL
};

struct wf_report_counts {
    uint32_t errors, warnings, advice; // after suppression; is_werror does not change these
    uint32_t suppressed;               // by file or by source comment
    uint32_t omitted;                  // beyond max_findings
};

// Appends the report to `out`. Fails only for a format out of range.
enum wf_status wf_report_write(enum wf_report_format f, const struct wf_report_opts *o,
                               struct wf_str *out, struct wf_err *err);
// What the report would count; the exit code of `check` hangs on errors (all three under
// is_werror).
struct wf_report_counts wf_report_count(const struct wf_report_opts *o);
// One finding as text without a summary, for immediate output; nothing when it is suppressed.
void wf_report_one(const struct wf_report_opts *o, const struct wf_finding *f, struct wf_str *out);

// "text", "json", "sarif", "junit".
enum wf_status wf_report_format_parse(const char *name, enum wf_report_format *out,
                                      struct wf_err *err);
// `when` is "always", "never" or "auto" (also NULL): a terminal, NO_COLOR unset or empty, and TERM
// not "dumb". Anything else is an error.
enum wf_status wf_report_wants_color(const char *when, int fd, bool *out, struct wf_err *err);

#endif

// SPDX-License-Identifier: Apache-2.0
// Findings the user has judged and does not want to see: by a file (`--suppressions`) or by a
// comment in the source. docs/report-format.md, "Suppressions", is the specification.
//
// File, one rule a line; blank lines and `#` comments are skipped:
//     slug   file[:line]   kernel
// Each is a glob (`*` any text, `?` one character); `line` may be a range 10-20. Missing parts are
// `*`. The kernel is the rest of the line, matched against the mangled name, the readable name and
// the readable name with parameters. A relative file pattern matches from any directory separator
// on.
//
// Comment, on the line of one of the parties or on the comment lines right above it:
//     // warpfence: ignore race-global, race-warp: why this is fine
#ifndef WF_REPORT_SUPPRESS_H
#define WF_REPORT_SUPPRESS_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t

#include "base/err.h" // enum wf_status

struct wf_finding;
struct wf_suppress;

struct wf_suppress *wf_suppress_new(void);
void wf_suppress_free(struct wf_suppress *s);
// Adds the rules of a file; several files add up. A malformed line is WF_E_INPUT with its position.
enum wf_status wf_suppress_read(struct wf_suppress *s, const char *path, struct wf_err *err);
enum wf_status wf_suppress_parse(struct wf_suppress *s, const char *name, const char *text,
                                 size_t n, struct wf_err *err);
bool wf_suppress_match(const struct wf_suppress *s, const struct wf_finding *f); // s may be NULL

#endif

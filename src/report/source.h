// SPDX-License-Identifier: Apache-2.0
// Lines of the user's source files, read once each. A file that is missing, not a regular file or
// larger than 64 MiB simply has no lines: a report never fails for want of an excerpt.
#ifndef WF_REPORT_SOURCE_H
#define WF_REPORT_SOURCE_H

#include <stddef.h> // size_t
#include <stdint.h> // uint32_t

struct wf_str;
struct wf__source;

// base_dir (or NULL) is where relative names are looked up; borrowed.
struct wf__source *wf__source_new(const char *base_dir);
void wf__source_free(struct wf__source *s);

// Line `line` (from 1) without its line end, not NUL-terminated; NULL when there is none.
const char *wf__source_line(struct wf__source *s, const char *file, uint32_t line, size_t *n);

#endif

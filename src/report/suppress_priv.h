// SPDX-License-Identifier: Apache-2.0
// Inside src/report only: globs and suppression comments.
#ifndef WF_REPORT_SUPPRESS_PRIV_H
#define WF_REPORT_SUPPRESS_PRIV_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "base/vec.h" // WF_VEC

struct wf_arena;
struct wf_finding;
struct wf__source;

// Whole-string match of `*` and `?`; the work is at most len(glob) * len(s).
bool wf__glob(const char *glob, const char *s);
// The glob (a slug, WFnnn, or with `*`) names at least one kind. If not, *nearest is the slug
// that looks most like it, or NULL.
bool wf__kind_glob_known(const char *glob, const char **nearest);
bool wf__kind_glob_match(const char *glob, uint32_t kind);
const char *wf__nearest_slug(const char *word); // NULL when nothing is near

struct wf__note { // about a comment that is not understood
    const char *file;
    uint32_t line;
    const char *text;
};
struct wf__notes {
    WF_VEC(struct wf__note) list; // each comment once
};
// A comment at a line of one of the parties (or their call sites) names this kind.
bool wf__ignored_in_source(struct wf__source *src, const struct wf_finding *f, struct wf_arena *a,
                           struct wf__notes *notes);

#endif

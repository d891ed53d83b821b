// SPDX-License-Identifier: Apache-2.0
// From a finding to edits of the source that may mend it, and from two texts to a patch. Proposes only:
// whether an edit helps is for the caller to find out, by building and running what it gives.
#ifndef WF_CURE_CURE_H
#define WF_CURE_CURE_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint32_t

#include "base/str.h"     // struct wf_str
#include "base/vec.h"     // WF_VEC
#include "core/finding.h" // struct wf_finding

struct wf_cure { // one way to mend a finding
    char *text;  // the whole file, changed
    size_t n;
    char what[200]; // "__syncthreads() after line 19"
};
struct wf_cures {
    WF_VEC(struct wf_cure) list; // the most likely first; no two of the same text
};

// Lines of f's parties are lines of this text. `file` names it as the locations do.
void wf_cure_propose(const struct wf_finding *f, const char *file, const char *text, size_t n,
                     struct wf_cures *out);
void wf_cures_fini(struct wf_cures *c);

// Is there a proposal for this kind at all?
bool wf_cure_knows(enum wf_finding_kind k);

// Unified diff with three lines of context. "" when they are the same.
void wf_cure_diff(const char *old_name, const char *new_name, const char *old, size_t old_n,
                  const char *now, size_t now_n, struct wf_str *out);
// For each line of `now` (from 1; [0] unused) the line of `old` it was, 0 for a new one. Heap.
uint32_t *wf_cure_lines(const char *old, size_t old_n, const char *now, size_t now_n, uint32_t *count);

#endif

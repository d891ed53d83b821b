// SPDX-License-Identifier: Apache-2.0
// Small changes of a source: a statement put before or after another, words replaced; several make one cure.
#ifndef WF_CURE_EDIT_H
#define WF_CURE_EDIT_H

#include "cure/cure.h"
#include "cure/source.h"

struct wf__edit {
    size_t at, drop; // bytes taken out
    char *put;       // owned
};
struct wf__edits {
    WF_VEC(struct wf__edit) list;
    char what[200];
    bool is_impossible; // a place for one of them was not found: no cure
};

// A statement of its own line before or behind statement i. What is no part of a block gets braces.
void wf__edit_before(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt);
void wf__edit_after(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt);
// At the beginning or the end of the body of an if or a loop (i), which becomes a block when it is none.
void wf__edit_body_begin(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt);
void wf__edit_body_end(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt);
void wf__edit_replace(struct wf__edits *e, size_t at, size_t drop, const char *put);
void wf__edit_remove_stmt(struct wf__edits *e, const struct wf__source *s, uint32_t i);
void wf__edit_say(struct wf__edits *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Makes a cure of the edits, unless the same is there already, and frees them.
void wf__edits_done(struct wf__edits *e, const struct wf__source *s, struct wf_cures *out);

#endif

// SPDX-License-Identifier: Apache-2.0
// A source file as edits need it: lines, and the statements of function bodies by braces and keywords. Knows
// no types and no macros; what it takes wrongly gives an edit that does not compile or does not help, which
// is found out by trying.
#ifndef WF_CURE_SOURCE_H
#define WF_CURE_SOURCE_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint32_t

#include "base/vec.h" // WF_VEC

enum wf__stmt_kind { WF__STMT_BLOCK, WF__STMT_IF, WF__STMT_LOOP, WF__STMT_OTHER };
struct wf__stmt {
    enum wf__stmt_kind kind;
    uint32_t parent;  // WF__NO_STMT: the body of a function
    size_t at, end;   // bytes; end is behind the last one
    size_t head_end;  // behind the parentheses of if and loops
};
#define WF__NO_STMT UINT32_MAX

struct wf__source {
    const char *text; // borrowed
    char *code;       // the same without comments, strings and preprocessor lines; owned
    size_t n;
    WF_VEC(size_t) line;            // where each begins; line 1 is at [0]
    WF_VEC(struct wf__stmt) stmt;   // parents come before their parts
};

void wf__source_parse(struct wf__source *s, const char *text, size_t n);
void wf__source_fini(struct wf__source *s);

// The smallest statement at a position (column 0: the first one that begins on the line, or that holds it).
uint32_t wf__stmt_at(const struct wf__source *s, uint32_t line, uint32_t col);
// The statement itself or what it is a part of, whose parent is a block.
uint32_t wf__stmt_in_block(const struct wf__source *s, uint32_t i);
bool wf__stmt_holds(const struct wf__source *s, uint32_t outer, uint32_t inner); // also itself
uint32_t wf__stmt_common(const struct wf__source *s, uint32_t a, uint32_t b);    // smallest that holds both
// Of the ancestors of i (itself included) the one whose parent is `block`.
uint32_t wf__stmt_child(const struct wf__source *s, uint32_t block, uint32_t i);
uint32_t wf__stmt_function(const struct wf__source *s, uint32_t i); // the body it lies in
uint32_t wf__line_of(const struct wf__source *s, size_t at);        // from 1

#endif

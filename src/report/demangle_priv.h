// SPDX-License-Identifier: Apache-2.0
// Shared by demangle.c (names) and demangle_type.c (types and template arguments).
// A parser over one mangled name. Every production returns NULL (or a piece with left == NULL) when
// the text is not understood; nothing is freed, all strings are in a scratch arena.
#ifndef WF_REPORT_DEMANGLE_PRIV_H
#define WF_REPORT_DEMANGLE_PRIV_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // SIZE_MAX

#include "base/arena.h" // struct wf_arena
#include "base/vec.h"   // WF_VEC

// C declarators put text on both sides of a name: `int (*` name `)(float)`.
struct wf__piece {
    const char *left, *right;
    const struct wf__targs *pack; // of an argument that is a pack: its elements
    bool is_bare_suffix;          // a function or array type, which needs brackets under a pointer
};
struct wf__targs { // one template argument list, printed one by one
    const struct wf__piece *at;
    size_t n;
};
struct wf__dm {
    struct wf_arena *a;
    const char *p, *end;
    WF_VEC(struct wf__piece) subs; // what S_, S0_, ... stand for
    struct wf__targs last;         // the argument list read last at this level
    struct wf__targs targs;        // what T_, T0_, ... stand for
    size_t pack_index, pack_n;     // inside a pack expansion: the round, and the rounds it needs
    unsigned depth;
    size_t budget_bytes; // left for strings
    bool has_return;     // the name read last is a template function, so its return type follows
    bool is_lambda;      // inside the parameter list of a lambda
    const char *cv;      // qualifiers of the member function read last: " const"
};

#define WF__DM_NO_PACK SIZE_MAX
#define WF__DM_DEPTH 96   // nesting of productions
#define WF__DM_PIECE 8192 // bytes of one string
#define WF__DM_BUDGET (4u << 20)

bool wf__dm_eat(struct wf__dm *d, const char *text);
char wf__dm_peek(const struct wf__dm *d, size_t ahead); // '\0' at the end
// Concatenation of up to five strings (NULL ends the list); NULL once the budget is spent.
const char *wf__dm_join(struct wf__dm *d, const char *a, const char *b, const char *c,
                        const char *e, const char *f);
const char *wf__dm_copy(struct wf__dm *d, const char *s, size_t n);
bool wf__dm_number(struct wf__dm *d, size_t *out);        // decimal, at least one digit
bool wf__dm_seq(struct wf__dm *d, int base, size_t *out); // "_" 0, "0_" 1, ... as in S and T
bool wf__dm_add(struct wf__dm *d, struct wf__piece p);    // a substitution candidate

const char *wf__dm_encoding(struct wf__dm *d, const char **signature, const char **name);
const char *wf__dm_name(struct wf__dm *d);
struct wf__piece wf__dm_type(struct wf__dm *d);
struct wf__piece wf__dm_subst(struct wf__dm *d); // after 'S'
const char *wf__dm_targs(struct wf__dm *d);      // "<int, 5>", at 'I'; sets d->last
const char *wf__dm_params(struct wf__dm *d);     // "(int, float)" up to the end, 'E' or '.'

#endif

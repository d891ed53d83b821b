// SPDX-License-Identifier: Apache-2.0
// Keyword lookup over op.def, mod.def, type.def and sreg.def. One table a parse, no global state.
#ifndef WF_PTX_TABLE_H
#define WF_PTX_TABLE_H

#include <stddef.h> // size_t

#include "ptx/ast.h" // enum ptx_mod

struct wf_arena;
struct ptx_table;

struct ptx_table *ptx_table_new(struct wf_arena *arena); // lives in the arena
bool ptx_table_op(const struct ptx_table *t, const char *s, size_t n, enum ptx_op *out);
// A word behind a dot: PTX_WORD_TYPE plus a type, or a modifier; -1 when it is neither.
int ptx_table_word(const struct ptx_table *t, const char *s, size_t n);
bool ptx_table_type(const struct ptx_table *t, const char *s, size_t n, enum ptx_type *out);
// Name of a special register without the '%' and without a component; for %envreg4 and %pm3 the
// number is given, else -1.
bool ptx_table_sreg(const struct ptx_table *t, const char *s, size_t n, enum ptx_sreg *out,
                    int *number);
// The closest known word, for "did you mean"; NULL when none is near.
const char *ptx_table_near_word(const char *s, size_t n);
const char *ptx_table_near_op(const char *s, size_t n);
unsigned ptx_sreg_comps(enum ptx_sreg r);

enum ptx_group { PTX_G_SPACE, PTX_G_SEM, PTX_G_SCOPE, PTX_G_RND, PTX_G_CMP, PTX_G_SUB, PTX_G_VEC,
                 PTX_G_FLAG };
enum ptx_group ptx_mod_group(enum ptx_mod m);
// Adds one word (as ptx_table_word gives it) to the modifiers; false when there are too many types.
bool ptx_mods_add(struct ptx_mods *m, int word);

#endif

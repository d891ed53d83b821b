// SPDX-License-Identifier: Apache-2.0
// PTX text to a checked syntax tree.
#ifndef WF_PTX_PARSE_H
#define WF_PTX_PARSE_H

#include <stddef.h> // size_t

#include "base/arena.h" // struct wf_arena
#include "base/err.h"   // enum wf_status
#include "ptx/ast.h"    // struct ptx_module

// Parses n bytes of PTX (no NUL needed; a NUL ends the text). The module lives in `arena`, which also
// keeps a copy of the text. The first error stops: err has the line, the column and a sentence.
// Legality (operand kinds, types, modifiers) is checked as well; WF_E_INPUT for a fault of the text.
enum wf_status ptx_parse(struct wf_arena *arena, const char *name, const char *text, size_t n,
                         struct ptx_module **out, struct wf_err *err);

struct wf_str;
// Prints the module back as PTX that parses to the same tree.
void ptx_print(const struct ptx_module *m, struct wf_str *out);
void ptx_print_insn(const struct ptx_module *m, const struct ptx_insn *in, struct wf_str *out);

#endif

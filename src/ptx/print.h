// SPDX-License-Identifier: Apache-2.0
// What the two printer files share. Names are printed as written, unless two things in one function
// have the same name (blocks may shadow): then the later one gets a suffix.
#ifndef WF_PTX_PRINT_H
#define WF_PTX_PRINT_H

#include "base/map.h" // struct wf_map
#include "base/str.h" // struct wf_str
#include "base/vec.h" // WF_VEC
#include "ptx/ast.h"  // the tree

struct ptx_printer {
    const struct ptx_module *m;
    const struct ptx_func *func; // NULL at module level
    struct wf_str *out;
    struct wf_map renamed;  // variable or label -> its other name (heap)
    struct wf_map strings;  // name of an inlined function -> 1 + its number
    WF_VEC(const char *) string_list; // those names, by number
    uint32_t n_lists, loc;  // lists named so far; the next .loc to print
};

const char *ptx__printed_name(const struct ptx_printer *pr, const void *thing, const char *name);
void ptx__print_space(struct wf_str *out, enum ptx_space space);
// `.param .align 8 .b8 name[16]` without a semicolon.
void ptx__print_var_head(const struct ptx_printer *pr, const struct ptx_var *v);
void ptx__print_global(const struct ptx_printer *pr, const struct ptx_var *v); // a whole line
void ptx__print_insn(struct ptx_printer *pr, const struct ptx_insn *in);
void ptx__print_params(const struct ptx_printer *pr, const struct ptx_var *const *v, uint16_t n,
                       const char *name);

#endif

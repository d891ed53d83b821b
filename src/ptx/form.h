// SPDX-License-Identifier: Apache-2.0
// A row of form.def, and that row made ready for the operands of one spelling.
#ifndef WF_PTX_FORM_H
#define WF_PTX_FORM_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "ptx/ast.h" // enum ptx_op

struct ptx_opcode;

struct ptx_form {
    enum ptx_op op;
    const char *mods, *types, *operands;
    uint32_t ptx, sm;
};

enum { PTX_MAX_SPECS = 12 };

struct ptx_spec {      // one operand
    char letter;       // as explained in form.def
    enum ptx_type type;
    uint32_t bits;     // of the register wanted
    char kind;         // of the type: B U S F P
    bool is_optional, is_pair, may_sink, is_vec, no_imm, has_range;
    uint32_t least, most; // of a constant
};

struct ptx_use {
    const struct ptx_form *form;
    struct ptx_spec spec[PTX_MAX_SPECS];
    uint32_t n_specs, n_required;
};

void ptx__compile_form(struct ptx_use *use, const struct ptx_form *form, const struct ptx_opcode *o);

#endif

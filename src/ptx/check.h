// SPDX-License-Identifier: Apache-2.0
// Legality by table (form.def): modifiers and types once a spelling, operands at each instruction.
#ifndef WF_PTX_CHECK_H
#define WF_PTX_CHECK_H

#include <stdbool.h> // bool

struct ptx_insn;
struct ptx_opcode;
struct ptx_parser;
struct ptx_token;

// Finds the rows that fit the modifiers and types of `o`; false with an error when there is none.
bool ptx__check_opcode(struct ptx_parser *p, const struct ptx_token *at, struct ptx_opcode *o);
// Operands against those rows.
bool ptx__check_insn(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_opcode *o,
                     const struct ptx_insn *in);
// Sizes of fragments and numbers of coordinates (check_shape.c).
bool ptx__check_shape(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_opcode *o,
                      const struct ptx_insn *in);

#endif

// SPDX-License-Identifier: Apache-2.0
// Legality by table.
#include "ptx/check.h"

#include "ptx/parser.h"

bool ptx__check_opcode(struct ptx_parser *p, const struct ptx_token *at, struct ptx_opcode *o)
{
    (void)p, (void)at, (void)o;
    return true;
}

bool ptx__check_insn(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_opcode *o,
                     const struct ptx_insn *in)
{
    (void)p, (void)at, (void)o, (void)in;
    return true;
}

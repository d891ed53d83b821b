// SPDX-License-Identifier: Apache-2.0
// Places of the operands of asynchronous bulk operations in ir_insn.more.
#ifndef WF_IR_BUILD_WIDE_H
#define WF_IR_BUILD_WIDE_H

enum { IR_BULK_DST, IR_BULK_SRC, IR_BULK_BYTES, IR_BULK_MBAR, IR_BULK_MASK, IR_BULK_REST };
#define IR_MORE_MAX 64

#endif

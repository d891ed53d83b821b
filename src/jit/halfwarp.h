// SPDX-License-Identifier: Apache-2.0
// Loads of 32-bit values whose addresses may be two runs or two single places.
#ifndef WF_JIT_HALFWARP_H
#define WF_JIT_HALFWARP_H

#include <llvm-c/Core.h> // LLVMValueRef

struct jit;
struct ir_insn;

// addr: <32 x i32> or <32 x i64> program-visible addresses, shared: offsets. The lanes' words, also of those that are out
// of range, which is a fault.
LLVMValueRef jit__half_warp_load(struct jit *j, const struct ir_insn *in, LLVMValueRef addr, LLVMValueRef mask,
                                 unsigned space);

#endif

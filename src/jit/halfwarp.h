// SPDX-License-Identifier: Apache-2.0
// Loads of 32-bit values whose addresses may be two runs or two single places.
#ifndef WF_JIT_HALFWARP_H
#define WF_JIT_HALFWARP_H

#include <llvm-c/Core.h> // LLVMValueRef

struct jit;

// addr: <32 x i32> or <32 x i64> offsets from the pointer base, checked by the caller for the lanes in mask.
// `gather` makes the general form, in a block of its own.
LLVMValueRef jit__half_warp_load(struct jit *j, LLVMValueRef addr, LLVMValueRef mask, LLVMValueRef base,
                                 LLVMValueRef (*gather)(struct jit *j, void *arg), void *arg);

#endif

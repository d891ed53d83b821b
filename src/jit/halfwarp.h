// SPDX-License-Identifier: Apache-2.0
// Loads of 32-bit values whose addresses may be two runs or two single places.
#ifndef WF_JIT_HALFWARP_H
#define WF_JIT_HALFWARP_H

#include <stdbool.h> // bool

#include <llvm-c/Core.h> // LLVMValueRef

struct jit;
struct ir_insn;

struct jit_half;
// How the lanes' addresses lie. addr: <32 x i32> or <32 x i64> offsets from a pointer, of the instruction's lanes. To be
// emitted where the instruction begins, which comes before all later ones of its block.
struct jit_half jit__half_warp(struct jit *j, const struct ir_insn *in, LLVMValueRef addr, LLVMValueRef mask);
// i1: are all of them 4 bytes of shared memory, or else of the heap?
LLVMValueRef jit__half_warp_in_range(struct jit *j, const struct jit_half *h, const struct ir_insn *in, bool is_shared);
// The load; the addresses have been checked by the caller for the lanes in mask.
LLVMValueRef jit__half_warp_load(struct jit *j, const struct jit_half *h, const struct ir_insn *in, LLVMValueRef addr,
                                 LLVMValueRef mask, LLVMValueRef base);

#endif

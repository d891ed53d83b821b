// SPDX-License-Identifier: Apache-2.0
// What the core files of src/jit share beyond the emitters' interface.
#ifndef WF_JIT_JIT_INT_H
#define WF_JIT_JIT_INT_H

#include <stddef.h> // offsetof

#include <stdlib.h> // free

#include "base/bits.h"
#include "jit/jit_priv.h"

#define WARP_F(f) offsetof(struct wf_warp, f)
#define BLOCK_F(f) offsetof(struct wf_block, f)
#define GRID_F(f) offsetof(struct wf_grid_ctx, f)

// jit_util.c
LLVMValueRef jit__intrin(struct jit *j, const char *name, LLVMTypeRef *types, unsigned n_types, LLVMValueRef *args, unsigned n);
LLVMValueRef jit__call(struct jit *j, const char *name, LLVMTypeRef ret, LLVMValueRef *args, unsigned n);
LLVMValueRef jit__alloca(struct jit *j, LLVMTypeRef t, unsigned align);
LLVMValueRef jit__splat(struct jit *j, LLVMValueRef s);
LLVMValueRef jit__c32(struct jit *j, uint64_t v);
LLVMValueRef jit__c64(struct jit *j, uint64_t v);
LLVMValueRef jit__field(struct jit *j, LLVMValueRef base, size_t offset);
LLVMValueRef jit__fact(struct jit *j, LLVMTypeRef t, LLVMValueRef base, size_t offset);
LLVMValueRef jit__fact_pointer(struct jit *j, LLVMValueRef base, size_t offset, size_t bytes);

// value.c
LLVMTypeRef jit__reg_type(struct jit *j, const struct ir_reg *r); // of slot_a
struct jit_val jit__get(struct jit *j, uint32_t reg);
LLVMValueRef jit__reg_vec(struct jit *j, uint32_t reg); // 32 lanes
LLVMValueRef jit__reg_lane0(struct jit *j, uint32_t reg); // what lane 0 of the shape stands for
LLVMValueRef jit__val_vec(struct jit *j, const struct ir_reg *r, struct jit_val v);
unsigned jit__src_shape(struct jit *j, const struct ir_src *s); // enum ir_shape
LLVMValueRef jit__src_vec(struct jit *j, const struct ir_src *s, unsigned bits);
LLVMValueRef jit__src_uni(struct jit *j, const struct ir_src *s, unsigned bits); // lane 0's value
void jit__set(struct jit *j, const struct ir_insn *in, uint32_t reg, LLVMValueRef v, bool is_vec);
void jit__set_val(struct jit *j, uint32_t reg, struct jit_val v);
LLVMValueRef jit__fit(struct jit *j, LLVMValueRef v, unsigned bits, bool is_signed); // width change
LLVMValueRef jit__mask_vec(struct jit *j, LLVMValueRef mask); // i32 -> <32 x i1>
LLVMValueRef jit__mask_word(struct jit *j, LLVMValueRef v1);  // <32 x i1> -> i32
LLVMValueRef jit__mask(struct jit *j);                        // current lanes, i32
LLVMValueRef jit__live(struct jit *j);                        // lanes of the warp that have not exited, i32
void jit__store_slot(struct jit *j, uint32_t reg, LLVMValueRef mask);
void jit__store_first(struct jit *j, uint32_t reg, LLVMValueRef mask); // a whole warp's value, shortest form
void jit__load_slot(struct jit *j, uint32_t reg, LLVMValueRef mask);
LLVMValueRef jit__sreg(struct jit *j, const struct ir_src *s); // scalar or vector by sreg's shape
unsigned jit__sreg_shape(struct jit *j, const struct ir_src *s);

// nan.c
void jit__find_any_nan(struct jit *j); // of function j->f
bool jit__any_nan_will_do(const struct jit *j, const struct ir_insn *in);
// flow.c
void jit__function(struct jit *j);
void jit__layout_frame(struct ir_func *f);
LLVMBasicBlockRef jit__block(struct jit *j, const char *name);
void jit__save_live(struct jit *j, uint32_t pc, LLVMValueRef mask);
void jit__make_slots(struct jit *j);
void jit__block_facts(struct jit *j); // what is the same for all warps of a block
void jit__warp_facts(struct jit *j);
void jit__make_blocks(struct jit *j, const uint8_t *only);
void jit__emit_head(struct jit *j, uint32_t k, const struct ir_block *b);
void jit__emit_body(struct jit *j, uint32_t k, const struct ir_block *b);
bool jit__starts_with_warp_op(const struct ir_block *b);
void jit__stop_warp(struct jit *j, uint32_t how);
// remat.c
bool jit__is_remat(const struct jit *j, const struct ir_insn *in); // never saved but recomputed
void jit__remat_all(struct jit *j);
void jit__plan_remat(struct jit *j, const uint8_t *in); // in a region of these blocks
void jit__remat_at_start(struct jit *j);
void jit__remat_in(struct jit *j, uint32_t k); // at the start of block k
// retreat.c
void jit__retreat_region(struct jit *j, uint32_t k, const uint8_t *in);
void jit__retreat_begin(struct jit *j, uint32_t k);
void jit__retreat_past(struct jit *j, const struct ir_insn *in);
LLVMBasicBlockRef jit__retreat(struct jit *j); // while j->retreat is not NULL: where an access goes that has no fast way
// trust.c
void jit__trust_block(struct jit *j, const struct ir_block *b);
// traffic.c
bool jit__is_large(const struct ir_func *f); // its registers live in the frame between blocks
const struct jit_traffic *jit__traffic(struct jit *j); // of j->f; NULL when it is not large
void jit__frame_in(struct jit *j, uint32_t k, LLVMValueRef mask);
void jit__frame_out(struct jit *j, uint32_t k);
bool jit__is_entry(const struct ir_func *f, uint32_t k); // can a path be resumed at block k?
// region.c
bool jit__is_plain_barrier(const struct ir_insn *in); // bar.sync or bar.red with a constant id and no count
// By block: does a region start there? Heap. reach_all: every block lies in a region.
uint8_t *jit__find_regions(const struct ir_func *f, bool *reach_all);
bool jit__regions_are_one(const struct ir_func *f, const uint8_t *has, bool is_checked);
// Blocks reachable from k without passing a stop: marked in in[], counted. stack: n_blocks entries of room.
uint32_t jit__region_reach(const struct ir_func *f, uint32_t k, uint8_t *in, uint32_t *stack);
// block_loop.c
void jit__block_loop(struct jit *j, uint32_t k, const uint8_t *has);
struct jit_late_sum *jit__late_sum(struct jit *j); // one more, NULL: there is no room
void jit__region_barrier(struct jit *j, uint32_t k, const struct ir_block *b);
uint8_t jit__barrier_kind(const struct ir_insn *in);
void jit__dispatch_to(struct jit *j, LLVMValueRef pcmask); // i64 pc << 32 | mask
// idle.c
const uint8_t *jit__find_tails(struct jit *j); // of the predicates of j->f
void jit__busy(struct jit *j);                 // the running warp does something here
bool jit__is_idle(const struct jit *j, const struct ir_insn *in);
// Are lanes in which the predicate holds (negated: does not hold) gone from some warp on?
bool jit__is_tail(const struct jit *j, uint32_t reg, bool negated);
// insn.c
void jit__insn(struct jit *j, const struct ir_insn *in);
void jit__insns(struct jit *j, const struct ir_insn *in, uint32_t n);
bool jit__is_elementwise(const struct ir_insn *in);
void jit__wide_affine(struct jit *j, const struct ir_insn *in); // dst is WAFF
// space.c
void jit__address_space(struct jit *j, const struct ir_insn *in);
void jit__is_space(struct jit *j, const struct ir_insn *in);
// ldst.c, atom.c, sync.c, lane.c
void jit__load(struct jit *j, const struct ir_insn *in);
void jit__store(struct jit *j, const struct ir_insn *in);
void jit__atom(struct jit *j, const struct ir_insn *in);
void jit__fence(struct jit *j, const struct ir_insn *in);
void jit__mem_fence(struct jit *j, LLVMAtomicOrdering o, bool single_thread);
LLVMValueRef jit__lanes_in_range(struct jit *j, unsigned space, LLVMValueRef v, unsigned total, LLVMValueRef mask);
LLVMValueRef jit__addresses(struct jit *j, const struct ir_insn *in, int slot); // <32 x i64>, program-visible or offset
LLVMValueRef jit__slow_data(struct jit *j); // stack memory for 1024 bytes that a slow side loads or stores
LLVMValueRef jit__spill(struct jit *j, LLVMValueRef v); // to stack memory, returns the pointer
void jit__warp_op(struct jit *j, const struct ir_insn *in, uint32_t pc);
void jit__sync(struct jit *j, const struct ir_insn *in, uint32_t next_pc);
void jit__texture(struct jit *j, const struct ir_insn *in); // tex.c: tex, tld4, suld, sust, txq, suq
void jit__async(struct jit *j, const struct ir_insn *in); // cp.async, mbarrier, mapa, ...
void jit__bulk(struct jit *j, const struct ir_insn *in);   // asynchronous, in bulk
void jit__matrix(struct jit *j, const struct ir_insn *in); // mma and its kin
void jit__call_builtin(struct jit *j, const struct ir_insn *in);
void jit__real_call(struct jit *j, const struct ir_insn *in, uint32_t next_pc);

#endif

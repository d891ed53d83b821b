// SPDX-License-Identifier: Apache-2.0
// The lowering context: one kernel function being turned into LLVM IR. Private to src/jit.
//
// Register values are integers (i1 i8 i16 i32 i64 i128); floating operations cast to and fro.
// Elementwise emitters work on one lane or on all 32 with the same code: every LLVM value they get or
// give is iN when j->lanes is 1, <32 x iN> when it is 32.
#ifndef WF_JIT_JIT_PRIV_H
#define WF_JIT_JIT_PRIV_H

#include <llvm-c/Core.h> // LLVMValueRef

#include "base/arena.h"
#include "ir/ir.h"
#include "jit/abi.h"

struct orc_key;
struct jit_val { // a register's value in SSA form, by shape
    LLVMValueRef a, b; // UNI, AFF: a scalar; WAFF: a = b (i32), b = c (i64); VEC: a vector
};

struct jit_traffic { // of a block: registers it needs from the frame, and those it has to leave there
    uint32_t *in, *out, n_in, n_out;
};

struct jit {
    struct wf_arena *arena;
    LLVMContextRef cx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    LLVMValueRef fn;
    const struct ir_program *prog;
    const struct ir_func *f;
    const struct ir_block *block;
    bool is_checked; // events are wanted
    bool is_guarded; // of atomics: whether they stay where they are thought to
    int lanes;       // 1 or 32, set around elementwise emitters
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f16, bf16, f32, f64, ptr, void_t;
    LLVMTypeRef v1, v8, v16, v32, v64, vf32, vf64, vptr; // <32 x ...>
    LLVMValueRef *slot_a, *slot_b; // allocas of the registers
    LLVMValueRef mask;             // alloca i32: lanes of the running path
    LLVMValueRef warp, blk, grid, frame; // pointers
    LLVMBasicBlockRef *body, dispatch;
    LLVMValueRef next_pc; // alloca i32
    LLVMValueRef iota32;  // <0, 1, ... 31>
    LLVMValueRef shared, local, params, syms, delta, win_base, win_bytes; // loaded in the prologue
    LLVMValueRef shared_bytes, heap_lo, heap_len, shared_window; // window of own shared memory, program-visible
    LLVMValueRef budget; // alloca i32: back edges left
    LLVMBasicBlockRef *head, *released; // join check before a body; second entry of warp instructions
    LLVMValueRef slow_of, slow_addr, slow_data; // of ldst.c: stack memory of function slow_of
    const uint8_t *any_nan; // by register: its f32 NaN may have any bits
    bool any_nan_now;       // of the result being emitted
    unsigned md_invariant;
    LLVMValueRef md_empty;
    bool affine_tid;
    bool adds_may_wait, may_stream; // see ir/late.c
    const struct jit_traffic *traffic; // by block; NULL: registers stay in SSA form across blocks
    // Regions only:
    bool is_region;
    LLVMBasicBlockRef warp_done;
    bool is_whole;              // all 32 lanes run here, whatever the data
    LLVMValueRef stop; // alloca i32
    const uint8_t *region_defs; // registers that the region sets
    const uint8_t *region_out;  // registers live behind one of its barriers
    const uint8_t *tails;       // see idle.c
    struct jit_remat *remat;    // of the region, see remat.c
    struct jit_retreat *region_retreat, *retreat; // see retreat.c; retreat is NULL where it is too late for one
    const uint8_t *untouched;   // blocks where region_retreat will do
    struct jit_trust *trust, **trusted; // of block trust_of, see trust.c; trusted: by instruction
    unsigned n_trust;
    uint32_t *written, n_written; // by register of trust_func: the last block, counted, that set it so far
    const struct ir_func *trust_func;
    const struct ir_block *trust_of;
    LLVMValueRef busy;          // alloca i1: this warp did something; NULL: nobody asks
    struct jit_late_sum { LLVMValueRef place, sum; } late[4]; // allocas: an add that waits for the function's end
    unsigned n_late;
    struct jit_blockwide *wide; // of a function with several regions
#define JIT_HALVES 4
    struct jit_half { // halfwarp.c: of the addresses that register reg holds at insn `at` of the block
        LLVMValueRef fn, runs, ones, first[2];
        LLVMValueRef least, most, aligned; // i64 of the running lanes; i1: to 4 bytes, each of them
        const struct ir_block *block;
        const struct ir_insn *at;
        uint32_t reg;
    } half[JIT_HALVES];
    unsigned n_half;
    const struct orc_key *key; // names the functions
    char error[200]; // first refused operation, or ""
};

// ---- for emitters ----
LLVMTypeRef jit_int(struct jit *j, unsigned bits);         // iN or <32 x iN>
LLVMTypeRef jit_flt(struct jit *j, enum ptx_type t);       // half/bfloat/float/double, or vector of it
LLVMValueRef jit_const(struct jit *j, unsigned bits, uint64_t v); // splat
LLVMValueRef jit_fconst(struct jit *j, enum ptx_type t, double v);
LLVMValueRef jit_to_flt(struct jit *j, LLVMValueRef v, enum ptx_type t); // bitcast iN -> float kind
LLVMValueRef jit_to_int(struct jit *j, LLVMValueRef v);                  // bitcast back to iN
// Calls an overloaded LLVM intrinsic ("llvm.ctpop", "llvm.fma", ...) on operands of the first one's type.
LLVMValueRef jit_intrin(struct jit *j, const char *name, LLVMValueRef *args, unsigned n);
// Calls a C helper lane by lane through memory: helper(const void *src[], void *dst, uint32_t lanes); works for
// both lane counts. Result has `bits` bits a lane. The helper must be listed in helper.def.
LLVMValueRef jit_helper(struct jit *j, const char *helper, LLVMValueRef *args, unsigned n, unsigned bits);
void jit_refuse(struct jit *j, const struct ir_insn *in, const char *what); // records the first refusal

// Elementwise emitter: sources s[0..n_src) have the width of the instruction's type (cvt: of type[1]; shift counts
// and the like: 32 bits; predicates: i1); sets d[0..n_dst). `.cc` forms: the last d is the carry out (i1), and
// addc/subc/madc get the carry in as their last source.
typedef void (*jit_elem_fn)(struct jit *j, const struct ir_insn *in, LLVMValueRef *s, LLVMValueRef *d);
jit_elem_fn jit_elem_find(enum ptx_op op); // NULL: not elementwise. In elem.c, a table by op.

LLVMValueRef jit__new_function(struct jit *j, const char *name, LLVMTypeRef type); // in the module, for wide vectors
LLVMValueRef jit__private_function(struct jit *j, const char *name, LLVMTypeRef type); // of the module only, never inlined

#endif

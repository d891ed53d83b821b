// SPDX-License-Identifier: Apache-2.0
// One normal form for a kernel: direct calls inlined, names resolved, control flow as basic blocks.
//
// An IR function is a list of blocks in layout order; a block's index is its pc. Layout is reverse
// post order, so a join comes after the branches that lead to it, and "lowest pc first" makes
// diverged lanes meet again. Every place where a path can stop and go on later (barriers, warp
// instructions, calls) is a block boundary.
//
// Registers are not SSA here: LLVM makes SSA of them. Each has a width and a *shape*, which says how
// much of the 32 lanes' values has to be kept (ir/uniform.c decides):
//   UNI   one value for all lanes of a path
//   AFF   value(lane) = base + stride * lane, modulo 2^bits; the base is the scalar that is kept
//   WAFF  64 bits: value(lane) = ext32to64(b + stride * lane) * scale + c; b (32 bits) and c (64) are
//         kept, stride, signedness and scale are constants: an index widened to an address, exact
//         even when the 32-bit index wraps inside the warp
//   VEC   32 values
// A register with is_remat is a pure function of launch facts (ids, parameters, constants): it is
// computed in the prologue of compiled code and never saved.
#ifndef WF_IR_IR_H
#define WF_IR_IR_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "base/arena.h" // struct wf_arena
#include "base/err.h"   // enum wf_status
#include "ptx/ast.h"    // enum ptx_op, struct ptx_mods

#define IR_NONE UINT32_MAX

enum ir_shape { IR_UNI, IR_AFF, IR_WAFF, IR_VEC };

struct ir_reg {
    uint8_t bits; // 1 (predicate), 8, 16, 32, 64, 128
    uint8_t shape;
    bool is_remat;
    bool waff_signed;
    bool is_blockwide; // UNI, and at any place the same in all warps of the block that are there together
    bool has_row_step; // VEC: each half of a warp holds base + row_step * (lane in the half), see rows.c
    int64_t row_step;
    int64_t stride; // AFF, WAFF
    int64_t scale;  // WAFF
    uint32_t n_defs;
    uint32_t slot;  // byte offset in the warp frame, IR_NONE when it needs none (VEC: 32 lanes of bits/8;
                    // UNI, AFF: the same, as lanes; WAFF: 32-bit lanes of b, then 64-bit lanes of c;
                    // predicates: one 32-bit mask)
};

enum ir_src_kind {
    IR_S_NONE,
    IR_S_REG,
    IR_S_IMM,   // bits, already of the operand's width
    IR_S_SREG,  // sreg, comp
    IR_S_SYM,   // address of module symbol `sym` plus bits (64-bit program-visible)
    IR_S_SHARED,// offset in the block's shared memory: bits (static) ; dynamic part: + dynamic base
    IR_S_LOCAL, // offset in the thread's local memory: bits
    IR_S_PARAM, // offset in the kernel's parameter block: bits
    IR_S_FUNC,  // handle of IR function `sym` of the program
};

struct ir_src {
    uint8_t kind;
    bool is_negated; // predicates
    bool is_dynamic; // SHARED: bits counts from the start of dynamic shared memory
    uint8_t comp;
    uint16_t sreg;
    uint32_t reg;
    uint32_t sym;
    uint64_t bits;
};

enum ir_kind {
    IR_K_OP,      // straight-line operation, see op
    IR_K_LDPARAM, // dst <- parameter block at off (kernel parameters; launch constant)
    IR_K_MOVE,    // dst <- src (also made by inlining and by promotion of .param and local variables)
    IR_K_BARRES,  // dst <- result of the bar.red that the path waited at
    IR_K_PACK,    // dst(wide) <- {src...}  (mov.b64 r, {a, b})
    IR_K_UNPACK,  // dst... <- src(wide)
};

struct ir_insn {
    uint8_t kind;
    uint16_t op; // enum ptx_op
    struct ptx_mods m;
    uint8_t type;      // main type, enum ptx_type (m.type[0] unless the builder knows better)
    uint8_t n_dst, n_src;
    bool has_pair;     // dst[1] is the predicate of d|p
    uint32_t guard;    // predicate register or IR_NONE
    bool guard_negated;
    bool is_partial;   // guarded, and the old value of dst counts for the lanes left out
    uint32_t dst[8];   // registers; IR_NONE for sinks
    struct ir_src src[10]; // memory operations: src[0] is the base (NONE: absolute), off the displacement;
                           // then the data operands in textual order
    struct ir_src *more;   // of instructions with many operands (build_wide.c), which have no src
    uint8_t n_more;
    int64_t off;
    uint8_t space;     // enum ptx_space after inference; GENERIC stays a run-time question
    bool is_generic_addr; // the space is known, but the address still is a generic one
    uint32_t site;     // index into ir_func.sites, IR_NONE for plain arithmetic
    uint32_t loc;      // index into the program's locs
    uint32_t ptx_line;
    const void *aux;   // struct ptx_insn it came from (operands of rare forms)
};

// What a CALL does: a function of the device runtime, or a real call through the frame stack.
enum ir_builtin { IR_B_NONE, IR_B_VPRINTF, IR_B_ASSERTFAIL, IR_B_MALLOC, IR_B_FREE, IR_B_SET_CONDITION };

struct ir_call { // aux of a CALL instruction; src[0] is the callee of a real call
    uint8_t builtin;
    const char *name;
    uint32_t *arg; // registers
    uint32_t n_args;
    uint32_t *ret; // registers
    uint32_t n_rets;
};

enum ir_term {
    IR_T_JUMP,   // succ[0]
    IR_T_BRANCH, // cond ? succ[0] : succ[1]
    IR_T_BRX,    // index register, succ[0..n)
    IR_T_EXIT,   // lanes end (exit, ret of the entry)
    IR_T_RET,    // of a real (not inlined) function
    IR_T_SYNC,   // the last instruction stops the path; goes on at succ[0]
    IR_T_CALL,   // real call (recursive or indirect); goes on at succ[0]
    IR_T_TRAP,
};

struct ir_block {
    struct ir_insn *insns;
    uint32_t n_insns;
    uint8_t term;
    bool cond_negated, is_uniform_branch;
    bool is_loop_header, is_join; // join: several ways in, lanes may have to meet here
    bool is_poll_loop;  // header of a loop whose every way out waits for a value in memory
    bool is_still_loop; // header of a waiting loop that writes nothing: barriers in it are no progress
    bool is_dead_loop;  // part of an endless loop without memory access: nothing ends it
    bool in_cycle;
    uint32_t cond;      // predicate or index register
    uint32_t *succ;
    uint32_t n_succ;
    uint32_t *pred;
    uint32_t n_pred;
    uint32_t *live_in;  // registers live at the start, without the remat ones
    uint32_t n_live_in;
    uint32_t loc;
    uint32_t poll_site; // of a loop header: the read whose value may end the loop, IR_NONE: none
    uint32_t scc; // number of the innermost loop's header + 1, 0 = in no loop
};

// A static instruction that execution tells checkers about.
enum ir_site_kind { IR_SITE_MEM, IR_SITE_FENCE, IR_SITE_BAR, IR_SITE_WARP, IR_SITE_OTHER };
struct ir_site {
    uint32_t kind, loc, ptx_line;
    uint16_t op;
    uint8_t space, sem, scope, type, vec;
    uint8_t bytes;      // of one element
    bool is_read, is_write, is_atomic, is_volatile, is_nc, is_red, is_aligned;
    bool is_proxy;      // fence.proxy.async
    bool is_unread;     // atomics: nobody uses the old value
    uint16_t sub;       // atomic operation, see ptx_mods.sub
    bool is_cas_guess;  // weak load whose value only feeds the comparand of a CAS
    bool is_used;       // plain loads, after ir_find_uses(): what is read counts on every way from here
    uint32_t used_bytes_mask; // of a vector load, from .pragma "used_bytes_mask"; all ones otherwise
};

struct ir_func {
    const char *name;
    const struct ptx_func *source;
    bool is_entry;
    struct ir_reg *regs;
    uint32_t n_regs;
    struct ir_block *blocks;
    uint32_t n_blocks;
    struct ir_site *sites;
    uint32_t n_sites;
    uint32_t frame_bytes;  // of one warp
    uint32_t local_bytes;  // of one thread, fixed part
    uint32_t shared_bytes; // static, dynamic starts at this offset rounded up to its alignment
    uint32_t shared_dynamic_offset;
    bool has_divergence;   // some branch may split a warp
    bool has_calls, has_alloca;
    bool has_bulk;         // asynchronous bulk copies
    uint32_t *param_reg;   // real functions: registers that receive arguments
    uint32_t n_params;
    uint32_t *ret_reg;
    uint32_t n_rets;
    const char *refused;   // op that cannot be compiled, or NULL
    uint32_t refused_line;
};

struct ir_symbol { // module-scope variable used by the code
    const struct ptx_var *var;
    const struct ptx_module *module;
};

struct ir_blocks { // what is known of the blocks' shape
    bool affine_tid;  // %tid.x is warp base + lane (block is one-dimensional or block.x a multiple of 32)
    bool whole_warps; // each warp has 32 threads
    bool rows_of_16;  // block.x is a multiple of 16: the lower and the upper half of a warp lie in one row each
};

struct ir_program { // one entry with what it can reach
    struct ir_blocks blocks; // that it is built for
    struct wf_arena *arena;
    struct ir_func **funcs; // [0] the entry
    uint32_t n_funcs;
    struct ir_symbol *syms;
    uint32_t n_syms;
    const struct ptx_loc *locs; // of the program, [0] unknown
    uint32_t n_locs;
    const char *const *files;
    uint32_t param_bytes;
    uint32_t n_params;
    uint32_t *param_offset, *param_size;
};

struct ir_opts {
    struct ir_blocks blocks;
    const char *without; // "FILE:LINE", one a line of text: CTA barriers there are left out. NULL: none
    bool may_preempt; // a path may give way before and after each strong access and fence
};

// Builds the program of entry `f`. `modules` are all linked modules: calls and variables are looked up by
// name through them. In `arena`.
enum wf_status ir_build(struct wf_arena *arena, const struct ptx_module *const *modules,
                        uint32_t n_modules, const struct ptx_module *home, const struct ptx_func *f,
                        const struct ir_opts *o, struct ir_program **out, struct wf_err *err);

// What block k reads before it writes it, and what it writes, as sets of registers: (n_regs + 63) / 64 words
// each, which the function adds to.
void ir_block_sets(const struct ir_func *f, uint32_t k, uint64_t *use, uint64_t *def);
bool ir_is_matrix(enum ptx_op op); // mma, wmma, ldmatrix, stmatrix, movmatrix

// Each register that an instruction reads.
void ir_each_use(const struct ir_insn *in, void (*fn)(void *arg, uint32_t reg), void *arg);

// Nothing but registers is read and written, and the result follows from the operands.
bool ir_is_pure(const struct ir_insn *in);

// May 32-bit adds to global memory whose result nobody reads be made as late as the grid's end? See late.c.
bool ir_adds_may_wait(struct wf_arena *a, const struct ir_program *p);
// May stores to global memory become visible to other blocks as late as that?
bool ir_may_stream(const struct ir_program *p);

// Is an instruction run, or not, because of the value that another one read? Sites of f. See depend.c.
bool ir_rests_on(const struct ir_func *f, uint32_t site, uint32_t read);

// By block: where the sides of a branch at its end meet at the latest, n_blocks: behind the end. In `a`.
uint32_t *ir_meets(struct wf_arena *a, const struct ir_func *f);

// Fills in ir_site.is_used. See used.c.
void ir_find_uses(struct wf_arena *a, const struct ir_program *p);

struct wf_str;
void ir_print(const struct ir_program *p, struct wf_str *out);
// Invariants that every pass keeps; asserts on failure.
void ir_verify(const struct ir_program *p);

#endif

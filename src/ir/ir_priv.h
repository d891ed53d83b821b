// SPDX-License-Identifier: Apache-2.0
// State of building one program: the flat instruction list that inlining makes, before blocks exist.
#ifndef WF_IR_IR_PRIV_H
#define WF_IR_IR_PRIV_H

#include "base/bits.h" // wf_align_up
#include "base/map.h"  // struct wf_map
#include "base/vec.h" // WF_VEC
#include "ir/ir.h"

enum flat_kind { FLAT_INSN, FLAT_LABEL, FLAT_BRA, FLAT_BRX, FLAT_EXIT, FLAT_RET, FLAT_TRAP };

struct flat {
    struct ir_insn in;   // FLAT_INSN; for the others only guard, loc and ptx_line count
    uint8_t kind;
    uint32_t label;      // LABEL, BRA
    uint32_t *targets;   // BRX: label numbers
    uint32_t n_targets;
};

// A .param variable of a call, or a formal parameter of an inlined function: memory that becomes
// registers when every access to a piece has the same place and width (ir/pvar.c).
struct pvar {
    const struct ptx_var *var;
    uint64_t bytes;
    bool escaped;       // its address is taken: has to be memory
    uint32_t local_off; // in local memory, IR_NONE while it has no place there
};

struct inst { // one inlined activation
    const struct ptx_module *mod;
    const struct ptx_func *fn;
    struct inst *parent;
    uint32_t reg_base, label_base, ret_label;
    uint32_t depth;
    uint32_t loc_base; // of its module in the program's locs
    uint32_t call_loc; // where it is called, in the program's locs; 0: the function itself
    struct wf_map pvars; // ptx_var * -> struct pvar * + 1-based index
    uint64_t local_base; // its .local variables start here
};

struct build {
    struct wf_arena *arena;
    const struct ptx_module *const *modules;
    uint32_t n_modules;
    const struct ir_opts *opts;
    struct ir_program *prog;
    struct ir_func *f;
    struct wf_err *err;
    WF_VEC(struct flat) flat;
    WF_VEC(struct ir_reg) regs;
    WF_VEC(struct ir_site) sites;
    WF_VEC(struct pvar) pvars;
    WF_VEC(struct ir_symbol) syms;
    WF_VEC(struct ir_func *) funcs;
    WF_VEC(const struct ptx_func *) func_src; // the source of funcs[i]; NULL for [0] until known
    WF_VEC(const struct ptx_module *) func_mod;
    struct wf_map shared_off; // ptx_var * -> offset + 1
    uint64_t shared_bytes, local_bytes;
    uint32_t dyn_align;
    uint32_t n_labels;
    uint32_t cc_reg; // the condition code register of .cc forms, IR_NONE until used
    const uint32_t *mod_loc_base;
    WF_VEC(struct ptx_loc) locs;
    struct wf_map loc_at; // (location, call site) -> its number
};

// build.c
enum wf_status ir__expand(struct build *b, struct inst *in);
uint32_t ir__new_reg(struct build *b, unsigned bits);
const struct ptx_func *ir__find_func(struct build *b, const struct ptx_module *home, const struct ptx_func *f,
                                     const struct ptx_module **mod);
uint32_t ir__func_index(struct build *b, const struct ptx_func *f, const struct ptx_module *m);
// Number of a module's location `loc` as it is in this activation: with the call sites it was inlined at.
uint32_t ir__loc(struct build *b, const struct inst *in, uint32_t loc);
struct flat *ir__push(struct build *b, uint8_t kind);
// build_tex.c
enum wf_status ir__texture(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d);
// build_op.c
enum wf_status ir__insn(struct build *b, struct inst *in, const struct ptx_insn *x);
enum wf_status ir__source(struct build *b, struct inst *in, const struct ptx_operand *o, enum ptx_type t,
                          struct ir_src *out);
enum wf_status ir__dst(struct build *b, struct inst *in, const struct ptx_operand *o, struct ir_insn *d);
// build_wide.c: instructions whose operands go to `more`
bool ir__is_wide(const struct ptx_insn *x);
enum wf_status ir__wide(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d);
enum wf_status ir__address(struct build *b, struct inst *in, const struct ptx_operand *o, struct ir_src *out); // one value
enum wf_status ir__each(struct build *b, struct inst *in, const struct ptx_operand *o, enum ptx_type t,
                        struct ir_insn *d); // a vector's elements to d->more
// build_mma.c
enum wf_status ir__matrix(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d);
// build_call.c
enum wf_status ir__call(struct build *b, struct inst *in, const struct ptx_insn *x);
void ir__func_enter(struct build *b, struct inst *in); // real functions: arguments to formals
void ir__func_exit(struct build *b, struct inst *in);
uint32_t ir__pvar(struct build *b, struct inst *in, const struct ptx_var *v);
// target.c
void ir__add_targets(struct build *b, const struct ptx_proto *proto);
// pvar.c
void ir__resolve_pvars(struct build *b);
// cfg.c
void ir__make_blocks(struct build *b);
void ir__edges(struct wf_arena *a, struct ir_func *f);
// live.c
void ir__liveness(struct wf_arena *a, struct ir_func *f);
void ir__cas_guesses(struct wf_arena *a, struct ir_func *f); // guess.c
void ir__drop_unread_results(struct ir_func *f);
void ir__constants(struct wf_arena *a, struct ir_func *f); // constant.c
// uniform.c
// split.c
struct split {
    const struct ir_func *f;
    uint32_t *ipdom;  // by block: immediate post-dominator, n_blocks is the exit
    uint32_t *region; // of the last ir__split_at: bit s of region[x], x is reachable from succ[s] before ipdom[k]
    uint32_t *stack;
    uint8_t *defd;
};
void ir__split_init(struct wf_arena *a, const struct ir_func *f, struct split *s);
void ir__split_at(struct split *s, uint32_t k);
bool ir__split_joins(const struct split *s, uint32_t k, uint32_t x); // after ir__split_at(s, k)
// Sets pinned[r] of the registers that a side of the branch at k sets and that are live where the sides meet.
bool ir__split_pins(struct split *s, uint32_t k, uint8_t *pinned);

void ir__shapes(struct wf_arena *a, struct ir_func *f, const struct ir_opts *o);
void ir__spaces(struct ir_func *f); // space.c: generic accesses whose space is known
bool ir__is_lanewise(const struct ir_insn *in); // pure, lane by lane
void ir__blockwide(struct wf_arena *a, struct ir_func *f); // marks is_blockwide; after all changes of the code
void ir__rows(struct wf_arena *a, struct ir_func *f, const struct ir_opts *o);
void ir__joins(struct wf_arena *a, struct ir_func *f); // marks is_join, has_divergence
// ifconv.c
bool ir__if_convert(struct wf_arena *a, struct ir_func *f);
// loop.c
void ir__loops(struct wf_arena *a, struct ir_func *f);

// Walks an instruction's register reads, guard included; fn(arg, reg).
bool ir__is_suspend(const struct ir_insn *in); // stops the path: goes on in the next block
bool ir__is_warp_op(const struct ir_insn *in); // waits for lanes: starts a block
bool ir__has_effect(const struct ir_insn *in); // more than its destination registers

#endif

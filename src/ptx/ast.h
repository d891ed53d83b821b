// SPDX-License-Identifier: Apache-2.0
// Syntax tree of one PTX module. Everything lives in the arena the parser was given; names are
// interned there. Registers, labels and variables are resolved by the parser (scoping of { } blocks
// included), so readers never look a name up.
#ifndef WF_PTX_AST_H
#define WF_PTX_AST_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

enum ptx_type {
    PTX_T_NONE,
#define PTX_TYPE(id, name, bits, kind, packed) PTX_T_##id,
#include "ptx/type.def"
#undef PTX_TYPE
    PTX_T_COUNT
};

enum ptx_mod {
#define PTX_MOD(id, name, group) PTX_M_##id,
#include "ptx/mod.def"
#undef PTX_MOD
    PTX_M_COUNT
};

enum ptx_op {
#define PTX_OP(id, name, state) PTX_O_##id,
#include "ptx/op.def"
#undef PTX_OP
    PTX_O_COUNT
};

enum ptx_sreg {
#define PTX_SREG(id, name, bits, comps) PTX_SR_##id,
#include "ptx/sreg.def"
#undef PTX_SREG
    PTX_SR_COUNT
};

enum ptx_space {
    PTX_SP_GENERIC, // no space written
    PTX_SP_REG,     // only for variables
    PTX_SP_GLOBAL,
    PTX_SP_SHARED, // .shared, .shared::cta
    PTX_SP_SHARED_CLUSTER,
    PTX_SP_LOCAL,
    PTX_SP_CONST,
    PTX_SP_PARAM, // kernel or function parameter; which one follows from the variable
};

enum ptx_sem { PTX_SEM_NONE, PTX_SEM_WEAK, PTX_SEM_RELAXED, PTX_SEM_ACQUIRE, PTX_SEM_RELEASE,
               PTX_SEM_ACQ_REL, PTX_SEM_SC, PTX_SEM_VOLATILE, PTX_SEM_MMIO };
enum ptx_scope { PTX_SC_NONE, PTX_SC_CTA, PTX_SC_CLUSTER, PTX_SC_GPU, PTX_SC_SYS }; // .gl is GPU

// Modifiers of one instruction. Absent ones are 0 (RND, CMP and SUB hold an enum ptx_mod plus 1, so
// that 0 means absent: test with PTX_IS(m.rnd, RZ)).
struct ptx_mods {
    uint64_t set[(PTX_M_COUNT + 63) / 64]; // every modifier seen
    // Every word in the order written (wmma's .row.col differs from .col.row): an enum ptx_mod, or
    // PTX_WORD_TYPE plus an enum ptx_type.
    const uint16_t *words;
    uint8_t n_words;
    uint8_t type[6], n_types; // in order of appearance: cvt.rn.f32.s32 -> F32, S32
    uint8_t space, space2;                 // enum ptx_space, first and second written
    uint8_t sem, scope;
    uint8_t vec;   // 1, 2, 4, 8
    uint16_t rnd;  // rounding, also .rni and friends; the last one written
    uint16_t rnd2; // the one before it, for forms with two
    uint16_t cmp;
    uint16_t sub;  // last SUB word: the operation of atom/red/bar.red/redux, the boolean of setp
};
#define PTX_WORD_TYPE 0x4000
#define PTX_IS(field, id) ((field) == PTX_M_##id + 1)

static inline bool ptx_has(const struct ptx_mods *m, enum ptx_mod id)
{
    return (m->set[id / 64] >> (id % 64)) & 1;
}

struct ptx_loc {     // one .loc; 0 line = unknown
    uint32_t file;   // index into ptx_module.files, 0 = none
    uint32_t line, col;
    const char *function;       // function_name of an inlined location, or NULL
    const struct ptx_loc *inlined_at; // call site, or NULL
};

// A variable in any space, a parameter, or a register (registers: space REG).
struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type; // element type
    uint8_t vec;        // 1, 2 or 4 (.v2 .v4 variables)
    bool is_extern, is_visible, is_weak, is_common, is_managed, is_array;
    bool is_ptr;             // .param .u64 .ptr: the two below; SP_GENERIC and 0 when not said
    enum ptx_space ptr_space;
    uint32_t ptr_align;
    uint32_t align; // bytes, at least the natural one
    uint64_t bytes; // whole variable; 0 for `x[]`
    uint32_t id;    // registers: dense number within the function; variables: within their list
    // Initialiser: `init` holds init_bytes bytes (rest zero), then addresses to be patched in.
    const uint8_t *init;
    uint64_t init_bytes;
    const struct ptx_reloc *relocs;
    uint32_t n_relocs;
    const char *opaque_init; // text of the { } of a texref or samplerref variable, or NULL
    const char *unified;     // text of the ( ) of .attribute(.unified(...)), or NULL
    uint32_t line; // in the PTX text
};

struct ptx_reloc { // an address inside an initialiser
    uint64_t offset; // of the field in the variable
    uint8_t bytes;   // width of the field: 8, 4, or 1 with `shift` for mask(...) forms
    uint8_t shift;   // right shift of the address before it is stored (0xFF00(...) operators)
    bool is_generic; // generic(x): the generic address
    const struct ptx_var *var; // one of var and func
    const struct ptx_func *func;
    int64_t addend;
};

enum ptx_operand_kind {
    PTX_X_NONE,
    PTX_X_REG,    // reg
    PTX_X_IMM,    // bits: integer immediates (sign-extended to 64 bits), WARP_SZ
    PTX_X_FIMM,   // bits: 0f / 0d / decimal float immediate as the bits of is_f32 ? f32 : f64
    PTX_X_SREG,   // sreg, comp
    PTX_X_VAR,    // address of var plus bits (mov.u32 r, var+4)
    PTX_X_FUNC,   // address of func
    PTX_X_LABEL,  // label
    PTX_X_VECTOR, // {a, b, ...}: elem[0..n_elem)
    PTX_X_MEM,    // [base + bits], base in reg, var or nothing; or with `elem`: [a, {b, c}] forms
    PTX_X_SINK,   // _
    PTX_X_STRING, // text: targets of call tables, .pragma and so on (rare)
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool is_negated; // !p
    bool is_whole;   // SREG with four components, none chosen: mov.v4.u32 {..}, %tid
    bool is_f32;
    bool is_unified; // MEM: [a].unified
    bool is_neg;     // unary minus before a register (rare)
    uint8_t comp;    // SREG: component 0..3 for x y z w, or the number of envreg; REG: 0, or 1 + index for r.x r.y r.z r.w
    uint16_t n_elem;
    enum ptx_sreg sreg;
    uint64_t bits;
    const struct ptx_var *reg; // REG; MEM base
    const struct ptx_var *var; // VAR; MEM base
    const struct ptx_func *func;
    struct ptx_label *label;
    struct ptx_operand *elem;
    const char *text; // STRING; REG of a video instruction: the part chosen, "h1", "b3210"
};

struct ptx_label {
    const char *name;
    uint32_t id;    // dense within the function
    uint32_t index; // instruction it stands before; n_insns when at the end
    uint32_t line;
};

struct ptx_proto { // .callprototype, also the signature of a function
    const struct ptx_var **ret;
    const struct ptx_var **param;
    uint16_t n_ret, n_param;
    bool is_noreturn;
    uint32_t abi_preserve, abi_preserve_control; // 1 + the number written, 0 when absent
};

struct ptx_insn {
    enum ptx_op op;
    struct ptx_mods m;
    // Guard: @p or @!p. NULL when there is none.
    const struct ptx_var *guard;
    bool guard_negated;
    // Operands in textual order. `d|p` destinations are two operands, `has_pair` set.
    // call: operands are [0..n_ret) results, then the callee (FUNC or REG), then arguments
    //       (REG, IMM, VAR of a .param variable); n_ret tells them apart; `proto` for indirect calls,
    //       or the target list in `targets`.
    // brx.idx: operand 0 the index, targets[] the labels.
    struct ptx_operand *x;
    uint16_t n_x, n_ret;
    bool has_pair;
    const struct ptx_proto *proto;
    struct ptx_label **targets; // brx.idx
    const struct ptx_func **callees; // .calltargets list of an indirect call
    uint32_t n_targets, n_callees;
    const char **pragmas; // strings of .pragma lines right before it: "used_bytes_mask 0xfff"
    uint32_t n_pragmas;
    uint32_t loc;  // index into ptx_module.locs, 0 = none
    uint32_t line; // in the PTX text
};

struct ptx_func {
    const char *name;
    bool is_entry, is_visible, is_weak, is_extern; // extern: no body here
    struct ptx_proto sig;
    struct ptx_insn *insns; // labels point between them
    uint32_t n_insns;
    const struct ptx_var **regs; // by id
    uint32_t n_regs;
    const struct ptx_var **vars; // .shared .local .param .global variables declared in the body
    uint32_t n_vars;
    struct ptx_label **labels; // by id
    uint32_t n_labels;
    // Performance directives, 0 when absent.
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg, reqnctapercluster[3], maxclusterrank;
    uint32_t maxnctapersm, blocksareclusters; // the second 0 or 1
    bool is_explicit_cluster;
    bool has_body;
    const struct ptx_func *alias_of; // .alias: another name of that function
    const char *unified;             // as in ptx_var
    const char **pragmas;            // between the head and the body
    uint32_t n_pragmas;
    uint32_t loc_begin, loc_end; // its .loc lines, in the module's list
    uint32_t line;
};

struct ptx_module {
    uint32_t version; // 90 for 9.0
    uint32_t sm;      // 90 for sm_90
    char sm_suffix;   // 'a', 'f' or 0
    bool is_debug;
    bool is_texmode_independent, is_f64_as_f32; // .target texmode_independent, map_f64_to_f32
    uint32_t address_bits;
    struct ptx_func **funcs;
    uint32_t n_funcs;
    const struct ptx_var **vars; // module-scope variables, extern ones included
    uint32_t n_vars;
    const char **files; // [0] = NULL
    uint32_t n_files;
    struct ptx_loc *locs; // [0] = unknown
    uint32_t n_locs;
    const char *text; // the whole input, for excerpts
    const char *name; // what to call the input in messages
};

uint32_t ptx_type_bits(enum ptx_type t);
char ptx_type_kind(enum ptx_type t); // 'B','U','S','F','P','O'
const char *ptx_type_name(enum ptx_type t);
const char *ptx_op_name(enum ptx_op op);
const char *ptx_mod_name(enum ptx_mod m);
const char *ptx_sreg_name(enum ptx_sreg r);
uint32_t ptx_sreg_bits(enum ptx_sreg r);
bool ptx_op_is_refused(enum ptx_op op); // state PARSE

#endif

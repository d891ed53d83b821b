// SPDX-License-Identifier: Apache-2.0
// Inside of the parser, shared by its files: the state of one parse, names and scopes.
// Every function that returns bool gives false after recording an error; callers pass it on.
#ifndef WF_PTX_PARSER_H
#define WF_PTX_PARSER_H

#include "base/arena.h" // struct wf_arena
#include "base/map.h"   // struct wf_map
#include "base/vec.h"   // WF_VEC
#include "ptx/ast.h"    // the tree
#include "ptx/lex.h"    // struct ptx_lexer
#include "ptx/table.h"  // struct ptx_table

// Nesting limits: deep enough for any compiler, shallow enough for any stack.
enum { PTX_MAX_SCOPES = 128, PTX_MAX_EXPR = 64, PTX_MAX_BRACES = 16, PTX_MAX_NUMBER = 1 << 16,
       PTX_MAX_PLACES = 16 };

// One spelling. Bindings are stacks: the innermost scope's first.
struct ptx_sym {
    const char *name;
    uint32_t n, hash;
    uint32_t number;        // %r12: 12
    struct ptx_sym *prefix; // %r12: the name %r; NULL without a number
    struct ptx_bind *bind;
    struct ptx_range *range; // declared as name<count>
    struct ptx_label_bind *label;
    struct ptx_func *func;
    uint32_t cached_epoch; // the variable found for this name in that epoch
    const struct ptx_var *cached;
};

enum ptx_bind_kind { PTX_BIND_VAR, PTX_BIND_PROTO, PTX_BIND_TARGETS, PTX_BIND_CALLEES };
struct ptx_target_list {
    struct ptx_label **label;       // .branchtargets
    const struct ptx_func **callee; // .calltargets
    uint32_t n;
};
struct ptx_bind {
    enum ptx_bind_kind kind;
    uint32_t depth;
    union {
        struct ptx_var *var;
        const struct ptx_proto *proto;
        const struct ptx_target_list *list;
    };
    struct ptx_sym *sym;
    struct ptx_bind *outer, *next; // same name further out; next of this scope
};
struct ptx_range {
    uint32_t depth, serial, count;
    struct ptx_var like; // type and vector width
    struct ptx_sym *sym;
    struct ptx_range *outer, *next;
};
struct ptx_label_bind {
    uint32_t depth;
    struct ptx_label *label;
    struct ptx_sym *sym;
    struct ptx_label_bind *outer, *next;
};

// A name used before its scope is complete: a branch target, or the last operand of call and brx.
struct ptx_pending {
    struct ptx_sym *sym;
    struct ptx_token at;
    struct ptx_label **slot; // a label goes here; NULL: `insn` wants a prototype or a list
    uint32_t insn;
    struct ptx_pending *next;
};
struct ptx_block {
    struct ptx_bind *binds;
    struct ptx_range *ranges;
    struct ptx_label_bind *labels;
    struct ptx_pending *pending;
};

// An address in an initialiser whose name may be declared later.
struct ptx_fixup {
    struct ptx_reloc *reloc;
    struct ptx_sym *sym;
    struct ptx_token at;
};

// Debug strings stand behind the code that names them.
struct ptx_loc_name { // the function name of locs[loc] is the string at label + offset
    uint32_t loc;
    uint64_t offset;
    struct ptx_sym *label;
};
struct ptx_loc_site { // locs[loc] was inlined at locs[site], or at `at` when site is 0
    uint32_t loc, site;
    struct ptx_loc at;
};
struct ptx_str_label { // sym stands for offset `at` of .debug_str
    struct ptx_sym *sym;
    uint64_t at;
};

struct ptx_opcode { // one spelling of mnemonic and modifiers, parsed and checked once
    const char *text;
    uint32_t n, hash;
    enum ptx_op op;
    struct ptx_mods m;
    const struct ptx_use *use; // rows of form.def that fit the modifiers
    uint32_t n_uses;
};

struct ptx_parser {
    struct ptx_lexer lx;
    struct wf_arena *arena;
    struct ptx_table *table;
    struct ptx_module *module;
    size_t text_bytes;

    struct ptx_sym **syms; // open addressing, a power of two
    uint32_t n_syms, cap_syms;
    struct ptx_opcode **opcodes;
    uint32_t n_opcodes, cap_opcodes;

    struct ptx_block scope[PTX_MAX_SCOPES];
    uint32_t depth; // 0 module, 1 the function's parameters and body
    uint32_t epoch; // changes whenever a name may mean something else
    uint32_t n_ranges;
    struct wf_map range_regs; // serial << 32 | number -> the register

    WF_VEC(struct ptx_func *) funcs;
    WF_VEC(const struct ptx_var *) vars;
    WF_VEC(const char *) files;
    WF_VEC(struct ptx_loc) locs;
    WF_VEC(struct ptx_fixup) fixups;

    // of the function being read
    struct ptx_func *func;
    WF_VEC(struct ptx_insn) insns;
    WF_VEC(const struct ptx_var *) regs;
    WF_VEC(const struct ptx_var *) locals;
    WF_VEC(struct ptx_label *) labels;
    WF_VEC(struct ptx_operand) stack; // operands under construction
    struct ptx_token place[PTX_MAX_PLACES];       // where the first operands stand, for messages
    WF_VEC(const char *) pragmas;     // waiting for the next instruction
    uint32_t loc;                     // current .loc
    uint32_t loc_begin;

    // debug information
    struct wf_map last_loc; // position -> index + 1 of the newest .loc with it
    WF_VEC(struct ptx_loc_name) loc_names;
    WF_VEC(struct ptx_loc_site) loc_sites;
    WF_VEC(struct ptx_str_label) str_labels;
    WF_VEC(char) debug_str;
};

// Tokens.
#define PTX_FAIL(p, ...) ptx_lex_fail(&(p)->lx, &(p)->lx.tok, __VA_ARGS__)
bool ptx__at(const struct ptx_parser *p, int kind);
bool ptx__accept(struct ptx_parser *p, int kind);              // takes it when it is there
bool ptx__expect(struct ptx_parser *p, int kind, const char *after);
bool ptx__at_word(const struct ptx_parser *p, const char *word);
const char *ptx__describe(const struct ptx_token *t, char buf[64]); // for messages

// Names and scopes (scope.c).
struct ptx_sym *ptx__intern(struct ptx_parser *p, const char *s, uint32_t n);
struct ptx_sym *ptx__sym(struct ptx_parser *p); // of the current NAME token, taken
bool ptx__push_scope(struct ptx_parser *p);
bool ptx__pop_scope(struct ptx_parser *p);
bool ptx__bind(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
               const struct ptx_bind *b);
bool ptx__bind_range(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
                     const struct ptx_var *like, uint64_t count);
bool ptx__bind_label(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s);
const struct ptx_var *ptx__find_var(struct ptx_parser *p, struct ptx_sym *s); // NULL when unknown
void ptx__add_pending(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
                      struct ptx_label **slot, uint32_t insn);
// Gives a register its number in the function; registers get one at their first use.
#define PTX_NO_ID UINT32_MAX
void ptx__number_reg(struct ptx_parser *p, struct ptx_var *v);

// Constant expressions (expr.c).
struct ptx_value {
    uint64_t bits;
    bool is_unsigned, is_float, is_f32;
};
bool ptx__constant(struct ptx_parser *p, struct ptx_value *out);
bool ptx__integer(struct ptx_parser *p, uint64_t *out); // no float
bool ptx__count(struct ptx_parser *p, uint64_t max, uint32_t *out); // 0..max

// Declarations (parse_data.c).
struct ptx_decl {
    struct ptx_var like; // all but the name
    bool has_type;
};
bool ptx__space_word(const struct ptx_parser *p, enum ptx_space *out);
bool ptx__variables(struct ptx_parser *p, const struct ptx_var *linkage); // at the space word
bool ptx__params(struct ptx_parser *p, const struct ptx_var ***out, uint16_t *n, bool is_bound);
bool ptx__unified(struct ptx_parser *p, bool *is_managed, const char **unified); // at .attribute
bool ptx__initialiser(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dim, uint32_t n_dims);
bool ptx__finish_fixups(struct ptx_parser *p);
const struct ptx_token *ptx__token(const struct ptx_parser *p);

// Debug directives (parse_debug.c).
bool ptx__loc(struct ptx_parser *p);
bool ptx__file(struct ptx_parser *p);
bool ptx__section(struct ptx_parser *p);
bool ptx__finish_debug(struct ptx_parser *p);

// Functions and their bodies (parse_func.c).
bool ptx__entry_or_func(struct ptx_parser *p, const struct ptx_var *linkage);
bool ptx__alias(struct ptx_parser *p);
bool ptx__pragma(struct ptx_parser *p);

// The mnemonic at the current token and its modifiers, NULL after an error (opcode.c).
struct ptx_opcode *ptx__opcode(struct ptx_parser *p, struct ptx_token *at);

// One instruction with its guard (parse_insn.c).
bool ptx__insn(struct ptx_parser *p);
bool ptx__proto(struct ptx_parser *p, struct ptx_proto *out); // behind .callprototype

#endif

// SPDX-License-Identifier: Apache-2.0
// Machine code from IR. The only folder that sees LLVM; its users see functions and tables.
#ifndef WF_JIT_JIT_H
#define WF_JIT_JIT_H

#include <stdbool.h> // bool

#include "base/err.h" // enum wf_status
#include "ir/ir.h"    // struct ir_program
#include "jit/abi.h"  // struct wf_code

struct jit_symbol { // a C function compiled code may call
    const char *name;
    void *at;
};

// Makes the functions known to compiled code. Once, before the first compile; the table is borrowed.
void jit_symbols(const struct jit_symbol *table, unsigned n);

struct jit_opts {
    bool is_checked;     // calls the event hooks
    bool is_guarded;     // atomics ask whether they stay in the memory that they are thought to hit
    int opt_level;       // 0..3
    const char *cache_dir; // compiled-kernel cache, or NULL
    bool dump;           // print LLVM IR to stderr
    bool dump_asm;       // print assembly to stderr
};

struct jit_result {
    struct wf_code *code; // one a function of the program; [0] the entry. Heap, lives for ever
    unsigned n_code;
    double compile_ms;
    bool was_cached;
};

// Compiles the program; what only a split or waiting warp runs may be left for jit_code_fn. Thread-safe. The
// program has to live as long as its code runs. `sites` of each code are left NULL for the caller.
enum wf_status jit_compile(const struct ir_program *p, const struct jit_opts *o, struct jit_result *out,
                           struct wf_err *err);
// The function behind code->fn, compiled now if it was left for later. Thread-safe.
enum wf_status jit_code_fn(const struct wf_code *code, wf_code_fn *fn, struct wf_err *err);

#endif

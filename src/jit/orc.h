// SPDX-License-Identifier: Apache-2.0
// LLVM's machinery around the lowering: the target machine, loading of objects, and the on-disk cache.
#ifndef WF_JIT_ORC_H
#define WF_JIT_ORC_H

#include <stddef.h> // size_t

#include <llvm-c/TargetMachine.h> // LLVMTargetMachineRef

#include "base/err.h"
#include "jit/jit.h"

LLVMTargetMachineRef orc_target_machine(int opt_level, struct wf_err *err); // NULL on failure; caller disposes
const char *orc_triple(void);
bool orc_has_avx512(void); // after the first orc_target_machine
struct orc_key {
    char hex[65];
};
// Name of function `index` of the program with this key.
void orc_symbol(const struct orc_key *key, unsigned index, char *buf, size_t n);
// Takes the object; finds the n functions with these numbers in it.
enum wf_status orc_add(const struct orc_key *key, LLVMMemoryBufferRef obj, const uint32_t *number, unsigned n,
                       void **fns, struct wf_err *err);

void orc_key_of(const struct ir_program *p, const struct jit_opts *o, struct orc_key *key);
// Key of one of the program's objects: the program's and a letter.
void orc_key_of_part(const struct orc_key *whole, char part, struct orc_key *key);
LLVMMemoryBufferRef orc_cache_load(const char *dir, const struct orc_key *key); // NULL: absent or damaged
void orc_cache_save(const char *dir, const struct orc_key *key, LLVMMemoryBufferRef obj);

#endif

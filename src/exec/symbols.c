// SPDX-License-Identifier: Apache-2.0
// The C functions that compiled code may call, by name.

#include "exec/func.h"
#include "jit/helper.h"

const struct jit_symbol exec__symbols[] = {
#define EXEC_HELPER(name) {#name, (void *)(uintptr_t)name},
#include "exec/helper.def"
#undef EXEC_HELPER
#define JIT_HELPER(name) {#name, (void *)(uintptr_t)name},
#include "jit/helper.def"
#undef JIT_HELPER
};
const unsigned exec__n_symbols = sizeof exec__symbols / sizeof *exec__symbols;

void exec__announce_symbols(void)
{
    jit_symbols(exec__symbols, exec__n_symbols);
}

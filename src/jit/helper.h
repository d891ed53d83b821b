// SPDX-License-Identifier: Apache-2.0
// C functions that compiled code calls for whole warps: helper(sources, destination, lanes), each
// an array of `lanes` (1 or 32) elements of the operand's width. They keep no state and call
// nothing. helper.def lists them, so that the linker of compiled code can find them.
#ifndef WF_JIT_HELPER_H
#define WF_JIT_HELPER_H

#include <stdint.h> // uint32_t

#define JIT_HELPER(name) void name(const void *const src[], void *dst, uint32_t lanes);
#include "jit/helper.def"
#undef JIT_HELPER

#endif

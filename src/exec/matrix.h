// SPDX-License-Identifier: Apache-2.0
// Matrix instructions. Private to src/exec.
#ifndef WF_EXEC_MATRIX_H
#define WF_EXEC_MATRIX_H

#include <stdbool.h> // bool

#include "jit/matrix.h"
#include "ptx/ast.h" // enum ptx_type

// d = a * b + c; src: registers of a, then b, then c; dst: of d. 32 lanes each.
void exec__multiply(const struct wf_matrix *x, const void *const *src, void *const *dst);
bool exec__is_quads(const struct wf_matrix *x); // mma.m8n8k4 of halves

#endif

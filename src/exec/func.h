// SPDX-License-Identifier: Apache-2.0
// Functions that are really called: handles in PTX values, their compiled code, frames.
#ifndef WF_EXEC_FUNC_H
#define WF_EXEC_FUNC_H

#include "exec/exec_priv.h"

uint64_t exec__func_handle(const struct ptx_func *f);
const struct ptx_func *exec__handle_func(uint64_t handle);
// Makes the code of a program's functions known to calls through handles.
void exec__register_functions(const struct build_of *b, struct wf_module *m);
void exec__announce_symbols(void);

#endif

// SPDX-License-Identifier: Apache-2.0
// The real engine.
#include "rt/engine.h"

static const struct wf__engine real = {
    .load = wf_module_load,
    .unload = wf_module_unload,
    .kernel = wf_module_kernel,
    .kernel_count = wf_module_kernel_count,
    .kernel_at = wf_module_kernel_at,
    .var = wf_module_var,
    .var_alias = wf_module_var_alias,
    .info = wf_kernel_info,
    .set_regs = wf_kernel_set_regs,
    .run = wf_exec_run,
};

const struct wf__engine *wf__engine = &real;

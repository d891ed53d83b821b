// SPDX-License-Identifier: Apache-2.0
// Loading PTX modules and running grids: what the runtime (src/rt) sees of the engine.
#ifndef WF_EXEC_EXEC_H
#define WF_EXEC_EXEC_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "base/err.h"    // enum wf_status
#include "core/launch.h" // struct wf_launch

struct wf_module; // a loaded PTX module: parsed, variables placed in device memory
struct wf_kernel; // one entry of a module; compiled on first launch or query

// Loads `n_texts` PTX texts as one program (several translation units are linked by name, -rdc).
// `name` is for messages. Variables get device memory with their initialisers.
enum wf_status wf_module_load(const char *name, const char *const *texts, const uint64_t *sizes,
                              uint32_t n_texts, struct wf_module **out, struct wf_err *err);
void wf_module_unload(struct wf_module *m);
struct wf_kernel *wf_module_kernel(struct wf_module *m, const char *name); // NULL when absent
uint32_t wf_module_kernel_count(const struct wf_module *m);
struct wf_kernel *wf_module_kernel_at(struct wf_module *m, uint32_t i);
// Address and size of a module variable. False when absent.
bool wf_module_var(const struct wf_module *m, const char *name, uint64_t *addr, uint64_t *bytes,
                   bool *is_managed);
void wf_module_var_alias(struct wf_module *m, const char *name, uint64_t addr); // managed: rebind before first launch

struct wf_kernel_info {
    const char *name;
    uint32_t n_params;
    const uint32_t *param_offset, *param_bytes; // PTX layout
    uint32_t param_total;
    uint32_t shared_static, local_bytes, const_bytes;
    uint32_t maxntid[3], reqntid[3], minnctapersm, cluster[3]; // 0 when not given
    uint32_t regs;        // registers a thread if known, else 0
    uint32_t ptx_version, sm;
};
const struct wf_kernel_info *wf_kernel_info(const struct wf_kernel *k);
void wf_kernel_set_regs(struct wf_kernel *k, uint32_t regs);

// How a grid ended.
enum wf_exec_result {
    WF_RUN_OK,
    WF_RUN_FAULT,       // memory fault: cudaErrorIllegalAddress (700)
    WF_RUN_MISALIGNED,  // 716
    WF_RUN_TRAP,        // trap: cudaErrorLaunchFailure (719); brkpt too
    WF_RUN_ASSERT,      // __assertfail: 710
    WF_RUN_HANG,        // nothing can go on; 702 (launch timeout)
    WF_RUN_ILLEGAL,     // illegal instruction or barrier use: 715
    WF_RUN_UNSUPPORTED, // an op that is refused; err says which: 801
    WF_RUN_CANCELLED
};

// Runs the grid to its end on the calling thread plus the engine's workers. Blocking; several threads may
// run grids at the same time. Faults become findings (core/finding.h) and the result. err is filled for
// WF_RUN_UNSUPPORTED and for failures of the tool.
enum wf_exec_result wf_exec_run(struct wf_kernel *k, const struct wf_launch *l, struct wf_err *err);

struct wf_events;
// What checkers want to hear; before the first kernel is compiled. Borrowed. NULL: nothing.
void wf_exec_subscribe(const struct wf_events *ev);

// Compiles ahead (cudaFuncGetAttributes and friends do not need it).
enum wf_status wf_kernel_compile(struct wf_kernel *k, struct wf_err *err);

#endif

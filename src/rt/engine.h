// SPDX-License-Identifier: Apache-2.0
// What the runtime calls of src/exec, as a table of functions: tests put a small engine of their
// own here and so need no code generator. Private to src/rt.
#ifndef WF_RT_ENGINE_H
#define WF_RT_ENGINE_H

#include "exec/exec.h" // struct wf_module

struct wf__engine {
    enum wf_status (*load)(const char *name, const char *const *texts, const uint64_t *sizes,
                           uint32_t n_texts, struct wf_module **out, struct wf_err *err);
    void (*unload)(struct wf_module *m);
    struct wf_kernel *(*kernel)(struct wf_module *m, const char *name);
    uint32_t (*kernel_count)(const struct wf_module *m);
    struct wf_kernel *(*kernel_at)(struct wf_module *m, uint32_t i);
    bool (*var)(const struct wf_module *m, const char *name, uint64_t *addr, uint64_t *bytes,
                bool *is_managed);
    void (*var_alias)(struct wf_module *m, const char *name, uint64_t addr);
    const struct wf_kernel_info *(*info)(const struct wf_kernel *k);
    void (*set_regs)(struct wf_kernel *k, uint32_t regs);
    enum wf_exec_result (*run)(struct wf_kernel *k, const struct wf_launch *l, struct wf_err *err);
};

extern const struct wf__engine *wf__engine; // set before the first call only

#endif

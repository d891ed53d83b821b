// SPDX-License-Identifier: Apache-2.0
// Managed variables of programs that clang compiled: the host's variable and the device's become the same memory.
#ifndef WF_RT_MANAGED_H
#define WF_RT_MANAGED_H

#include <stdint.h> // uint64_t

#include "base/err.h" // enum wf_status

struct wf_module;
struct wf__managed { // a host variable, and its name in the module
    const void *host;
    const char *name;
};
// Before the module's first kernel is compiled. The host's pages around the variables are exchanged for memory of
// the device; the variables get their first values.
enum wf_status wf__managed_bind(struct wf_module *m, const struct wf__managed *v, uint32_t n, struct wf_err *err);

#endif

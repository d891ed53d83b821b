// SPDX-License-Identifier: Apache-2.0
// What the tool itself could not do: an unsupported instruction, memory exhausted, a damaged cache.
// Never a fault of the user's program (that is a finding). Each is told on standard error at once,
// and the session ends with exit code 3 when there was any. Thread-safe.
#ifndef WF_CORE_TROUBLE_H
#define WF_CORE_TROUBLE_H

#include <stdint.h> // uint32_t

#include "base/err.h" // struct wf_err

// Prints "warpfence: <where>: error: sentence (hint)", once for equal lines. `context` (a kernel, a
// file) may be NULL.
void wf_trouble_add(const struct wf_err *err, const char *context);
uint32_t wf_trouble_count(void); // distinct ones

#endif

// SPDX-License-Identifier: Apache-2.0
// Places in the program's host code: where a call comes from, and what line that is.
#ifndef WF_CORE_HOSTCODE_H
#define WF_CORE_HOSTCODE_H

#include <stdbool.h> // bool

#include "core/finding.h" // struct wf_loc
#include "core/task.h"   // struct wf_calls

// The calls that led here, without those of this library. Costs some microseconds.
void wf_calls_here(struct wf_calls *out);
// The first of them that has a line of the user's own source, with its callers behind it; NULL when none has
// (no line information, no binutils). Runs addr2line once for each new place. The result lives as long as the
// process.
const struct wf_loc *wf_calls_loc(const struct wf_calls *c);

// In a call that makes a thread: is it the executable's own code that does, directly or through the C++ library?
bool wf_calls_thread_is_own(void);

#endif

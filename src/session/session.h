// SPDX-License-Identifier: Apache-2.0
// The composition root: reads the options, sets the engine up, and turns findings into a report and
// an exit code when the program ends. Lives in the user's process, in libcudart; one per process.
#ifndef WF_SESSION_SESSION_H
#define WF_SESSION_SESSION_H

#include "base/err.h"        // enum wf_status
#include "session/options.h" // struct wf_options

// Called when the runtime library is loaded; later calls do nothing. Wrong options in the
// environment end the process with exit code 2. The report is written when the process exits or
// dies by a signal.
void wf_session_begin(void);
const struct wf_options *wf_session_options(void); // after begin

// Runs one kernel of a PTX file as the options say (kernel, grid, block, shared, arg). Prints what
// the `out` arguments hold. WF_E_STATE: the kernel ended with a fault; err says which.
enum wf_status wf_session_run_ptx(const char *path, const struct wf_options *o, struct wf_err *err);
// Compiles every kernel of a PTX file, for --dump.
enum wf_status wf_session_compile_ptx(const char *path, struct wf_err *err);

#endif

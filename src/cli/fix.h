// SPDX-License-Identifier: Apache-2.0
// `check --fix`: run, report, then try edits of the source until the findings are gone.
#ifndef WF_CLI_FIX_H
#define WF_CLI_FIX_H

#include <stddef.h> // size_t

#include "base/err.h"        // enum wf_status
#include "session/options.h" // struct wf_options

struct wf__fix_job {
    const char *source; // as it was named
    const char *exe;    // made of it
    char *const *argv;  // of its runs
    // Builds another text of the source, which lies at `path` under the same name.
    enum wf_status (*build)(void *arg, const char *path, char *exe, size_t n, struct wf_err *err);
    void *arg;
};

// Gives the exit code of check without --fix.
int wf__run_fix(const struct wf_options *o, const struct wf__fix_job *job);

#endif

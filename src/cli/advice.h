// SPDX-License-Identifier: Apache-2.0
// `check --more-advice`: advice that other runs of the program bear out.
#ifndef WF_CLI_ADVICE_H
#define WF_CLI_ADVICE_H

#include "session/options.h" // struct wf_options

// Runs path as often as it takes and reports. Gives the exit code.
int wf__run_advice(const struct wf_options *o, const char *path, char *const argv[]);

#endif

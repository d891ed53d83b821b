// SPDX-License-Identifier: Apache-2.0
// `check` of a program that has to run more than once: each run is a process of its own, which
// leaves its findings in a file; here they are put together and reported.
#ifndef WF_CLI_RUNS_H
#define WF_CLI_RUNS_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "base/err.h"        // enum wf_status
#include "session/options.h" // struct wf_options

struct wf__outcome {
    int code; // of the program, 128 + signal when it was killed
    uint64_t launches, troubles;
    bool is_incomplete;
    bool has_record; // it left its findings
};

// Before the first run: a folder for the findings, and interrupts that end the runs, not this
// process.
enum wf_status wf__runs_begin(struct wf_err *err);
void wf__runs_end(void);
bool wf__runs_interrupted(void);
// One run of path; its findings are added to the process's store. Quiet: what the program prints is
// not shown, and it reads nothing.
enum wf_status wf__run_once(const char *path, char *const argv[], uint64_t seed, bool is_quiet,
                            struct wf__outcome *out, struct wf_err *err);

// Writes the report of what is in the store, as the options say. Gives the exit code.
int wf__runs_report(const struct wf_options *o, const struct wf__outcome *all);

// All schedules that the options ask for, their findings in the store. Quiet: the first one too.
enum wf_status wf__runs_all(const struct wf_options *o, const char *path, char *const argv[], bool is_quiet,
                            struct wf__outcome *all, struct wf_err *err);

// --schedules: every one of them, then the report. Gives the exit code.
int wf__run_schedules(const struct wf_options *o, const char *path, char *const argv[]);

#endif

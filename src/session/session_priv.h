// SPDX-License-Identifier: Apache-2.0
// What the files of src/session share.
#ifndef WF_SESSION_PRIV_H
#define WF_SESSION_PRIV_H

#include <stdbool.h> // bool
#include <stdint.h>  // int64_t

// Writes the report once; further calls do nothing. Gives the exit code for a program that ended
// with `status`. is_incomplete: the run was cut short.
int wf__session_finish(int status, bool is_incomplete);
// Has the report written when the process dies by a signal.
void wf__session_watch_signals(void);
// check: the checkers listen to the engine.
struct wf_options;
// progress.c: the line that says how far a long run has come. when: --progress.
enum { WF_PROGRESS_AUTO, WF_PROGRESS_ALWAYS, WF_PROGRESS_NEVER };
void wf__progress_begin(int64_t when);
void wf__progress_end(void); // takes it away
void wf__session_subscribe(const struct wf_options *o);

#endif

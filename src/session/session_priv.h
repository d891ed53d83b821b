// SPDX-License-Identifier: Apache-2.0
// What the files of src/session share.
#ifndef WF_SESSION_PRIV_H
#define WF_SESSION_PRIV_H

#include <stdbool.h> // bool

// Writes the report once; further calls do nothing. Gives the exit code for a program that ended
// with `status`. is_incomplete: the run was cut short.
int wf__session_finish(int status, bool is_incomplete);
// Has the report written when the process dies by a signal.
void wf__session_watch_signals(void);
// check: the checkers listen to the engine.
struct wf_options;
void wf__session_subscribe(const struct wf_options *o);

#endif

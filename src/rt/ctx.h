// SPDX-License-Identifier: Apache-2.0
// The state of the one device's context: the error that has broken the context,
// each thread's last error, reset, and the end of the process.
//
// Errors as CUDA keeps them (measured on an H200, driver 580, runtime 13.0):
// - every failing call sets its thread's last error, NOT_READY excepted; success leaves it alone;
// - a kernel fault is noticed by the next call that touches the context, which returns its code, as
// do
//   all later ones; reading the last error clears it all the same;
// - a child forked after the first use has no device (INITIALIZATION_ERROR);
// - after a reset a context that was healthy starts anew; one that was broken stays unavailable.
#ifndef WF_RT_CTX_H
#define WF_RT_CTX_H

#include <stdbool.h> // bool

#include "rt/err.h" // enum wf_cu

// Notes the result of an API call in the thread's last error and returns it.
enum wf_cu wf_rt_result(enum wf_cu e);
enum wf_cu wf_rt_last_error(bool clear);
bool wf_rt_result_seen(void); // has this thread called the runtime API, which makes the context current

// SUCCESS if a call that touches the context may go on: not inside a stream callback, context not
// broken.
enum wf_cu wf_rt_enter(void);
// The first fault of a kernel wins; returns what is stored.
enum wf_cu wf_rt_break(enum wf_cu e);
enum wf_cu wf_rt_broken(void); // SUCCESS when healthy
void wf_rt_set_in_callback(bool is_in);

enum wf_cu wf_rt_device_sync(void);
enum wf_cu wf_rt_device_reset(void);
// Waits for all work; called once when the process ends, before findings are reported.
void wf_rt_finish(void);

#endif

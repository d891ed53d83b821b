// SPDX-License-Identifier: Apache-2.0
// Threads that are kept: starting one for every grid costs more than many a grid does.
#ifndef WF_BASE_CREW_H
#define WF_BASE_CREW_H

#define WF_BIG_STACK ((size_t)64 << 20) // LLVM recurses deeply on large functions; only what is used is committed

struct wf_crew_member;

// Runs fn(arg) in a thread of its own, a kept one if any is idle. NULL: no thread could be had, nothing runs.
struct wf_crew_member *wf_crew_start(void (*fn)(void *), void *arg);
// Waits for the end of what the member was started with; from then on it is idle and no longer the caller's.
void wf_crew_wait(struct wf_crew_member *m);

#endif

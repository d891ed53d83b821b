// SPDX-License-Identifier: Apache-2.0
// The host's threads as agents: what each of them knows of the work in streams. Two vectors each: what has
// been waited for, one entry a stream, and what has been put, one entry an agent (core/task.h). They flow from
// thread to thread through thread creation and join and through synchronization objects, which keep what the
// last to release them knew.
//
// Whatever is not seen makes two threads one, never apart: a thread that was not made by the program's own code
// (OpenMP's, TBB's, the driver's, a library's) shares the agent of the one that made it, as does every thread
// when src/threads is not in the process. Private to src/rt. A lock of its own, which is taken with or without the
// queue's and under which nothing else is: the program's locks may be its memory allocator's.
#ifndef WF_RT_AGENT_H
#define WF_RT_AGENT_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

struct wf__vec { // missing entries are 0
    uint64_t *at;
    uint32_t n;
};
struct wf__knows {
    struct wf__vec waited, seen;
};
struct wf_host_view;
struct wf_task;

void wf__agents_begin(void); // by the subscriber
void wf__agents_after_fork(void);
bool wf__agents_are_many(void);
// What the calling thread knows, good until the second call.
const struct wf__knows *wf__agent_lock(uint32_t *index);
void wf__agent_unlock(void);
void wf__agent_put(uint64_t number); // the calling thread puts that
void wf__agent_waited(const uint64_t *before, uint32_t n);
void wf__agent_waited_one(uint32_t stream, uint64_t number);
// What all threads that live know; arrays are good as long as the queue is locked.
void wf__agents_common(struct wf_host_view *v);

// A host function of a stream begins in this thread, an agent that knows what comes before that work; NULL: it ends,
// and all know what it knew, because a flag is how such functions tell.
void wf__agent_as(const struct wf_task *o);

#endif

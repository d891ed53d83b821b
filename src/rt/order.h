// SPDX-License-Identifier: Apache-2.0
// The order of work as the host gave it (core/task.h), made at the call that puts an operation; only when
// a checker wants to know. What the calling thread knows of other threads' work stands in agent.h. Private to
// src/rt; all with the queue's lock held unless said.
#ifndef WF_RT_ORDER_H
#define WF_RT_ORDER_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "core/task.h" // struct wf_task

struct wf_events;
struct wf__stream;
struct wf__order;

void wf_rt_order_subscribe(const struct wf_events *ev); // by the session, before the first call
const struct wf_events *wf__order_events(void);         // NULL when nobody wants the order; no lock needed

void wf__order_not_here(void); // wf_rt_launch_here() was in vain: the launch is refused; no lock needed
struct wf__order *wf__order_new(void); // empty; one count
void wf__order_ref(struct wf__order *o);
void wf__order_unref(struct wf__order *o); // NULL is let be
// What comes before `y`, and y itself, comes before o. y may be NULL.
void wf__order_join(struct wf__order *o, const struct wf__order *y);
// The first `number` operations of the stream come before o.
void wf__order_after(struct wf__order *o, const struct wf__stream *s, uint64_t number);
// o is the next piece of work of the stream.
void wf__order_put(struct wf__order *o, struct wf__stream *s, const char *what);
// All work of the stream from now on comes after o, which is work of another. NULL is let be.
void wf__order_fork(struct wf__stream *s, const struct wf__order *o);
// The stream is no longer listed; its work still counts where all streams' does.
void wf__order_retire(const struct wf__stream *s);
// Work of streams that are no longer listed comes before o: of all, or of those that the default stream
// waits for.
void wf__order_after_retired(struct wf__order *o, bool is_all);
void wf__order_gone(struct wf__stream *s); // the stream ends; its work may still be waited for
// Work that this thread, a stream's, puts from now on is a part of o; NULL: no more.
void wf__order_within(const struct wf__order *o);
// What the calling thread knows now, for a call that is no work of a stream.
void wf__order_here(struct wf__order *o, const char *what);
const struct wf_task *wf__order_of(const struct wf__order *o);
bool wf__order_is_waited(const struct wf__order *o); // the host has waited for all of that already
// The host has waited for what comes before o, and for o itself if it was put.
void wf__order_waited(const struct wf__order *o);
// All work put so far comes before all work put later, without the host having waited.
void wf__order_fence(void);

#endif

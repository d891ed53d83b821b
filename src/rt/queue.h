// SPDX-License-Identifier: Apache-2.0
// Work in streams. A stream is a list of operations done in order by a thread of its own; order
// between streams is kept by dependencies "operation n of stream s is done". An operation depends
// only on operations that were put before it, so nothing can wait in a circle.
//
// Under `check` a call that puts an operation goes on only when that is done (or when it waits for the
// host): so the run is the same every time, and what the host touches meanwhile is known to be too early
// by the order of work, not by luck (order.h).
//
// The default stream's rule is kept the same way: work put there depends on the last operation of
// every blocking stream, work put into a blocking stream on the last one put there. One lock for
// all streams, events and handles; operations run without it. Private to src/rt.
#ifndef WF_RT_QUEUE_H
#define WF_RT_QUEUE_H

#include <pthread.h> // pthread_cond_t
#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h" // enum wf_cu

struct wf__order;
struct wf__stream;
struct wf__dep {
    struct wf__stream *stream; // counted
    uint64_t number;
};

struct wf__op {
    struct wf__op *next;
    // Does the work, without the lock. Not called when the context is broken, unless is_always.
    void (*run)(struct wf__op *op);
    void (*free)(struct wf__op *op); // always called last, without the lock
    bool is_always;
    bool is_host;            // runs code of the program
    const char *what;        // for checkers; NULL: a kernel
    struct wf__order *order; // NULL when nobody asks; given back at the end
    uint32_t n_deps, cap_deps;
    struct wf__dep *deps;
};

struct wf__stream {
    uint64_t handle, id;
    unsigned flags; // bit 0: does not wait for the default stream
    int priority;
    bool is_default; // the legacy default stream
    uint32_t refs;   // the handle and every dependency
    struct wf__op *head, *tail;
    uint64_t put, done;                   // operations so far
    bool is_busy, has_worker, is_retired; // retired: the worker leaves once the list is empty
    bool is_host_busy;                    // busy with code of the program
    pthread_cond_t wake;
    struct wf__order *last; // of the newest operation; the older ones behind it
    struct wf__order *fork; // work of other streams that all of its own comes after
    uint32_t n_orders;
    bool is_cut; // some of them are forgotten though they were not waited for
    uint32_t slot;          // its index in such orders + 1
    uint64_t asked;         // "is it done?" was answered with no for operations up to this one
    struct wf__stream *next; // list of all that are not retired
};

void wf__lock(void);
void wf__unlock(void);

// All with the lock held unless said.
struct wf__stream *wf__queue_new(unsigned flags, int priority);
void wf__queue_retire(struct wf__stream *s); // drops the handle's count; pending work is still done
struct wf__stream *wf__queue_default(void);
struct wf__stream *wf__queue_first(void); // the list of all
void wf__queue_ref(struct wf__stream *s);
void wf__queue_unref(struct wf__stream *s);

// Adds a dependency to an operation that is not yet put.
void wf__op_after(struct wf__op *op, struct wf__stream *s, uint64_t number);
void wf__op_order(struct wf__op *op, const struct wf__order *y); // what comes before y: for checkers
void wf__op_after_retired(struct wf__op *op, bool is_all); // streams that are gone: for checkers
void wf__op_drop(struct wf__op *op); // one that is never put: what those two gave it
// Puts the operation; returns its number. With is_inline it may be done at once by the caller, when
// nothing is before it (the lock is given up meanwhile).
uint64_t wf__queue_put(struct wf__stream *s, struct wf__op *op, bool is_inline);
void wf__queue_wait(struct wf__stream *s, uint64_t number);
void wf__queue_wait_within(struct wf__stream *s, uint64_t number); // for an operation that puts others
void wf__queue_note_poll(void); // the program asked, and the work is not done
bool wf__queue_is_child(void);  // forked since the first stream was made; no lock needed
void wf__queue_drain(void);     // without the lock: waits for all that was put so far
void wf__queue_finish(void);    // the same, and nobody knows of it

#endif

// SPDX-License-Identifier: Apache-2.0
// Stream handles, the threads' default streams, host functions in streams.
#include "rt/stream.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/arena.h"    // wf_xcalloc
#include "mem/guard.h"     // wf_mem_guard_as
#include "rt/agent.h"      // wf__agent_as
#include "rt/attr.h"       // enum wf_rt_attr
#include "rt/ctx.h"        // wf_rt_enter
#include "rt/event.h"      // wf__event_point
#include "rt/ipc.h"        // wf__shared_event_wait
#include "rt/graph_priv.h" // wf__capture_wait
#include "rt/order.h"      // wf__order_waited
#include "rt/queue.h"      // struct wf__stream
#include "rt/table.h"      // wf__table_put

static struct wf__table table = {.tag = WF__TAG_STREAM}; // under the lock

// Each thread's default stream. The key's destructor retires it with its thread.
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void retire_thread_stream(void *arg)
{
    wf__lock();
    wf__queue_retire(arg);
    wf__unlock();
}

static void make_key(void)
{
    pthread_key_create(&thread_key, retire_thread_stream);
}

static struct wf__stream *thread_stream(void)
{
    pthread_once(&thread_once, make_key);
    struct wf__stream *s = pthread_getspecific(thread_key);
    if (!s) {
        s = wf__queue_new(0, 0);
        s->handle = WF_RT_STREAM_PER_THREAD;
        pthread_setspecific(thread_key, s);
    }
    return s;
}

struct wf__stream *wf__stream_find(uint64_t handle)
{
    if (handle <= WF_RT_STREAM_LEGACY)
        return wf__queue_default();
    if (handle == WF_RT_STREAM_PER_THREAD)
        return thread_stream();
    return wf__table_get(&table, handle);
}

enum wf_cu wf_rt_stream_create(uint64_t *out, unsigned flags, int priority)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || flags > 1)
        return WF_CU_INVALID_VALUE;
    priority = priority > WF_RT_PRIORITY_LEAST ? WF_RT_PRIORITY_LEAST : priority;
    priority = priority < WF_RT_PRIORITY_GREATEST ? WF_RT_PRIORITY_GREATEST : priority;
    wf__lock();
    struct wf__stream *s = wf__queue_new(flags, priority);
    *out = s->handle = wf__table_put(&table, s);
    wf__unlock();
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_stream_destroy(uint64_t stream)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct wf__stream *s = wf__table_get(&table, stream);
    if (s) {
        wf__table_drop(&table, stream);
        wf__queue_retire(s);
    }
    wf__unlock();
    return s ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

void wf__stream_reset(void)
{
    wf__lock();
    for (uint32_t i = 0; i < table.n; i++) {
        struct wf__stream *s = table.slot[i].object;
        if (!s)
            continue;
        wf__table_drop(&table, s->handle);
        wf__queue_retire(s);
    }
    wf__unlock();
}

// Under `check` the first question after new work is answered with "not yet", as it well may be.
static bool is_early_question(struct wf__stream *s, const struct wf__order *order)
{
    if (!order || s->asked == s->put || wf__order_is_waited(order))
        return false;
    s->asked = s->put;
    return true;
}

// The last operation that a wait for the stream must see done. For the default stream that includes
// the blocking streams' work, as any work put there would wait for it.
static enum wf_cu wait_or_ask(uint64_t stream, bool is_wait)
{
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = wf__capture_forbids_stream(stream ? stream : WF_RT_STREAM_LEGACY);
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    bool is_done = true;
    if (s) {
        struct wf__op marks = {0};
        wf__op_after(&marks, s, s->put);
        if (s->is_default)
            wf__op_after_retired(&marks, false);
        if (s->is_default)
            for (struct wf__stream *o = wf__queue_first(); o; o = o->next)
                if (!(o->flags & 1))
                    wf__op_after(&marks, o, o->put);
        is_done = marks.n_deps == 0 && !(is_wait ? false : is_early_question(s, marks.order));
        if (!is_done && !is_wait)
            wf__queue_note_poll();
        for (uint32_t i = 0; i < marks.n_deps && is_wait; i++)
            wf__queue_wait(marks.deps[i].stream, marks.deps[i].number);
        if (is_wait || is_done)
            wf__order_waited(marks.order);
        wf__op_drop(&marks);
    }
    wf__unlock();
    if (!s)
        return WF_CU_INVALID_RESOURCE_HANDLE;
    if (!is_wait && !is_done)
        return WF_CU_NOT_READY;
    return wf_rt_broken();
}

enum wf_cu wf_rt_stream_query(uint64_t stream)
{
    return wait_or_ask(stream, false);
}

enum wf_cu wf_rt_stream_sync(uint64_t stream)
{
    return wait_or_ask(stream, true);
}

static void free_op(struct wf__op *op)
{
    free(op);
}

struct wait_op { // for the work of another process
    struct wf__op op;
    struct wf__shared_event *event; // counted
    uint64_t number;
};

static void run_wait(struct wf__op *op)
{
    const struct wait_op *w = (const struct wait_op *)op;
    wf__shared_event_wait(w->event, w->number);
}

static void free_wait(struct wf__op *op)
{
    wf__shared_event_unref(((struct wait_op *)op)->event);
    free(op);
}

static void wait_elsewhere(struct wf__stream *s, struct wf__shared_event *event, uint64_t record, struct wf__stream *from,
                           uint64_t number)
{
    struct wait_op *w = wf_xcalloc(1, sizeof *w);
    *w = (struct wait_op){{.run = run_wait, .free = free_wait, .what = "cudaStreamWaitEvent"}, event, record};
    if (from && from != s)
        wf__op_after(&w->op, from, number);
    wf__queue_put(s, &w->op, false);
}

enum wf_cu wf_rt_stream_wait_event(uint64_t stream, uint64_t event, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (flags > 1)
        return WF_CU_INVALID_VALUE;
    if (wf__capture_wait(stream, event, flags, &e))
        return e;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream), *from;
    struct wf__shared_event *shared;
    uint64_t number, record;
    if (!s || !wf__event_point(event, &from, &number)) {
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    } else if ((shared = wf__event_elsewhere(event, &record)) != NULL) {
        wait_elsewhere(s, shared, record, from, number);
    } else if (from && from != s && (from->done < number || wf__order_events())) {
        struct wf__op *op = wf_xcalloc(1, sizeof *op);
        op->free = free_op;
        op->what = "cudaStreamWaitEvent";
        wf__op_after(op, from, number);
        wf__queue_put(s, op, true);
    }
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_stream_flags(uint64_t stream, unsigned *flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !flags)
        return e != WF_CU_SUCCESS ? e : WF_CU_INVALID_VALUE;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    if (s)
        *flags = s->flags;
    wf__unlock();
    return s ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

enum wf_cu wf_rt_stream_priority(uint64_t stream, int *priority)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !priority)
        return e != WF_CU_SUCCESS ? e : WF_CU_INVALID_VALUE;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    if (s)
        *priority = s->priority;
    wf__unlock();
    return s ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

enum wf_cu wf_rt_stream_id(uint64_t stream, unsigned long long *id)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !id)
        return e != WF_CU_SUCCESS ? e : WF_CU_INVALID_VALUE;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    if (s)
        *id = s->id;
    wf__unlock();
    return s ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

enum wf_cu wf_rt_stream_check(uint64_t stream)
{
    unsigned flags;
    return wf_rt_stream_flags(stream, &flags);
}

struct call_op {
    struct wf__op op;
    uint64_t stream;
    wf_rt_callback callback; // one of the two
    wf_rt_host_fn host_fn;
    void *user;
};

// The function knows that the work before it is done, and how it tells other threads of the host (a
// new thread, a lock, a flag) is not seen: from here on all of them are taken to know it.
static void run_call(struct wf__op *op)
{
    struct call_op *c = (struct call_op *)op;
    if (op->order) {
        wf__lock();
        wf__order_waited(op->order);
        wf__unlock();
    }
    wf_rt_set_in_callback(true);
    wf_mem_guard_as(wf__order_of(op->order));
    wf__agent_as(wf__order_of(op->order));
    if (c->callback)
        c->callback(c->stream, (int)wf_rt_broken(), c->user);
    else
        c->host_fn(c->user);
    wf__agent_as(NULL);
    wf_mem_guard_as(NULL);
    wf_rt_set_in_callback(false);
}

struct wf__op *wf__host_op(wf_rt_host_fn fn, void *user)
{
    struct call_op *c = wf_xcalloc(1, sizeof *c);
    *c = (struct call_op){
        .op = {.run = run_call, .free = free_op, .is_host = true, .what = "cudaLaunchHostFunc"},
        .host_fn = fn,
        .user = user};
    return &c->op;
}

static enum wf_cu put_call(uint64_t stream, wf_rt_callback callback, wf_rt_host_fn host_fn,
                           void *user)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!callback && !host_fn)
        return WF_CU_INVALID_VALUE;
    struct wf_rt_node node = {.kind = WF_RT_NODE_HOST, .of.host = {host_fn, user}};
    if (callback && (e = wf__capture_forbids_stream(stream)) != WF_CU_SUCCESS)
        return e;
    if (host_fn && wf__capture_take(stream, &node, &e))
        return e;
    struct call_op *c = wf_xcalloc(1, sizeof *c);
    *c = (struct call_op){.op = {.run = run_call,
                                 .free = free_op,
                                 .is_always = callback != NULL,
                                 .is_host = true,
                                 .what = callback ? "cudaStreamAddCallback" : "cudaLaunchHostFunc"},
                          .stream = stream,
                          .callback = callback,
                          .host_fn = host_fn,
                          .user = user};
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    if (s)
        wf__queue_put(s, &c->op, false);
    wf__unlock();
    if (!s)
        free(c);
    return s ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

enum wf_cu wf_rt_stream_callback(uint64_t stream, wf_rt_callback fn, void *user)
{
    return put_call(stream, fn, NULL, user);
}

enum wf_cu wf_rt_stream_host_fn(uint64_t stream, wf_rt_host_fn fn, void *user)
{
    return put_call(stream, NULL, fn, user);
}

static bool is_stream_attr(int attr)
{
    return attr == 1 || attr == 3 || (attr >= 8 && attr <= 10);
}

enum wf_cu wf_rt_stream_get_attr(uint64_t stream, int attr, void *out)
{
    int priority;
    enum wf_cu e = wf_rt_stream_priority(stream, &priority);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || !is_stream_attr(attr))
        return WF_CU_INVALID_VALUE;
    memset(out, 0, WF_RT_ATTR_BYTES);
    if (attr == WF_RT_ATTR_PRIORITY)
        memcpy(out, &priority, sizeof priority);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_stream_set_attr(uint64_t stream, int attr, const void *value)
{
    return value && is_stream_attr(attr) ? wf_rt_stream_check(stream) : WF_CU_INVALID_VALUE;
}

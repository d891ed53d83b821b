// SPDX-License-Identifier: Apache-2.0
// A record makes a mark, shared by the event and the operation that will write the time into it: an
// event recorded anew, or destroyed, while the operation still waits is then no trouble.
#include "rt/event.h"

#include <stdlib.h> // free

#include "base/arena.h" // wf_xcalloc
#include "base/os.h"    // wf_os_now_ns
#include "core/event.h" // struct wf_events
#include "rt/ctx.h"     // wf_rt_enter
#include "rt/graph_priv.h" // wf__capture_record
#include "rt/ipc.h"     // wf__shared_event_record
#include "rt/order.h"   // wf__order_waited
#include "rt/queue.h"   // struct wf__op
#include "rt/stream.h"  // wf__stream_find
#include "rt/table.h"   // wf__table_put

struct mark {
    uint32_t refs;
    struct wf__stream *stream; // counted
    uint64_t number;
    uint64_t shared_number;  // of an event that other processes see
    bool was_asked;          // and answered with "not yet" once
    uint64_t time_ns; // written by the operation, read once stream->done has passed number
};

struct event {
    unsigned flags;
    struct mark *mark; // NULL before the first record here
    struct wf__shared_event *shared; // for other processes too, else NULL
};

static struct wf__table table = {.tag = WF__TAG_EVENT}; // under the lock

static void mark_put(struct mark *m)
{
    if (!m || --m->refs)
        return;
    wf__queue_unref(m->stream);
    free(m);
}

#define INTERPROCESS 4u

static uint64_t put_new(unsigned flags, struct wf__shared_event *shared)
{
    struct event *v = wf_xcalloc(1, sizeof *v);
    v->flags = flags;
    v->shared = shared;
    wf__lock();
    uint64_t handle = wf__table_put(&table, v);
    wf__unlock();
    return handle;
}

enum wf_cu wf_rt_event_create(uint64_t *out, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    bool is_shared_only_timed = (flags & 4) && !(flags & WF_RT_EVENT_NO_TIMING);
    if (!out || flags > 7 || is_shared_only_timed)
        return WF_CU_INVALID_VALUE;
    struct wf__shared_event *shared = flags & INTERPROCESS ? wf__shared_event_new() : NULL;
    if (flags & INTERPROCESS && !shared)
        return WF_CU_OPERATING_SYSTEM;
    *out = put_new(flags, shared);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_ipc_event(struct wf_rt_ipc *out, uint64_t event)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out)
        return WF_CU_INVALID_VALUE;
    wf__lock();
    const struct event *v = wf__table_get(&table, event);
    e = v && v->shared ? wf__shared_event_give(v->shared, out) : WF_CU_INVALID_RESOURCE_HANDLE;
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_ipc_open_event(uint64_t *event, const struct wf_rt_ipc *from)
{
    struct wf__shared_event *shared;
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!event)
        return WF_CU_INVALID_VALUE;
    if ((e = wf__shared_event_take(&shared, from)) == WF_CU_SUCCESS)
        *event = put_new(INTERPROCESS | WF_RT_EVENT_NO_TIMING, shared);
    return e;
}

static void event_free(struct event *v)
{
    mark_put(v->mark);
    if (v->shared)
        wf__shared_event_unref(v->shared);
    free(v);
}

enum wf_cu wf_rt_event_destroy(uint64_t event)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct event *v = wf__table_get(&table, event);
    if (v) {
        wf__table_drop(&table, event);
        event_free(v);
    }
    wf__unlock();
    return v ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

void wf__event_reset(void)
{
    wf__lock();
    for (uint32_t i = 0; i < table.n; i++) {
        struct event *v = table.slot[i].object;
        if (!v)
            continue;
        wf__table_drop_at(&table, i);
        event_free(v);
    }
    wf__unlock();
}

struct record_op {
    struct wf__op op;
    struct mark *mark; // counted
    struct wf__shared_event *shared; // counted, or NULL
};

static void run_record(struct wf__op *op)
{
    const struct wf_events *ev = wf__order_events();
    ((struct record_op *)op)->mark->time_ns = wf_os_now_ns();
    if (ev)
        ev->mark(ev->arg, wf__order_of(op->order));
}

static void free_record(struct wf__op *op)
{
    struct record_op *r = (struct record_op *)op;
    if (r->shared) { // also when the context is broken: nobody shall wait for ever
        wf__shared_event_done(r->shared, r->mark->shared_number);
        wf__shared_event_unref(r->shared);
    }
    wf__lock();
    mark_put(r->mark);
    wf__unlock();
    free(op);
}

struct wf__op *wf__event_op(uint64_t event, struct wf__stream *s)
{
    struct event *v = wf__table_get(&table, event);
    if (!v)
        return NULL;
    struct mark *m = wf_xcalloc(1, sizeof *m);
    struct record_op *r = wf_xcalloc(1, sizeof *r);
    mark_put(v->mark);
    v->mark = m;
    wf__queue_ref(s);
    *m = (struct mark){.refs = 2, .stream = s, .number = s->put + 1};
    *r = (struct record_op){{.run = run_record, .free = free_record, .what = "cudaEventRecord"}, m, NULL};
    if (v->shared) {
        r->shared = wf__shared_event_ref(v->shared);
        m->shared_number = wf__shared_event_record(v->shared);
    }
    return &r->op;
}

enum wf_cu wf_rt_event_record(uint64_t event, uint64_t stream, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (flags > 1)
        return WF_CU_INVALID_VALUE;
    if (wf__capture_record(event, stream, flags, &e))
        return e;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    struct wf__op *op = s ? wf__event_op(event, s) : NULL;
    if (op)
        wf__queue_put(s, op, true);
    wf__unlock();
    return op ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

bool wf__event_point(uint64_t event, struct wf__stream **stream, uint64_t *number)
{
    struct event *v = wf__table_get(&table, event);
    if (!v)
        return false;
    *stream = v->mark ? v->mark->stream : NULL;
    *number = v->mark ? v->mark->number : 0;
    return true;
}

struct wf__shared_event *wf__event_elsewhere(uint64_t event, uint64_t *number)
{
    const struct event *v = wf__table_get(&table, event);
    if (!v || !v->shared)
        return NULL;
    *number = wf__shared_event_newest(v->shared);
    return *number > (v->mark ? v->mark->shared_number : 0) ? wf__shared_event_ref(v->shared) : NULL;
}

// Under `check` the first question is answered with "not yet", as it well may be.
static bool is_early_question(uint64_t event, const struct wf__order *order)
{
    struct event *v = wf__table_get(&table, event);
    if (!order || v->mark->was_asked || wf__order_is_waited(order))
        return false;
    v->mark->was_asked = true;
    return true;
}

static enum wf_cu wait_or_ask(uint64_t event, bool is_wait)
{
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = wf__capture_forbids_event(event);
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf__stream *s;
    uint64_t number, record;
    wf__lock();
    struct wf__shared_event *shared = wf__event_elsewhere(event, &record);
    bool is_known = wf__event_point(event, &s, &number);
    bool is_done = is_known && (!s || s->done >= number);
    struct wf__op mark = {0}; // only its order is used
    if (is_known && s)
        wf__op_after(&mark, s, number);
    if (is_done && !is_wait && is_early_question(event, mark.order))
        is_done = false;
    if (is_known && !is_done && is_wait)
        wf__queue_wait(s, number);
    else if (is_known && !is_done)
        wf__queue_note_poll();
    if (is_wait || is_done)
        wf__order_waited(mark.order);
    wf__op_drop(&mark);
    wf__unlock();
    if (!is_known)
        return WF_CU_INVALID_RESOURCE_HANDLE;
    if (shared) {
        if (is_wait)
            wf__shared_event_wait(shared, record);
        is_done = is_done && wf__shared_event_is_done(shared, record);
        wf__shared_event_unref(shared);
    }
    if (!is_wait && !is_done)
        return WF_CU_NOT_READY;
    return wf_rt_broken();
}

enum wf_cu wf_rt_event_query(uint64_t event)
{
    return wait_or_ask(event, false);
}

enum wf_cu wf_rt_event_sync(uint64_t event)
{
    return wait_or_ask(event, true);
}

static bool has_time(const struct event *v)
{
    return v && v->mark && !(v->flags & WF_RT_EVENT_NO_TIMING);
}

static bool is_over(const struct event *v)
{
    return v->mark->stream->done >= v->mark->number;
}

enum wf_cu wf_rt_event_elapsed(float *ms, uint64_t start, uint64_t end)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!ms)
        return WF_CU_INVALID_VALUE;
    wf__lock();
    const struct event *a = wf__table_get(&table, start), *b = wf__table_get(&table, end);
    if (!has_time(a) || !has_time(b))
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    else if (!is_over(a) || !is_over(b))
        e = WF_CU_NOT_READY;
    else
        *ms = (float)((double)(int64_t)(b->mark->time_ns - a->mark->time_ns) * 1e-6);
    wf__unlock();
    return e;
}

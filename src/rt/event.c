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
#include "rt/order.h"   // wf__order_waited
#include "rt/queue.h"   // struct wf__op
#include "rt/stream.h"  // wf__stream_find
#include "rt/table.h"   // wf__table_put

struct mark {
    uint32_t refs;
    struct wf__stream *stream; // counted
    uint64_t number;
    bool was_asked;          // and answered with "not yet" once
    uint64_t time_ns; // written by the operation, read once stream->done has passed number
};

struct event {
    unsigned flags;
    struct mark *mark; // NULL before the first record
};

static struct wf__table table = {.tag = WF__TAG_EVENT}; // under the lock

static void mark_put(struct mark *m)
{
    if (!m || --m->refs)
        return;
    wf__queue_unref(m->stream);
    free(m);
}

enum wf_cu wf_rt_event_create(uint64_t *out, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    bool is_shared_only_timed = (flags & 4) && !(flags & WF_RT_EVENT_NO_TIMING);
    if (!out || flags > 7 || is_shared_only_timed)
        return WF_CU_INVALID_VALUE;
    struct event *v = wf_xcalloc(1, sizeof *v);
    v->flags = flags;
    wf__lock();
    *out = wf__table_put(&table, v);
    wf__unlock();
    return WF_CU_SUCCESS;
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
        mark_put(v->mark);
        free(v);
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
        mark_put(v->mark);
        free(v);
    }
    wf__unlock();
}

struct record_op {
    struct wf__op op;
    struct mark *mark; // counted
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
    wf__lock();
    mark_put(((struct record_op *)op)->mark);
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
    *r = (struct record_op){{.run = run_record, .free = free_record, .what = "cudaEventRecord"}, m};
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
    uint64_t number;
    wf__lock();
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

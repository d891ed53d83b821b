// SPDX-License-Identifier: Apache-2.0
// Capturing streams (CUDA Programming Guide, "Creating a Graph Using Stream Capture"). While a stream
// is captured, calls that would put work into it add nodes instead, each behind the stream's newest
// nodes. A wait for an event that was recorded there draws another stream in. Which streams are
// captured stands here alone; as long as none is, a call asks one counter.
#include <pthread.h>   // pthread_self
#include <stdatomic.h> // atomic_uint
#include <stdlib.h>    // free
#include <string.h>    // memcpy

#include "base/arena.h" // wf_xcalloc
#include "rt/ctx.h"     // wf_rt_enter
#include "rt/event.h"   // wf__event_point
#include "rt/graph_priv.h"

struct capture {
    uint64_t id;
    enum wf_rt_capture_mode mode;
    pthread_t thread;
    struct wf__graph *graph;
    bool is_own_graph; // made by the capture
    bool is_invalid;
    struct wf__stream *origin;
};

struct tail { // a captured stream, or a captured event
    struct capture *c;
    uint64_t key; // of an event: its handle
    struct wf__stream *s; // counted
    uint64_t *deps; // handles of nodes
    uint32_t n;
    struct tail *next;
};

static struct tail *streams, *events;
static atomic_uint n_captures, n_events;
static uint64_t last_id;
static _Thread_local int thread_mode;

static struct tail *of_stream(const struct wf__stream *s)
{
    for (struct tail *t = streams; t; t = t->next)
        if (t->s == s)
            return t;
    return NULL;
}

static struct tail *of_event(uint64_t event)
{
    for (struct tail *t = events; t; t = t->next)
        if (t->key == event)
            return t;
    return NULL;
}

static void set_deps(struct tail *t, const uint64_t *deps, uint64_t n)
{
    uint64_t *own = wf_xcalloc(n + 1, sizeof *own);
    if (n)
        memcpy(own, deps, n * sizeof *own);
    free(t->deps);
    t->deps = own;
    t->n = (uint32_t)n;
}

static void add_deps(struct tail *t, const uint64_t *deps, uint64_t n)
{
    uint64_t *all = wf_xcalloc(t->n + n + 1, sizeof *all);
    uint32_t k = t->n;
    if (k)
        memcpy(all, t->deps, k * sizeof *all);
    for (uint64_t i = 0; i < n; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < k; j++)
            is_new &= all[j] != deps[i];
        if (is_new)
            all[k++] = deps[i];
    }
    free(t->deps);
    t->deps = all;
    t->n = k;
}

static struct tail *push(struct tail **list, struct capture *c, struct wf__stream *s, uint64_t key)
{
    struct tail *t = wf_xcalloc(1, sizeof *t);
    *t = (struct tail){.c = c, .key = key, .s = s, .next = *list};
    if (s)
        wf__queue_ref(s);
    *list = t;
    return t;
}

static void drop(struct tail **p)
{
    struct tail *t = *p;
    *p = t->next;
    if (t->s)
        wf__queue_unref(t->s);
    free(t->deps);
    free(t);
}

static void drop_event(uint64_t event)
{
    for (struct tail **p = &events; *p; p = &(*p)->next)
        if ((*p)->key == event) {
            drop(p);
            atomic_fetch_sub(&n_events, 1);
            return;
        }
}

static void drop_all_of(const struct capture *c)
{
    for (struct tail **p = &streams; *p;)
        if ((*p)->c == c)
            drop(p);
        else
            p = &(*p)->next;
    for (struct tail **p = &events; *p;)
        if ((*p)->c == c) {
            drop(p);
            atomic_fetch_sub(&n_events, 1);
        } else {
            p = &(*p)->next;
        }
}

// Work in the default stream would wait for blocking streams, which a captured one cannot be waited for.
static bool breaks_default(const struct wf__stream *s)
{
    bool found = false;
    for (struct tail *t = streams; s->is_default && t; t = t->next)
        if (!(t->s->flags & 1))
            found = t->c->is_invalid = true;
    return found;
}

static enum wf_cu append(struct tail *t, struct wf_rt_node *p)
{
    struct wf__node **pred = wf_xcalloc(t->n + 1, sizeof(struct wf__node *)), *v;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if ((pred[n] = wf__graph_node(t->deps[i])) != NULL)
            n++;
    enum wf_cu e = wf__graph_append(t->c->graph, pred, n, p, &v);
    free(pred);
    if (e == WF_CU_SUCCESS)
        set_deps(t, &v->handle, 1);
    return e;
}

bool wf__capture_take(uint64_t stream, struct wf_rt_node *p, enum wf_cu *e)
{
    if (!atomic_load(&n_captures))
        return false;
    wf__lock();
    const struct wf__stream *s = wf__stream_find(stream);
    struct tail *t = s ? of_stream(s) : NULL;
    bool is_taken = true;
    if (!t) {
        is_taken = s && breaks_default(s);
        *e = WF_CU_STREAM_CAPTURE_IMPLICIT;
    } else if (t->c->is_invalid) {
        *e = WF_CU_STREAM_CAPTURE_INVALIDATED;
    } else if (p->kind == WF_RT_NODE_COPY && !p->of.copy.is_async) {
        t->c->is_invalid = true;
        *e = WF_CU_STREAM_CAPTURE_UNSUPPORTED; // the call would wait
    } else {
        *e = append(t, p);
    }
    wf__unlock();
    return is_taken;
}

bool wf__capture_record(uint64_t event, uint64_t stream, unsigned flags, enum wf_cu *e)
{
    if (!atomic_load(&n_captures) && !atomic_load(&n_events))
        return false;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream), *from;
    struct tail *t = s ? of_stream(s) : NULL;
    uint64_t number;
    bool is_taken = t != NULL;
    if (!wf__event_point(event, &from, &number)) {
        is_taken = false; // no event: the call itself says so
    } else if (!t) {
        drop_event(event);
        is_taken = s && breaks_default(s);
        *e = WF_CU_STREAM_CAPTURE_IMPLICIT;
    } else if (t->c->is_invalid) {
        *e = WF_CU_STREAM_CAPTURE_INVALIDATED;
    } else if (flags & 1) { // external: a node that records
        struct wf_rt_node p = {.kind = WF_RT_NODE_RECORD, .of.event = event};
        *e = append(t, &p);
    } else {
        drop_event(event);
        set_deps(push(&events, t->c, NULL, event), t->deps, t->n);
        atomic_fetch_add(&n_events, 1);
        *e = WF_CU_SUCCESS;
    }
    wf__unlock();
    return is_taken;
}

bool wf__capture_wait(uint64_t stream, uint64_t event, unsigned flags, enum wf_cu *e)
{
    if (!atomic_load(&n_captures))
        return false;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    struct tail *t = s ? of_stream(s) : NULL, *v = of_event(event);
    bool is_taken = s && (t || v);
    *e = WF_CU_SUCCESS;
    if (!is_taken) {
        is_taken = s && breaks_default(s);
        *e = WF_CU_STREAM_CAPTURE_IMPLICIT;
    } else if ((t && t->c->is_invalid) || (v && v->c->is_invalid)) {
        *e = WF_CU_STREAM_CAPTURE_INVALIDATED;
    } else if (t && (flags & 1)) {
        struct wf_rt_node p = {.kind = WF_RT_NODE_WAIT, .of.event = event};
        *e = append(t, &p);
    } else if (!v) { // recorded outside
        t->c->is_invalid = true;
        *e = WF_CU_STREAM_CAPTURE_ISOLATION;
    } else if (t && t->c != v->c) {
        t->c->is_invalid = v->c->is_invalid = true;
        *e = WF_CU_STREAM_CAPTURE_MERGE;
    } else if (t) {
        add_deps(t, v->deps, v->n);
    } else if (s->is_default) {
        v->c->is_invalid = true;
        *e = WF_CU_STREAM_CAPTURE_IMPLICIT;
    } else {
        set_deps(push(&streams, v->c, s, 0), v->deps, v->n);
    }
    wf__unlock();
    return is_taken;
}

enum wf_cu wf__capture_forbids_stream(uint64_t stream)
{
    if (!atomic_load(&n_captures))
        return WF_CU_SUCCESS;
    enum wf_cu e = WF_CU_SUCCESS;
    wf__lock();
    const struct wf__stream *s = stream ? wf__stream_find(stream) : NULL;
    for (struct tail *t = streams; t; t = t->next)
        if (!stream || t->s == s) {
            t->c->is_invalid = true;
            e = WF_CU_STREAM_CAPTURE_UNSUPPORTED;
        }
    if (e == WF_CU_SUCCESS && s && breaks_default(s))
        e = WF_CU_STREAM_CAPTURE_IMPLICIT;
    wf__unlock();
    return e;
}

enum wf_cu wf__capture_forbids_event(uint64_t event)
{
    if (!atomic_load(&n_captures))
        return WF_CU_SUCCESS;
    wf__lock();
    struct tail *t = of_event(event);
    if (t)
        t->c->is_invalid = true;
    wf__unlock();
    return t ? WF_CU_CAPTURED_EVENT : WF_CU_SUCCESS;
}

enum wf_cu wf__capture_forbids_unsafe(void)
{
    if (!atomic_load(&n_captures) || thread_mode == WF_RT_CAPTURE_RELAXED)
        return WF_CU_SUCCESS;
    enum wf_cu e = WF_CU_SUCCESS;
    wf__lock();
    for (struct tail *t = streams; t; t = t->next) {
        bool is_mine = pthread_equal(t->c->thread, pthread_self());
        bool is_global = t->c->mode == WF_RT_CAPTURE_GLOBAL && thread_mode == WF_RT_CAPTURE_GLOBAL;
        if (is_global || (is_mine && t->c->mode != WF_RT_CAPTURE_RELAXED)) {
            t->c->is_invalid = true;
            e = WF_CU_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    wf__unlock();
    return e;
}

// ---- the API ----

enum wf_cu wf_rt_capture_begin(uint64_t stream, int mode, uint64_t graph, const uint64_t *deps,
                               uint64_t n_deps)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (mode < 0 || mode > WF_RT_CAPTURE_RELAXED || (n_deps && !deps))
        return WF_CU_INVALID_VALUE;
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    struct wf__graph *g = graph ? wf__graph_find(graph) : NULL;
    for (uint64_t i = 0; i < n_deps && e == WF_CU_SUCCESS; i++) {
        const struct wf__node *v = wf__graph_node(deps[i]);
        e = v && v->graph == g ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
    }
    if (e != WF_CU_SUCCESS || (graph && !g)) {
        e = WF_CU_INVALID_VALUE;
    } else if (!s) {
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    } else if (s->is_default) {
        e = WF_CU_STREAM_CAPTURE_UNSUPPORTED;
    } else if (of_stream(s)) {
        e = WF_CU_ILLEGAL_STATE;
    } else {
        struct capture *c = wf_xcalloc(1, sizeof *c);
        *c = (struct capture){.id = ++last_id,
                              .mode = (enum wf_rt_capture_mode)mode,
                              .thread = pthread_self(),
                              .graph = g ? g : wf__graph_new(),
                              .is_own_graph = !g,
                              .origin = s};
        set_deps(push(&streams, c, s, 0), deps, n_deps);
        atomic_fetch_add(&n_captures, 1);
    }
    wf__unlock();
    return e;
}

// Everything that a stream drawn in has done must lie behind what the first stream ends with.
static bool is_joined(const struct capture *c, const struct tail *origin)
{
    for (const struct tail *t = streams; t; t = t->next)
        for (uint32_t i = 0; t->c == c && t != origin && i < t->n; i++) {
            const struct wf__node *v = wf__graph_node(t->deps[i]);
            bool is_reached = !v;
            for (uint32_t k = 0; k < origin->n && !is_reached; k++) {
                struct wf__node *from = wf__graph_node(origin->deps[k]);
                is_reached = from && wf__node_reaches(from, v);
            }
            if (!is_reached)
                return false;
        }
    return true;
}

enum wf_cu wf_rt_capture_end(uint64_t stream, uint64_t *graph)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    const struct wf__stream *s = wf__stream_find(stream);
    struct tail *t = s ? of_stream(s) : NULL;
    struct capture *c = t ? t->c : NULL;
    if (graph)
        *graph = 0;
    if (!s) {
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    } else if (!c) {
        e = WF_CU_ILLEGAL_STATE;
    } else if (c->origin != s) {
        c->is_invalid = true;
        e = WF_CU_STREAM_CAPTURE_UNMATCHED;
    } else if (c->mode != WF_RT_CAPTURE_RELAXED && !pthread_equal(c->thread, pthread_self())) {
        e = WF_CU_STREAM_CAPTURE_WRONG_THREAD;
    } else {
        if (c->is_invalid)
            e = WF_CU_STREAM_CAPTURE_INVALIDATED;
        else if (!is_joined(c, t))
            e = WF_CU_STREAM_CAPTURE_UNJOINED;
        if (e == WF_CU_SUCCESS && graph)
            *graph = c->graph->handle;
        else if (c->is_own_graph)
            wf__graph_free(c->graph);
        drop_all_of(c);
        free(c);
        atomic_fetch_sub(&n_captures, 1);
    }
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_capture_info(uint64_t stream, struct wf_rt_capture_info *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    *out = (struct wf_rt_capture_info){.status = WF_RT_CAPTURE_NONE};
    wf__lock();
    const struct wf__stream *s = wf__stream_find(stream);
    const struct tail *t = s ? of_stream(s) : NULL;
    if (!s)
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    else if (t)
        *out = (struct wf_rt_capture_info){.status = t->c->is_invalid ? WF_RT_CAPTURE_INVALID : WF_RT_CAPTURE_ACTIVE,
                                           .id = t->c->id,
                                           .graph = t->c->graph->handle,
                                           .n_deps = t->n,
                                           .deps = t->deps};
    else if (breaks_default(s))
        e = WF_CU_STREAM_CAPTURE_IMPLICIT;
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_capture_deps(uint64_t stream, const uint64_t *deps, uint64_t n, bool is_added)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (n && !deps)
        return WF_CU_INVALID_VALUE;
    wf__lock();
    const struct wf__stream *s = wf__stream_find(stream);
    struct tail *t = s ? of_stream(s) : NULL;
    if (!s)
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    else if (!t)
        e = WF_CU_ILLEGAL_STATE;
    for (uint64_t i = 0; i < n && e == WF_CU_SUCCESS; i++) {
        const struct wf__node *v = wf__graph_node(deps[i]);
        e = v && v->graph == t->c->graph ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
    }
    if (e == WF_CU_SUCCESS && is_added)
        add_deps(t, deps, n);
    else if (e == WF_CU_SUCCESS)
        set_deps(t, deps, n);
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_capture_exchange_mode(int *mode)
{
    if (!mode || *mode < 0 || *mode > WF_RT_CAPTURE_RELAXED)
        return WF_CU_INVALID_VALUE;
    int old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return WF_CU_SUCCESS;
}

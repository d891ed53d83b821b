// SPDX-License-Identifier: Apache-2.0
// Vectors of numbers, one entry a stream: `before` for what the thread that puts the work knows, `any` for what
// the host as a whole knows, made only once that is something else.
#include "rt/order.h"

#include <stdlib.h> // free
#include <string.h> // memcpy

#include "base/arena.h"    // wf_xcalloc
#include "core/event.h"    // struct wf_events
#include "core/hostcode.h" // wf_calls_here
#include "mem/guard.h"     // wf_mem_guard_on_learned
#include "rt/agent.h"      // wf__agent_lock
#include "rt/launch.h"     // wf_rt_launch_here
#include "rt/queue.h"      // struct wf__stream

#define MANY 4096 // orders kept of one stream

struct wf__order {
    uint32_t refs, cap;
    struct wf_task o;
    uint64_t *before, *any, *seen;
    uint64_t position;     // in its stream
    struct wf__order *prev; // the one before in its stream, as long as the host has not waited for that; counted
};

static const struct wf_events *events;
static struct wf__order host;   // what the host has waited for, whichever thread
static struct wf__order common; // what comes before all work from now on, without anybody having waited
static struct wf__order retired[2]; // work of streams that are gone: of all, of blocking ones
static uint64_t last_number;
static uint64_t *newest; // [n_slots] the newest work of each index
static bool *is_taken;   // by a stream that lives
static uint32_t n_slots;
static _Thread_local const struct wf__order *within; // the work that puts more, in no thread of the program
static _Thread_local struct wf_calls here;
static _Thread_local bool has_here;

static void reserve(struct wf__order *o, uint32_t i)
{
    if (i < o->cap)
        return;
    uint32_t cap = n_slots > i ? n_slots : i + 1;
    o->before = wf_xrealloc(o->before, cap * sizeof *o->before);
    memset(o->before + o->cap, 0, (cap - o->cap) * sizeof *o->before);
    if (o->any) {
        o->any = wf_xrealloc(o->any, cap * sizeof *o->any);
        memset(o->any + o->cap, 0, (cap - o->cap) * sizeof *o->any);
    }
    o->cap = cap;
    o->o.before = o->before;
    o->o.any = o->any;
    o->o.n_before = cap;
}

// From now on `any` has a life of its own.
static void part(struct wf__order *o)
{
    if (o->any || !o->cap)
        return;
    o->any = wf_xmalloc(o->cap * sizeof *o->any);
    memcpy(o->any, o->before, o->cap * sizeof *o->any);
    o->o.any = o->any;
}

static void lift_any(struct wf__order *o, uint32_t i, uint64_t number)
{
    reserve(o, i);
    part(o);
    if (o->any[i] < number)
        o->any[i] = number;
}

static void lift(struct wf__order *o, uint32_t i, uint64_t number)
{
    reserve(o, i);
    if (o->before[i] < number)
        o->before[i] = number;
    if (o->any && o->any[i] < number)
        o->any[i] = number;
}

static void host_view(struct wf_host_view *v)
{
    *v = (struct wf_host_view){.any = host.before, .n = host.cap};
    if (wf__agents_are_many())
        wf__agents_common(v);
}

static void tell_host_knows(void)
{
    struct wf_host_view v;
    host_view(&v);
    events->host_knows(events->arg, &v);
}

// The host saw a flag that the work wrote.
static void learned(const struct wf_task *o)
{
    wf__lock();
    lift(&host, o->stream, o->number);
    wf__agent_waited_one(o->stream, o->number);
    tell_host_knows();
    wf__unlock();
}

void wf_rt_order_subscribe(const struct wf_events *ev)
{
    events = ev && ev->host_knows ? ev : NULL;
    wf_mem_guard_on_learned(events ? learned : NULL);
    if (events)
        wf__agents_begin();
}

const struct wf_events *wf__order_events(void)
{
    return events;
}

void wf_rt_launch_here(void)
{
    if (!events)
        return;
    wf_calls_here(&here);
    has_here = true;
}

void wf__order_not_here(void)
{
    has_here = false;
}

struct wf__order *wf__order_new(void)
{
    struct wf__order *o = wf_xcalloc(1, sizeof *o);
    o->refs = 1;
    return o;
}

void wf__order_ref(struct wf__order *o)
{
    if (o)
        o->refs++;
}

void wf__order_unref(struct wf__order *o)
{
    while (o && --o->refs == 0) {
        struct wf__order *prev = o->prev;
        free(o->before);
        free(o->any);
        free(o->seen);
        free(o);
        o = prev;
    }
}

void wf__order_join(struct wf__order *o, const struct wf__order *y)
{
    if (!y)
        return;
    if (y->cap)
        reserve(o, y->cap - 1);
    if (y->any)
        part(o);
    for (uint32_t i = 0; i < y->cap; i++)
        if (y->before[i])
            lift(o, i, y->before[i]);
    for (uint32_t i = 0; y->any && i < y->cap; i++)
        if (y->any[i])
            lift_any(o, i, y->any[i]);
    if (y->o.number)
        lift(o, y->o.stream, y->o.number);
}

void wf__order_after(struct wf__order *o, const struct wf__stream *s, uint64_t number)
{
    const struct wf__order *y = s->last, *later = NULL;
    wf__order_join(o, s->fork);
    for (; y && y->position > number; y = y->prev)
        later = y;
    if (y && (y->position == number || s->is_cut))
        wf__order_join(o, y);
    if (s->is_cut && (!y || y->position < number)) // its own is forgotten
        wf__order_join(o, later);
}

// The chain of orders ends behind `o`.
static void cut(struct wf__order *o)
{
    struct wf__order *rest = o->prev;
    o->prev = NULL;
    wf__order_unref(rest);
}

static void shorten(struct wf__stream *s)
{
    struct wf__order *o = s->last;
    for (uint32_t i = 1; i < MANY / 2 && o->prev; i++)
        o = o->prev;
    cut(o);
    s->n_orders = MANY / 2;
    s->is_cut = true;
}

// Work that the host has waited for needs no place in the chains.
static void shorten_all(void)
{
    for (struct wf__stream *s = wf__queue_first(); s; s = s->next) {
        struct wf__order *o = s->last;
        for (uint32_t n = 1; o; n++, o = o->prev)
            if (wf_task_has(host.before, host.cap, o->o.stream, o->o.number)) {
                cut(o);
                s->n_orders = n;
                s->is_cut = false;
                break;
            }
    }
}

// An index whose work the host has all waited for and whose stream is gone, or a new one.
static uint32_t slot_take(void)
{
    for (uint32_t i = 0; i < n_slots; i++)
        if (!is_taken[i] && wf_task_has(host.before, host.cap, i, newest[i])) {
            is_taken[i] = true;
            return i;
        }
    if ((n_slots & (n_slots - 1)) == 0) {
        uint32_t cap = n_slots ? 2 * n_slots : 1;
        newest = wf_xrealloc(newest, cap * sizeof *newest);
        is_taken = wf_xrealloc(is_taken, cap * sizeof *is_taken);
    }
    newest[n_slots] = 0;
    is_taken[n_slots] = true;
    return n_slots++;
}

// What the thread has waited for comes before o, and what it knows to be put is noted.
static void join_agent(struct wf__order *o)
{
    const struct wf__knows *k = wf__agent_lock(&o->o.agent);
    const struct wf__knows as = {.seen = {within ? within->seen : NULL, within ? within->o.n_seen : 0}};
    if (within) { // what its thread had waited for comes with the stream
        o->o.agent = within->o.agent;
        k = &as;
    }
    for (uint32_t i = 0; i < k->waited.n; i++)
        if (k->waited.at[i])
            lift(o, i, k->waited.at[i]);
    bool are_many = wf__agents_are_many();
    if (are_many) {
        free(o->seen);
        o->seen = wf_xmalloc((k->seen.n + 1) * sizeof *o->seen);
        if (k->seen.n)
            memcpy(o->seen, k->seen.at, k->seen.n * sizeof *o->seen);
        o->o.seen = o->seen;
        o->o.n_seen = k->seen.n;
    }
    wf__agent_unlock();
    for (uint32_t i = 0; are_many && i < host.cap; i++)
        if (host.before[i])
            lift_any(o, i, host.before[i]);
}

void wf__order_within(const struct wf__order *o)
{
    within = o;
}

void wf__order_here(struct wf__order *o, const char *what)
{
    wf__order_join(o, &common);
    join_agent(o);
    o->o.what = what;
    wf_calls_here(&o->o.calls);
}

// Can work in other streams, or of other threads, be beside that of s? The default stream and those that wait for it take
// turns with each other.
static bool has_company(const struct wf__stream *s)
{
    bool any = wf__agents_are_many();
    for (const struct wf__stream *o = wf__queue_first(); o && !any; o = o->next)
        any = !o->is_default && (o->flags & 1 || (o != s && !s->is_default));
    return any;
}

void wf__order_put(struct wf__order *o, struct wf__stream *s, const char *what)
{
    if (!s->slot)
        s->slot = slot_take() + 1;
    wf__order_join(o, &common);
    wf__order_join(o, s->last);
    wf__order_join(o, s->fork);
    o->o.stream = s->slot - 1;
    o->o.number = ++last_number;
    o->o.put = within ? within->o.put : o->o.number;
    if (!within)
        wf__agent_put(o->o.number);
    join_agent(o);
    o->o.what = what;
    o->o.has_company = has_company(s);
    newest[o->o.stream] = o->o.number;
    bool is_here = has_here && !what;
    if (is_here)
        o->o.calls = here;
    else
        wf_calls_here(&o->o.calls);
    has_here &= !is_here;
    o->position = s->put;
    o->prev = s->last; // takes its count
    wf__order_ref(o);
    s->last = o;
    if (++s->n_orders > MANY)
        shorten(s);
}

void wf__order_fork(struct wf__stream *s, const struct wf__order *o)
{
    if (!o)
        return;
    if (!s->fork)
        s->fork = wf__order_new();
    wf__order_join(s->fork, o);
}

void wf__order_retire(const struct wf__stream *s)
{
    wf__order_join(&retired[0], s->last);
    if (!(s->flags & 1))
        wf__order_join(&retired[1], s->last);
}

void wf__order_after_retired(struct wf__order *o, bool is_all)
{
    wf__order_join(o, &retired[is_all ? 0 : 1]);
}

void wf__order_gone(struct wf__stream *s)
{
    if (s->slot)
        is_taken[s->slot - 1] = false;
    wf__order_unref(s->last);
    wf__order_unref(s->fork);
    s->last = s->fork = NULL;
    s->slot = 0;
}

const struct wf_task *wf__order_of(const struct wf__order *o)
{
    return o ? &o->o : NULL;
}

bool wf__order_is_waited(const struct wf__order *o)
{
    if (!o)
        return true;
    const uint64_t *y = o->any ? o->any : o->before;
    for (uint32_t i = 0; i < o->cap; i++)
        if (y[i] && !wf_task_has(host.before, host.cap, i, y[i]))
            return false;
    return !o->o.number || wf_task_has(host.before, host.cap, o->o.stream, o->o.number);
}

// Into `host`, whose `before` holds what any thread has waited for.
static void join_any(struct wf__order *all, const struct wf__order *o)
{
    const uint64_t *y = o->any ? o->any : o->before;
    for (uint32_t i = 0; i < o->cap; i++)
        if (y[i])
            lift(all, i, y[i]);
    if (o->o.number)
        lift(all, o->o.stream, o->o.number);
}

void wf__order_waited(const struct wf__order *o)
{
    if (!o)
        return;
    wf__agent_waited(o->before, o->cap);
    if (o->o.number)
        wf__agent_waited_one(o->o.stream, o->o.number);
    if (wf__order_is_waited(o) && !wf__agents_are_many())
        return;
    join_any(&host, o);
    shorten_all();
    tell_host_knows();
}

void wf__order_fence(void)
{
    wf__order_after_retired(&common, true);
    for (struct wf__stream *s = wf__queue_first(); s; s = s->next)
        wf__order_join(&common, s->last);
}

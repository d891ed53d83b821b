// SPDX-License-Identifier: Apache-2.0
// Vectors, threads and objects. See agent.h.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // RTLD_DEFAULT
#endif
#include "rt/agent.h"

#include <dlfcn.h>     // dlsym
#include <pthread.h>   // pthread_mutex_t
#include <stdatomic.h> // atomic_bool
#include <stdlib.h>    // free
#include <string.h>    // memset

#include "base/arena.h"    // wf_xcalloc
#include "base/map.h"      // struct wf_map
#include "core/hostcode.h" // wf_calls_thread_is_own
#include "core/hostsync.h" // struct wf_host_sync
#include "core/task.h"     // struct wf_task

#define MANY_OBJECTS 65536 // then all that they keep is told to everybody

struct agent {
    uint32_t index, refs; // refs: threads that count as it, and who may join one
    uint32_t n_threads, n_joining;
    struct wf__knows k;
    uint64_t version; // of k, another one with each change of any agent; 0: knows nothing
    struct agent *next; // of all that have threads
};

struct object { // of synchronization
    struct wf__knows k;
    uint64_t has; // version of the agent that released it last
};

static struct agent whole = {.refs = 1, .n_threads = 1}; // the main thread, and all that are not known
static struct agent *live = &whole;
static atomic_bool are_many;
static uint64_t last_version;
static struct wf_map objects; // address -> struct object
static uint32_t *free_index, n_free, cap_free, n_index = 1;
static struct wf__vec all_waited, all_seen;
static _Thread_local struct agent *mine; // NULL: whole
static _Thread_local struct agent *outer; // around a host function

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_locked; // what the allocator or a signal's handler does meanwhile orders nothing

static void lock(void)
{
    is_locked = true;
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
    is_locked = false;
}

static struct agent *here(void)
{
    return mine ? mine : &whole;
}

// ---- vectors

static void vec_lift(struct wf__vec *v, uint32_t i, uint64_t number)
{
    if (i >= v->n) {
        uint32_t n = i + 1 > 2 * v->n ? i + 1 : 2 * v->n;
        v->at = wf_xrealloc(v->at, n * sizeof *v->at);
        memset(v->at + v->n, 0, (n - v->n) * sizeof *v->at);
        v->n = n;
    }
    if (v->at[i] < number)
        v->at[i] = number;
}

static bool lift_all(struct wf__vec *v, const struct wf__vec *by)
{
    bool changes = false;
    for (uint32_t i = 0; i < by->n; i++)
        if (by->at[i] && (i >= v->n || v->at[i] < by->at[i])) {
            vec_lift(v, i, by->at[i]);
            changes = true;
        }
    return changes;
}

static bool learn(struct wf__knows *k, const struct wf__knows *from)
{
    bool waited = lift_all(&k->waited, &from->waited), seen = lift_all(&k->seen, &from->seen);
    return waited || seen;
}

static void knows_fini(struct wf__knows *k)
{
    free(k->waited.at);
    free(k->seen.at);
}

static void agent_learn(struct agent *a, const struct wf__knows *from)
{
    if (learn(&a->k, from))
        a->version = ++last_version;
}

// ---- what the rest of rt asks

bool wf__agents_are_many(void)
{
    return atomic_load_explicit(&are_many, memory_order_relaxed);
}

void wf__agents_after_fork(void)
{
    pthread_mutex_init(&mutex, NULL);
}

const struct wf__knows *wf__agent_lock(uint32_t *index)
{
    lock();
    *index = here()->index;
    return &here()->k;
}

void wf__agent_unlock(void)
{
    unlock();
}

void wf__agent_put(uint64_t number)
{
    lock();
    struct agent *a = here();
    vec_lift(&a->k.seen, a->index, number);
    a->version = ++last_version;
    unlock();
}

void wf__agent_waited(const uint64_t *before, uint32_t n)
{
    lock();
    agent_learn(here(), &(struct wf__knows){.waited = {(uint64_t *)before, n}});
    unlock();
}

void wf__agent_waited_one(uint32_t stream, uint64_t number)
{
    lock();
    vec_lift(&here()->k.waited, stream, number);
    here()->version = ++last_version;
    unlock();
}

static void lower(struct wf__vec *v, const struct wf__vec *by)
{
    for (uint32_t i = 0; i < v->n; i++) {
        uint64_t has = i < by->n ? by->at[i] : 0;
        v->at[i] = v->at[i] < has ? v->at[i] : has;
    }
}

void wf__agents_common(struct wf_host_view *v)
{
    bool is_first = true;
    lock();
    all_waited.n = all_seen.n = 0; // what they point to is kept
    for (const struct agent *a = live; a; a = a->next) {
        // Who only waits for another to end will know what that one knows.
        if (a->n_joining && a->n_joining >= a->n_threads)
            continue;
        if (is_first) {
            lift_all(&all_waited, &a->k.waited);
            lift_all(&all_seen, &a->k.seen);
        } else {
            lower(&all_waited, &a->k.waited);
            lower(&all_seen, &a->k.seen);
        }
        is_first = false;
    }
    unlock();
    v->is_many = wf__agents_are_many();
    v->all = all_waited.at;
    v->n_all = all_waited.n;
    v->all_seen = all_seen.at;
    v->n_all_seen = all_seen.n;
}

// ---- threads

static struct agent *agent_new(void)
{
    struct agent *a = wf_xcalloc(1, sizeof *a);
    a->index = n_free ? free_index[--n_free] : n_index++;
    return a;
}

// An index may go to another agent at once: numbers ascend, so what is known of the new one's later work says
// of the old one's that it was put before.
static void index_free(uint32_t index)
{
    if (n_free == cap_free) {
        cap_free = cap_free ? 2 * cap_free : 16;
        free_index = wf_xrealloc(free_index, cap_free * sizeof *free_index);
    }
    free_index[n_free++] = index;
}

static void unref(struct agent *a)
{
    if (a == &whole || --a->refs)
        return;
    index_free(a->index);
    knows_fini(&a->k);
    free(a);
}

static void *on_fork(void)
{
    bool is_own = wf_calls_thread_is_own();
    lock();
    struct agent *a = here();
    if (is_own) {
        a = agent_new();
        agent_learn(a, &here()->k);
        a->next = live;
        live = a;
        atomic_store(&are_many, true);
    }
    a->refs += 2; // the thread, and its handle
    a->n_threads++;
    unlock();
    return a;
}

static void leave(struct agent *a)
{
    if (--a->n_threads == 0 && a != &whole)
        for (struct agent **p = &live; *p; p = &(*p)->next)
            if (*p == a) {
                *p = a->next;
                break;
            }
    unref(a);
}

static void on_begin(void *thread)
{
    mine = thread;
}

static void on_end(void *thread)
{
    lock();
    mine = NULL;
    leave(thread);
    unlock();
}

static void on_detach(void *thread)
{
    lock();
    unref(thread);
    unlock();
}

static void on_undo(void *thread)
{
    lock();
    leave(thread);
    unref(thread);
    unlock();
}

static void on_joining(bool begins)
{
    lock();
    here()->n_joining += begins ? 1u : -1u;
    unlock();
}

static void on_joined(void *thread)
{
    struct agent *a = thread;
    lock();
    if (a != here())
        agent_learn(here(), &a->k);
    unref(a);
    unlock();
}

// ---- objects

static bool is_idle(void)
{
    return !wf__agents_are_many() || is_locked;
}

static void tell_all_locked(const struct wf__knows *k)
{
    for (struct agent *a = live; a; a = a->next)
        agent_learn(a, k);
}

static void objects_dissolve(void)
{
    uint64_t addr;
    void *at;
    for (size_t i = 0; wf_map_next(&objects, &i, &addr, &at);) {
        struct object *o = at;
        tell_all_locked(&o->k);
        knows_fini(&o->k);
        free(o);
    }
    wf_map_fini(&objects);
    objects = (struct wf_map){0};
}

static void on_release(const void *object)
{
    if (is_idle())
        return;
    lock();
    struct agent *a = here();
    struct object *o = wf_map_get(&objects, (uintptr_t)object);
    if (a->version && !(o && o->has == a->version)) {
        if (!o) {
            if (objects.n >= MANY_OBJECTS)
                objects_dissolve();
            o = wf_xcalloc(1, sizeof *o);
            wf_map_put(&objects, (uintptr_t)object, o);
        }
        learn(&o->k, &a->k);
        o->has = a->version;
    }
    unlock();
}

static void on_acquire(const void *object)
{
    if (is_idle())
        return;
    lock();
    struct agent *a = here();
    const struct object *o = wf_map_get(&objects, (uintptr_t)object);
    if (o)
        agent_learn(a, &o->k);
    unlock();
}

static void on_forget(const void *object)
{
    if (is_idle())
        return;
    lock();
    struct object *o = wf_map_del(&objects, (uintptr_t)object);
    unlock();
    if (o) {
        knows_fini(&o->k);
        free(o);
    }
}

static void on_tell_all(void)
{
    if (is_idle())
        return;
    lock();
    tell_all_locked(&here()->k);
    unlock();
}

// ---- host functions

void wf__agent_as(const struct wf_task *o)
{
    if (!wf__agents_are_many() && !outer)
        return;
    lock();
    if (o && !outer) {
        struct agent *a = agent_new();
        a->refs = 1;
        agent_learn(a, &(struct wf__knows){{(uint64_t *)o->before, o->n_before}, {(uint64_t *)o->seen, o->n_seen}});
        outer = here();
        mine = a;
    } else if (!o && outer) {
        tell_all_locked(&mine->k);
        unref(mine);
        mine = outer;
        outer = NULL;
    }
    unlock();
}

void wf__agents_begin(void)
{
    static const struct wf_host_sync sync = {
        .fork = on_fork,
        .undo = on_undo,
        .begin = on_begin,
        .end = on_end,
        .detach = on_detach,
        .joining = on_joining,
        .joined = on_joined,
        .release = on_release,
        .acquire = on_acquire,
        .forget = on_forget,
        .tell_all = on_tell_all,
    };
    wf_threads_listen_fn *listen = (wf_threads_listen_fn *)(uintptr_t)dlsym(RTLD_DEFAULT, WF_THREADS_LISTEN);
    if (listen)
        listen(&sync);
}

// SPDX-License-Identifier: Apache-2.0
// Threads are made, end and are joined; what is done once.
#include "threads/priv.h"

#include <pthread.h>     // pthread_create
#include <stdarg.h>      // va_list
#include <stdint.h>      // uintptr_t
#include <stdlib.h>      // malloc
#include <sys/syscall.h> // SYS_futex
#include <time.h>        // struct timespec
#include <unistd.h>      // syscall

#define BUCKETS 256

NEXT(pthread_create, 0)
NEXT(pthread_join, 0)
NEXT(pthread_tryjoin_np, 0)
NEXT(pthread_timedjoin_np, 0)
NEXT(pthread_clockjoin_np, 0)
NEXT(pthread_detach, 0)
NEXT(pthread_once, 0)

struct start {
    void *(*fn)(void *);
    void *arg, *token;
    const struct wf_host_sync *s;
    unsigned refs; // the thread, and its handle
    struct start *next; // in the table, until it is joined or detached
    pthread_t thread;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // our own calls are the engine's: nobody hears them
static struct start *table[BUCKETS];

static struct start **bucket(pthread_t t)
{
    return &table[((unsigned long)t >> 12) % BUCKETS];
}

static void put(struct start *s, pthread_t t)
{
    s->thread = t;
    s->next = *bucket(t);
    *bucket(t) = s;
}

static void unref(struct start *s)
{
    if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) == 0)
        free(s);
}

// Out of the table: a thread's number is given to another one once it was joined.
static struct start *take(pthread_t t)
{
    pthread_mutex_lock(&lock);
    struct start **p = bucket(t), *s;
    while (*p && !pthread_equal((*p)->thread, t))
        p = &(*p)->next;
    s = *p;
    if (s)
        *p = s->next;
    pthread_mutex_unlock(&lock);
    return s;
}

static void leave(void *arg)
{
    struct start *s = arg;
    s->s->end(s->token);
    unref(s);
}

static void *begin(void *arg)
{
    struct start *s = arg;
    void *result;
    s->s->begin(s->token);
    pthread_cleanup_push(leave, s);
    result = s->fn(s->arg);
    pthread_cleanup_pop(1);
    return result;
}

static bool is_detached(const pthread_attr_t *attr)
{
    int state = PTHREAD_CREATE_JOINABLE;
    return attr && pthread_attr_getdetachstate(attr, &state) == 0 && state == PTHREAD_CREATE_DETACHED;
}

WF_EXPORT int pthread_create(pthread_t *restrict t, const pthread_attr_t *restrict attr, void *(*fn)(void *),
                             void *restrict arg)
{
    const struct wf_host_sync *h = LISTENER();
    struct start *s = h ? malloc(sizeof *s) : NULL;
    if (!s)
        return next_pthread_create()(t, attr, fn, arg);
    *s = (struct start){.fn = fn, .arg = arg, .s = h, .token = h->fork(), .refs = 2};
    bool detached = is_detached(attr);
    pthread_mutex_lock(&lock); // the thread may give its number to who joins it before we come to put it down
    int rc = next_pthread_create()(t, attr, begin, s);
    if (rc == 0 && !detached)
        put(s, *t);
    pthread_mutex_unlock(&lock);
    if (rc != 0) {
        h->undo(s->token);
        free(s);
    } else if (detached) {
        h->detach(s->token);
        unref(s);
    }
    return rc;
}

WF_EXPORT int pthread_detach(pthread_t t)
{
    struct start *s = wf__threads_heard ? take(t) : NULL;
    if (s) {
        s->s->detach(s->token);
        unref(s);
    }
    return next_pthread_detach()(t);
}

static struct start *joining(const struct wf_host_sync *h, pthread_t t)
{
    if (!h)
        return NULL;
    h->joining(true);
    return take(t);
}

// rc of the call: 0 when the thread was joined; else its entry goes back.
static int joined(const struct wf_host_sync *h, pthread_t t, struct start *s, int rc)
{
    if (h)
        h->joining(false);
    if (!s)
        return rc;
    if (rc == 0) {
        h->joined(s->token);
        unref(s);
    } else {
        pthread_mutex_lock(&lock);
        put(s, t);
        pthread_mutex_unlock(&lock);
    }
    return rc;
}

WF_EXPORT int pthread_join(pthread_t t, void **result)
{
    const struct wf_host_sync *h = LISTENER();
    struct start *s = joining(h, t);
    return joined(h, t, s, next_pthread_join()(t, result));
}

WF_EXPORT int pthread_tryjoin_np(pthread_t t, void **result)
{
    const struct wf_host_sync *h = LISTENER();
    struct start *s = joining(h, t);
    return joined(h, t, s, next_pthread_tryjoin_np()(t, result));
}

WF_EXPORT int pthread_timedjoin_np(pthread_t t, void **result, const struct timespec *until)
{
    const struct wf_host_sync *h = LISTENER();
    struct start *s = joining(h, t);
    return joined(h, t, s, next_pthread_timedjoin_np()(t, result, until));
}

WF_EXPORT int pthread_clockjoin_np(pthread_t t, void **result, clockid_t clock, const struct timespec *until)
{
    const struct wf_host_sync *h = LISTENER();
    struct start *s = joining(h, t);
    return joined(h, t, s, next_pthread_clockjoin_np()(t, result, clock, until));
}

// What is done once is known to all afterwards; and std::promise, std::packaged_task and std::async set their
// results inside of one, while who finds a result ready reads an atomic, which nobody sees.
static _Thread_local struct once {
    void (*fn)(void);
    struct once *outer;
} *running;

static void run_once(void)
{
    struct once *o = running;
    running = o->outer;
    o->fn();
    if (wf__threads_heard)
        wf__threads_heard->tell_all();
}

WF_EXPORT int pthread_once(pthread_once_t *once, void (*fn)(void))
{
    const struct wf_host_sync *h = LISTENER();
    if (!h)
        return next_pthread_once()(once, fn);
    struct once o = {fn, running};
    running = &o;
    int rc = next_pthread_once()(once, run_once);
    running = o.outer;
    return rc;
}

// Likewise a local static variable: who finds it made reads an atomic. The C++ library may have come in by dlopen, out
// of this one's sight, but not out of the caller's.
void __cxa_guard_release(void *guard);
static void *guard_release_of(void *caller)
{
    Dl_info info;
    void *fn = wf__threads_next("__cxa_guard_release", 0);
    void *from = !fn && dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (from) {
        fn = dlsym(from, "__cxa_guard_release");
        dlclose(from);
    }
    return fn;
}

WF_EXPORT void __cxa_guard_release(void *guard)
{
    static void *known;
    const struct wf_host_sync *h = LISTENER();
    void *fn = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!fn)
        __atomic_store_n(&known, fn = guard_release_of(__builtin_return_address(0)), __ATOMIC_RELAXED);
    if (h)
        h->tell_all();
    ((void (*)(void *))(uintptr_t)fn)(guard);
}

// Who wakes others by the futex itself (atomic::notify_one, latches, barriers and semaphores of C++) has told them
// something by an atomic.
NEXT(syscall, 0)
WF_EXPORT long syscall(long number, ...)
{
    const struct wf_host_sync *h = LISTENER();
    long a[6];
    va_list ap;
    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (h && number == SYS_futex)
        h->tell_all();
    return next_syscall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

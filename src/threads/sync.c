// SPDX-License-Identifier: Apache-2.0
// Synchronization objects. Who locks knows what was known where it was last unlocked; readers of a read-write
// lock count like writers. Objects of C11's threads.h and of the C++ library are these, or use the futex.
#include "threads/priv.h"

#include <pthread.h>   // pthread_mutex_t
#include <semaphore.h> // sem_t
#include <time.h>      // struct timespec

#define ARGS(...) __VA_ARGS__

// Before the call the object is released, behind it, if it gave 0, acquired.
#define RELEASES(name, params, args, object)                                                       \
    NEXT(name, 0)                                                                                  \
    WF_EXPORT int name(params)                                                                     \
    {                                                                                              \
        const struct wf_host_sync *h = LISTENER();                                                 \
        if (h)                                                                                     \
            h->release((const void *)object);                                                      \
        return next_##name()(args);                                                                \
    }
#define AFTER(name, params, args, object, what)                                                    \
    NEXT(name, 0)                                                                                  \
    WF_EXPORT int name(params)                                                                     \
    {                                                                                              \
        const struct wf_host_sync *h = LISTENER();                                                 \
        int rc = next_##name()(args);                                                              \
        if (h && rc == 0)                                                                          \
            h->what((const void *)object);                                                         \
        return rc;                                                                                 \
    }
#define ACQUIRES(name, params, args, object) AFTER(name, ARGS(params), ARGS(args), object, acquire)
#define ENDS(name, params, args, object) AFTER(name, ARGS(params), ARGS(args), object, forget)
#define COND "GLIBC_2.3.2" // condition variables have an older version, which nobody links with

ACQUIRES(pthread_mutex_lock, pthread_mutex_t *m, m, m)
ACQUIRES(pthread_mutex_trylock, pthread_mutex_t *m, m, m)
ACQUIRES(pthread_mutex_timedlock, ARGS(pthread_mutex_t *restrict m, const struct timespec *restrict t), ARGS(m, t), m)
ACQUIRES(pthread_mutex_clocklock, ARGS(pthread_mutex_t *m, clockid_t c, const struct timespec *t), ARGS(m, c, t), m)
RELEASES(pthread_mutex_unlock, pthread_mutex_t *m, m, m)
ENDS(pthread_mutex_destroy, pthread_mutex_t *m, m, m)

ACQUIRES(pthread_rwlock_rdlock, pthread_rwlock_t *r, r, r)
ACQUIRES(pthread_rwlock_tryrdlock, pthread_rwlock_t *r, r, r)
ACQUIRES(pthread_rwlock_timedrdlock, ARGS(pthread_rwlock_t *restrict r, const struct timespec *restrict t), ARGS(r, t), r)
ACQUIRES(pthread_rwlock_clockrdlock, ARGS(pthread_rwlock_t *r, clockid_t c, const struct timespec *t), ARGS(r, c, t), r)
ACQUIRES(pthread_rwlock_wrlock, pthread_rwlock_t *r, r, r)
ACQUIRES(pthread_rwlock_trywrlock, pthread_rwlock_t *r, r, r)
ACQUIRES(pthread_rwlock_timedwrlock, ARGS(pthread_rwlock_t *restrict r, const struct timespec *restrict t), ARGS(r, t), r)
ACQUIRES(pthread_rwlock_clockwrlock, ARGS(pthread_rwlock_t *r, clockid_t c, const struct timespec *t), ARGS(r, c, t), r)
RELEASES(pthread_rwlock_unlock, pthread_rwlock_t *r, r, r)
ENDS(pthread_rwlock_destroy, pthread_rwlock_t *r, r, r)

ACQUIRES(pthread_spin_lock, pthread_spinlock_t *l, l, l)
ACQUIRES(pthread_spin_trylock, pthread_spinlock_t *l, l, l)
RELEASES(pthread_spin_unlock, pthread_spinlock_t *l, l, l)

ACQUIRES(sem_wait, sem_t *s, s, s)
ACQUIRES(sem_trywait, sem_t *s, s, s)
ACQUIRES(sem_timedwait, ARGS(sem_t *restrict s, const struct timespec *restrict t), ARGS(s, t), s)
ACQUIRES(sem_clockwait, ARGS(sem_t *restrict s, clockid_t c, const struct timespec *restrict t), ARGS(s, c, t), s)
RELEASES(sem_post, sem_t *s, s, s)
ENDS(sem_destroy, sem_t *s, s, s)

ENDS(pthread_cond_destroy, pthread_cond_t *c, c, c)
ENDS(pthread_barrier_destroy, pthread_barrier_t *b, b, b)

NEXT(pthread_barrier_wait, 0)
NEXT(pthread_cond_signal, COND)
NEXT(pthread_cond_broadcast, COND)
NEXT(pthread_cond_wait, COND)
NEXT(pthread_cond_timedwait, COND)
NEXT(pthread_cond_clockwait, 0)

WF_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    const struct wf_host_sync *h = LISTENER();
    if (h)
        h->release(b);
    int rc = next_pthread_barrier_wait()(b);
    if (h && (rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD))
        h->acquire(b);
    return rc;
}

WF_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    const struct wf_host_sync *h = LISTENER();
    if (h)
        h->release(c);
    return next_pthread_cond_signal()(c);
}

WF_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    const struct wf_host_sync *h = LISTENER();
    if (h)
        h->release(c);
    return next_pthread_cond_broadcast()(c);
}

static void cond_begin(const struct wf_host_sync *h, const void *m)
{
    if (h)
        h->release(m);
}

// Whoever gave up waiting holds the mutex again all the same.
static int cond_end(const struct wf_host_sync *h, const void *c, const void *m, int rc)
{
    if (h)
        h->acquire(m);
    if (h && rc == 0)
        h->acquire(c);
    return rc;
}

WF_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
    const struct wf_host_sync *h = LISTENER();
    cond_begin(h, m);
    return cond_end(h, c, m, next_pthread_cond_wait()(c, m));
}

WF_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
                                     const struct timespec *restrict t)
{
    const struct wf_host_sync *h = LISTENER();
    cond_begin(h, m);
    return cond_end(h, c, m, next_pthread_cond_timedwait()(c, m, t));
}

WF_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock,
                                     const struct timespec *restrict t)
{
    const struct wf_host_sync *h = LISTENER();
    cond_begin(h, m);
    return cond_end(h, c, m, next_pthread_cond_clockwait()(c, m, clock, t));
}

// SPDX-License-Identifier: Apache-2.0
// Streams' lists and worker threads.
#include "rt/queue.h"

#include <signal.h>    // sigfillset
#include <stdatomic.h> // atomic_bool
#include <stdlib.h>    // free
#include <time.h>      // clock_gettime

#include "base/arena.h"  // wf_xcalloc
#include "base/crew.h"   // WF_BIG_STACK
#include "base/err.h"    // WF_ASSERT
#include "base/os.h"     // wf_os_now_ns
#include "mem/outside.h" // wf_mem_outside_set
#include "rt/agent.h"    // wf__agents_after_fork
#include "rt/ctx.h"      // wf_rt_broken
#include "rt/order.h"    // wf__order_put

#define POLL_NS UINT64_C(500000000) // a host that asks this often is waiting
#define HOST_NS UINT64_C(200000000) // a host function that takes so long may wait for the host

static bool outside_may_write(uint32_t stuck);
static void let_host_go_on(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER; // some operation is done
static struct wf__stream *first;
static struct wf__stream *default_stream;
static uint64_t last_id;
static uint32_t n_busy;    // operations that are being done
static uint32_t n_waiting; // threads of the program that wait for work
// Calls need not wait for the work they put: some of it waits for the host. Until nothing is busy.
static bool is_loose;
static uint32_t n_eager;   // threads of the program that let their work end
static uint64_t last_poll; // when one asked last and was told "not ready"

// A forked child has the memory but not the threads: nothing that is queued will ever be done
// there.
static atomic_bool is_child;

static void after_fork(void)
{
    pthread_mutex_init(&lock, NULL); // may have been held by a thread that is gone
    wf__agents_after_fork();
    atomic_store(&is_child, true);
}

static void begin(void)
{
    pthread_atfork(NULL, NULL, after_fork);
    wf_mem_outside_set(outside_may_write);
    wf_mem_outside_idle_set(let_host_go_on);
}

bool wf__queue_is_child(void)
{
    return atomic_load(&is_child);
}

void wf__lock(void)
{
    pthread_mutex_lock(&lock);
}

void wf__unlock(void)
{
    pthread_mutex_unlock(&lock);
}

struct wf__stream *wf__queue_new(unsigned flags, int priority)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    struct wf__stream *s = wf_xcalloc(1, sizeof *s);
    s->flags = flags;
    s->priority = priority;
    s->refs = 1;
    s->id = ++last_id;
    pthread_cond_init(&s->wake, NULL);
    s->next = first;
    first = s;
    return s;
}

struct wf__stream *wf__queue_default(void)
{
    if (!default_stream) {
        default_stream = wf__queue_new(0, 0);
        default_stream->is_default = true;
    }
    return default_stream;
}

struct wf__stream *wf__queue_first(void)
{
    return first;
}

void wf__queue_ref(struct wf__stream *s)
{
    s->refs++;
}

void wf__queue_unref(struct wf__stream *s)
{
    if (--s->refs)
        return;
    wf__order_gone(s);
    pthread_cond_destroy(&s->wake);
    free(s);
}

// One with work left stays listed: a device-wide wait includes it.
static void unlist_if_over(struct wf__stream *s)
{
    if (!s->is_retired || s->head || s->is_busy)
        return;
    wf__order_retire(s);
    for (struct wf__stream **p = &first; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
}

void wf__queue_retire(struct wf__stream *s)
{
    s->is_retired = true;
    pthread_cond_signal(&s->wake);
    unlist_if_over(s);
    wf__queue_unref(s);
}

void wf__op_order(struct wf__op *op, const struct wf__order *y)
{
    if (!wf__order_events())
        return;
    if (!op->order)
        op->order = wf__order_new();
    wf__order_join(op->order, y);
}

void wf__op_after_retired(struct wf__op *op, bool is_all)
{
    if (!wf__order_events())
        return;
    wf__op_order(op, NULL);
    wf__order_after_retired(op->order, is_all);
}

void wf__op_drop(struct wf__op *op)
{
    for (uint32_t i = 0; i < op->n_deps; i++)
        wf__queue_unref(op->deps[i].stream);
    free(op->deps);
    wf__order_unref(op->order);
}

void wf__op_after(struct wf__op *op, struct wf__stream *s, uint64_t number)
{
    if (wf__order_events()) {
        wf__op_order(op, NULL);
        wf__order_after(op->order, s, number);
    }
    if (s->done >= number)
        return;
    if (op->n_deps == op->cap_deps) {
        op->cap_deps = op->cap_deps ? 2 * op->cap_deps : 4;
        op->deps = wf_xrealloc(op->deps, op->cap_deps * sizeof *op->deps);
    }
    wf__queue_ref(s);
    op->deps[op->n_deps++] = (struct wf__dep){s, number};
}

static bool deps_are_done(const struct wf__op *op)
{
    for (uint32_t i = 0; i < op->n_deps; i++)
        if (op->deps[i].stream->done < op->deps[i].number)
            return false;
    return true;
}

// A standstill is final when every busy operation is a stuck grid and the host waits, too (or
// polls).
static bool outside_may_write(uint32_t stuck)
{
    wf__lock();
    bool host_waits = n_waiting > 0 || wf_os_now_ns() - last_poll < POLL_NS;
    bool may = !host_waits || n_busy > stuck || (n_eager && !is_loose);
    wf__unlock();
    return may;
}

static void let_host_go_on(void)
{
    wf__lock();
    is_loose = true;
    pthread_cond_broadcast(&progress);
    wf__unlock();
}

void wf__queue_note_poll(void)
{
    last_poll = wf_os_now_ns();
}

// Does an operation that is at its turn. The lock is given up and taken again.
static void perform(struct wf__stream *s, struct wf__op *op)
{
    s->is_busy = true;
    s->is_host_busy = op->is_host; // op itself is gone before the lock is taken again
    n_busy++;
    for (uint32_t i = 0; i < op->n_deps; i++)
        wf__queue_unref(op->deps[i].stream);
    struct wf__order *order = op->order;
    wf__unlock();
    if (op->run && (op->is_always || wf_rt_broken() == WF_CU_SUCCESS))
        op->run(op);
    free(op->deps);
    op->free(op);
    wf__lock();
    wf__order_unref(order);
    s->is_busy = false;
    s->is_host_busy = false;
    n_busy--;
    if (n_busy == 0)
        is_loose = false;
    s->done++;
    pthread_cond_broadcast(&progress);
}

static void *work(void *arg)
{
    struct wf__stream *s = arg;
    wf_os_signal_stack();
    wf__lock();
    while (s->head || !s->is_retired) {
        struct wf__op *op = s->head;
        if (!op || s->is_busy) {
            pthread_cond_wait(&s->wake, &lock);
        } else if (!deps_are_done(op)) {
            pthread_cond_wait(&progress, &lock);
        } else {
            s->head = op->next;
            if (!s->head)
                s->tail = NULL;
            perform(s, op);
        }
    }
    unlist_if_over(s);
    wf__queue_unref(s);
    wf__unlock();
    return NULL;
}

// Signals belong to the program's threads; only faults of the work itself come here.
static void start_worker(struct wf__stream *s)
{
    sigset_t all, old;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, WF_BIG_STACK);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread;
    wf__queue_ref(s);
    int rc = pthread_create(&thread, &attr, work, s);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    WF_ASSERT(rc == 0);
    s->has_worker = true;
}

static void add_implicit_deps(struct wf__stream *s, struct wf__op *op)
{
    if (s->is_default) {
        wf__op_after_retired(op, false);
        for (struct wf__stream *o = first; o; o = o->next)
            if (o != s && !(o->flags & 1))
                wf__op_after(op, o, o->put);
    } else if (!(s->flags & 1) && default_stream) {
        wf__op_after(op, default_stream, default_stream->put);
    }
}

// The call waits for the end of what it has put.
static void let_end(struct wf__stream *s, uint64_t number)
{
    uint64_t since = wf_os_now_ns();
    wf__queue_ref(s);
    n_eager++;
    while (s->done < number && !is_loose) {
        if (!s->is_host_busy) {
            pthread_cond_wait(&progress, &lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 10000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&progress, &lock, &until);
        is_loose |= s->is_host_busy && wf_os_now_ns() - since > HOST_NS;
    }
    n_eager--;
    wf__queue_unref(s);
}

uint64_t wf__queue_put(struct wf__stream *s, struct wf__op *op, bool is_inline)
{
    add_implicit_deps(s, op);
    uint64_t number = ++s->put;
    if (wf__order_events()) {
        wf__op_order(op, NULL);
        wf__order_put(op->order, s, op->what);
    }
    op->next = NULL;
    if (is_inline && !s->head && !s->is_busy && deps_are_done(op)) {
        wf__queue_ref(s);
        perform(s, op);
        if (s->head)
            pthread_cond_signal(&s->wake);
        unlist_if_over(s);
        wf__queue_unref(s);
        return number;
    }
    if (s->tail)
        s->tail->next = op;
    else
        s->head = op;
    s->tail = op;
    if (!s->has_worker)
        start_worker(s);
    pthread_cond_signal(&s->wake);
    if (wf__order_events())
        let_end(s, number);
    return number;
}

void wf__queue_wait(struct wf__stream *s, uint64_t number)
{
    wf__queue_ref(s);
    n_waiting++;
    while (s->done < number)
        pthread_cond_wait(&progress, &lock);
    n_waiting--;
    wf__queue_unref(s);
}

void wf__queue_wait_within(struct wf__stream *s, uint64_t number)
{
    wf__queue_ref(s);
    n_busy--;
    while (s->done < number)
        pthread_cond_wait(&progress, &lock);
    n_busy++;
    wf__queue_unref(s);
}

static void wait_for_all(bool is_known)
{
    if (wf__queue_is_child())
        return;
    wf__lock();
    struct wf__op all = {0}; // only its list of dependencies is used
    wf__op_after_retired(&all, true);
    for (struct wf__stream *s = first; s; s = s->next)
        wf__op_after(&all, s, s->put);
    for (uint32_t i = 0; i < all.n_deps; i++)
        wf__queue_wait(all.deps[i].stream, all.deps[i].number);
    if (is_known)
        wf__order_waited(all.order);
    wf__op_drop(&all);
    wf__unlock();
}

void wf__queue_drain(void)
{
    wait_for_all(true);
}

void wf__queue_finish(void)
{
    wait_for_all(false);
}

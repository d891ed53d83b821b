// SPDX-License-Identifier: Apache-2.0
// See lock.h.
#define _GNU_SOURCE // syscall
#include "check/lock.h"

#include <linux/membarrier.h> // MEMBARRIER_CMD_PRIVATE_EXPEDITED
#include <pthread.h>          // pthread_mutex_t
#include <sched.h>            // sched_yield
#include <stdatomic.h>        // atomic_bool
#include <sys/syscall.h>      // SYS_membarrier
#include <unistd.h>           // syscall

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned grids;      // under mutex
static atomic_bool many;    // hooks must take the mutex
static atomic_bool in_hook; // a hook is inside without it
static _Thread_local bool has_mutex;
static bool can_barrier, was_asked;

void wf__lock_grid_begin(void)
{
    pthread_mutex_lock(&mutex);
    if (!was_asked) {
        was_asked = true;
        can_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
        if (!can_barrier)
            atomic_store(&many, true); // always lock
    }
    if (++grids == 2 && can_barrier) {
        atomic_store(&many, true);
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
        while (atomic_load(&in_hook))
            sched_yield();
    }
}

void wf__lock_grid_leave(void)
{
    pthread_mutex_unlock(&mutex);
}

void wf__lock_grid_enter(void)
{
    pthread_mutex_lock(&mutex);
    while (atomic_load(&in_hook)) // of another grid that has not seen `many` yet: not for long
        sched_yield();
}

void wf__lock_or_not(void)
{
    for (int i = 0; i < 200 && pthread_mutex_trylock(&mutex) != 0; i++)
        usleep(1000);
    for (int i = 0; i < 200 && atomic_load(&in_hook); i++)
        usleep(1000);
}

void wf__lock_grid_end(void)
{
    grids--;
    if (grids == 0 && can_barrier)
        atomic_store(&many, false);
    pthread_mutex_unlock(&mutex);
}

void wf__lock_hook_begin(void)
{
    atomic_store_explicit(&in_hook, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); // membarrier on the other side makes it a real one
    if (!atomic_load_explicit(&many, memory_order_relaxed))
        return;
    atomic_store_explicit(&in_hook, false, memory_order_release);
    pthread_mutex_lock(&mutex);
    has_mutex = true;
}

void wf__lock_hook_end(void)
{
    if (has_mutex) {
        has_mutex = false;
        pthread_mutex_unlock(&mutex);
        return;
    }
    atomic_store_explicit(&in_hook, false, memory_order_release);
}

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
atomic_bool wf__lock_many, wf__lock_in_hook;
static bool can_barrier, was_asked;

void wf__lock_grid_begin(void)
{
    pthread_mutex_lock(&mutex);
    if (!was_asked) {
        was_asked = true;
        can_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
        if (!can_barrier)
            atomic_store(&wf__lock_many, true); // always lock
    }
    if (++grids == 2 && can_barrier) {
        atomic_store(&wf__lock_many, true);
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
        while (atomic_load(&wf__lock_in_hook))
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
    while (atomic_load(&wf__lock_in_hook)) // of another grid that has not seen `many` yet: not for long
        sched_yield();
}

void wf__lock_or_not(void)
{
    for (int i = 0; i < 200 && pthread_mutex_trylock(&mutex) != 0; i++)
        usleep(1000);
    for (int i = 0; i < 200 && atomic_load(&wf__lock_in_hook); i++)
        usleep(1000);
}

void wf__lock_grid_end(void)
{
    grids--;
    if (grids == 0 && can_barrier)
        atomic_store(&wf__lock_many, false);
    pthread_mutex_unlock(&mutex);
}

void wf__lock_take(void)
{
    atomic_store_explicit(&wf__lock_in_hook, false, memory_order_release);
    pthread_mutex_lock(&mutex);
}

void wf__lock_drop(void)
{
    pthread_mutex_unlock(&mutex);
}

// SPDX-License-Identifier: Apache-2.0
// See progress.h.
#include "core/progress.h"

#include <pthread.h>   // pthread_mutex_t
#include <stdatomic.h> // atomic_fetch_add_explicit
#include <stdio.h>     // snprintf

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_progress now; // but blocks
static _Atomic uint64_t started;

void wf_progress_launch(const char *kernel, uint64_t blocks)
{
    pthread_mutex_lock(&lock);
    snprintf(now.kernel, sizeof now.kernel, "%s", kernel);
    now.of = blocks;
    atomic_store_explicit(&started, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

void wf_progress_blocks(uint64_t n)
{
    atomic_fetch_add_explicit(&started, n, memory_order_relaxed);
}

void wf_progress_get(struct wf_progress *out)
{
    pthread_mutex_lock(&lock);
    *out = now;
    out->blocks = atomic_load_explicit(&started, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

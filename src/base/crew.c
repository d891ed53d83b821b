// SPDX-License-Identifier: Apache-2.0
#include "base/crew.h"

#include <pthread.h> // pthread_create
#include <stdbool.h> // bool
#include <stdlib.h>  // free

#include "base/arena.h" // wf_xcalloc
#include "base/os.h"    // wf_os_signal_stack

struct wf_crew_member {
    pthread_mutex_t lock;
    pthread_cond_t woken, ended;
    void (*fn)(void *); // NULL: idle
    void *arg;
    struct wf_crew_member *next_idle;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the list
static struct wf_crew_member *idle;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *serve(void *arg)
{
    struct wf_crew_member *m = arg;
    wf_os_signal_stack();
    pthread_mutex_lock(&m->lock);
    for (;;) {
        while (!m->fn)
            pthread_cond_wait(&m->woken, &m->lock);
        pthread_mutex_unlock(&m->lock);
        m->fn(m->arg);
        pthread_mutex_lock(&m->lock);
        m->fn = NULL;
        pthread_cond_signal(&m->ended);
    }
    return NULL;
}

// The threads do not exist in a forked child.
static void forget(void)
{
    idle = NULL;
    pthread_mutex_init(&lock, NULL);
}

static void set_up(void)
{
    pthread_atfork(NULL, NULL, forget);
}

static struct wf_crew_member *recruit(void)
{
    struct wf_crew_member *m = wf_xcalloc(1, sizeof *m);
    pthread_attr_t attr;
    pthread_t t;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->woken, NULL);
    pthread_cond_init(&m->ended, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, WF_BIG_STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    bool failed = pthread_create(&t, &attr, serve, m) != 0;
    pthread_attr_destroy(&attr);
    if (!failed)
        return m;
    free(m);
    return NULL;
}

struct wf_crew_member *wf_crew_start(void (*fn)(void *), void *arg)
{
    pthread_once(&once, set_up);
    pthread_mutex_lock(&lock);
    struct wf_crew_member *m = idle;
    if (m)
        idle = m->next_idle;
    pthread_mutex_unlock(&lock);
    if (!m)
        m = recruit();
    if (!m)
        return NULL;
    pthread_mutex_lock(&m->lock);
    m->arg = arg;
    m->fn = fn;
    pthread_cond_signal(&m->woken);
    pthread_mutex_unlock(&m->lock);
    return m;
}

void wf_crew_wait(struct wf_crew_member *m)
{
    pthread_mutex_lock(&m->lock);
    while (m->fn)
        pthread_cond_wait(&m->ended, &m->lock);
    pthread_mutex_unlock(&m->lock);
    pthread_mutex_lock(&lock);
    m->next_idle = idle;
    idle = m;
    pthread_mutex_unlock(&lock);
}

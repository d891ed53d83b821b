// SPDX-License-Identifier: Apache-2.0
// The progress line of a checked run that takes long: on a terminal one line that is written over, elsewhere (when
// asked for) a line each time. It goes before the report comes.
#include <pthread.h>   // pthread_create
#include <signal.h>    // sigfillset
#include <stdatomic.h> // atomic_bool
#include <stdio.h>     // fprintf
#include <time.h>      // nanosleep
#include <unistd.h>    // isatty

#include "core/finding.h"  // wf_finding_total
#include "core/launch.h"   // wf_launch_count
#include "core/progress.h" // wf_progress_get
#include "session/options.h"
#include "session/session_priv.h"

#define FIRST_S 2
#define EACH_S 1

static struct {
    bool is_terminal;
    atomic_bool is_over, is_shown;
    pid_t pid;
    pthread_mutex_t lock; // of the line
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void show(int seconds)
{
    struct wf_progress p;
    uint32_t n = wf_finding_total();
    wf_progress_get(&p);
    if (!*p.kernel)
        return;
    atomic_store(&line.is_shown, true);
    fprintf(stderr, "%swarpfence: %d s, launch %llu (%.60s), block %llu of %llu, %u finding%s so far%s",
            line.is_terminal ? "\r\033[K" : "", seconds, (unsigned long long)wf_launch_count(), p.kernel,
            (unsigned long long)p.blocks, (unsigned long long)p.of, n, n == 1 ? "" : "s", line.is_terminal ? "" : "\n");
    fflush(stderr);
}

static void *watch(void *arg)
{
    (void)arg;
    for (int s = 0;; s += EACH_S) {
        nanosleep(&(struct timespec){.tv_sec = EACH_S}, NULL);
        pthread_mutex_lock(&line.lock);
        bool over = atomic_load(&line.is_over);
        if (!over && s + EACH_S >= FIRST_S)
            show(s + EACH_S);
        pthread_mutex_unlock(&line.lock);
        if (over)
            return NULL;
    }
}

void wf__progress_begin(int64_t when)
{
    sigset_t all, was;
    pthread_t t;
    line.is_terminal = isatty(STDERR_FILENO);
    if (when == WF_PROGRESS_NEVER || (when == WF_PROGRESS_AUTO && !line.is_terminal))
        return;
    line.pid = getpid();
    sigfillset(&all); // the program's signals are its own threads'
    pthread_sigmask(SIG_SETMASK, &all, &was);
    if (pthread_create(&t, NULL, watch, NULL) == 0)
        pthread_detach(t);
    pthread_sigmask(SIG_SETMASK, &was, NULL);
}

// May be called in a signal handler that ends the process: waits for the line no longer than a moment.
void wf__progress_end(void)
{
    if (line.pid != getpid() || atomic_exchange(&line.is_over, true))
        return;
    bool has = false;
    for (int i = 0; i < 100 && !(has = pthread_mutex_trylock(&line.lock) == 0); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (line.is_terminal && atomic_load(&line.is_shown))
        fputs("\r\033[K", stderr);
    if (has)
        pthread_mutex_unlock(&line.lock);
}

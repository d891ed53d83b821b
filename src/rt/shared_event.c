// SPDX-License-Identifier: Apache-2.0
// A page of a file counts the records of an event by all processes: each takes the next number and says when its work
// is done. Records may end in another order than they were made, so each has a place of its own, which a record
// MANY later takes over. Who waits for another process looks again and again; a process that is gone ends the wait.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memfd_create
#endif
#include <errno.h>     // ESRCH
#include <signal.h>    // kill
#include <stdatomic.h> // atomic_fetch_add
#include <stdlib.h>    // free
#include <sys/mman.h>  // mmap
#include <time.h>      // nanosleep
#include <unistd.h>    // ftruncate

#include "base/arena.h" // wf_xcalloc
#include "rt/ipc.h"

#define MANY 128
#define PAGE 4096

struct page {
    _Atomic uint64_t newest;
    struct {
        _Atomic uint64_t done;
        _Atomic int32_t process; // of the record under way
    } at[MANY];
};
_Static_assert(sizeof(struct page) <= PAGE, "one page");

struct wf__shared_event {
    atomic_uint refs;
    int fd;
    struct page *p;
};

static struct wf__shared_event *from_file(int fd)
{
    struct page *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        close(fd);
        return NULL;
    }
    struct wf__shared_event *v = wf_xcalloc(1, sizeof *v);
    v->fd = fd;
    v->p = p;
    atomic_init(&v->refs, 1);
    return v;
}

struct wf__shared_event *wf__shared_event_new(void)
{
    int fd = memfd_create("warpfence-event", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, PAGE) != 0) {
        close(fd);
        fd = -1;
    }
    return fd < 0 ? NULL : from_file(fd);
}

enum wf_cu wf__shared_event_give(const struct wf__shared_event *v, struct wf_rt_ipc *out)
{
    return wf__ipc_give(out, (struct wf__ipc){.kind = 'e', .fd = v->fd});
}

enum wf_cu wf__shared_event_take(struct wf__shared_event **out, const struct wf_rt_ipc *from)
{
    struct wf__ipc h;
    int fd;
    enum wf_cu e = wf__ipc_take(from, 'e', &h, &fd);
    if (e != WF_CU_SUCCESS)
        return e;
    *out = from_file(fd);
    return *out ? WF_CU_SUCCESS : WF_CU_OPERATING_SYSTEM;
}

struct wf__shared_event *wf__shared_event_ref(struct wf__shared_event *v)
{
    atomic_fetch_add(&v->refs, 1);
    return v;
}

void wf__shared_event_unref(struct wf__shared_event *v)
{
    if (atomic_fetch_sub(&v->refs, 1) != 1)
        return;
    munmap(v->p, PAGE);
    close(v->fd);
    free(v);
}

uint64_t wf__shared_event_record(struct wf__shared_event *v)
{
    uint64_t n = atomic_fetch_add(&v->p->newest, 1) + 1;
    atomic_store(&v->p->at[n % MANY].process, (int32_t)getpid());
    return n;
}

void wf__shared_event_done(struct wf__shared_event *v, uint64_t number)
{
    _Atomic uint64_t *done = &v->p->at[number % MANY].done;
    for (uint64_t old = atomic_load(done); old < number && !atomic_compare_exchange_weak(done, &old, number);)
        continue;
}

uint64_t wf__shared_event_newest(const struct wf__shared_event *v)
{
    return atomic_load(&v->p->newest);
}

bool wf__shared_event_is_done(const struct wf__shared_event *v, uint64_t number)
{
    return !number || atomic_load(&v->p->at[number % MANY].done) >= number;
}

void wf__shared_event_wait(const struct wf__shared_event *v, uint64_t number)
{
    for (uint32_t i = 1; !wf__shared_event_is_done(v, number); i++) {
        int32_t process = atomic_load(&v->p->at[number % MANY].process);
        if (i % 64 == 0 && process && kill(process, 0) != 0 && errno == ESRCH)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

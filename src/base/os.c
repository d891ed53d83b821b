// SPDX-License-Identifier: Apache-2.0
// The only system-specific file (Linux): pages, clock, processor count.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sched_getaffinity, MAP_FIXED_NOREPLACE
#endif
#include "base/os.h"

#include <dlfcn.h>    // dladdr
#include <pthread.h>  // pthread_key_create
#include <sched.h>    // sched_getaffinity
#include <signal.h>   // sigaltstack
#include <stdlib.h>   // free
#include <sys/mman.h> // mmap
#include <sys/stat.h> // stat
#include <time.h>     // clock_gettime
#include <unistd.h>   // sysconf

uint64_t wf_os_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

#define SIGNAL_STACK ((size_t)256 << 10)

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void drop_stack(void *at)
{
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(at, SIGNAL_STACK);
}

static void make_key(void)
{
    pthread_key_create(&stack_key, drop_stack);
}

void wf_os_signal_stack(void)
{
    stack_t old;
    if (sigaltstack(NULL, &old) != 0 || !(old.ss_flags & SS_DISABLE))
        return;
    pthread_once(&stack_once, make_key);
    void *at = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return;
    stack_t new = {.ss_sp = at, .ss_size = SIGNAL_STACK};
    if (sigaltstack(&new, NULL) != 0 || pthread_setspecific(stack_key, at) != 0)
        drop_stack(at);
}

unsigned wf_os_cpus(void)
{
    // A fixed cpu_set_t holds 1024 processors; larger machines need a larger set.
    for (int max = 1024; max <= 1 << 20; max *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)max);
        if (!set)
            break;
        size_t bytes = CPU_ALLOC_SIZE((size_t)max);
        int rc = sched_getaffinity(0, bytes, set);
        int n = rc == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (n > 0)
            return (unsigned)n;
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

uint64_t wf_os_build_stamp(void)
{
    static const char here;
    Dl_info i;
    struct stat s;
    if (!dladdr(&here, &i) || !i.dli_fname || stat(i.dli_fname, &s))
        return 0;
    return ((uint64_t)s.st_mtim.tv_sec * UINT64_C(1000000000) + (uint64_t)s.st_mtim.tv_nsec) ^
           (uint64_t)s.st_size << 48;
}

void *wf_os_reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *wf_os_reserve_at(void *want, size_t bytes)
{
    void *p = mmap(want, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (p != want) { // a kernel before 4.17 takes the address as a wish only
        munmap(p, bytes);
        return NULL;
    }
    return p;
}

int wf_os_commit(void *p, size_t bytes)
{
    return mprotect(p, bytes, PROT_READ | PROT_WRITE);
}

int wf_os_decommit(void *p, size_t bytes)
{
    void *q =
        mmap(p, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return q == MAP_FAILED ? -1 : 0;
}

uint64_t wf_os_cache_bytes(void)
{
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    long most = l3 > l2 ? l3 : l2;
    return most > 0 ? (uint64_t)most : UINT64_C(32) << 20;
}

void wf_os_want_huge(void *p, size_t bytes)
{
    madvise(p, bytes, MADV_HUGEPAGE); // a wish
}

void wf_os_release(void *p, size_t bytes)
{
    if (p)
        munmap(p, bytes);
}

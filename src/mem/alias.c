// SPDX-License-Identifier: Apache-2.0
// Memory of the program itself made reachable for kernels: its pages are exchanged for pages of the
// host zone's shared object, so that host and engine see the same bytes from then on. Contents move
// through the object's file calls, made directly: an unreadable page is then an error and no fault,
// and whole pages around the program's object may be copied without a sanitizer's objection.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mremap
#endif
#include "mem/space.h"

#include <errno.h>       // errno
#include <pthread.h>     // pthread_mutex_t
#include <stdlib.h>      // free
#include <string.h>      // strerror
#include <sys/mman.h>    // mmap
#include <sys/syscall.h> // SYS_pwrite64
#include <unistd.h>      // syscall

#include "base/arena.h" // wf_xcalloc
#include "mem/pages.h"  // wf__pages_shared_fd

// Ranges that are exchanged now. Few: a list will do.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct alias {
    uint64_t host, addr, bytes;
    struct alias *next;
} * aliases;

static void remember(uint64_t host, uint64_t addr, uint64_t bytes)
{
    struct alias *a = wf_xcalloc(1, sizeof *a);
    pthread_mutex_lock(&lock);
    *a = (struct alias){host, addr, bytes, aliases};
    aliases = a;
    pthread_mutex_unlock(&lock);
}

static void forget(uint64_t host)
{
    pthread_mutex_lock(&lock);
    for (struct alias **p = &aliases; *p; p = &(*p)->next)
        if ((*p)->host == host) {
            struct alias *a = *p;
            *p = a->next;
            free(a);
            break;
        }
    pthread_mutex_unlock(&lock);
}

bool wf_heap_alias_find(uint64_t host, uint64_t *addr)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct alias *a = aliases; a && !found; a = a->next)
        if (host - a->host < a->bytes) {
            *addr = a->addr + (host - a->host);
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

uint64_t wf_heap_alias_pages(uint64_t addr, uint64_t bytes, uint64_t *host, uint64_t *at)
{
    uint64_t found = 0;
    pthread_mutex_lock(&lock);
    for (const struct alias *a = aliases; a; a = a->next) {
        uint64_t lo = a->addr + 4096, hi = a->addr + a->bytes - 4096;
        lo = lo > addr ? lo : addr;
        hi = hi < addr + bytes ? hi : addr + bytes;
        if (a->bytes <= 8192 || lo >= hi || (found && lo >= *at))
            continue;
        *at = lo;
        *host = a->host + (lo - a->addr);
        found = hi - lo;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

#define STEP (UINT64_C(1) << 30) // what one call moves at most

static bool move(long call, int fd, void *memory, uint64_t bytes, uint64_t offset)
{
    for (uint64_t at = 0; at < bytes;) {
        uint64_t n = bytes - at < STEP ? bytes - at : STEP;
        long got = syscall(call, fd, (char *)memory + at, n, offset + at);
        if (got <= 0)
            return false;
        at += (uint64_t)got;
    }
    return true;
}

enum wf_status wf_heap_alias(uint64_t addr, void *host, uint64_t bytes, struct wf_err *err)
{
    const struct wf_space *s = wf_space_get(err);
    if (!s)
        return WF_E_NOMEM;
    uint64_t offset;
    int fd = wf__pages_shared_fd(s, addr, &offset);
    if (fd < 0)
        return wf_err_set(err, WF_E_NOMEM, "no shared memory object: %s", strerror(errno));
    if (!move(SYS_pwrite64, fd, host, bytes, offset))
        return wf_err_set(err, WF_E_USAGE, "no readable memory at %p: %s", host, strerror(errno));
    if (mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd,
             (off_t)offset) == MAP_FAILED)
        return wf_err_set(err, WF_E_NOMEM, "cannot map %p: %s", host, strerror(errno));
    remember((uint64_t)(uintptr_t)host, addr, bytes);
    return WF_OK;
}

enum wf_status wf_heap_unalias(uint64_t addr, void *host, uint64_t bytes, struct wf_err *err)
{
    const struct wf_space *s = wf_space_get(err);
    uint64_t offset;
    int fd = s ? wf__pages_shared_fd(s, addr, &offset) : -1;
    void *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fd < 0 || own == MAP_FAILED)
        return wf_err_set(err, WF_E_NOMEM, "cannot map %p: %s", host, strerror(errno));
    if (!move(SYS_pread64, fd, own, bytes, offset) ||
        mremap(own, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, host) == MAP_FAILED) {
        munmap(own, bytes);
        return wf_err_set(err, WF_E_NOMEM, "cannot map %p: %s", host, strerror(errno));
    }
    forget((uint64_t)(uintptr_t)host);
    return WF_OK;
}

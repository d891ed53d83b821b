// SPDX-License-Identifier: Apache-2.0
// Memory of the program itself made reachable for kernels: its pages are exchanged for pages of the host
// zone's shared object, so that host and engine see the same bytes from then on.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mremap
#endif
#include "mem/space.h"

#include <errno.h>    // errno
#include <string.h>   // memcpy
#include <sys/mman.h> // mmap

#include "mem/pages.h" // wf__pages_shared_fd

enum wf_status wf_heap_alias(uint64_t addr, void *host, uint64_t bytes, struct wf_err *err)
{
    const struct wf_space *s = wf_space_get(err);
    if (!s)
        return WF_E_NOMEM;
    unsigned char seen[256];
    for (uint64_t at = 0, n; at < bytes; at += n) { // a hole is an error, not a fault
        n = bytes - at < sizeof seen * 4096 ? bytes - at : sizeof seen * 4096;
        if (mincore((char *)host + at, n, seen) != 0)
            return wf_err_set(err, WF_E_USAGE, "no memory at %p", (void *)((char *)host + at));
    }
    uint64_t offset;
    int fd = wf__pages_shared_fd(s, addr, &offset);
    if (fd < 0)
        return wf_err_set(err, WF_E_NOMEM, "no shared memory object: %s", strerror(errno));
    memcpy(wf_space_host(s, addr), host, bytes);
    if (mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd,
             (off_t)offset) == MAP_FAILED)
        return wf_err_set(err, WF_E_NOMEM, "cannot map %p: %s", host, strerror(errno));
    return WF_OK;
}

enum wf_status wf_heap_unalias(void *host, uint64_t bytes, struct wf_err *err)
{
    void *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return wf_err_set(err, WF_E_NOMEM, "cannot map %p: %s", host, strerror(errno));
    memcpy(own, host, bytes);
    if (mremap(own, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, host) == MAP_FAILED)
        return wf_err_set(err, WF_E_NOMEM, "cannot map %p: %s", host, strerror(errno));
    return WF_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Files laid behind device memory: physical memory that lives apart from its addresses, and memory
// that is shared with other processes. Engine-side pages are exchanged; what the heap knows of the
// block stays. Whole pages of one live block only, which the caller takes care of.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // MAP_ANONYMOUS
#endif
#include "mem/space.h"

#include <errno.h>    // errno
#include <string.h>   // strerror
#include <sys/mman.h> // mmap

static enum wf_status map(uint64_t addr, uint64_t bytes, int protection, int flags, int fd, uint64_t offset,
                          struct wf_err *err)
{
    const struct wf_space *s = wf_space_get(err);
    if (!s)
        return WF_E_NOMEM;
    if (mmap(wf_space_host(s, addr), bytes, protection, flags | MAP_FIXED | MAP_NORESERVE, fd, (off_t)offset) == MAP_FAILED)
        return wf_err_set(err, WF_E_NOMEM, "cannot map memory of the device: %s", strerror(errno));
    return WF_OK;
}

enum wf_status wf_heap_place(uint64_t addr, uint64_t bytes, int fd, uint64_t offset, struct wf_err *err)
{
    return map(addr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset, err);
}

enum wf_status wf_heap_unplace(uint64_t addr, uint64_t bytes, bool is_usable, struct wf_err *err)
{
    return map(addr, bytes, is_usable ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, err);
}

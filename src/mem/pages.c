// SPDX-License-Identifier: Apache-2.0
// Memory behind the heap's chunks: private pages for the device zone, one memfd for the host zone.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memfd_create, fallocate
#endif
#include "mem/pages.h"

#include <errno.h>    // errno
#include <fcntl.h>    // FALLOC_FL_PUNCH_HOLE
#include <string.h>   // memset, strerror
#include <sys/mman.h> // mmap
#include <unistd.h>   // ftruncate

#include "base/arena.h" // wf_xcalloc
#include "base/bits.h"  // wf_align_up
#include "mem/space.h"  // struct wf_space

#define CHUNK_SHIFT 16
#define CHUNK_BYTES (UINT64_C(1) << CHUNK_SHIFT)

static uint64_t *chunk_map[WF__ZONES]; // a bit a chunk: has memory
static int shared_fd = -1;

// The device zone takes two thirds: 160 of 240 GiB hold what an H200 has.
static uint64_t zone_border(const struct wf_space *s)
{
    uint64_t heap = s->bytes - WF_HEAP_OFFSET;
    return s->base + WF_HEAP_OFFSET + (heap / 3 * 2 & ~((UINT64_C(1) << 30) - 1));
}

uint64_t wf__zone_lo(const struct wf_space *s, enum wf__zone z)
{
    return z == WF__ZONE_DEVICE ? s->base + WF_HEAP_OFFSET : zone_border(s);
}

uint64_t wf__zone_hi(const struct wf_space *s, enum wf__zone z)
{
    return z == WF__ZONE_DEVICE ? zone_border(s) : s->base + s->bytes;
}

static bool has_chunk(enum wf__zone z, uint64_t i)
{
    return chunk_map[z][i / 64] >> (i % 64) & 1;
}

static void set_chunks(enum wf__zone z, uint64_t from, uint64_t to, bool on)
{
    for (uint64_t i = from; i < to; i++) {
        if (on)
            chunk_map[z][i / 64] |= UINT64_C(1) << (i % 64);
        else
            chunk_map[z][i / 64] &= ~(UINT64_C(1) << (i % 64));
    }
}

int wf__pages_shared_fd(const struct wf_space *s, uint64_t addr, uint64_t *offset)
{
    uint64_t lo = wf__zone_lo(s, WF__ZONE_HOST);
    if (shared_fd < 0) {
        int fd = memfd_create("warpfence-host-visible", MFD_CLOEXEC);
        if (fd < 0)
            return -1;
        if (ftruncate(fd, (off_t)(wf__zone_hi(s, WF__ZONE_HOST) - lo)) != 0) {
            close(fd);
            return -1;
        }
        shared_fd = fd;
    }
    *offset = addr - lo;
    return shared_fd;
}

static int map_shared(const struct wf_space *s, uint64_t addr, uint64_t bytes)
{
    uint64_t offset;
    int fd = wf__pages_shared_fd(s, addr, &offset);
    if (fd < 0)
        return -1;
    void *side[2] = {(void *)(uintptr_t)addr, wf_space_host(s, addr)};
    for (int i = 0; i < 2; i++)
        if (mmap(side[i], bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd,
                 (off_t)offset) == MAP_FAILED)
            return -1;
    return 0;
}

static int commit_run(const struct wf_space *s, enum wf__zone z, uint64_t addr, uint64_t bytes)
{
    if (z == WF__ZONE_HOST)
        return map_shared(s, addr, bytes);
    return mprotect(wf_space_host(s, addr), bytes, PROT_READ | PROT_WRITE);
}

// Clears what lies in chunks [from, to) of [addr, addr + bytes).
static void clear_old(const struct wf_space *s, uint64_t lo, uint64_t from, uint64_t to,
                      uint64_t addr, uint64_t bytes)
{
    uint64_t a = lo + (from << CHUNK_SHIFT), b = lo + (to << CHUNK_SHIFT);
    a = a < addr ? addr : a;
    b = b > addr + bytes ? addr + bytes : b;
    memset(wf_space_host(s, a), 0, b - a);
}

enum wf_status wf__pages_commit(const struct wf_space *s, enum wf__zone z, uint64_t addr,
                                uint64_t bytes, bool is_zeroed, struct wf_err *err)
{
    uint64_t lo = wf__zone_lo(s, z), hi = wf__zone_hi(s, z);
    if (!chunk_map[z])
        chunk_map[z] = wf_xcalloc((hi - lo) / CHUNK_BYTES / 64 + 1, sizeof(uint64_t));
    uint64_t from = (addr - lo) >> CHUNK_SHIFT;
    uint64_t to = (addr + bytes - lo + CHUNK_BYTES - 1) >> CHUNK_SHIFT;
    for (uint64_t i = from, j; i < to; i = j) {
        bool old = has_chunk(z, i);
        for (j = i + 1; j < to && has_chunk(z, j) == old;)
            j++;
        if (old) {
            if (is_zeroed)
                clear_old(s, lo, i, j, addr, bytes);
            continue;
        }
        if (commit_run(s, z, lo + (i << CHUNK_SHIFT), (j - i) << CHUNK_SHIFT) != 0)
            return wf_err_set(err, WF_E_NOMEM, "cannot get %llu bytes of memory for the device: %s",
                              (unsigned long long)bytes, strerror(errno));
        set_chunks(z, i, j, true);
    }
    return WF_OK;
}

void wf__pages_decommit(const struct wf_space *s, enum wf__zone z, uint64_t addr, uint64_t bytes)
{
    uint64_t lo = wf__zone_lo(s, z);
    uint64_t from = (addr - lo + CHUNK_BYTES - 1) >> CHUNK_SHIFT;
    uint64_t to = (addr + bytes - lo) >> CHUNK_SHIFT;
    if (from >= to)
        return;
    uint64_t a = lo + (from << CHUNK_SHIFT), n = (to - from) << CHUNK_SHIFT;
    if (z == WF__ZONE_DEVICE) {
        void *p = wf_space_host(s, a);
        if (mprotect(p, n, PROT_NONE) != 0 || madvise(p, n, MADV_DONTNEED) != 0)
            return; // stays committed: only memory is lost
    } else {
        void *side[2] = {(void *)(uintptr_t)a, wf_space_host(s, a)};
        for (int i = 0; i < 2; i++)
            if (mmap(side[i], n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
                     -1, 0) == MAP_FAILED)
                return;
        uint64_t offset;
        int fd = wf__pages_shared_fd(s, a, &offset);
        if (fd >= 0)
            fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)n);
    }
    set_chunks(z, from, to, false);
}

bool wf__pages_has(const struct wf_space *s, enum wf__zone z, uint64_t addr)
{
    return chunk_map[z] && has_chunk(z, (addr - wf__zone_lo(s, z)) >> CHUNK_SHIFT);
}

void wf__pages_hide(const struct wf_space *s, uint64_t addr, uint64_t bytes)
{
    void *p = wf_space_host(s, addr);
    if (mprotect(p, bytes, PROT_NONE) == 0)
        madvise(p, bytes, MADV_DONTNEED);
}

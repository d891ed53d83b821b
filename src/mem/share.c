// SPDX-License-Identifier: Apache-2.0
// Device memory that other processes may map: the pages of a block become pages of one file, which others open by its
// number in this process. A byte lies in the file where it lies in the device zone, so pages that two blocks
// have in common need no care when the second one is shared too. When a block goes its pages are private again.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memfd_create
#endif
#include "mem/share.h"

#include <errno.h>     // errno
#include <fcntl.h>     // fallocate
#include <pthread.h>   // pthread_mutex_t
#include <stdatomic.h> // atomic_uint
#include <stdlib.h>    // free
#include <string.h>    // memcpy
#include <sys/mman.h>  // memfd_create
#include <unistd.h>    // pwrite

#include "base/arena.h" // wf_xcalloc
#include "base/bits.h"  // wf_align_up
#include "mem/pages.h"  // wf__zone_lo
#include "mem/space.h"  // wf_heap_place

#define PAGE UINT64_C(4096)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static atomic_uint n_shares; // so that a program without any pays nothing when it frees
static struct share {
    uint64_t addr, bytes;
    struct share *next;
} * shares;

static uint64_t low_page(const struct share *h)
{
    return h->addr & ~(PAGE - 1);
}

static uint64_t high_page(const struct share *h)
{
    return wf_align_up(h->addr + h->bytes, PAGE);
}

static bool is_shared(uint64_t page)
{
    for (const struct share *h = shares; h; h = h->next)
        if (low_page(h) <= page && page < high_page(h))
            return true;
    return false;
}

static bool make_file(const struct wf_space *s)
{
    if (file >= 0)
        return true;
    int fd = memfd_create("warpfence-shared-memory", MFD_CLOEXEC);
    if (fd < 0)
        return false;
    if (ftruncate(fd, (off_t)(wf__zone_hi(s, WF__ZONE_DEVICE) - wf__zone_lo(s, WF__ZONE_DEVICE))) != 0) {
        close(fd);
        return false;
    }
    file = fd;
    return true;
}

static bool put_in_file(const struct wf_space *s, uint64_t from, uint64_t to, uint64_t offset)
{
    for (uint64_t at = from; at < to;) {
        ssize_t n = pwrite(file, wf_space_host(s, at), to - at, (off_t)(offset + at - from));
        if (n <= 0)
            return false;
        at += (uint64_t)n;
    }
    return wf_heap_place(from, to - from, file, offset, NULL) == WF_OK;
}

enum wf_status wf_heap_share(uint64_t addr, struct wf_mem_share *out, struct wf_err *err)
{
    const struct wf_space *s = wf_space_get(err);
    struct wf_mem_block b;
    if (!s || !wf_heap_find(addr, &b) || b.addr != addr || b.state != WF_MEM_LIVE || b.kind != WF_MEM_DEVICE)
        return wf_err_set(err, WF_E_USAGE, "no device memory starts at 0x%llx", (unsigned long long)addr);
    struct share h = {.addr = addr, .bytes = b.bytes ? b.bytes : 1};
    uint64_t lo = low_page(&h), hi = high_page(&h), zone = wf__zone_lo(s, WF__ZONE_DEVICE);
    enum wf_status st = WF_OK;
    pthread_mutex_lock(&lock);
    bool is_old = false;
    for (const struct share *o = shares; o; o = o->next)
        is_old |= o->addr == addr;
    uint64_t from = lo + (is_shared(lo) ? PAGE : 0), to = hi;
    if (to > from && is_shared(hi - PAGE)) // only the outermost pages hold anything of other blocks
        to -= PAGE;
    if (!make_file(s) || (!is_old && from < to && !put_in_file(s, from, to, from - zone))) {
        st = wf_err_set(err, WF_E_NOMEM, "cannot share memory of the device: %s", strerror(errno));
    } else if (!is_old) {
        struct share *n = wf_xcalloc(1, sizeof *n);
        *n = (struct share){addr, h.bytes, shares};
        shares = n;
        atomic_fetch_add(&n_shares, 1);
    }
    *out = (struct wf_mem_share){.fd = file, .offset = lo - zone, .bytes = hi - lo, .skew = addr - lo};
    pthread_mutex_unlock(&lock);
    return st;
}

// A page that holds something of other blocks: private again, with what is in it.
static void keep_page(const struct wf_space *s, uint64_t page)
{
    uint8_t old[PAGE];
    if (is_shared(page))
        return;
    memcpy(old, wf_space_host(s, page), PAGE);
    if (wf_heap_unplace(page, PAGE, true, NULL) == WF_OK)
        memcpy(wf_space_host(s, page), old, PAGE);
}

void wf__share_end(uint64_t addr)
{
    const struct wf_space *s;
    if (!atomic_load_explicit(&n_shares, memory_order_relaxed) || !(s = wf_space_get(NULL)))
        return;
    pthread_mutex_lock(&lock);
    struct share **p = &shares;
    while (*p && (*p)->addr != addr)
        p = &(*p)->next;
    struct share *h = *p;
    if (h) {
        *p = h->next;
        atomic_fetch_sub(&n_shares, 1);
        uint64_t lo = low_page(h), hi = high_page(h), from = wf_align_up(h->addr, PAGE), to = (h->addr + h->bytes) & ~(PAGE - 1);
        if (from < to && wf_heap_unplace(from, to - from, true, NULL) == WF_OK)
            fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      (off_t)(from - wf__zone_lo(s, WF__ZONE_DEVICE)), (off_t)(to - from));
        if (lo < from)
            keep_page(s, lo);
        if (to < hi && (to != lo || lo == from))
            keep_page(s, to);
        free(h);
    }
    pthread_mutex_unlock(&lock);
}

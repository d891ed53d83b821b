// SPDX-License-Identifier: Apache-2.0
// Handles and memory. A descriptor of another process is opened through /proc, which the system allows between
// processes of one user. Memory that is opened is a block of the heap with the other's pages behind it.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // O_CLOEXEC
#endif
#include "rt/ipc.h"

#include <fcntl.h>    // open
#include <pthread.h>  // pthread_mutex_t
#include <stdio.h>    // snprintf
#include <stdlib.h>   // free
#include <string.h>   // memcpy
#include <sys/stat.h> // fstat
#include <unistd.h>   // getpid

#include "base/arena.h" // wf_xcalloc
#include "mem/fault.h"  // wf_mem_fault_install
#include "mem/share.h"  // wf_heap_share
#include "mem/space.h"  // wf_heap_alloc
#include "rt/ctx.h"     // wf_rt_enter
#include "rt/order.h"   // wf__order_events
#include "rt/queue.h"   // wf__queue_drain

#define MARK "wf-ipc"

_Static_assert(sizeof(struct wf__ipc) <= sizeof(struct wf_rt_ipc), "fits the APIs' handles");

uint64_t wf__ipc_inode(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

enum wf_cu wf__ipc_give(struct wf_rt_ipc *out, struct wf__ipc h)
{
    memcpy(h.mark, MARK, sizeof h.mark);
    h.process = (int32_t)getpid();
    h.inode = wf__ipc_inode(h.fd);
    memset(out, 0, sizeof *out);
    memcpy(out, &h, sizeof h);
    return WF_CU_SUCCESS;
}

enum wf_cu wf__ipc_take(const struct wf_rt_ipc *from, char kind, struct wf__ipc *h, int *fd)
{
    char path[64];
    memcpy(h, from, sizeof *h);
    if (memcmp(h->mark, MARK, sizeof h->mark) != 0 || h->kind != kind)
        return WF_CU_INVALID_RESOURCE_HANDLE;
    if (h->process == (int32_t)getpid()) // handles are for others
        return WF_CU_DEVICE_UNINITIALIZED;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)h->process, (int)h->fd);
    *fd = open(path, O_RDWR | O_CLOEXEC);
    if (*fd >= 0 && wf__ipc_inode(*fd) == h->inode)
        return WF_CU_SUCCESS;
    if (*fd >= 0)
        close(*fd);
    return WF_CU_INVALID_RESOURCE_HANDLE; // its process is gone
}

// ---- memory

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened {
    uint64_t inode, offset, skew;
    uint64_t addr, bytes; // of whole pages
    uint64_t pool;        // its file, 0: none
    uint32_t times;
    struct opened *next;
} * opened;

enum wf_cu wf__ipc_give_memory(struct wf_rt_ipc *out, uint64_t addr, struct wf__ipc h)
{
    struct wf_mem_share s;
    struct wf_err err;
    if (!out)
        return WF_CU_INVALID_VALUE;
    if (!wf__order_events()) // under `check` what was put is done
        wf__queue_drain();
    if (wf_heap_share(addr, &s, &err) != WF_OK)
        return WF_CU_INVALID_VALUE;
    struct wf_mem_block b;
    if (wf_heap_find(addr, &b)) // others may fill it
        wf_heap_note_write(addr, b.bytes);
    h.fd = s.fd;
    h.offset = s.offset;
    h.bytes = s.bytes;
    h.skew = s.skew;
    return wf__ipc_give(out, h);
}

enum wf_cu wf_rt_ipc_memory(struct wf_rt_ipc *out, uint64_t addr)
{
    enum wf_cu e = wf_rt_enter();
    return e != WF_CU_SUCCESS ? e : wf__ipc_give_memory(out, addr, (struct wf__ipc){.kind = 'm'});
}

static enum wf_cu map_locked(const struct wf__ipc *h, int fd, struct opened **out)
{
    struct wf_err err;
    uint64_t addr;
    wf_mem_fault_install();
    if (wf_heap_alloc(WF_MEM_DEVICE, h->bytes, 4096, NULL, &addr, &err) != WF_OK)
        return WF_CU_MEMORY_ALLOCATION;
    if (wf_heap_place(addr, h->bytes, fd, h->offset, &err) != WF_OK) {
        wf_heap_free(addr, NULL, NULL);
        return WF_CU_MEMORY_ALLOCATION;
    }
    wf_heap_describe(addr, "cudaIpcOpenMemHandle", false, true);
    wf_heap_note_write(addr, h->bytes);
    struct opened *o = wf_xcalloc(1, sizeof *o);
    *o = (struct opened){.inode = h->inode, .offset = h->offset, .skew = h->skew, .addr = addr, .bytes = h->bytes,
                          .pool = h->pool, .next = opened};
    opened = *out = o;
    return WF_CU_SUCCESS;
}

enum wf_cu wf__ipc_open(uint64_t *addr, const struct wf_rt_ipc *from, char kind, uint64_t pool)
{
    struct wf__ipc h;
    int fd;
    enum wf_cu e = wf__ipc_take(from, kind, &h, &fd);
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    struct opened *o = opened;
    while (o && (o->inode != h.inode || o->offset != h.offset || o->skew != h.skew))
        o = o->next;
    if (h.pool != pool)
        e = WF_CU_INVALID_VALUE;
    else if (!o)
        e = map_locked(&h, fd, &o);
    if (e == WF_CU_SUCCESS) {
        o->times++;
        *addr = o->addr + o->skew;
    }
    pthread_mutex_unlock(&lock);
    close(fd);
    return e;
}

enum wf_cu wf_rt_ipc_open_memory(uint64_t *addr, const struct wf_rt_ipc *from, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    return !addr || flags > 1 ? WF_CU_INVALID_VALUE : wf__ipc_open(addr, from, 'm', 0);
}

static struct opened **find_locked(uint64_t addr)
{
    struct opened **p = &opened;
    while (*p && (*p)->addr + (*p)->skew != addr)
        p = &(*p)->next;
    return p;
}

bool wf__ipc_pool_bytes(uint64_t addr, uint64_t *bytes)
{
    pthread_mutex_lock(&lock);
    const struct opened *o = *find_locked(addr);
    if (o)
        *bytes = o->bytes - o->skew;
    pthread_mutex_unlock(&lock);
    return o && o->pool;
}

bool wf__ipc_drop(uint64_t addr)
{
    pthread_mutex_lock(&lock);
    struct opened **p = find_locked(addr), *o = *p;
    if (o && --o->times == 0) {
        *p = o->next;
        wf_heap_unplace(o->addr, o->bytes, true, NULL);
        wf_heap_free(o->addr, o->pool ? "cudaFreeAsync" : "cudaIpcCloseMemHandle", NULL);
        free(o);
    }
    pthread_mutex_unlock(&lock);
    return o != NULL;
}

void wf__ipc_reset(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        uint64_t addr = opened ? opened->addr + opened->skew : 0;
        if (opened)
            opened->times = 1;
        pthread_mutex_unlock(&lock);
        if (!addr || !wf__ipc_drop(addr))
            return;
    }
}

enum wf_cu wf_rt_ipc_close_memory(uint64_t addr)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__queue_drain(); // as cudaFree
    return wf__ipc_drop(addr) ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

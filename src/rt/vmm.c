// SPDX-License-Identifier: Apache-2.0
// Reservations are blocks of the heap without memory; mappings lay a physical memory's file behind a
// part of one. Everything under a lock of its own.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memfd_create
#endif
#include "rt/vmm.h"

#include <fcntl.h>    // fcntl
#include <pthread.h>  // pthread_mutex_t
#include <stdlib.h>   // free
#include <sys/mman.h> // memfd_create
#include <sys/stat.h> // fstat
#include <unistd.h>   // close

#include "base/arena.h" // wf_xcalloc
#include "mem/fault.h"  // wf_mem_fault_install
#include "mem/space.h"  // wf_heap_alloc
#include "rt/ctx.h"     // wf_rt_enter
#include "rt/queue.h"   // wf__queue_drain
#include "rt/table.h"   // struct wf__table

struct physical {
    struct wf_rt_physical p;
    int fd;
    bool is_foreign; // of another process: what it holds is known there
    uint32_t handles, mappings;
};

struct mapping {
    uint64_t addr, bytes;
    struct physical *m;
    struct mapping *next;
};

struct reservation {
    uint64_t addr, bytes;
    struct mapping *maps;
    struct reservation *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf__table table = {.tag = WF__TAG_PHYSICAL};
static struct reservation *reservations;

static bool is_grain(uint64_t v)
{
    return v % WF_RT_VMM_GRAIN == 0;
}

static void let_go(struct physical *m)
{
    if (m->handles || m->mappings)
        return;
    close(m->fd);
    free(m);
}

static uint64_t handle_of(struct physical *m)
{
    m->handles++;
    return wf__table_put(&table, m);
}

static enum wf_cu physical_new(uint64_t *out, int fd, const struct wf_rt_physical *p, bool is_foreign)
{
    struct physical *m = wf_xcalloc(1, sizeof *m);
    *m = (struct physical){.p = *p, .fd = fd, .is_foreign = is_foreign};
    pthread_mutex_lock(&lock);
    *out = handle_of(m);
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_vmm_create(uint64_t *out, const struct wf_rt_physical *p)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || !p->bytes || !is_grain(p->bytes))
        return WF_CU_INVALID_VALUE;
    int fd = memfd_create("warpfence-device-memory", MFD_CLOEXEC);
    if (fd < 0)
        return WF_CU_MEMORY_ALLOCATION;
    if (ftruncate(fd, (off_t)p->bytes) != 0) {
        close(fd);
        return WF_CU_MEMORY_ALLOCATION;
    }
    return physical_new(out, fd, p, false);
}

enum wf_cu wf_rt_vmm_import(uint64_t *out, int fd)
{
    struct stat st;
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || fstat(fd, &st) != 0 || st.st_size <= 0 || !is_grain((uint64_t)st.st_size))
        return WF_CU_INVALID_VALUE;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return WF_CU_OPERATING_SYSTEM;
    struct wf_rt_physical p = {.bytes = (uint64_t)st.st_size, .handle_types = 1};
    return physical_new(out, own, &p, true);
}

enum wf_cu wf_rt_vmm_export(int *fd, uint64_t handle)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    const struct physical *m = wf__table_get(&table, handle);
    bool may = m && fd && m->p.handle_types & 1;
    if (may)
        *fd = fcntl(m->fd, F_DUPFD_CLOEXEC, 3);
    pthread_mutex_unlock(&lock);
    return !may ? WF_CU_INVALID_VALUE : *fd < 0 ? WF_CU_OPERATING_SYSTEM : WF_CU_SUCCESS;
}

enum wf_cu wf_rt_vmm_release(uint64_t handle)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    struct physical *m = wf__table_get(&table, handle);
    if (m) {
        wf__table_drop(&table, handle);
        m->handles--;
        let_go(m);
    }
    pthread_mutex_unlock(&lock);
    return m ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_vmm_info(uint64_t handle, struct wf_rt_physical *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    const struct physical *m = wf__table_get(&table, handle);
    if (m && out)
        *out = m->p;
    pthread_mutex_unlock(&lock);
    return m && out ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

// ---- addresses ----

static struct reservation *reservation_of(uint64_t addr, uint64_t bytes)
{
    for (struct reservation *r = reservations; r; r = r->next)
        if (addr - r->addr < r->bytes && bytes <= r->bytes - (addr - r->addr))
            return r;
    return NULL;
}

static struct mapping *mapping_at(const struct reservation *r, uint64_t addr)
{
    for (struct mapping *m = r ? r->maps : NULL; m; m = m->next)
        if (addr - m->addr < m->bytes)
            return m;
    return NULL;
}

enum wf_cu wf_rt_vmm_reserve(uint64_t *addr, uint64_t bytes, uint64_t align)
{
    struct wf_err err;
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!addr || !bytes || !is_grain(bytes) || align & (align - 1))
        return WF_CU_INVALID_VALUE;
    wf_mem_fault_install();
    align = align < WF_RT_VMM_GRAIN ? WF_RT_VMM_GRAIN : align;
    if (wf_heap_alloc(WF_MEM_DEVICE, bytes, align, NULL, addr, &err) != WF_OK)
        return WF_CU_MEMORY_ALLOCATION;
    wf_heap_describe(*addr, "cuMemAddressReserve", false, false);
    wf_heap_unplace(*addr, bytes, false, NULL); // whoever goes there before it is mapped shall fault
    struct reservation *r = wf_xcalloc(1, sizeof *r);
    pthread_mutex_lock(&lock);
    *r = (struct reservation){*addr, bytes, NULL, reservations};
    reservations = r;
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_vmm_free(uint64_t addr, uint64_t bytes)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    struct reservation **p = &reservations, *r;
    while (*p && (*p)->addr != addr)
        p = &(*p)->next;
    r = *p;
    bool may = r && r->bytes == bytes && !r->maps;
    if (may)
        *p = r->next;
    pthread_mutex_unlock(&lock);
    if (!may)
        return WF_CU_INVALID_VALUE;
    wf_heap_unplace(addr, bytes, true, NULL); // as the heap expects its pages
    wf_heap_free(addr, "cuMemAddressFree", NULL);
    free(r);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_vmm_map(uint64_t addr, uint64_t bytes, uint64_t offset, uint64_t handle)
{
    struct wf_err err;
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    struct physical *m = wf__table_get(&table, handle);
    struct reservation *r = reservation_of(addr, bytes);
    bool may = m && r && bytes && is_grain(addr) && is_grain(bytes) && offset == 0 && bytes <= m->p.bytes;
    for (const struct mapping *o = may ? r->maps : NULL; o; o = o->next)
        may &= addr + bytes <= o->addr || o->addr + o->bytes <= addr;
    if (!may) {
        e = WF_CU_INVALID_VALUE;
    } else if (wf_heap_place(addr, bytes, m->fd, 0, &err) != WF_OK) {
        e = WF_CU_MEMORY_ALLOCATION;
    } else {
        struct mapping *n = wf_xcalloc(1, sizeof *n);
        *n = (struct mapping){addr, bytes, m, r->maps};
        r->maps = n;
        m->mappings++;
        if (m->is_foreign)
            wf_heap_note_write(addr, bytes);
    }
    pthread_mutex_unlock(&lock);
    return e;
}

enum wf_cu wf_rt_vmm_unmap(uint64_t addr, uint64_t bytes)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__queue_drain();
    pthread_mutex_lock(&lock);
    struct reservation *r = reservation_of(addr, bytes);
    uint64_t whole = 0; // only whole mappings go
    for (const struct mapping *m = r ? r->maps : NULL; m; m = m->next)
        if (m->addr >= addr && m->addr + m->bytes <= addr + bytes)
            whole += m->bytes;
    if (!whole || whole != bytes)
        e = WF_CU_INVALID_VALUE;
    for (struct mapping **p = e == WF_CU_SUCCESS ? &r->maps : NULL; p && *p;) {
        struct mapping *m = *p;
        if (m->addr < addr || m->addr >= addr + bytes) {
            p = &m->next;
            continue;
        }
        *p = m->next;
        wf_heap_unplace(m->addr, m->bytes, false, NULL);
        m->m->mappings--;
        let_go(m->m);
        free(m);
    }
    pthread_mutex_unlock(&lock);
    return e;
}

enum wf_cu wf_rt_vmm_range(uint64_t addr, uint64_t bytes)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    const struct reservation *r = bytes ? reservation_of(addr, bytes) : NULL;
    uint64_t at = addr;
    for (const struct mapping *m; r && at < addr + bytes && (m = mapping_at(r, at)) != NULL;)
        at = m->addr + m->bytes;
    bool is_all = r && at >= addr + bytes;
    pthread_mutex_unlock(&lock);
    return is_all ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_vmm_retain(uint64_t *out, uint64_t addr)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    struct mapping *m = mapping_at(reservation_of(addr, 1), addr);
    if (m && out)
        *out = handle_of(m->m);
    pthread_mutex_unlock(&lock);
    return m && out ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

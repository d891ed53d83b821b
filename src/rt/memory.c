// SPDX-License-Identifier: Apache-2.0
// Allocations made through the API, in a map by start address under a lock of its own. What lies
// around an address is asked of the heap.
#include "rt/memory.h"

#include <pthread.h> // pthread_mutex_t
#include <stdio.h>   // fopen
#include <stdlib.h>  // free

#include "base/arena.h"  // wf_xcalloc
#include "base/bits.h"   // wf_align_up
#include "base/map.h"    // struct wf_map
#include "core/launch.h" // struct wf_gpu
#include "mem/fault.h"   // wf_mem_fault_install
#include "mem/space.h"   // wf_heap_alloc
#include "core/event.h"  // struct wf_events
#include "rt/agent.h"    // wf__agents_are_many
#include "rt/ctx.h"      // wf_rt_enter
#include "rt/graph.h"    // wf__graph_pool
#include "rt/ipc.h"   // wf__ipc_pool_bytes
#include "rt/order.h"    // wf__order_fence
#include "rt/pool.h"     // wf__pool_freed
#include "rt/queue.h"    // wf__queue_drain

#define HOST_FLAGS 7u // portable, mapped, write-combined
#define REGISTER_FLAGS 15u
#define PAGE UINT64_C(4096)
#define TEXTURE_ALIGN 512u

struct allocation {
    uint64_t addr, bytes;
    enum wf_mem_kind kind;
    unsigned flags;
    void *pool;
};

struct registration {
    uint64_t host, bytes;      // as the program gave them
    uint64_t page, page_bytes; // whole pages around
    uint64_t addr;             // of the block that shows them
    unsigned flags;
    struct registration *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_map live; // start address -> struct allocation
static struct registration *registered;
static uint64_t device_bytes;

static enum wf_cu allocate(enum wf_mem_kind kind, uint64_t bytes, unsigned flags, void *pool,
                           const char *where, uint64_t *out)
{
    struct wf_err err;
    uint64_t addr = 0, limit = wf_gpu_default()->global_bytes;
    bool is_device = kind == WF_MEM_DEVICE;
    pthread_mutex_lock(&lock);
    bool fits = !is_device || (bytes <= limit && device_bytes <= limit - bytes);
    if (fits && is_device)
        device_bytes += bytes;
    pthread_mutex_unlock(&lock);
    if (!fits)
        return WF_CU_MEMORY_ALLOCATION;
    wf_mem_fault_install(); // from now on there are addresses that host code must not follow
    // Device memory starts where a texture may: programs rely on cudaMalloc for that.
    uint64_t align = is_device ? TEXTURE_ALIGN : 0;
    bool is_there = wf_heap_alloc(kind, bytes, align, NULL, &addr, &err) == WF_OK;
    pthread_mutex_lock(&lock);
    if (is_there) {
        struct allocation *a = wf_xcalloc(1, sizeof *a);
        *a = (struct allocation){addr, bytes, kind, flags, pool};
        wf_map_put(&live, addr, a);
    } else if (is_device) {
        device_bytes -= bytes;
    }
    pthread_mutex_unlock(&lock);
    if (!is_there)
        return WF_CU_MEMORY_ALLOCATION;
    wf_heap_describe(addr, where, false, false);
    if (wf__order_events() && !pool) { // allocation waits for the device's work
        wf__lock();
        wf__order_fence();
        wf__unlock();
    }
    *out = addr;
    return WF_CU_SUCCESS;
}

enum wf_cu wf__memory_device(uint64_t bytes, void *pool, const char *where, uint64_t *out)
{
    return allocate(WF_MEM_DEVICE, bytes, 0, pool, where, out);
}

static enum wf_cu checked(enum wf_mem_kind kind, uint64_t bytes, unsigned flags, const char *where,
                          uint64_t *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = wf__capture_forbids_unsafe();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out)
        return WF_CU_INVALID_VALUE;
    if (bytes == 0) {
        *out = 0;
        return WF_CU_SUCCESS;
    }
    return allocate(kind, bytes, flags, NULL, where, out);
}

enum wf_cu wf_rt_malloc(uint64_t *out, uint64_t bytes)
{
    return checked(WF_MEM_DEVICE, bytes, 0, "cudaMalloc", out);
}

enum wf_cu wf_rt_malloc_pitch(uint64_t *out, uint64_t *pitch, uint64_t width, uint64_t height)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || !pitch)
        return WF_CU_INVALID_VALUE;
    if (width > UINT64_MAX - WF__PITCH_ALIGN)
        return WF_CU_MEMORY_ALLOCATION;
    uint64_t row = wf_align_up(width, WF__PITCH_ALIGN), bytes;
    if (__builtin_mul_overflow(row, height, &bytes))
        return WF_CU_MEMORY_ALLOCATION;
    e = checked(WF_MEM_DEVICE, bytes, 0, "cudaMallocPitch", out);
    if (e == WF_CU_SUCCESS)
        *pitch = row;
    return e;
}

enum wf_cu wf_rt_malloc_host(uint64_t *out, uint64_t bytes, unsigned flags)
{
    if (wf_rt_enter() == WF_CU_SUCCESS && flags & ~HOST_FLAGS)
        return WF_CU_INVALID_VALUE;
    return checked(WF_MEM_PINNED, bytes, flags, "cudaHostAlloc", out);
}

enum wf_cu wf_rt_malloc_managed(uint64_t *out, uint64_t bytes, unsigned flags)
{
    if (wf_rt_enter() == WF_CU_SUCCESS && flags != 1 && flags != 2) // attach global, host
        return WF_CU_INVALID_VALUE;
    return checked(WF_MEM_MANAGED, bytes, flags, "cudaMallocManaged", out);
}

bool wf__memory_pool_of(uint64_t addr, void **pool, uint64_t *bytes)
{
    pthread_mutex_lock(&lock);
    const struct allocation *a = wf_map_get(&live, addr);
    bool is_device = a && a->kind == WF_MEM_DEVICE;
    if (is_device) {
        *pool = a->pool;
        *bytes = a->bytes;
    }
    pthread_mutex_unlock(&lock);
    return is_device;
}

enum wf_cu wf__memory_drop(uint64_t addr, const char *where)
{
    pthread_mutex_lock(&lock);
    struct allocation *a = wf_map_del(&live, addr);
    if (a && a->kind == WF_MEM_DEVICE)
        device_bytes -= a->bytes;
    pthread_mutex_unlock(&lock);
    if (!a)
        return WF_CU_INVALID_VALUE;
    wf_heap_free(addr, where, NULL);
    if (a->pool && a->pool != &wf__graph_pool)
        wf__pool_freed(a->pool, a->bytes);
    free(a);
    return WF_CU_SUCCESS;
}

// What the calling thread knew when it freed.
static struct wf__order *order_of_call(const char *where)
{
    if (!wf__order_events())
        return NULL;
    wf__lock();
    struct wf__order *o = wf__order_new();
    wf__order_here(o, where);
    wf__unlock();
    return o;
}

// Work that uses the memory is done; whether the thread may know of that is the checkers' question.
static void tell_checker(struct wf__order *o, uint64_t addr, uint64_t bytes)
{
    const struct wf_events *ev = wf__order_events();
    if (!ev || !o)
        return;
    wf__lock();
    struct wf_ev_move e = {.order = wf__order_of(o), .addr = addr, .width = bytes, .rows = 1,
                           .is_write = true, .is_lifetime = true, .ends = true, .is_call = true};
    ev->move(ev->arg, &e);
    wf__order_unref(o);
    wf__unlock();
}

static enum wf_cu free_kind(uint64_t addr, bool is_host, const char *where)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || addr == 0)
        return e;
    if ((e = wf__capture_forbids_unsafe()) != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    const struct allocation *a = wf_map_get(&live, addr);
    bool is_right = a && (a->kind == WF_MEM_PINNED) == is_host;
    bool is_graph = is_right && a->pool == &wf__graph_pool, is_pool = is_right && a->pool && !is_graph;
    uint64_t bytes = is_right ? a->bytes : 0;
    pthread_mutex_unlock(&lock);
    if (!is_right)
        return WF_CU_INVALID_VALUE;
    // A GPU does not wait for the work that uses memory of a pool: here it does, and the checkers hear what was known before.
    struct wf__order *o = is_pool ? order_of_call(where) : NULL;
    if (is_pool)
        wf__queue_finish();
    else
        wf__queue_drain();
    e = wf_rt_broken();
    if (e != WF_CU_SUCCESS || is_graph) {
        wf__order_unref(o);
        if (e == WF_CU_SUCCESS)
            wf__graph_memory_freed(addr);
        return e;
    }
    tell_checker(!o && wf__agents_are_many() ? order_of_call(where) : o, addr, bytes);
    return wf__memory_drop(addr, where);
}

enum wf_cu wf_rt_free(uint64_t addr)
{
    uint64_t bytes;
    if (addr && wf__ipc_pool_bytes(addr, &bytes)) // what another process allocated from its pool is closed here
        return wf_rt_ipc_close_memory(addr);
    return free_kind(addr, false, "cudaFree");
}

enum wf_cu wf_rt_free_host(uint64_t addr)
{
    return free_kind(addr, true, "cudaFreeHost");
}

// What the machine can still give: a program that takes "all free memory" must not be killed for
// it.
static uint64_t machine_available(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    if (!f)
        return UINT64_MAX;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
            break;
    fclose(f);
    return kib ? (uint64_t)kib << 10 : UINT64_MAX;
}

enum wf_cu wf_rt_mem_info(uint64_t *free_bytes, uint64_t *total)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    uint64_t all = wf_gpu_default()->global_bytes, can = machine_available();
    pthread_mutex_lock(&lock);
    uint64_t left = all > device_bytes ? all - device_bytes : 0;
    pthread_mutex_unlock(&lock);
    if (free_bytes)
        *free_bytes = left < can ? left : can;
    if (total)
        *total = all;
    return WF_CU_SUCCESS;
}

static struct registration *find_registration_locked(uint64_t host)
{
    for (struct registration *r = registered; r; r = r->next)
        if (host - r->host < r->bytes)
            return r;
    return NULL;
}

void wf_rt_pointer(uint64_t addr, struct wf_rt_pointer *out)
{
    *out = (struct wf_rt_pointer){.host = addr};
    pthread_mutex_lock(&lock);
    const struct registration *r = find_registration_locked(addr);
    if (r) {
        out->type = WF_RT_MEMORY_HOST;
        out->device = r->addr + (addr - r->page);
        out->base = r->host;
        out->bytes = r->bytes;
    }
    pthread_mutex_unlock(&lock);
    struct wf_mem_block b;
    if (r || !wf_heap_find(addr, &b) || b.state != WF_MEM_LIVE || addr - b.addr >= b.bytes)
        return;
    static const enum wf_rt_memory_type types[] = {
        [WF_MEM_DEVICE] = WF_RT_MEMORY_DEVICE,   [WF_MEM_PINNED] = WF_RT_MEMORY_HOST,
        [WF_MEM_MANAGED] = WF_RT_MEMORY_MANAGED, [WF_MEM_MODULE] = WF_RT_MEMORY_DEVICE,
        [WF_MEM_INTERNAL] = WF_RT_MEMORY_DEVICE,
    };
    out->type = types[b.kind];
    out->device = addr;
    out->host = out->type == WF_RT_MEMORY_DEVICE ? 0 : addr;
    out->base = b.addr;
    out->bytes = b.bytes;
    out->serial = b.serial;
}

enum wf_cu wf_rt_managed_range(uint64_t addr, uint64_t bytes)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf_rt_pointer p;
    wf_rt_pointer(addr, &p);
    bool is_inside =
        p.type == WF_RT_MEMORY_MANAGED && bytes > 0 && bytes <= p.bytes - (addr - p.base);
    return is_inside ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_host_register(uint64_t host, uint64_t bytes, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!host || !bytes || flags & ~REGISTER_FLAGS || bytes > UINT64_MAX - host - PAGE)
        return WF_CU_INVALID_VALUE;
    uint64_t page = host & ~(PAGE - 1), page_bytes = wf_align_up(host + bytes, PAGE) - page;
    pthread_mutex_lock(&lock);
    for (struct registration *r = registered; r && e == WF_CU_SUCCESS; r = r->next)
        if (page < r->page + r->page_bytes && r->page < page + page_bytes)
            e = WF_CU_HOST_MEMORY_ALREADY_REGISTERED;
    uint64_t addr;
    struct wf_err err;
    if (e == WF_CU_SUCCESS &&
        wf_heap_alloc(WF_MEM_PINNED, page_bytes, PAGE, NULL, &addr, &err) != WF_OK)
        e = WF_CU_MEMORY_ALLOCATION;
    else if (e == WF_CU_SUCCESS &&
             wf_heap_alias(addr, (void *)(uintptr_t)page, page_bytes, &err) != WF_OK) {
        wf_heap_free(addr, NULL, NULL);
        e = WF_CU_INVALID_VALUE;
    }
    if (e == WF_CU_SUCCESS) {
        struct registration *r = wf_xcalloc(1, sizeof *r);
        *r = (struct registration){host, bytes, page, page_bytes, addr, flags, registered};
        registered = r;
    }
    pthread_mutex_unlock(&lock);
    return e;
}

static void unregister_locked(struct registration **p)
{
    struct registration *r = *p;
    *p = r->next;
    if (wf_heap_unalias(r->addr, (void *)(uintptr_t)r->page, r->page_bytes, NULL) == WF_OK)
        wf_heap_free(r->addr, "cudaHostUnregister", NULL);
    free(r);
}

enum wf_cu wf_rt_host_unregister(uint64_t host)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__queue_drain();
    e = WF_CU_HOST_MEMORY_NOT_REGISTERED;
    pthread_mutex_lock(&lock);
    for (struct registration **p = &registered; *p; p = &(*p)->next)
        if ((*p)->host == host) {
            unregister_locked(p);
            e = WF_CU_SUCCESS;
            break;
        }
    pthread_mutex_unlock(&lock);
    return e;
}

enum wf_cu wf_rt_host_device_pointer(uint64_t *out, uint64_t host, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf_rt_pointer p;
    wf_rt_pointer(host, &p);
    if (!out || flags || p.type != WF_RT_MEMORY_HOST)
        return WF_CU_INVALID_VALUE;
    *out = p.device;
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_host_flags(unsigned *flags, uint64_t host)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!flags)
        return WF_CU_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const struct registration *r = find_registration_locked(host);
    const struct allocation *a = wf_map_get(&live, host);
    bool is_pinned = r || (a && a->kind == WF_MEM_PINNED);
    if (is_pinned)
        *flags = r ? r->flags : a->flags;
    pthread_mutex_unlock(&lock);
    return is_pinned ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

void wf__memory_reset(void)
{
    pthread_mutex_lock(&lock);
    while (registered)
        unregister_locked(&registered);
    uint64_t addr;
    void *a;
    for (size_t i = 0; wf_map_next(&live, &i, &addr, &a);) {
        wf_heap_free(addr, "cudaDeviceReset", NULL);
        free(a);
    }
    wf_map_fini(&live);
    live = (struct wf_map){0};
    device_bytes = 0;
    pthread_mutex_unlock(&lock);
}

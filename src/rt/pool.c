// SPDX-License-Identifier: Apache-2.0
// Pools: counters under the runtime's lock. "Reserved" follows the modelled driver's grain of 32
// MiB.
#include "rt/pool.h"

#include <stdbool.h> // bool
#include <stdlib.h>  // free
#include <unistd.h>  // close

#include "base/arena.h" // wf_xcalloc
#include "base/bits.h"  // wf_align_up
#include "core/event.h" // struct wf_ev_move
#include "rt/ctx.h"     // wf_rt_enter
#include "rt/graph.h"   // wf__capture_take
#include "rt/ipc.h"     // wf__ipc_drop
#include "rt/memory.h"  // wf__memory_device
#include "rt/order.h"  // wf__order_events
#include "rt/queue.h"   // struct wf__op
#include "rt/stream.h"  // wf__stream_find
#include "rt/table.h"   // wf__table_put

#define GRAIN (UINT64_C(32) << 20)

struct pool {
    uint64_t reuse[3]; // attributes 1 to 3
    uint64_t threshold, reserved, reserved_high, used, used_high;
    uint64_t handle; // 0 once destroyed: it stays while blocks are out
    int fd;          // an empty file that tells processes which pool is meant, -1: not for others
    bool is_foreign; // of another process: nothing is allocated from it here
};

static struct wf__table table = {.tag = WF__TAG_POOL}; // under the lock
static struct pool *default_pool, *current_pool;

static struct pool *pool_new(int fd, bool is_foreign)
{
    struct pool *p = wf_xcalloc(1, sizeof *p);
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    p->fd = fd;
    p->is_foreign = is_foreign;
    p->handle = wf__table_put(&table, p);
    return p;
}

static struct pool *the_default(void)
{
    if (!default_pool)
        default_pool = current_pool = pool_new(-1, false);
    return default_pool;
}

static void free_if_over(struct pool *p)
{
    if (p->handle || p->used)
        return;
    if (p->fd >= 0)
        close(p->fd);
    free(p);
}

uint64_t wf__pool_put(int fd, bool is_foreign)
{
    wf__lock();
    uint64_t handle = pool_new(fd, is_foreign)->handle;
    wf__unlock();
    return handle;
}

int wf__pool_file(uint64_t pool, bool is_foreign)
{
    wf__lock();
    const struct pool *p = wf__table_get(&table, pool);
    int fd = p && p->is_foreign == is_foreign ? p->fd : -1;
    wf__unlock();
    return fd;
}

int wf__pool_file_of(const void *pool)
{
    return ((const struct pool *)pool)->fd;
}

enum wf_cu wf_rt_pool_create(uint64_t *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    *out = wf__pool_put(-1, false);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_pool_destroy(uint64_t pool)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct pool *p = wf__table_get(&table, pool);
    if (!p || p == the_default()) {
        e = WF_CU_INVALID_VALUE;
    } else {
        if (p == current_pool)
            current_pool = default_pool;
        wf__table_drop(&table, pool);
        p->handle = 0;
        free_if_over(p);
    }
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_pool_default(uint64_t *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    *out = the_default()->handle;
    wf__unlock();
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_pool_current(uint64_t *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    the_default();
    *out = current_pool->handle;
    wf__unlock();
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_pool_set_current(uint64_t pool)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    the_default();
    struct pool *p = wf__table_get(&table, pool);
    if (p && p->is_foreign)
        p = NULL;
    if (p)
        current_pool = p;
    wf__unlock();
    return p ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_pool_check(uint64_t pool)
{
    uint64_t used;
    return wf_rt_pool_get(pool, WF_RT_POOL_USED, &used);
}

static uint64_t *field(struct pool *p, int attr)
{
    switch ((enum wf_rt_pool_attr)attr) {
    case WF_RT_POOL_FOLLOW_EVENTS:
    case WF_RT_POOL_OPPORTUNISTIC:
    case WF_RT_POOL_INTERNAL_DEPS:
        return &p->reuse[attr - 1];
    case WF_RT_POOL_RELEASE_THRESHOLD:
        return &p->threshold;
    case WF_RT_POOL_RESERVED:
        return &p->reserved;
    case WF_RT_POOL_RESERVED_HIGH:
        return &p->reserved_high;
    case WF_RT_POOL_USED:
        return &p->used;
    case WF_RT_POOL_USED_HIGH:
        return &p->used_high;
    }
    return NULL;
}

enum wf_cu wf_rt_pool_get(uint64_t pool, int attr, uint64_t *value)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct pool *p = wf__table_get(&table, pool);
    uint64_t *f = p ? field(p, attr) : NULL;
    if (f)
        *value = *f;
    wf__unlock();
    return f ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_pool_set(uint64_t pool, int attr, uint64_t value)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct pool *p = wf__table_get(&table, pool);
    bool is_high = attr == WF_RT_POOL_RESERVED_HIGH || attr == WF_RT_POOL_USED_HIGH;
    bool is_settable = (attr >= 1 && attr <= WF_RT_POOL_RELEASE_THRESHOLD) || is_high;
    if (!p || !is_settable || (is_high && value != 0))
        e = WF_CU_INVALID_VALUE; // the high marks can be set to 0 only: they start anew
    else if (is_high)
        *field(p, attr) = attr == WF_RT_POOL_USED_HIGH ? p->used : p->reserved;
    else
        *field(p, attr) = value;
    wf__unlock();
    return e;
}

// With the lock held: reserved memory may shrink to `keep`, never below what is used.
static void shrink(struct pool *p, uint64_t keep)
{
    uint64_t need = wf_align_up(p->used, GRAIN);
    uint64_t most = need > keep ? need : keep;
    if (p->reserved > most)
        p->reserved = most;
}

enum wf_cu wf_rt_pool_trim(uint64_t pool, uint64_t keep_bytes)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct pool *p = wf__table_get(&table, pool);
    if (p)
        shrink(p, keep_bytes);
    wf__unlock();
    return p ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

struct life_op { // of memory in a stream
    struct wf__op op;
    uint64_t addr, bytes;
};

static void tell_checker(const struct life_op *f, bool ends)
{
    const struct wf_events *ev = wf__order_events();
    struct wf_ev_move e = {.order = wf__order_of(f->op.order),
                           .addr = f->addr,
                           .width = f->bytes,
                           .rows = 1,
                           .is_write = true,
                           .is_lifetime = true,
                           .ends = ends};
    if (ev)
        ev->move(ev->arg, &e);
}

static void run_birth(struct wf__op *op)
{
    tell_checker((struct life_op *)op, false);
}

static void run_free(struct wf__op *op)
{
    const struct life_op *f = (struct life_op *)op;
    tell_checker(f, true);
    if (!wf__ipc_drop(f->addr))
        wf__memory_drop(f->addr, "cudaFreeAsync");
}

static void drop_op(struct wf__op *op)
{
    free(op);
}

// Checkers hear where in the stream the memory begins; nothing else happens there.
static void put_birth(uint64_t addr, uint64_t bytes, uint64_t stream)
{
    struct life_op *f = wf_xcalloc(1, sizeof *f);
    *f = (struct life_op){{.run = run_birth, .free = drop_op, .what = "cudaMallocAsync"}, addr, bytes};
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    if (s)
        wf__queue_put(s, &f->op, true);
    wf__unlock();
    if (!s)
        free(f);
}

enum wf_cu wf_rt_malloc_async(uint64_t *out, uint64_t bytes, uint64_t pool, uint64_t stream)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out)
        return WF_CU_INVALID_VALUE;
    struct wf_rt_node node = {.kind = WF_RT_NODE_ALLOC, .of.memory = {0, bytes}};
    if (out && wf__capture_take(stream, &node, &e)) {
        *out = node.of.memory.addr;
        return e;
    }
    wf__lock();
    the_default();
    struct pool *p = pool ? wf__table_get(&table, pool) : current_pool;
    if (p && p->is_foreign)
        p = NULL;
    bool is_stream = wf__stream_find(stream) != NULL;
    if (p && is_stream && bytes) {
        p->used += bytes; // before the block exists, so that the pool stays
        p->used_high = p->used > p->used_high ? p->used : p->used_high;
        uint64_t need = wf_align_up(p->used, GRAIN);
        p->reserved = need > p->reserved ? need : p->reserved;
        p->reserved_high = p->reserved > p->reserved_high ? p->reserved : p->reserved_high;
    }
    wf__unlock();
    if (!is_stream)
        return WF_CU_INVALID_RESOURCE_HANDLE;
    if (!p)
        return WF_CU_INVALID_VALUE;
    *out = 0;
    if (bytes == 0)
        return WF_CU_SUCCESS;
    e = wf__memory_device(bytes, p, "cudaMallocAsync", out);
    if (e != WF_CU_SUCCESS)
        wf__pool_freed(p, bytes);
    else if (wf__order_events())
        put_birth(*out, bytes, stream);
    return e;
}

enum wf_cu wf_rt_free_async(uint64_t addr, uint64_t stream)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || addr == 0)
        return e;
    void *pool;
    uint64_t bytes;
    if (wf__ipc_pool_bytes(addr, &bytes))
        pool = NULL;
    else if (!wf__memory_pool_of(addr, &pool, &bytes))
        return WF_CU_INVALID_VALUE;
    struct wf_rt_node node = {.kind = WF_RT_NODE_FREE, .of.memory = {addr, 0}};
    if (wf__capture_take(stream, &node, &e))
        return e;
    if (pool == &wf__graph_pool) {
        if ((e = wf_rt_stream_check(stream)) == WF_CU_SUCCESS)
            wf__graph_memory_freed(addr);
        return e;
    }
    struct life_op *f = wf_xcalloc(1, sizeof *f);
    *f = (struct life_op){{.run = run_free, .free = drop_op, .what = "cudaFreeAsync"}, addr, bytes};
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    if (s)
        wf__queue_put(s, &f->op, true);
    wf__unlock();
    if (!s)
        free(f);
    return s ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

void wf__pool_freed(void *pool, uint64_t bytes)
{
    struct pool *p = pool;
    wf__lock();
    p->used -= bytes;
    shrink(p, p->threshold);
    free_if_over(p);
    wf__unlock();
}

void wf__pool_reset(void)
{
    wf__lock();
    default_pool = current_pool = NULL;
    for (uint32_t i = 0; i < table.n; i++) {
        struct pool *p = table.slot[i].object;
        if (!p)
            continue;
        wf__table_drop(&table, p->handle);
        if (p->fd >= 0)
            close(p->fd);
        free(p);
    }
    wf__unlock();
}

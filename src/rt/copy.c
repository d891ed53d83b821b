// SPDX-License-Identifier: Apache-2.0
// Every copy is checked against the heap before it is put: a kernel's memory is never written
// outside an allocation by the host side. The work itself is memcpy and memset on the engine's side
// of addresses.
#include "rt/copy.h"

#include <stdlib.h> // free
#include <string.h> // memcpy

#include "base/arena.h" // wf_xmalloc
#include "core/event.h" // struct wf_ev_move
#include "mem/space.h"  // wf_space_host
#include "rt/ctx.h"     // wf_rt_enter
#include "rt/graph_priv.h" // wf__capture_take
#include "rt/memory.h"  // wf_rt_pointer
#include "rt/order.h"   // wf__order_events
#include "rt/queue.h"   // struct wf__op
#include "rt/stream.h"  // wf__stream_find

#define STAGE_BYTES (UINT64_C(64) << 10) // a pageable source up to this is copied aside

enum place { PLACE_BAD, PLACE_PAGEABLE, PLACE_PINNED, PLACE_MANAGED, PLACE_DEVICE };

static bool is_in_window(uint64_t addr)
{
    const struct wf_space *s = wf_space_get(NULL);
    return s && addr - s->base < s->bytes;
}

static void *pointer(uint64_t addr)
{
    return is_in_window(addr) ? wf_space_host(wf_space_get(NULL), addr) : (void *)(uintptr_t)addr;
}

// Bytes from the first to behind the last of a box; false when that overflows.
static bool span(const struct wf_rt_box *b, uint64_t width, uint64_t height, uint64_t depth,
                 uint64_t *bytes)
{
    uint64_t rows, slices;
    return !__builtin_mul_overflow(height - 1, b->pitch, &rows) &&
           !__builtin_mul_overflow(depth - 1, b->slice, &slices) &&
           !__builtin_add_overflow(rows, slices, &rows) &&
           !__builtin_add_overflow(rows, width, bytes) &&
           !__builtin_add_overflow(b->addr, *bytes, &rows);
}

static enum place place_of(const struct wf_rt_box *b, uint64_t bytes)
{
    if (!b->addr)
        return PLACE_BAD;
    struct wf_rt_pointer p;
    wf_rt_pointer(b->addr, &p);
    if (p.type == WF_RT_MEMORY_UNREGISTERED)
        return is_in_window(b->addr) ? PLACE_BAD : PLACE_PAGEABLE;
    if (bytes > p.bytes - (b->addr - p.base))
        return p.device == b->addr ? PLACE_BAD : PLACE_PAGEABLE; // half registered is pageable
    if (p.type == WF_RT_MEMORY_HOST)
        return PLACE_PINNED;
    return p.type == WF_RT_MEMORY_MANAGED ? PLACE_MANAGED : PLACE_DEVICE;
}

// The program's own memory, registered: its address in the window, where the engine reaches it even while
// the program's pages are watched.
static void by_engine(struct wf_rt_box *b)
{
    struct wf_rt_pointer at;
    if (!b->addr || is_in_window(b->addr))
        return;
    wf_rt_pointer(b->addr, &at);
    if (at.type == WF_RT_MEMORY_HOST)
        b->addr = at.device;
}

// A direction that names a side must fit what lies there. "Host to host" is taken as "look".
static bool fits_kind(int kind, enum place dst, enum place src)
{
    switch ((enum wf_rt_copy_kind)kind) {
    case WF_RT_HOST_TO_DEVICE:
        return dst != PLACE_PAGEABLE && src != PLACE_DEVICE;
    case WF_RT_DEVICE_TO_HOST:
        return dst != PLACE_DEVICE && src != PLACE_PAGEABLE;
    case WF_RT_DEVICE_TO_DEVICE:
        return dst != PLACE_PAGEABLE && src != PLACE_PAGEABLE;
    case WF_RT_HOST_TO_HOST:
    case WF_RT_COPY_DEFAULT:
        return true;
    }
    return false;
}

struct move_op {
    struct wf__op op;
    struct wf_rt_copy copy;
    void *stage;                 // own copy of the source, or NULL
    uint32_t value, value_bytes; // fills: value_bytes is not 0
};

static void fill_row(unsigned char *p, uint64_t n, uint32_t value, uint32_t value_bytes)
{
    if (value_bytes == 1) {
        memset(p, (int)(value & 255), n);
        return;
    }
    for (uint64_t i = 0; i + value_bytes <= n; i += value_bytes)
        memcpy(p + i, &value, value_bytes);
}

static void tell_heap(const struct wf_rt_copy *c)
{
    if (!is_in_window(c->dst.addr))
        return;
    if (c->height == 1 && c->depth == 1) {
        wf_heap_note_write(c->dst.addr, c->width);
        return;
    }
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++)
            wf_heap_note_write(c->dst.addr + z * c->dst.slice + y * c->dst.pitch, c->width);
}

static void tell_checker(const struct move_op *m, const struct wf_rt_box *b, bool is_write)
{
    const struct wf_events *ev = wf__order_events();
    const struct wf_rt_copy *c = &m->copy;
    if (!ev || !is_in_window(b->addr))
        return;
    for (uint64_t z = 0; z < c->depth; z++) {
        struct wf_ev_move e = {.order = wf__order_of(m->op.order),
                               .addr = b->addr + z * b->slice,
                               .width = c->width,
                               .pitch = b->pitch,
                               .rows = c->height,
                               .is_write = is_write};
        ev->move(ev->arg, &e);
    }
}

static void run_move(struct wf__op *op)
{
    struct move_op *m = (struct move_op *)op;
    const struct wf_rt_copy *c = &m->copy;
    if (!m->stage && !m->value_bytes)
        tell_checker(m, &c->src, false);
    tell_checker(m, &c->dst, true);
    char *dst = pointer(c->dst.addr);
    const char *src = m->stage ? m->stage : m->value_bytes ? NULL : pointer(c->src.addr);
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++) {
            char *to = dst + z * c->dst.slice + y * c->dst.pitch;
            if (m->value_bytes)
                fill_row((unsigned char *)to, c->width, m->value, m->value_bytes);
            else
                memmove(to, src + z * c->src.slice + y * c->src.pitch, c->width);
        }
    tell_heap(c);
}

static void free_move(struct wf__op *op)
{
    free(((struct move_op *)op)->stage);
    free(op);
}

static enum wf_cu put(struct move_op *m, uint64_t stream, bool is_waited)
{
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    if (s) {
        wf__op_order(&m->op, NULL);
        struct wf__order *order = m->op.order;
        wf__order_ref(order);
        uint64_t number = wf__queue_put(s, &m->op, is_waited);
        if (is_waited) {
            wf__queue_wait(s, number);
            wf__order_waited(order);
        }
        wf__order_unref(order);
    }
    wf__unlock();
    if (!s) {
        free_move(&m->op);
        return WF_CU_INVALID_RESOURCE_HANDLE;
    }
    return is_waited ? wf_rt_broken() : WF_CU_SUCCESS;
}

// Must the caller wait for the copy? (CUDA Runtime API, "API synchronization behavior")
static bool is_waited(const struct wf_rt_copy *c, enum place dst, enum place src)
{
    if (c->is_async)
        return dst == PLACE_PAGEABLE || src == PLACE_PAGEABLE;
    return dst != PLACE_DEVICE || src != PLACE_DEVICE;
}

struct places {
    enum place dst, src;
    uint64_t src_bytes;
};

// SUCCESS when the copy may be made; nothing is to be done when it has no bytes.
static enum wf_cu check_copy(const struct wf_rt_copy *c, struct places *p)
{
    if (c->kind < WF_RT_HOST_TO_HOST || c->kind > WF_RT_COPY_DEFAULT)
        return WF_CU_INVALID_MEMCPY_DIRECTION;
    if (!c->width || !c->height || !c->depth)
        return WF_CU_SUCCESS;
    bool is_flat = c->height == 1 && c->depth == 1;
    if (!is_flat && (c->dst.pitch < c->width || c->src.pitch < c->width))
        return WF_CU_INVALID_PITCH_VALUE;
    uint64_t dst_bytes;
    if (!span(&c->dst, c->width, c->height, c->depth, &dst_bytes) ||
        !span(&c->src, c->width, c->height, c->depth, &p->src_bytes))
        return WF_CU_INVALID_VALUE;
    p->dst = place_of(&c->dst, dst_bytes);
    p->src = place_of(&c->src, p->src_bytes);
    if (p->dst == PLACE_BAD || p->src == PLACE_BAD || !fits_kind(c->kind, p->dst, p->src))
        return WF_CU_INVALID_VALUE;
    return WF_CU_SUCCESS;
}

static struct move_op *move_new(const struct wf_rt_copy *c)
{
    struct move_op *m = wf_xcalloc(1, sizeof *m);
    m->op.run = run_move;
    m->op.free = free_move;
    m->op.what = c->is_async ? "cudaMemcpyAsync" : "cudaMemcpy";
    m->copy = *c;
    by_engine(&m->copy.dst);
    by_engine(&m->copy.src);
    return m;
}

enum wf_cu wf__copy_op(const struct wf_rt_copy *c, struct wf__op **out)
{
    struct places p;
    enum wf_cu e = check_copy(c, &p);
    if (e == WF_CU_SUCCESS)
        *out = &move_new(c)->op;
    return e;
}

enum wf_cu wf_rt_copy(const struct wf_rt_copy *c, uint64_t stream)
{
    struct places p;
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = check_copy(c, &p);
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf_rt_node node = {.kind = WF_RT_NODE_COPY, .of.copy = *c};
    if (wf__capture_take(stream, &node, &e))
        return e;
    if (!c->width || !c->height || !c->depth)
        return WF_CU_SUCCESS;
    struct move_op *m = move_new(c);
    bool waits = is_waited(c, p.dst, p.src);
    if (c->is_async && p.src == PLACE_PAGEABLE && p.dst != PLACE_PAGEABLE && p.src_bytes <= STAGE_BYTES) {
        m->stage = wf_xmalloc(p.src_bytes);
        memcpy(m->stage, (void *)(uintptr_t)c->src.addr, p.src_bytes);
        waits = false;
    }
    return put(m, stream, waits);
}

enum wf_cu wf_rt_copy_linear(uint64_t dst, uint64_t src, uint64_t bytes, int kind, bool is_async,
                             uint64_t stream)
{
    struct wf_rt_copy c = {.dst = {dst, bytes, bytes},
                           .src = {src, bytes, bytes},
                           .width = bytes,
                           .height = 1,
                           .depth = 1,
                           .kind = kind,
                           .is_async = is_async};
    return wf_rt_copy(&c, stream);
}

static enum wf_cu check_fill(const struct wf_rt_box *dst, uint64_t width, uint64_t height, uint64_t depth,
                             uint32_t value_bytes, enum place *p)
{
    uint64_t bytes;
    if (!width || !height || !depth)
        return WF_CU_SUCCESS;
    bool is_flat = height == 1 && depth == 1;
    bool is_width = value_bytes == 1 || value_bytes == 2 || value_bytes == 4;
    if (!is_width || (!is_flat && dst->pitch < width) || dst->addr % value_bytes ||
        !span(dst, width, height, depth, &bytes))
        return WF_CU_INVALID_VALUE;
    *p = place_of(dst, bytes);
    return *p == PLACE_BAD || *p == PLACE_PAGEABLE ? WF_CU_INVALID_VALUE : WF_CU_SUCCESS;
}

static struct move_op *fill_new(const struct wf_rt_box *dst, uint64_t width, uint64_t height, uint64_t depth,
                                uint32_t value, uint32_t value_bytes)
{
    struct wf_rt_copy c = {.dst = *dst, .width = width, .height = height, .depth = depth};
    struct move_op *m = move_new(&c);
    m->op.what = "cudaMemset";
    m->value = value;
    m->value_bytes = value_bytes;
    return m;
}

enum wf_cu wf__fill_op(const struct wf_rt_box *dst, uint64_t width, uint64_t height, uint64_t depth,
                       uint32_t value, uint32_t value_bytes, struct wf__op **out)
{
    enum place p;
    enum wf_cu e = check_fill(dst, width, height, depth, value_bytes, &p);
    if (e == WF_CU_SUCCESS)
        *out = &fill_new(dst, width, height, depth, value, value_bytes)->op;
    return e;
}

enum wf_cu wf_rt_fill(const struct wf_rt_box *dst, uint64_t width, uint64_t height, uint64_t depth,
                      uint32_t value, uint32_t value_bytes, bool is_async, uint64_t stream)
{
    enum place p = PLACE_BAD;
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = check_fill(dst, width, height, depth, value_bytes, &p);
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf_rt_node node = {.kind = WF_RT_NODE_FILL,
                              .of.fill = {*dst, width, height, depth, value, value_bytes}};
    if (wf__capture_take(stream, &node, &e))
        return e;
    if (!width || !height || !depth)
        return WF_CU_SUCCESS;
    struct move_op *m = fill_new(dst, width, height, depth, value, value_bytes);
    m->op.what = is_async ? "cudaMemsetAsync" : "cudaMemset";
    return put(m, stream, !is_async && p != PLACE_DEVICE);
}

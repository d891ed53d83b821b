// SPDX-License-Identifier: Apache-2.0
// Memory accesses that compiled code does not make itself: lanes whose generic addresses lie in
// different spaces, distributed shared memory, odd widths, local memory with computed offsets, and
// everything that fails a range check. Each lane is looked at.

#include <emmintrin.h> // _mm_load_si128
#include <string.h>    // memcpy

#include "exec/memory.h"
#include "jit/lanes.h"

// How: bytes | elements << 8 | is_store << 16 | space << 24 (see jit/ldst.c).
struct how {
    unsigned bytes, n, space;
    bool is_store;
};

static uint8_t *local_ptr(struct wf_warp *w, unsigned lane, uint64_t off)
{
    uint8_t *base = w->block->local + (uint64_t)w->index * w->block->local_warp_bytes;
    return base + off / 4 * 128 + lane * 4 + off % 4;
}

static uint64_t local_bytes(const struct wf_warp *w)
{
    return w->block->local_warp_bytes / 32;
}

static void copy_local(struct wf_warp *w, unsigned lane, uint64_t off, uint8_t *data, unsigned bytes, bool is_store)
{
    for (unsigned i = 0; i < bytes; i++) { // words of one thread are not side by side
        uint8_t *p = local_ptr(w, lane, off + i);
        if (is_store)
            *p = data[i];
        else
            data[i] = *p;
    }
}

// Resolves an address to the engine's pointer; space SHARED takes offsets, 0 bytes left means a fault.
// *local: the offset in local memory when it is that.
static uint8_t *resolve(struct wf_warp *w, unsigned space, uint64_t a, unsigned bytes, bool *is_local, const char **why)
{
    const struct wf_grid_ctx *g = w->block->grid;
    *is_local = false;
    *why = "outside device memory";
    if (space == PTX_SP_LOCAL) {
        *is_local = true;
        *why = "beyond the thread's local memory";
        return a + bytes <= local_bytes(w) && a < local_bytes(w) ? w->block->local : NULL;
    }
    if (space == PTX_SP_SHARED || space == PTX_SP_SHARED_CLUSTER) {
        *why = "beyond the block's shared memory";
        struct wf_block *b = w->block;
        uint64_t off = a;
        if (space == PTX_SP_SHARED_CLUSTER && a >> 24 && a >> 24 <= b->n_ranks) { // rank + 1 in the top byte
            b = b->peers ? b->peers[(a >> 24) - 1] : b;
            off = a & 0xffffff;
        }
        return off + bytes <= g->shared_bytes && off < g->shared_bytes ? b->shared + off : NULL;
    }
    uint64_t off = a - g->base;
    if (off >= g->bytes) { // the program's own memory that it registered (cudaHostRegister)
        if (!wf_heap_alias_find(a, &a))
            return NULL;
        off = a - g->base;
    }
    if (off >= WF_HEAP_OFFSET && bytes > g->bytes - off) // beyond the window is memory of others
        return NULL;
    if (off >= WF_HEAP_OFFSET)
        return (uint8_t *)(uintptr_t)(a + (uint64_t)g->delta);
    if (off >= WF_SHARED_OFFSET && off < WF_SHARED_OFFSET + WF_SHARED_WINDOW) {
        uint64_t rank = (off - WF_SHARED_OFFSET) / WF_SHARED_STRIDE, o = (off - WF_SHARED_OFFSET) % WF_SHARED_STRIDE;
        *why = "beyond the block's shared memory";
        if (rank >= w->block->n_ranks || o + bytes > g->shared_bytes)
            return NULL;
        return (w->block->peers ? w->block->peers[rank] : w->block)->shared + o;
    }
    if (off >= WF_PARAM_OFFSET) { // callers that write have asked is_param
        *why = "beyond the kernel's parameters";
        off -= WF_PARAM_OFFSET;
        return off + bytes <= grid_of(w)->launch->param_bytes ? (uint8_t *)(uintptr_t)g->params + off : NULL;
    }
    if (off >= WF_LOCAL_OFFSET && off < WF_LOCAL_OFFSET + WF_LOCAL_WINDOW) {
        *is_local = true;
        *why = "beyond the thread's local memory";
        return off - WF_LOCAL_OFFSET + bytes <= local_bytes(w) ? w->block->local : NULL;
    }
    return NULL;
}

static bool is_param(const struct wf_warp *w, unsigned space, uint64_t a)
{
    uint64_t off = a - w->block->grid->base;
    return (space == PTX_SP_GENERIC || space == PTX_SP_GLOBAL) && off >= WF_PARAM_OFFSET && off < WF_HEAP_OFFSET;
}

static uint64_t local_offset(const struct wf_warp *w, unsigned space, uint64_t a)
{
    return space == PTX_SP_LOCAL ? a : a - w->block->grid->base - WF_LOCAL_OFFSET;
}

// Copies between memory of the device and elsewhere; up to 16 aligned bytes go in one access, as hardware does it:
// what other threads see of a vector of 8 or 16 bytes is all or nothing.
static void copy_whole(uint8_t *to, const uint8_t *from, unsigned bytes, bool is_store)
{
    const uint8_t *device = is_store ? to : from;
    if (bytes == 16 && (uintptr_t)device % 16 == 0) {
        if (is_store)
            _mm_store_si128((__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)from));
        else
            _mm_storeu_si128((__m128i *)(void *)to, _mm_load_si128((const __m128i *)(const void *)from));
    } else if (bytes == 8 && (uintptr_t)device % 8 == 0) {
        uint64_t v;
        if (is_store) {
            memcpy(&v, from, 8);
            __atomic_store_n((uint64_t *)(void *)to, v, __ATOMIC_RELAXED);
        } else {
            v = __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_RELAXED);
            memcpy(to, &v, 8);
        }
    } else {
        memcpy(to, from, bytes);
    }
}

static void lane_access(struct wf_warp *w, uint32_t site, unsigned lane, uint64_t a, uint8_t *data, const struct how *h)
{
    unsigned total = h->bytes * h->n;
    bool is_local;
    const char *why;
    if (a % (total & -total)) { // natural alignment of the whole vector
        exec__mem_fault(w, site, lane, a, total, h->is_store, WF_F_MEM_MISALIGNED, "is misaligned");
        return;
    }
    uint8_t *p = resolve(w, h->space, a, total, &is_local, &why);
    if (h->is_store && is_param(w, h->space, a)) {
        exec__mem_fault(w, site, lane, a, total, true, WF_F_MEM_BOUNDS, "goes to the kernel's parameters, which are read only");
        return;
    }
    if (!p) {
        if (!h->is_store)
            for (unsigned e = 0; e < h->n; e++)
                memset(data + (size_t)e * 32 * h->bytes + (size_t)lane * h->bytes, 0, h->bytes);
        exec__mem_fault(w, site, lane, a, total, h->is_store, WF_F_MEM_BOUNDS, why);
        return;
    }
    uint8_t whole[32];
    if (!is_local && !h->is_store)
        copy_whole(whole, p, total, false);
    for (unsigned e = 0; e < h->n; e++) {
        uint8_t *d = data + (size_t)e * 32 * h->bytes + (size_t)lane * h->bytes;
        if (is_local)
            copy_local(w, lane, local_offset(w, h->space, a) + e * h->bytes, d, h->bytes, h->is_store);
        else if (h->is_store)
            memcpy(whole + e * h->bytes, d, h->bytes);
        else
            memcpy(d, whole + e * h->bytes, h->bytes);
    }
    if (!is_local && h->is_store)
        copy_whole(p, whole, total, true);
}

static uint64_t lane_address(enum wf_lanes_form form, const void *addr, unsigned lane)
{
    const struct wf_lanes *l = addr;
    uint32_t index;
    switch (form) {
    case WF_LANES_EACH:
        return ((const uint64_t *)addr)[lane];
    case WF_LANES_EACH32:
        return ((const uint32_t *)addr)[lane];
    case WF_LANES_LINEAR:
        return l->base + (uint64_t)l->stride * lane;
    case WF_LANES_LINEAR32:
        return (uint32_t)(l->base + (uint64_t)l->stride * lane);
    case WF_LANES_INDEX_S:
        index = l->index + (uint32_t)l->stride * lane;
        return l->base + (uint64_t)l->scale * (uint64_t)((int64_t)(int32_t)index - (int32_t)l->index);
    case WF_LANES_INDEX_U:
        index = l->index + (uint32_t)l->stride * lane;
        return l->base + (uint64_t)l->scale * ((uint64_t)index - l->index);
    }
    return 0;
}

void wf_x_memory(struct wf_warp *w, uint32_t site, uint32_t mask, const void *addr, uint8_t *data, uint32_t code)
{
    struct how h = {.bytes = code & 0xff, .n = code >> 8 & 0xff, .is_store = code >> 16 & 1, .space = code >> 24};
    enum wf_lanes_form form = (enum wf_lanes_form)(code >> WF_LANES_SHIFT & 7);
    WF_EACH_LANE(mask, lane)
        lane_access(w, site, lane, lane_address(form, addr, lane), data, &h);
}

void wf_x_gather(const uint64_t *ptr, uint8_t *out, uint32_t mask, uint32_t bytes)
{
    WF_EACH_LANE(mask, lane)
        copy_whole(out + (size_t)lane * bytes, (const uint8_t *)(uintptr_t)ptr[lane], bytes, false);
}

void wf_x_scatter(const uint64_t *ptr, const uint8_t *in, uint32_t mask, uint32_t bytes)
{
    WF_EACH_LANE(mask, lane)
        copy_whole((uint8_t *)(uintptr_t)ptr[lane], in + (size_t)lane * bytes, bytes, true);
}

uint8_t *exec__pointer(struct wf_warp *w, unsigned space, uint64_t a, unsigned bytes, const char **why)
{
    bool is_local;
    uint8_t *p = resolve(w, space, a, bytes, &is_local, why);
    return is_local || is_param(w, space, a) ? NULL : p;
}

bool exec__read(struct wf_warp *w, unsigned lane, uint64_t a, void *to, size_t n)
{
    uint8_t *out = to;
    bool is_in_local;
    const char *reason;
    const uint8_t *whole = resolve(w, PTX_SP_GENERIC, a, (unsigned)n, &is_in_local, &reason);
    if (whole && !is_in_local) {
        memcpy(out, whole, n);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_local;
        const char *why;
        uint8_t *p = resolve(w, PTX_SP_GENERIC, a + i, 1, &is_local, &why);
        if (!p)
            return false;
        out[i] = is_local ? *local_ptr(w, lane, local_offset(w, PTX_SP_GENERIC, a + i)) : *p;
    }
    return true;
}

// ---- events ----

static enum wf_space_kind kind_of(struct wf_warp *w, unsigned space, uint64_t *a, uint32_t *rank)
{
    const struct wf_grid_ctx *g = w->block->grid;
    *rank = w->block->rank;
    if (space == PTX_SP_SHARED)
        return WF_SPACE_SHARED;
    if (space == PTX_SP_SHARED_CLUSTER) {
        if (*a >> 24) {
            *rank = (uint32_t)(*a >> 24) - 1;
            *a &= 0xffffff;
        }
        return WF_SPACE_SHARED;
    }
    uint64_t off = *a - g->base;
    if (off >= g->bytes && wf_heap_alias_find(*a, a)) // the program's own memory, by the host's address
        return WF_SPACE_GLOBAL;
    if (off >= WF_SHARED_OFFSET && off < WF_SHARED_OFFSET + WF_SHARED_WINDOW) {
        *rank = (uint32_t)((off - WF_SHARED_OFFSET) / WF_SHARED_STRIDE);
        *a = (off - WF_SHARED_OFFSET) % WF_SHARED_STRIDE;
        return WF_SPACE_SHARED;
    }
    if (off >= WF_LOCAL_OFFSET && off < WF_LOCAL_OFFSET + WF_LOCAL_WINDOW)
        return WF_SPACE_LOCAL;
    if (off >= WF_PARAM_OFFSET && off < WF_HEAP_OFFSET && off - WF_PARAM_OFFSET < grid_of(w)->launch->param_bytes)
        return WF_SPACE_LOCAL; // nobody else writes them: of no interest to checkers
    return WF_SPACE_GLOBAL;
}

// Lanes of a generic access may lie in several spaces: one event for each.
static void tell_each(const struct wf_events *ev, const struct wf_ev_access *all, struct wf_warp *w, unsigned space)
{
    uint64_t addr[32];
    uint32_t left = all->mask;
    struct wf_ev_access copy = *all, *e = &copy;
    memcpy(addr, all->addr, sizeof addr);
    e->addr = addr;
    while (left) {
        uint32_t first = wf_ctz32(left), rank, same = 0;
        uint64_t a = addr[first];
        enum wf_space_kind k = kind_of(w, space, &a, &rank);
        WF_EACH_LANE(left, lane) {
            uint32_t r2;
            uint64_t b = e->addr[lane];
            if (kind_of(w, space, &b, &r2) == k && r2 == rank) {
                same |= 1u << lane;
                addr[lane] = b;
            }
        }
        e->space = k;
        e->owner_rank = rank;
        e->mask = same;
        if (k != WF_SPACE_LOCAL)
            ev->access(ev->arg, e);
        left &= ~same;
    }
}

void exec__tell_access(struct wf_warp *w, const struct wf_site *site, uint32_t mask, const uint64_t *addr, unsigned space,
                       uint32_t writes, const uint64_t *value)
{
    const struct wf_events *ev = grid_of(w)->ev;
    struct wf_ev_access e = {.site = site, .warp = &x_of(w)->ev, .mask = mask, .addr = addr, .writes = writes,
                             .value = value, .owner_rank = w->block->rank};
    tell_each(ev, &e, w, space);
}

// The whole warp, elements side by side: in one space, so a look at the first address tells which.
static bool tell_run(struct wf_warp *w, const struct wf_events *ev, const struct wf_site *s, uint64_t a, uint32_t space)
{
    const struct wf_grid_ctx *g = w->block->grid;
    uint64_t off = a - g->base;
    if (space == PTX_SP_SHARED)
        return ev->run(ev->arg, &x_of(w)->ev, s, true, a);
    if (off >= WF_HEAP_OFFSET && off < g->bytes)
        return ev->run(ev->arg, &x_of(w)->ev, s, false, a);
    off -= WF_SHARED_OFFSET + (uint64_t)w->block->rank * WF_SHARED_STRIDE;
    return space == PTX_SP_GENERIC && off < WF_SHARED_STRIDE && ev->run(ev->arg, &x_of(w)->ev, s, true, off);
}

void wf_x_access(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, int64_t stride, uint32_t linear,
                 uint32_t space)
{
    wf_x_store(w, site, mask, addr, stride, linear, space, NULL);
}

void wf_x_store(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, int64_t stride, uint32_t linear,
                uint32_t space, const uint64_t *value)
{
    const struct wf_events *ev = grid_of(w)->ev;
    if (!ev || !ev->access)
        return;
    const struct wf_site *s = site_of(w, site);
    if (linear && mask == UINT32_MAX && ev->run && stride == (int64_t)s->bytes * s->elements &&
        tell_run(w, ev, s, addr[0], space))
        return;
    struct wf_ev_access e = {.site = s, .warp = &x_of(w)->ev, .mask = mask, .is_linear = linear,
                             .stride = stride, .addr = addr, .writes = mask, .value = value,
                             .owner_rank = w->block->rank};
    uint32_t first = wf_ctz32(mask);
    uint64_t a0 = linear ? addr[0] + (uint64_t)stride * first : addr[first];
    if (space == PTX_SP_SHARED || (space == PTX_SP_GLOBAL && !is_param(w, space, a0) && a0 - w->block->grid->base < w->block->grid->bytes)) {
        e.space = space == PTX_SP_SHARED ? WF_SPACE_SHARED : WF_SPACE_GLOBAL;
        ev->access(ev->arg, &e);
        return;
    }
    if (linear) {
        uint64_t all[32];
        for (unsigned i = 0; i < 32; i++)
            all[i] = addr[0] + (uint64_t)(stride * i);
        e.is_linear = false;
        e.addr = all;
        tell_each(ev, &e, w, space);
        return;
    }
    tell_each(ev, &e, w, space);
}

void wf_x_added(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, const uint64_t *value,
                uint32_t is_one, uint32_t space)
{
    const struct wf_events *ev = grid_of(w)->ev;
    if (!ev || !ev->access || !mask)
        return;
    struct wf_ev_access e = {.site = site_of(w, site),
                             .warp = &x_of(w)->ev,
                             .space = space == PTX_SP_SHARED ? WF_SPACE_SHARED : WF_SPACE_GLOBAL,
                             .owner_rank = w->block->rank,
                             .mask = mask,
                             .is_linear = is_one,
                             .addr = addr,
                             .writes = mask,
                             .value = value};
    ev->access(ev->arg, &e);
}

void wf_x_trigger(struct wf_warp *w, uint32_t mask)
{
    const struct wf_events *ev = grid_of(w)->ev;
    if (ev && ev->dep_trigger)
        ev->dep_trigger(ev->arg, &x_of(w)->ev, mask);
}

void wf_x_fence(struct wf_warp *w, uint32_t site, uint32_t mask)
{
    const struct wf_events *ev = grid_of(w)->ev;
    if (ev && ev->fence)
        ev->fence(ev->arg, &x_of(w)->ev, site_of(w, site), mask);
}

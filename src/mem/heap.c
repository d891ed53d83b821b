// SPDX-License-Identifier: Apache-2.0
// The device allocator: first fit in two zones under one lock, a red zone behind every block, and a
// queue of freed blocks that are kept from reuse for as long as the quarantine allows.
#include "mem/space.h"
#include "mem/share.h"  // wf__share_end

#include <pthread.h> // pthread_mutex_t

#include "base/bits.h" // wf_align_up
#include "mem/block.h" // struct wf__tree
#include "mem/heap.h"  // wf__heap_take_back
#include "mem/pages.h" // wf__pages_commit

#define GRAIN UINT64_C(256)
#define RED_ZONE UINT64_C(256)
#define HUGE_BYTES (UINT64_C(2) << 20)
#define GIVE_BACK_BYTES (UINT64_C(1) << 20) // smaller freed blocks keep their memory
#define NEAR_BYTES (UINT64_C(64) << 10)

#define FAR_APART 1024u // so many allocations keep the wide gap; it must not use up the memory of the GPU

static struct {
    pthread_mutex_t lock;
    uint64_t gap; // behind the program's allocations, at least RED_ZONE
    const struct wf_space *space; // NULL until the first allocation
    struct wf__tree tree[WF__ZONES];
    uint64_t serial, live_bytes;
    uint64_t quarantine_limit, quarantine_bytes;
    struct wf__seg *oldest, *newest; // quarantine
    void (*listener)(void *arg, uint64_t addr, uint64_t bytes, int what);
    void *listener_arg;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void tell(uint64_t addr, uint64_t bytes, int what)
{
    pthread_mutex_lock(&heap.lock);
    void (*fn)(void *, uint64_t, uint64_t, int) = heap.listener;
    void *arg = heap.listener_arg;
    pthread_mutex_unlock(&heap.lock);
    if (fn)
        fn(arg, addr, bytes, what);
}

static enum wf_status start_locked(struct wf_err *err)
{
    if (heap.space)
        return WF_OK;
    const struct wf_space *s = wf_space_get(err);
    if (!s)
        return WF_E_NOMEM;
    for (int z = 0; z < WF__ZONES;
         z++) // nothing starts at a zone's first byte: red zones on both sides
        wf__tree_init(&heap.tree[z], wf__zone_lo(s, (enum wf__zone)z) + RED_ZONE,
                      wf__zone_hi(s, (enum wf__zone)z));
    heap.space = s;
    return WF_OK;
}

static enum wf__zone zone_of_kind(enum wf_mem_kind k)
{
    return k == WF_MEM_PINNED || k == WF_MEM_MANAGED ? WF__ZONE_HOST : WF__ZONE_DEVICE;
}

static bool zone_of_addr(uint64_t addr, enum wf__zone *z)
{
    if (!heap.space)
        return false;
    for (int i = 0; i < WF__ZONES; i++) {
        *z = (enum wf__zone)i;
        if (addr >= wf__zone_lo(heap.space, *z) && addr < wf__zone_hi(heap.space, *z))
            return true;
    }
    return false;
}

// Makes a segment free; memory goes back to the system when there is much of it.
static void release_locked(enum wf__zone z, struct wf__seg *s)
{
    uint64_t addr = s->addr, bytes = s->bytes, used = s->block.bytes;
    struct wf__seg *whole = wf__tree_give(&heap.tree[z], s);
    if (used < GIVE_BACK_BYTES)
        return;
    // The chunks at both ends may now lie in free space as a whole.
    uint64_t lo = addr - whole->addr > NEAR_BYTES ? addr - NEAR_BYTES : whole->addr;
    uint64_t hi = addr + bytes + NEAR_BYTES;
    hi = hi < whole->addr + whole->bytes ? hi : whole->addr + whole->bytes;
    wf__pages_decommit(heap.space, z, lo, hi - lo);
}

static void drain_quarantine_locked(void)
{
    while (heap.oldest && heap.quarantine_bytes > heap.quarantine_limit) {
        struct wf__seg *s = heap.oldest;
        enum wf__zone z = zone_of_kind(s->block.kind);
        heap.oldest = s->later;
        if (!heap.oldest)
            heap.newest = NULL;
        heap.quarantine_bytes -= s->block.bytes; // without the gap behind it
        release_locked(z, s);
    }
}

void wf_heap_keep_apart(uint64_t bytes)
{
    pthread_mutex_lock(&heap.lock);
    heap.gap = bytes;
    pthread_mutex_unlock(&heap.lock);
}

static uint64_t gap_for(enum wf_mem_kind kind)
{
    bool is_wide = kind == WF_MEM_DEVICE && heap.serial < FAR_APART && heap.gap > RED_ZONE;
    return is_wide ? heap.gap : RED_ZONE;
}

static enum wf_status alloc_locked(enum wf_mem_kind kind, uint64_t bytes, uint64_t align,
                                   const char *name, uint64_t *addr, struct wf_err *err)
{
    enum wf_status rc = start_locked(err);
    if (rc != WF_OK)
        return rc;
    enum wf__zone z = zone_of_kind(kind);
    uint64_t zone_bytes = wf__zone_hi(heap.space, z) - wf__zone_lo(heap.space, z);
    bool is_huge = bytes >= HUGE_BYTES;
    align = align < GRAIN ? GRAIN : align;
    align = is_huge && align < HUGE_BYTES ? HUGE_BYTES : align;
    struct wf__seg *s = NULL;
    if (bytes <= zone_bytes && align <= zone_bytes)
        s = wf__tree_take(&heap.tree[z], wf_align_up(bytes, GRAIN) + gap_for(kind), align);
    if (!s)
        return wf_err_set(err, WF_E_NOMEM, "no room for %llu bytes in device memory",
                          (unsigned long long)bytes);
    bool is_zeroed = kind == WF_MEM_MODULE || kind == WF_MEM_INTERNAL;
    rc = wf__pages_commit(heap.space, z, s->addr, s->bytes, is_zeroed, err);
    if (rc != WF_OK) {
        wf__tree_give(&heap.tree[z], s);
        return rc;
    }
    s->block = (struct wf_mem_block){
        .addr = s->addr,
        .bytes = bytes,
        .kind = kind,
        .state = WF_MEM_LIVE,
        .serial = ++heap.serial,
        .name = name,
        .is_initialised = is_zeroed,
    };
    heap.live_bytes += bytes;
    *addr = s->addr;
    return WF_OK;
}

enum wf_status wf_heap_alloc(enum wf_mem_kind kind, uint64_t bytes, uint64_t align,
                             const char *name, uint64_t *addr, struct wf_err *err)
{
    if (align & (align - 1))
        return wf_err_set(err, WF_E_USAGE, "alignment %llu is not a power of two",
                          (unsigned long long)align);
    pthread_mutex_lock(&heap.lock);
    enum wf_status rc = alloc_locked(kind, bytes, align, name, addr, err);
    pthread_mutex_unlock(&heap.lock);
    if (rc == WF_OK)
        tell(*addr, bytes, 0);
    return rc;
}

// The segment whose live block starts at addr, else NULL with a sentence.
static struct wf__seg *find_to_free_locked(uint64_t addr, struct wf_err *err)
{
    enum wf__zone z;
    struct wf__seg *s = zone_of_addr(addr, &z) ? wf__tree_at(&heap.tree[z], addr) : NULL;
    unsigned long long shown = addr;
    if (!s || s->is_free)
        wf_err_set(err, WF_E_USAGE, "free of 0x%llx, which is no allocation", shown);
    else if (s->block.state == WF_MEM_FREED)
        wf_err_set(err, WF_E_USAGE, "second free of 0x%llx (allocation %llu)", shown,
                   (unsigned long long)s->block.serial);
    else if (s->block.addr != addr)
        wf_err_set(err, WF_E_USAGE, "free of 0x%llx, which is %llu bytes inside allocation %llu",
                   shown, (unsigned long long)(addr - s->block.addr),
                   (unsigned long long)s->block.serial);
    else
        return s;
    return NULL;
}

enum wf_status wf_heap_free(uint64_t addr, const char *where, struct wf_err *err)
{
    pthread_mutex_lock(&heap.lock);
    struct wf__seg *s = find_to_free_locked(addr, err);
    if (!s) {
        pthread_mutex_unlock(&heap.lock);
        return WF_E_USAGE;
    }
    s->block.state = WF_MEM_FREED;
    s->block.free_where = where;
    uint64_t bytes = s->block.bytes;
    heap.live_bytes -= bytes;
    pthread_mutex_unlock(&heap.lock);

    tell(addr, bytes, 1); // before the bytes can be given to somebody else
    wf__share_end(addr);

    pthread_mutex_lock(&heap.lock);
    s->later = NULL;
    if (heap.newest)
        heap.newest->later = s;
    else
        heap.oldest = s;
    heap.newest = s;
    heap.quarantine_bytes += s->block.bytes;
    drain_quarantine_locked();
    pthread_mutex_unlock(&heap.lock);
    return WF_OK;
}

bool wf_heap_find(uint64_t addr, struct wf_mem_block *out)
{
    bool found = false;
    enum wf__zone z;
    pthread_mutex_lock(&heap.lock);
    struct wf__seg *s = zone_of_addr(addr, &z) ? wf__tree_at(&heap.tree[z], addr) : NULL;
    while (s && s->is_free)
        s = s->prev;
    if (s && (addr < s->block.addr + s->block.bytes ||
              addr - (s->block.addr + s->block.bytes) < NEAR_BYTES)) {
        *out = s->block;
        found = true;
    }
    pthread_mutex_unlock(&heap.lock);
    return found;
}

void wf_heap_describe(uint64_t addr, const char *alloc_where, bool is_read_only,
                      bool is_initialised)
{
    enum wf__zone z;
    pthread_mutex_lock(&heap.lock);
    struct wf__seg *s = zone_of_addr(addr, &z) ? wf__tree_at(&heap.tree[z], addr) : NULL;
    if (s && !s->is_free && s->block.addr == addr) {
        s->block.alloc_where = alloc_where;
        s->block.is_read_only = is_read_only;
        s->block.is_initialised = is_initialised;
    }
    pthread_mutex_unlock(&heap.lock);
}

uint64_t wf_heap_bytes_live(void)
{
    pthread_mutex_lock(&heap.lock);
    uint64_t n = heap.live_bytes;
    pthread_mutex_unlock(&heap.lock);
    return n;
}

void wf_heap_set_quarantine(uint64_t bytes)
{
    pthread_mutex_lock(&heap.lock);
    heap.quarantine_limit = bytes;
    drain_quarantine_locked();
    pthread_mutex_unlock(&heap.lock);
}

void wf_heap_listen(void (*fn)(void *arg, uint64_t addr, uint64_t bytes, int what), void *arg)
{
    pthread_mutex_lock(&heap.lock);
    heap.listener = fn;
    heap.listener_arg = arg;
    pthread_mutex_unlock(&heap.lock);
}

void wf_heap_note_write(uint64_t addr, uint64_t bytes)
{
    enum wf__zone z;
    pthread_mutex_lock(&heap.lock);
    struct wf__seg *s = zone_of_addr(addr, &z) ? wf__tree_at(&heap.tree[z], addr) : NULL;
    if (s && !s->is_free && addr == s->block.addr && bytes >= s->block.bytes)
        s->block.is_initialised = true;
    pthread_mutex_unlock(&heap.lock);
    tell(addr, bytes, 2);
}

void wf__heap_take_back(uint64_t engine_addr, uint64_t bytes)
{
    const struct wf_space *s = wf_space_get(NULL);
    uint64_t addr = engine_addr - (uint64_t)s->delta;
    enum wf__zone z;
    pthread_mutex_lock(&heap.lock);
    if (!zone_of_addr(addr, &z) || !wf__pages_has(s, z, addr))
        wf__pages_hide(s, addr, bytes);
    pthread_mutex_unlock(&heap.lock);
}

// SPDX-License-Identifier: Apache-2.0
// The memory checker. Bounds, freed memory, alignment and space of every access; reads of bytes
// that nothing ever wrote, kept as one bit a byte.
//
// The initialised bits of global memory lie in reserved pages beside the window (an eighth of it),
// cleared when memory is handed out and set by the host's writes (mem/space.h tells) and the
// device's. A warp access to bytes that are all initialised costs one look at the block table (the
// last block found is remembered) and one test of its bits.
#include "check/memory.h"

#include <inttypes.h> // PRIu64
#include <stdio.h>    // snprintf
#include <stdlib.h>   // free
#include <string.h>   // memset

#include "base/bits.h"    // WF_EACH_LANE
#include "base/os.h"      // wf_os_reserve
#include "base/vec.h"     // WF_VEC
#include "check/where.h"  // wf__where_object
#include "core/finding.h" // wf_finding_add
#include "mem/space.h"    // wf_heap_find

#define RECENT 8 // a kernel reads and writes a few arrays in turn

static struct {
    uint8_t *bits; // of global memory, one a byte
    uint64_t base, bytes;
    struct wf_mem_block recent[RECENT]; // blocks found last
    uint32_t n_recent, hit, replace;    // hit: the one found last of all
    uint64_t age;
} mem;

struct told { // a finding that came up, and how often since the store was told
    const struct wf_site *site;
    enum wf_finding_kind kind;
    uint64_t extra;
    bool is_held; // not told yet: a race at the same place may explain it
    bool is_part; // of each element some bytes were written
    struct wf_finding f;
};
static WF_VEC(struct told *) told;

// ---- bits

static void bits_set(uint8_t *bits, uint64_t at, uint64_t n, bool on)
{
    for (; n && at & 7; at++, n--)
        bits[at >> 3] =
            (uint8_t)(on ? bits[at >> 3] | 1u << (at & 7) : bits[at >> 3] & ~(1u << (at & 7)));
    memset(bits + (at >> 3), on ? 0xff : 0, n >> 3);
    for (at += n & ~UINT64_C(7), n &= 7; n; at++, n--)
        bits[at >> 3] =
            (uint8_t)(on ? bits[at >> 3] | 1u << (at & 7) : bits[at >> 3] & ~(1u << (at & 7)));
}

// Bits at..at+n (n <= 32), the first in bit 0.
static uint32_t bits_get(const uint8_t *bits, uint64_t at, uint32_t n)
{
    uint64_t v = 0;
    memcpy(&v, bits + (at >> 3), (n + (at & 7) + 7) / 8);
    v >>= at & 7;
    return (uint32_t)(n == 32 ? v : v & ((UINT64_C(1) << n) - 1));
}

// Bytes that the host can write without telling, or that are written at birth.
static bool born_written(const struct wf_mem_block *b)
{
    return b->is_initialised || b->kind != WF_MEM_DEVICE;
}

static void heap_changed(void *arg, uint64_t addr, uint64_t bytes, int what)
{
    (void)arg;
    mem.n_recent = 0;
    if (addr < mem.base || addr - mem.base > mem.bytes || bytes > mem.bytes - (addr - mem.base))
        return;
    if (what == 2) {
        bits_set(mem.bits, addr - mem.base, bytes, true);
        return;
    }
    struct wf_mem_block b;
    bool known = what == 0 && wf_heap_find(addr, &b) && b.addr == addr && born_written(&b);
    bits_set(mem.bits, addr - mem.base, bytes, known);
    mem.age += !known;
}

uint64_t wf__memory_age(void)
{
    return mem.age;
}

void wf__memory_fill(uint8_t *bits, uint64_t at, uint64_t n)
{
    bits_set(bits, at, n, true);
}

void wf__memory_init(struct wf__ctx *c)
{
    if (!c->o.memory)
        return;
    // Wide gaps, so that an index which is far off meets nothing rather than other data.
    wf_heap_keep_apart(UINT64_C(2) << 20);
    wf_heap_set_quarantine(UINT64_C(256) << 20);
    mem.base = c->o.global_base;
    mem.bytes = c->o.global_bytes;
    mem.bits = wf_os_reserve(mem.bytes / 8 + 16);
    if (mem.bits && wf_os_commit(mem.bits, mem.bytes / 8 + 16) != 0) {
        wf_os_release(mem.bits, mem.bytes / 8 + 16);
        mem.bits = NULL;
    }
    c->bits = mem.bits;
    if (mem.bits)
        wf_heap_listen(heap_changed, NULL);
}

void wf__memory_fini(struct wf__ctx *c)
{
    if (!c->o.memory)
        return;
    wf_heap_listen(NULL, NULL);
    if (mem.bits)
        wf_os_release(mem.bits, mem.bytes / 8 + 16);
    for (size_t i = 0; i < told.n; i++)
        free(told.at[i]);
    WF_VEC_FINI(&told);
    memset(&mem, 0, sizeof mem);
}

void wf__memory_block_begin(struct wf__ctx *c, struct wf__block *b)
{
    if (c->o.memory && b->slot) {
        if (!b->slot->init)
            b->slot->init = wf_xmalloc(b->slot->reserved / 16 + 16);
        memset(b->slot->init, 0, b->slot->words / 2 + 1);
        const struct wf_ev_grid *g = b->grid->ev; // the last part is the device's own and zero
        if (g->shared_reserved)
            bits_set(b->slot->init, g->shared_bytes - g->shared_reserved, g->shared_reserved, true);
    }
}

// ---- findings

static bool same_place(const struct wf_loc *a, const struct wf_loc *b)
{
    return a == b || (a && b && a->line == b->line && a->file && b->file && !strcmp(a->file, b->file));
}

// A read that comes before its write only because nothing orders the two: the race says it all.
static bool is_explained(const struct wf_site *s)
{
    for (uint32_t i = 0; i < wf_finding_total(); i++) {
        const struct wf_finding *f = wf_finding_get(i);
        bool is_race = f->kind == WF_F_RACE_SHARED || f->kind == WF_F_RACE_GLOBAL ||
                       f->kind == WF_F_RACE_WARP || f->kind == WF_F_RACE_SCOPE;
        for (uint32_t k = 0; is_race && k < f->n_parties; k++)
            if (same_place(f->party[k].loc, s->loc))
                return true;
    }
    return false;
}

void wf__memory_flush(void)
{
    for (size_t i = 0; i < told.n; i++) {
        struct told *t = told.at[i];
        if (!t->extra)
            continue;
        if (t->is_held && is_explained(t->site)) {
            t->extra = 0;
            continue;
        }
        t->is_held = false;
        t->f.count = t->extra;
        wf_finding_add(&t->f);
        t->extra = 0;
    }
}

struct where {
    const struct wf_site *site;
    struct wf__warp *w;
    uint32_t lane;
    uint64_t addr;
    uint32_t bytes;
    bool is_shared, writes;
    bool is_part; // of each element that is read some bytes were written
    uint32_t shared_bytes;
};

static const char *verb(const struct where *p)
{
    return p->site->is_atomic ? "atomic access" : p->writes ? "write" : "read";
}

static void say_bounds(const struct where *p, struct wf_finding *f, const struct wf_mem_block *b)
{
    if (p->is_shared) {
        snprintf(f->sentence, sizeof f->sentence,
                 "A %s of %u bytes at offset %" PRIu64
                 " of shared memory, of which the block has %u "
                 "bytes.",
                 verb(p), p->bytes, p->addr, p->shared_bytes);
        snprintf(f->fix, sizeof f->fix, "make the array larger or keep the index below its length");
        return;
    }
    if (b) {
        uint64_t past = p->addr - b->addr - (p->addr - b->addr < b->bytes ? 0 : b->bytes);
        snprintf(f->sentence, sizeof f->sentence,
                 "A %s of %u bytes, %" PRIu64 " bytes %s an allocation of %" PRIu64 " bytes%s%s.",
                 verb(p), p->bytes, past,
                 p->addr - b->addr < b->bytes ? "into but past the end of" : "past the end of",
                 b->bytes, b->name ? ", " : "", b->name ? b->name : "");
    } else {
        snprintf(f->sentence, sizeof f->sentence,
                 "A %s of %u bytes at 0x%" PRIx64 ", where no device memory is.", verb(p), p->bytes,
                 p->addr);
    }
    snprintf(f->why, sizeof f->why, "the address lies in no live allocation");
    snprintf(f->fix, sizeof f->fix, "check the index against the length before the access");
}

static void tell(const struct where *p, enum wf_finding_kind kind, const struct wf_mem_block *b)
{
    for (size_t i = 0; i < told.n; i++)
        if (told.at[i]->site == p->site && told.at[i]->kind == kind && told.at[i]->is_part == p->is_part) {
            told.at[i]->extra++;
            return;
        }
    const struct wf_launch *l = p->w->block->grid->ev->launch;
    struct wf_finding f = wf_finding_make(kind, p->site->kernel, l->id);
    struct wf_party *a = wf_finding_party(&f, WF_PARTY_ACCESS, p->site->loc);
    wf__where_thread(a, l, p->w->block->index, p->w->index, p->lane);
    wf__where_op(a, p->site, p->bytes, p->writes);
    wf__where_object(&f, p->is_shared, p->addr);
    if (kind == WF_F_MEM_BOUNDS) {
        say_bounds(p, &f, b);
    } else if (kind == WF_F_MEM_FREED) {
        snprintf(f.sentence, sizeof f.sentence, "A %s of %u bytes in memory that was freed%s%s.",
                 verb(p), p->bytes, b->free_where ? " at " : "",
                 b->free_where ? b->free_where : "");
        snprintf(f.fix, sizeof f.fix,
                 "free the memory after the last kernel that uses it has ended");
    } else if (kind == WF_F_MEM_MISALIGNED) {
        snprintf(f.sentence, sizeof f.sentence,
                 "A %s of %u bytes at an address that is no multiple of %u.", verb(p), p->bytes,
                 p->bytes);
        snprintf(f.fix, sizeof f.fix,
                 "align the address to the access, or use narrower accesses; this faults on a GPU");
    } else {
        snprintf(f.sentence, sizeof f.sentence,
                 "A read of %u bytes of %s memory that nothing has written.", p->bytes,
                 p->is_shared ? "shared" : "global");
        snprintf(f.why, sizeof f.why, "%s memory has no defined contents before the first write",
                 p->is_shared ? "shared" : "allocated");
        snprintf(f.fix, sizeof f.fix, "%s",
                 p->is_shared
                     ? "write every cell that is read, also by the threads past the end of the data"
                     : "initialise it (cudaMemset, cudaMemcpy or a kernel) before it is read");
    }
    struct told *t = wf_xcalloc(1, sizeof *t);
    t->f = f;
    t->is_held = kind == WF_F_MEM_UNINIT;
    if (p->is_part) { // unions and classes are copied whole, whatever lies between their members
        t->f.severity = WF_SEV_WARNING;
        snprintf(t->f.sentence, sizeof t->f.sentence, "A read of %u bytes of %s memory of which some were never written.",
                 p->bytes, p->is_shared ? "shared" : "global");
        snprintf(t->f.why, sizeof t->f.why, "a warning, because they may be padding between the members of a class");
    } else if (t->is_held && !p->site->is_atomic && !p->site->is_used) {
        t->f.severity = WF_SEV_WARNING;
        snprintf(t->f.why + strlen(t->f.why), sizeof t->f.why - strlen(t->f.why),
                 "; a warning, because what is read here is not used in every case");
    }
    t->extra = t->is_held;
    if (!t->is_held)
        wf_finding_add(&f);
    t->site = p->site;
    t->kind = kind;
    t->is_part = p->is_part;
    WF_PUSH(&told, t);
}

// ---- one lane

static bool holds(const struct wf_mem_block *b, uint64_t addr, uint64_t bytes)
{
    return addr - b->addr < b->bytes && bytes <= b->bytes - (addr - b->addr);
}

// The block in which addr lies or which it narrowly misses, NULL: nothing is there. Valid until the next call.
static const struct wf_mem_block *block_at(uint64_t addr, uint64_t bytes)
{
    if (mem.hit < mem.n_recent && holds(&mem.recent[mem.hit], addr, bytes))
        return &mem.recent[mem.hit];
    for (uint32_t i = 0; i < mem.n_recent; i++)
        if (holds(&mem.recent[i], addr, bytes)) {
            mem.hit = i;
            return &mem.recent[i];
        }
    struct wf_mem_block found;
    if (!wf_heap_find(addr, &found))
        return NULL;
    mem.hit = mem.n_recent < RECENT ? mem.n_recent++ : mem.replace++ % RECENT;
    struct wf_mem_block *b = &mem.recent[mem.hit];
    *b = found;
    if (mem.bits && b->bytes && b->state == WF_MEM_LIVE && born_written(b) && b->addr - mem.base < mem.bytes &&
        !bits_get(mem.bits, b->addr - mem.base, 1)) // older than this checker
        bits_set(mem.bits, b->addr - mem.base, b->bytes, true);
    return b;
}

// Lies addr..addr+bytes in live memory? If not it is told.
static bool in_live(const struct where *p)
{
    const struct wf_mem_block *b = block_at(p->addr, p->bytes);
    if (!b || !holds(b, p->addr, p->bytes)) {
        tell(p, WF_F_MEM_BOUNDS, !b || p->addr < b->addr ? NULL : b);
        p->w->lost |= 1u << p->lane;
        return false;
    }
    if (b->state == WF_MEM_FREED) {
        tell(p, WF_F_MEM_FREED, b);
        return false;
    }
    return true;
}

// Is one of the site's elements among these bytes as a whole?
static bool has_whole(const struct wf_site *s, uint32_t bytes)
{
    uint32_t one = s->bytes >= 32 ? UINT32_MAX : (1u << s->bytes) - 1;
    for (uint32_t i = 0; i < s->elements && i * s->bytes < 32; i++)
        if ((bytes >> i * s->bytes & one) == one)
            return true;
    return s->is_texel || !s->elements;
}

static void lane(struct wf__ctx *c, struct where *p, struct wf__block *owner, bool reads)
{
    (void)c;
    uint8_t *bits = mem.bits;
    uint64_t at = p->addr - mem.base;
    if (p->is_shared) {
        p->shared_bytes = owner->grid->ev->shared_bytes;
        if (p->addr >= p->shared_bytes || p->bytes > p->shared_bytes - p->addr) {
            tell(p, WF_F_MEM_BOUNDS, NULL);
            return;
        }
        bits = owner->slot->init;
        at = p->addr;
    } else if (!in_live(p)) {
        return;
    }
    if (p->bytes && p->addr & (p->bytes - 1u) && !(p->bytes & (p->bytes - 1u)))
        tell(p, WF_F_MEM_MISALIGNED, NULL);
    if (!bits || (!p->is_shared && at >= mem.bytes))
        return;
    if (reads && !p->writes) {
        uint32_t all = p->bytes >= 32 ? UINT32_MAX : (1u << p->bytes) - 1;
        uint32_t used = p->site->is_texel ? 1 : p->site->used_bytes; // a texel may have parts that nobody fills
        uint32_t missing = ~bits_get(bits, at, p->bytes) & all;
        if (missing & used) {
            p->is_part = !has_whole(p->site, missing & used);
            tell(p, WF_F_MEM_UNINIT, NULL);
            p->is_part = false;
            bits_set(bits, at, p->bytes, true); // once a place
        }
        return;
    }
    if (p->site->is_atomic && !p->site->is_exchange && ~bits_get(bits, at, p->bytes) & ((1u << p->bytes) - 1))
        tell(p, WF_F_MEM_UNINIT, NULL);
    bits_set(bits, at, p->bytes, true);
}

bool wf__memory_is_live(uint64_t addr, uint64_t bytes)
{
    const struct wf_mem_block *b = block_at(addr, bytes);
    return b && b->state == WF_MEM_LIVE && holds(b, addr, bytes);
}

// Lanes here and there: all bytes written, in memory that is live, and aligned.
static bool lanes_are_fine(const struct wf_ev_access *a, struct wf__block *owner, uint32_t size)
{
    bool is_shared = a->space == WF_SPACE_SHARED;
    uint64_t base = is_shared ? 0 : mem.base, end = is_shared ? owner->grid->ev->shared_bytes : mem.bytes;
    const uint8_t *bits = is_shared ? owner->slot->init : mem.bits;
    if (!bits || size > 8 || size & (size - 1) || end < size)
        return false;
    uint32_t all = (1u << size) - 1, got = all;
    bool is_one = a->is_linear && !a->stride;
    WF_EACH_LANE(is_one ? a->mask & -a->mask : a->mask, l)
    {
        uint64_t at = (a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l]) - base;
        if (at > end - size || at & (size - 1))
            return false;
        got &= (uint32_t)bits[at >> 3] >> (at & 7);
    }
    return (got & all) == all;
}

void wf__memory_access(struct wf__ctx *c, const struct wf_ev_access *a)
{
    const struct wf_site *s = a->site;
    uint32_t size = (uint32_t)s->bytes * s->elements;
    struct wf__warp *w = a->warp->user;
    if ((a->space != WF_SPACE_GLOBAL && a->space != WF_SPACE_SHARED) || !a->mask)
        return;
    struct wf__block *owner =
        a->space == WF_SPACE_SHARED ? wf__peer(w->block, a->owner_rank) : w->block;
    if (!owner)
        return;
    if (lanes_are_fine(a, owner, size))
        return;
    struct where p = {.site = s, .w = w, .bytes = size, .is_shared = a->space == WF_SPACE_SHARED};
    WF_EACH_LANE(a->mask, l)
    {
        p.lane = l;
        p.addr = a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l];
        p.writes = s->is_atomic ? a->writes >> l & 1 : s->is_write;
        lane(c, &p, owner, s->is_read || s->is_atomic);
    }
}

void wf__memory_async(struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, uint32_t l,
                      uint64_t dst, uint64_t src, uint32_t bytes)
{
    if (!c->o.memory)
        return;
    struct where p = {.site = s, .w = w, .lane = l, .bytes = bytes, .addr = src};
    lane(c, &p, w->block, true);
    p.addr = dst;
    p.is_shared = p.writes = true;
    lane(c, &p, w->block, false);
}

// In pieces as long as the checker's words; of one piece one fault is told.
static void bulk_piece(struct wf__ctx *c, const struct wf_ev_bulk *e, const struct wf_ev_piece *q, bool is_write)
{
    struct wf__warp *w = e->warp->user;
    struct where p = {.site = e->site, .w = w, .lane = e->lane, .is_shared = q->space == WF_SPACE_SHARED, .writes = is_write};
    struct wf__block *owner = p.is_shared ? wf__peer(w->block, q->owner_rank) : w->block;
    for (uint32_t i = 0; owner && i < q->bytes; i += 16) {
        p.addr = q->addr + i;
        p.bytes = q->bytes - i < 16 ? q->bytes - i : 16;
        if (p.bytes & (p.bytes - 1)) // 2 to 15 bytes of a row's end: by single elements
            p.bytes &= ~p.bytes + 1;
        lane(c, &p, owner, !is_write);
    }
}

void wf__memory_bulk(struct wf__ctx *c, const struct wf_ev_bulk *e)
{
    for (uint32_t i = 0; c->o.memory && i < e->n_read; i++)
        bulk_piece(c, e, &e->read[i], false);
    for (uint32_t i = 0; c->o.memory && i < e->n_write; i++)
        bulk_piece(c, e, &e->write[i], true);
}

// SPDX-License-Identifier: Apache-2.0
// Names for what a finding speaks of: threads, operations, places.
#include "core/loc.h" // wf_loc_user
#include "check/where.h"

#include <inttypes.h> // PRIu64
#include <stdio.h>    // snprintf
#include <string.h>   // strcmp

#include "core/loc.h"  // wf_loc_user
#include "mem/space.h" // wf_heap_find

static void split(uint32_t out[3], const struct wf_dim3 *d, uint64_t linear)
{
    uint64_t x = d->x ? d->x : 1, y = d->y ? d->y : 1;
    out[0] = (uint32_t)(linear % x);
    out[1] = (uint32_t)(linear / x % y);
    out[2] = (uint32_t)(linear / x / y);
}

void wf__where_thread(struct wf_party *p, const struct wf_launch *l, uint64_t block, uint32_t warp,
                      uint32_t lane)
{
    p->has_block = p->has_thread = true;
    p->warp = warp;
    split(p->block, &l->grid, block);
    split(p->thread, &l->block, (uint64_t)warp * 32 + lane);
}

void wf__where_op(struct wf_party *p, const struct wf_site *s, uint32_t bytes, bool is_write)
{
    if (s->is_atomic)
        snprintf(p->op, sizeof p->op, "%s", s->what);
    else
        snprintf(p->op, sizeof p->op, "%s%s of %u byte%s", s->is_volatile ? "volatile " : "",
                 is_write ? "write" : "read", bytes, bytes == 1 ? "" : "s");
}

void wf__where_object(struct wf_finding *f, bool is_shared, uint64_t addr)
{
    f->address = addr;
    if (is_shared) {
        snprintf(f->space, sizeof f->space, "shared");
        snprintf(f->object, sizeof f->object, "shared memory + %" PRIu64, addr);
        return;
    }
    struct wf_mem_block b;
    snprintf(f->space, sizeof f->space, "global");
    if (!wf_heap_find(addr, &b))
        return;
    if (b.name)
        snprintf(f->object, sizeof f->object, "%s + %" PRIu64, b.name, addr - b.addr);
    else
        snprintf(f->object, sizeof f->object,
                 "allocation %" PRIu64 " (%" PRIu64 " bytes) + %" PRIu64, b.serial, b.bytes,
                 addr - b.addr);
}

static bool same_function(const struct wf_loc *a, const struct wf_loc *b)
{
    if (!a->function || !b->function || strcmp(a->function, b->function) != 0)
        return false;
    return a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0);
}

void wf__where_common(const struct wf_loc *a, const struct wf_loc *b, const struct wf_loc **fa,
                      const struct wf_loc **fb)
{
    a = wf_loc_user(a); // not inside a library's inline function: the user's own call of it
    b = wf_loc_user(b);
    a = wf_loc_user(a); // what stands in the user's source, not in a header's atomicAdd
    b = wf_loc_user(b);
    for (const struct wf_loc *i = a; i; i = i->inlined)
        for (const struct wf_loc *j = b; j; j = j->inlined)
            if (same_function(i, j)) {
                *fa = i;
                *fb = j;
                return;
            }
    *fa = a;
    *fb = b;
}

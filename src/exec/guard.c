// SPDX-License-Identifier: Apache-2.0
// Launches that are not watched because they are proven free of races, but for one thing: that atomics whose place
// depends on data stay in the memory they are meant for. That is asked of each of them.
#include "core/trouble.h" // wf_trouble_add
#include "exec/exec_priv.h"

static bool is_inside(const struct wf_guard *g, uint32_t mask, const uint64_t *addr)
{
    uint64_t out = 0, span = g->hi - g->lo;
    if (mask == UINT32_MAX) {
        for (unsigned i = 0; i < 32; i++)
            out |= addr[i] - g->lo >= span;
        return !out;
    }
    WF_EACH_LANE(mask, lane)
        out |= addr[lane] - g->lo >= span;
    return !out;
}

static void outside(struct wf_warp *w, uint32_t site, uint32_t lane, uint64_t addr)
{
    struct wf_mem_block b;
    const struct wf_site *s = site_of(w, site);
    bool is_shared = addr < w->block->grid->base;
    bool is_near = !is_shared && wf_heap_find(addr, &b) && b.state == WF_MEM_LIVE && addr >= b.addr;
    if (is_shared ? addr + s->bytes <= w->block->grid->shared_bytes : is_near && addr - b.addr + s->bytes <= b.bytes) {
        struct wf_err err;
        wf_err_at(&err, WF_E_UNSUPPORTED, s->loc->file, s->loc->line, 0,
                  "this atomic left the memory that its other threads use, and its launch was not watched");
        wf_err_hint(&err, "--proofs no watches every launch");
        wf_trouble_add(&err, grid_of(w)->launch->kernel);
        return;
    }
    exec__mem_fault(w, site, lane, addr, s->bytes, true, WF_F_MEM_BOUNDS,
                    is_shared ? "beyond the block's shared memory"
                    : is_near ? "lies past the end of an allocation" : "lies in no live allocation");
}

void wf_x_guard(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, uint32_t is_one)
{
    const struct wf_guard *all = w->block->grid->guards;
    if (!all || !all[site].hi || !mask)
        return;
    if (is_one) {
        if (addr[0] - all[site].lo >= all[site].hi - all[site].lo)
            outside(w, site, wf_ctz32(mask), addr[0]);
        return;
    }
    if (is_inside(&all[site], mask, addr))
        return;
    WF_EACH_LANE(mask, lane)
        if (addr[lane] - all[site].lo >= all[site].hi - all[site].lo) {
            outside(w, site, lane, addr[lane]);
            return;
        }
}

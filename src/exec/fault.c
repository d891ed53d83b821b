// SPDX-License-Identifier: Apache-2.0
// Faults that end a grid, and the parties of findings that the engine itself makes.

#include <inttypes.h> // PRIx64
#include <stdio.h>    // snprintf
#include <string.h>   // memcpy

#include "exec/exec_priv.h"

void exec__stop(struct grid *g, enum wf_exec_result r)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(&g->cancel, &none, (uint32_t)r + 1);
}

void exec__thread_of(const struct wf_warp *w, uint32_t lane, uint32_t out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = w->tid[d][lane];
}

void exec__party(struct wf_finding *f, enum wf_party_role role, struct wf_warp *w, const struct wf_site *s,
                 uint32_t lanes, const char *op)
{
    struct wf_party *p = wf_finding_party(f, role, s ? s->loc : NULL);
    p->has_block = p->has_thread = true;
    memcpy(p->block, w->block->ctaid, sizeof p->block);
    if (lanes)
        exec__thread_of(w, wf_ctz32(lanes), p->thread);
    else
        p->has_thread = false;
    p->lanes = lanes;
    p->warp = w->index;
    snprintf(p->op, sizeof p->op, "%s", op ? op : s ? s->what : "");
}

static void describe(struct wf_finding *f, uint64_t addr)
{
    struct wf_mem_block b;
    if (!wf_heap_find(addr, &b)) {
        snprintf(f->object, sizeof f->object, "0x%" PRIx64 ", no allocation near", addr);
        return;
    }
    int64_t off = (int64_t)(addr - b.addr);
    bool past = (uint64_t)off >= b.bytes;
    if (b.name)
        snprintf(f->object, sizeof f->object, "%s + %" PRId64 "%s", b.name, off, past ? " (beyond its end)" : "");
    else
        snprintf(f->object, sizeof f->object, "allocation %" PRIu64 " (%" PRIu64 " bytes) + %" PRId64 "%s", b.serial,
                 b.bytes, off, past ? ", beyond its end" : b.state == WF_MEM_FREED ? ", freed" : "");
}

// Lane `lane` of w was about to touch memory that it must not; the access is not made.
void exec__mem_fault(struct wf_warp *w, uint32_t site, uint32_t lane, uint64_t addr, unsigned bytes, bool is_store,
                     enum wf_finding_kind kind, const char *what)
{
    struct grid *g = grid_of(w);
    enum wf_exec_result r = kind == WF_F_MEM_MISALIGNED ? WF_RUN_MISALIGNED : WF_RUN_FAULT;
    struct wf_finding f = wf_finding_make(kind, g->launch->kernel, g->launch->id);
    char op[64];
    snprintf(op, sizeof op, "%s of %u bytes", is_store ? "write" : "read", bytes);
    exec__party(&f, WF_PARTY_ACCESS, w, site == UINT32_MAX ? NULL : site_of(w, site), 1u << lane, op);
    f.address = addr;
    snprintf(f.sentence, sizeof f.sentence, "%s of %u bytes at 0x%" PRIx64 " %s", is_store ? "write" : "read", bytes, addr,
             what);
    if (!strcmp(what, "beyond the block's shared memory")) {
        snprintf(f.space, sizeof f.space, "shared");
        snprintf(f.object, sizeof f.object, "shared memory of %u bytes", g->ctx.shared_bytes);
    } else {
        snprintf(f.space, sizeof f.space, "global");
        describe(&f, addr);
    }
    snprintf(f.fix, sizeof f.fix, kind == WF_F_MEM_MISALIGNED ? "the address of an access must be a multiple of its size"
                                                              : "check the index against the size of the array");
    wf_finding_add(&f);
    exec__stop(g, r);
}

void exec__late_fault(struct grid *g, uint64_t addr)
{
    struct wf_finding f = wf_finding_make(WF_F_MEM_BOUNDS, g->launch->kernel, g->launch->id);
    f.address = addr;
    snprintf(f.space, sizeof f.space, "global");
    describe(&f, addr);
    snprintf(f.sentence, sizeof f.sentence, "the kernel touched 0x%" PRIx64 ", where nothing is allocated", addr);
    snprintf(f.fix, sizeof f.fix, "run it under warpfence check, which names the line");
    wf_finding_add(&f);
}

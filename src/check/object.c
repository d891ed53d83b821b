// SPDX-License-Identifier: Apache-2.0
// An mbarrier object exists for a thread only once that thread is ordered after its initialisation.
#include <stdio.h> // snprintf

#include "check/ctx.h"    // struct wf__ctx
#include "check/where.h"  // wf__where_thread
#include "core/finding.h" // wf_finding_add
#include "core/loc.h"     // wf_loc_user

void wf__mbar_made(struct wf__warp *w, const struct wf_site *s, uint32_t lane, uint32_t rank, uint64_t addr)
{
    struct wf__block *owner = wf__peer(w->block, rank);
    if (!owner || owner != w->block) // peers meet by fence.mbarrier_init and relaxed cluster barriers
        return;
    struct wf__mbar *m = wf__mbar_get(owner, addr);
    m->init = s;
    m->init_warp = (uint16_t)w->index;
    m->init_lane = (uint8_t)lane;
    m->init_epoch = w->epoch;
    m->is_told = w->block->grid->ev->blocks_per_cluster > 1;
}

void wf__mbar_used(struct wf__warp *w, const struct wf_site *s, uint32_t lane, uint32_t rank, uint64_t addr)
{
    struct wf__block *b = w->block;
    if (wf__peer(b, rank) != b)
        return;
    struct wf__mbar *m = wf__mbar_get(b, addr);
    if (!m->init || m->is_told || (m->init_warp == w->index && m->init_lane == lane) ||
        wf__covers(w, lane, b->serial, m->init_warp, 1u << m->init_lane, m->init_epoch))
        return;
    m->is_told = true;
    const struct wf_launch *l = b->grid->ev->launch;
    struct wf_finding f = wf_finding_make(WF_F_BARRIER_MISUSE, s->kernel, l->id);
    struct wf_party *p = wf_finding_party(&f, WF_PARTY_ACCESS, s->loc);
    wf__where_thread(p, l, b->index, w->index, lane);
    snprintf(p->op, sizeof p->op, "use of the barrier object");
    p = wf_finding_party(&f, WF_PARTY_ACCESS, m->init->loc);
    wf__where_thread(p, l, b->index, m->init_warp, m->init_lane);
    snprintf(p->op, sizeof p->op, "its initialisation");
    wf__where_object(&f, true, addr);
    snprintf(f.sentence, sizeof f.sentence,
             "A barrier object is used in line %u by a thread that need not have seen its initialisation in line %u.",
             wf_loc_user(s->loc)->line, wf_loc_user(m->init->loc)->line);
    snprintf(f.why, sizeof f.why, "nothing orders the use after the initialisation: it may come first");
    snprintf(f.fix, sizeof f.fix, "put __syncthreads() after line %u", wf_loc_user(m->init->loc)->line);
    wf_finding_add(&f);
}

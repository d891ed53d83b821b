// SPDX-License-Identifier: Apache-2.0
// Numbering a pool's records afresh.
#ifndef WF_CHECK_COMPACT_H
#define WF_CHECK_COMPACT_H

#include "check/ctx.h" // struct wf__ctx

// owner: whose shared memory the pool belongs to; NULL: global memory.
void wf__pool_compact(struct wf__ctx *c, struct wf__pool *p, const struct wf__block *owner);

// An asynchronous copy under way, an entry of wf__block.async; its records, 0 for none. Those of shared memory
// are in the pool of the block that has the entry.
struct wf__copy {
    uint64_t token;
    uint32_t dst, src;               // written in shared memory, read in global memory
    uint32_t src_shared, dst_global; // and the other way round
    // Complete: it counts as an access of this thread, or pseudo-thread of an mbarrier, of that block.
    bool is_done;
    uint32_t agent_block, agent, lane, epoch;
};

static inline uint32_t wf__copy_oldest(const struct wf__copy *k) // of its records in shared memory
{
    uint32_t a = k->dst ? k->dst : UINT32_MAX, b = k->src_shared ? k->src_shared : UINT32_MAX;
    return a < b ? a : b;
}

#endif

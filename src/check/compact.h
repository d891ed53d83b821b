// SPDX-License-Identifier: Apache-2.0
// Numbering a pool's records afresh.
#ifndef WF_CHECK_COMPACT_H
#define WF_CHECK_COMPACT_H

#include "check/ctx.h" // struct wf__ctx

// owner: whose shared memory the pool belongs to; NULL: global memory.
void wf__pool_compact(struct wf__ctx *c, struct wf__pool *p, const struct wf__block *owner);
// The record that a copy under way (an entry of wf__block.async) has in global or shared memory.
uint32_t *wf__copy_rec(void *copy, bool shared);

#endif

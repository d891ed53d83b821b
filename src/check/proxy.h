// SPDX-License-Identifier: Apache-2.0
// Bulk copies as accesses, and the two ways to memory (PTX ISA 8.9, proxies): ordinary accesses go by the generic
// proxy, bulk copies by the async proxy. Where a copy touches what an ordinary write put into shared memory, a
// fence.proxy.async has to stand somewhere on the way of causality from the one to the other.
#ifndef WF_CHECK_PROXY_H
#define WF_CHECK_PROXY_H

#include "check/ctx.h" // struct wf__acc

// An ordinary write to shared memory of a grid that has bulk copies.
void wf__proxy_write(struct wf__acc *x, const struct wf_ev_access *a, uint32_t size);
void wf__proxy_fence(struct wf__warp *w, uint32_t mask);
void wf__proxy_free(struct wf__block *b);
// The copy that lane of w issues now touches shared memory of its own block.
void wf__proxy_check(struct wf__acc *x, uint32_t lane, uint64_t addr, uint32_t bytes, bool is_write);

// bulk.c
void wf__race_bulk(struct wf__ctx *c, const struct wf_ev_bulk *e);
void wf__race_bulk_done(struct wf__warp *w, uint32_t lane, uint64_t token, uint32_t mbar_rank, uint64_t mbar, bool reads_only);

#endif

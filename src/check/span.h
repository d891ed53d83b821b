// SPDX-License-Identifier: Apache-2.0
// Whole-warp accesses to consecutive words, and the handles they work with.
#ifndef WF_CHECK_SPAN_H
#define WF_CHECK_SPAN_H

#include "check/ctx.h" // struct wf__acc

// A plain access by lanes to addr[0] + size * lane. False: not of the shape, or the cells hold what
// has to be looked at one by one; nothing was changed then.
bool wf__span_linear(struct wf__acc *x, const struct wf_ev_access *a, uint32_t size);

// A plain access of a pattern, no write of lanes to one word, whose lowest word lies `at` bytes behind x->addr0 and
// which lies within x->limit. The same.
bool wf__span_pattern(struct wf__acc *x, const struct wf__pattern *p, uint64_t at);

void wf__span_init(void); // once: picks the vector code for this machine

// Is everything that handle h stands for ordered before what `lane` does now? (race.c)
bool wf__handle_before(struct wf__acc *x, uint32_t h, uint32_t lane);
// The same for a record (h's) as a whole, or, in its lane by lane order, when (h & 31) == lane and the elements
// are of one size; WF__NO_LANE: as a whole. (span.c)
#define WF__NO_LANE 32u
bool wf__rec_before(struct wf__acc *x, uint32_t h, uint32_t lane);
uint32_t wf__reader_added(struct wf__acc *x, uint32_t old, uint32_t rec, uint32_t lane);

#endif

// SPDX-License-Identifier: Apache-2.0
// Filling the parties and places of a finding, shared by the checkers.
#ifndef WF_CHECK_WHERE_H
#define WF_CHECK_WHERE_H

#include "check/hb.h"     // struct wf__grid
#include "core/event.h"   // struct wf_site
#include "core/finding.h" // struct wf_party

// Coordinates of a thread: linear block in the grid, warp, lane.
void wf__where_thread(struct wf_party *p, const struct wf_launch *l, uint64_t block, uint32_t warp,
                      uint32_t lane);
// "write of 4 bytes", "volatile read of 4 bytes", "atomicAdd".
void wf__where_op(struct wf_party *p, const struct wf_site *s, uint32_t bytes, bool is_write);
// What lies at an address: f->space, address, object.
void wf__where_object(struct wf_finding *f, bool is_shared, uint64_t addr);
// The innermost pair of frames of a and b in one function; else the two themselves.
void wf__where_common(const struct wf_loc *a, const struct wf_loc *b, const struct wf_loc **fa,
                      const struct wf_loc **fb);

#endif

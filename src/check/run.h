// SPDX-License-Identifier: Apache-2.0
// The short way of a whole warp's plain access to consecutive elements.
#ifndef WF_CHECK_RUN_H
#define WF_CHECK_RUN_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "core/event.h" // struct wf_site

// The event `run` of core/event.h. Only for what subscribes to races and memory alone: no redundant barriers.
bool wf__run(void *arg, struct wf_ev_warp *w, const struct wf_site *s, bool is_shared, uint64_t addr);

#endif

// SPDX-License-Identifier: Apache-2.0
// Launches that were proven free of races before they run: may they go unwatched?
#ifndef WF_CHECK_TRUST_H
#define WF_CHECK_TRUST_H

#include "check/ctx.h" // struct wf__ctx

// The event `trusts` of core/event.h.
bool wf__trust(void *arg, struct wf_ev_grid *g, struct wf_ev_row *row, uint32_t n);
// Work comes beside a launch that was not watched, and may touch the same memory.
void wf__trust_told(const char *kernel);
// Work is put: does it come after what was trusted and could not be kept?
void wf__trust_stream(const struct wf_task *o);
void wf__trust_fini(void);

#endif

// SPDX-License-Identifier: Apache-2.0
// Plain warp accesses that can be settled as a whole, by all checkers at once.
#ifndef WF_CHECK_WHOLE_H
#define WF_CHECK_WHOLE_H

#include "check/ctx.h" // struct wf__acc

struct wf__pattern;
// The access a (p: the pattern of its addresses, or NULL) is free of races and memory faults as far as one look
// at it can tell, and is on record now. False: it has to be looked at lane by lane; nothing was changed.
bool wf__whole(struct wf__ctx *c, const struct wf_ev_access *a, const struct wf__pattern *p);

// The event `run` of core/event.h.
bool wf__whole_run(void *arg, struct wf_ev_warp *w, const struct wf_site *s, bool is_shared, uint64_t addr);

void wf__whole_init(void);

#endif

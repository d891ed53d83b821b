// SPDX-License-Identifier: Apache-2.0
// The checkers that advise: float atomics in order of arrival (order.c), hot atomics (contend.c),
// barriers that ordered nothing (redundant.c);
// and the one that warns of additions lost to a reset (reset.c).
#ifndef WF_CHECK_ADVICE_H
#define WF_CHECK_ADVICE_H

#include "check/ctx.h" // struct wf__ctx

void wf__order_access(struct wf__ctx *c, const struct wf_ev_access *a); // float additions
void wf__order_grid_end(const struct wf__grid *g);
void wf__reset_access(struct wf__ctx *c, const struct wf_ev_access *a); // of grids with has_resets
void wf__reset_fini(void);
void wf__contend_access(struct wf__ctx *c, const struct wf_ev_access *a); // atomics
// Adds to a finding about lanes that wait in a loop who else wrote there.
void wf__contend_explain(struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask, struct wf_finding *f);
void wf__contend_grid_end(const struct wf__ctx *c, const struct wf__grid *g);
void wf__contend_fini(void);

// A barrier was completed; full: by all live threads of the block.
void wf__redundant_barrier(struct wf__block *b, const struct wf_site *s, bool full);
// The access of `other` (32: several lanes) of record r comes before that of (w, lane) by barriers.
void wf__redundant_used(struct wf__warp *w, uint32_t lane, const struct wf__rec *r, uint32_t other);
void wf__redundant_sync(
    struct wf__block *b); // a fence, release or acquire: barriers beside it serve it
void wf__redundant_grid_end(const struct wf__grid *g);
void wf__redundant_fini(void);

#endif

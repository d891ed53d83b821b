// SPDX-License-Identifier: Apache-2.0
// From a clash of two accesses to a finding: which ordering is missing, and the one line that mends
// it.
#ifndef WF_CHECK_VERDICT_H
#define WF_CHECK_VERDICT_H

#include "check/ctx.h"  // struct wf__acc
#include "check/sync.h" // struct wf__loc

// Strong reads of other threads' strong writes, kept per block: links that would order a payload if
// the fences were there.
struct wf__seen {
    struct wf__loc *loc;
    const struct wf_site *site;
    const struct wf__clk *attached; // all that release patterns attached, whatever their scope
    const struct wf__clk *usable;   // of that what an acquire of device scope by this thread may claim
    uint32_t hi;                    // writes up to this number were there
    uint32_t epoch;
    uint16_t warp;
    uint8_t lane;
    bool acquires;
    uint32_t n_acq; // of the reader then
};
struct wf__link { // X, then `write` seen by `read`, then Y
    const struct wf_site *write, *read;
    bool same_thread;     // X and write are of one thread, else a barrier lies between them
    bool reader_is_other; // read and Y are not of one thread
    bool released, acquired;
    bool is_narrow;       // released, in a scope that does not take in the reader
};

void wf__seen_note(struct wf__acc *x, uint32_t lane, struct wf__loc *loc);
void wf__seen_forget_shared(struct wf__block *b); // its words are gone
bool wf__link_find(struct wf__acc *x, uint32_t lane, const struct wf__rec *e, uint32_t other,
                   const struct wf__word *word, struct wf__link *out);

// The access of `lane` now clashes with that of lane `other` of record e. word may be NULL.
void wf__race_found(struct wf__acc *x, uint32_t lane, uint64_t addr, uint8_t bytes,
                    const struct wf__rec *e, uint32_t other, enum wf__clash clash,
                    const struct wf__word *word, bool is_write);
// Reads of this grid that were told as one side of a race.
uint32_t wf__raced_reads(const struct wf_ev_grid *g, const struct wf_site **out, uint32_t most);
void wf__races_flush(void); // tells the store how often each finding came up
void wf__races_fini(void);

#endif

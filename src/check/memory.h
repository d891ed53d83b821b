// SPDX-License-Identifier: Apache-2.0
// The memory checker: bounds, freed, misaligned, uninitialised, wrong space.
#ifndef WF_CHECK_MEMORY_H
#define WF_CHECK_MEMORY_H

#include <string.h> // memcpy

#include "check/ctx.h" // struct wf__ctx

void wf__memory_init(struct wf__ctx *c);
void wf__memory_fini(struct wf__ctx *c);
void wf__memory_block_begin(struct wf__ctx *c, struct wf__block *b); // its shared memory is new
void wf__memory_access(struct wf__ctx *c, const struct wf_ev_access *a);
bool wf__memory_is_live(uint64_t addr, uint64_t bytes); // all of it, in one allocation
void wf__memory_bulk(struct wf__ctx *c, const struct wf_ev_bulk *e);
void wf__memory_async(struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, uint32_t lane,
                      uint64_t dst, uint64_t src, uint32_t bytes);
uint64_t wf__memory_age(void); // another number when bytes may have become unwritten again
// Are bytes at..at+n all written?
static inline bool wf__memory_are_set(const uint8_t *bits, uint64_t at, uint64_t n)
{
    uint64_t all = UINT64_MAX, v;
    uint32_t skip = at & 7;
    bits += at >> 3;
    for (; n + skip >= 64; n -= 64 - skip, skip = 0, bits += 8) {
        memcpy(&v, bits, 8);
        all &= v | ((UINT64_C(1) << skip) - 1);
    }
    if (n) {
        v = 0;
        memcpy(&v, bits, (n + skip + 7) / 8);
        all &= v >> skip | ~((UINT64_C(1) << n) - 1);
    }
    return all == UINT64_MAX;
}
void wf__memory_fill(uint8_t *bits, uint64_t at, uint64_t n);          // are written now
void wf__memory_flush(void);

#endif

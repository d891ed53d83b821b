// SPDX-License-Identifier: Apache-2.0
// Loops over the cells of a warp access, as vector code where the machine has it.
#ifndef WF_CHECK_CELLS_H
#define WF_CHECK_CELLS_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

struct wf__scan {              // of each half, writers and readers
    uint32_t wr_kept, rd_kept; // not 0: some cell's is not ancient for good (from `gone` on)
    uint32_t wr_live, rd_live; // not 0: some cell's is not ancient (from `floor` on)
    uint32_t wr_off, rd_off;   // not 0: not all in step: handle minus lane[i] the same
};
// n cells; idx: their places, NULL: one after the other.
void wf__cells_scan(const uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t gone,
                    uint32_t floor, struct wf__scan *s);
// The writer's half of each becomes h + lane[i], and nobody has read it since; or only the reader's half does.
void wf__cells_written(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h);
void wf__cells_read(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h);
// Have all these words (places from the first, which is word `first` of the bits) their four bits?
bool wf__cells_bits(const uint8_t *bits, uint64_t first, const uint32_t *idx, uint32_t n);

#endif

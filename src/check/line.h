// SPDX-License-Identifier: Apache-2.0
// Lines: 32 words whose cells can be told from the first one.
//
// A warp that reads or writes 32 consecutive words leaves 32 handles that differ by the lane only. Such a
// line is *closed*: its first cell, marked by WF__LINE, speaks for all, and what the other 31 hold means
// nothing. A half of it (writer, reader) is ancient, or a record of kind ACC or PAIR with elements of 4, 8
// or 16 bytes and the lane that touched word 0; word i belongs to that lane + i * 4 / bytes. Whoever wants
// to see or change a single cell opens the line first.
#ifndef WF_CHECK_LINE_H
#define WF_CHECK_LINE_H

#include "check/shadow.h" // struct wf__pool

#define WF__LINE (UINT64_C(1) << 63) // in no other cell: handles have 31 bits, and a spilled cell one half
#define WF__LINE_WORDS 32u

static inline bool wf__line_is(uint64_t first)
{
    return first >> 63;
}
static inline uint32_t wf__line_reader(uint64_t first)
{
    return (uint32_t)(first >> 32) & 0x7fffffff;
}

// log2 of the words that a lane has in a row, for elements of so many bytes.
static inline uint32_t wf__line_shift(uint32_t bytes)
{
    return bytes == 16 ? 2 : bytes == 8;
}

void wf__line_open(struct wf__pool *p, uint64_t *first);
// The handle of word i, from that of word 0.
uint32_t wf__line_handle(const struct wf__pool *p, uint32_t h, uint32_t i);

// The cell of word i, its line open.
static inline uint64_t *wf__cell_at(struct wf__pool *p, uint64_t *cell0, uint64_t i)
{
    uint64_t *first = cell0 + (i & ~UINT64_C(31));
    if (wf__line_is(*first))
        wf__line_open(p, first);
    return cell0 + i;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// How the lanes of a warp spread over words: the shape of an access without its place.
//
// An instruction that indexes a tile makes the same few shapes over and over. The first time, a shape is
// taken apart: its distinct words, and which lanes touch each; after that one vector compare recognizes it,
// and the checkers work on words instead of lanes. Patterns are never freed: records name them (shadow.h).
#ifndef WF_CHECK_PATTERN_H
#define WF_CHECK_PATTERN_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "core/event.h" // struct wf_site

#define WF__PATTERN_WORDS 128u // 32 lanes, elements of at most 16 bytes

struct wf__pattern {
    uint32_t id, mask, lanes, size; // size: bytes of an element: 4, 8 or 16
    int64_t low;             // of the lowest word, from the first lane's
    uint32_t n, span;        // distinct words; words from the lowest to the highest
    int64_t stride;          // of all lanes, INT64_MAX: not the same
    bool is_dense;           // n == span
    bool is_grouped;         // some word is touched by several lanes
    uint32_t least, most;    // of lane[]
    uint32_t idx[WF__PATTERN_WORDS];  // of each word, ascending, from the lowest
    uint32_t lane[WF__PATTERN_WORDS]; // the lowest lane that touches it
    uint32_t group[32];               // by such a lane: all lanes that do
    uint64_t want[32], care[32];      // distance of each lane from the first one; 0 or all bits
    struct wf__pattern *next;         // same hash
};

// NULL when the lanes' addresses are not whole aligned elements within 2^20 bytes, or form too many shapes.
const struct wf__pattern *wf__pattern_of(const struct wf_site *s, const uint64_t *addr, uint32_t mask);
// The same of addr + stride * lane.
const struct wf__pattern *wf__pattern_of_linear(const struct wf_site *s, uint64_t addr, int64_t stride, uint32_t mask);
const struct wf__pattern *wf__pattern_get(uint32_t id);
void wf__pattern_fini(void);

#endif

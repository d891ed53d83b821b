// SPDX-License-Identifier: Apache-2.0
// How compiled code tells wf_x_memory the addresses of a warp's lanes: in the fewest words, so that the
// rare path costs little code where it is called.
#ifndef WF_JIT_LANES_H
#define WF_JIT_LANES_H

#include <stdint.h> // uint64_t

#define WF_LANES_SHIFT 17 // place of the form in wf_x_memory's code, three bits

enum wf_lanes_form {
    WF_LANES_EACH,     // uint64_t[32]
    WF_LANES_EACH32,   // uint32_t[32]
    WF_LANES_LINEAR,   // struct wf_lanes: base + stride * lane
    WF_LANES_LINEAR32, // the same, wrapped to 32 bits
    WF_LANES_INDEX_S,  // base + scale * (the index at this lane - the index at lane 0), a signed 32-bit index
    WF_LANES_INDEX_U,
};

struct wf_lanes {
    uint64_t base; // lane 0's address
    int64_t stride, scale;
    uint32_t index, unused;
};

// What wf_x_memory is to do: bytes of an element, elements, the form of the addresses, enum ptx_space.
static inline unsigned wf_lanes_code(unsigned bytes, unsigned n, unsigned is_store, unsigned form, unsigned space)
{
    return bytes | n << 8 | is_store << 16 | form << WF_LANES_SHIFT | space << 24;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Lane masks, alignment, bit counts.
#ifndef WF_BASE_BITS_H
#define WF_BASE_BITS_H

#include <stdint.h> // uint32_t

// Written out: where the machine's instruction may not be used, the compiler's own is a call.
static inline unsigned wf_popcount32(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return (uint32_t)(((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101u) >> 24;
}

// Index of the lowest set bit; x must not be 0.
static inline unsigned wf_ctz32(uint32_t x)
{
    return (unsigned)__builtin_ctz(x);
}

static inline uint64_t wf_align_up(uint64_t x, uint64_t to) // `to` a power of two
{
    return (x + to - 1) & ~(to - 1);
}

// for each set lane: WF_EACH_LANE(mask, lane) { ... }
#define WF_EACH_LANE(mask, lane)                                                                   \
    for (uint32_t m_##lane = (mask), lane; m_##lane && ((lane = wf_ctz32(m_##lane)), 1);           \
         m_##lane &= m_##lane - 1)

#endif

// SPDX-License-Identifier: Apache-2.0
// Bit functions that are rare and awkward as vectors.
#include "jit/helper.h"

// fns.b32: the position of the offset-th set bit of mask, counted from bit `base` upward (offset >
// 0) or downward (offset < 0); offset 0 asks whether bit `base` itself is set. 0xffffffff: there is
// none. The smallest offset has no magnitude; the H200 then says 0.
static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == INT32_MIN)
        return 0;
    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return (mask >> base) & 1 ? base : UINT32_MAX;
    int step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? offset : -(int64_t)offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at) & 1 && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

void wf__h_fns(const void *const src[], void *dst, uint32_t lanes)
{
    const uint32_t *mask = src[0], *base = src[1];
    const int32_t *offset = src[2];
    uint32_t *out = dst;
    for (uint32_t i = 0; i < lanes; i++)
        out[i] = find_nth(mask[i], base[i], offset[i]);
}

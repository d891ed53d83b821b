// SPDX-License-Identifier: Apache-2.0
// Geometry of tensor maps (PTX ISA 5.5): which bytes of a box lie where.

#include <string.h> // memset

#include "exec/tmap.h"

unsigned wf_tmap_type_bytes(unsigned type)
{
    static const uint8_t bytes[WF_TMAP_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < WF_TMAP_TYPES ? bytes[type] : 0;
}

uint32_t wf_tmap_count(const struct wf_tmap *t, unsigned d)
{
    return (t->box[d] + t->step[d] - 1u) / t->step[d];
}

uint64_t wf_tmap_box_bytes(const struct wf_tmap *t)
{
    uint64_t n = t->elem_bytes;
    for (unsigned d = 0; d < t->rank; d++)
        n *= wf_tmap_count(t, d);
    return n;
}

static bool is_inside(const struct wf_tmap *t, unsigned d, int64_t x)
{
    return x >= 0 && x <= (int64_t)t->last[d];
}

// The elements of one row (dimension 0) from global address `row` on.
static bool each_in_row(const struct wf_tmap *t, int32_t x0, uint64_t row, uint32_t box,
                        bool (*fn)(void *arg, const struct wf_tmap_run *run), void *arg)
{
    uint32_t n = wf_tmap_count(t, 0), e = t->elem_bytes;
    for (uint32_t i = 0; i < n;) {
        int64_t x = (int64_t)x0 + (int64_t)i * t->step[0];
        uint32_t len = 1;
        if (!is_inside(t, 0, x)) {
            i++;
            continue;
        }
        while (t->step[0] == 1 && i + len < n && is_inside(t, 0, x + len))
            len++;
        struct wf_tmap_run run = {row + (uint64_t)x * e, box + i * e, len * e};
        if (!fn(arg, &run))
            return false;
        i += len;
    }
    return true;
}

bool wf_tmap_each(const struct wf_tmap *t, const int32_t *coord, bool (*fn)(void *arg, const struct wf_tmap_run *run),
                  void *arg)
{
    uint32_t at[WF_TMAP_DIMS] = {0}, row_bytes = wf_tmap_count(t, 0) * t->elem_bytes, box = 0;
    for (;;) {
        uint64_t row = t->base;
        bool inside = true;
        for (unsigned d = 1; d < t->rank; d++) {
            int64_t x = (int64_t)coord[d] + (int64_t)at[d] * t->step[d];
            inside &= is_inside(t, d, x);
            row += (uint64_t)x * t->stride[d];
        }
        if (inside && !each_in_row(t, coord[0], row, box, fn, arg))
            return false;
        box += row_bytes;
        unsigned d = 1;
        while (d < t->rank && ++at[d] == wf_tmap_count(t, d))
            at[d++] = 0;
        if (d >= t->rank)
            return true;
    }
}

// The 16-byte pieces of 8 (4, 2) rows of 128 (64, 32) bytes change places: bits of the address are mixed.
uint32_t wf_tmap_place(const struct wf_tmap *t, uint32_t shared, uint32_t offset)
{
    uint32_t a = shared + offset;
    switch (t->swizzle) {
    case WF_TMAP_SWIZZLE_32B:
        return a ^ (a >> 7 & 1) << 4;
    case WF_TMAP_SWIZZLE_64B:
        return a ^ (a >> 7 & 3) << 4;
    case WF_TMAP_SWIZZLE_128B:
        return a ^ (a >> 7 & 7) << 4;
    default:
        return a;
    }
}

void wf_tmap_fill(const struct wf_tmap *t, uint8_t *to, uint64_t n)
{
    memset(to, 0, n);
    for (uint64_t i = 0; t->fills_nan && i < n; i += t->elem_bytes) { // all ones but the sign
        memset(to + i, 0xff, t->elem_bytes);
        to[i + t->elem_bytes - 1] = 0x7f;
    }
}

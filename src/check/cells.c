// SPDX-License-Identifier: Apache-2.0
// See cells.h.
#include "check/cells.h"

#if defined(__x86_64__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define WIDE
#endif

#define SCAN(AT)                                                                                   \
    uint32_t w0 = (uint32_t)c[AT(0)] - lane[0], r0 = (uint32_t)(c[AT(0)] >> 32) - lane[0];         \
    uint32_t wk = 0, rk = 0, wl = 0, rl = 0, wo = 0, ro = 0;                                       \
    for (uint32_t i = 0; i < n; i++) {                                                             \
        uint32_t w = (uint32_t)c[AT(i)], r = (uint32_t)(c[AT(i)] >> 32);                           \
        wk |= w >= gone;                                                                           \
        rk |= r >= gone;                                                                           \
        wl |= w >= floor;                                                                          \
        rl |= r >= floor;                                                                          \
        wo |= (w - lane[i]) ^ w0;                                                                  \
        ro |= (r - lane[i]) ^ r0;                                                                  \
    }                                                                                              \
    *s = (struct wf__scan){wk, rk, wl, rl, wo, ro};
#define STORE(AT)                                                                                  \
    for (uint32_t i = 0; i < n; i++)                                                               \
        c[AT(i)] = (c[AT(i)] & keep) | (uint64_t)(h + lane[i]) << shift;
#define ROW(i) i
#define PLACE(i) idx[i]

WIDE static void scan_row(const uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t gone, uint32_t floor,
                          struct wf__scan *s)
{
    SCAN(ROW)
}

WIDE static void scan_places(const uint64_t *c, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t gone,
                             uint32_t floor, struct wf__scan *s)
{
    SCAN(PLACE)
}

WIDE static void store_row(uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep, uint32_t shift)
{
    STORE(ROW)
}

// Places differ, which the compiler cannot know.
static void store_places(uint64_t *c, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep,
                         uint32_t shift)
{
    STORE(PLACE)
}

void wf__cells_scan(const uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t gone,
                    uint32_t floor, struct wf__scan *s)
{
    if (idx)
        scan_places(cell, idx, n, lane, gone, floor, s);
    else
        scan_row(cell, n, lane, gone, floor, s);
}

static void store(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep,
                  uint32_t shift)
{
    if (idx)
        store_places(cell, idx, n, lane, h, keep, shift);
    else
        store_row(cell, n, lane, h, keep, shift);
}

void wf__cells_written(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h)
{
    store(cell, idx, n, lane, h, 0, 0);
}

void wf__cells_read(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h)
{
    store(cell, idx, n, lane, h, UINT32_MAX, 32);
}

// SPDX-License-Identifier: Apache-2.0
// See cells.h.
#include "check/cells.h"

#if defined(__x86_64__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
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

static inline void scan_row(const uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t gone, uint32_t floor,
                          struct wf__scan *s)
{
    SCAN(ROW)
}

static inline void scan_places(const uint64_t *c, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t gone,
                             uint32_t floor, struct wf__scan *s)
{
    SCAN(PLACE)
}

static inline void store_row(uint64_t *c, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep, uint32_t shift)
{
    STORE(ROW)
}

// Places differ, which the compiler cannot know.
static inline void store_places(uint64_t *c, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep,
                         uint32_t shift)
{
    STORE(PLACE)
}

static inline uint32_t bits_of(const uint32_t *bits, uint32_t skip, const uint32_t *idx, uint32_t n)
{
    uint32_t all = 0xf;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = idx[i] + skip;
        all &= bits[at >> 3] >> (at & 7) * 4;
    }
    return all;
}

WIDE bool wf__cells_bits(const uint8_t *bits, uint64_t first, const uint32_t *idx, uint32_t n)
{
    if (n > 4)
        return bits_of((const uint32_t *)(const void *)bits + first / 8, first % 8, idx, n) == 0xf;
    uint32_t all = 0xf;
    for (uint32_t i = 0; i < n; i++)
        all &= (uint32_t)bits[(first + idx[i]) / 2] >> (first + idx[i]) % 2 * 4;
    return all == 0xf;
}

WIDE void wf__cells_scan(const uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t gone,
                    uint32_t floor, struct wf__scan *s)
{
    if (idx)
        scan_places(cell, idx, n, lane, gone, floor, s);
    else
        scan_row(cell, n, lane, gone, floor, s);
}

static inline void store(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h, uint64_t keep,
                  uint32_t shift)
{
    if (idx)
        store_places(cell, idx, n, lane, h, keep, shift);
    else
        store_row(cell, n, lane, h, keep, shift);
}

WIDE void wf__cells_written(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h)
{
    store(cell, idx, n, lane, h, 0, 0);
}

WIDE void wf__cells_read(uint64_t *cell, const uint32_t *idx, uint32_t n, const uint32_t *lane, uint32_t h)
{
    store(cell, idx, n, lane, h, UINT32_MAX, 32);
}

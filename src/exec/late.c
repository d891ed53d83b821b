// SPDX-License-Identifier: Apache-2.0
// Additions to global memory that nobody can see before the grid ends (ir/late.c says when): each worker sums up
// what it adds to one place and makes the locked additions when it needs the room, or at the end. Places are kept by
// rows of 32 words: a block that hands on its own histogram adds whole rows.

#include <string.h> // memset

#include "exec/exec_priv.h"

#define ROW_BYTES 128u

static void make(uintptr_t row, uint32_t *sum)
{
    for (unsigned i = 0; i < 32; i++)
        if (sum[i])
            __atomic_fetch_add((uint32_t *)(row * ROW_BYTES) + i, sum[i], __ATOMIC_RELAXED);
    memset(sum, 0, ROW_BYTES);
}

// The sums of the row in which p lies.
static inline uint32_t *row_of(struct late_adds *t, uintptr_t p)
{
    uintptr_t row = p / ROW_BYTES, k = row % LATE_ROWS;
    if (t->row[k] != row) {
        make(t->row[k], t->sum[k]);
        t->row[k] = row;
        t->sum[k][0] = *(volatile uint32_t *)p & 0; // a wild address faults here, where it is known whose it is
    }
    return t->sum[k];
}

void wf_x_add32_late(struct wf_block *b, uint32_t *p, uint32_t value)
{
    row_of(b->adds, (uintptr_t)p)[(uintptr_t)p / 4 % 32] += value;
}

// All 32 words of a row, in order?
static inline bool is_row(const uint64_t *addr, uintptr_t first)
{
    uint64_t off = first % ROW_BYTES;
    for (unsigned i = 0; i < 32; i++)
        off |= addr[i] - addr[0] - 4 * i;
    return !off;
}

#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif
void wf_x_adds32_late(uint8_t *base, const uint64_t *addr, const uint32_t *value, uint32_t mask, struct wf_block *b)
{
    struct late_adds *t = b->adds;
    if (mask == UINT32_MAX && is_row(addr, (uintptr_t)base + addr[0])) {
        uint32_t *restrict sum = row_of(t, (uintptr_t)base + addr[0]);
        const uint32_t *restrict v = value;
        for (unsigned i = 0; i < 32; i++)
            sum[i] += v[i];
        return;
    }
    WF_EACH_LANE(mask, lane)
    {
        uintptr_t p = (uintptr_t)base + addr[lane];
        row_of(t, p)[p / 4 % 32] += value[lane];
    }
}

void exec__make_late_adds(struct late_adds *t)
{
    for (unsigned k = 0; k < LATE_ROWS; k++)
        if (t->row[k])
            make(t->row[k], t->sum[k]);
}

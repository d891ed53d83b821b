// SPDX-License-Identifier: Apache-2.0
// Additions to global memory that nobody can see before the grid ends (ir/late.c says when): each worker sums up
// what it adds to one address and makes the locked addition when it needs the place, or at the end.

#include "exec/exec_priv.h"

static inline void add(struct late_adds *t, uint32_t *p, uint32_t value)
{
    struct late_add *e = &t->at[(uintptr_t)p / 4 % LATE_ADDS];
    if (e->p != p) {
        if (e->sum)
            __atomic_fetch_add(e->p, e->sum, __ATOMIC_RELAXED);
        e->p = p;
        e->sum = *(volatile uint32_t *)p & 0; // a wild address faults here, where it is known whose it is
    }
    e->sum += value;
}

void wf_x_add32_late(struct wf_block *b, uint32_t *p, uint32_t value)
{
    add(b->adds, p, value);
}

void wf_x_adds32_late(uint8_t *base, const uint64_t *addr, const uint32_t *value, uint32_t mask, struct wf_block *b)
{
    struct late_adds *t = b->adds;
    if (mask == UINT32_MAX) {
        for (unsigned i = 0; i < 32; i++)
            add(t, (uint32_t *)((uintptr_t)base + addr[i]), value[i]);
        return;
    }
    WF_EACH_LANE(mask, lane)
        add(t, (uint32_t *)((uintptr_t)base + addr[lane]), value[lane]);
}

void exec__make_late_adds(struct late_adds *t)
{
    for (unsigned i = 0; i < LATE_ADDS; i++)
        if (t->at[i].sum)
            __atomic_fetch_add(t->at[i].p, t->at[i].sum, __ATOMIC_RELAXED);
}

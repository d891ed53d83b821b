// SPDX-License-Identifier: Apache-2.0
// Ticket lock between blocks: a block as a whole enters and leaves, in the order it asked.
// Limits: every thread of the block calls, in convergence (a single thread cannot take it); it cannot
// be taken twice by one block; the holder must not wait for a block that waits for the lock. A waiting
// block keeps its place on the multiprocessor; that is safe, because a ticket is drawn by a running
// block only, so the holder always runs. It is no way to be fast: prefer private results and a
// reduction.
#ifndef WF_TICKET_LOCK_CUH
#define WF_TICKET_LOCK_CUH

#include "wf_base.cuh"

// In global memory, zero at the start.
struct wf_ticket_lock {
    unsigned next, serving;
};

// What the last holder wrote can be read, with plain loads, by every thread of this block.
WF_DEVICE void wf_lock_enter(struct wf_ticket_lock *lock)
{
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const unsigned ticket = wf_add_relaxed(&lock->next, 1);
        while (wf_load_acquire(&lock->serving) != ticket)
            continue;
    }
    __syncthreads();
}

WF_DEVICE void wf_lock_leave(struct wf_ticket_lock *lock)
{
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        wf_store_release(&lock->serving, wf_load_relaxed(&lock->serving) + 1);
}

#endif

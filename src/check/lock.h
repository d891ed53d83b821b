// SPDX-License-Identifier: Apache-2.0
// Hooks of one grid come one after another, those of different grids may not. While one grid runs a
// hook costs one flag; when a second begins, all hooks take a lock.
//
// The change from one to several is the difficulty: a hook that saw "one" may still be inside. The
// beginner raises `many`, makes all threads of the process pass a barrier (membarrier), and waits
// for the flag of the running hook to fall.
#ifndef WF_CHECK_LOCK_H
#define WF_CHECK_LOCK_H

#include <stdatomic.h> // atomic_bool
#include <stdbool.h>   // bool

void wf__lock_grid_begin(void); // counts a grid; returns with the lock held
void wf__lock_grid_leave(void); // gives the lock back
void wf__lock_grid_enter(void); // takes it again, at the end
// In a signal handler, at the end of the process: takes it if that goes within a moment. Not given back.
void wf__lock_or_not(void);
void wf__lock_grid_end(void);   // counts the grid off and gives the lock back

extern atomic_bool wf__lock_many;    // hooks must take the mutex
extern atomic_bool wf__lock_in_hook; // a hook is inside without it
void wf__lock_take(void);
void wf__lock_drop(void);

// Around a hook. Returns whether it took the lock, which is for the end.
static inline bool wf__lock_hook_begin(void)
{
    atomic_store_explicit(&wf__lock_in_hook, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); // membarrier on the other side makes it a real one
    if (!atomic_load_explicit(&wf__lock_many, memory_order_relaxed))
        return false;
    wf__lock_take();
    return true;
}
static inline void wf__lock_hook_end(bool took)
{
    if (took)
        wf__lock_drop();
    else
        atomic_store_explicit(&wf__lock_in_hook, false, memory_order_release);
}

#endif

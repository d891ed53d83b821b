// SPDX-License-Identifier: Apache-2.0
// Hooks of one grid come one after another, those of different grids may not. While one grid runs a
// hook costs one flag; when a second begins, all hooks take a lock.
//
// The change from one to several is the difficulty: a hook that saw "one" may still be inside. The
// beginner raises `many`, makes all threads of the process pass a barrier (membarrier), and waits
// for the flag of the running hook to fall.
#ifndef WF_CHECK_LOCK_H
#define WF_CHECK_LOCK_H

#include <stdbool.h> // bool

void wf__lock_grid_begin(void); // counts a grid; returns with the lock held
void wf__lock_grid_leave(void); // gives the lock back
void wf__lock_grid_enter(void); // takes it again, at the end
// In a signal handler, at the end of the process: takes it if that goes within a moment. Not given back.
void wf__lock_or_not(void);
void wf__lock_grid_end(void);   // counts the grid off and gives the lock back
void wf__lock_hook_begin(void);
void wf__lock_hook_end(void);

#endif

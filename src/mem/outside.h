// SPDX-License-Identifier: Apache-2.0
// A grid that cannot go on by itself may still be let go on from outside: the host writes a flag in
// host-visible memory or issues a copy, work in another stream stores the value. Who could do that
// is known to the runtime, which answers; the engine asks before it calls a standstill a deadlock.
#ifndef WF_MEM_OUTSIDE_H
#define WF_MEM_OUTSIDE_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

// May anything but the running grids still write memory? `stuck` grids stand still, the asking one
// included. False without a runtime.
bool wf_mem_outside_may_write(uint32_t stuck);
void wf_mem_outside_set(bool (*fn)(uint32_t stuck));
// A grid has done nothing but wait for a while: whoever holds the host back for it lets it go on.
void wf_mem_outside_idle(void);
void wf_mem_outside_idle_set(void (*fn)(void));

#endif

// SPDX-License-Identifier: Apache-2.0
// What happens when an address of the window is followed that has no memory.
//
// At the program's side it is host code that dereferences a device pointer (or one freed): a
// finding with the allocation's name, then the process ends as it would without us. At the engine's
// side it is a kernel out of bounds: the page is made accessible for the moment and the fault is
// recorded, so that the engine ends the launch with "illegal address". Everything else goes to the
// handler that was there before.
#ifndef WF_MEM_FAULT_H
#define WF_MEM_FAULT_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

// Installs the handler for SIGSEGV and SIGBUS, or puts it back in front when the program has put
// its own there. Cheap; called before every launch. Thread-safe.
void wf_mem_fault_install(void);
// What the calling thread does for a kernel from now on ("running", "compiling"), and for which: told if it dies of it.
// NULL: nothing any more. Gives what was said before. The strings are borrowed.
struct wf_mem_work {
    const char *doing, *kernel;
};
struct wf_mem_work wf_mem_fault_work(struct wf_mem_work now);
// Called in the handler, after the finding was stored and before the process dies. While there is
// none (NULL) the handler writes one line to standard error itself.
void wf_mem_fault_on_host(void (*fn)(void));
// The first engine-side fault since the last call, as a program-visible address. The pages that
// were lent meanwhile are taken back, so no kernel may be running that could still touch them.
bool wf_mem_fault_take(uint64_t *addr);
// A fault is recorded and not yet taken. One load: for loops.
bool wf_mem_fault_pending(void);

#endif

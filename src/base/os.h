// SPDX-License-Identifier: Apache-2.0
// The only system-specific layer: pages, clock, processor count.
#ifndef WF_BASE_OS_H
#define WF_BASE_OS_H

#include <stddef.h> // size_t
#include <stdint.h> // uint64_t

uint64_t wf_os_now_ns(void); // monotonic
// Gives the calling thread, if it has none, a stack for signal handlers, so that one can tell that the thread's own is full.
void wf_os_signal_stack(void);
unsigned wf_os_cpus(void);   // processors this process may use, at least 1
uint64_t
wf_os_build_stamp(void); // another value when the program or library this code is in was built anew
// Address space without memory behind it (PROT_NONE). NULL on failure.
void *wf_os_reserve(size_t bytes);
void *wf_os_reserve_at(void *want, size_t bytes); // exactly there, or NULL
int wf_os_commit(void *p, size_t bytes);          // private zero pages read-write; 0 or -1
int wf_os_decommit(void *p, size_t bytes);        // back to PROT_NONE, memory given up; 0 or -1
void wf_os_release(void *p, size_t bytes);
uint64_t wf_os_cache_bytes(void); // of the largest cache; a guess when the system does not tell
void wf_os_want_huge(void *p, size_t bytes); // large pages, if the system has them: memory that is used densely

#endif

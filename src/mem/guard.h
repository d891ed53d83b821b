// SPDX-License-Identifier: Apache-2.0
// Pages of host-visible memory whose use by the host is to be told: protected at the program's side only.
// An access that faults is told, made (the page is open for that one instruction) and the page closed
// again; after some dozens of accesses to one page it stays open.
//
// System calls cannot be told: one that is handed a watched page fails with EFAULT, so no page is watched
// longer than work is under way that uses it.
#ifndef WF_MEM_GUARD_H
#define WF_MEM_GUARD_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "core/task.h" // struct wf_task

enum wf_guard { WF_GUARD_OPEN, WF_GUARD_WRITES, WF_GUARD_ALL };

struct wf_guard_access {
    uint64_t addr; // program-visible
    bool is_write;
    const struct wf_task *as; // inside a host function of a stream: that; else NULL
};

// What is told, in a signal handler of the thread that makes the access. Returns true when the host learns
// by it that some work is over (a flag that it waits for): *learned is what, and is handed to `on_learned`.
void wf_mem_guard_listen(bool (*fn)(void *arg, const struct wf_guard_access *a,
                                    struct wf_task *learned),
                         void *arg);
void wf_mem_guard_on_learned(void (*fn)(const struct wf_task *o));
// This thread runs a host function of a stream from now on; NULL: no more.
void wf_mem_guard_as(const struct wf_task *o);

// The range of addresses that can be watched.
void wf_mem_guard_zone(uint64_t *lo, uint64_t *hi);
// Whole pages. A stricter watch stays as it is, except by WF_GUARD_OPEN. Pages without memory are passed
// over.
void wf_mem_guard_set(uint64_t addr, uint64_t bytes, enum wf_guard how);

// In the fault handler: was it one of ours?
bool wf__guard_fault(uint64_t addr, bool is_write, void *context);

#endif

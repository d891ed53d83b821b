// SPDX-License-Identifier: Apache-2.0
// Allocation as the two APIs see it: device, pinned, managed, pitched, and the program's own memory
// registered for the device. Addresses are program-visible.
#ifndef WF_RT_MEMORY_H
#define WF_RT_MEMORY_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h" // enum wf_cu

// What an address is, in CUDA's numbers for the memory type.
enum wf_rt_memory_type {
    WF_RT_MEMORY_UNREGISTERED,
    WF_RT_MEMORY_HOST,
    WF_RT_MEMORY_DEVICE,
    WF_RT_MEMORY_MANAGED
};
struct wf_rt_pointer {
    enum wf_rt_memory_type type;
    uint64_t device, host; // 0 when it cannot be reached from there
    uint64_t base, bytes;  // of the allocation; 0 when unregistered
    uint64_t serial;
};

enum wf_cu wf_rt_malloc(uint64_t *out, uint64_t bytes);
enum wf_cu wf_rt_malloc_pitch(uint64_t *out, uint64_t *pitch, uint64_t width, uint64_t height);
enum wf_cu wf_rt_malloc_host(uint64_t *out, uint64_t bytes, unsigned flags);
enum wf_cu wf_rt_malloc_managed(uint64_t *out, uint64_t bytes, unsigned flags);
enum wf_cu wf_rt_free(uint64_t addr);      // device and managed; waits for the device
enum wf_cu wf_rt_free_host(uint64_t addr); // pinned
enum wf_cu wf_rt_mem_info(uint64_t *free_bytes, uint64_t *total);
void wf_rt_pointer(uint64_t addr, struct wf_rt_pointer *out);

enum wf_cu wf_rt_host_register(uint64_t host, uint64_t bytes, unsigned flags);
enum wf_cu wf_rt_host_unregister(uint64_t host);
enum wf_cu wf_rt_host_device_pointer(uint64_t *out, uint64_t host, unsigned flags);
enum wf_cu wf_rt_host_flags(unsigned *flags, uint64_t host);
enum wf_cu wf_rt_managed_range(uint64_t addr, uint64_t bytes); // advice and prefetch: is it one

#define WF__PITCH_ALIGN 512u

// One device block counted against the modelled GPU's memory; pool: its owner, or NULL.
enum wf_cu wf__memory_device(uint64_t bytes, void *pool, const char *where, uint64_t *out);
// The pool of a live device allocation that starts at addr. False when there is no such allocation.
bool wf__memory_pool_of(uint64_t addr, void **pool, uint64_t *bytes);
enum wf_cu wf__memory_drop(uint64_t addr, const char *where); // without waiting
void wf__memory_reset(void);

#endif

// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: physical memory by handle, reserved addresses, and mappings of the one at
// the other. Physical memory is a file, so it can lie at several addresses and in several processes.
#ifndef WF_RT_VMM_H
#define WF_RT_VMM_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h" // enum wf_cu

#define WF_RT_VMM_GRAIN (UINT64_C(2) << 20)

struct wf_rt_physical {
    uint64_t bytes;
    int handle_types;   // as asked for
    unsigned char kept[8]; // allocation flags of the program, given back when asked
};

enum wf_cu wf_rt_vmm_create(uint64_t *out, const struct wf_rt_physical *p);
enum wf_cu wf_rt_vmm_release(uint64_t handle); // the memory goes with its last mapping
enum wf_cu wf_rt_vmm_info(uint64_t handle, struct wf_rt_physical *out);
enum wf_cu wf_rt_vmm_retain(uint64_t *out, uint64_t addr); // of what is mapped there
enum wf_cu wf_rt_vmm_export(int *fd, uint64_t handle);     // a descriptor of the caller's
enum wf_cu wf_rt_vmm_import(uint64_t *out, int fd);
enum wf_cu wf_rt_vmm_reserve(uint64_t *addr, uint64_t bytes, uint64_t align);
enum wf_cu wf_rt_vmm_free(uint64_t addr, uint64_t bytes);
enum wf_cu wf_rt_vmm_map(uint64_t addr, uint64_t bytes, uint64_t offset, uint64_t handle);
enum wf_cu wf_rt_vmm_unmap(uint64_t addr, uint64_t bytes); // waits for the device
// Is the whole range mapped?
enum wf_cu wf_rt_vmm_range(uint64_t addr, uint64_t bytes);

#endif

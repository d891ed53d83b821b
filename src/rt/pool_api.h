// SPDX-License-Identifier: Apache-2.0
// Memory pools as the interfaces take and give them: one body for both (CUDA guide, "Stream Ordered Memory
// Allocator"). Pools lie on the one device.
#ifndef WF_RT_POOL_API_H
#define WF_RT_POOL_API_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h"      // enum wf_cu
#include "rt/pool_abi.h" // struct abi_location

#define WF_RT_POOL_PINNED 1 // the type of allocation

bool wf_rt_pool_is_here(const struct abi_location *at, int type);
// *out: what `ask` gives, of the device.
enum wf_cu wf_rt_pool_give(void **out, enum wf_cu (*ask)(uint64_t *), int device);
enum wf_cu wf_rt_pool_give_here(void **out, enum wf_cu (*ask)(uint64_t *), const struct abi_location *at, int type);
// WF_CU_NOT_SUPPORTED when it is to be shared with other processes by other means than file descriptors.
enum wf_cu wf_rt_pool_make(void **out, const struct abi_pool_props *p);
enum wf_cu wf_rt_pool_make_current(int device, uint64_t pool);
// The first three attributes are ints, the others 64 bits wide.
enum wf_cu wf_rt_pool_get_attr(uint64_t pool, int attr, void *out);
enum wf_cu wf_rt_pool_set_attr(uint64_t pool, int attr, const void *value);
enum wf_cu wf_rt_pool_set_access(uint64_t pool, const struct abi_access *list, size_t n);
enum wf_cu wf_rt_pool_get_access(int *out, uint64_t pool, const struct abi_location *at);

#endif

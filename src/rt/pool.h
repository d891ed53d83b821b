// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and memory pools. A pool here is bookkeeping: blocks come from the heap
// at once and go back when the stream gets there.
#ifndef WF_RT_POOL_H
#define WF_RT_POOL_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h" // enum wf_cu

// CUDA's numbers.
enum wf_rt_pool_attr {
    WF_RT_POOL_FOLLOW_EVENTS = 1,
    WF_RT_POOL_OPPORTUNISTIC,
    WF_RT_POOL_INTERNAL_DEPS,
    WF_RT_POOL_RELEASE_THRESHOLD,
    WF_RT_POOL_RESERVED,
    WF_RT_POOL_RESERVED_HIGH,
    WF_RT_POOL_USED,
    WF_RT_POOL_USED_HIGH
};

enum wf_cu wf_rt_pool_create(uint64_t *out);
enum wf_cu wf_rt_pool_destroy(uint64_t pool);
enum wf_cu wf_rt_pool_default(uint64_t *out);
enum wf_cu wf_rt_pool_current(uint64_t *out);
enum wf_cu wf_rt_pool_set_current(uint64_t pool);
enum wf_cu wf_rt_pool_check(uint64_t pool);
enum wf_cu wf_rt_pool_get(uint64_t pool, int attr, uint64_t *value);
enum wf_cu wf_rt_pool_set(uint64_t pool, int attr, uint64_t value);
enum wf_cu wf_rt_pool_trim(uint64_t pool, uint64_t keep_bytes);
// pool 0: the current one
enum wf_cu wf_rt_malloc_async(uint64_t *out, uint64_t bytes, uint64_t pool, uint64_t stream);
enum wf_cu wf_rt_free_async(uint64_t addr, uint64_t stream);

uint64_t wf__pool_put(int fd, bool is_foreign); // a new one; takes the descriptor
int wf__pool_file(uint64_t pool, bool is_foreign); // the pool's own descriptor, -1: no such pool, or not for others
int wf__pool_file_of(const void *pool);
void wf__pool_freed(void *pool, uint64_t bytes);
void wf__pool_reset(void);

#endif

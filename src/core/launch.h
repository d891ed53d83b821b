// SPDX-License-Identifier: Apache-2.0
// One kernel launch, immutable while it runs, and the modelled GPU's limits.
#ifndef WF_CORE_LAUNCH_H
#define WF_CORE_LAUNCH_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

struct wf_task;
struct wf_dim3 {
    uint32_t x, y, z;
};

struct wf_launch {
    uint64_t id;                         // 1, 2, ... in order of start
    const char *kernel;                  // mangled name
    struct wf_dim3 grid, block, cluster; // cluster 1,1,1 when there is none
    uint32_t dynamic_shared;             // bytes
    bool is_cooperative;
    // Among the work of all streams; NULL when nobody asks. May it start before the kernel in front of it
    // has ended (programmatic dependent launch)?
    const struct wf_task *order;
    bool is_early;
    const void *params; // parameter block laid out as PTX .param offsets say
    uint32_t param_bytes;
};

// Ids are given here, so that findings and the report's summary count alike. Thread-safe.
uint64_t wf_launch_next_id(void); // 1, 2, ...
uint64_t wf_launch_count(void);   // ids given so far

// Limits of the modelled GPU (CUDA guide, "Compute Capabilities"); defaults are an H200, sm_90.
struct wf_gpu {
    const char *name;
    uint32_t sm; // 90
    uint32_t sm_count;
    uint32_t max_threads_per_sm, max_blocks_per_sm, max_warps_per_sm;
    uint32_t regs_per_sm;
    uint32_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved;
    uint64_t global_bytes;
    uint32_t clock_khz, mem_clock_khz, bus_bits, l2_bytes;
};

// Blocks of one kernel that fit on one SM (cuda_occupancy rules, spec 13). regs: registers a
// thread, 0 when unknown (32 is taken). 0 when the block does not fit at all.
uint32_t wf_gpu_blocks_per_sm(const struct wf_gpu *g, uint32_t threads, uint32_t regs,
                              uint32_t shared_static, uint32_t shared_dynamic);
const struct wf_gpu *wf_gpu_find(const char *name); // "h200", "t4", ...; NULL when unknown
const struct wf_gpu *wf_gpu_default(void);          // the modelled one: h200 unless set
void wf_gpu_set_default(const struct wf_gpu *g);    // by the session, before the first launch

#endif

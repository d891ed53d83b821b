// SPDX-License-Identifier: Apache-2.0
// Kernel launches: validation against the modelled GPU, parameters, attributes of functions,
// occupancy.
#ifndef WF_RT_LAUNCH_H
#define WF_RT_LAUNCH_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "core/launch.h" // struct wf_dim3
#include "rt/err.h"      // enum wf_cu

struct wf_rt_function;

struct wf_rt_launch {
    struct wf_dim3 grid, block;
    uint64_t dynamic_shared;
    uint64_t stream;
    void **args;
    bool is_cooperative;
    bool is_early;  // may start before the kernel in front of it has ended
    bool is_unseen;   // from <<< >>>: the call's result goes to nobody
    bool has_cluster; // given at the launch
    struct wf_dim3 cluster;
    uint64_t event_after; // recorded behind the kernel; 0 for none
};

// A <<< >>> begins here: the place of this thread's next launch, as the kernel's stub has none.
void wf_rt_launch_here(void);
enum wf_cu wf_rt_launch(struct wf_rt_function *f, const struct wf_rt_launch *l);

struct wf_rt_function_info {
    uint64_t shared, constant, local;
    int max_threads, regs, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared, carveout;
    bool needs_cluster;
    int cluster[3], cluster_policy;
    bool is_nonportable;
};
enum wf_cu wf_rt_function_info(struct wf_rt_function *f, struct wf_rt_function_info *out);
enum wf_cu wf_rt_function_name(struct wf_rt_function *f, const char **name);
enum wf_cu wf_rt_function_param(struct wf_rt_function *f, uint64_t i, uint64_t *offset,
                                uint64_t *bytes);
enum wf_rt_function_attr { // CUDA's numbers
    WF_RT_FUNC_MAX_DYNAMIC_SHARED = 8,
    WF_RT_FUNC_CARVEOUT,
    WF_RT_FUNC_CLUSTER_MUST_BE_SET,
    WF_RT_FUNC_CLUSTER_WIDTH,
    WF_RT_FUNC_CLUSTER_HEIGHT,
    WF_RT_FUNC_CLUSTER_DEPTH,
    WF_RT_FUNC_NONPORTABLE_CLUSTER,
    WF_RT_FUNC_CLUSTER_POLICY
};
enum wf_cu wf_rt_function_set(struct wf_rt_function *f, int attr, int value);

enum wf_cu wf_rt_occupancy_blocks(struct wf_rt_function *f, int threads, uint64_t dynamic_shared,
                                  unsigned flags, int *out);
enum wf_cu wf_rt_occupancy_shared(struct wf_rt_function *f, int blocks, int threads, uint64_t *out);
// `l` gives block, dynamic_shared and cluster.
enum wf_cu wf_rt_occupancy_clusters(struct wf_rt_function *f, const struct wf_rt_launch *l,
                                    int *out);
enum wf_cu wf_rt_occupancy_cluster_size(struct wf_rt_function *f, const struct wf_rt_launch *l,
                                        int *out);

// What cudaFuncSetAttribute has changed. Guarded by launch.c's lock.
struct wf__function_state {
    int max_dynamic; // -1: as the GPU gives without asking
    int carveout;    // -1
    int cluster[3];
    int cluster_policy;
    bool needs_cluster, is_nonportable;
};
void wf__function_state_init(struct wf__function_state *s);

// A failed launch whose error nobody asked for becomes a finding.
void wf__launch_note_checked(void);     // this thread has looked at its error
void wf__launch_report_unchecked(void); // this thread is at its end

// Shared by launch.c and occupancy.c.
struct wf_kernel_info;
struct wf__function_limits {
    uint32_t max_threads, regs, shared_static, max_dynamic;
    uint32_t cluster[3]; // compiled in or set; 0 when none
    int carveout;        // percent of the SM's memory wished for shared memory, -1 for none
    bool needs_cluster, is_nonportable;
};
enum wf_cu wf__function_limits(struct wf_rt_function *f, const struct wf_kernel_info **info,
                               struct wf__function_limits *out);
// Blocks of `threads` threads that are resident at once on one SM.
uint32_t wf__blocks_resident(const struct wf__function_limits *f, uint32_t threads,
                             uint64_t dynamic_shared);
// Clusters of `size` blocks that are resident at once on the whole GPU.
uint32_t wf__clusters_resident(const struct wf__function_limits *f, uint32_t threads,
                               uint64_t dynamic_shared, uint32_t size);

#endif

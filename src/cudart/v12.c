// SPDX-License-Identifier: Apache-2.0
// What libcudart.so.12 means by names that have another meaning in runtime 13, and the names with a
// version that runtime 13 has folded into the plain ones.
#include <string.h> // memcpy

#include "cudart/advise.h" // wf__prefetch
#include "cudart/graph.h"  // wf__graph_add_node
#include "cudart/priv.h"
#include "cudart/prop.h"
#include "rt/device.h" // wf_rt_device_attr_value
#include "rt/event.h"  // wf_rt_event_elapsed

#define A(id) wf_rt_device_attr_value(WF_RT_ATTR_##id)

API(cudaRuntimeGetVersion, (int *out), out ? (*out = 12090, WF_CU_SUCCESS) : WF_CU_INVALID_VALUE)

// Runtime 12's order: the members that runtime 13 dropped stand between the others.
struct abi_device_prop_12 {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luid_node_mask;
    size_t global_bytes, shared_per_block;
    int regs_per_block, warp_size;
    size_t mem_pitch;
    int max_threads_per_block, max_block[3], max_grid[3], clock_khz;
    size_t const_bytes;
    int major, minor;
    size_t texture_align, texture_pitch_align;
    int overlap, sm_count, exec_timeout, integrated, can_map_host, compute_mode;
    int texture_1d, texture_1d_mipmap, texture_1d_linear;
    int texture_2d_to_surface_cube[37]; // as in runtime 13, texture_2d to surface_cube_layered
    size_t surface_align;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines,
        unified_addressing, mem_clock_khz, bus_bits, l2_bytes, l2_persisting_max, threads_per_sm,
        stream_priorities, global_l1, local_l1;
    size_t shared_per_sm;
    int regs_per_sm, managed, multi_gpu_board, multi_gpu_group, host_native_atomics,
        single_to_double, pageable_access, concurrent_managed, preemption,
        host_pointer_for_registered, cooperative, cooperative_multi;
    size_t shared_per_block_optin;
    int pageable_by_host_tables, direct_managed_from_host, blocks_per_sm, access_window_max;
    size_t shared_reserved;
    int host_register_to_unified_function_pointers[13]; // as in runtime 13
    int reserved[63];
};
WF_STATIC_SIZE(struct abi_device_prop_12, 1032);

#define OLD_BYTES offsetof(struct abi_device_prop_12, host_register_to_unified_function_pointers)

// Copies members from `first` to before `end`, which lie alike in both layouts.
#define SPAN(to, from, first, end)                                                                 \
    memcpy(&(to)->first, &(from)->first,                                                           \
           offsetof(struct abi_device_prop, end) - offsetof(struct abi_device_prop, first))

static void convert(struct abi_device_prop_12 *to, const struct abi_device_prop *from)
{
    memset(to, 0, sizeof *to);
    SPAN(to, from, name, const_bytes);
    to->clock_khz = A(CLOCK_RATE);
    SPAN(to, from, const_bytes, sm_count);
    to->overlap = A(GPU_OVERLAP);
    to->sm_count = from->sm_count;
    to->exec_timeout = A(KERNEL_EXEC_TIMEOUT);
    to->integrated = from->integrated;
    to->can_map_host = from->can_map_host;
    to->compute_mode = A(COMPUTE_MODE);
    SPAN(to, from, texture_1d, texture_2d);
    to->texture_1d_linear = A(MAX_TEXTURE_1D_LINEAR_WIDTH);
    _Static_assert(offsetof(struct abi_device_prop, surface_cube_layered) + 8 -
                           offsetof(struct abi_device_prop, texture_2d) ==
                       sizeof to->texture_2d_to_surface_cube,
                   "members in between");
    memcpy(to->texture_2d_to_surface_cube, from->texture_2d, sizeof to->texture_2d_to_surface_cube);
    SPAN(to, from, surface_align, bus_bits);
    to->mem_clock_khz = A(MEMORY_CLOCK_RATE);
    SPAN(to, from, bus_bits, shared_per_sm);
    to->shared_per_sm = from->shared_per_sm;
    SPAN(to, from, regs_per_sm, pageable_access);
    to->single_to_double = A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
    SPAN(to, from, pageable_access, shared_per_block_optin);
    to->cooperative_multi = 0;
    SPAN(to, from, shared_per_block_optin, host_register);
    memcpy(to->host_register_to_unified_function_pointers, &from->host_register,
           sizeof to->host_register_to_unified_function_pointers);
}

static enum wf_cu properties(void *out, int device, size_t bytes)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e != WF_CU_SUCCESS)
        return e;
    struct abi_device_prop now;
    struct abi_device_prop_12 then;
    wf__device_prop(&now);
    convert(&then, &now);
    memcpy(out, &then, bytes);
    return WF_CU_SUCCESS;
}
API(cudaGetDeviceProperties_v2, (void *out, int device),
    properties(out, device, sizeof(struct abi_device_prop_12)))
API(cudaGetDeviceProperties, (void *out, int device), properties(out, device, OLD_BYTES))

BOTH(cudaMemPrefetchAsync, _ptsz, (const void *p, size_t n, int device, cudaStream_t stream),
     wf__prefetch(p, n, wf__location_of(device), 0, S(stream)))
BOTH(cudaMemPrefetchAsync_v2, _ptsz,
     (const void *p, size_t n, struct abi_location at, unsigned flags, cudaStream_t stream),
     wf__prefetch(p, n, at, flags, S(stream)))
API(cudaMemAdvise, (const void *p, size_t n, int advice, int device),
    wf__advise(p, n, advice, wf__location_of(device)))
API(cudaMemAdvise_v2, (const void *p, size_t n, int advice, struct abi_location at),
    wf__advise(p, n, advice, at))

API(cudaEventElapsedTime_v2, (float *ms, cudaEvent_t start, cudaEvent_t end),
    wf_rt_event_elapsed(ms, ADDR(start), ADDR(end)))

BOTH(cudaStreamGetCaptureInfo_v2, _ptsz,
     (cudaStream_t stream, int *status, unsigned long long *id, uint64_t *graph,
      const uint64_t **deps, size_t *n),
     wf__capture_answer(S(stream), status, id, graph, deps, NULL, n))
BOTH(cudaStreamGetCaptureInfo_v3, _ptsz,
     (cudaStream_t stream, int *status, unsigned long long *id, uint64_t *graph,
      const uint64_t **deps, const struct abi_edge **edges, size_t *n),
     wf__capture_answer(S(stream), status, id, graph, deps, edges, n))
BOTH(cudaStreamUpdateCaptureDependencies, _ptsz,
     (cudaStream_t stream, uint64_t *deps, size_t n, unsigned flags),
     flags > 1 ? WF_CU_INVALID_VALUE : wf_rt_capture_deps(S(stream), deps, n, !flags))
BOTH(cudaStreamUpdateCaptureDependencies_v2, _ptsz,
     (cudaStream_t stream, uint64_t *deps, const struct abi_edge *edges, size_t n, unsigned flags),
     ((void)edges, flags > 1 ? WF_CU_INVALID_VALUE : wf_rt_capture_deps(S(stream), deps, n, !flags)))

API(cudaGraphAddNode,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, size_t n, struct abi_node *p),
    wf__graph_add_node(out, graph, deps, NULL, n, p))
API(cudaGraphAddNode_v2,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, const struct abi_edge *edges, size_t n,
     struct abi_node *p),
    wf__graph_add_node(out, graph, deps, edges, n, p))
API(cudaGraphAddDependencies,
    (uint64_t graph, const uint64_t *from, const uint64_t *to, size_t n),
    wf__graph_add_edges(graph, from, to, NULL, n, true))
API(cudaGraphAddDependencies_v2,
    (uint64_t graph, const uint64_t *from, const uint64_t *to, const struct abi_edge *e, size_t n),
    wf__graph_add_edges(graph, from, to, e, n, true))
API(cudaGraphRemoveDependencies,
    (uint64_t graph, const uint64_t *from, const uint64_t *to, size_t n),
    wf__graph_add_edges(graph, from, to, NULL, n, false))
API(cudaGraphRemoveDependencies_v2,
    (uint64_t graph, const uint64_t *from, const uint64_t *to, const struct abi_edge *e, size_t n),
    wf__graph_add_edges(graph, from, to, e, n, false))
API(cudaGraphGetEdges, (uint64_t graph, uint64_t *from, uint64_t *to, size_t *n),
    wf__graph_get_edges(graph, from, to, NULL, n))
API(cudaGraphGetEdges_v2,
    (uint64_t graph, uint64_t *from, uint64_t *to, struct abi_edge *e, size_t *n),
    wf__graph_get_edges(graph, from, to, e, n))
API(cudaGraphNodeGetDependencies, (uint64_t node, uint64_t *list, size_t *n),
    wf__graph_get_neighbours(node, false, list, NULL, n))
API(cudaGraphNodeGetDependencies_v2,
    (uint64_t node, uint64_t *list, struct abi_edge *e, size_t *n),
    wf__graph_get_neighbours(node, false, list, e, n))
API(cudaGraphNodeGetDependentNodes, (uint64_t node, uint64_t *list, size_t *n),
    wf__graph_get_neighbours(node, true, list, NULL, n))
API(cudaGraphNodeGetDependentNodes_v2,
    (uint64_t node, uint64_t *list, struct abi_edge *e, size_t *n),
    wf__graph_get_neighbours(node, true, list, e, n))

// SPDX-License-Identifier: Apache-2.0
// What libcudart.so.13 means by names that had another meaning in runtime 12.
#include "cudart/advise.h" // wf__prefetch
#include "cudart/graph.h"  // wf__graph_add_node
#include "cudart/priv.h"
#include "cudart/prop.h" // wf__device_prop

API(cudaRuntimeGetVersion, (int *out), out ? (*out = 13000, WF_CU_SUCCESS) : WF_CU_INVALID_VALUE)

static enum wf_cu properties(struct abi_device_prop *out, int device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        wf__device_prop(out);
    return e;
}
API(cudaGetDeviceProperties, (struct abi_device_prop * out, int device), properties(out, device))

BOTH(cudaMemPrefetchAsync, _ptsz,
     (const void *p, size_t n, struct abi_location at, unsigned flags, cudaStream_t stream),
     wf__prefetch(p, n, at, flags, S(stream)))
API(cudaMemAdvise, (const void *p, size_t n, int advice, struct abi_location at),
    wf__advise(p, n, advice, at))

BOTH(cudaStreamUpdateCaptureDependencies, _ptsz,
     (cudaStream_t stream, uint64_t *deps, const struct abi_edge *edges, size_t n, unsigned flags),
     ((void)edges, flags > 1 ? WF_CU_INVALID_VALUE : wf_rt_capture_deps(S(stream), deps, n, !flags)))
API(cudaGraphAddNode,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, const struct abi_edge *edges, size_t n,
     struct abi_node *p),
    wf__graph_add_node(out, graph, deps, edges, n, p))
API(cudaGraphAddDependencies,
    (uint64_t graph, const uint64_t *from, const uint64_t *to, const struct abi_edge *e, size_t n),
    wf__graph_add_edges(graph, from, to, e, n, true))
API(cudaGraphRemoveDependencies,
    (uint64_t graph, const uint64_t *from, const uint64_t *to, const struct abi_edge *e, size_t n),
    wf__graph_add_edges(graph, from, to, e, n, false))
API(cudaGraphGetEdges,
    (uint64_t graph, uint64_t *from, uint64_t *to, struct abi_edge *e, size_t *n),
    wf__graph_get_edges(graph, from, to, e, n))
API(cudaGraphNodeGetDependencies, (uint64_t node, uint64_t *list, struct abi_edge *e, size_t *n),
    wf__graph_get_neighbours(node, false, list, e, n))
API(cudaGraphNodeGetDependentNodes, (uint64_t node, uint64_t *list, struct abi_edge *e, size_t *n),
    wf__graph_get_neighbours(node, true, list, e, n))

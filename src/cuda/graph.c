// SPDX-License-Identifier: Apache-2.0
// Graphs: made by hand or by capture, instantiated, launched. Nodes of memory, conditions and external semaphores
// are not done by this API.
#include "cuda/graph.h"

#include "rt/module.h" // wf_rt_function_is

typedef uint64_t CUgraph, CUgraphNode, CUgraphExec;

API(cuGraphCreate, (CUgraph * out, unsigned flags), wf_rt_graph_create(out, flags))
API(cuGraphDestroy, (CUgraph graph), wf_rt_graph_destroy(graph))
API(cuGraphClone, (CUgraph * out, CUgraph graph), wf_rt_graph_clone(out, graph))
API(cuGraphNodeFindInClone, (CUgraphNode * out, CUgraphNode node, CUgraph clone),
    wf_rt_graph_find_in_clone(out, node, clone))
API(cuGraphDestroyNode, (CUgraphNode node), wf_rt_graph_drop(node))

static enum wf_cu nodes(CUgraph graph, bool only_roots, CUgraphNode *list, size_t *n)
{
    uint64_t count = n ? *n : 0;
    enum wf_cu e = n ? wf_rt_graph_nodes(graph, only_roots, list, &count) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *n = count;
    return e;
}
API(cuGraphGetNodes, (CUgraph graph, CUgraphNode *list, size_t *n), nodes(graph, false, list, n))
API(cuGraphGetRootNodes, (CUgraph graph, CUgraphNode *list, size_t *n), nodes(graph, true, list, n))

static enum wf_cu edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
    uint64_t count = n ? *n : 0;
    enum wf_cu e = n ? wf_rt_graph_edges(graph, from, to, &count) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *n = count;
    return e;
}
API(cuGraphGetEdges, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n),
    edges(graph, from, to, n))

static enum wf_cu neighbours(CUgraphNode node, bool is_after, CUgraphNode *list, size_t *n)
{
    uint64_t count = n ? *n : 0;
    enum wf_cu e = n ? wf_rt_graph_neighbours(node, is_after, list, &count) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *n = count;
    return e;
}
API(cuGraphNodeGetDependencies, (CUgraphNode node, CUgraphNode *list, size_t *n),
    neighbours(node, false, list, n))
API(cuGraphNodeGetDependentNodes, (CUgraphNode node, CUgraphNode *list, size_t *n),
    neighbours(node, true, list, n))
API(cuGraphAddDependencies, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n),
    wf_rt_graph_edge(graph, from, to, n, true))
API(cuGraphRemoveDependencies,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n),
    wf_rt_graph_edge(graph, from, to, n, false))

// The forms of CUDA 12.3 tell of each edge how it orders (8 bytes): all of these order wholly.
static void plain_edges(uint64_t *data, size_t n)
{
    for (size_t i = 0; data && i < n; i++)
        data[i] = 0;
}
static enum wf_cu edges_with(CUgraph graph, CUgraphNode *from, CUgraphNode *to, uint64_t *data, size_t *n)
{
    size_t room = n ? *n : 0;
    enum wf_cu e = edges(graph, from, to, n);
    if (e == WF_CU_SUCCESS)
        plain_edges(data, *n < room ? *n : room);
    return e;
}
static enum wf_cu neighbours_with(CUgraphNode node, bool is_after, CUgraphNode *list, uint64_t *data,
                                  size_t *n)
{
    size_t room = n ? *n : 0;
    enum wf_cu e = neighbours(node, is_after, list, n);
    if (e == WF_CU_SUCCESS)
        plain_edges(data, *n < room ? *n : room);
    return e;
}
API(cuGraphGetEdges_v2,
    (CUgraph graph, CUgraphNode *from, CUgraphNode *to, uint64_t *data, size_t *n),
    edges_with(graph, from, to, data, n))
API(cuGraphNodeGetDependencies_v2, (CUgraphNode node, CUgraphNode *list, uint64_t *data, size_t *n),
    neighbours_with(node, false, list, data, n))
API(cuGraphNodeGetDependentNodes_v2, (CUgraphNode node, CUgraphNode *list, uint64_t *data, size_t *n),
    neighbours_with(node, true, list, data, n))
API(cuGraphAddDependencies_v2,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const void *data, size_t n),
    ((void)data, wf_rt_graph_edge(graph, from, to, n, true)))
API(cuGraphRemoveDependencies_v2,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const void *data, size_t n),
    ((void)data, wf_rt_graph_edge(graph, from, to, n, false)))

static enum wf_cu kind(CUgraphNode node, int *out)
{
    struct wf_rt_node p;
    enum wf_cu e = out ? wf_rt_graph_get(node, &p) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = (int)p.kind;
    return e;
}
API(cuGraphNodeGetType, (CUgraphNode node, int *out), kind(node, out))

// --- nodes

static enum wf_cu kernel_of(const struct abi_kernel_node *p, struct wf_rt_node *out)
{
    if (!p)
        return WF_CU_INVALID_VALUE;
    CUfunction f = p->f ? p->f : p->kernel;
    if (p->extra)
        return wf__unsupported("a kernel node with arguments in 'extra'");
    if (!wf_rt_function_is(f))
        return WF_CU_INVALID_RESOURCE_HANDLE;
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_KERNEL};
    out->of.kernel.f = f;
    out->of.kernel.name = f;
    out->of.kernel.l = (struct wf_rt_launch){.grid = {p->grid[0], p->grid[1], p->grid[2]},
                                             .block = {p->block[0], p->block[1], p->block[2]},
                                             .dynamic_shared = p->shared,
                                             .args = p->args};
    return WF_CU_SUCCESS;
}
static enum wf_cu copy_of(const struct abi_copy_3d *c, struct wf_rt_node *out)
{
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_COPY};
    return wf__cuda_copy(c, &out->of.copy);
}
static enum wf_cu fill_of(const struct abi_fill_node *p, struct wf_rt_node *out)
{
    if (!p || (p->value_bytes != 1 && p->value_bytes != 2 && p->value_bytes != 4))
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_FILL};
    uint64_t row = (uint64_t)p->width * p->value_bytes;
    out->of.fill.dst = (struct wf_rt_box){p->dst, p->height > 1 ? p->pitch : row, 0};
    out->of.fill.width = row;
    out->of.fill.height = p->height;
    out->of.fill.depth = 1;
    out->of.fill.value = p->value;
    out->of.fill.value_bytes = p->value_bytes;
    return WF_CU_SUCCESS;
}
static enum wf_cu host_of(const struct abi_host_node *p, struct wf_rt_node *out)
{
    if (!p || !p->fn)
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_HOST};
    out->of.host.fn = p->fn;
    out->of.host.user = p->user;
    return WF_CU_SUCCESS;
}
static enum wf_cu child_of(CUgraph graph, struct wf_rt_node *out)
{
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_CHILD};
    out->of.child = graph;
    return WF_CU_SUCCESS;
}
static enum wf_cu event_of(enum wf_rt_node_kind k, CUevent event, struct wf_rt_node *out)
{
    *out = (struct wf_rt_node){.kind = k};
    out->of.event = ADDR(event);
    return WF_CU_SUCCESS;
}
static enum wf_cu empty_of(struct wf_rt_node *out)
{
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_EMPTY};
    return WF_CU_SUCCESS;
}

static enum wf_cu add(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps, size_t n,
                      enum wf_cu e, struct wf_rt_node *p)
{
    return e == WF_CU_SUCCESS ? wf_rt_graph_add(out, graph, deps, n, p) : e;
}
#define WHERE CUgraphNode *out, CUgraph graph, const CUgraphNode *deps, size_t n
// A node is described first, then added.
#define ADDED(describe)                                                                            \
    __extension__({                                                                                \
        struct wf_rt_node node;                                                                    \
        enum wf_cu described = (describe);                                                         \
        add(out, graph, deps, n, described, &node);                                                \
    })
API(cuGraphAddKernelNode_v2, (WHERE, const struct abi_kernel_node *p), ADDED(kernel_of(p, &node)))
API(cuGraphAddMemcpyNode, (WHERE, const struct abi_copy_3d *c, CUcontext context),
    ((void)context, ADDED(copy_of(c, &node))))
API(cuGraphAddMemsetNode, (WHERE, const struct abi_fill_node *p, CUcontext context),
    ((void)context, ADDED(fill_of(p, &node))))
API(cuGraphAddHostNode, (WHERE, const struct abi_host_node *p), ADDED(host_of(p, &node)))
API(cuGraphAddChildGraphNode, (WHERE, CUgraph child), ADDED(child_of(child, &node)))
API(cuGraphAddEmptyNode, (WHERE), ADDED(empty_of(&node)))
API(cuGraphAddEventRecordNode, (WHERE, CUevent event),
    ADDED(event_of(WF_RT_NODE_RECORD, event, &node)))
API(cuGraphAddEventWaitNode, (WHERE, CUevent event), ADDED(event_of(WF_RT_NODE_WAIT, event, &node)))

static enum wf_cu get_kernel(CUgraphNode node, struct abi_kernel_node *out)
{
    struct wf_rt_node p;
    enum wf_cu e = out ? wf_rt_graph_get(node, &p) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS && p.kind != WF_RT_NODE_KERNEL)
        e = WF_CU_INVALID_VALUE;
    if (e != WF_CU_SUCCESS)
        return e;
    const struct wf_rt_launch *l = &p.of.kernel.l;
    *out = (struct abi_kernel_node){.f = p.of.kernel.f,
                                    .grid = {l->grid.x, l->grid.y, l->grid.z},
                                    .block = {l->block.x, l->block.y, l->block.z},
                                    .shared = (unsigned)l->dynamic_shared,
                                    .args = l->args};
    return e;
}
API(cuGraphKernelNodeGetParams_v2, (CUgraphNode node, struct abi_kernel_node *out),
    get_kernel(node, out))
static enum wf_cu set_kernel(CUgraphExec exec, CUgraphNode node, const struct abi_kernel_node *p)
{
    struct wf_rt_node described;
    enum wf_cu e = kernel_of(p, &described);
    if (e != WF_CU_SUCCESS)
        return e;
    return exec ? wf_rt_graph_exec_set(exec, node, &described) : wf_rt_graph_set(node, &described);
}
API(cuGraphKernelNodeSetParams_v2, (CUgraphNode node, const struct abi_kernel_node *p),
    set_kernel(0, node, p))
API(cuGraphExecKernelNodeSetParams_v2,
    (CUgraphExec exec, CUgraphNode node, const struct abi_kernel_node *p),
    exec ? set_kernel(exec, node, p) : WF_CU_INVALID_VALUE)

// --- instances

API(cuGraphInstantiateWithFlags, (CUgraphExec * out, CUgraph graph, unsigned long long flags),
    wf_rt_graph_instantiate(out, graph, flags))
API(cuGraphInstantiate_v2,
    (CUgraphExec * out, CUgraph graph, CUgraphNode *node, char *log, size_t log_bytes),
    ((void)node, log && log_bytes ? (void)(*log = '\0') : (void)0,
     wf_rt_graph_instantiate(out, graph, 0)))
static enum wf_cu with_params(CUgraphExec *out, CUgraph graph, struct abi_graph_instantiate *p)
{
    if (!p)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_graph_instantiate(out, graph, p->flags);
    p->node = 0;
    p->result = e == WF_CU_SUCCESS ? 0 : 1;
    return e;
}
BOTH(cuGraphInstantiateWithParams, _ptsz,
     (CUgraphExec * out, CUgraph graph, struct abi_graph_instantiate *p), with_params(out, graph, p))
API(cuGraphExecDestroy, (CUgraphExec exec), wf_rt_graph_exec_destroy(exec))
API(cuGraphExecGetFlags, (CUgraphExec exec, uint64_t *out),
    out ? wf_rt_graph_exec_flags(exec, out) : WF_CU_INVALID_VALUE)
BOTH(cuGraphLaunch, _ptsz, (CUgraphExec exec, CUstream stream), wf_rt_graph_launch(exec, S(stream)))
// There is nothing to upload to.
BOTH(cuGraphUpload, _ptsz, (CUgraphExec exec, CUstream stream),
     wf_rt_graph_exec_check(exec) != WF_CU_SUCCESS ? WF_CU_INVALID_VALUE
                                                   : wf_rt_stream_check(S(stream)))
static enum wf_cu update(CUgraphExec exec, CUgraph graph, struct abi_graph_update *out)
{
    enum wf_rt_graph_update result = WF_RT_UPDATE_ERROR;
    uint64_t node = 0;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_graph_exec_update(exec, graph, &result, &node);
    *out = (struct abi_graph_update){.result = (int)result, .node = node};
    return e;
}
API(cuGraphExecUpdate_v2, (CUgraphExec exec, CUgraph graph, struct abi_graph_update *out),
    update(exec, graph, out))

// --- capture

BOTH(cuStreamBeginCapture_v2, _ptsz, (CUstream stream, int mode),
     wf_rt_capture_begin(S(stream), mode, 0, NULL, 0))
BOTH(cuStreamBeginCapture, _ptsz, (CUstream stream),
     wf_rt_capture_begin(S(stream), WF_RT_CAPTURE_GLOBAL, 0, NULL, 0))
BOTH(cuStreamEndCapture, _ptsz, (CUstream stream, CUgraph *graph),
     wf_rt_capture_end(S(stream), graph))
API(cuThreadExchangeStreamCaptureMode, (int *mode), wf_rt_capture_exchange_mode(mode))

// The further outputs are valid only while capturing, and each may be left out.
static enum wf_cu capture(uint64_t stream, int *status, unsigned long long *id, CUgraph *graph,
                          const CUgraphNode **deps, size_t *n)
{
    struct wf_rt_capture_info i;
    enum wf_cu e = status ? wf_rt_capture_info(stream, &i) : WF_CU_INVALID_VALUE;
    if (e != WF_CU_SUCCESS)
        return e;
    *status = (int)i.status;
    if (i.status != WF_RT_CAPTURE_ACTIVE)
        return e;
    if (id)
        *id = i.id;
    if (graph)
        *graph = i.graph;
    if (deps)
        *deps = i.deps;
    if (n)
        *n = i.n_deps;
    return e;
}
BOTH(cuStreamIsCapturing, _ptsz, (CUstream stream, int *status),
     capture(S(stream), status, NULL, NULL, NULL, NULL))
BOTH(cuStreamGetCaptureInfo, _ptsz, (CUstream stream, int *status, unsigned long long *id),
     capture(S(stream), status, id, NULL, NULL, NULL))
BOTH(cuStreamGetCaptureInfo_v2, _ptsz,
     (CUstream stream, int *status, unsigned long long *id, CUgraph *graph, const CUgraphNode **deps,
      size_t *n),
     capture(S(stream), status, id, graph, deps, n))
BOTH(cuStreamGetCaptureInfo_v3, _ptsz,
     (CUstream stream, int *status, unsigned long long *id, CUgraph *graph, const CUgraphNode **deps,
      void **edges, size_t *n),
     (edges ? (void)(*edges = NULL) : (void)0, capture(S(stream), status, id, graph, deps, n)))

// SPDX-License-Identifier: Apache-2.0
// Graphs: making, asking, edges, nodes of every kind by one call.
#include "cudart/graph.h"

#include <stdio.h>  // fopen
#include <stdlib.h> // free
#include <string.h> // memset

#include "base/arena.h" // wf_xcalloc

API(cudaGraphCreate, (uint64_t * out, unsigned flags), wf_rt_graph_create(out, flags))
API(cudaGraphDestroy, (uint64_t graph), wf_rt_graph_destroy(graph))
API(cudaGraphClone, (uint64_t * out, uint64_t graph), wf_rt_graph_clone(out, graph))
API(cudaGraphNodeFindInClone, (uint64_t * out, uint64_t node, uint64_t clone),
    wf_rt_graph_find_in_clone(out, node, clone))
API(cudaGraphDestroyNode, (uint64_t node), wf_rt_graph_drop(node))

static enum wf_cu type_of(uint64_t node, int *out)
{
    struct wf_rt_node p;
    enum wf_cu e = wf_rt_graph_get(node, &p);
    if (e == WF_CU_SUCCESS && out)
        *out = (int)p.kind;
    return e == WF_CU_SUCCESS && !out ? WF_CU_INVALID_VALUE : e;
}
API(cudaGraphNodeGetType, (uint64_t node, int *out), type_of(node, out))

API(cudaGraphGetNodes, (uint64_t graph, uint64_t *list, size_t *n),
    wf_rt_graph_nodes(graph, false, list, n))
API(cudaGraphGetRootNodes, (uint64_t graph, uint64_t *list, size_t *n),
    wf_rt_graph_nodes(graph, true, list, n))

// Every edge here is a full dependency: one that lets the later kernel start early is kept as one.
static bool are_edges(const struct abi_edge *e, size_t n)
{
    for (size_t i = 0; e && i < n; i++)
        if (e[i].from_port > 2 || e[i].to_port || e[i].type > 1)
            return false;
    return true;
}

enum wf_cu wf__graph_add_edges(uint64_t graph, const uint64_t *from, const uint64_t *to,
                               const struct abi_edge *edges, size_t n, bool is_added)
{
    return are_edges(edges, n) ? wf_rt_graph_edge(graph, from, to, n, is_added) : WF_CU_INVALID_VALUE;
}

enum wf_cu wf__graph_get_edges(uint64_t graph, uint64_t *from, uint64_t *to, struct abi_edge *edges,
                               size_t *n)
{
    size_t room = n ? *n : 0;
    enum wf_cu e = wf_rt_graph_edges(graph, from, to, n);
    if (e == WF_CU_SUCCESS && edges && from)
        memset(edges, 0, room * sizeof *edges);
    return e;
}

enum wf_cu wf__graph_get_neighbours(uint64_t node, bool is_after, uint64_t *list,
                                    struct abi_edge *edges, size_t *n)
{
    size_t room = n ? *n : 0;
    enum wf_cu e = wf_rt_graph_neighbours(node, is_after, list, n);
    if (e == WF_CU_SUCCESS && edges && list)
        memset(edges, 0, room * sizeof *edges);
    return e;
}

enum wf_cu wf__graph_add_node(uint64_t *out, uint64_t graph, const uint64_t *deps,
                              const struct abi_edge *edges, size_t n, struct abi_node *p)
{
    struct wf_rt_node node;
    if (!p || !are_edges(edges, n))
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__node_read(p, &node);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_graph_add(out, graph, deps, n, &node);
    if (e == WF_CU_SUCCESS && p->type == WF_RT_NODE_CONDITION)
        p->of.condition.bodies = node.of.condition.bodies;
    if (e == WF_CU_SUCCESS && p->type == WF_RT_NODE_ALLOC)
        p->of.alloc.ptr = (void *)(uintptr_t)node.of.memory.addr;
    return e;
}

static enum wf_cu set_node(uint64_t node, const struct abi_node *p)
{
    struct wf_rt_node wanted;
    enum wf_cu e = p ? wf__node_read(p, &wanted) : WF_CU_INVALID_VALUE;
    return e == WF_CU_SUCCESS ? wf_rt_graph_set(node, &wanted) : e;
}
API(cudaGraphNodeSetParams, (uint64_t node, struct abi_node *p), set_node(node, p))

static enum wf_cu add_plain(uint64_t *out, uint64_t graph, const uint64_t *deps, size_t n,
                            struct wf_rt_node p)
{
    return wf_rt_graph_add(out, graph, deps, n, &p);
}
API(cudaGraphAddEmptyNode, (uint64_t * out, uint64_t graph, const uint64_t *deps, size_t n),
    add_plain(out, graph, deps, n, (struct wf_rt_node){.kind = WF_RT_NODE_EMPTY}))
API(cudaGraphAddChildGraphNode,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, size_t n, uint64_t child),
    add_plain(out, graph, deps, n, (struct wf_rt_node){.kind = WF_RT_NODE_CHILD, .of.child = child}))
API(cudaGraphAddEventRecordNode,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, size_t n, cudaEvent_t event),
    add_plain(out, graph, deps, n,
              (struct wf_rt_node){.kind = WF_RT_NODE_RECORD, .of.event = ADDR(event)}))
API(cudaGraphAddEventWaitNode,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, size_t n, cudaEvent_t event),
    add_plain(out, graph, deps, n,
              (struct wf_rt_node){.kind = WF_RT_NODE_WAIT, .of.event = ADDR(event)}))

static enum wf_cu get_kind(uint64_t node, enum wf_rt_node_kind kind, struct wf_rt_node *out)
{
    enum wf_cu e = wf_rt_graph_get(node, out);
    return e == WF_CU_SUCCESS && out->kind != kind ? WF_CU_INVALID_VALUE : e;
}

static enum wf_cu get_handle(uint64_t node, enum wf_rt_node_kind kind, uint64_t *out)
{
    struct wf_rt_node p;
    enum wf_cu e = out ? get_kind(node, kind, &p) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = kind == WF_RT_NODE_CHILD ? p.of.child : p.of.event;
    return e;
}
static enum wf_cu set_event(uint64_t node, enum wf_rt_node_kind kind, cudaEvent_t event)
{
    struct wf_rt_node p = {.kind = kind, .of.event = ADDR(event)};
    return wf_rt_graph_set(node, &p);
}
API(cudaGraphChildGraphNodeGetGraph, (uint64_t node, uint64_t *out),
    get_handle(node, WF_RT_NODE_CHILD, out))
API(cudaGraphEventRecordNodeGetEvent, (uint64_t node, uint64_t *out),
    get_handle(node, WF_RT_NODE_RECORD, out))
API(cudaGraphEventWaitNodeGetEvent, (uint64_t node, uint64_t *out),
    get_handle(node, WF_RT_NODE_WAIT, out))
API(cudaGraphEventRecordNodeSetEvent, (uint64_t node, cudaEvent_t event),
    set_event(node, WF_RT_NODE_RECORD, event))
API(cudaGraphEventWaitNodeSetEvent, (uint64_t node, cudaEvent_t event),
    set_event(node, WF_RT_NODE_WAIT, event))

API(cudaGraphConditionalHandleCreate,
    (uint64_t * out, uint64_t graph, unsigned value, unsigned flags),
    wf_rt_graph_condition(out, graph, value, flags))

// ---- memory ----

static enum wf_cu add_alloc(uint64_t *out, uint64_t graph, const uint64_t *deps, size_t n,
                            struct abi_alloc_node *p)
{
    struct abi_node node = {.type = WF_RT_NODE_ALLOC};
    if (!p)
        return WF_CU_INVALID_VALUE;
    node.of.alloc = *p;
    enum wf_cu e = wf__graph_add_node(out, graph, deps, NULL, n, &node);
    if (e == WF_CU_SUCCESS)
        p->ptr = node.of.alloc.ptr;
    return e;
}
API(cudaGraphAddMemAllocNode,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, size_t n, struct abi_alloc_node *p),
    add_alloc(out, graph, deps, n, p))
API(cudaGraphAddMemFreeNode,
    (uint64_t * out, uint64_t graph, const uint64_t *deps, size_t n, void *ptr),
    add_plain(out, graph, deps, n,
              (struct wf_rt_node){.kind = WF_RT_NODE_FREE, .of.memory = {ADDR(ptr), 0}}))

static enum wf_cu get_alloc(uint64_t node, struct abi_alloc_node *out)
{
    struct wf_rt_node p;
    enum wf_cu e = out ? get_kind(node, WF_RT_NODE_ALLOC, &p) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_alloc_node){.pool = {.type = 1, .location = {1, 0}},
                                       .bytes = p.of.memory.bytes,
                                       .ptr = (void *)(uintptr_t)p.of.memory.addr};
    return e;
}
API(cudaGraphMemAllocNodeGetParams, (uint64_t node, struct abi_alloc_node *out),
    get_alloc(node, out))

static enum wf_cu get_free(uint64_t node, void **out)
{
    struct wf_rt_node p;
    enum wf_cu e = out ? get_kind(node, WF_RT_NODE_FREE, &p) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = (void *)(uintptr_t)p.of.memory.addr;
    return e;
}
API(cudaGraphMemFreeNodeGetParams, (uint64_t node, void *out), get_free(node, out))

static enum wf_cu memory_attr(int device, int attr, uint64_t *out)
{
    if (!out || attr < 0 || attr > WF_RT_GRAPH_RESERVED_HIGH)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        *out = wf_rt_graph_memory((enum wf_rt_graph_memory)attr);
    return e;
}
API(cudaDeviceGetGraphMemAttribute, (int device, int attr, void *out),
    memory_attr(device, attr, out))

static enum wf_cu memory_set(int device, int attr, const uint64_t *value)
{
    bool is_high = attr == WF_RT_GRAPH_USED_HIGH || attr == WF_RT_GRAPH_RESERVED_HIGH;
    if (!value || *value || !is_high)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        wf_rt_graph_memory_reset(attr == WF_RT_GRAPH_RESERVED_HIGH);
    return e;
}
API(cudaDeviceSetGraphMemAttribute, (int device, int attr, void *value),
    memory_set(device, attr, value))
API(cudaDeviceGraphMemTrim, (int device),
    wf__device(device) == WF_CU_SUCCESS ? (wf_rt_graph_memory_trim(), wf_rt_enter())
                                        : WF_CU_INVALID_DEVICE)

// ---- drawing ----

static const char *kind_name(int kind)
{
    static const char *const names[] = {"kernel", "memcpy", "memset", "host", "graph", "empty", "wait", "record"};
    return kind < 8 ? names[kind] : kind == WF_RT_NODE_ALLOC ? "alloc" : kind == WF_RT_NODE_FREE ? "free" : "if";
}

static enum wf_cu draw(uint64_t graph, const char *path)
{
    uint64_t n = 0, m = 0;
    enum wf_cu e = path ? wf_rt_graph_nodes(graph, false, NULL, &n) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        e = wf_rt_graph_edges(graph, NULL, NULL, &m);
    FILE *f = e == WF_CU_SUCCESS ? fopen(path, "w") : NULL;
    if (!f)
        return e == WF_CU_SUCCESS ? WF_CU_OPERATING_SYSTEM : e;
    uint64_t *list = wf_xcalloc(n + 2 * m + 1, sizeof *list), *from = list + n, *to = from + m;
    wf_rt_graph_nodes(graph, false, list, &n);
    wf_rt_graph_edges(graph, from, to, &m);
    fprintf(f, "digraph graph_%llx {\n", (unsigned long long)graph);
    for (uint64_t i = 0; i < n; i++) {
        int kind = 0;
        type_of(list[i], &kind);
        fprintf(f, "  n%llx [label=\"%llu %s\"];\n", (unsigned long long)list[i], (unsigned long long)i, kind_name(kind));
    }
    for (uint64_t i = 0; i < m; i++)
        fprintf(f, "  n%llx -> n%llx;\n", (unsigned long long)from[i], (unsigned long long)to[i]);
    fprintf(f, "}\n");
    free(list);
    return fclose(f) == 0 ? WF_CU_SUCCESS : WF_CU_OPERATING_SYSTEM;
}
API(cudaGraphDebugDotPrint, (uint64_t graph, const char *path, unsigned flags),
    ((void)flags, draw(graph, path)))

// SPDX-License-Identifier: Apache-2.0
// Nodes that do work: their parameters read, added, asked for, replaced in graphs and in instances.
#include "cudart/graph.h"
#include "rt/array.h"  // wf_rt_array_info
#include "rt/attr.h"   // enum wf_rt_attr
#include "rt/module.h" // wf_rt_function_find

// ---- parameters ----

enum wf_cu wf__kernel_read(const struct abi_kernel_node *p, struct wf_rt_node *out)
{
    struct wf_rt_function *f;
    if (!p)
        return WF_CU_INVALID_VALUE;
    if (p->extra)
        return wf__unsupported("a kernel node with arguments in 'extra'");
    enum wf_cu e = wf_rt_function_find(p->fn, &f);
    if (e != WF_CU_SUCCESS)
        return e;
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_KERNEL};
    out->of.kernel.f = f;
    out->of.kernel.name = p->fn;
    out->of.kernel.l = (struct wf_rt_launch){.grid = {p->grid.x, p->grid.y, p->grid.z},
                                             .block = {p->block.x, p->block.y, p->block.z},
                                             .dynamic_shared = p->shared,
                                             .args = p->args};
    return WF_CU_SUCCESS;
}

enum wf_cu wf__copy_read(const struct abi_copy_3d *p, struct wf_rt_node *out)
{
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_COPY};
    out->of.copy.is_async = true;
    return p ? wf__copy_3d_read(p, &out->of.copy) : WF_CU_INVALID_VALUE;
}

enum wf_cu wf__fill_read(const struct abi_fill_node *p, struct wf_rt_node *out)
{
    if (!p || (p->value_bytes != 1 && p->value_bytes != 2 && p->value_bytes != 4))
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_FILL};
    out->of.fill.dst = (struct wf_rt_box){ADDR(p->dst), p->pitch, 0};
    out->of.fill.width = p->width * p->value_bytes;
    out->of.fill.height = p->height;
    out->of.fill.depth = 1;
    out->of.fill.value = p->value;
    out->of.fill.value_bytes = p->value_bytes;
    return WF_CU_SUCCESS;
}

static enum wf_cu host_read(const struct abi_host_node *p, struct wf_rt_node *out)
{
    if (!p || !p->fn)
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_HOST, .of.host = {p->fn, p->user}};
    return WF_CU_SUCCESS;
}

enum wf_cu wf__node_read(const struct abi_node *p, struct wf_rt_node *out)
{
    *out = (struct wf_rt_node){.kind = (enum wf_rt_node_kind)p->type};
    switch (p->type) {
    case WF_RT_NODE_KERNEL:
        return wf__kernel_read(&p->of.kernel, out);
    case WF_RT_NODE_COPY:
        return wf__copy_read(&p->of.copy.copy, out);
    case WF_RT_NODE_FILL:
        return wf__fill_read(&p->of.fill, out);
    case WF_RT_NODE_HOST:
        return host_read(&p->of.host, out);
    case WF_RT_NODE_CHILD:
        out->of.child = p->of.graph;
        return WF_CU_SUCCESS;
    case WF_RT_NODE_EMPTY:
        return WF_CU_SUCCESS;
    case WF_RT_NODE_WAIT:
    case WF_RT_NODE_RECORD:
        out->of.event = ADDR(p->of.event);
        return WF_CU_SUCCESS;
    case WF_RT_NODE_ALLOC:
        out->of.memory.bytes = p->of.alloc.bytes;
        return p->of.alloc.pool.location.type == 1 && p->of.alloc.pool.location.id == 0
                   ? WF_CU_SUCCESS
                   : WF_CU_INVALID_VALUE;
    case WF_RT_NODE_FREE:
        out->of.memory.addr = ADDR(p->of.freed);
        return WF_CU_SUCCESS;
    case WF_RT_NODE_CONDITION:
        out->of.condition.handle = p->of.condition.handle;
        out->of.condition.type = (enum wf_rt_condition)p->of.condition.type;
        out->of.condition.n = p->of.condition.n;
        return WF_CU_SUCCESS;
    default:
        return wf__unsupported("a graph node of this type");
    }
}

static enum wf_cu linear_read(void *dst, const void *src, size_t n, int kind,
                              struct wf_rt_node *out)
{
    *out = (struct wf_rt_node){.kind = WF_RT_NODE_COPY};
    out->of.copy = (struct wf_rt_copy){.dst = {ADDR(dst), n, n},
                                       .src = {ADDR(src), n, n},
                                       .width = n,
                                       .height = 1,
                                       .depth = 1,
                                       .kind = kind,
                                       .is_async = true};
    return WF_CU_SUCCESS;
}
static enum wf_cu to_symbol_read(const void *symbol, const void *src, size_t n, size_t offset,
                                 int kind, struct wf_rt_node *out)
{
    uint64_t at;
    enum wf_cu e = wf__symbol_range(symbol, n, offset, &at);
    return e == WF_CU_SUCCESS ? linear_read((void *)(uintptr_t)at, src, n, kind, out) : e;
}
static enum wf_cu from_symbol_read(void *dst, const void *symbol, size_t n, size_t offset, int kind,
                                   struct wf_rt_node *out)
{
    uint64_t at;
    enum wf_cu e = wf__symbol_range(symbol, n, offset, &at);
    return e == WF_CU_SUCCESS ? linear_read(dst, (void *)(uintptr_t)at, n, kind, out) : e;
}

// ---- add, set, set in an instance: three calls for each way to give parameters ----

#define THREE(add, set, exec_set, params, read)                                                    \
    static enum wf_cu add##_(uint64_t *out, uint64_t graph, const uint64_t *deps, size_t n_deps,   \
                             enum wf_cu e, struct wf_rt_node *node)                                \
    {                                                                                              \
        return e == WF_CU_SUCCESS ? wf_rt_graph_add(out, graph, deps, n_deps, node) : e;           \
    }                                                                                              \
    WF_EXPORT cudaError_t add(uint64_t *out, uint64_t graph, const uint64_t *deps, size_t n_deps,  \
                              EXPAND params);                                                      \
    WF_EXPORT cudaError_t add(uint64_t *out, uint64_t graph, const uint64_t *deps, size_t n_deps,  \
                              EXPAND params)                                                       \
    {                                                                                              \
        struct wf_rt_node node;                                                                    \
        enum wf_cu e = read;                                                                       \
        return (cudaError_t)wf_rt_result(add##_(out, graph, deps, n_deps, e, &node));              \
    }                                                                                              \
    WF_EXPORT cudaError_t set(uint64_t at, EXPAND params);                                         \
    WF_EXPORT cudaError_t set(uint64_t at, EXPAND params)                                          \
    {                                                                                              \
        struct wf_rt_node node;                                                                    \
        enum wf_cu e = read;                                                                       \
        return (cudaError_t)wf_rt_result(e == WF_CU_SUCCESS ? wf_rt_graph_set(at, &node) : e);     \
    }                                                                                              \
    WF_EXPORT cudaError_t exec_set(uint64_t exec, uint64_t at, EXPAND params);                     \
    WF_EXPORT cudaError_t exec_set(uint64_t exec, uint64_t at, EXPAND params)                      \
    {                                                                                              \
        struct wf_rt_node node;                                                                    \
        enum wf_cu e = read;                                                                       \
        return (cudaError_t)wf_rt_result(                                                          \
            e == WF_CU_SUCCESS ? wf_rt_graph_exec_set(exec, at, &node) : e);                       \
    }
#define EXPAND(...) __VA_ARGS__

THREE(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
      (const struct abi_kernel_node *p), wf__kernel_read(p, &node))
THREE(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
      (const struct abi_copy_3d *p), wf__copy_read(p, &node))
THREE(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
      (const struct abi_fill_node *p), wf__fill_read(p, &node))
THREE(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
      (const struct abi_host_node *p), host_read(p, &node))
THREE(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
      (void *dst, const void *src, size_t n, int kind), linear_read(dst, src, n, kind, &node))
THREE(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
      cudaGraphExecMemcpyNodeSetParamsToSymbol,
      (const void *symbol, const void *src, size_t n, size_t offset, int kind),
      to_symbol_read(symbol, src, n, offset, kind, &node))
THREE(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
      cudaGraphExecMemcpyNodeSetParamsFromSymbol,
      (void *dst, const void *symbol, size_t n, size_t offset, int kind),
      from_symbol_read(dst, symbol, n, offset, kind, &node))

// ---- asking ----

static enum wf_cu get(uint64_t node, enum wf_rt_node_kind kind, const void *out,
                      struct wf_rt_node *p)
{
    enum wf_cu e = wf_rt_graph_get(node, p);
    return e == WF_CU_SUCCESS && (!out || p->kind != kind) ? WF_CU_INVALID_VALUE : e;
}

static struct abi_dim3 dim(struct wf_dim3 d)
{
    return (struct abi_dim3){d.x, d.y, d.z};
}

static enum wf_cu get_kernel(uint64_t node, struct abi_kernel_node *out)
{
    struct wf_rt_node p;
    enum wf_cu e = get(node, WF_RT_NODE_KERNEL, out, &p);
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_kernel_node){.fn = p.of.kernel.name,
                                        .grid = dim(p.of.kernel.l.grid),
                                        .block = dim(p.of.kernel.l.block),
                                        .shared = (unsigned)p.of.kernel.l.dynamic_shared,
                                        .args = p.of.kernel.l.args};
    return e;
}
API(cudaGraphKernelNodeGetParams, (uint64_t node, struct abi_kernel_node *out),
    get_kernel(node, out))

static struct abi_pitched pitched(const struct wf_rt_copy *c, const struct wf_rt_box *b)
{
    size_t rows = b->pitch && b->slice ? b->slice / b->pitch : c->height;
    return (struct abi_pitched){(void *)(uintptr_t)b->addr, b->pitch, c->width, rows};
}

static enum wf_cu get_copy(uint64_t node, struct abi_copy_3d *out)
{
    struct wf_rt_node p;
    enum wf_cu e = get(node, WF_RT_NODE_COPY, out, &p);
    const struct wf_rt_copy *c = &p.of.copy;
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_copy_3d){.src_ptr = pitched(c, &c->src),
                                    .dst_ptr = pitched(c, &c->dst),
                                    .extent = {c->width, c->height, c->depth},
                                    .kind = c->kind};
    return e;
}
API(cudaGraphMemcpyNodeGetParams, (uint64_t node, struct abi_copy_3d *out), get_copy(node, out))

static enum wf_cu get_fill(uint64_t node, struct abi_fill_node *out)
{
    struct wf_rt_node p;
    enum wf_cu e = get(node, WF_RT_NODE_FILL, out, &p);
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_fill_node){.dst = (void *)(uintptr_t)p.of.fill.dst.addr,
                                      .pitch = p.of.fill.dst.pitch,
                                      .value = p.of.fill.value,
                                      .value_bytes = p.of.fill.value_bytes,
                                      .width = p.of.fill.width / p.of.fill.value_bytes,
                                      .height = p.of.fill.height};
    return e;
}
API(cudaGraphMemsetNodeGetParams, (uint64_t node, struct abi_fill_node *out), get_fill(node, out))

static enum wf_cu get_host(uint64_t node, struct abi_host_node *out)
{
    struct wf_rt_node p;
    enum wf_cu e = get(node, WF_RT_NODE_HOST, out, &p);
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_host_node){p.of.host.fn, p.of.host.user};
    return e;
}
API(cudaGraphHostNodeGetParams, (uint64_t node, struct abi_host_node *out), get_host(node, out))

// ---- launch attributes of kernel nodes ----

static enum wf_cu set_attribute(uint64_t node, int id, const union abi_launch_value *value)
{
    struct wf_rt_node p;
    enum wf_cu e = get(node, WF_RT_NODE_KERNEL, value, &p);
    if (e != WF_CU_SUCCESS)
        return e;
    switch (id) {
    case WF_RT_ATTR_COOPERATIVE:
        p.of.kernel.l.is_cooperative = value->number != 0;
        return wf_rt_graph_set(node, &p);
    case WF_RT_ATTR_CLUSTER:
        p.of.kernel.l.has_cluster = true;
        p.of.kernel.l.cluster = (struct wf_dim3){value->dim.x, value->dim.y, value->dim.z};
        return wf_rt_graph_set(node, &p);
    default: // hints
        return id >= WF_RT_ATTR_IGNORE && id <= WF_RT_ATTR_LAST ? WF_CU_SUCCESS
                                                                : WF_CU_INVALID_VALUE;
    }
}
API(cudaGraphKernelNodeSetAttribute, (uint64_t node, int id, const union abi_launch_value *value),
    set_attribute(node, id, value))

static enum wf_cu get_attribute(uint64_t node, int id, union abi_launch_value *out)
{
    struct wf_rt_node p;
    enum wf_cu e = get(node, WF_RT_NODE_KERNEL, out, &p);
    if (e != WF_CU_SUCCESS)
        return e;
    if (id < WF_RT_ATTR_IGNORE || id > WF_RT_ATTR_LAST)
        return WF_CU_INVALID_VALUE;
    *out = (union abi_launch_value){.number = 0};
    if (id == WF_RT_ATTR_COOPERATIVE)
        out->number = p.of.kernel.l.is_cooperative;
    if (id == WF_RT_ATTR_CLUSTER && p.of.kernel.l.has_cluster)
        out->dim = dim(p.of.kernel.l.cluster);
    return WF_CU_SUCCESS;
}
API(cudaGraphKernelNodeGetAttribute, (uint64_t node, int id, union abi_launch_value *out),
    get_attribute(node, id, out))

static enum wf_cu copy_attributes(uint64_t src, uint64_t dst)
{
    struct wf_rt_node a, b;
    enum wf_cu e = get(src, WF_RT_NODE_KERNEL, &a, &a);
    if (e == WF_CU_SUCCESS)
        e = get(dst, WF_RT_NODE_KERNEL, &b, &b);
    if (e != WF_CU_SUCCESS)
        return e;
    b.of.kernel.l.is_cooperative = a.of.kernel.l.is_cooperative;
    b.of.kernel.l.has_cluster = a.of.kernel.l.has_cluster;
    b.of.kernel.l.cluster = a.of.kernel.l.cluster;
    return wf_rt_graph_set(dst, &b);
}
API(cudaGraphKernelNodeCopyAttributes, (uint64_t dst, uint64_t src), copy_attributes(src, dst))

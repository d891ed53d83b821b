// SPDX-License-Identifier: Apache-2.0
// Instances of graphs.
#include "cudart/graph.h"

API(cudaGraphInstantiate, (uint64_t * out, uint64_t graph, unsigned long long flags),
    wf_rt_graph_instantiate(out, graph, flags))
API(cudaGraphInstantiateWithFlags, (uint64_t * out, uint64_t graph, unsigned long long flags),
    wf_rt_graph_instantiate(out, graph, flags))

static enum wf_cu with_params(uint64_t *out, uint64_t graph, struct abi_graph_instantiate *p)
{
    if (!p)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_graph_instantiate(out, graph, p->flags);
    p->node = 0;
    p->result = e == WF_CU_SUCCESS ? 0 : 1;
    return e;
}
BOTH(cudaGraphInstantiateWithParams, _ptsz,
     (uint64_t * out, uint64_t graph, struct abi_graph_instantiate *p), with_params(out, graph, p))

API(cudaGraphExecDestroy, (uint64_t exec), wf_rt_graph_exec_destroy(exec))
static enum wf_cu flags_of(uint64_t exec, unsigned long long *out)
{
    uint64_t flags;
    enum wf_cu e = wf_rt_graph_exec_flags(exec, &flags);
    if (e == WF_CU_SUCCESS && out)
        *out = flags;
    return e == WF_CU_SUCCESS && !out ? WF_CU_INVALID_VALUE : e;
}
API(cudaGraphExecGetFlags, (uint64_t exec, unsigned long long *out), flags_of(exec, out))
BOTH(cudaGraphLaunch, _ptsz, (uint64_t exec, cudaStream_t stream),
     wf_rt_graph_launch(exec, S(stream)))
// There is nothing to upload to.
BOTH(cudaGraphUpload, _ptsz, (uint64_t exec, cudaStream_t stream),
     wf_rt_graph_exec_check(exec) != WF_CU_SUCCESS ? WF_CU_INVALID_VALUE
                                                   : wf_rt_stream_check(S(stream)))

static enum wf_cu update(uint64_t exec, uint64_t graph, struct abi_graph_update *out)
{
    enum wf_rt_graph_update result;
    uint64_t node;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_graph_exec_update(exec, graph, &result, &node);
    *out = (struct abi_graph_update){.result = (int)result, .node = node};
    return e;
}
API(cudaGraphExecUpdate, (uint64_t exec, uint64_t graph, struct abi_graph_update *out),
    update(exec, graph, out))

static enum wf_cu set_node(uint64_t exec, uint64_t node, const struct abi_node *p)
{
    struct wf_rt_node wanted;
    enum wf_cu e = p ? wf__node_read(p, &wanted) : WF_CU_INVALID_VALUE;
    return e == WF_CU_SUCCESS ? wf_rt_graph_exec_set(exec, node, &wanted) : e;
}
API(cudaGraphExecNodeSetParams, (uint64_t exec, uint64_t node, struct abi_node *p),
    set_node(exec, node, p))

static enum wf_cu set_event(uint64_t exec, uint64_t node, enum wf_rt_node_kind kind, cudaEvent_t event)
{
    struct wf_rt_node p = {.kind = kind, .of.event = ADDR(event)};
    return wf_rt_graph_exec_set(exec, node, &p);
}
API(cudaGraphExecEventRecordNodeSetEvent, (uint64_t exec, uint64_t node, cudaEvent_t event),
    set_event(exec, node, WF_RT_NODE_RECORD, event))
API(cudaGraphExecEventWaitNodeSetEvent, (uint64_t exec, uint64_t node, cudaEvent_t event),
    set_event(exec, node, WF_RT_NODE_WAIT, event))

API(cudaGraphNodeSetEnabled, (uint64_t exec, uint64_t node, unsigned is_on),
    wf_rt_graph_exec_enable(exec, node, is_on != 0))
static enum wf_cu enabled(uint64_t exec, uint64_t node, unsigned *out)
{
    bool is_on;
    enum wf_cu e = wf_rt_graph_exec_enabled(exec, node, &is_on);
    if (e == WF_CU_SUCCESS && out)
        *out = is_on;
    return e == WF_CU_SUCCESS && !out ? WF_CU_INVALID_VALUE : e;
}
API(cudaGraphNodeGetEnabled, (uint64_t exec, uint64_t node, unsigned *out),
    enabled(exec, node, out))

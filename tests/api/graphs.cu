// SPDX-License-Identifier: Apache-2.0
// Graphs made by hand: nodes of every kind, edges, instances, updates, memory, conditions.
// only: nvcc
// expect: clean
// stdout: PASS
#include "api.h"

__device__ int symbol;

__global__ void add(int *p, int n)
{
    *p += n;
}

__global__ void times(int *p, int n)
{
    *p *= n;
}

static void CUDART_CB count(void *p)
{
    ++*(int *)p;
}

static int value(const int *d)
{
    int h = -1;
    OK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

static cudaGraphNode_t kernel(cudaGraph_t g, void (*fn)(int *, int), int *p, int n, const cudaGraphNode_t *after, size_t n_after)
{
    cudaGraphNode_t v = 0;
    cudaKernelNodeParams k;
    void *args[] = {&p, &n};
    memset(&k, 0, sizeof k);
    k.func = (void *)fn;
    k.gridDim = dim3(1);
    k.blockDim = dim3(1);
    k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&v, g, after, n_after, &k));
    return v;
}

static void by_hand(int *d, cudaStream_t s)
{
    cudaGraph_t g, child, clone;
    cudaGraphExec_t x;
    cudaGraphNode_t set, a, b, join, host, inner, copy, found;
    int calls = 0, out = 0;
    OK(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {d, 0, 3, 4, 2, 1}; // d[0] = d[1] = 3
    OK(cudaGraphAddMemsetNode(&set, g, NULL, 0, &m));
    a = kernel(g, add, d, 5, &set, 1);       // d[0] = 8
    b = kernel(g, times, d + 1, 7, &set, 1); // d[1] = 21
    cudaGraphNode_t both[] = {a, b};
    OK(cudaGraphAddEmptyNode(&join, g, both, 2));
    cudaHostNodeParams h = {count, &calls};
    OK(cudaGraphAddHostNode(&host, g, &join, 1, &h));
    OK(cudaGraphCreate(&child, 0));
    kernel(child, times, d, 2, NULL, 0);
    OK(cudaGraphAddChildGraphNode(&inner, g, &host, 1, child)); // d[0] = 16
    OK(cudaGraphDestroy(child));
    OK(cudaGraphAddMemcpyNode1D(&copy, g, &inner, 1, &out, d, sizeof out, cudaMemcpyDeviceToHost));

    size_t n = 0;
    OK(cudaGraphGetNodes(g, NULL, &n));
    EQ(n, 7);
    OK(cudaGraphGetRootNodes(g, NULL, &n));
    EQ(n, 1);
    OK(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
    EQ(n, 7);
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(inner, &type));
    EQ(type, cudaGraphNodeTypeGraph);
    IS(cudaGraphAddDependencies(g, &copy, &set, NULL, 1), cudaErrorInvalidValue); // a circle
    OK(cudaGraphClone(&clone, g));
    OK(cudaGraphNodeFindInClone(&found, copy, clone));
    CHECK(found != copy);
    OK(cudaGraphDestroy(clone));

    OK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    EQ(calls, 3);
    EQ(out, 16);
    EQ(value(d + 1), 21);

    // Other parameters in the instance alone.
    cudaKernelNodeParams k;
    OK(cudaGraphKernelNodeGetParams(a, &k));
    CHECK(k.func == (void *)add && *(int *)k.kernelParams[1] == 5);
    int ten = 10;
    void *args[] = {&d, &ten};
    k.kernelParams = args;
    OK(cudaGraphExecKernelNodeSetParams(x, a, &k));
    OK(cudaGraphNodeSetEnabled(x, b, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    EQ(out, 26);
    EQ(value(d + 1), 3);
    OK(cudaGraphKernelNodeGetParams(a, &k));
    EQ(*(int *)k.kernelParams[1], 5);

    // An update takes the graph's own parameters again; another graph does not fit.
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(x, g, &info));
    EQ(info.result, cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    EQ(out, 16);
    cudaGraph_t other;
    OK(cudaGraphCreate(&other, 0));
    kernel(other, add, d, 1, NULL, 0);
    IS(cudaGraphExecUpdate(x, other, &info), cudaErrorGraphExecUpdateFailure);
    EQ(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
    OK(cudaGraphDestroyNode(host));
    OK(cudaGraphGetNodes(g, NULL, &n));
    EQ(n, 6);
    OK(cudaGraphDestroy(other));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphExecDestroy(x));
    IS(cudaGraphLaunch(x, s), cudaErrorInvalidValue);
}

static void memory(cudaStream_t s)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t alloc, set, copy, release;
    int out = 0;
    cudaMemAllocNodeParams p;
    memset(&p, 0, sizeof p);
    p.bytesize = 64;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    cudaMemsetParams m = {p.dptr, 0, 9, 4, 16, 1};
    OK(cudaGraphAddMemsetNode(&set, g, &alloc, 1, &m));
    OK(cudaGraphAddMemcpyNode1D(&copy, g, &set, 1, &out, p.dptr, sizeof out, cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    EQ(out, 9);
    IS(cudaGraphLaunch(x, s), cudaErrorInvalidValue); // its memory is still there
    OK(cudaFree(p.dptr));
    OK(cudaGraphLaunch(x, s));
    OK(cudaFreeAsync(p.dptr, s));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphAddMemFreeNode(&release, g, &copy, 1, p.dptr));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

static void symbols_and_events(cudaStream_t s)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t to, from, record;
    cudaEvent_t done;
    int in = 41, out = 0;
    OK(cudaEventCreate(&done));
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, symbol, &in, sizeof in, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, &out, symbol, sizeof in, 0, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddEventRecordNode(&record, g, &from, 1, done));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaEventSynchronize(done));
    EQ(out, 41);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaEventDestroy(done));
}

__global__ void step(int *p, cudaGraphConditionalHandle h)
{
    *p += 1;
    cudaGraphSetConditional(h, *p < 5);
}

static cudaGraph_t conditional(cudaGraph_t g, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type,
                               const cudaGraphNode_t *after, size_t n, cudaGraphNode_t *v)
{
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = 1;
    OK(cudaGraphAddNode(v, g, after, NULL, n, &p));
    return p.conditional.phGraph_out[0];
}

static void conditions(int *d, cudaStream_t s)
{
    cudaGraph_t g, body;
    cudaGraphExec_t x;
    cudaGraphNode_t loop, branch, v;
    cudaGraphConditionalHandle h, never;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    OK(cudaGraphConditionalHandleCreate(&never, g, 0, cudaGraphCondAssignDefault));
    body = conditional(g, h, cudaGraphCondTypeWhile, NULL, 0, &loop);
    cudaKernelNodeParams k;
    void *args[] = {&d, &h};
    memset(&k, 0, sizeof k);
    k.func = (void *)step;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&v, body, NULL, 0, &k));
    body = conditional(g, never, cudaGraphCondTypeIf, &loop, 1, &branch);
    kernel(body, add, d, 100, NULL, 0);
    kernel(g, add, d, 1000, &branch, 1);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 2; i++) {
        OK(cudaMemset(d, 0, sizeof *d));
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamSynchronize(s));
        EQ(value(d), 1005);
    }
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

int main()
{
    int *d;
    cudaStream_t s;
    OK(cudaMalloc(&d, 64));
    OK(cudaStreamCreate(&s));
    by_hand(d, s);
    memory(s);
    symbols_and_events(s);
    conditions(d, s);
    return finish();
}

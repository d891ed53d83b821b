// SPDX-License-Identifier: Apache-2.0
// Stream capture: what becomes a node, forks and joins by events, what is not allowed meanwhile.
// only: nvcc
// expect: clean
// stdout: PASS
#include "api.h"

__global__ void add(int *p, int n)
{
    *p += n;
}

static void CUDART_CB count(void *p)
{
    ++*(int *)p;
}

static size_t size_of(cudaGraph_t g)
{
    size_t n = 0;
    OK(cudaGraphGetNodes(g, NULL, &n));
    return n;
}

static void captured(int *d, cudaStream_t s, cudaStream_t t)
{
    cudaGraph_t g = 0;
    cudaGraphExec_t x;
    cudaEvent_t fork, join;
    cudaStreamCaptureStatus status;
    int calls = 0, *pinned;
    OK(cudaMallocHost(&pinned, sizeof *pinned));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(d, 0, 8, s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0)); // t is captured now
    OK(cudaStreamIsCapturing(t, &status));
    EQ(status, cudaStreamCaptureStatusActive);
    add<<<1, 1, 0, t>>>(d + 1, 7);
    add<<<1, 1, 0, s>>>(d, 5);
    OK(cudaGetLastError());
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(cudaLaunchHostFunc(s, count, &calls));
    int *own;
    OK(cudaMallocAsync(&own, 64, s));
    OK(cudaMemcpyAsync(own, d + 1, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaMemcpyAsync(pinned, own, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaFreeAsync(own, s));
    OK(cudaStreamEndCapture(s, &g));
    EQ(size_of(g), 8);
    OK(cudaStreamIsCapturing(t, &status));
    EQ(status, cudaStreamCaptureStatusNone);
    *pinned = 0;
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphLaunch(x, t)); // behind the first, though in another stream
    OK(cudaDeviceSynchronize());
    EQ(calls, 2);
    EQ(*pinned, 7);
    int h;
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    EQ(h, 5);

    // A launch that is captured becomes a child.
    cudaGraph_t outer = 0;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaGraphLaunch(x, s));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamEndCapture(s, &outer));
    EQ(size_of(outer), 2);
    OK(cudaGraphDestroy(outer));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaFreeHost(pinned));
}

static void refused(int *d, cudaStream_t s, cudaStream_t t)
{
    cudaGraph_t g = (cudaGraph_t)1;
    cudaEvent_t e;
    OK(cudaEventCreate(&e));
    IS(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &g), cudaErrorIllegalState);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    IS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    IS(cudaMemsetAsync(d, 0, 4, s), cudaErrorStreamCaptureInvalidated);
    IS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    CHECK(g == NULL);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    IS(cudaMemsetAsync(d, 0, 4, 0), cudaErrorStreamCaptureImplicit); // would wait for s
    IS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);

    int *p;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    IS(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 4));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphDestroy(g));
    OK(cudaFree(p));

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(d, 0, 4, s));
    OK(cudaEventRecord(e, s));
    IS(cudaEventSynchronize(e), cudaErrorCapturedEvent);
    IS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(cudaMemsetAsync(d, 0, 4, t));
    IS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);

    OK(cudaEventRecord(e, t)); // outside
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    IS(cudaStreamWaitEvent(s, e, 0), cudaErrorStreamCaptureIsolation);
    IS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    OK(cudaEventDestroy(e));
}

static void to_graph(int *d, cudaStream_t s)
{
    cudaGraph_t g, same;
    cudaGraphNode_t first, extra;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *deps;
    unsigned long long id;
    size_t n;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddEmptyNode(&first, g, NULL, 0));
    OK(cudaStreamBeginCaptureToGraph(s, g, &first, NULL, 1, cudaStreamCaptureModeThreadLocal));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &same, &deps, NULL, &n));
    CHECK(status == cudaStreamCaptureStatusActive && same == g && n == 1);
    OK(cudaGraphAddEmptyNode(&extra, g, deps, n));
    OK(cudaStreamUpdateCaptureDependencies(s, &extra, NULL, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(d, 2);
    OK(cudaStreamEndCapture(s, NULL));
    OK(cudaGraphNodeGetDependentNodes(extra, NULL, NULL, &n));
    EQ(n, 1);
    EQ(size_of(g), 4);
    OK(cudaGraphDestroy(g));
}

int main()
{
    int *d;
    cudaStream_t s, t;
    OK(cudaMalloc(&d, 64));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    captured(d, s, t);
    refused(d, s, t);
    to_graph(d, s);
    OK(cudaFree(d));
    return finish();
}

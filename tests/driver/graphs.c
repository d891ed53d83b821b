// SPDX-License-Identifier: Apache-2.0
// Graphs by hand and by capture: the same work, launched twice each.
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

static int calls;
static void called(void *user)
{
    calls += *(int *)user;
}

static void launch_twice(CUgraph graph, CUstream stream)
{
    CUgraphExec exec;
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

static int wrong(CUdeviceptr p, int add)
{
    int host[64], n = 0;
    OK(cuMemcpyDtoH(host, p, sizeof host));
    for (int i = 0; i < 64; i++)
        n += host[i] != 3 * 5 + add;
    return n;
}

static void by_hand(CUfunction f, CUstream stream, CUdeviceptr a, CUdeviceptr b)
{
    CUgraph graph;
    CUgraphNode fill, kernel, host;
    int n = 64, factor = 3, one = 1;
    size_t count = 0;
    void *args[] = {&b, &a, &n, &factor};
    CUDA_MEMSET_NODE_PARAMS set = {.dst = a, .value = 5, .elementSize = 4, .width = 64, .height = 1};
    CUDA_KERNEL_NODE_PARAMS launch = {.func = f, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 64,
                                      .blockDimY = 1, .blockDimZ = 1, .kernelParams = args};
    CUDA_HOST_NODE_PARAMS call = {called, &one};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &set, NULL));
    OK(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
    OK(cuGraphAddHostNode(&host, graph, &kernel, 1, &call));
    OK(cuGraphGetNodes(graph, NULL, &count));
    EQ(count, 3);
    launch_twice(graph, stream);
    EQ(calls, 2);
    EQ(wrong(b, 7), 0);
}

static void by_capture(CUfunction f, CUstream stream, CUdeviceptr a, CUdeviceptr b)
{
    CUgraph graph;
    CUstreamCaptureStatus status;
    int n = 64, factor = 3;
    void *args[] = {&b, &a, &n, &factor};
    OK(cuMemsetD8(b, 0, 256));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamIsCapturing(stream, &status));
    EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuMemsetD32Async(a, 5, 64, stream));
    OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, stream, args, NULL));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuStreamIsCapturing(stream, &status));
    EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
    EQ(wrong(b, -15), 0); // nothing has run yet
    launch_twice(graph, stream);
    EQ(wrong(b, 7), 0);
}

int main(void)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUstream stream;
    CUdeviceptr a, b;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxSetCurrent(c));
    OK(cuModuleLoadData(&m, PTX_SCALE));
    OK(cuModuleGetFunction(&f, m, "scaled"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&a, 256));
    OK(cuMemAlloc(&b, 256));
    by_hand(f, stream, a, b);
    by_capture(f, stream, a, b);
    return finish();
}

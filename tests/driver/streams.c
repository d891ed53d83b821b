// SPDX-License-Identifier: Apache-2.0
// Streams, events, host functions, stream-ordered memory; the same kernel with its barrier is clean.
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

static int calls;
static void called(void *user)
{
    calls += *(int *)user;
}
static void called_back(CUstream stream, CUresult status, void *user)
{
    (void)stream;
    calls += status == CUDA_SUCCESS ? *(int *)user : 1000;
}

int main(void)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUstream a, b;
    CUevent start, end;
    CUdeviceptr p;
    int *host, one = 1, priority = 0, least, greatest;
    float ms = -1;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxPushCurrent(c));
    OK(cuModuleLoadData(&m, PTX_TURN("bar.sync 0;")));
    OK(cuModuleGetFunction(&f, m, "turn"));
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest < least);
    OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreateWithPriority(&b, CU_STREAM_NON_BLOCKING, greatest));
    OK(cuStreamGetPriority(b, &priority));
    EQ(priority, greatest);
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    OK(cuMemHostAlloc((void **)&host, 256, 0));
    for (int i = 0; i < 64; i++)
        host[i] = i;
    OK(cuMemAllocAsync(&p, 256, a));
    OK(cuEventRecord(start, a));
    OK(cuMemcpyHtoDAsync(p, host, 256, a));
    void *args[] = {&p};
    OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, a, args, NULL));
    OK(cuEventRecord(end, a));
    OK(cuStreamWaitEvent(b, end, 0));
    OK(cuMemcpyDtoHAsync(host, p, 256, b));
    OK(cuLaunchHostFunc(b, called, &one));
    OK(cuStreamAddCallback(b, called_back, &one, 0));
    OK(cuStreamSynchronize(b));
    EQ(calls, 2);
    for (int i = 0; i < 64; i++)
        CHECK(host[i] == 63 - i);
    OK(cuStreamQuery(b));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&ms, start, end));
    CHECK(ms >= 0);
    OK(cuMemFreeAsync(p, b));
    OK(cuStreamSynchronize(b));
    OK(cuMemFreeHost(host));
    OK(cuEventDestroy(start));
    IS(cuEventQuery(start), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy(a));
    OK(cuStreamDestroy(b));
    OK(cuDevicePrimaryCtxRelease(0));
    return finish();
}

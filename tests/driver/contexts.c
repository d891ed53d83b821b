// SPDX-License-Identifier: Apache-2.0
// Which context is current, what a call without one gives, and what goes with a destroyed one.
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

static void own(CUdevice device)
{
    CUcontext a, b, now;
    CUdeviceptr p, q;
    CUstream stream;
    CUmodule module;
    CUfunction f;
    unsigned long long ida, idb;
    OK(cuCtxCreate(&a, NULL, CU_CTX_SCHED_BLOCKING_SYNC, device));
    OK(cuCtxCreate(&b, NULL, 0, device));
    OK(cuCtxGetCurrent(&now));
    CHECK(now == b);
    OK(cuCtxGetId(a, &ida));
    OK(cuCtxGetId(b, &idb));
    CHECK(ida != idb);
    OK(cuMemAlloc(&p, 64));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamGetCtx(stream, &now));
    CHECK(now == b);
    OK(cuModuleLoadData(&module, PTX_SCALE));
    OK(cuModuleGetFunction(&f, module, "scaled"));
    OK(cuCtxPopCurrent(&now));
    CHECK(now == b);
    OK(cuCtxGetCurrent(&now));
    CHECK(now == a);
    OK(cuMemAlloc(&q, 64));
    OK(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    CHECK(now == b);
    OK(cuCtxDestroy(b)); // with all that it has made
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    IS(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    IS(cuCtxPushCurrent(b), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuMemsetD8(q, 1, 64)); // another context's is left alone
    unsigned flags = 0;
    OK(cuCtxGetFlags(&flags));
    EQ(flags, CU_CTX_SCHED_BLOCKING_SYNC);
    OK(cuCtxDestroy(a));
    OK(cuCtxGetCurrent(&now));
    CHECK(now == NULL);
}

static void primary(CUdevice device)
{
    CUcontext c, again, now;
    unsigned flags;
    int is_active = -1;
    CUdeviceptr p;
    OK(cuDevicePrimaryCtxGetState(device, &flags, &is_active));
    EQ(is_active, 0);
    IS(cuDevicePrimaryCtxRelease(device), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&c, device));
    OK(cuDevicePrimaryCtxRetain(&again, device));
    CHECK(c == again);
    OK(cuCtxGetCurrent(&now));
    CHECK(now == NULL);
    OK(cuCtxSetCurrent(c));
    OK(cuCtxGetCurrent(&now));
    CHECK(now == c);
    OK(cuMemAlloc(&p, 16));
    IS(cuCtxDestroy(c), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRelease(device));
    OK(cuMemsetD8(p, 0, 16));
    OK(cuDevicePrimaryCtxRelease(device));
    OK(cuDevicePrimaryCtxRetain(&c, device));
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE); // went with the last hold
    OK(cuDevicePrimaryCtxRelease(device));
}

int main(void)
{
    CUdevice device = 0;
    CUdeviceptr p;
    const char *text;
    IS(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0);
    OK(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(strcmp(text, "invalid device context") == 0);
    IS(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    CHECK(text == NULL);
    own(device);
    primary(device);
    return finish();
}

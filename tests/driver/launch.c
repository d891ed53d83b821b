// SPDX-License-Identifier: Apache-2.0
// From PTX text to a result: device, context, module, memory, both ways of giving arguments, attributes.
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

#define N 1000

static void memory(CUfunction f, CUmodule m)
{
    static int in[N], out[N];
    CUdeviceptr a, b, scale, base;
    size_t bytes = 0;
    OK(cuMemAlloc(&a, sizeof in));
    OK(cuMemAlloc(&b, sizeof in));
    IS(cuMemAlloc(&base, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetAddressRange(&base, &bytes, a + 40));
    EQ(base, a);
    EQ(bytes, sizeof in);
    for (int i = 0; i < N; i++)
        in[i] = i;
    OK(cuMemcpyHtoD(a, in, sizeof in));
    OK(cuMemsetD32(b, 0xffffffff, N));
    int n = N, factor = 3;
    void *args[] = {&b, &a, &n, &factor};
    OK(cuLaunchKernel(f, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(out, b, sizeof out));
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += out[i] != 3 * i + 7;
    EQ(wrong, 0);

    OK(cuModuleGetGlobal(&scale, &bytes, m, "scale"));
    EQ(bytes, 4);
    OK(cuMemsetD8(scale, 0, 4));
    struct {
        CUdeviceptr out, a;
        unsigned n;
        int factor;
    } packed = {b, a, N, -1};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CUlaunchConfig config = {.gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128,
                             .blockDimY = 1, .blockDimZ = 1};
    OK(cuLaunchKernelEx(&config, f, NULL, extra));
    OK(cuMemcpyDtoH(out, b, sizeof out));
    wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += out[i] != -i;
    EQ(wrong, 0);
    size = 8; // too short for the parameters
    IS(cuLaunchKernelEx(&config, f, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel((CUfunction)args, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
       CUDA_ERROR_INVALID_HANDLE);
    unsigned type = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a));
    EQ(type, CU_MEMORYTYPE_DEVICE);
    IS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)in),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    IS(cuMemFree(b), CUDA_ERROR_INVALID_VALUE);
}

static void rectangle(void)
{
    CUdeviceptr p;
    size_t pitch;
    unsigned char in[5][12], out[5][12];
    memset(out, 0, sizeof out);
    for (int i = 0; i < 60; i++)
        in[i / 12][i % 12] = (unsigned char)i;
    OK(cuMemAllocPitch(&p, &pitch, 12, 5, 4));
    CHECK(pitch >= 12 && pitch % 512 == 0);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 12,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p, .dstPitch = pitch,
                       .WidthInBytes = 12, .Height = 5};
    OK(cuMemcpy2D(&c));
    CUDA_MEMCPY2D back = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = p,
                          .srcPitch = pitch, .srcXInBytes = 4, .srcY = 1,
                          .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .dstPitch = 12,
                          .WidthInBytes = 8, .Height = 4};
    OK(cuMemcpy2D(&back));
    for (int y = 0; y < 4; y++)
        CHECK(memcmp(out[y], in[y + 1] + 4, 8) == 0);
    OK(cuMemFree(p));
}

static void attributes(CUfunction f, CUmodule m)
{
    int v = 0;
    const char *name = NULL;
    CUmodule owner;
    size_t offset, bytes;
    unsigned n = 0;
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    EQ(v, 1024);
    IS(cuFuncGetAttribute(&v, (CUfunction_attribute)99, f), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncGetName(&name, f));
    CHECK(name && strcmp(name, "scaled") == 0);
    OK(cuFuncGetModule(&owner, f));
    CHECK(owner == m);
    OK(cuFuncGetParamInfo(f, 3, &offset, &bytes));
    EQ(offset, 20);
    EQ(bytes, 4);
    OK(cuModuleGetFunctionCount(&n, m));
    EQ(n, 1);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 256, 0));
    EQ(v, 8);
    int grid, block;
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    EQ(block, 1024);
    EQ(grid, 2 * 132);
}

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    char name[64];
    int v = 0;
    size_t bytes = 0;
    OK(cuInit(0));
    OK(cuDeviceGetCount(&v));
    EQ(v, 1);
    OK(cuDeviceGet(&device, 0));
    IS(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetName(name, sizeof name, device));
    CHECK(strcmp(name, "NVIDIA H200") == 0);
    OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    EQ(v, 9);
    OK(cuDeviceTotalMem(&bytes, device));
    CHECK(bytes > (size_t)100 << 30);
    OK(cuCtxCreate(&context, NULL, 0, device));
    OK(cuModuleLoadData(&module, PTX_SCALE));
    OK(cuModuleGetFunction(&f, module, "scaled"));
    CUfunction none;
    IS(cuModuleGetFunction(&none, module, "unknown"), CUDA_ERROR_NOT_FOUND);
    memory(f, module);
    rectangle();
    attributes(f, module);
    OK(cuModuleUnload(module));
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxDestroy(context));
    return finish();
}

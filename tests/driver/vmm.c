// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: one physical memory at two addresses, in halves, handed on as a descriptor.
// only: nvcc
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

#include <stdint.h>
#include <unistd.h>

int main(void)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUmemAllocationProp p, back;
    CUmemAccessDesc may;
    CUmemGenericAllocationHandle memory, again, kept;
    CUdeviceptr a, b;
    unsigned long long rights = 0;
    size_t grain = 0;
    int fd = -1, n = 4, factor = 3, h[4] = {1, 2, 3, 4}, out[4] = {0};
    OK(cuInit(0));
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemGetAllocationGranularity(&grain, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(grain >= 4096 && grain <= (2 << 20));
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxPushCurrent(c));
    OK(cuModuleLoadData(&m, PTX_SCALE));
    OK(cuModuleGetFunction(&f, m, "scaled"));

    OK(cuMemAddressReserve(&a, 2 * grain, 0, 0, 0));
    OK(cuMemAddressReserve(&b, grain, 0, 0, 0));
    IS(cuMemCreate(&memory, grain + 1, &p, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemCreate(&memory, grain, &p, 0));
    OK(cuMemGetAllocationPropertiesFromHandle(&back, memory));
    EQ(back.requestedHandleTypes, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    OK(cuMemExportToShareableHandle(&fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemImportFromShareableHandle(&again, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);

    memset(&may, 0, sizeof may);
    may.location = p.location;
    may.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    IS(cuMemSetAccess(a, grain, &may, 1), CUDA_ERROR_INVALID_VALUE); // nothing is there
    OK(cuMemMap(a + grain, grain, 0, memory, 0));
    IS(cuMemMap(a + grain, grain, 0, memory, 0), CUDA_ERROR_INVALID_VALUE); // taken
    OK(cuMemMap(b, grain, 0, again, 0));
    OK(cuMemSetAccess(a + grain, grain, &may, 1));
    OK(cuMemSetAccess(b, grain, &may, 1));
    OK(cuMemGetAccess(&rights, &p.location, b));
    EQ(rights, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemRetainAllocationHandle(&kept, (void *)(uintptr_t)b));
    OK(cuMemRelease(kept));
    OK(cuMemRelease(memory));
    OK(cuMemRelease(again));
    IS(cuMemRelease(again), CUDA_ERROR_INVALID_VALUE);

    CUdeviceptr in = a + grain, res = b + 64; // the same memory
    void *args[] = {&res, &in, &n, &factor};
    OK(cuMemcpyHtoD(in, h, sizeof h));
    OK(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(out, a + grain + 64, sizeof out));
    EQ(out[0], 10);
    EQ(out[3], 19);

    IS(cuMemAddressFree(b, grain), CUDA_ERROR_INVALID_VALUE); // still mapped
    OK(cuMemUnmap(b, grain));
    OK(cuMemUnmap(a + grain, grain));
    IS(cuMemcpyHtoD(b, h, 0), CUDA_SUCCESS);
    OK(cuMemAddressFree(b, grain));
    OK(cuMemAddressFree(a, 2 * grain));
    OK(cuMemAlloc(&a, 4 * grain)); // ordinary memory where that lay
    OK(cuMemsetD32(a, 5, grain));
    OK(cuMemcpyDtoH(out, a + 4 * grain - 16, 16));
    EQ(out[3], 5);
    OK(cuMemFree(a));
    return finish();
}

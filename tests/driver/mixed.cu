// SPDX-License-Identifier: Apache-2.0
// Runtime and driver API in one program: one context, one memory, one list of errors each.
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

#include <cuda_runtime.h>

__global__ void add_one(int *p)
{
    p[threadIdx.x] += 1;
}

int main()
{
    CUcontext c = nullptr;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    int *q, host[64];
    EQ(cudaMalloc(&q, sizeof host), cudaSuccess);
    EQ(cudaMemset(q, 0, sizeof host), cudaSuccess);
    OK(cuCtxGetCurrent(&c)); // the runtime has made its context current
    CHECK(c != nullptr);
    OK(cuModuleLoadData(&m, PTX_TURN("bar.sync 0;")));
    OK(cuModuleGetFunction(&f, m, "turn"));
    OK(cuMemAlloc(&p, sizeof host));
    for (int i = 0; i < 64; i++)
        host[i] = i;
    OK(cuMemcpyHtoD(p, host, sizeof host));
    add_one<<<1, 64>>>((int *)p);
    void *args[] = {&p};
    OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
    EQ(cudaMemcpy(host, (void *)p, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 64; i++)
        CHECK(host[i] == 64 - i);
    IS(cuMemFree((CUdeviceptr)host), CUDA_ERROR_INVALID_VALUE);
    EQ(cudaGetLastError(), cudaSuccess); // the driver's errors are not the runtime's
    EQ(cudaFree((void *)p), cudaSuccess);
    OK(cuMemFree((CUdeviceptr)q));
    void *fn = nullptr, *same = nullptr;
    cudaDriverEntryPointQueryResult status;
    EQ(cudaGetDriverEntryPointByVersion("cuMemAlloc", &fn, 12000, cudaEnableDefault, &status),
       cudaSuccess);
    EQ(status, cudaDriverEntryPointSuccess);
    OK(cuGetProcAddress("cuMemAlloc", &same, 12000, 0, nullptr));
    CHECK(fn != nullptr && fn == same);
    return finish();
}

// SPDX-License-Identifier: Apache-2.0
// A kernel that reads another thread's word of shared memory without a barrier.
// compiler: -lcuda
// expect: race-shared|race-warp
// allow: mem-uninit
#include "driver.h"

int main(void)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    OK(cuInit(0));
    OK(cuCtxCreate(&c, NULL, 0, 0));
    OK(cuModuleLoadData(&m, PTX_TURN("")));
    OK(cuModuleGetFunction(&f, m, "turn"));
    OK(cuMemAlloc(&p, 256));
    OK(cuMemsetD32(p, 5, 64));
    void *args[] = {&p};
    OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    OK(cuCtxSynchronize());
    return finish();
}

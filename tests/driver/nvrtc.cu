// SPDX-License-Identifier: Apache-2.0
// A program that compiles at run time for a real GPU and asks for machine code: it gets PTX, which loads and runs.
// only: nvcc
// compiler: -lnvrtc -lcuda
// expect: clean
// stdout: PASS
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
#define OK(x)                                                                                       \
    do {                                                                                            \
        int got = (int)(x);                                                                         \
        if (got)                                                                                    \
            failures++, printf("line %d: %s gives %d\n", __LINE__, #x, got);                        \
    } while (0)

int main()
{
    const char *text = "extern \"C\" __global__ void twice(int *p) { p[threadIdx.x] *= 2; }\n"
                       "template <int N> __global__ void plus(int *p) { p[threadIdx.x] += N; }\n";
    const char *options[] = {"--gpu-architecture=sm_90", "-lineinfo"};
    const char *lowered;
    nvrtcProgram program;
    size_t bytes;
    OK(nvrtcCreateProgram(&program, text, "twice.cu", 0, NULL, NULL));
    OK(nvrtcAddNameExpression(program, "plus<3>"));
    OK(nvrtcCompileProgram(program, 2, options));
    OK(nvrtcGetCUBINSize(program, &bytes));
    char *image = (char *)malloc(bytes);
    OK(nvrtcGetCUBIN(program, image));
    OK(nvrtcGetLoweredName(program, "plus<3>", &lowered));

    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction twice, plus;
    CUdeviceptr p;
    int h[32];
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, image));
    OK(cuModuleGetFunction(&twice, module, "twice"));
    OK(cuModuleGetFunction(&plus, module, lowered));
    OK(nvrtcDestroyProgram(&program));
    for (int i = 0; i < 32; i++)
        h[i] = i;
    OK(cuMemAlloc(&p, sizeof h));
    OK(cuMemcpyHtoD(p, h, sizeof h));
    void *args[] = {&p};
    OK(cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, 0, args, NULL));
    OK(cuLaunchKernel(plus, 1, 1, 1, 32, 1, 1, 0, 0, args, NULL));
    OK(cuMemcpyDtoH(h, p, sizeof h));
    for (int i = 0; i < 32; i++)
        if (h[i] != 2 * i + 3)
            failures++, printf("h[%d] is %d\n", i, h[i]);
    printf("%s\n", failures ? "FAIL" : "PASS");
    return failures != 0;
}

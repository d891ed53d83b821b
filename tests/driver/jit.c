// SPDX-License-Identifier: Apache-2.0
// Just-in-time compilation: logs, and the linker with a function in one input that another one calls.
// compiler: -lcuda
// expect: clean
// stdout: PASS
#include "driver.h"

static const char CALLEE[] = HEAD
    ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
    "{\n  .reg .b32 %r<3>;\n  ld.param.b32 %r0, [x];\n  add.s32 %r1, %r0, %r0;\n"
    "  st.param.b32 [r], %r1;\n  ret;\n}\n";
static const char CALLER[] = HEAD
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".visible .entry use(.param .u64 out)\n"
    "{\n  .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d0, [out];\n  cvta.to.global.u64 %d0, %d0;\n  mov.u32 %r0, 21;\n"
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;\n"
    "    call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }\n"
    "  st.global.u32 [%d0], %r1;\n  ret;\n}\n";
static const char WRONG[] = HEAD ".visible .entry wrong()\n{\n  no_such_op.u32 %r0;\n  ret;\n}\n";

static void logs(void)
{
    CUmodule m;
    char log[512] = "untouched";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {log, (void *)sizeof log, (void *)3};
    IS(cuModuleLoadDataEx(&m, WRONG, 3, options, values), CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, "no_such_op") && strstr(log, ":6:"));
    EQ((size_t)values[1], strlen(log) + 1);
    values[1] = (void *)sizeof log;
    OK(cuModuleLoadDataEx(&m, PTX_SCALE, 3, options, values));
    EQ(log[0], 0);
    EQ((size_t)values[1], 0);
    OK(cuModuleUnload(m));
    options[2] = (CUjit_option)999;
    IS(cuModuleLoadDataEx(&m, PTX_SCALE, 3, options, values), CUDA_ERROR_INVALID_VALUE);
    IS(cuModuleLoad(&m, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
}

static int run(const void *image)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr out;
    int v = 0;
    OK(cuModuleLoadData(&m, image));
    OK(cuModuleGetFunction(&f, m, "use"));
    OK(cuMemAlloc(&out, 4));
    void *args[] = {&out};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(&v, out, 4));
    OK(cuMemFree(out));
    OK(cuModuleUnload(m));
    return v;
}

static void linked(void)
{
    CUlinkState l;
    void *image = NULL;
    size_t bytes = 0;
    OK(cuLinkCreate(0, NULL, NULL, &l));
    OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)CALLEE, sizeof CALLEE, "callee", 0, NULL, NULL));
    OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)CALLER, sizeof CALLER, "caller", 0, NULL, NULL));
    IS(cuLinkAddFile(l, CU_JIT_INPUT_PTX, "/no/such/file", 0, NULL, NULL),
       CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuLinkComplete(l, &image, &bytes));
    char *kept = malloc(bytes); // as a cache of compiled kernels would
    memcpy(kept, image, bytes);
    OK(cuLinkDestroy(l));
    EQ(run(kept), 42);
    OK(cuLinkCreate(0, NULL, NULL, &l)); // an image may be linked again
    OK(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, kept, bytes, "kept", 0, NULL, NULL));
    OK(cuLinkComplete(l, &image, &bytes));
    EQ(run(image), 42);
    OK(cuLinkDestroy(l));
    char log[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    OK(cuLinkCreate(2, options, values, &l)); // a part of an image is told to be one
    IS(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, kept, bytes / 2, "cut", 0, NULL, NULL),
       CUDA_ERROR_INVALID_IMAGE);
    CHECK(strstr(log, "cut short"));
    OK(cuLinkDestroy(l));
    free(kept);
    IS(cuLinkComplete(l, &image, &bytes), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    CUcontext c;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxSetCurrent(c));
    logs();
    linked();
    return finish();
}

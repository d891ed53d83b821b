// SPDX-License-Identifier: Apache-2.0
// A kernel that calls the device runtime's grid barrier by name, as compilers of Python code do: the linker
// knows that library. Block 1 reads what block 0 has written before the barrier, and the reverse.
// compiler: -lcuda
// expect: launch-config
// stdout: PASS
#include "driver.h"

#define DECLARE                                                                                    \
    HEAD ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"            \
         ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n"        \
         ".extern .func (.param .b32 r) cudaCGGetRank(.param .b64 t, .param .b64 g, .param .b64 h);\n"
static const char KERNEL[] = DECLARE
    ".visible .entry swap(.param .u64 a, .param .u64 b)\n"
    "{\n"
    "  .reg .b32 %r<12>; .reg .b64 %d<12>; .local .align 4 .b8 rank[4];\n"
    "  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b];\n"
    "  cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;\n"
    "  mov.u32 %r0, 1;\n"
    "  { .param .b32 s; .param .b64 v; st.param.b32 [s], %r0;\n"
    "    call.uni (v), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %d2, [v]; }\n"
    "  mov.u64 %d3, rank; cvta.local.u64 %d3, %d3; mov.u64 %d4, 0;\n"
    "  { .param .b64 t; .param .b64 g; .param .b64 h; .param .b32 v;\n"
    "    st.param.b64 [t], %d3; st.param.b64 [g], %d4; st.param.b64 [h], %d2;\n"
    "    call.uni (v), cudaCGGetRank, (t, g, h); ld.param.b32 %r1, [v]; }\n"
    "  ld.local.u32 %r2, [rank];\n"
    "  mul.wide.u32 %d5, %r2, 4; add.s64 %d6, %d0, %d5;\n"
    "  st.global.u32 [%d6], %r2;\n"
    "  mov.u32 %r3, 0;\n"
    "  { .param .b64 h; .param .b32 f; .param .b32 v; st.param.b64 [h], %d2; st.param.b32 [f], %r3;\n"
    "    call.uni (v), cudaCGSynchronize, (h, f); ld.param.b32 %r4, [v]; }\n"
    "  sub.u32 %r5, 127, %r2;\n"
    "  mul.wide.u32 %d7, %r5, 4; add.s64 %d8, %d0, %d7; add.s64 %d9, %d1, %d5;\n"
    "  ld.global.u32 %r6, [%d8]; st.global.u32 [%d9], %r6;\n"
    "  ret;\n"
    "}\n";

int main(void)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUlinkState l;
    CUdeviceptr a, b;
    int host[128];
    void *image;
    size_t bytes;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxSetCurrent(c));
    OK(cuLinkCreate(0, NULL, NULL, &l));
    OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)KERNEL, sizeof KERNEL, "kernel", 0, NULL, NULL));
    OK(cuLinkAddData(l, CU_JIT_INPUT_LIBRARY, (void *)"!<arch>\n", 8, "libcudadevrt.a", 0, NULL, NULL));
    OK(cuLinkComplete(l, &image, &bytes));
    OK(cuModuleLoadData(&m, image));
    OK(cuLinkDestroy(l));
    OK(cuModuleGetFunction(&f, m, "swap"));
    OK(cuMemAlloc(&a, sizeof host));
    OK(cuMemAlloc(&b, sizeof host));
    void *args[] = {&a, &b};
    OK(cuLaunchCooperativeKernel(f, 2, 1, 1, 64, 1, 1, 0, NULL, args));
    OK(cuMemcpyDtoH(host, b, sizeof host));
    for (int i = 0; i < 128; i++)
        CHECK(host[i] == 127 - i);
    int most = 0;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&most, f, 64, 0));
    IS(cuLaunchCooperativeKernel(f, (unsigned)most * 132 + 1, 1, 1, 64, 1, 1, 0, NULL, args),
       CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    return finish();
}

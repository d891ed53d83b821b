// SPDX-License-Identifier: Apache-2.0
// Checks and device code for driver-API programs. The kernels are written in PTX, so that these tests need no
// CUDA compiler.
#ifndef WF_TESTS_DRIVER_H
#define WF_TESTS_DRIVER_H

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            failures++, printf("line %d: %s does not hold\n", __LINE__, #x);                       \
    } while (0)
#define EQ(a, b)                                                                                   \
    do {                                                                                           \
        long long a_ = (long long)(a), b_ = (long long)(b);                                        \
        if (a_ != b_)                                                                              \
            failures++, printf("line %d: %s is %lld, not %lld\n", __LINE__, #a, a_, b_);           \
    } while (0)
#define IS(call, code) EQ(call, code)
#define OK(call) IS(call, CUDA_SUCCESS)

static inline int finish(void)
{
    printf("%s\n", failures ? "FAIL" : "PASS");
    return failures != 0;
}

#define HEAD ".version 7.8\n.target sm_70\n.address_size 64\n"

// out[i] = a[i] * factor + scale, for i < n; `scale` is a variable of the module
static const char PTX_SCALE[] = HEAD
    ".visible .global .align 4 .s32 scale = 7;\n"
    ".visible .entry scaled(.param .u64 out, .param .u64 a, .param .u32 n, .param .s32 factor)\n"
    "{\n"
    "  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<6>;\n"
    "  ld.param.u64 %d0, [out];\n"
    "  ld.param.u64 %d1, [a];\n"
    "  ld.param.u32 %r0, [n];\n"
    "  ld.param.s32 %r1, [factor];\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p0, %r5, %r0;\n"
    "  @%p0 bra DONE;\n"
    "  mul.wide.u32 %d2, %r5, 4;\n"
    "  cvta.to.global.u64 %d3, %d1;\n"
    "  add.s64 %d3, %d3, %d2;\n"
    "  ld.global.s32 %r6, [%d3];\n"
    "  ld.global.s32 %r7, [scale];\n"
    "  mad.lo.s32 %r8, %r6, %r1, %r7;\n"
    "  cvta.to.global.u64 %d4, %d0;\n"
    "  add.s64 %d4, %d4, %d2;\n"
    "  st.global.s32 [%d4], %r8;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n";

// One block turns the order of its 64 values around through shared memory. BARRIER parts writing from reading.
#define PTX_TURN(BARRIER)                                                                          \
    HEAD ".visible .entry turn(.param .u64 data)\n"                                                \
         "{\n"                                                                                     \
         "  .reg .b32 %r<8>; .reg .b64 %d<4>;\n"                                                   \
         "  .shared .align 4 .b8 buffer[256];\n"                                                   \
         "  ld.param.u64 %d0, [data];\n"                                                           \
         "  cvta.to.global.u64 %d0, %d0;\n"                                                        \
         "  mov.u32 %r0, %tid.x;\n"                                                                \
         "  mul.wide.u32 %d1, %r0, 4;\n"                                                           \
         "  add.s64 %d2, %d0, %d1;\n"                                                              \
         "  ld.global.u32 %r1, [%d2];\n"                                                           \
         "  shl.b32 %r2, %r0, 2;\n"                                                                \
         "  mov.u32 %r3, buffer;\n"                                                                \
         "  add.s32 %r4, %r3, %r2;\n"                                                              \
         "  st.shared.u32 [%r4], %r1;\n"                                                           \
         "  " BARRIER "\n"                                                                         \
         "  sub.s32 %r5, 252, %r2;\n"                                                              \
         "  add.s32 %r6, %r3, %r5;\n"                                                              \
         "  ld.shared.u32 %r7, [%r6];\n"                                                           \
         "  st.global.u32 [%d2], %r7;\n"                                                           \
         "  ret;\n"                                                                                \
         "}\n"

#endif

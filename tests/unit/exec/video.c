// SPDX-License-Identifier: Apache-2.0
// Video instructions with selectors and masks, and sums of halves and floats.
#include "test.h"

#include "exec/engine.h"

struct video {
    const char *text; // d in %r4 from a %r1, b %r2, c %r3
    uint32_t a, b, c, d;
};

static uint32_t run_one(const char *text, const char *target, const uint32_t *in, uint32_t opt)
{
    static uint64_t mem;
    char body[600];
    if (!mem)
        mem = engine_alloc(64);
    memcpy(engine_at(mem), in, 12);
    snprintf(body, sizeof body,
             "ld.global.u32 %%r1, [%%p0]; ld.global.u32 %%r2, [%%p0+4]; ld.global.u32 %%r3, [%%p0+8];\n"
             "mov.b32 %%f2, %%r2; mov.b32 %%f3, %%r3; mov.b32 {%%h1, %%h2}, %%r1;\n%s\nst.global.u32 [%%p0+12], %%r4;\n", text);
    struct engine_run r = {.target = target, .n_params = 1, .param = {mem}, .opt = opt, .body = body};
    engine_go(&r);
    return ((uint32_t *)engine_at(mem))[3];
}

static void expect(const struct video *v, unsigned n, const char *target)
{
    for (unsigned i = 0; i < n; i++)
        ENGINE_EACH_LEVEL(o)
        {
            uint32_t in[3] = {v[i].a, v[i].b, v[i].c}, got = run_one(v[i].text, target, in, o);
            if (got != v[i].d)
                WF_TEST_FAIL("%s gives %08x, not %08x", v[i].text, got, v[i].d);
        }
}

WF_TEST(selectors)
{
    static const struct video rows[] = {
        {"vabsdiff4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x01ff8005, 0x03018007, 0, 0x02fe0002},
        {"vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", 0x01ff8005, 0x03018007, 100, 100 + 2 + 0xfe + 2},
        // all of b's bytes against byte 0 of a
        {"vabsdiff4.u32.u32.u32 %r4, %r1.b0000, %r2.b7654, %r3;", 0x00000010, 0x0010ff11, 0, 0x1000ef01},
        // both sources from a: 3210 against 0123
        {"vabsdiff4.u32.u32.u32 %r4, %r1.b3210, %r2.b0123, %r3;", 0x01020408, 0, 0, 0x07020207},
        // the two low bytes only, the rest from c
        {"vabsdiff4.u32.u32.u32 %r4.b10, %r1, %r2, %r3;", 0x01020304, 0x01010101, 0xaabbccdd, 0xaabb0203},
        {"vabsdiff4.u32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x7f800000, 0x807f0001, 0, 0xffff0001},
        {"vadd4.u32.u32.u32.sat %r4, %r1, %r2, %r3;", 0xff10f001, 0x01201001, 0, 0xff30ff02},
        {"vadd4.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x7f80ff01, 0x01ff01ff, 0, 0x7f800000},
        {"vsub4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x00102030, 0x01010101, 0, 0xff0f1f2f},
        {"vavrg4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x000305ff, 0x010206ff, 0, 0x010306ff},
        {"vavrg4.s32.s32.s32 %r4, %r1, %r2, %r3;", 0x00fdfb01, 0x01fefa02, 0, 0x01fdfa02},
        {"vmin4.s32.s32.s32 %r4, %r1, %r2, %r3;", 0x80017f00, 0x7f02ff01, 0, 0x8001ff00},
        {"vmax4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x80017f00, 0x7f02ff01, 0, 0x8002ff01},
        {"vset4.u32.u32.gt %r4, %r1, %r2, %r3;", 0x05050505, 0x04050605, 0, 0x01000000},
        {"vset4.u32.u32.ge.add %r4, %r1, %r2, %r3;", 0x05050505, 0x04050605, 7, 10},
        {"vadd2.u32.u32.u32 %r4, %r1, %r2, %r3;", 0xffff0001, 0x00020003, 0, 0x00010004},
        {"vsub2.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x80000001, 0x00010002, 0, 0x8000ffff},
        {"vmax2.s32.s32.s32 %r4.h1, %r1.h01, %r2.h32, %r3;", 0x0001fffe, 0xffff0005, 0x12345678, 0xffff5678},
        {"vabsdiff2.u32.u32.u32.add %r4.h0, %r1, %r2, %r3;", 0x00010009, 0x00050002, 1, 8},
    };
    expect(rows, sizeof rows / sizeof *rows, NULL);
}

// d = a half (the low one of the first word) and floats.
WF_TEST(mixed_sums)
{
    static const struct video rows[] = {
        {"add.f32.f16 %f4, %h1, %f2; mov.b32 %r4, %f4;", 0x3c00, 0x40000000, 0, 0x40400000},         // 1 + 2
        {"add.rz.f32.bf16 %f4, %h1, %f2; mov.b32 %r4, %f4;", 0x3f80, 0x33000000, 0, 0x3f800000},     // 1 + 2^-25
        {"add.rp.f32.bf16 %f4, %h1, %f2; mov.b32 %r4, %f4;", 0x3f80, 0x33000000, 0, 0x3f800001},
        {"sub.f32.f16 %f4, %h1, %f2; mov.b32 %r4, %f4;", 0x4200, 0x3f800000, 0, 0x40000000},         // 3 - 1
        {"fma.rn.f32.f16 %f4, %h1, %h2, %f3; mov.b32 %r4, %f4;", 0x42004000, 0, 0xbf800000, 0x40a00000}, // 2*3-1
        {"fma.rn.sat.f32.bf16 %f4, %h1, %h2, %f3; mov.b32 %r4, %f4;", 0x40404000, 0, 0xbf800000, 0x3f800000},
    };
    expect(rows, sizeof rows / sizeof *rows, "sm_100");
}

// SPDX-License-Identifier: Apache-2.0
// Tensor maps, made by the driver API's function and used by cp.async.bulk.tensor.
#include "test.h"

#include "exec/engine.h"
#include "rt/tensormap.h"

// A tensor of width x height 32-bit numbers, y * 1000 + x, in device memory; rows of `pitch` bytes.
static uint64_t table(uint32_t width, uint32_t height, uint32_t pitch)
{
    uint64_t a = engine_alloc((uint64_t)pitch * height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            ((uint32_t *)engine_at(a + (uint64_t)y * pitch))[x] = y * 1000 + x;
    return a;
}

static uint64_t map_2d(uint64_t a, uint32_t width, uint32_t height, uint32_t pitch, uint32_t bx, uint32_t by, int swizzle)
{
    uint64_t m = engine_alloc(128), size[2] = {width, height}, stride[1] = {pitch};
    uint32_t box[2] = {bx, by}, step[2] = {1, 1};
    struct wf_err err = {0};
    if (wf_tensormap_tiled(engine_at(m), 2, 2, a, size, stride, box, step, 0, swizzle, 0, 0, &err))
        WF_TEST_FAIL("%s", err.text);
    return m;
}

static const char shared[] = ".shared .align 1024 .b8 box[4096]; .shared .align 8 .b64 bar;";
#define START                                                                                                          \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, box; setp.ne.u32 %q1, %r1, 0;\n"                              \
    "@%q1 bra READY; mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster; READY: bar.sync 0;\n"
#define WAIT "W1: mbarrier.try_wait.parity.shared.b64 %q2, [%r2], 0; @!%q2 bra W1;\n"
// Copies the box to %p2, word by word as it lies in shared memory.
#define SHOW                                                                                                           \
    "mov.u32 %r4, %r1; S: shl.b32 %r5, %r4, 2; add.u32 %r6, %r3, %r5; ld.shared.u32 %r7, [%r6]; cvt.u64.u32 %d1, %r5;\n" \
    "add.s64 %d1, %p2, %d1; st.global.u32 [%d1], %r7; add.u32 %r4, %r4, 32; setp.lt.u32 %q3, %r4, %r8; @%q3 bra S;\n"

// A box of 8 x 4 that hangs over the tensor's corner: zeros there; out again, what hangs over is left out.
WF_TEST(box_over_the_edge)
{
    uint64_t a = table(20, 10, 96), b = engine_alloc(960), out = engine_alloc(4096), ma = map_2d(a, 20, 10, 96, 8, 4, 0),
             mb = map_2d(b, 20, 10, 96, 8, 4, 0);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 4, .param = {ma, mb, out, 0}, .block = {32, 1, 1}, .opt = o, .declarations = shared, .body = START
            "@%q1 bra A; mov.s32 %r10, 16; mov.s32 %r11, -1; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128; prefetch.tensormap [%p0];\n"
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%p0, {%r10, %r11}], [%r2]; A:\n" WAIT
            "mov.u32 %r8, 32;\n" SHOW
            "@%q1 bra B; mov.s32 %r11, 7; cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%p1, {%r10, %r11}], [%r3];\n"
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%p1, {%r10, %r11}], [%r3];\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; B:\n"};
        memset(engine_at(b), 0, 960);
        engine_go(&r);
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 8; x++) {
                bool in = x < 4 && y > 0;
                CHECK_EQ(((uint32_t *)engine_at(out))[y * 8 + x], in ? (y - 1) * 1000 + 16 + x : 0);
                if (y < 3 && x < 4)
                    CHECK_EQ(((uint32_t *)engine_at(b))[(7 + y) * 24 + 16 + x], in ? 2 * ((y - 1) * 1000 + 16 + x) : 0);
            }
        CHECK_EQ(((uint32_t *)engine_at(b))[8 * 24 + 20], 0); // behind the row's end
    }
}

// 128-byte swizzle: 16-byte piece p of row y lies at p ^ (y & 7).
WF_TEST(swizzle)
{
    uint64_t a = table(32, 16, 128), b = engine_alloc(2048), out = engine_alloc(4096);
    static const struct {
        int mode;
        uint32_t width;
    } rows[] = {{1, 8}, {2, 16}, {3, 32}};
    for (unsigned k = 0; k < 3; k++) {
        uint32_t w = rows[k].width, pieces = w / 4;
        uint64_t ma = map_2d(a, 32, 16, 128, w, 16, rows[k].mode), mb = map_2d(b, 32, 16, 128, w, 16, rows[k].mode);
        struct engine_run r = {.n_params = 4, .param = {ma, mb, out, w * 64}, .block = {32, 1, 1}, .opt = 2, .declarations = shared, .body = START
            "@%q1 bra A; mov.s32 %r10, 0; cvt.u32.u64 %r12, %p3; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], %r12;\n"
            "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%p0, {%r10, %r10}], [%r2]; A:\n" WAIT
            "cvt.u32.u64 %r8, %p3; shr.u32 %r8, %r8, 2;\n" SHOW
            "@%q1 bra B; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%p1, {%r10, %r10}], [%r3];\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; B:\n"};
        engine_go(&r);
        for (uint32_t y = 0; y < 16; y++)
            for (uint32_t x = 0; x < w; x++) {
                uint32_t line = y * w * 4 / 128, piece = (x / 4) ^ (pieces == 8 ? y & 7 : line & (pieces - 1));
                CHECK_EQ(((uint32_t *)engine_at(out))[y * w + piece * 4 + x % 4], y * 1000 + x);
                CHECK_EQ(((uint32_t *)engine_at(b))[y * 32 + x], y * 1000 + x);
            }
    }
}

// Three dimensions of halves with steps.
WF_TEST(steps)
{
    uint64_t a = engine_alloc(4 * 8 * 16 * 2), out = engine_alloc(4096), m = engine_alloc(128);
    for (uint32_t i = 0; i < 512; i++)
        ((uint16_t *)engine_at(a))[i] = (uint16_t)i;
    uint64_t size[3] = {16, 8, 4}, stride[2] = {32, 256};
    uint32_t box[3] = {16, 4, 3}, step[3] = {1, 2, 1};
    struct wf_err err = {0};
    CHECK_EQ(wf_tensormap_tiled(engine_at(m), 6, 3, a, size, stride, box, step, 0, 0, 0, 0, &err), WF_OK);
    struct engine_run r = {.n_params = 3, .param = {m, 0, out}, .block = {32, 1, 1}, .opt = 2, .declarations = shared, .body = START
        "@%q1 bra A; mov.s32 %r10, 0; mov.s32 %r11, 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 192;\n"
        "cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%p0, {%r10, %r11, %r11}], [%r2]; A:\n" WAIT
        "mov.u32 %r8, 48;\n" SHOW};
    engine_go(&r);
    for (uint32_t z = 0; z < 3; z++)
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 16; x++)
                CHECK_EQ(((uint16_t *)engine_at(out))[(z * 2 + y) * 16 + x], (1 + z) * 128 + (1 + 2 * y) * 16 + x);
}

WF_TEST(arguments)
{
    uint64_t a = engine_alloc(4096), m = engine_alloc(128), size[2] = {32, 8}, stride[1] = {128};
    uint32_t box[2] = {32, 8}, step[2] = {1, 1}, wide[2] = {512, 8}, odd[2] = {3, 8};
    struct wf_err err;
    void *p = engine_at(m);
#define MAP(type, rank, addr, box, interleave, swizzle) \
    wf_tensormap_tiled(p, type, rank, addr, size, stride, box, step, interleave, swizzle, 0, 0, &err)
    CHECK_EQ(MAP(2, 2, a, box, 0, 3), WF_OK);
    CHECK_EQ(MAP(2, 2, a + 4, box, 0, 0), WF_E_USAGE);
    CHECK_HAS(err.text, "globalAddress");
    CHECK_EQ(MAP(2, 6, a, box, 0, 0), WF_E_USAGE);
    CHECK_EQ(MAP(2, 2, a, wide, 0, 0), WF_E_USAGE);
    CHECK_EQ(MAP(2, 2, a, odd, 0, 0), WF_E_USAGE);
    CHECK_EQ(MAP(2, 2, a, box, 0, 1), WF_E_USAGE); // rows of 128 bytes under a swizzle of 32
    CHECK_EQ(MAP(2, 2, a, box, 1, 0), WF_E_UNSUPPORTED);
    CHECK_EQ(MAP(13, 2, a, box, 0, 0), WF_E_UNSUPPORTED);
    CHECK_EQ(MAP(99, 2, a, box, 0, 0), WF_E_USAGE);
    stride[0] = 120;
    CHECK_EQ(MAP(2, 2, a, box, 0, 0), WF_E_USAGE);
    stride[0] = 128;
    CHECK_EQ(MAP(2, 2, a, box, 0, 0), WF_OK);
    CHECK_EQ(wf_tensormap_move(p, a + 256, &err), WF_OK);
    CHECK_EQ(wf_tensormap_move(p, a + 4, &err), WF_E_USAGE);
}

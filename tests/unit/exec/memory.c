// SPDX-License-Identifier: Apache-2.0
// Parameters are out of a kernel's reach, and generic addresses name the shared memory they were made of.
#include "test.h"

#include "exec/engine.h"

WF_TEST(parameters_by_address)
{
    uint64_t out = engine_alloc(64 * 8);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 3, .param = {out, 111, 222}, .block = {64, 1, 1}, .opt = o, .body =
            "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 8; add.s64 %d1, %p0, %d1;\n"
            "mov.b64 %d2, k_1; cvta.param.u64 %d3, %d2; and.b32 %r2, %r1, 1; mul.wide.u32 %d4, %r2, 8;\n"
            "add.s64 %d5, %d3, %d4; ld.u64 %d6, [%d5];\n"             // by generic address, lane by lane
            "add.s64 %d7, %d2, %d4; ld.param.u64 %d8, [%d7]; add.s64 %d6, %d6, %d8;\n"
            "isspacep.param %q1, %d5; isspacep.global %q2, %d5; selp.u64 %d9, 1000, 0, %q1; add.s64 %d6, %d6, %d9;\n"
            "selp.u64 %d9, 5000, 0, %q2; add.s64 %d6, %d6, %d9;\n"
            "st.global.u64 [%d1], %d6;\n"};
        engine_go(&r);
        for (uint32_t i = 0; i < 64; i++)
            CHECK_EQ(((uint64_t *)engine_at(out))[i], 1000 + 2 * (i & 1 ? 222 : 111));
    }
}

// No store changes them: neither one to their address nor one anywhere else.
WF_TEST(parameters_cannot_be_written)
{
    static const char *const ways[] = {"st.u32 [%d3], %r1;", "atom.add.u32 %r2, [%d3], 1;",
                                       "add.s64 %d4, %d3, 1024; st.global.v2.u32 [%d4], {%r1, %r1};"};
    uint64_t out = engine_alloc(64);
    for (unsigned i = 0; i < 3; i++) {
        char body[300];
        struct wf_err err = {0};
        struct engine_run r = {.n_params = 2, .param = {out, 7}, .block = {32, 1, 1}, .opt = 2, .body = body};
        snprintf(body, sizeof body, "mov.b64 %%d2, k_1; cvta.param.u64 %%d3, %%d2; mov.u32 %%r1, 9;\n%s\n", ways[i]);
        CHECK_EQ(engine_try(&r, &err), WF_RUN_FAULT);
        CHECK_EQ(r.param[1], 7);
    }
}

// Every block of a cluster writes into the next one's shared memory by a generic address that
// cvta.shared::cluster made, and back to a .shared::cluster address again.
WF_TEST(generic_addresses_of_other_blocks)
{
    uint64_t out = engine_alloc(4 * 32 * 8);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 1, .param = {out}, .grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}, .opt = o,
            .declarations = ".shared .align 8 .b8 box[256];", .body =
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; add.u32 %r3, %r2, 1; and.b32 %r3, %r3, 3;\n"
            "mov.u32 %r4, box; mad.lo.u32 %r4, %r1, 8, %r4; mapa.shared::cluster.u32 %r5, %r4, %r3;\n"
            "cvt.u64.u32 %d1, %r5; cvta.shared::cluster.u64 %d2, %d1;\n"   // generic, of the next block
            "mad.lo.u32 %r6, %r2, 100, %r1; st.u32 [%d2], %r6;\n"
            "cvta.to.shared::cluster.u64 %d3, %d2; st.shared::cluster.u32 [%d3+4], %r2;\n"
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
            "ld.shared.v2.u32 {%r7, %r8}, [%r4];\n"
            "cvt.u64.u32 %d4, %r4; cvta.shared::cluster.u64 %d5, %d4; ld.u32 %r9, [%d5];\n" // the own one
            "getctarank.u64 %r10, %d2; getctarank.u64 %r11, %d5; shl.b32 %r10, %r10, 4; or.b32 %r10, %r10, %r11;\n"
            "isspacep.shared::cta %q1, %d2; isspacep.shared::cta %q2, %d5;\n"
            "sub.u32 %r9, %r9, %r7; selp.u32 %r12, 1, %r9, %q1; selp.u32 %r9, %r12, 2, %q2; shl.b32 %r9, %r9, 8; or.b32 %r10, %r10, %r9;\n"
            "mov.u32 %r13, %ctaid.x; mad.lo.u32 %r13, %r13, 32, %r1; mul.wide.u32 %d6, %r13, 8; add.s64 %d6, %p0, %d6;\n"
            "mad.lo.u32 %r7, %r8, 100000, %r7; st.global.v2.u32 [%d6], {%r7, %r10};\n"
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"};
        engine_go(&r);
        for (uint32_t i = 0; i < 128; i++) {
            uint32_t *got = (uint32_t *)engine_at(out) + 2 * i, me = i / 32, from = (me + 3) % 4;
            CHECK_EQ(got[0], from * 100 + i % 32 + from * 100000);
            CHECK_EQ(got[1], ((me + 1) % 4) << 4 | me);
        }
    }
}

// Whole warps and a part of one, at aligned and odd places, of elements of 4 and 16 bytes; read back by the same kernel.
WF_TEST(stores_past_the_caches)
{
    enum { THREADS = 300 };
    uint64_t out = engine_alloc(THREADS * 4 + 64), wide = engine_alloc(THREADS * 16), back = engine_alloc(THREADS * 4);
    for (uint32_t way = 0; way < 4; way++)
        ENGINE_EACH_LEVEL(o)
        {
            uint32_t odd = way & 1 ? 4 : 0;
            struct engine_run r = {.n_params = 3, .param = {out + odd, wide, back}, .grid = {3, 1, 1}, .block = {100, 1, 1},
                .opt = o, .streams = way >= 2, .body =
                "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 100, %r1; mul.wide.u32 %d1, %r3, 4;\n"
                "add.s64 %d2, %p0, %d1; mul.lo.u32 %r4, %r3, 7; st.global.u32 [%d2], %r4;\n"
                "mul.wide.u32 %d3, %r3, 16; add.s64 %d3, %p1, %d3; add.u32 %r5, %r4, 1; add.u32 %r6, %r4, 2;\n"
                "st.global.v4.u32 [%d3], {%r4, %r5, %r6, %r3};\n"
                "ld.global.u32 %r7, [%d2]; add.s64 %d4, %p2, %d1; st.global.u32 [%d4], %r7;\n"};
            memset(engine_at(out), 0, THREADS * 4 + 64);
            memset(engine_at(wide), 0, THREADS * 16);
            memset(engine_at(back), 0, THREADS * 4);
            engine_go(&r);
            for (uint32_t i = 0; i < THREADS; i++) {
                const uint32_t *v = (const uint32_t *)engine_at(wide) + 4 * i;
                CHECK_EQ(((uint32_t *)engine_at(out + odd))[i], 7 * i);
                CHECK_EQ(((uint32_t *)engine_at(back))[i], 7 * i);
                CHECK_EQ(v[0], 7 * i);
                CHECK_EQ(v[1], 7 * i + 1);
                CHECK_EQ(v[2], 7 * i + 2);
                CHECK_EQ(v[3], i);
            }
        }
}

// Behind a barrier the block's threads see what went past the caches.
WF_TEST(stores_past_the_caches_and_barriers)
{
    enum { THREADS = 128, BLOCKS = 40 };
    uint64_t out = engine_alloc(THREADS * BLOCKS * 4), back = engine_alloc(THREADS * BLOCKS * 4);
    ENGINE_EACH_LEVEL(o) {
        struct engine_run r = {
            .block = {THREADS, 1, 1}, .grid = {BLOCKS, 1, 1}, .n_params = 2, .param = {out, back}, .opt = o, .streams = true,
            .body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 128, %r1; mul.wide.u32 %d1, %r3, 4;\n"
                    "add.s64 %d2, %p0, %d1; mul.lo.u32 %r4, %r3, 7; st.global.u32 [%d2], %r4; bar.sync 0;\n"
                    "xor.b32 %r5, %r3, 127; mul.wide.u32 %d3, %r5, 4; add.s64 %d3, %p0, %d3; ld.global.u32 %r6, [%d3];\n"
                    "bar.sync 0; add.u32 %r7, %r4, 1; st.global.u32 [%d2], %r7; add.s64 %d4, %p1, %d1; st.global.u32 [%d4], %r6;\n"};
        memset(engine_at(out), 0, THREADS * BLOCKS * 4);
        memset(engine_at(back), 0, THREADS * BLOCKS * 4);
        engine_go(&r);
        for (uint32_t t = 0; t < THREADS * BLOCKS; t++) {
            CHECK_EQ(((uint32_t *)engine_at(out))[t], 7 * t + 1);
            CHECK_EQ(((uint32_t *)engine_at(back))[t], 7 * (t ^ 127));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations in bulk: copies both ways and between blocks, groups, masks, reductions, stores.
#include "test.h"

#include "exec/engine.h"

#define START                                                                                                          \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, box; setp.ne.u32 %q1, %r1, 0; mov.u32 %r9, %cluster_ctarank;\n" \
    "@%q1 bra READY; mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster; READY: bar.sync 0;\n"
#define WAIT(n) "W" n ": mbarrier.try_wait.parity.shared.b64 %q2, [%r2], 0; @!%q2 bra W" n ";\n"
#define CLUSTER "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"

static const char shared[] = ".shared .align 128 .b8 box[1024]; .shared .align 8 .b64 bar;";

static uint64_t numbers(uint32_t n)
{
    uint64_t a = engine_alloc(4 * (uint64_t)n);
    for (uint32_t i = 0; i < n; i++)
        ((uint32_t *)engine_at(a))[i] = 1000 + i;
    return a;
}

static void same(uint64_t a, uint32_t from, uint32_t n, uint32_t first, uint32_t step)
{
    for (uint32_t i = 0; i < n; i++)
        CHECK_EQ(((uint32_t *)engine_at(a))[from + i], first + step * i);
}

// In by an mbarrier, and before the wait the old bytes; changed; out by a group.
WF_TEST(in_and_out)
{
    uint64_t in = numbers(256), out = engine_alloc(2048);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 2, .param = {in, out}, .block = {64, 1, 1}, .opt = o, .declarations = shared, .body = START
            "shl.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r3; mov.u32 %r5, 7; st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5}; bar.sync 0;\n"
            "@%q1 bra ISSUED; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%p0], 512, [%r2];\n"
            "add.u32 %r6, %r3, 512; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r6], [%p0+512], 512, [%r2];\n"
            "ISSUED: bar.sync 0; ld.shared.u32 %r7, [%r4]; bar.sync 0;\n" WAIT("1")
            "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4]; add.u32 %r10, %r10, %r7;\n"
            "st.shared.v4.u32 [%r4], {%r10, %r11, %r12, %r13}; fence.proxy.async.shared::cta; bar.sync 0;\n"
            "@%q1 bra END; cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r3], 1024;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; mov.u32 %r5, 1; st.shared.u32 [%r3], %r5;\n"
            "ld.global.u32 %r14, [%p1]; cp.async.bulk.wait_group 0; ld.global.u32 %r15, [%p1]; st.global.v2.u32 [%p1+1024], {%r14, %r15}; END:\n"};
        memset(engine_at(out), 0, 2048);
        engine_go(&r);
        uint32_t *got = engine_at(out);
        for (uint32_t i = 0; i < 256; i++)
            CHECK_EQ(got[i], 1000 + i + (i % 4 ? 0 : 7));
        CHECK_EQ(got[256], 0); // written only after the wait for the group
        CHECK_EQ(got[257], 1007);
    }
}

// Four blocks: rank 0 sends one copy to blocks 1, 2 and 3 at once; each then sends its own to the next.
WF_TEST(multicast_and_between_blocks)
{
    uint64_t in = numbers(64), out = engine_alloc(4 * 512);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 2, .param = {in, out}, .grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}, .opt = o, .declarations = shared,
            .body = START
            "@%q1 bra A; setp.eq.u32 %q3, %r9, 0; mov.b16 %h1, 14;\n"
            "@!%q3 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256;\n"
            "A: " CLUSTER
            "@%q1 bra B; @%q3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%p0], 256, [%r2], %h1;\n"
            "B: setp.eq.u32 %q3, %r9, 0; @%q3 bra C;\n" WAIT("1") "C: " CLUSTER
            "shl.b32 %r4, %r1, 3; add.u32 %r4, %r4, %r3; ld.shared.v2.u32 {%r5, %r6}, [%r4];\n"
            "add.u32 %r5, %r5, %r9; st.shared.v2.u32 [%r4], {%r5, %r6}; fence.proxy.async; bar.warp.sync -1;\n"
            "@%q1 bra D; setp.ne.u32 %q3, %r9, 0; selp.u32 %r8, 1, 0, %q3;\n"
            "@%q3 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256; @!%q3 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256;\n"
            "add.u32 %r10, %r9, 1; and.b32 %r10, %r10, 3; add.u32 %r11, %r3, 512; mapa.shared::cluster.u32 %r12, %r11, %r10; mapa.shared::cluster.u32 %r13, %r2, %r10;\n"
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12], [%r3], 256, [%r13];\n"
            "D: setp.ne.u32 %q3, %r9, 0; selp.u32 %r8, 1, 0, %q3;\n"
            "W2: mbarrier.try_wait.parity.shared.b64 %q2, [%r2], %r8; @!%q2 bra W2;\n"
            "ld.shared.v2.u32 {%r5, %r6}, [%r4+512]; mad.lo.u32 %r7, %r9, 32, %r1; mul.wide.u32 %d1, %r7, 8; add.s64 %d1, %p1, %d1; st.global.v2.u32 [%d1], {%r5, %r6};\n" CLUSTER};
        engine_go(&r);
        for (uint32_t b = 0; b < 4; b++)
            for (uint32_t i = 0; i < 32; i++) {
                uint32_t *got = (uint32_t *)engine_at(out) + (b * 32 + i) * 2, from = (b + 3) % 4;
                CHECK_EQ(got[0], from ? 1000 + 2 * i + from : 0);
                CHECK_EQ(got[1], from ? 1001 + 2 * i : 0);
            }
    }
}

// Reductions into global memory, into another block's shared memory, and a copy of chosen bytes.
WF_TEST(reductions)
{
    uint64_t out = engine_alloc(1024);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.target = "sm_100", .n_params = 1, .param = {out}, .block = {32, 1, 1}, .opt = o, .declarations = shared, .body = START
            "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r3; st.shared.u32 [%r4], %r1; fence.proxy.async; bar.sync 0; @%q1 bra END;\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p0], [%r3], 128;\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%p0+128], [%r3], 64;\n"
            "mov.b16 %h1, 0x0ff0; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%p0+256], [%r3], 32, %h1;\n"
            "cp.async.bulk.commit_group; add.u32 %r5, %r3, 512;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\n"
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.or.b32 [%r5], [%r3], 128, [%r2];\n" WAIT("1")
            "ld.shared.u32 %r6, [%r5+20]; st.global.u32 [%p0+512], %r6; cp.async.bulk.wait_group 0; END:\n"};
        uint32_t *got = engine_at(out);
        for (uint32_t i = 0; i < 256; i++)
            got[i] = 10;
        engine_go(&r);
        same(out, 0, 32, 10, 1);
        for (uint32_t i = 0; i < 16; i++)
            CHECK_EQ(got[32 + i], i > 10 ? i : 10);
        for (uint32_t i = 0; i < 8; i++)
            CHECK_EQ(got[64 + i], i % 4 == 1 || i % 4 == 2 ? i : 10);
        CHECK_EQ(got[128], 5);
    }
}

// A group that nobody waits for is written all the same, at the end.
WF_TEST(left_behind)
{
    uint64_t out = engine_alloc(256);
    struct engine_run r = {.n_params = 1, .param = {out}, .block = {32, 1, 1}, .opt = 2, .declarations = shared, .body = START
        "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r3; st.shared.u32 [%r4], %r1; fence.proxy.async; bar.sync 0; @%q1 bra END;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r3], 128; cp.async.bulk.commit_group; END:\n"};
    engine_go(&r);
    same(out, 0, 32, 0, 1);
}

// Every block writes to the next one by st.async and adds by red.async; the bytes complete its mbarrier.
WF_TEST(stores)
{
    uint64_t out = engine_alloc(2 * 32 * 16);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 1, .param = {out}, .grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}, .opt = o, .declarations = shared, .body = START
            "shl.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r3; mov.u32 %r5, 5; st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};\n"
            "@%q1 bra A; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 640; A: " CLUSTER
            "xor.b32 %r6, %r9, 1; mapa.shared::cluster.u32 %r7, %r4, %r6; mapa.shared::cluster.u32 %r8, %r2, %r6;\n"
            "mul.lo.u32 %r10, %r9, 100; add.u32 %r10, %r10, %r1; add.u32 %r11, %r10, 1000; cvt.u64.u32 %d4, %r10;\n"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r7], {%r10, %r11}, [%r8];\n"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7+8], %r10, [%r8];\n"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r7+8], %d4, [%r8];\n"
            "ld.shared.u32 %r12, [%r4];\n" WAIT("1")
            "ld.shared.v4.u32 {%r13, %r14, %r15, %r16}, [%r4]; add.u32 %r16, %r16, %r12;\n"
            "mad.lo.u32 %r17, %r9, 32, %r1; mul.wide.u32 %d1, %r17, 16; add.s64 %d1, %p0, %d1; st.global.v4.u32 [%d1], {%r13, %r14, %r15, %r16};\n" CLUSTER};
        engine_go(&r);
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t *got = (uint32_t *)engine_at(out) + 4 * i, v = (1 - i / 32) * 100 + i % 32;
            CHECK_EQ(got[0], v);
            CHECK_EQ(got[1], v + 1000);
            CHECK_EQ(got[2], v);
            CHECK_EQ(got[3], 5); // nothing had arrived before the wait
        }
    }
}

WF_TEST(refusals)
{
    static const struct {
        const char *body, *says;
        enum wf_exec_result result;
    } rows[] = {
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+4], [%p0], 32, [%r2];", "", WF_RUN_MISALIGNED},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%p0], 4096, [%r2]; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 4096;\n" WAIT("2"), "", WF_RUN_FAULT},
        {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r3], [%p0, {%r1, %r1, %r1}], [%r2], {%h1};", "im2col", WF_RUN_UNSUPPORTED},
    };
    uint64_t in = numbers(64);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[900];
        struct wf_err err = {0};
        struct engine_run r = {.n_params = 1, .param = {in}, .declarations = shared, .body = body};
        snprintf(body, sizeof body, "%s%s", START, rows[i].body);
        CHECK_EQ(engine_try(&r, &err), rows[i].result);
        CHECK_HAS(err.text, rows[i].says);
    }
}

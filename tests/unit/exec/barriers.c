// SPDX-License-Identifier: Apache-2.0
// Barriers with results, and barriers that the lanes of one warp choose for themselves.
#include "test.h"

#include "exec/engine.h"

#define TID "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 8; add.s64 %d1, %p0, %d1;\n"

// Half of each warp asks for a count at one place, the other half whether all agree at another: both are
// arrivals at barrier 1, and each gets what it asked for.
WF_TEST(two_reductions_of_one_warp)
{
    uint64_t out = engine_alloc(64 * 8);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 1, .param = {out}, .block = {64, 1, 1}, .opt = o, .body = TID
            "and.b32 %r2, %r1, 16; setp.ne.s32 %q1, %r2, 0; and.b32 %r3, %r1, 1; setp.ne.s32 %q2, %r3, 0;\n"
            "@%q1 bra HIGH;\n"
            "barrier.cta.red.popc.u32 %r4, 1, %q2;\n"
            "bra DONE;\n"
            "HIGH: barrier.cta.red.or.pred %q3, 1, %q2;\n"
            "selp.u32 %r4, 1000, 2000, %q3;\n"
            "DONE: st.global.u32 [%d1], %r4;\n"};
        memset(engine_at(out), 0, 64 * 8);
        engine_go(&r);
        for (uint32_t i = 0; i < 64; i++)
            CHECK_EQ(((uint64_t *)engine_at(out))[i], i & 16 ? 1000 : 32);
    }
}

// The barrier's number comes from a register: warps 0 and 1 meet at barrier 1, warps 2 and 3 at 2.
WF_TEST(barrier_by_register)
{
    uint64_t out = engine_alloc(128 * 8);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 1, .param = {out}, .block = {128, 1, 1}, .opt = o, .body = TID
            "shr.u32 %r2, %r1, 6; add.u32 %r2, %r2, 1; and.b32 %r3, %r1, 3; setp.lt.u32 %q1, %r3, %r2;\n"
            "barrier.cta.red.popc.u32 %r4, %r2, 64, %q1;\n"
            "st.global.u32 [%d1], %r4;\n"};
        engine_go(&r);
        for (uint32_t i = 0; i < 128; i++)
            CHECK_EQ(((uint64_t *)engine_at(out))[i], i < 64 ? 16 : 32);
    }
}

// A loop over reductions: every round's result, also where lanes come apart in between.
WF_TEST(reductions_in_a_loop)
{
    uint64_t out = engine_alloc(96 * 8);
    ENGINE_EACH_LEVEL(o)
    {
        struct engine_run r = {.n_params = 1, .param = {out}, .block = {96, 1, 1}, .opt = o, .body = TID
            "mov.u32 %r2, 0; mov.u32 %r5, 0;\n"
            "LOOP: setp.lt.u32 %q1, %r1, %r2;\n"
            "barrier.cta.red.popc.u32 %r4, 0, %q1;\n"
            "and.b32 %r6, %r1, %r2; setp.ne.s32 %q2, %r6, 0;\n"
            "@%q2 bra SKIP; add.u32 %r5, %r5, %r4;\n"
            "SKIP: add.u32 %r2, %r2, 1; setp.lt.u32 %q3, %r2, 20; @%q3 bra LOOP;\n"
            "st.global.u32 [%d1], %r5;\n"};
        engine_go(&r);
        for (uint32_t i = 0; i < 96; i++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < 20; k++)
                sum += i & k ? 0 : k;
            CHECK_EQ(((uint64_t *)engine_at(out))[i], sum);
        }
    }
}

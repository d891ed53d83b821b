// SPDX-License-Identifier: Apache-2.0
// Findings: kind, the two lines, severity and mend, for one small program of each kind of fault and
// its mended twin. Line numbers are those of imagined sources.
#include "world.h"

#include "check/ctx.h"
#include "core/finding.h"
#include "test.h"

static struct world w;
static uint64_t a32[32];

static void begin(uint32_t blocks, uint32_t warps)
{
    struct wf_check_opts o = wf_check_defaults();
    o.memory = false;
    wf_finding_reset();
    world_open(&w, &o);
    world_launch(&w, blocks, warps, UINT32_MAX, 1, 4096);
}

static void end(void)
{
    world_end(&w);
    wf_check_fini();
    wf_finding_sort();
}

static const struct wf_site *plain(uint32_t line, bool writes)
{
    return site_get(
        (struct site_key){.line = line, .bytes = 4, .reads = !writes, .writes = writes});
}
static const struct wf_site *vol(uint32_t line, bool writes)
{
    return site_get((struct site_key){.line = line,
                                      .bytes = 4,
                                      .reads = !writes,
                                      .writes = writes,
                                      .is_volatile = true,
                                      .order = WF_ORD_RELAXED,
                                      .scope = WF_SCOPE_SYS});
}
static const struct wf_site *atom(uint32_t line, enum wf_order order, enum wf_scope_kind scope)
{
    return site_get((struct site_key){.line = line,
                                      .bytes = 4,
                                      .reads = true,
                                      .writes = true,
                                      .atomic = true,
                                      .order = order,
                                      .scope = scope});
}
static const struct wf_site *load(uint32_t line, enum wf_order order)
{
    return site_get((struct site_key){
        .line = line, .bytes = 4, .reads = true, .order = order, .scope = WF_SCOPE_GPU});
}
static const struct wf_site *fence(uint32_t line, enum wf_scope_kind scope)
{
    return site_get((struct site_key){
        .line = line, .kind = WF_SITE_FENCE, .order = WF_ORD_SC, .scope = scope, .what = "membar"});
}
static const struct wf_site *bar(uint32_t line)
{
    return site_get((struct site_key){.line = line, .kind = WF_SITE_BARRIER, .what = "bar.sync"});
}

// One lane at one address.
static void one(uint32_t b, uint32_t thread, const struct wf_site *s, enum wf_space_kind space,
                uint64_t at)
{
    for (uint32_t l = 0; l < 32; l++)
        a32[l] = (space == WF_SPACE_GLOBAL ? GLOBAL : 0) + at;
    uint32_t bit = 1u << thread % 32;
    world_access(&w, b, thread / 32, bit, s, space, w.block[b].rank, a32, bit);
}
static void global(uint32_t b, uint32_t thread, const struct wf_site *s, uint64_t at)
{
    one(b, thread, s, WF_SPACE_GLOBAL, at);
}
static void shared(uint32_t b, uint32_t thread, const struct wf_site *s, uint64_t at)
{
    one(b, thread, s, WF_SPACE_SHARED, at);
}
static void row(uint32_t b, uint32_t warp, const struct wf_site *s, uint64_t at)
{
    world_linear(&w, b, warp, UINT32_MAX, s, WF_SPACE_SHARED, at + warp * 128, 4);
}
static void put_fence(uint32_t b, uint32_t thread, const struct wf_site *s)
{
    w.ev.fence(w.ev.arg, &w.warp[b][thread / 32], s, 1u << thread % 32);
}

static const struct wf_finding *find(enum wf_finding_kind kind, uint32_t now, uint32_t then)
{
    for (uint32_t i = 0; i < wf_finding_total(); i++) {
        const struct wf_finding *f = wf_finding_get(i);
        if (f->kind == kind && f->n_parties >= 2 && f->party[0].loc->line == now &&
            f->party[1].loc->line == then)
            return f;
    }
    for (uint32_t i = 0; i < wf_finding_total(); i++) {
        const struct wf_finding *f = wf_finding_get(i);
        printf("  found %s, lines %u and %u: %s\n", wf_finding_slug(f->kind), f->party[0].loc->line,
               f->n_parties > 1 && f->party[1].loc ? f->party[1].loc->line : 0, f->sentence);
    }
    return NULL;
}

#define FOUND(kind, now, then, level, text)                                                        \
    do {                                                                                           \
        const struct wf_finding *f_ = find(WF_F_##kind, now, then);                                \
        CHECK(f_ != NULL);                                                                         \
        if (f_) {                                                                                  \
            CHECK_EQ(f_->severity, WF_SEV_##level);                                                \
            CHECK_HAS(f_->fix, text);                                                              \
            if (getenv("WARPFENCE_TEST_TRACE"))                                                    \
                printf("%s\n  why: %s\n  fix: %s\n", f_->sentence, f_->why, f_->fix);              \
        }                                                                                          \
    } while (0)

WF_TEST(loop_without_second_barrier)
{
    begin(1, 4);
    for (int r = 0; r < 3; r++) {
        for (uint32_t i = 0; i < 4; i++)
            row(0, i, plain(14, true), 0);
        world_sync(&w, 0, bar(15));
        for (uint32_t t = 0; t < 128; t++)
            shared(0, 0, plain(19, false), t * 4);
    }
    end();
    CHECK_EQ(wf_finding_errors(), 1);
    FOUND(RACE_SHARED, 14, 19, ERROR,
          "add __syncthreads() after line 19, at the end of the loop body: line 19 reads what line "
          "14 of "
          "the next iteration writes");
}

WF_TEST(loop_with_second_barrier)
{
    begin(1, 4);
    for (int r = 0; r < 3; r++) {
        for (uint32_t i = 0; i < 4; i++)
            row(0, i, plain(14, true), 0);
        world_sync(&w, 0, bar(15));
        for (uint32_t t = 0; t < 128; t++)
            shared(0, 0, plain(19, false), t * 4);
        world_sync(&w, 0, bar(22));
    }
    end();
    CHECK_EQ(wf_finding_total(), 0);
}

WF_TEST(two_buffers_one_barrier)
{
    begin(1, 2);
    for (int r = 0; r < 4; r++) {
        for (uint32_t i = 0; i < 2; i++)
            row(0, i, plain(14, true), (uint64_t)(r & 1) * 512);
        world_sync(&w, 0, bar(15));
        for (uint32_t t = 0; t < 64; t++)
            shared(0, t, plain(16, false), (uint64_t)(r & 1) * 512 + (t + 1) % 64 * 4);
    }
    end();
    CHECK_EQ(wf_finding_total(), 0);
}

// The warp's own words are ordered, the last one is the next warp's: the handles go on from one record to the next.
WF_TEST(one_word_of_the_next_warp)
{
    begin(1, 2);
    for (uint32_t i = 0; i < 2; i++)
        world_linear(&w, 0, i, UINT32_MAX, plain(11, true), WF_SPACE_SHARED, 128 * i, 4);
    w.ev.warp_sync(w.ev.arg, &w.warp[0][0], bar(12), UINT32_MAX);
    world_linear(&w, 0, 0, UINT32_MAX, plain(13, false), WF_SPACE_SHARED, 4, 4);
    end();
    CHECK_EQ(wf_finding_errors(), 1);
    CHECK_EQ(wf_finding_get(0)->kind, WF_F_RACE_SHARED);
    CHECK_EQ(wf_finding_get(0)->count, 1);
}

WF_TEST(neighbours_without_barrier)
{
    begin(1, 2);
    for (uint32_t i = 0; i < 2; i++)
        row(0, i, plain(10, true), 0);
    for (uint32_t i = 0; i < 2; i++) {
        world_linear(&w, 0, i, i ? UINT32_MAX : UINT32_MAX - 1, plain(12, false), WF_SPACE_SHARED,
                     i * 128ull - 4, 4);
        row(0, i, plain(12, true), 0);
    }
    end();
    FOUND(RACE_SHARED, 12, 10, ERROR, "put __syncthreads() between line 10 and line 12");
    FOUND(RACE_SHARED, 12, 12, ERROR, "between the reads of line 12 and the writes");
}

WF_TEST(warp_tail_volatile)
{
    begin(1, 1);
    world_linear(&w, 0, 0, UINT32_MAX, vol(13, true), WF_SPACE_SHARED, 0, 4);
    world_sync(&w, 0, bar(14));
    world_linear(&w, 0, 0, 0xffff, vol(20, false), WF_SPACE_SHARED, 64, 4);
    world_linear(&w, 0, 0, 0xffff, vol(20, true), WF_SPACE_SHARED, 0, 4);
    world_linear(&w, 0, 0, 0xffff, vol(21, false), WF_SPACE_SHARED, 32, 4);
    end();
    FOUND(RACE_WARP, 21, 20, ERROR, "put __syncwarp() between line 20 and line 21");
}

WF_TEST(stencil_in_place)
{
    begin(2, 1);
    world_linear(&w, 0, 0, UINT32_MAX, plain(13, false), WF_SPACE_GLOBAL, GLOBAL, 4);
    global(0, 31, plain(15, false), 128);
    world_linear(&w, 0, 0, UINT32_MAX, plain(17, true), WF_SPACE_GLOBAL, GLOBAL, 4);
    world_linear(&w, 1, 0, UINT32_MAX, plain(13, false), WF_SPACE_GLOBAL, GLOBAL + 128, 4);
    global(1, 0, plain(14, false), 124);
    world_linear(&w, 1, 0, UINT32_MAX, plain(17, true), WF_SPACE_GLOBAL, GLOBAL + 128, 4);
    end();
    CHECK_EQ(wf_finding_errors(), 2);
    FOUND(RACE_GLOBAL, 14, 17, ERROR, "write the results into another array");
    FOUND(RACE_GLOBAL, 17, 15, ERROR, "another array");
}

WF_TEST(plain_store_beside_atomics)
{
    begin(2, 1);
    global(0, 0, atom(14, WF_ORD_RELAXED, WF_SCOPE_GPU), 0);
    global(1, 0, atom(14, WF_ORD_RELAXED, WF_SCOPE_GPU), 0);
    global(0, 1, plain(16, true), 0);
    end();
    FOUND(RACE_GLOBAL, 16, 14, ERROR, "make the plain access in line 16 atomic");
}

WF_TEST(plain_flag_with_fences)
{
    begin(2, 1);
    global(0, 0, plain(18, false), 0);
    global(1, 0, plain(14, true), 64);
    put_fence(1, 0, fence(15, WF_SCOPE_GPU));
    global(1, 0, plain(16, true), 0);
    global(0, 0, plain(18, false), 0);
    put_fence(0, 0, fence(20, WF_SCOPE_GPU));
    global(0, 0, plain(21, false), 64);
    end();
    CHECK_EQ(wf_finding_errors(), 1); // the flag, not what it guards
    FOUND(RACE_GLOBAL, 16, 18, ERROR, "a release store in line 16 and an acquire load in line 18");
}

static void last_block(bool release, bool acquire)
{
    const struct wf_site *count = atom(33, WF_ORD_RELAXED, WF_SCOPE_GPU);
    begin(3, 2);
    for (uint32_t b = 0; b < 3; b++) {
        for (uint32_t t = 0; t < 64; t++)
            global(b, t, plain(30, true), 4096 + (b * 64 + t) * 4);
        world_sync(&w, b, bar(31));
        if (release)
            put_fence(b, 0, fence(32, WF_SCOPE_GPU));
        global(b, 0, count, 0);
        if (acquire)
            put_fence(b, 0, fence(34, WF_SCOPE_GPU));
        world_sync(&w, b, bar(38));
    }
    for (uint32_t t = 0; t < 64; t++)
        for (uint32_t b = 0; b < 3; b++)
            global(2, t, plain(40, false), 4096 + (b * 64 + t) * 4);
    world_sync(&w, 2, bar(41));
    global(2, 0, plain(43, true), 0); // the counter, by one thread of the last block
    end();
}

WF_TEST(last_block_without_release)
{
    last_block(false, true);
    CHECK_EQ(wf_finding_errors(), 1);
    FOUND(FENCE_RELEASE, 40, 30, ERROR,
          "put __threadfence() after the barrier that follows line 30, before line 33");
}

WF_TEST(last_block_without_fences)
{
    last_block(false, false);
    CHECK_EQ(wf_finding_errors(), 1);
    FOUND(FENCE_RELEASE, 40, 30, ERROR, "another one after line 33");
}

WF_TEST(last_block_without_acquire)
{
    last_block(true, false);
    CHECK_EQ(wf_finding_errors(), 0);
    FOUND(FENCE_ACQUIRE, 40, 30, ADVICE, "put __threadfence() after line 33, before the barrier");
}

WF_TEST(last_block_with_both_fences)
{
    last_block(true, true);
    CHECK_EQ(wf_finding_total(), 0);
}

WF_TEST(volatile_flag_orders_nothing)
{
    begin(2, 1);
    global(0, 0, plain(12, true), 64);
    global(0, 0, vol(13, true), 0);
    global(1, 0, vol(15, false), 0);
    global(1, 0, plain(18, false), 64);
    end();
    CHECK_EQ(wf_finding_errors(), 1);
    FOUND(FENCE_RELEASE, 18, 12, ERROR,
          "put __threadfence() between line 12 and line 13, and another one after line 15");
    FOUND(RACE_VOLATILE, 15, 13, WARNING, "use atomics");
}

WF_TEST(volatile_flag_in_a_block)
{
    begin(1, 2);
    shared(0, 0, vol(12, true), 0);
    world_sync(&w, 0, bar(13));
    world_linear(&w, 0, 0, UINT32_MAX, plain(16, true), WF_SPACE_SHARED, 64, 0);
    shared(0, 0, plain(16, true), 128);
    shared(0, 0, vol(17, true), 0);
    shared(0, 32, vol(20, false), 0);
    shared(0, 32, plain(22, false), 128);
    end();
    FOUND(FENCE_RELEASE, 22, 16, ERROR, "put __threadfence_block() between line 16 and line 17");
}

static void lock(bool fenced)
{
    const struct wf_site *cas = atom(14, WF_ORD_RELAXED, WF_SCOPE_GPU);
    const struct wf_site *exch = atom(18, WF_ORD_RELAXED, WF_SCOPE_GPU);
    begin(3, 1);
    for (uint32_t b = 0; b < 3; b++) {
        global(b, 0, cas, 0);
        if (fenced)
            put_fence(b, 0, fence(15, WF_SCOPE_GPU));
        global(b, 0, plain(16, false), 64);
        global(b, 0, plain(16, true), 64);
        if (fenced)
            put_fence(b, 0, fence(17, WF_SCOPE_GPU));
        global(b, 0, exch, 0);
    }
    end();
}

WF_TEST(lock_without_fences)
{
    lock(false);
    FOUND(FENCE_RELEASE, 16, 16, ERROR,
          "put __threadfence() between line 16 and line 18, and another one after line 14");
    for (uint32_t i = 0; i < wf_finding_total(); i++)
        CHECK_EQ(wf_finding_get(i)->kind, WF_F_FENCE_RELEASE);
}

WF_TEST(lock_with_fences)
{
    lock(true);
    CHECK_EQ(wf_finding_total(), 0);
}

WF_TEST(scope_of_atomics)
{
    begin(2, 1);
    global(0, 0, atom(13, WF_ORD_RELAXED, WF_SCOPE_CTA), 0);
    global(1, 0, atom(13, WF_ORD_RELAXED, WF_SCOPE_CTA), 0);
    end();
    CHECK_EQ(wf_finding_errors(), 1);
    FOUND(RACE_SCOPE, 13, 13, ERROR, "make the scope in line 13 device");
}

WF_TEST(scope_of_a_fence)
{
    begin(2, 1);
    global(0, 0, plain(10, true), 64);
    put_fence(0, 0, fence(11, WF_SCOPE_CTA));
    global(0, 0, atom(12, WF_ORD_RELAXED, WF_SCOPE_GPU), 0);
    global(1, 0, atom(14, WF_ORD_RELAXED, WF_SCOPE_GPU), 0);
    put_fence(1, 0, fence(15, WF_SCOPE_GPU));
    global(1, 0, plain(16, false), 64);
    end();
    FOUND(RACE_SCOPE, 16, 10, ERROR, "use device scope");
}

WF_TEST(publish)
{
    for (int good = 0; good < 2; good++) {
        begin(2, 1);
        global(0, 0, plain(12, true), 64);
        if (good)
            put_fence(0, 0, fence(13, WF_SCOPE_GPU));
        global(0, 0, atom(14, WF_ORD_RELAXED, WF_SCOPE_GPU), 0);
        global(1, 0, load(18, WF_ORD_ACQUIRE), 0);
        global(1, 0, plain(20, false), 64);
        end();
        CHECK_EQ(wf_finding_errors(), good ? 0 : 1);
        if (!good)
            FOUND(FENCE_RELEASE, 20, 12, ERROR, "put __threadfence() between line 12 and line 14");
    }
}

WF_TEST(grid_barrier_of_atomics)
{
    const struct wf_site *come = atom(15, WF_ORD_RELAXED, WF_SCOPE_GPU);
    const struct wf_site *look = atom(21, WF_ORD_RELAXED, WF_SCOPE_GPU);
    begin(3, 2);
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t b = 0; b < 3; b++) {
            global(b, 0, plain(30, true), 4096 + (r * 3 + b) * 4);
            world_sync(&w, b, bar(10));
            put_fence(b, 0, fence(13, WF_SCOPE_GPU));
            global(b, 0, come, 0);
            if (b == 2) {
                put_fence(b, 0, fence(17, WF_SCOPE_GPU));
                global(b, 0, look, 64);
            }
        }
        for (uint32_t b = 0; b < 3; b++) {
            if (b < 2)
                global(b, 0, look, 64);
            put_fence(b, 0, fence(24, WF_SCOPE_GPU));
            world_sync(&w, b, bar(26));
            for (uint32_t t = 0; t < 64; t++)
                global(b, t, plain(32, false), 4096 + (r * 3 + (b + 1) % 3) * 4);
        }
    }
    end();
    CHECK_EQ(wf_finding_total(), 0);
}

WF_TEST(copy_not_waited_for)
{
    const struct wf_site *cp = site_get((struct site_key){
        .line = 14, .what = "cp.async", .bytes = 4, .reads = true, .writes = true});
    for (int good = 0; good < 2; good++) {
        begin(1, 1);
        for (uint32_t l = 0; l < 32; l++)
            w.ev.async_issue(w.ev.arg, &w.warp[0][0], cp, l, l * 4, GLOBAL + l * 4, 4, l + 1);
        for (uint32_t l = 0; good && l < 32; l++)
            w.ev.async_done(w.ev.arg, &w.warp[0][0], l, l + 1, 0);
        world_sync(&w, 0, bar(16));
        for (uint32_t t = 0; t < 32; t++)
            shared(0, t, plain(17, false), (31 - t) * 4);
        end();
        CHECK_EQ(wf_finding_errors(), good ? 0 : 1);
        if (!good)
            FOUND(RACE_SHARED, 17, 14, ERROR, "wait for the copy");
    }
}

WF_TEST(mbarrier_of_one_lane)
{
    const struct wf_site *m =
        site_get((struct site_key){.line = 20, .kind = WF_SITE_BARRIER, .what = "mbarrier.arrive"});
    for (int good = 0; good < 2; good++) {
        begin(1, 2);
        row(0, 0, plain(18, true), 0);
        if (good)
            w.ev.warp_sync(w.ev.arg, &w.warp[0][0], bar(19), UINT32_MAX);
        w.ev.mbar_arrive(w.ev.arg, &w.warp[0][0], m, 0, 0, 1024, 0, true);
        for (uint32_t l = 0; l < 32; l++)
            w.ev.mbar_wait(w.ev.arg, &w.warp[0][1], m, l, 0, 1024, 0, true);
        for (uint32_t l = 0; l < 32; l++)
            shared(0, 32 + l, plain(24, false), (31 - l) * 4);
        end();
        CHECK_EQ(wf_finding_errors(), good ? 0 : 1);
        if (!good)
            FOUND(RACE_SHARED, 24, 18, ERROR, "put __syncwarp() after line 18");
    }
}

WF_TEST(other_classes)
{
    const struct wf_site *guess =
        site_get((struct site_key){.line = 5, .bytes = 4, .reads = true, .guess = true});
    const struct wf_site *wide = site_get((struct site_key){.line = 8,
                                                            .bytes = 8,
                                                            .reads = true,
                                                            .writes = true,
                                                            .atomic = true,
                                                            .order = WF_ORD_RELAXED,
                                                            .scope = WF_SCOPE_GPU});
    begin(2, 1);
    global(0, 0, atom(6, WF_ORD_RELAXED, WF_SCOPE_GPU), 0);
    global(1, 0, guess, 0); // the first look of a CAS loop
    global(0, 0, atom(7, WF_ORD_RELAXED, WF_SCOPE_GPU), 64);
    global(1, 0, wide, 64);
    end();
    CHECK_EQ(wf_finding_total(), 1);
    FOUND(RACE_MIXED_SIZE, 8, 7, WARNING, "one access size");

    begin(2, 1); // a launch comes after the one before it
    global(0, 0, plain(6, true), 0);
    world_end(&w);
    world_launch(&w, 2, 1, UINT32_MAX, 1, 4096);
    global(1, 0, plain(7, false), 0);
    end();
    CHECK_EQ(wf_finding_total(), 0);
}

WF_TEST(hot_counter)
{
    const struct wf_site *add = site_get((struct site_key){.line = 11,
                                                           .bytes = 4,
                                                           .reads = true,
                                                           .writes = true,
                                                           .atomic = true,
                                                           .order = WF_ORD_RELAXED,
                                                           .scope = WF_SCOPE_GPU,
                                                           .unused = true});
    begin(2, 4);
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t i = 0; i < 40; i++)
            world_linear(&w, b, i % 4, UINT32_MAX, add, WF_SPACE_GLOBAL, GLOBAL, 0);
    end();
    CHECK_EQ(wf_finding_total(), 1);
    CHECK_EQ(wf_finding_get(0)->kind, WF_F_CONTENTION);
    CHECK_HAS(wf_finding_get(0)->sentence, "2560 atomic operations by 2 blocks");
    CHECK_HAS(wf_finding_get(0)->fix, "2 atomics would be left of 2560");
}

WF_TEST(needless_barrier)
{
    struct wf_check_opts o = {.redundant = true};
    wf_finding_reset();
    world_open(&w, &o);
    world_launch(&w, 1, 2, UINT32_MAX, 1, 4096);
    for (uint32_t i = 0; i < 2; i++)
        row(0, i, plain(10, true), 0);
    world_sync(&w, 0, bar(11));
    for (uint32_t t = 0; t < 64; t++)
        shared(0, t, plain(12, false), (63 - t) * 4);
    world_sync(&w, 0, bar(13));
    for (uint32_t i = 0; i < 2; i++)
        row(0, i, plain(14, true), 1024);
    world_sync(&w, 0, bar(15));
    for (uint32_t i = 0; i < 2; i++)
        row(0, i, plain(16, false), 1024);
    end();
    CHECK_EQ(wf_finding_total(), 2);
    for (uint32_t i = 0; i < wf_finding_total(); i++) {
        CHECK_EQ(wf_finding_get(i)->kind, WF_F_BARRIER_REDUNDANT);
        CHECK(wf_finding_get(i)->party[0].loc->line != 11);
    }
}

WF_TEST(peer_ends_early)
{
    for (int good = 0; good < 2; good++) {
        wf_finding_reset();
        struct wf_check_opts o = {.race = true};
        world_open(&w, &o);
        world_launch(&w, 2, 1, UINT32_MAX, 2, 4096);
        for (uint32_t b = 0; b < 2; b++)
            row(b, 0, plain(16, true), 0);
        for (uint64_t phase = 0; phase < (good ? 2 : 1); phase++) {
            for (uint32_t b = 0; b < 2; b++)
                w.ev.cluster_arrive(w.ev.arg, &w.warp[b][0], bar(17), UINT32_MAX, phase, true);
            for (uint32_t b = 0; b < 2; b++)
                w.ev.cluster_wait(w.ev.arg, &w.warp[b][0], bar(17), UINT32_MAX, phase, true);
            for (uint32_t l = 0; phase == 0 && l < 32; l++)
                a32[l] = l * 4;
            if (phase == 0)
                world_access(&w, 1, 0, UINT32_MAX, plain(22, false), WF_SPACE_SHARED, 0, a32, 0);
        }
        end();
        CHECK_EQ(wf_finding_errors(), good ? 0 : 1);
        if (!good) {
            CHECK_EQ(wf_finding_get(0)->kind, WF_F_MEM_FREED);
            CHECK_EQ(wf_finding_get(0)->party[0].loc->line, 22);
            CHECK_HAS(wf_finding_get(0)->fix, "cluster.sync() after line 22");
        }
    }
}

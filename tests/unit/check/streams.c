// SPDX-License-Identifier: Apache-2.0
// Work in streams: what the order that the host gave excuses, and what it does not.
#include "world.h"

#include "core/finding.h"
#include "test.h"

static struct world w;
static uint64_t last_number;

// A piece of work of a stream; before[i]: newest work of stream i that comes before it.
static struct wf_task task(uint32_t stream, const uint64_t before[4])
{
    return (struct wf_task){.stream = stream, .n_before = 4, .number = ++last_number, .before = before, .what = "copy"};
}

static const struct wf_site *site(uint32_t line, bool writes)
{
    return site_get((struct site_key){.line = line, .bytes = 4, .reads = !writes, .writes = writes});
}

static void begin(void)
{
    struct wf_check_opts o = wf_check_defaults();
    o.memory = false;
    wf_finding_reset();
    world_open(&w, &o);
    last_number = 0;
    w.is_early = false;
}

static void end(void)
{
    wf_check_fini();
}

static void open_launch(const struct wf_task *t)
{
    w.order = t;
    world_launch(&w, 1, 1, UINT32_MAX, 1, 0);
}

static void launch(const struct wf_task *t, uint32_t line, bool writes, uint64_t at)
{
    open_launch(t);
    world_linear(&w, 0, 0, UINT32_MAX, site(line, writes), WF_SPACE_GLOBAL, GLOBAL + at, 4);
    world_end(&w);
}

static void move(const struct wf_task *t, uint64_t at, uint64_t width, uint64_t pitch, uint64_t rows, bool writes)
{
    struct wf_ev_move m = {.order = t, .addr = GLOBAL + at, .width = width, .pitch = pitch, .rows = rows, .is_write = writes};
    w.ev.move(w.ev.arg, &m);
}

WF_TEST(launches_of_two_streams)
{
    begin();
    uint64_t none[4] = {0}, after_a[4] = {1};
    struct wf_task a = task(0, none), b = task(1, after_a), c = task(2, none);
    launch(&a, 1, true, 0);
    launch(&b, 2, false, 0); // an event orders it
    CHECK_EQ(wf_finding_errors(), 0);
    launch(&c, 3, false, 0); // nothing does
    CHECK_EQ(wf_finding_errors(), 1);
    CHECK_EQ(wf_finding_get(0)->kind, WF_F_HOST_STREAM_RACE);
    end();
}

WF_TEST(a_reader_in_between_hides_no_writer)
{
    begin();
    uint64_t none[4] = {0}, after_a[4] = {1};
    struct wf_task a = task(0, none), b = task(1, after_a), c = task(2, none);
    launch(&a, 1, true, 0);
    launch(&b, 2, false, 0);
    launch(&c, 3, false, 64); // half of a's bytes
    CHECK_EQ(wf_finding_errors(), 1);
    end();
}

WF_TEST(the_host_has_waited)
{
    begin();
    uint64_t none[4] = {0}, known[4] = {1, 2};
    struct wf_task a = task(0, none), b = task(1, none), c = task(2, none);
    launch(&a, 1, true, 0);
    launch(&b, 2, true, 4096);
    w.ev.host_knows(w.ev.arg, &(struct wf_host_view){.any = known, .n = 2});
    c.before = known;
    launch(&c, 3, true, 0);
    launch(&c, 4, true, 4096);
    CHECK_EQ(wf_finding_errors(), 0);
    end();
}

WF_TEST(copies_and_launches)
{
    begin();
    uint64_t none[4] = {0}, after_2[4] = {0, 2};
    struct wf_task a = task(0, none), b = task(1, none), c = task(2, after_2), d = task(3, none);
    launch(&a, 1, true, 0);
    move(&b, 128, 128, 0, 1, true); // behind a's bytes
    launch(&c, 2, false, 128);      // ordered behind b
    CHECK_EQ(wf_finding_errors(), 0);
    move(&d, 64, 128, 0, 1, false); // of a's and b's
    CHECK_EQ(wf_finding_errors(), 2);
    end();
}

WF_TEST(columns_do_not_meet)
{
    begin();
    uint64_t none[4] = {0};
    struct wf_task a = task(0, none), b = task(1, none), c = task(2, none);
    move(&a, 0, 64, 256, 8, true);
    move(&b, 64, 192, 256, 8, true);
    CHECK_EQ(wf_finding_errors(), 0);
    move(&c, 1024, 4, 0, 1, false); // the fifth row of a
    CHECK_EQ(wf_finding_errors(), 1);
    end();
}

static void dependent(bool waits)
{
    begin();
    uint64_t none[4] = {0}, after_a[4] = {1};
    struct wf_task a = task(0, none), b = task(0, after_a);
    open_launch(&a);
    w.ev.dep_trigger(w.ev.arg, &w.warp[0][0], UINT32_MAX);
    world_linear(&w, 0, 0, UINT32_MAX, site(1, true), WF_SPACE_GLOBAL, GLOBAL, 4);
    world_end(&w);
    w.is_early = true;
    open_launch(&b);
    if (waits)
        w.ev.dep_wait(w.ev.arg, &w.warp[0][0], UINT32_MAX);
    world_linear(&w, 0, 0, UINT32_MAX, site(2, false), WF_SPACE_GLOBAL, GLOBAL, 4);
    world_end(&w);
    CHECK_EQ(wf_finding_errors(), waits ? 0 : 1);
    end();
}

WF_TEST(dependent_launches)
{
    dependent(true);
    dependent(false);
}

WF_TEST(many_launches_without_a_wait)
{
    begin();
    static uint64_t before[4];
    for (uint32_t i = 0; i < 20000; i++) {
        struct wf_task t = task(0, before);
        launch(&t, 1, true, 0);
        before[0] = t.number;
    }
    CHECK_EQ(wf_finding_errors(), 0);
    struct wf_check_stats s;
    wf_check_stats(&s);
    CHECK(s.records < 100000);
    end();
}

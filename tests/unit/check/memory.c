// SPDX-License-Identifier: Apache-2.0
// The memory checker against real device memory, and the spread of float additions.
#include "world.h"

#include "check/ctx.h"
#include "core/finding.h"
#include "mem/space.h"
#include "test.h"

static struct world w;

static void begin(void)
{
    struct wf_check_opts o = {.memory = true, .order = true};
    wf_finding_reset();
    memset(&w, 0, sizeof w);
    wf_check_events(&o, &w.ev);
}

static uint64_t device(uint64_t bytes)
{
    struct wf_err e;
    uint64_t a = 0;
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, bytes, 256, NULL, &a, &e), WF_OK);
    return a;
}

static const struct wf_site *site(uint32_t line, bool writes, uint8_t bytes, uint8_t elements)
{
    return site_get((struct site_key){
        .line = line, .bytes = bytes, .elements = elements, .reads = !writes, .writes = writes});
}

static void at(const struct wf_site *s, enum wf_space_kind space, uint64_t addr)
{
    uint64_t a[32] = {addr};
    world_access(&w, 0, 0, 1, s, space, 0, a, 1);
}

static uint32_t count(enum wf_finding_kind kind, uint32_t line)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < wf_finding_total(); i++)
        n += wf_finding_get(i)->kind == kind && wf_finding_get(i)->party[0].loc->line == line;
    return n;
}

static void end(void)
{
    world_end(&w);
    wf_check_fini();
    wf_finding_sort();
}

WF_TEST(bounds_and_freed)
{
    struct wf_err e;
    begin();
    uint64_t a = device(100), b = device(64);
    world_launch(&w, 1, 1, UINT32_MAX, 1, 128);
    at(site(1, true, 4, 1), WF_SPACE_GLOBAL, a);
    at(site(2, true, 4, 1), WF_SPACE_GLOBAL, a + 96);
    at(site(3, true, 4, 1), WF_SPACE_GLOBAL, a + 100);
    at(site(4, true, 8, 1), WF_SPACE_GLOBAL, a + 96);
    at(site(5, true, 4, 1), WF_SPACE_GLOBAL, 16);
    at(site(6, true, 4, 1), WF_SPACE_SHARED, 128);
    at(site(7, true, 4, 1), WF_SPACE_SHARED, 124);
    world_linear(&w, 0, 0, UINT32_MAX, site(8, true, 4, 1), WF_SPACE_SHARED, 4, 4);
    wf_heap_set_quarantine(1 << 20);
    CHECK_EQ(wf_heap_free(b, "test", &e), WF_OK);
    at(site(9, true, 4, 1), WF_SPACE_GLOBAL, b);
    end();
    CHECK_EQ(wf_finding_total(), 6);
    for (uint32_t l = 3; l <= 8; l++)
        CHECK_EQ(count(WF_F_MEM_BOUNDS, l), l != 7);
    CHECK_EQ(count(WF_F_MEM_FREED, 9), 1);
    wf_heap_free(a, "test", &e);
}

WF_TEST(never_written)
{
    struct wf_err e;
    begin();
    uint64_t a = device(1024);
    wf_heap_note_write(a + 512, 256); // the host did
    world_launch(&w, 2, 1, UINT32_MAX, 1, 128);
    world_linear(&w, 0, 0, UINT32_MAX, site(1, true, 4, 1), WF_SPACE_GLOBAL, a, 4);
    world_linear(&w, 0, 0, UINT32_MAX, site(2, false, 4, 1), WF_SPACE_GLOBAL, a, 4);
    world_linear(&w, 0, 0, UINT32_MAX, site(3, false, 4, 1), WF_SPACE_GLOBAL, a + 512, 4);
    world_linear(&w, 0, 0, UINT32_MAX, site(4, false, 4, 1), WF_SPACE_GLOBAL, a + 64, 4);
    world_linear(&w, 0, 0, 0xff, site(5, true, 4, 1), WF_SPACE_SHARED, 0, 4);
    world_linear(&w, 0, 0, 0xff, site(6, false, 4, 1), WF_SPACE_SHARED, 0, 4);
    world_linear(&w, 0, 0, 0x1ff, site(7, false, 4, 1), WF_SPACE_SHARED, 0, 4);
    at(site(8, true, 1, 1), WF_SPACE_SHARED, 96);
    at(site(9, false, 4, 1), WF_SPACE_SHARED, 96); // one byte of four
    // Another block has shared memory of its own.
    uint64_t x[32] = {0};
    world_access(&w, 1, 0, 1, site(10, false, 4, 1), WF_SPACE_SHARED, 0, x, 0);
    end();
    static const uint32_t bad[] = {4, 7, 9, 10};
    for (uint32_t i = 0; i < 4; i++)
        CHECK_EQ(count(WF_F_MEM_UNINIT, bad[i]), 1);
    CHECK_EQ(wf_finding_total(), 4);
    wf_heap_free(a, "test", &e);
}

WF_TEST(padding_and_unused_parts)
{
    begin();
    world_launch(&w, 1, 1, UINT32_MAX, 1, 128);
    struct wf_site some = *site(3, false, 4, 4); // {a, b, -, d} are looked at
    some.used_bytes = 0xf0ff;
    at(site(1, true, 4, 1), WF_SPACE_SHARED, 0);
    at(site(1, true, 4, 1), WF_SPACE_SHARED, 4);
    at(site(1, true, 4, 1), WF_SPACE_SHARED, 12);
    at(&some, WF_SPACE_SHARED, 0);
    end();
    CHECK_EQ(wf_finding_total(), 0);
}

WF_TEST(misaligned)
{
    begin();
    world_launch(&w, 1, 1, UINT32_MAX, 1, 128);
    at(site(1, true, 4, 1), WF_SPACE_SHARED, 2);
    at(site(2, true, 4, 4), WF_SPACE_SHARED, 8);
    at(site(3, true, 8, 1), WF_SPACE_SHARED, 8);
    end();
    CHECK_EQ(count(WF_F_MEM_MISALIGNED, 1), 1);
    CHECK_EQ(count(WF_F_MEM_MISALIGNED, 2), 1);
    CHECK_EQ(wf_finding_total(), 2);
}

static void add_floats(bool exact)
{
    struct wf_err e;
    begin();
    uint64_t a = device(256), addr[32], value[32];
    wf_heap_note_write(a, 256);
    world_launch(&w, 4, 1, UINT32_MAX, 1, 128);
    struct wf_site s = *site_get((struct site_key){.line = 22,
                                                   .bytes = 4,
                                                   .elements = 1,
                                                   .reads = true,
                                                   .writes = true,
                                                   .atomic = true,
                                                   .order = WF_ORD_RELAXED,
                                                   .scope = WF_SCOPE_GPU});
    s.is_float_add = true;
    for (uint32_t b = 0; b < 4; b++) {
        for (uint32_t l = 0; l < 32; l++) {
            float f = exact ? (float)l : (l & 1 ? 123456.7f : 1e-3f) * (float)(b * 32 + l + 1);
            uint32_t bits;
            memcpy(&bits, &f, sizeof bits);
            addr[l] = a;
            value[l] = bits;
        }
        struct wf_ev_access x = {.site = &s,
                                 .warp = &w.warp[b][0],
                                 .space = WF_SPACE_GLOBAL,
                                 .mask = UINT32_MAX,
                                 .addr = addr,
                                 .writes = UINT32_MAX,
                                 .value = value};
        w.ev.access(w.ev.arg, &x);
    }
    end();
    wf_heap_free(a, "test", &e);
}

WF_TEST(float_sums)
{
    add_floats(true);
    CHECK_EQ(wf_finding_total(), 0);
    add_floats(false);
    CHECK_EQ(wf_finding_total(), 1);
    CHECK_EQ(wf_finding_get(0)->kind, WF_F_ORDER_FLOAT);
    CHECK_EQ(wf_finding_get(0)->severity, WF_SEV_ADVICE);
    CHECK_HAS(wf_finding_get(0)->sentence, "128 floating-point additions to one address");
}

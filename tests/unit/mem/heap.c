// SPDX-License-Identifier: Apache-2.0
// Heap: placement, reuse, red zones, lookup, zeroing, both mappings of host-visible memory.
#include "test.h"

#include <time.h> // clock_gettime

#include "base/os.h"   // wf_os_now_ns
#include "mem/space.h" // wf_heap_alloc

static uint64_t alloc(enum wf_mem_kind k, uint64_t bytes)
{
    uint64_t a = 0;
    struct wf_err err;
    CHECK_EQ(wf_heap_alloc(k, bytes, 0, NULL, &a, &err), WF_OK);
    return a;
}

static unsigned char *engine(uint64_t a)
{
    return wf_space_host(wf_space_get(NULL), a);
}

WF_TEST(blocks_are_apart_and_found)
{
    uint64_t a = alloc(WF_MEM_DEVICE, 100), b = alloc(WF_MEM_DEVICE, 0),
             c = alloc(WF_MEM_DEVICE, 1);
    CHECK_EQ(a % 256, 0);
    CHECK(b >= a + 100 + 256);
    CHECK(c > b);
    struct wf_mem_block k;
    CHECK(wf_heap_find(a + 99, &k));
    CHECK_EQ(k.addr, a);
    CHECK_EQ(k.bytes, 100);
    CHECK(wf_heap_find(a + 100, &k));
    CHECK_EQ(k.addr, a);
    CHECK(!wf_heap_find(12345, &k));
    CHECK(!wf_heap_find(c + (1 << 20), &k));
    engine(a)[99] = 7;
    engine(c)[0] = 8;
}

WF_TEST(free_checks_its_address)
{
    struct wf_err err;
    uint64_t a = alloc(WF_MEM_DEVICE, 1000);
    CHECK_EQ(wf_heap_free(a + 16, NULL, &err), WF_E_USAGE);
    CHECK(strstr(err.text, "16 bytes inside") != NULL);
    CHECK_EQ(wf_heap_free(1, NULL, &err), WF_E_USAGE);
    CHECK_EQ(wf_heap_free(a, NULL, &err), WF_OK);
    CHECK_EQ(wf_heap_free(a, NULL, &err), WF_E_USAGE);
    CHECK_EQ(wf_heap_bytes_live(), 0);
}

WF_TEST(quarantine_keeps_freed_blocks)
{
    struct wf_err err;
    wf_heap_set_quarantine(1 << 20);
    uint64_t a = alloc(WF_MEM_DEVICE, 4096);
    CHECK_EQ(wf_heap_free(a, "here", &err), WF_OK);
    struct wf_mem_block k;
    CHECK(wf_heap_find(a, &k));
    CHECK_EQ(k.state, WF_MEM_FREED);
    CHECK_STR(k.free_where, "here");
    CHECK(alloc(WF_MEM_DEVICE, 4096) != a);
    CHECK_EQ(wf_heap_free(a, NULL, &err), WF_E_USAGE);
    CHECK(strstr(err.text, "second free") != NULL);
    wf_heap_set_quarantine(0);
    CHECK_EQ(alloc(WF_MEM_DEVICE, 4096), a);
}

WF_TEST(module_memory_is_zero)
{
    uint64_t a = alloc(WF_MEM_DEVICE, 200 * 1024);
    memset(engine(a), 0xff, 200 * 1024);
    wf_heap_free(a, NULL, NULL);
    uint64_t b = alloc(WF_MEM_MODULE, 300 * 1024);
    CHECK_EQ(b, a);
    for (uint64_t i = 0; i < 300 * 1024; i++)
        if (engine(b)[i]) {
            CHECK_EQ(engine(b)[i], 0);
            break;
        }
}

WF_TEST(host_visible_memory_has_two_sides)
{
    uint64_t a = alloc(WF_MEM_MANAGED, 3 << 20), p = alloc(WF_MEM_PINNED, 64);
    volatile unsigned char *host = (unsigned char *)(uintptr_t)a;
    host[12345] = 42;
    CHECK_EQ(engine(a)[12345], 42);
    engine(p)[63] = 9;
    CHECK_EQ(((unsigned char *)(uintptr_t)p)[63], 9);
    CHECK_EQ(wf_heap_free(a, NULL, NULL), WF_OK);
    CHECK_EQ(alloc(WF_MEM_MANAGED, 3 << 20), a);
    CHECK_EQ(host[12345], 0); // its memory was given back
}

WF_TEST(large_blocks_lie_on_huge_pages_and_are_given_back)
{
    uint64_t a = alloc(WF_MEM_DEVICE, 64 << 20);
    CHECK_EQ(a % (2 << 20), 0);
    engine(a)[5] = 1;
    engine(a)[(64 << 20) - 1] = 1;
    wf_heap_free(a, NULL, NULL);
    uint64_t b = alloc(WF_MEM_DEVICE, 64 << 20);
    CHECK_EQ(b, a);
    CHECK_EQ(engine(b)[5], 0);
}

WF_TEST(too_much_is_an_error)
{
    struct wf_err err;
    uint64_t a;
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, UINT64_MAX, 0, NULL, &a, &err), WF_E_NOMEM);
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, UINT64_MAX - 300, 0, NULL, &a, &err), WF_E_NOMEM);
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, UINT64_C(1) << 40, 0, NULL, &a, &err), WF_E_NOMEM);
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, 64, 48, NULL, &a, &err), WF_E_USAGE);
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, 64, UINT64_C(1) << 50, NULL, &a, &err), WF_E_NOMEM);
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, 64, 1 << 16, NULL, &a, &err), WF_OK);
    CHECK_EQ(a % (1 << 16), 0);
}

static uint64_t heard_addr, heard_bytes;
static int heard_what = -1;
static void hear(void *arg, uint64_t addr, uint64_t bytes, int what)
{
    struct wf_mem_block k;
    CHECK(wf_heap_find(addr, &k)); // a listener may ask
    heard_addr = addr, heard_bytes = bytes, heard_what = what;
    CHECK(arg == &heard_what);
}

WF_TEST(listener_hears_every_change)
{
    wf_heap_listen(hear, &heard_what);
    uint64_t a = alloc(WF_MEM_DEVICE, 512);
    CHECK_EQ(heard_what, 0);
    CHECK_EQ(heard_bytes, 512);
    wf_heap_note_write(a, 512);
    CHECK_EQ(heard_what, 2);
    struct wf_mem_block k;
    CHECK(wf_heap_find(a, &k) && k.is_initialised);
    wf_heap_free(a, NULL, NULL);
    CHECK_EQ(heard_what, 1);
    CHECK_EQ(heard_addr, a);
}

// Random allocations and frees against a plain list.
WF_TEST(random_against_list)
{
    enum { N = 300 };
    struct {
        uint64_t a, n;
    } live[N] = {{0, 0}};
    uint32_t r = 1;
    for (int step = 0; step < 60000; step++) {
        r = r * 1664525u + 1013904223u;
        unsigned i = (r >> 8) % N;
        if (live[i].a) {
            CHECK_EQ(*engine(live[i].a), i & 255);
            CHECK_EQ(wf_heap_free(live[i].a, NULL, NULL), WF_OK);
            live[i].a = 0;
            continue;
        }
        uint64_t n = 1 + (r >> 12) % ((r & 63) == 0 ? 4000000u : 3000u);
        uint64_t a = alloc((r >> 5 & 7) == 0 ? WF_MEM_PINNED : WF_MEM_DEVICE, n);
        for (unsigned j = 0; j < N; j++)
            if (live[j].a && a < live[j].a + live[j].n + 256 && live[j].a < a + n + 256) {
                CHECK(!"overlap");
                return;
            }
        live[i].a = a, live[i].n = n;
        *engine(a) = (unsigned char)i;
        struct wf_mem_block k;
        CHECK(wf_heap_find(a + n - 1, &k) && k.addr == a && k.bytes == n);
    }
}

WF_TEST(a_hundred_thousand_calls_are_fast)
{
    enum { N = 100000 };
    static uint64_t at[N];
    uint64_t t = wf_os_now_ns();
    for (int i = 0; i < N; i++)
        at[i] = alloc(WF_MEM_DEVICE, (uint64_t)(i % 977) * 8);
    for (int i = 0; i < N; i++)
        wf_heap_free(at[(uint64_t)i * 7919 % N], NULL, NULL);
    double s = (double)(wf_os_now_ns() - t) * 1e-9;
    printf("2 x %d calls: %.3f s\n", N, s);
    CHECK(s < 5);
    CHECK_EQ(wf_heap_bytes_live(), 0);
}

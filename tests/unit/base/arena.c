// SPDX-License-Identifier: Apache-2.0
// Arena: alignment, zeroing, mark and rewind over chunk borders.
#include "base/arena.h"

#include "test.h"

WF_TEST(aligned_zeroed_distinct)
{
    struct wf_arena a;
    wf_arena_init(&a, "test");
    char *last = NULL;
    for (size_t n = 0; n < 3000; n++) {
        char *p = wf_arena_alloc(&a, n);
        CHECK_EQ((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++)
            if (p[i]) {
                CHECK(!"zeroed");
                break;
            }
        memset(p, 0xff, n);
        CHECK(n < 2 || p != last);
        last = p;
    }
    wf_arena_fini(&a);
    CHECK_EQ(a.used_bytes, 0);
}

WF_TEST(rewind_clears)
{
    struct wf_arena a;
    wf_arena_init(&a, "test");
    char *keep = wf_arena_strdup(&a, "keep");
    struct wf_arena_mark m = wf_arena_mark(&a);
    char *p = wf_arena_alloc(&a, 100);
    memset(p, 1, 100);
    memset(wf_arena_alloc(&a, 1 << 20), 1, 1 << 20); // a chunk of its own
    wf_arena_rewind(&a, m);
    CHECK_EQ(a.used_bytes, m.used_bytes);
    char *q = wf_arena_alloc(&a, 100);
    CHECK(q == p);
    CHECK_EQ(q[0] | q[99], 0);
    CHECK_STR(keep, "keep");
    wf_arena_fini(&a);
}

WF_TEST(mark_of_an_empty_arena)
{
    struct wf_arena a;
    wf_arena_init(&a, "test");
    struct wf_arena_mark m = wf_arena_mark(&a);
    wf_arena_alloc(&a, 10);
    wf_arena_rewind(&a, m);
    CHECK(a.head == NULL);
    CHECK_EQ(a.used_bytes, 0);
}

WF_TEST(text)
{
    struct wf_arena a;
    wf_arena_init(&a, "test");
    CHECK_STR(wf_arena_printf(&a, "%d-%s", 42, "x"), "42-x");
    CHECK_STR(wf_arena_strndup(&a, "abcdef", 3), "abc");
    CHECK_STR(wf_arena_strndup(&a, "", 0), "");
    CHECK_EQ(strlen(wf_arena_printf(&a, "%*d", 100000, 1)), 100000);
    wf_arena_fini(&a);
}

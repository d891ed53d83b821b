// SPDX-License-Identifier: Apache-2.0
// The store: what merges, what does not, and that the order is stable.
#include "core/finding.h"

#include <pthread.h> // pthread_create

#include "test.h"

static const struct wf_loc at_5 = {.file = "a.cu", .line = 5}, at_9 = {.file = "a.cu", .line = 9};
static const struct wf_loc other_5 = {.file = "b.cu", .line = 5};

static struct wf_finding pair(enum wf_finding_kind k, const struct wf_loc *a,
                              const struct wf_loc *b, uint64_t launch)
{
    struct wf_finding f = wf_finding_make(k, "kernel", launch);
    wf_finding_party(&f, WF_PARTY_ACCESS, a);
    wf_finding_party(&f, WF_PARTY_ACCESS, b);
    return f;
}

WF_TEST(rows_are_distinct)
{
    for (int i = 0; i < WF_F_COUNT; i++)
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(wf_finding_slug((enum wf_finding_kind)i),
                         wf_finding_slug((enum wf_finding_kind)k)) != 0);
            CHECK(wf_finding_number((enum wf_finding_kind)i) !=
                  wf_finding_number((enum wf_finding_kind)k));
        }
    CHECK_STR(wf_finding_slug(WF_F_RACE_SHARED), "race-shared");
    CHECK_EQ(wf_finding_default_severity(WF_F_CONTENTION), WF_SEV_ADVICE);
}

WF_TEST(python_kernels_are_told_in_pythons_words)
{
    static const struct wf_loc py = {.file = "a.py", .line = 5};
    struct wf_finding f = pair(WF_F_RACE_SHARED, &py, &at_9, 1), g = pair(WF_F_RACE_SHARED, &at_5, &at_9, 2);
    const char *fix = "put __syncthreads() after line 5, or __threadfence()";
    snprintf(f.fix, sizeof f.fix, "%s", fix);
    snprintf(g.fix, sizeof g.fix, "%s", fix);
    CHECK(wf_finding_add(&f) && wf_finding_add(&g));
    wf_finding_sort();
    CHECK_STR(wf_finding_get(0)->fix, "put cuda.syncthreads() after line 5, or cuda.threadfence()");
    CHECK_STR(wf_finding_get(1)->fix, fix);
    wf_finding_reset();
}

WF_TEST(same_lines_merge_from_either_side)
{
    struct wf_finding f = pair(WF_F_RACE_SHARED, &at_5, &at_9, 2);
    struct wf_finding g = pair(WF_F_RACE_SHARED, &at_9, &at_5, 1);
    g.count = 3;
    CHECK(wf_finding_add(&f));
    CHECK(!wf_finding_add(&g));
    CHECK_EQ(wf_finding_total(), 1);
    CHECK_EQ(wf_finding_get(0)->count, 4);
    CHECK_EQ(wf_finding_get(0)->launch, 1); // the earliest stands for both
    CHECK(wf_finding_get(1) == NULL);
}

WF_TEST(other_kind_line_or_file_does_not_merge)
{
    struct wf_finding f = pair(WF_F_RACE_SHARED, &at_5, &at_9, 1);
    struct wf_finding g = pair(WF_F_RACE_GLOBAL, &at_5, &at_9, 1);
    struct wf_finding h = pair(WF_F_RACE_SHARED, &at_5, &at_5, 1);
    struct wf_finding i = pair(WF_F_RACE_SHARED, &other_5, &at_9, 1);
    CHECK(wf_finding_add(&f));
    CHECK(wf_finding_add(&g));
    CHECK(wf_finding_add(&h));
    CHECK(wf_finding_add(&i));
    CHECK_EQ(wf_finding_total(), 4);
    CHECK_EQ(wf_finding_errors(), 4);
}

WF_TEST(without_source_the_ptx_line_tells_apart)
{
    struct wf_loc p = {.ptx_line = 10}, q = {.ptx_line = 11};
    struct wf_finding f = pair(WF_F_MEM_BOUNDS, &p, &p, 1), g = pair(WF_F_MEM_BOUNDS, &q, &q, 1);
    CHECK(wf_finding_add(&f));
    CHECK(wf_finding_add(&g));
    g.kernel = "another";
    CHECK(wf_finding_add(&g));
    CHECK(!wf_finding_add(&f));
}

WF_TEST(without_parties_the_sentence_tells_apart)
{
    struct wf_finding f = wf_finding_make(WF_F_LAUNCH_CONFIG, NULL, 0);
    snprintf(f.sentence, sizeof f.sentence, "one");
    CHECK(wf_finding_add(&f));
    CHECK(!wf_finding_add(&f));
    snprintf(f.sentence, sizeof f.sentence, "two");
    CHECK(wf_finding_add(&f));
}

WF_TEST(sorted_by_launch_then_key_then_arrival)
{
    struct wf_finding f = pair(WF_F_RACE_SHARED, &at_5, &at_5, 3);
    struct wf_finding g = pair(WF_F_RACE_SHARED, &at_9, &at_9, 1);
    struct wf_finding h = pair(WF_F_RACE_GLOBAL, &at_9, &at_9, 1);
    g.order = h.order = 7;
    wf_finding_add(&f);
    wf_finding_add(&g);
    wf_finding_add(&h);
    wf_finding_sort();
    CHECK_EQ(wf_finding_get(0)->kind, WF_F_RACE_SHARED);
    CHECK_EQ(wf_finding_get(0)->launch, 1);
    CHECK_EQ(wf_finding_get(1)->kind, WF_F_RACE_GLOBAL);
    CHECK_EQ(wf_finding_get(2)->launch, 3);
    wf_finding_reset();
    CHECK_EQ(wf_finding_total(), 0);
    CHECK(wf_finding_add(&f));
}

WF_TEST(last_party_is_reused_when_full)
{
    struct wf_finding f = wf_finding_make(WF_F_TRAP, NULL, 0);
    for (int i = 0; i < WF_MAX_PARTIES + 3; i++)
        wf_finding_party(&f, WF_PARTY_NOTE, &at_5)->warp = (uint32_t)i;
    CHECK_EQ(f.n_parties, WF_MAX_PARTIES);
    CHECK_EQ(f.party[WF_MAX_PARTIES - 1].warp, WF_MAX_PARTIES + 2);
}

static int heard;

static void hear(void *arg, const struct wf_finding *f)
{
    heard += *(int *)arg + (f->kind == WF_F_TRAP);
}

static void *add_many(void *arg)
{
    for (uint32_t i = 0; i < 200; i++) {
        struct wf_loc *l = (struct wf_loc *)arg + i;
        struct wf_finding f = wf_finding_make(WF_F_TRAP, "k", i);
        wf_finding_party(&f, WF_PARTY_ACCESS, l);
        wf_finding_add(&f);
    }
    return NULL;
}

WF_TEST(threads_and_listener)
{
    static struct wf_loc loc[200];
    for (uint32_t i = 0; i < 200; i++)
        loc[i] = (struct wf_loc){.file = "t.cu", .line = i};
    int one = 1;
    wf_finding_listen(hear, &one);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&t[i], NULL, add_many, loc) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    CHECK_EQ(wf_finding_total(), 200);
    CHECK_EQ(heard, 400); // told once a finding
    CHECK_EQ(wf_finding_get(0)->count, 4);
}

WF_TEST(names_and_places_are_copied)
{
    char file[] = "x.cu", kernel[] = "k", inner[] = "f";
    struct wf_loc outer = {.file = file, .line = 3}, l = {file, 7, 1, inner, &outer, 9};
    struct wf_finding f = wf_finding_make(WF_F_TRAP, kernel, 1);
    wf_finding_party(&f, WF_PARTY_ACCESS, &l);
    wf_finding_add(&f);
    file[0] = kernel[0] = inner[0] = '?';
    l.line = outer.line = 0;
    const struct wf_finding *g = wf_finding_get(0);
    CHECK_STR(g->kernel, "k");
    CHECK_STR(g->party[0].loc->file, "x.cu");
    CHECK_STR(g->party[0].loc->function, "f");
    CHECK_EQ(g->party[0].loc->line, 7);
    CHECK_EQ(g->party[0].loc->inlined->line, 3);
    CHECK(g->party[0].loc->inlined->inlined == NULL);
}

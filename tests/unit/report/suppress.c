// SPDX-License-Identifier: Apache-2.0
// Suppression files and comments, --max-findings, counts.
#include "test.h"

#include "base/str.h"
#include "report/report_priv.h"
#include "report/sample.h"
#include "report/suppress.h"

// Does the file `text` suppress f?
static int hides(const char *text, const struct wf_finding *f)
{
    struct wf_suppress *s = wf_suppress_new();
    struct wf_err err;
    enum wf_status st = wf_suppress_parse(s, "list", text, strlen(text), &err);
    if (st != WF_OK)
        WF_TEST_FAIL("'%s' is refused: %s", text, err.text);
    int hidden = wf_suppress_match(s, f);
    wf_suppress_free(s);
    return hidden;
}

static void refused(const char *text, uint32_t line, uint32_t col, const char *sentence,
                    const char *hint)
{
    struct wf_suppress *s = wf_suppress_new();
    struct wf_err err;
    CHECK_EQ(wf_suppress_parse(s, "list", text, strlen(text), &err), WF_E_INPUT);
    CHECK_STR(err.file, "list");
    CHECK_EQ(err.line, line);
    CHECK_EQ(err.col, col);
    CHECK_HAS(err.text, sentence);
    CHECK_HAS(err.hint, hint);
    wf_suppress_free(s);
}

WF_TEST(glob)
{
    CHECK(wf__glob("", ""));
    CHECK(wf__glob("*", ""));
    CHECK(wf__glob("a*b?c", "a--bb-c"));
    CHECK(!wf__glob("a*b?c", "a--b-cc"));
    CHECK(wf__glob("a*b?c", "aXbYbZc"));
    CHECK(wf__glob("**x", "yx"));
    CHECK(!wf__glob("?", ""));
    CHECK(!wf__glob("ab", "abc"));
    char many[4096], text[4096]; // linear, not exponential
    for (int i = 0; i < 4000; i++)
        many[i] = i % 2 ? 'a' : '*', text[i] = 'a';
    many[3999] = 'b';
    many[4000] = text[4000] = '\0';
    CHECK(!wf__glob(many, text));
}

WF_TEST(rules)
{
    struct wf_finding f = sample_race();
    CHECK(hides("race-shared", &f));
    CHECK(hides("WF001", &f));
    CHECK(hides("race-*", &f));
    CHECK(hides("*", &f));
    CHECK(hides("\n# all of it\n  race-shared\t*  * # known\r\n", &f));
    CHECK(!hides("", &f));
    CHECK(!hides("race-global", &f));
    CHECK(hides("race-shared exchange.cu", &f));
    CHECK(hides("race-shared data/exchange.cu", &f));
    CHECK(!hides("race-shared change.cu", &f)); // from a directory separator on
    CHECK(hides("race-shared *change.cu", &f));
    CHECK(hides("race-shared exchange.cu:12", &f)); // any party
    CHECK(hides("race-shared exchange.cu:4", &f));
    CHECK(hides("race-shared exchange.cu:13", &f)); // a call site
    CHECK(!hides("race-shared exchange.cu:5", &f));
    CHECK(hides("race-shared exchange.cu:5-12", &f));
    CHECK(!hides("race-shared exchange.cu:5-11", &f));
    CHECK(hides("race-shared exchange.cu:*", &f));
    CHECK(!hides("race-shared *:99", &f));
    CHECK(hides("race-shared * exchange", &f));
    CHECK(hides("race-shared * exchange(float const*, float*, int)", &f));
    CHECK(hides("race-shared * _Z8exch*", &f));
    CHECK(!hides("race-shared * flags", &f));
    struct wf_finding host = sample_host();
    CHECK(hides("launch-config", &host));
    CHECK(!hides("launch-config * exchange", &host));
    CHECK(!hides("launch-config exchange.cu", &host));
}

WF_TEST(malformed)
{
    refused("\nrace-globl", 2, 1, "no finding kind is named 'race-globl'",
            "did you mean 'race-global'");
    refused("  nonsense a.cu", 1, 3, "'nonsense'", "warpfence explain");
    refused("race-shared a.cu:x", 1, 13, "second field", "race-global src");
    refused("race-shared a.cu:9-3", 1, 13, "second field", "");
    refused("race-shared a.cu:0", 1, 13, "second field", "");
    refused("race-shared a.cu:99999999999", 1, 13, "second field", "");
    refused("race-shared :4", 1, 13, "second field", "");
    char line[6000];
    memset(line, 'a', sizeof line);
    line[sizeof line - 1] = '\0';
    refused(line, 1, 0, "longer than 4096", "");
    struct wf_suppress *s = wf_suppress_new();
    struct wf_err err;
    CHECK_EQ(wf_suppress_parse(s, "list", "race-shared\nx\0y", 15, &err), WF_E_INPUT);
    CHECK_HAS(err.text, "not a text file");
    CHECK_EQ(err.line, 2);
    CHECK_EQ(wf_suppress_read(s, "/no/such/list", &err), WF_E_IO);
    wf_suppress_free(s);
}

// Whatever a file contains, it is read or refused; under sanitizers this also checks memory.
WF_TEST(random_files)
{
    static const char piece[][16] = {"race-shared", " ", "\t",   "*",    ":",
                                     "12",          "-", "#",    "\n",   "WF001",
                                     "a.cu",        "?", "\r\n", "\xff", "99999999999"};
    uint32_t seed = 7;
    struct wf_finding f = sample_race();
    for (int round = 0; round < 5000; round++) {
        char text[400] = "";
        for (int i = 0; i < 20; i++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, piece[(seed >> 16) % (sizeof piece / sizeof *piece)]);
        }
        struct wf_suppress *s = wf_suppress_new();
        struct wf_err err;
        if (wf_suppress_parse(s, "list", text, strlen(text), &err) == WF_OK)
            wf_suppress_match(s, &f);
        else
            CHECK(err.text[0] && err.line > 0);
        wf_suppress_free(s);
    }
}

WF_TEST(file_hides_in_report)
{
    struct wf_finding f[SAMPLE_N];
    sample_all(f);
    struct wf_report_opts o = sample_opts(f, SAMPLE_N);
    struct wf_suppress *s = wf_suppress_new();
    const char *text = "race-shared\nWF015 no/such?file.cu app::spin*\n";
    CHECK_EQ(wf_suppress_parse(s, "list", text, strlen(text), NULL), WF_OK);
    struct wf_report_counts before = wf_report_count(&o);
    o.suppress = s;
    struct wf_report_counts after = wf_report_count(&o);
    CHECK_EQ(before.errors, 6);
    CHECK_EQ(before.suppressed, 2); // by comments
    CHECK_EQ(after.errors, 4);
    CHECK_EQ(after.suppressed, 4);
    o.has_no_source = true;
    CHECK_EQ(wf_report_count(&o).suppressed, 2);
    wf_suppress_free(s);
}

WF_TEST(max_findings)
{
    struct wf_finding f[SAMPLE_N];
    sample_all(f);
    struct wf_report_opts o = sample_opts(f, SAMPLE_N);
    struct wf_str out = {0};
    o.max_findings = 2;
    struct wf_report_counts c = wf_report_count(&o);
    CHECK_EQ(c.errors, 6);
    CHECK_EQ(c.omitted, 6);
    wf_report_write(WF_REPORT_TEXT, &o, &out, NULL);
    CHECK_HAS(wf_str_get(&out),
              "6 errors, 1 warning, 1 advice in 4 launches, 6 not shown (--max-findings=2)");
    CHECK(strstr(wf_str_get(&out), "WF001") != NULL); // errors are kept first
    CHECK(strstr(wf_str_get(&out), "WF041") == NULL);
    wf_str_fini(&out);
}

WF_TEST(one_finding)
{
    struct wf_finding f[SAMPLE_N];
    sample_all(f);
    struct wf_report_opts o = sample_opts(NULL, 0);
    struct wf_str out = {0};
    wf_report_one(&o, &f[4], &out); // suppressed by a comment
    CHECK_EQ(out.n, 0);
    wf_report_one(&o, &f[1], &out);
    CHECK_HAS(wf_str_get(&out), "exchange.cu:4:12: error[WF001 race-shared]: ");
    wf_str_fini(&out);
}

// Without an array the process's store is reported, sorted and merged.
WF_TEST(store)
{
    struct wf_finding f = sample_race();
    f.launch = 9;
    struct wf_finding g = sample_deadlock();
    wf_finding_reset();
    wf_finding_add(&f);
    wf_finding_add(&g);
    wf_finding_add(&f);
    struct wf_report_opts o = sample_opts(NULL, 0);
    struct wf_str out = {0};
    wf_report_write(WF_REPORT_TEXT, &o, &out, NULL);
    const char *race = strstr(wf_str_get(&out), "WF001"), *dead = strstr(wf_str_get(&out), "WF015");
    CHECK(race && dead && dead < race);
    CHECK_HAS(wf_str_get(&out), "seen 256 times");
    wf_str_fini(&out);
    wf_finding_reset();
}

WF_TEST(options)
{
    enum wf_report_format f;
    struct wf_err err;
    bool color;
    CHECK_EQ(wf_report_format_parse("sarif", &f, &err), WF_OK);
    CHECK_EQ(f, WF_REPORT_SARIF);
    CHECK_EQ(wf_report_format_parse("yaml", &f, &err), WF_E_USAGE);
    CHECK_HAS(err.hint, "sarif");
    CHECK_EQ(wf_report_write((enum wf_report_format)17, &(struct wf_report_opts){0}, NULL, &err),
             WF_E_USAGE);
    CHECK_EQ(wf_report_wants_color("always", -1, &color, &err), WF_OK);
    CHECK(color);
    CHECK_EQ(wf_report_wants_color("auto", -1, &color, &err), WF_OK);
    CHECK(!color);
    CHECK_EQ(wf_report_wants_color("sometimes", 1, &color, &err), WF_E_USAGE);
}

// A finding inside an inlined intrinsic is about the line that calls it.
WF_TEST(user_location)
{
    static const char *const library[] = {
        "/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp",
        "/usr/local/cuda-12.4/include/cooperative_groups.h",
        "/opt/cuda/include/cub/block/block_scan.cuh",
        "/usr/lib/llvm-19/lib/clang/19/include/__clang_cuda_intrinsics.h",
        "/home/me/warpfence/include/cuda/warpfence_cuda/shuffle.h",
    };
    static const char *const own[] = {"a.cu", "/home/me/cuda-samples/include/reduce.cuh",
                                      "include/cuda/mine.cuh", "/work/targets/main.cu"};
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        CHECK(wf_loc_is_library(library[i]));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        CHECK(!wf_loc_is_library(own[i]));
    struct wf_loc ring = {library[0], 1, 1, NULL, NULL, 0};
    ring.inlined = &ring; // a damaged chain ends all the same
    CHECK(wf_loc_user(&ring) == &ring);
    CHECK(wf_loc_user(&loc_intrinsic) == &loc_read);
    CHECK(wf_loc_user(NULL) == NULL);
}

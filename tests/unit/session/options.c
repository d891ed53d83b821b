// SPDX-License-Identifier: Apache-2.0
// The option table: its rows are sound, and options survive the way through the environment.
#include "session/options.h"

#include "test.h"

static struct wf_err err;

WF_TEST(rows_are_sound)
{
    struct wf_options o;
    CHECK_EQ(wf_options_init(&o, &err), WF_OK); // defaults lie in their ranges
    for (size_t i = 0; i < wf_option_count; i++) {
        const struct wf_opt *r = &wf_option_rows[i];
        CHECK(strncmp(r->flag, "--", 2) == 0 && r->help[0] && r->section[0]);
        CHECK(r->help[strlen(r->help) - 1] == '.');
        if (!r->commands && !r->in_env)
            WF_TEST_FAIL("nothing can set %s", r->flag);
        for (size_t k = 0; k < i; k++)
            if (strcmp(r->flag, wf_option_rows[k].flag) == 0 ||
                (r->letter && r->letter == wf_option_rows[k].letter))
                WF_TEST_FAIL("%s clashes with %s", r->flag, wf_option_rows[k].flag);
    }
}

WF_TEST(through_the_environment)
{
    struct wf_options a, b;
    char *argv[] = {"--gpu",    "t4",         "--hang-ms=500", "--format", "json",
                    "--Werror", "--no-cache", "--output",      "x y.json", "prog"};
    int at = 0;
    bool dashes;
    setenv("WARPFENCE_WORKERS", "3", 1);
    CHECK_EQ(wf_options_init(&a, &err), WF_OK);
    CHECK_EQ(wf_options_parse(&a, WF_CMD_CHECK, 10, argv, &at, &dashes, &err), WF_OK);
    CHECK_EQ(at, 9);
    a.mode = WF_MODE_CHECK;
    wf_options_export(&a);
    CHECK_STR(getenv("WARPFENCE_HANG_MS"), "500");
    CHECK(getenv("WARPFENCE_COLOR") == NULL); // the default is not written
    CHECK_EQ(wf_options_init(&b, &err), WF_OK);
    CHECK_STR(b.gpu, "t4");
    CHECK_EQ(b.hang_ms, 500);
    CHECK_EQ(b.format, 1);
    CHECK_EQ(b.workers, 3);
    CHECK_EQ(b.mode, WF_MODE_CHECK);
    CHECK(b.werror && !b.cache);
    CHECK_STR(b.output, "x y.json");
    at = 0;
    CHECK_EQ(wf_options_parse(&b, WF_CMD_RUN, 1, (char *[]){"--Werror"}, &at, &dashes, &err),
             WF_E_USAGE); // check's own
}

WF_TEST(gpu_names)
{
    struct wf_options o;
    setenv("WARPFENCE_GPU", "voodoo", 1);
    CHECK_EQ(wf_options_init(&o, &err), WF_E_USAGE);
    CHECK_HAS(err.text, "voodoo");
}

WF_TEST(cache_folder)
{
    struct wf_options o;
    char buf[256];
    setenv("HOME", "/h", 1);
    unsetenv("XDG_CACHE_HOME");
    CHECK_EQ(wf_options_init(&o, &err), WF_OK);
    CHECK_STR(wf_options_cache_dir(&o, buf, sizeof buf), "/h/.cache/warpfence");
    setenv("XDG_CACHE_HOME", "/x", 1);
    CHECK_STR(wf_options_cache_dir(&o, buf, sizeof buf), "/x/warpfence");
    o.cache_dir = "/c";
    CHECK_STR(wf_options_cache_dir(&o, buf, sizeof buf), "/c");
    CHECK(wf_options_cache_dir(&o, buf, 2) == NULL);
    o.cache = false;
    CHECK(wf_options_cache_dir(&o, buf, sizeof buf) == NULL);
}

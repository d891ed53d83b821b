// SPDX-License-Identifier: Apache-2.0
// `explain`: every row of core/finding.def has its page, found by number and by slug.
#include "test.h"

#include "base/str.h"
#include "core/finding.h"
#include "report/explain.h"

static void finds(const char *what, const char *title)
{
    struct wf_str out = {0};
    struct wf_err err = {0};
    if (wf_explain_write(what, false, &out, &err) != WF_OK)
        WF_TEST_FAIL("explain %s: %s", what, err.text);
    CHECK(strncmp(wf_str_get(&out), title, strlen(title)) == 0);
    wf_str_fini(&out);
}

WF_TEST(every_kind)
{
    for (int k = 0; k < WF_F_COUNT; k++) {
        enum wf_finding_kind f = (enum wf_finding_kind)k;
        unsigned number = (unsigned)wf_finding_number(f);
        char title[200], id[16];
        snprintf(title, sizeof title, "# WF%03u %s: %s\n", number, wf_finding_slug(f),
                 wf_finding_title(f));
        finds(wf_finding_slug(f), title);
        snprintf(id, sizeof id, "WF%03u", number);
        finds(id, title);
        snprintf(id, sizeof id, "wf%u", number);
        finds(id, title);
        snprintf(id, sizeof id, "%u", number);
        finds(id, title);
    }
}

WF_TEST(unknown)
{
    static const struct {
        const char *what, *hint;
    } row[] = {
        {"race-shred", "did you mean 'race-shared'"},
        {"WF999", "lists them"},
        {"", "lists them"},
        {"wf", "lists them"},
        {"19", "lists them"},
        {"99999999999999999999", "lists them"},
        {"WF1x", "lists them"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct wf_str out = {0};
        struct wf_err err;
        CHECK_EQ(wf_explain_write(row[i].what, false, &out, &err), WF_E_USAGE);
        CHECK_HAS(err.hint, row[i].hint);
        CHECK_EQ(out.n, 0);
    }
}

WF_TEST(color_adds_only_escapes)
{
    struct wf_str plain = {0}, color = {0}, stripped = {0};
    wf_explain_write("WF001", false, &plain, NULL);
    wf_explain_write("WF001", true, &color, NULL);
    CHECK_HAS(wf_str_get(&color), "\033[1m# WF001");
    for (const char *p = wf_str_get(&color); *p; p++) {
        if (*p == '\033')
            p = strchr(p, 'm');
        else
            wf_str_addc(&stripped, *p);
    }
    CHECK_STR(wf_str_get(&stripped), wf_str_get(&plain));
    wf_str_fini(&plain);
    wf_str_fini(&color);
    wf_str_fini(&stripped);
}

WF_TEST(list)
{
    struct wf_str out = {0};
    wf_explain_list(&out);
    CHECK_HAS(wf_str_get(&out), "WF018  warp-mask              error    wrong lane mask\n");
    wf_str_fini(&out);
}

// SPDX-License-Identifier: Apache-2.0
// Every format against a recorded report (tests/report/golden). WF_UPDATE_GOLDEN=1 records anew.
// tests/report/check_formats.py checks that the recordings are valid JSON, SARIF and XML.
#include "test.h"

#include "base/file.h"
#include "base/str.h"
#include "report/sample.h"

// Pages of `explain` are cut to their title, so that an edited page changes no recording.
static void shorten_pages(struct wf_str *s)
{
    struct wf_str out = {0};
    for (const char *p = wf_str_get(s); *p;) {
        const char *nl = strchr(p, '\n');
        size_t n = nl ? (size_t)(nl - p) + 1 : strlen(p);
        const char *page = strstr(p, "\": \"# WF"), *end = strstr(p, "\\n");
        if (page && end && page < p + n && end < p + n) {
            wf_str_addn(&out, p, (size_t)(end - p));
            wf_str_add(&out, p[n - 2] == ',' ? "\",\n" : "\"\n");
        } else {
            wf_str_addn(&out, p, n);
        }
        p += n;
    }
    wf_str_fini(s);
    *s = out;
}

static void compare(const char *name, enum wf_report_format format, const struct wf_report_opts *o)
{
    char path[1024];
    struct wf_str got = {0}, again = {0};
    struct wf_err err;
    snprintf(path, sizeof path, "%s/report/golden/%s", WF_TEST_DATA, name);
    CHECK_EQ(wf_report_write(format, o, &got, &err), WF_OK);
    CHECK_EQ(wf_report_write(format, o, &again, &err), WF_OK);
    CHECK_STR(wf_str_get(&again), wf_str_get(&got));
    if (format == WF_REPORT_SARIF)
        shorten_pages(&got);
    if (getenv("WF_UPDATE_GOLDEN")) {
        CHECK_EQ(wf_file_write_atomic(path, got.at, got.n, &err), WF_OK);
    } else {
        struct wf_file want = {0};
        CHECK_EQ(wf_file_read(path, &want, &err), WF_OK);
        CHECK_STR(wf_str_get(&got), want.at);
        wf_file_fini(&want);
    }
    wf_str_fini(&got);
    wf_str_fini(&again);
}

WF_TEST(all_formats)
{
    struct wf_finding f[SAMPLE_N];
    sample_all(f);
    struct wf_report_opts o = sample_opts(f, SAMPLE_N);
    compare("report.txt", WF_REPORT_TEXT, &o);
    compare("report.json", WF_REPORT_JSON, &o);
    compare("report.sarif", WF_REPORT_SARIF, &o);
    compare("report.xml", WF_REPORT_JUNIT, &o);
}

WF_TEST(color)
{
    struct wf_finding f = sample_race();
    struct wf_report_opts o = sample_opts(&f, 1);
    o.is_color = true;
    compare("color.txt", WF_REPORT_TEXT, &o);
}

WF_TEST(nothing_found)
{
    struct wf_finding f = sample_race();
    struct wf_report_opts o = sample_opts(&f, 0);
    compare("empty.txt", WF_REPORT_TEXT, &o);
    compare("empty.json", WF_REPORT_JSON, &o);
    compare("empty.sarif", WF_REPORT_SARIF, &o);
    compare("empty.xml", WF_REPORT_JUNIT, &o);
}

// Names, values and sentences from a hostile program.
WF_TEST(hostile)
{
    static struct wf_loc evil = {"dir <&\">/\xff\xfe\x01\n'%.cu", 3, 9, "_Z\xc0\xaf", NULL, 0};
    struct wf_finding f = wf_finding_make(WF_F_TRAP, "k\033]0;x\a<![CDATA[\"\xed\xa0\x80", 1);
    struct wf_party *p = wf_finding_party(&f, WF_PARTY_ACCESS, &evil);
    strcpy(p->op, "\xe2\x80\xae evil\r");
    strcpy(p->value, "]]>\xf4\x90\x80\x80");
    strcpy(p->note, "\xef\xbf\xbf --> \x7f");
    strcpy(f.object, "a\tb\\\"");
    strcpy(f.sentence, "line one\nwarpfence: 0 errors\b");
    strcpy(f.why, "{0} [x](javascript:1)");
    struct wf_report_opts o = sample_opts(&f, 1);
    o.program = "a\"b\xff";
    o.is_incomplete = true;
    compare("hostile.txt", WF_REPORT_TEXT, &o);
    compare("hostile.json", WF_REPORT_JSON, &o);
    compare("hostile.sarif", WF_REPORT_SARIF, &o);
    compare("hostile.xml", WF_REPORT_JUNIT, &o);
}

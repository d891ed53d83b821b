// SPDX-License-Identifier: Apache-2.0
// Text buffer, JSON writer and error records.
#include <math.h> // NAN

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

WF_TEST(str_grows)
{
    struct wf_str s = {0};
    CHECK_STR(wf_str_get(&s), "");
    for (int i = 0; i < 1000; i++)
        wf_str_printf(&s, "%d,", i);
    CHECK_EQ(s.n, strlen(s.at));
    CHECK_EQ(s.n, 3890);
    wf_str_addn(&s, "", 0);
    wf_str_addc(&s, 'x');
    CHECK_EQ(s.at[s.n - 1], 'x');
    wf_str_fini(&s);
}

WF_TEST(json_nested)
{
    struct wf_str s = {0};
    struct wf_json j;
    wf_json_init(&j, &s, 0);
    wf_json_object(&j);
    wf_json_key(&j, "a");
    wf_json_array(&j);
    wf_json_i64(&j, INT64_MIN);
    wf_json_u64(&j, UINT64_MAX);
    wf_json_f64(&j, 0.1);
    wf_json_f64(&j, NAN);
    wf_json_bool(&j, true);
    wf_json_str(&j, NULL);
    wf_json_array(&j);
    wf_json_end_array(&j);
    wf_json_end_array(&j);
    wf_json_key(&j, "b");
    wf_json_object(&j);
    wf_json_end_object(&j);
    wf_json_end_object(&j);
    CHECK_STR(wf_str_get(&s),
              "{\"a\":[-9223372036854775808,18446744073709551615,0.1,null,true,null,"
              "[]],\"b\":{}}");
    wf_str_fini(&s);
}

WF_TEST(json_indented)
{
    struct wf_str s = {0};
    struct wf_json j;
    wf_json_init(&j, &s, 2);
    wf_json_object(&j);
    wf_json_key(&j, "a");
    wf_json_array(&j);
    wf_json_i64(&j, 1);
    wf_json_i64(&j, 2);
    wf_json_end_array(&j);
    wf_json_end_object(&j);
    CHECK_STR(wf_str_get(&s), "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
    wf_str_fini(&s);
}

static const char *as_json(struct wf_str *s, const char *text)
{
    struct wf_json j;
    wf_str_fini(s);
    wf_json_init(&j, s, 0);
    wf_json_str(&j, text);
    return wf_str_get(s);
}

WF_TEST(json_strings)
{
    struct wf_str s = {0};
    CHECK_STR(as_json(&s, "a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
    CHECK_STR(as_json(&s, "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80"),
              "\"\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80\"");
    CHECK_STR(as_json(&s, "\xff|\xc3"), "\"\xef\xbf\xbd|\xef\xbf\xbd\"");
    CHECK_STR(as_json(&s, "\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");                 // overlong
    CHECK_STR(as_json(&s, "\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); // surrogate
    CHECK_STR(as_json(&s, "\xf4\x90\x80\x80"),
              "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); // beyond U+10FFFF
    wf_str_fini(&s);
}

WF_TEST(err_lines)
{
    struct wf_err e;
    char buf[900];
    CHECK_EQ(wf_err_set(&e, WF_E_IO, "two\nlines %d", 1), WF_E_IO);
    CHECK_EQ(wf_err_format(&e, buf, sizeof buf), strlen("error: two lines 1"));
    CHECK_STR(buf, "error: two lines 1");
    wf_err_at(&e, WF_E_INPUT, "x.ptx", 3, 7, "bad %s", "token");
    wf_err_hint(&e, "mend it");
    wf_err_format(&e, buf, sizeof buf);
    CHECK_STR(buf, "x.ptx:3:7: error: bad token (mend it)");
    wf_err_at(&e, WF_E_INPUT, "x.ptx", 3, 0, "bad");
    wf_err_format(&e, buf, sizeof buf);
    CHECK_STR(buf, "x.ptx:3: error: bad");
    CHECK_EQ(wf_err_format(&e, buf, 8), 7); // cut off, still terminated
    CHECK_STR(buf, "x.ptx:3");
    CHECK_EQ(wf_err_set(NULL, WF_E_STATE, "nobody listens"), WF_E_STATE);
    CHECK_STR(wf_status_name(WF_E_USAGE), "usage");
}

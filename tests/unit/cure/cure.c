// SPDX-License-Identifier: Apache-2.0
// Statements of a source, edits, diffs: what a proposal is made of.
#include "cure/cure.h"
#include "cure/edit.h"
#include "cure/source.h"

#include "test.h"

static const char text[] = "__global__ void f(int *s)\n" // 1
                           "{\n"
                           "    for (int i = 0; i < 8; i++)\n" // 3
                           "        s[i] += 1; // { not a brace\n"
                           "    if (s[0])\n" // 5
                           "        s[1] = 2;\n"
                           "    else {\n" // 7
                           "        s[2] = 3;\n"
                           "    }\n" // 9
                           "    while (s[3] == 0)\n"
                           "        ;\n" // 11
                           "}\n";

static uint32_t at(const struct wf__source *s, uint32_t line)
{
    return wf__stmt_at(s, line, 0);
}

WF_TEST(statements)
{
    struct wf__source s;
    wf__source_parse(&s, text, sizeof text - 1);
    uint32_t loop = at(&s, 3), add = at(&s, 4), branch = at(&s, 5), one = at(&s, 6), two = at(&s, 8), wait = at(&s, 10);
    CHECK_EQ(s.stmt.at[loop].kind, WF__STMT_LOOP);
    CHECK_EQ(s.stmt.at[branch].kind, WF__STMT_IF);
    CHECK_EQ(s.stmt.at[wait].kind, WF__STMT_LOOP);
    CHECK_EQ(s.stmt.at[add].parent, loop);
    CHECK_EQ(wf__stmt_in_block(&s, add), loop);
    CHECK_EQ(wf__stmt_common(&s, one, two), branch);
    CHECK_EQ(wf__line_of(&s, s.stmt.at[wait].end - 1), 11);
    CHECK(wf__stmt_holds(&s, branch, two) && !wf__stmt_holds(&s, branch, wait));
    CHECK_EQ(s.stmt.at[wf__stmt_function(&s, two)].parent, WF__NO_STMT);
    wf__source_fini(&s);
}

static void edited(uint32_t line, const char *want, bool after)
{
    struct wf__source s;
    struct wf__edits e = {0};
    struct wf_cures c = {0};
    wf__source_parse(&s, text, sizeof text - 1);
    if (after)
        wf__edit_after(&e, &s, at(&s, line), "X;");
    else
        wf__edit_before(&e, &s, at(&s, line), "X;");
    wf__edits_done(&e, &s, &c);
    CHECK_EQ(c.list.n, 1);
    CHECK(strstr(c.list.at[0].text, want));
    wf_cures_fini(&c);
    wf__source_fini(&s);
}

WF_TEST(edits)
{
    edited(3, "        s[i] += 1; // { not a brace\n    X;\n    if", true);
    edited(3, "{\n    X;\n    for", false);
    edited(4, "        { X; s[i] += 1; }", false);
    edited(8, "        s[2] = 3;\n        X;\n    }", true);
}

WF_TEST(diff)
{
    static const char old[] = "a\nb\nc\nd\ne\nf\ng\nh\n", now[] = "a\nb\nc\nD\ne\nf\ng\nh\ni\n";
    struct wf_str out = {0};
    uint32_t n, *was = wf_cure_lines(old, sizeof old - 1, now, sizeof now - 1, &n);
    CHECK_EQ(n, 9);
    CHECK_EQ(was[3], 3);
    CHECK_EQ(was[4], 0);
    CHECK_EQ(was[8], 8);
    CHECK_EQ(was[9], 0);
    wf_cure_diff("x", "y", old, sizeof old - 1, now, sizeof now - 1, &out);
    CHECK_STR(out.at, "--- x\n+++ y\n@@ -1,8 +1,9 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n h\n+i\n");
    wf_str_fini(&out);
    wf_cure_diff("x", "y", old, sizeof old - 1, old, sizeof old - 1, &out);
    CHECK_EQ(out.n, 0);
    free(was);
}

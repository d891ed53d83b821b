// SPDX-License-Identifier: Apache-2.0
// Kernel arguments from words.
#include "session/args.h"

#include "test.h"

static struct wf_err err;

static const char *first(const char *word) // what the first elements look like after filling
{
    static char text[200];
    struct wf__arg a;
    if (wf__arg_parse(word, &a, &err) != WF_OK)
        return err.text;
    if (!a.is_memory) {
        a.count = 1;
        a.is_output = true;
    }
    char *mem = calloc(a.count, wf__arg_bytes(a.type));
    struct wf_str s = {0};
    if (wf__arg_fill(&a, mem, &err) != WF_OK)
        snprintf(text, sizeof text, "%s", err.text);
    else
        wf__arg_print(&a, mem, 4, &s);
    if (s.n)
        snprintf(text, sizeof text, "%s", s.at);
    wf_str_fini(&s);
    free(mem);
    return text;
}

WF_TEST(scalars)
{
    CHECK_STR(first("s8:-128"), "-128");
    CHECK_STR(first("u8:255"), "255");
    CHECK_STR(first("s32:-5"), "-5");
    CHECK_STR(first("u32:0xffffffff"), "4294967295");
    CHECK_STR(first("s64:-9223372036854775808"), "-9223372036854775808");
    CHECK_STR(first("u64:18446744073709551615"), "18446744073709551615");
    CHECK_STR(first("f32:0.1"), "0.100000001");
    CHECK_STR(first("f64:1e300"), "1.0000000000000001e+300");
    CHECK_STR(first("f32:-inf"), "-inf");
}

WF_TEST(memory)
{
    CHECK_STR(first("buf:2xf32"), "0 0");
    CHECK_STR(first("out:6xs16=iota"), "0 1 2 3 ... (2 more)");
    CHECK_STR(first("out:3xf64=iota"), "0 1 2");
    CHECK_STR(first("buf:2xs32=-7"), "-7 -7");
    char path[] = "/tmp/wf-args-XXXXXX", word[64];
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, "\1\2\3", 3) == 3);
    close(fd);
    snprintf(word, sizeof word, "buf:3xu8=@%s", path);
    CHECK_STR(first(word), "1 2 3");
    snprintf(word, sizeof word, "buf:4xu8=@%s", path);
    CHECK_HAS(first(word), "holds 3 bytes, but --arg wants 4");
    remove(path);
    CHECK_HAS(first(word), "cannot open");
}

WF_TEST(mistakes)
{
    static const char *const words[] = {"",
                                        "5",
                                        "s32",
                                        "s32:",
                                        "s32:x",
                                        "s32:1.5",
                                        "s8:128",
                                        "s8:-129",
                                        "u8:256",
                                        "u8:-1",
                                        "f32:",
                                        "f32:1x",
                                        "b32:1",
                                        "buf:",
                                        "buf:x",
                                        "buf:0xf32",
                                        "buf:5",
                                        "buf:5x",
                                        "buf:5xq",
                                        "buf:-1xu8",
                                        "out:1xu8=",
                                        "out:1xu8=256",
                                        "buf:99999999999999999999xu8",
                                        "buf:999999999999xf64",
                                        "s64:9223372036854775808",
                                        "u64:18446744073709551616"};
    struct wf__arg a;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (wf__arg_parse(words[i], &a, &err) != WF_E_USAGE)
            WF_TEST_FAIL("'%s' was taken", words[i]);
        CHECK_HAS(err.hint, "s32:-5");
    }
}

WF_TEST(shapes)
{
    struct wf_dim3 d;
    CHECK_EQ(wf__dim_parse("--grid", "4", &d, &err), WF_OK);
    CHECK_EQ(d.x * 100 + d.y * 10 + d.z, 411);
    CHECK_EQ(wf__dim_parse("--grid", "4,2,3", &d, &err), WF_OK);
    CHECK_EQ(d.x * 100 + d.y * 10 + d.z, 423);
    static const char *const bad[] = {"",        "0",   "-1",  "4,",         ",4",
                                      "4,2,1,1", "4x2", "1,0", "2147483648", "99999999999999999999",
                                      " 4",      "4, 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (wf__dim_parse("--grid", bad[i], &d, &err) != WF_E_USAGE)
            WF_TEST_FAIL("'%s' was taken", bad[i]);
    CHECK_HAS(err.text, "--grid");
}

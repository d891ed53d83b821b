// SPDX-License-Identifier: Apache-2.0
// Options: precedence, forms, ranges, mistakes and help.
#include "base/optparse.h"

#include "base/str.h"
#include "test.h"

struct fields {
    bool quick;
    int64_t limit;
    const char *out;
    int kind;
    struct wf_opt_list arg;
};

#define AT(f) offsetof(struct fields, f)
static const struct wf_opt rows[] = {
    {"--quick", 'q', true, WF_OPT_BOOL, "no", "", "Speed", "go fast", AT(quick), 1},
    {"--max-limit", 0, true, WF_OPT_INT, "10", "1..1048576", "Speed", "how many", AT(limit), 3},
    {"--output", 'o', true, WF_OPT_STRING, "", "FILE", "Output", "where to", AT(out), 3},
    {"--format", 0, true, WF_OPT_ENUM, "text", "text|json", "Output", "how", AT(kind), 3},
    {"--arg", 0, false, WF_OPT_LIST, "", "VALUE", "Output", "an argument", AT(arg), 3},
};
#define N (sizeof rows / sizeof *rows)

static struct wf_err err;

static enum wf_status parse(struct fields *f, char **argv, int *at, bool *dashes)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    *at = 0;
    enum wf_status rc = wf_opt_defaults(rows, N, f, &err);
    return rc != WF_OK ? rc : wf_opt_parse(rows, N, 1, f, argc, argv, at, dashes, &err);
}
#define PARSE(f, ...) parse(f, (char *[]){__VA_ARGS__, NULL}, &at, &dashes)

WF_TEST(defaults_and_environment)
{
    struct fields f;
    CHECK_EQ(wf_opt_defaults(rows, N, &f, &err), WF_OK);
    CHECK_EQ(f.limit, 10);
    CHECK(!f.quick);
    CHECK_STR(f.out, "");
    setenv("WARPFENCE_MAX_LIMIT", "2K", 1);
    setenv("WARPFENCE_FORMAT", "json", 1);
    setenv("WARPFENCE_QUICK", "", 1);
    setenv("WARPFENCE_ARG", "ignored", 1);
    CHECK_EQ(wf_opt_defaults(rows, N, &f, &err), WF_OK);
    CHECK_EQ(f.limit, 2048);
    CHECK_EQ(f.kind, 1);
    CHECK_EQ(f.arg.n, 0);
    setenv("WARPFENCE_MAX_LIMIT", "many", 1);
    CHECK_EQ(wf_opt_defaults(rows, N, &f, &err), WF_E_USAGE);
    CHECK_STR(err.text, "WARPFENCE_MAX_LIMIT wants a whole number, not 'many'");
}

WF_TEST(flag_beats_environment_and_last_wins)
{
    struct fields f;
    int at;
    bool dashes;
    setenv("WARPFENCE_MAX_LIMIT", "5", 1);
    CHECK_EQ(PARSE(&f, "--max-limit=7", "--max-limit", "0x10", "-q", "--arg", "-1", "--arg=", "x"),
             WF_OK);
    CHECK_EQ(f.limit, 16);
    CHECK(f.quick);
    CHECK_EQ(f.arg.n, 2);
    CHECK_STR(f.arg.at[0], "-1");
    CHECK_STR(f.arg.at[1], "");
    CHECK_EQ(at, 7);
    CHECK(!dashes);
    wf_opt_fini(rows, N, &f);
    CHECK_EQ(PARSE(&f, "--quick", "--no-quick", "-o", "file", "--", "--quick"), WF_OK);
    CHECK(!f.quick);
    CHECK(dashes);
    CHECK_EQ(at, 5);
    CHECK_STR(f.out, "file");
    CHECK_EQ(PARSE(&f, "-ofile=x", "-q"), WF_OK);
    CHECK_STR(f.out, "file=x");
    CHECK(f.quick);
    CHECK_EQ(PARSE(&f, "-qx"), WF_E_USAGE);
    CHECK_STR(err.text, "unknown option -qx");
    CHECK_EQ(PARSE(&f, "-"), WF_OK); // a lone dash is a file name
    CHECK_EQ(at, 0);
}

WF_TEST(mistakes_are_one_sentence)
{
    struct fields f;
    int at;
    bool dashes;
    CHECK_EQ(PARSE(&f, "--quik"), WF_E_USAGE);
    CHECK_STR(err.text, "unknown option --quik");
    CHECK_STR(err.hint, "did you mean --quick?");
    CHECK_EQ(PARSE(&f, "--something-else-entirely"), WF_E_USAGE);
    CHECK_STR(err.hint, "");
    CHECK_EQ(PARSE(&f, "--max-limit"), WF_E_USAGE);
    CHECK_STR(err.text, "--max-limit wants a value");
    CHECK_EQ(PARSE(&f, "--max-limit=0"), WF_E_USAGE);
    CHECK_STR(err.text, "--max-limit wants a number in 1..1048576, not 0");
    CHECK_EQ(PARSE(&f, "--max-limit=99999999999999999999"), WF_E_USAGE);
    CHECK_EQ(PARSE(&f, "--max-limit=9223372036854775807K"), WF_E_USAGE);
    CHECK_EQ(PARSE(&f, "--format=xml"), WF_E_USAGE);
    CHECK_STR(err.text, "--format wants one of text|json, not 'xml'");
    CHECK_EQ(PARSE(&f, "--format="), WF_E_USAGE);
    CHECK_EQ(PARSE(&f, "--quick=maybe"), WF_E_USAGE);
    CHECK_EQ(PARSE(&f, "--no-quick=yes"), WF_E_USAGE);
    CHECK_EQ(PARSE(&f, "--no-format"), WF_E_USAGE);
    CHECK_EQ(PARSE(&f, "-x"), WF_E_USAGE);
    char huge[5000];
    memset(huge, '-', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    CHECK_EQ(PARSE(&f, huge), WF_E_USAGE);
    bool d2;
    int a2 = 0;
    char *argv[] = {"--quick", NULL};
    CHECK_EQ(wf_opt_parse(rows, N, 2, &f, 1, argv, &a2, &d2, &err), WF_E_USAGE); // other command
}

WF_TEST(help_and_values)
{
    struct wf_str s = {0};
    wf_opt_help(rows, N, 1, &s);
    CHECK_STR(wf_str_get(&s), "\nSpeed:\n  -q, --quick\n        go fast\n  --max-limit N\n"
                              "        how many\n        (default: 10)\n\nOutput:\n"
                              "  -o, --output FILE\n        where to\n  --format text|json\n"
                              "        how\n        (default: text)\n  --arg VALUE\n"
                              "        an argument\n");
    wf_str_fini(&s);
    struct fields f;
    CHECK_EQ(wf_opt_defaults(rows, N, &f, &err), WF_OK);
    f.kind = 1;
    for (size_t i = 0; i < N; i++) {
        wf_opt_print_value(&rows[i], &f, &s);
        wf_str_addc(&s, ';');
    }
    CHECK_STR(wf_str_get(&s), "no;10;;json;;");
    wf_str_fini(&s);
    char name[64];
    wf_opt_env_name("--max-limit", name, sizeof name);
    CHECK_STR(name, "WARPFENCE_MAX_LIMIT");
}

// SPDX-License-Identifier: Apache-2.0
// Every file of tests/ptx: one with an .err beside it fails with that sentence, the others parse,
// and print as text that parses to the same tree.
#include <dirent.h> // opendir

#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"
#include "ptx/parse.h"
#include "same.h"
#include "test.h"

static void check_error(const char *path, const struct wf_err *err, const char *want)
{
    char have[1024];
    int n = snprintf(have, sizeof have, "%u:%u: error: %s%s%s%s\n", err->line, err->col, err->text,
                     err->hint[0] ? " (" : "", err->hint, err->hint[0] ? ")" : "");
    CHECK(n > 0);
    CHECK_STR(have, want);
    CHECK_STR(err->file, path);
}

static void check_round_trip(struct wf_arena *a, const struct ptx_module *m)
{
    struct wf_str first = {0}, second = {0};
    struct ptx_module *again = NULL;
    struct wf_err err = {0};
    ptx_print(m, &first);
    if (ptx_parse(a, "printed", wf_str_get(&first), first.n, &again, &err) != WF_OK) {
        WF_TEST_FAIL("%s: printed text, line %u: %s", m->name, err.line, err.text);
    } else {
        if (same_module(m, again)[0] != 0)
            WF_TEST_FAIL("%s: after printing, %s does not hold", m->name, same_module(m, again));
        ptx_print(again, &second);
        CHECK_STR(wf_str_get(&second), wf_str_get(&first));
    }
    wf_str_fini(&first);
    wf_str_fini(&second);
}

static void check_file(const char *path)
{
    struct wf_file ptx = {0}, want = {0};
    struct wf_err err = {0};
    struct wf_arena a;
    struct ptx_module *m;
    char err_path[1024];
    snprintf(err_path, sizeof err_path, "%.*s.err", (int)(strlen(path) - 4), path);
    if (wf_file_read(path, &ptx, &err) != WF_OK) {
        WF_TEST_FAIL("%s cannot be read", path);
        return;
    }
    wf_arena_init(&a, "test");
    bool fails = wf_file_exists(err_path) && wf_file_read(err_path, &want, &err) == WF_OK;
    enum wf_status status = ptx_parse(&a, path, ptx.at, ptx.n, &m, &err);
    if (fails) {
        CHECK_EQ(status, WF_E_INPUT);
        check_error(path, &err, want.at);
    } else if (status != WF_OK) {
        WF_TEST_FAIL("%s:%u:%u: %s", path, err.line, err.col, err.text);
    } else {
        check_round_trip(&a, m);
    }
    wf_arena_fini(&a);
    wf_file_fini(&ptx);
    wf_file_fini(&want);
}

WF_TEST(files)
{
    const char *dir = WF_TEST_DATA "/ptx";
    DIR *d = opendir(dir);
    unsigned n = 0;
    CHECK(d != NULL);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char path[1024];
        size_t len = strlen(e->d_name);
        if (len < 5 || strcmp(e->d_name + len - 4, ".ptx") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        check_file(path);
        n++;
    }
    if (d != NULL)
        closedir(d);
    CHECK(n > 50);
}

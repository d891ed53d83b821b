// SPDX-License-Identifier: Apache-2.0
// ptx: the PTX that would run; with --dump what the engine makes of it, shown by the PTX runner.
#include <stdio.h> // fwrite

#include "base/file.h" // wf_file_tempdir
#include "cli/cmd.h"
#include "fatbin/fatbin.h" // struct wf_fatbin
#include "front/front.h"   // wf_front_ptx

static void print_texts(const struct wf_fatbin *fat)
{
    for (size_t i = 0; i < fat->ptx.n; i++) {
        const struct wf_fatbin_ptx *p = &fat->ptx.at[i];
        if (fat->ptx.n > 1)
            printf("%s// ---- module %zu of %zu%s%s\n", i ? "\n" : "", i + 1, fat->ptx.n,
                   *p->name ? ": " : "", p->name);
        fwrite(p->text, 1, p->n, stdout);
        if (p->n && p->text[p->n - 1] != '\n')
            putchar('\n');
    }
}

// Hands every module to the PTX runner, in files of a temporary folder.
static int dump(const struct wf_options *o, const struct wf_fatbin *fat)
{
    char lib[4096], runner[4200], dir[1024];
    struct wf_err err;
    if (!wf__cli_lib_dir(o, lib, sizeof lib)) {
        wf_err_set(&err, WF_E_STATE, "the PTX runner is not beside this program");
        return wf__cli_fail(&err);
    }
    snprintf(runner, sizeof runner, "%s/wf-kernel", lib);
    wf_options_export(o);
    if (wf_file_tempdir(dir, sizeof dir, &err) != WF_OK)
        return wf__cli_fail(&err);
    int code = 0;
    for (size_t i = 0; i < fat->ptx.n && code == 0; i++) {
        char path[1100], verb[] = "dump";
        snprintf(path, sizeof path, "%s/%zu.ptx", dir, i + 1);
        char *argv[] = {runner, verb, path, NULL};
        if (wf_file_write_atomic(path, fat->ptx.at[i].text, fat->ptx.at[i].n, &err) != WF_OK ||
            wf_process_run(argv, NULL, &code, &err) != WF_OK)
            code = wf__cli_fail(&err);
    }
    wf_file_remove_tree(dir);
    return code;
}

static int show(const struct wf__cmd *cmd, struct wf_options *o, const struct wf__words *w, int at)
{
    if (at >= w->argc)
        return wf__cli_usage(cmd, "a file is missing");
    if (at + 1 < w->argc)
        return wf__cli_usage(cmd, "one file at a time, not also '%s'", w->argv[at + 1]);
    struct wf_err err;
    if (!wf_file_exists(w->argv[at])) {
        wf_err_set(&err, WF_E_USAGE, "there is no file %s", w->argv[at]);
        return wf__cli_fail(&err);
    }
    struct wf__inputs in = {0};
    struct wf_front_opts f;
    struct wf_fatbin fat;
    wf__inputs_add_source(&in, w->argv[at]);
    wf__inputs_add_compiler(&in, w);
    wf__front_opts(o, &in, &f);
    f.is_check_build = !o->opt;
    enum wf_status rc = wf_front_ptx(&f, &fat, &err);
    wf__inputs_fini(&in);
    if (rc != WF_OK)
        return wf__cli_fail(&err);
    int code = 0;
    if (o->dump)
        code = dump(o, &fat);
    else
        print_texts(&fat);
    wf_fatbin_fini(&fat);
    return code;
}

int wf__cmd_ptx(const struct wf__cmd *cmd, int argc, char **argv)
{
    struct wf_options o;
    struct wf__words w = wf__cli_split(argc, argv);
    struct wf_err err;
    bool dashes;
    int at = 0;
    if (w.argc && wf__cli_wants_help(w.argv[0]))
        return wf__cli_help(cmd);
    if (wf_options_init(&o, &err) != WF_OK ||
        wf_options_parse(&o, cmd->bit, w.argc, w.argv, &at, &dashes, &err) != WF_OK)
        return wf__cli_fail(&err);
    int code = show(cmd, &o, &w, at);
    wf_options_fini(&o);
    return code;
}

// SPDX-License-Identifier: Apache-2.0
// build: sources to an executable that runs on our runtime by itself.
#include <string.h> // strcmp

#include "cli/cmd.h"
#include "front/front.h" // wf_front_build_to

// Options and sources may stand in any order before the "--".
static int read_words(const struct wf__cmd *cmd, struct wf_options *o, struct wf__words *w,
                      struct wf__inputs *in)
{
    struct wf_err err;
    bool dashes;
    for (int at = 0; at < w->argc;) {
        if (wf__cli_wants_help(w->argv[at]))
            return wf__cli_help(cmd) - 1; // -1: nothing to do
        if (w->argv[at][0] != '-') {
            wf__inputs_add_source(in, w->argv[at++]);
            continue;
        }
        if (wf_options_parse(o, cmd->bit, w->argc, w->argv, &at, &dashes, &err) != WF_OK)
            return wf__cli_fail(&err);
        if (at < w->argc && strcmp(w->argv[at], "-") == 0)
            return wf__cli_usage(cmd, "a source cannot be read from standard input");
    }
    return 0;
}

static int build(const struct wf__cmd *cmd, struct wf_options *o, struct wf__inputs *in)
{
    struct wf_front_opts f;
    struct wf_err err;
    if (!in->n_sources)
        return wf__cli_usage(cmd, "a source is missing");
    wf__front_opts(o, in, &f);
    f.is_check_build = o->check_build && !o->opt;
    enum wf_status rc = wf_front_build_to(&f, *o->output ? o->output : "a.out", &err);
    return rc == WF_OK ? 0 : wf__cli_fail(&err);
}

int wf__cmd_build(const struct wf__cmd *cmd, int argc, char **argv)
{
    if (wf__cli_is_nvcc_line(argc, argv))
        return wf__cli_nvcc(cmd, argc, argv);
    struct wf_options o;
    struct wf__inputs in = {0};
    struct wf__words w = wf__cli_split(argc, argv);
    struct wf_err err;
    if (wf_options_init(&o, &err) != WF_OK)
        return wf__cli_fail(&err);
    int code = read_words(cmd, &o, &w, &in);
    if (code == 0) {
        wf__inputs_add_compiler(&in, &w);
        code = build(cmd, &o, &in);
    }
    wf__inputs_fini(&in);
    wf_options_fini(&o);
    return code < 0 ? 0 : code;
}

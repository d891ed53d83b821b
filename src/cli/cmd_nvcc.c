// SPDX-License-Identifier: Apache-2.0
// In the place of nvcc: by that name (toolkit/bin/nvcc), or as `warpfence build` with nvcc's options. Options of
// ours come from the environment, and stand before the first word that is none.
#include <stdio.h>  // printf
#include <string.h> // strcmp

#include "cli/cmd.h"
#include "front/front.h" // wf_front_nvcc

bool wf__cli_is_nvcc_name(const char *argv0)
{
    const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;
    return strcmp(name, "nvcc") == 0;
}

// One dash and more than our letters, or a long option that only nvcc has.
bool wf__cli_is_nvcc_line(int argc, char **argv)
{
    static const char *const long_ones[] = {"--version", "--compile",   "--device-c", "--ptx",
                                            "--fatbin",  "--cubin",     "--dryrun",   "--options-file",
                                            "--lib",     "--device-link"};
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *w = argv[i];
        bool is_ours = strcmp(w, "-o") == 0 || strcmp(w, "-v") == 0 || strcmp(w, "-h") == 0;
        if (w[0] == '-' && w[1] != '-' && w[1] && !is_ours)
            return true;
        for (size_t k = 0; k < sizeof long_ones / sizeof *long_ones; k++)
            if (strcmp(w, long_ones[k]) == 0)
                return true;
    }
    return false;
}

int wf__cli_nvcc(const struct wf__cmd *cmd, int argc, char **argv)
{
    struct wf_options o;
    struct wf__inputs none = {0};
    struct wf_front_opts f;
    struct wf_err err;
    bool dashes;
    int at = 0;
    if (wf_options_init(&o, &err) != WF_OK)
        return wf__cli_fail(&err);
    while (at < argc && strncmp(argv[at], "--", 2) == 0) {
        int next = at;
        if (wf_options_parse(&o, cmd->bit, at + 1, argv, &next, &dashes, &err) != WF_OK || next == at)
            break;
        at = next;
    }
    wf__front_opts(&o, &none, &f);
    f.is_check_build = !o.opt;
    int code = wf_front_nvcc(&f, argc - at, argv + at, &err);
    wf_options_fini(&o);
    return code < 0 ? wf__cli_fail(&err) : code;
}

int wf__cmd_toolkit(const struct wf__cmd *cmd, int argc, char **argv)
{
    char dir[4096];
    struct wf_err err;
    if (argc && wf__cli_wants_help(argv[0]))
        return wf__cli_help(cmd);
    if (argc)
        return wf__cli_usage(cmd, "unknown argument %s", argv[0]);
    if (!wf_front_toolkit(dir, sizeof dir)) {
        wf_err_set(&err, WF_E_STATE, "the folder toolkit is not beside this program");
        return wf__cli_fail(&err);
    }
    printf("%s\n", dir);
    return 0;
}

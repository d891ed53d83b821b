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

static bool ends_in(const char *word, const char *const *suffixes)
{
    const char *dot = strrchr(word, '.');
    for (; dot && *suffixes; suffixes++)
        if (strcmp(dot, *suffixes) == 0)
            return true;
    return false;
}

static bool is_nvcc_option(const char *w)
{
    static const char *const long_ones[] = {"--version", "--compile",   "--device-c", "--ptx",
                                            "--fatbin",  "--cubin",     "--dryrun",   "--options-file",
                                            "--lib",     "--device-link"};
    static const char *const ours[] = {"-o", "-v", "-h"};
    for (size_t k = 0; k < sizeof long_ones / sizeof *long_ones; k++)
        if (strcmp(w, long_ones[k]) == 0)
            return true;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        if (strcmp(w, ours[k]) == 0)
            return false;
    return w[0] == '-' && w[1] != '-' && w[1];
}

// An option that only nvcc has, or objects to link and no source.
bool wf__cli_is_nvcc_line(int argc, char **argv)
{
    static const char *const sources[] = {".cu", ".c", ".cc", ".cpp", ".cxx", ".ptx", NULL};
    static const char *const objects[] = {".o", ".a", ".so", NULL};
    bool has_source = false, has_object = false;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_nvcc_option(argv[i]))
            return true;
        if (strcmp(argv[i], "-o") == 0) {
            i++;
            continue;
        }
        has_source |= ends_in(argv[i], sources);
        has_object |= ends_in(argv[i], objects);
    }
    return has_object && !has_source;
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

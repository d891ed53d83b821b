// SPDX-License-Identifier: Apache-2.0
// lab: two experiments as tables, on the CPU, and by nvcc on a GPU where both are there. The programs are
// examples/lab; each case of the second one is a process of its own, since nothing goes on behind a deadlock.
#include <stdio.h>  // printf
#include <stdlib.h> // free
#include <string.h> // strcmp
#include <unistd.h> // access

#include "base/file.h" // wf_process_run
#include "cli/cmd.h"
#include "front/front.h" // wf_front_build

#define GPU_SECONDS "10" // a kernel that waits for ever ends with its process

static bool find_lab(char *out, size_t n)
{
    static const char *const places[] = {"../share/warpfence/lab", "../examples/lab", "../../../examples/lab"};
    char self[3072];
    for (size_t i = 0; wf_file_self_dir(self, sizeof self) && i < sizeof places / sizeof *places; i++) {
        snprintf(out, n, "%s/%s", self, places[i]);
        if (wf_file_exists(out))
            return true;
    }
    return false;
}

// The GPU's own program, or false: no GPU, no nvcc.
static bool build_for_gpu(const char *source, char *exe, size_t n)
{
    struct wf_front_tool nvcc;
    char dir[4096];
    int code;
    struct wf_err err;
    if (access("/dev/nvidiactl", F_OK) != 0 || !wf_front_find(WF_FRONT_CC_NVCC, &nvcc) ||
        wf_file_tempdir(dir, sizeof dir, &err) != WF_OK)
        return false;
    snprintf(exe, n, "%s/lab", dir);
    char *argv[] = {nvcc.path, "-O2", "-std=c++17", "-arch=native", "-o", exe, (char *)source, NULL};
    return wf_process_run(argv, NULL, &code, &err) == WF_OK && code == 0;
}

static enum wf_status build_here(const struct wf_options *o, const char *source, bool is_check, char *exe, size_t n,
                                 struct wf_err *err)
{
    struct wf__inputs in = {0};
    struct wf_front_opts f;
    wf__inputs_add_source(&in, source);
    wf__front_opts(o, &in, &f);
    f.is_check_build = is_check;
    enum wf_status rc = wf_front_build(&f, exe, n, err);
    wf__inputs_fini(&in);
    return rc;
}

static int reduce(const struct wf_options *o, const char *source)
{
    char exe[4096], self[3072], tool[4096];
    struct wf_err err;
    int code = 0;
    if (build_here(o, source, false, exe, sizeof exe, &err) != WF_OK || !wf_file_self_dir(self, sizeof self))
        return wf__cli_fail(&err);
    snprintf(tool, sizeof tool, "%s/warpfence", self);
    puts("on the CPU, by Warpfence:");
    fflush(stdout);
    char *argv[] = {tool, "run", exe, NULL};
    if (wf_process_run(argv, NULL, &code, &err) != WF_OK)
        return wf__cli_fail(&err);
    char gpu[4200];
    if (code == 0 && build_for_gpu(source, gpu, sizeof gpu)) {
        puts("\non the GPU:");
        fflush(stdout);
        char *native[] = {gpu, NULL};
        wf_process_run(native, NULL, &code, &err);
    } else if (code == 0) {
        puts("\n(no GPU with nvcc here: the table of the CPU alone)");
    }
    return code;
}

// "x.cu:16:13: error[WF010 barrier-divergence]: ..." -> the slug; "" when there is none.
static void first_slug(const char *text, char *out, size_t n)
{
    const char *p = strstr(text, " error[WF");
    p = p ? strchr(p + 9, ' ') : NULL;
    snprintf(out, n, "%.*s", p ? (int)strcspn(p + 1, "]") : 0, p ? p + 1 : "");
}

static void check_case(char *tool, char *exe, char *name, bool is_mended, char *out, size_t n)
{
    struct wf_str text = {0};
    struct wf_err err;
    int code = 0;
    char *argv[] = {tool, "check", "--color=never", exe, name, is_mended ? "mended" : NULL, NULL};
    if (wf_process_run(argv, &text, &code, &err) != WF_OK)
        snprintf(out, n, "%s", err.text);
    else if (code == 66)
        first_slug(wf_str_get(&text), out, n);
    else
        snprintf(out, n, code == 0 ? "no finding" : "ended with %d", code);
    wf_str_fini(&text);
}

static void gpu_case(char *exe, char *name, char *out, size_t n)
{
    struct wf_str text = {0};
    int code = 0;
    char *argv[] = {"timeout", "-s", "KILL", GPU_SECONDS, exe, name, NULL};
    if (wf_process_run(argv, &text, &code, NULL) != WF_OK || code == 137)
        snprintf(out, n, "hangs");
    else
        snprintf(out, n, "%.*s", (int)strcspn(wf_str_get(&text), "\n"), wf_str_get(&text));
    wf_str_fini(&text);
}

static int deadlock(const struct wf_options *o, const char *source)
{
    char exe[4096], gpu[4200], self[3072], tool[4096];
    struct wf_err err;
    struct wf_str names = {0};
    int code = 0;
    if (build_here(o, source, true, exe, sizeof exe, &err) != WF_OK || !wf_file_self_dir(self, sizeof self))
        return wf__cli_fail(&err);
    snprintf(tool, sizeof tool, "%s/warpfence", self);
    bool has_gpu = build_for_gpu(source, gpu, sizeof gpu);
    char *list[] = {tool, "run", exe, NULL};
    if (wf_process_run(list, &names, &code, &err) != WF_OK || code != 0)
        return wf__cli_fail(&err);
    printf("%-14s %-22s %-12s %s\n", "kernel", "check says", "mended", has_gpu ? "on the GPU" : "");
    char *rest = NULL;
    for (char *name = strtok_r(names.at, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
        char bug[64], mended[64], there[96] = "";
        check_case(tool, exe, name, false, bug, sizeof bug);
        check_case(tool, exe, name, true, mended, sizeof mended);
        if (has_gpu)
            gpu_case(gpu, name, there, sizeof there);
        printf("%-14s %-22s %-12s %s\n", name, bug, mended, there);
        fflush(stdout);
    }
    if (!has_gpu)
        puts("(no GPU with nvcc here)");
    wf_str_fini(&names);
    return 0;
}

int wf__cmd_lab(const struct wf__cmd *cmd, int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*fn)(const struct wf_options *, const char *);
    } experiments[] = {{"reduce", reduce}, {"deadlock", deadlock}};
    struct wf_options o;
    struct wf_err err;
    bool dashes;
    int at = 0;
    char dir[4096], source[4200];
    if (argc && wf__cli_wants_help(argv[0]))
        return wf__cli_help(cmd);
    if (wf_options_init(&o, &err) != WF_OK ||
        wf_options_parse(&o, cmd->bit, argc, argv, &at, &dashes, &err) != WF_OK)
        return wf__cli_fail(&err);
    for (size_t i = 0; at + 1 == argc && i < sizeof experiments / sizeof *experiments; i++) {
        if (strcmp(argv[at], experiments[i].name) != 0)
            continue;
        if (!find_lab(dir, sizeof dir)) {
            wf_err_set(&err, WF_E_STATE, "the folder lab is not beside this program");
            return wf__cli_fail(&err);
        }
        snprintf(source, sizeof source, "%s/%s.cu", dir, experiments[i].name);
        int code = experiments[i].fn(&o, source);
        wf_options_fini(&o);
        return code;
    }
    return wf__cli_usage(cmd, "the experiment is reduce or deadlock");
}

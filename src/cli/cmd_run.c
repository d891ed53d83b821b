// SPDX-License-Identifier: Apache-2.0
// run and check: make an executable of what was named, set the environment up so that it finds our
// runtime library and the options, and become it. check differs in the mode only: findings, report
// and exit code are the session's, inside the program; unless it is to run several times (runs.h).
#include <errno.h>  // errno
#include <stdio.h>  // snprintf
#include <stdlib.h> // setenv
#include <string.h> // strerror

#include "base/arena.h" // wf_xcalloc
#include "base/file.h"  // wf_file_exists
#include "cli/advice.h"    // wf__run_advice
#include "cli/become.h"    // wf__cli_become
#include "cli/cmd.h"
#include "cli/fix.h"       // wf__run_fix
#include "cli/runs.h"      // wf__run_schedules
#include "fatbin/fatbin.h" // wf_fatbin_probe
#include "front/front.h"   // wf_front_build

struct job {
    const struct wf__cmd *cmd;
    struct wf_options o;
    struct wf__words words;
    int at; // of the program in words.argv
    const char *program;
    char lib_dir[4096], exe[4096];
    char *paths[3];  // heap: what the options name, absolute
    char **to, *arg; // heap: the program's argv, and its word that is a copy
};

static void prepend(const char *name, const char *entry)
{
    const char *old = getenv(name);
    char buf[16384];
    snprintf(buf, sizeof buf, "%s%s%s", entry, old && *old ? ":" : "", old ? old : "");
    setenv(name, buf, 1);
}

// A file of lib_dir. The list cannot hold blanks or colons.
static void preload_file(const struct job *j, const char *name)
{
    char file[4200];
    snprintf(file, sizeof file, "%s/%s", j->lib_dir, name);
    if (!strpbrk(file, " :"))
        prepend("LD_PRELOAD", file);
}

// `preload` is a file of lib_dir, or NULL.
static void set_environment(struct job *j, const char *preload)
{
    j->o.output = j->paths[0] = wf__cli_absolute(j->o.output);
    j->o.cache_dir = j->paths[1] = wf__cli_absolute(j->o.cache_dir);
    j->o.suppressions = j->paths[2] = wf__cli_absolute(j->o.suppressions);
    j->o.program = j->program;
    j->o.mode = j->cmd->bit == WF_CMD_CHECK ? WF_MODE_CHECK : WF_MODE_RUN;
    wf_options_export(&j->o); // several runs read them again
    prepend("LD_LIBRARY_PATH", j->lib_dir);
    if (j->o.mode == WF_MODE_CHECK)
        preload_file(j, "libwarpfence-threads.so");
    // A run path inside the program comes before LD_LIBRARY_PATH; a preloaded library of the same
    // name comes before both.
    if (preload)
        preload_file(j, preload);
}

// Another text of the program, built like it.
static enum wf_status build_changed(void *arg, const char *source, char *exe, size_t n, struct wf_err *err)
{
    const struct job *j = arg;
    struct wf__inputs in = {0};
    struct wf_front_opts f;
    char include[4200], *dir = wf__cli_absolute(j->program), *slash = strrchr(dir, '/');
    snprintf(include, sizeof include, "-I%.*s", (int)(slash ? slash - dir : 0), dir);
    wf__inputs_add_source(&in, source);
    wf__inputs_add_compiler(&in, &j->words);
    wf__inputs_add_arg(&in, include); // what stands beside the original
    wf__front_opts(&j->o, &in, &f);
    f.is_check_build = !j->o.opt;
    enum wf_status rc = wf_front_build(&f, exe, n, err);
    wf__inputs_fini(&in);
    free(dir);
    return rc;
}

static int fix(const struct job *j, const char *path, char **argv)
{
    if (wf_front_kind(j->program) != WF_FRONT_SOURCE)
        return wf__cli_usage(j->cmd, "--fix changes a source and builds it again: name one, not %s", j->program);
    struct wf__fix_job f = {.source = j->program, .exe = path, .argv = argv, .build = build_changed, .arg = (void *)j};
    return wf__run_fix(&j->o, &f);
}

// Becomes the program; comes back on failure only, or when it was run several times.
static int become(const struct job *j, const char *path, char **argv)
{
    if (j->o.mode == WF_MODE_CHECK && j->o.fix)
        return fix(j, path, argv);
    if (j->o.mode == WF_MODE_CHECK && j->o.more_advice)
        return wf__run_advice(&j->o, path, argv);
    if (j->o.mode == WF_MODE_CHECK && j->o.schedules > 1)
        return wf__run_schedules(&j->o, path, argv);
    fflush(NULL);
    wf__cli_become(path, argv);
    struct wf_err err;
    wf_err_set(&err, WF_E_IO, "cannot run %s: %s", path, strerror(errno));
    return wf__cli_fail(&err);
}

static char **program_argv(struct job *j, const char *argv0)
{
    int n = j->words.argc - j->at - 1;
    char **argv = j->to = wf_xcalloc((size_t)n + 2, sizeof *argv);
    argv[0] = j->arg = wf_xstrdup(argv0);
    for (int i = 0; i < n; i++)
        argv[1 + i] = j->words.argv[j->at + 1 + i];
    return argv;
}

// A kernel has no arguments of its own in argv, so options may follow the file's name too.
static int run_ptx(struct job *j, int argc, char **argv)
{
    struct wf_err err;
    bool dashes;
    int at = j->at + 1;
    enum wf_status rc =
        wf_options_parse(&j->o, j->cmd->bit, j->words.argc, j->words.argv, &at, &dashes, &err);
    if (rc != WF_OK)
        return wf__cli_fail(&err);
    if (at < j->words.argc || j->words.n_compiler)
        return wf__cli_usage(j->cmd, "a kernel takes its arguments by --arg, not as '%s'",
                             at < j->words.argc ? j->words.argv[at] : j->words.compiler[0]);
    char path[4200];
    snprintf(path, sizeof path, "%s/wf-kernel", j->lib_dir);
    set_environment(j, NULL);
    char **to = j->to = wf_xcalloc((size_t)argc + 3, sizeof *to);
    to[0] = path;
    to[1] = j->arg = wf_xstrdup("run");
    for (int i = 0; i < argc;
         i++) // flags that no environment variable carries are read again there
        to[2 + i] = argv[i];
    return become(j, path, to);
}

static int run_source(struct job *j)
{
    struct wf__inputs in = {0};
    struct wf_front_opts f;
    struct wf_err err;
    wf__inputs_add_source(&in, j->program);
    wf__inputs_add_compiler(&in, &j->words);
    wf__front_opts(&j->o, &in, &f);
    f.is_check_build = j->cmd->bit == WF_CMD_CHECK && !j->o.opt;
    enum wf_status rc = wf_front_build(&f, j->exe, sizeof j->exe, &err);
    wf__inputs_fini(&in);
    if (rc != WF_OK)
        return wf__cli_fail(&err);
    set_environment(j, NULL);
    return become(j, j->exe, program_argv(j, j->exe));
}

static enum wf_status check_program(const struct job *j, const struct wf_fatbin_file *f,
                                    struct wf_err *err)
{
    char lib[4200];
    if (f->has_static_cudart) {
        wf_err_set(err, WF_E_UNSUPPORTED, "%s contains NVIDIA's runtime library, linked statically",
                   j->program);
        wf_err_hint(err, "link it with nvcc -cudart shared, or build it with warpfence build");
        return WF_E_UNSUPPORTED;
    }
    snprintf(lib, sizeof lib, "%s/libcudart.so.%u", j->lib_dir, f->cudart_major);
    if (f->needs_cudart && !wf_file_exists(lib))
        return wf_err_set(err, WF_E_UNSUPPORTED,
                          "%s was built for CUDA runtime %u, and only 12 and 13 are there",
                          j->program, f->cudart_major);
    return WF_OK;
}

static int run_executable(struct job *j)
{
    struct wf_fatbin_file f = {0};
    struct wf_err err;
    enum wf_status rc = wf_fatbin_probe(j->exe, &f, &err);
    if (rc == WF_OK)
        rc = check_program(j, &f, &err);
    if (rc != WF_OK)
        return wf__cli_fail(&err);
    if (j->words.n_compiler)
        return wf__cli_usage(j->cmd, "compiler options are given, but %s is built already",
                             j->program);
    if (j->cmd->bit == WF_CMD_CHECK && !f.needs_cudart && !f.needs_libcuda)
        fprintf(stderr,
                "warpfence: note: %s itself uses no CUDA library; what it loads later is checked\n",
                j->program);
    char cudart[32];
    snprintf(cudart, sizeof cudart, "libcudart.so.%u", f.cudart_major);
    set_environment(j, f.needs_cudart ? cudart : f.needs_libcuda ? "libcuda.so.1" : NULL);
    return become(j, j->exe, program_argv(j, j->program));
}

static int missing(const struct job *j)
{
    struct wf_err err;
    if (!wf_file_exists(j->program))
        wf_err_set(&err, WF_E_USAGE, "there is no file %s", j->program);
    else
        wf_err_set(&err, WF_E_USAGE, "%s is no CUDA source, executable or PTX file", j->program);
    return wf__cli_fail(&err);
}

static int dispatch(struct job *j, int argc, char **argv)
{
    switch (wf_front_kind(j->program)) {
    case WF_FRONT_SOURCE:
        return wf_file_exists(j->program) ? run_source(j) : missing(j);
    case WF_FRONT_PTX:
        return wf_file_exists(j->program) ? run_ptx(j, argc, argv) : missing(j);
    case WF_FRONT_OBJECT:
        return wf__cli_usage(j->cmd, "%s is an object file: name a source first, objects behind --",
                             j->program);
    case WF_FRONT_FATBIN:
        return wf__cli_usage(j->cmd, "%s is a fat binary without a program around it", j->program);
    case WF_FRONT_EXE:
    case WF_FRONT_UNKNOWN: // scripts, and programs found on PATH
        break;
    }
    if (wf_file_exists(j->program) && !strchr(j->program, '/'))
        snprintf(j->exe, sizeof j->exe, "./%s", j->program);
    else
        snprintf(j->exe, sizeof j->exe, "%s", j->program);
    char found[4096];
    if (!wf_file_which(j->exe, found, sizeof found))
        return missing(j);
    snprintf(j->exe, sizeof j->exe, "%s", found);
    return run_executable(j);
}

static int run_or_check(const struct wf__cmd *cmd, int argc, char **argv)
{
    struct job j = {.cmd = cmd, .words = wf__cli_split(argc, argv)};
    struct wf_err err;
    bool dashes;
    if (wf_options_init(&j.o, &err) != WF_OK)
        return wf__cli_fail(&err);
    if (j.words.argc && wf__cli_wants_help(j.words.argv[0]))
        return wf__cli_help(cmd);
    if (wf_options_parse(&j.o, cmd->bit, j.words.argc, j.words.argv, &j.at, &dashes, &err) != WF_OK)
        return wf__cli_fail(&err);
    if (j.at >= j.words.argc)
        return wf__cli_usage(cmd, "a program is missing");
    if (!wf__cli_lib_dir(&j.o, j.lib_dir, sizeof j.lib_dir)) {
        wf_err_set(&err, WF_E_STATE, "libcudart.so.13 is not beside this program");
        wf_err_hint(&err, "build or install Warpfence as a whole; warpfence doctor tells more");
        return wf__cli_fail(&err);
    }
    j.program = j.words.argv[j.at];
    int code = dispatch(&j, argc, argv);
    for (int i = 0; i < 3; i++)
        free(j.paths[i]);
    free(j.arg);
    free(j.to);
    wf_options_fini(&j.o);
    return code;
}

int wf__cmd_run(const struct wf__cmd *cmd, int argc, char **argv)
{
    return run_or_check(cmd, argc, argv);
}

int wf__cmd_check(const struct wf__cmd *cmd, int argc, char **argv)
{
    return run_or_check(cmd, argc, argv);
}

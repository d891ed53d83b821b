// SPDX-License-Identifier: Apache-2.0
// doctor: what is installed, what is missing, how to get it. Exit code 0 when programs can be run.
#include <stdio.h>  // printf
#include <stdlib.h> // free
#include <string.h> // strstr
#include <unistd.h> // sysconf

#include "base/file.h" // wf_file_read
#include "base/os.h"   // wf_os_cpus
#include "cli/cmd.h"
#include "front/front.h" // wf_front_find

static void row(const char *what, bool is_there, const char *detail)
{
    printf("%-7s %-22s %s\n", is_there ? "ok" : "missing", what, detail);
}

static bool show_compiler(const char *what, enum wf_front_cc cc)
{
    struct wf_front_tool t;
    bool found = wf_front_find(cc, &t);
    char detail[700];
    if (found)
        snprintf(detail, sizeof detail, "%s (%s)", t.path, t.version);
    else
        snprintf(detail, sizeof detail, "%s", t.hint);
    row(what, found, detail);
    return found;
}

static bool show_libraries(const struct wf_options *o)
{
    static const char *const names[] = {"libcudart.so.13", "libcudart.so.12", "wf-kernel"};
    char dir[4096], file[4200];
    if (!wf__cli_lib_dir(o, dir, sizeof dir)) {
        row("runtime library", false,
            "libcudart.so.13 is not beside this program: build or install all");
        return false;
    }
    bool all = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/%s", dir, names[i]);
        bool is_there = wf_file_exists(file);
        row(names[i], is_there, file);
        all &= is_there;
    }
    return all;
}

static void show_machine(void)
{
    struct wf_file f;
    char detail[160];
    const char *simd = "SSE2 only: slow";
    if (wf_file_read("/proc/cpuinfo", &f, NULL) == WF_OK) {
        if (strstr(f.at, " avx512f"))
            simd = "AVX-512";
        else if (strstr(f.at, " avx2"))
            simd = "AVX2";
        wf_file_fini(&f);
    }
    double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30);
    snprintf(detail, sizeof detail, "%u processors, %s, %.1f GiB of memory", wf_os_cpus(), simd,
             gib);
    row("machine", true, detail);
}

static void show_cache(const struct wf_options *o)
{
    char dir[4096];
    struct wf_err err;
    const char *cache = wf_options_cache_dir(o, dir, sizeof dir);
    if (!cache)
        row("cache", false, "switched off, or neither HOME nor XDG_CACHE_HOME is set");
    else if (wf_file_mkdirs(cache, &err) != WF_OK || access(cache, W_OK) != 0)
        row("cache", false, "the folder cannot be written: choose one with WARPFENCE_CACHE_DIR");
    else
        row("cache", true, cache);
}

int wf__cmd_doctor(const struct wf__cmd *cmd, int argc, char **argv)
{
    struct wf_options o;
    struct wf_err err;
    if (argc && wf__cli_wants_help(argv[0]))
        return wf__cli_help(cmd);
    if (argc)
        return wf__cli_usage(cmd, "doctor takes no arguments");
    if (wf_options_init(&o, &err) != WF_OK)
        return wf__cli_fail(&err);
    printf("warpfence %s, modelled GPU %s\n", WF_VERSION, o.gpu);
    bool libraries = show_libraries(&o);
    bool nvcc = show_compiler("nvcc (optional)", WF_FRONT_CC_NVCC);
    bool clang = show_compiler("clang", WF_FRONT_CC_CLANG);
    show_machine();
    show_cache(&o);
    wf_options_fini(&o);
    if (!libraries || !(nvcc || clang)) {
        puts("\nPrograms cannot be run yet: see what is missing above.");
        return WF_EXIT_TOOL;
    }
    return 0;
}

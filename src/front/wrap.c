// SPDX-License-Identifier: Apache-2.0
// In the place of nvcc in a build: the real nvcc with the few words that make its output run here, or clang.
// Also what a build system asks before it builds.
#define _GNU_SOURCE // realpath
#include <stdio.h>  // fprintf
#include <stdlib.h> // getenv
#include <string.h> // strncmp
#include <unistd.h> // access

#include "base/file.h"
#include "front/line.h"

// nvcc on PATH that is not this program under that name; $WARPFENCE_NVCC names one by its path.
bool wf__find_nvcc(char *out, size_t n)
{
    char self[PATH_MAX], real[PATH_MAX], file[2 * PATH_MAX];
    const char *named = getenv("WARPFENCE_NVCC"), *path = getenv("PATH");
    if (named && *named) {
        snprintf(out, n, "%s", named);
        return wf_file_exists(named);
    }
    if (!realpath("/proc/self/exe", self))
        self[0] = '\0';
    for (const char *p = path ? path : ""; *p;) {
        size_t len = strcspn(p, ":");
        snprintf(file, sizeof file, "%.*s/nvcc", (int)len, p);
        p += len + (p[len] == ':');
        if (len && access(file, X_OK) == 0 && realpath(file, real) && strcmp(real, self) != 0) {
            snprintf(out, n, "%s", file);
            return true;
        }
    }
    return false;
}

void wf__say_version(void)
{
    printf("warpfence " WF_VERSION ", with the command line of\n"
           "nvcc: NVIDIA (R) Cuda compiler driver\n"
           "Cuda compilation tools, release 13.0, V13.0.0\n");
}

// nvcc lists its settings and commands; CMake reads places of headers and libraries, the linker and the
// architecture from there.
void wf__say_places(const struct wf__wrap *w, const struct wf__line *l)
{
    const char *dir = w->toolkit, *path = getenv("PATH");
    const char *output = l->output ? l->output : "a.out";
    fprintf(stderr, "#$ TOP=%s\n#$ PATH=%s\n", dir, path ? path : "");
    fprintf(stderr, "#$ INCLUDES=\"-I%s/include\"\n", dir);
    fprintf(stderr, "#$ LIBRARIES=\"-L%s/lib64\" \"-L%s/lib64/devrt\"\n", dir, dir);
    if (!l->inputs.n || l->phase == WF__PHASE_ASK)
        return;
    fprintf(stderr, "#$ clang -arch compute_%u\n", w->o->sm);
    if (l->phase == WF__PHASE_LINK)
        fprintf(stderr, "#$ g++ \"a.o\" \"-L%s/lib64\" \"-L%s/lib64/devrt\" -lcudadevrt -lcudart -o \"%s\"\n",
                dir, dir, output);
}

// Our headers are clang's: NVIDIA's compiler has its own.
static bool is_our_include(const struct wf__wrap *w, const char *arg)
{
    size_t n = strlen(w->toolkit);
    const char *dir = strncmp(arg, "-I", 2) == 0         ? arg + 2
                      : strncmp(arg, "-isystem=", 9) == 0 ? arg + 9
                                                          : "";
    return strncmp(dir, w->toolkit, n) == 0 && strcmp(dir + n, "/include") == 0;
}

static bool runtime_is_12(void)
{
    struct wf_front_tool about;
    return wf_front_find(WF_FRONT_CC_NVCC, &about) && strstr(about.version, "release 12.");
}

static void add_link(const struct wf__wrap *w, struct wf__line *l, struct wf__argv *v)
{
    const char *words[] = {"-cudart", "shared", wf_arena_printf(&l->arena, "-L%s/lib64%s", w->toolkit, runtime_is_12() ? "/cuda12" : ""), "-Xlinker",
                           // The old tag: LD_LIBRARY_PATH must not bring NVIDIA's runtime back.
                           "--disable-new-dtags", "-Xlinker", "-rpath", "-Xlinker", w->lib_dir};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wf__argv_add(v, words[i]);
}

static void add_arch(const struct wf__wrap *w, struct wf__line *l, struct wf__argv *v)
{
    char suffix[2] = {l->arch_suffix, '\0'};
    uint32_t arch = l->arch ? l->arch : w->o->sm;
    // With this spelling PTX is kept beside the machine code.
    wf__argv_add(v, wf_arena_printf(&l->arena, "-arch=%s_%u%s", l->phase == WF__PHASE_PTX ? "compute" : "sm", arch,
                                    suffix));
}

int wf__wrap_nvcc(const struct wf__wrap *w, struct wf__line *l, const char *nvcc, struct wf_err *err)
{
    struct wf__argv v = {0};
    bool compiles = l->phase == WF__PHASE_LINK || l->phase == WF__PHASE_COMPILE || l->phase == WF__PHASE_PTX ||
                    l->phase == WF__PHASE_FATBIN;
    wf__argv_add(&v, nvcc);
    if (l->phase != WF__PHASE_ASK && l->phase != WF__PHASE_ARCHIVE)
        add_arch(w, l, &v);
    if (l->phase == WF__PHASE_LINK)
        add_link(w, l, &v);
    if (compiles && !l->has_lineinfo && !l->has_debug)
        wf__argv_add(&v, "-lineinfo");
    if (compiles && w->o->is_check_build && !l->has_debug) { // cicc keeps every access where the source has it
        wf__argv_add(&v, "-Xcicc");
        wf__argv_add(&v, "-O0");
    }
    for (size_t i = 0; i < l->all.n; i++)
        if (!is_our_include(w, l->all.at[i]))
            wf__argv_add(&v, l->all.at[i]);
    for (size_t i = 0; w->o->verbose && i < v.n; i++)
        fprintf(stderr, "%s%s", v.at[i], i + 1 < v.n ? " " : "\n");
    WF_PUSH(&v, NULL);
    fflush(NULL);
    int code = -1;
    if (wf_process_run((char *const *)(void *)v.at, NULL, &code, err) != WF_OK)
        code = -1;
    WF_VEC_FINI(&v);
    return code;
}

int wf_front_nvcc(const struct wf_front_opts *o, int argc, char **argv, struct wf_err *err)
{
    static const char *const lib_tails[] = {"lib", "lib/warpfence", ".", NULL};
    struct wf__wrap w = {.o = o};
    struct wf__line l;
    char nvcc[PATH_MAX];
    if (!wf_front_toolkit(w.toolkit, sizeof w.toolkit))
        return wf_err_set(err, WF_E_STATE, "the folder toolkit is not beside this program"), -1;
    if (wf__find_dir(o->lib_dir, "WARPFENCE_LIB_DIR", lib_tails, "libcudart.so.13", w.lib_dir, err) != WF_OK ||
        wf__line_read(&l, o->sm, argc, argv, err) != WF_OK)
        return -1;
    int code;
    if (o->cc != WF_FRONT_CC_CLANG && wf__find_nvcc(nvcc, sizeof nvcc))
        code = wf__wrap_nvcc(&w, &l, nvcc, err);
    else if (o->cc == WF_FRONT_CC_NVCC)
        code = (wf_err_set(err, WF_E_IO, "no CUDA compiler: nvcc was not found on PATH"), -1);
    else
        code = wf__wrap_clang(&w, &l, err);
    wf__line_fini(&l);
    return code;
}

bool wf_front_toolkit(char *out, size_t n)
{
    static const char *const tails[] = {"toolkit", "lib/warpfence/toolkit", NULL};
    return wf__find_beside(tails, "lib64/libcudart.so", out, n);
}

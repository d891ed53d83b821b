// SPDX-License-Identifier: Apache-2.0
// Options that mean something here, one row each with nvcc's spellings; all others are for the compilers.
#include <ctype.h>  // isspace
#include <stdio.h>  // snprintf
#include <stdlib.h> // strtoul
#include <string.h> // strcmp

#include "base/file.h"
#include "front/line.h"

enum what {
    PHASE,       // of `phase`
    OUTPUT,      // -o
    DEPS,        // -MD
    DEP_FILE,    // -MF
    DEP_TARGET,  // -MT
    ARCH,        // chooses architectures: ours to choose
    RUNTIME,     // -cudart: ours to choose
    LTO,         // needs NVIDIA's linker
    RDC,         // -rdc=true
    DRYRUN,      //
    VERBOSE,     // -v
    LINEINFO,    //
    DEBUG,       // -G
    NVCC_ONLY,   // clang has no use for it
    ISYSTEM,     // -isystem=dir
    OPTIONS_FILE // words from a file
};
static const struct row {
    const char *name, *other; // other: long spelling, or NULL
    enum what what;
    enum wf__phase phase;
    bool has_value;
} rows[] = {
    {"-c", "--compile", PHASE, WF__PHASE_COMPILE, false},
    {"-dc", "--device-c", PHASE, WF__PHASE_COMPILE, false},
    {"-dw", "--device-w", PHASE, WF__PHASE_COMPILE, false},
    {"-dlink", "--device-link", PHASE, WF__PHASE_DEVICE_LINK, false},
    {"-ptx", "--ptx", PHASE, WF__PHASE_PTX, false},
    {"-fatbin", "--fatbin", PHASE, WF__PHASE_FATBIN, false},
    {"-cubin", "--cubin", PHASE, WF__PHASE_FATBIN, false},
    {"-E", "--preprocess", PHASE, WF__PHASE_PREPROCESS, false},
    {"-M", "--generate-dependencies", PHASE, WF__PHASE_DEPENDS, false},
    {"-MM", "--generate-nonsystem-dependencies", PHASE, WF__PHASE_DEPENDS, false},
    {"-lib", "--lib", PHASE, WF__PHASE_ARCHIVE, false},
    {"-link", "--link", PHASE, WF__PHASE_LINK, false},
    {"-V", "--version", PHASE, WF__PHASE_ASK, false},
    {"-h", "--help", PHASE, WF__PHASE_ASK, false},
    {"-arch-ls", "--list-gpu-arch", PHASE, WF__PHASE_ASK, false},
    {"-code-ls", "--list-gpu-code", PHASE, WF__PHASE_ASK, false},
    {"-o", "--output-file", OUTPUT, 0, true},
    {"-MD", "--generate-dependencies-with-compile", DEPS, 0, false},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", DEPS, 0, false},
    {"-MF", "--dependency-output", DEP_FILE, 0, true},
    {"-MT", "--dependency-target-name", DEP_TARGET, 0, true},
    {"-MQ", NULL, DEP_TARGET, 0, true},
    {"-MP", "--generate-dependency-targets", NVCC_ONLY, 0, false},
    {"-arch", "--gpu-architecture", ARCH, 0, true},
    {"-code", "--gpu-code", ARCH, 0, true},
    {"-gencode", "--generate-code", ARCH, 0, true},
    {"-cudart", "--cudart", RUNTIME, 0, true},
    {"-dlto", "--dlink-time-opt", LTO, 0, false},
    {"-rdc", "--relocatable-device-code", RDC, 0, true},
    {"-dryrun", "--dryrun", DRYRUN, 0, false},
    {"-v", "--verbose", VERBOSE, 0, false},
    {"-lineinfo", "--generate-line-info", LINEINFO, 0, false},
    {"-G", "--device-debug", DEBUG, 0, false},
    {"-isystem", "--system-include", ISYSTEM, 0, true},
    {"-optf", "--options-file", OPTIONS_FILE, 0, true},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", NVCC_ONLY, 0, false},
    {"-forward-unknown-opts", "--forward-unknown-opts", NVCC_ONLY, 0, false},
    {"-keep", "--keep", NVCC_ONLY, 0, false},
    {"-keep-dir", "--keep-dir", NVCC_ONLY, 0, true},
    {"-t", "--threads", NVCC_ONLY, 0, true},
    {"-split-compile", "--split-compile", NVCC_ONLY, 0, true},
    {"-Wno-deprecated-gpu-targets", NULL, NVCC_ONLY, 0, false},
    {"-ftz", "--ftz", NVCC_ONLY, 0, true},
    {"-prec-div", "--prec-div", NVCC_ONLY, 0, true},
    {"-prec-sqrt", "--prec-sqrt", NVCC_ONLY, 0, true},
    {"-fmad", "--fmad", NVCC_ONLY, 0, true},
    {"-Werror", "--Werror", NVCC_ONLY, 0, true},
    {"-diag-error", "--diag-error", NVCC_ONLY, 0, true},
    {"-diag-warn", "--diag-warn", NVCC_ONLY, 0, true},
    {"-cudadevrt", "--cudadevrt", NVCC_ONLY, 0, true},
    {"-ldir", "--libdevice-directory", NVCC_ONLY, 0, true},
    {"-tdir", "--target-directory", NVCC_ONLY, 0, true},
    {"-idp", "--input-drive-prefix", NVCC_ONLY, 0, true},
    {"-Xfatbinary", "--fatbin-options", NVCC_ONLY, 0, true},
    {"-Xarchive", "--archive-options", NVCC_ONLY, 0, true},
};
// Further options with a value in a word of its own, which is no input.
static const char *const with_value[] = {"-x",       "-I",       "-D",       "-U",     "-L",     "-l",
                                         "-include", "-std",     "--std",    "-ccbin", "-Xptxas", "-Xcicc",
                                         "-Xcompiler", "-Xlinker", "-Xnvlink", "-Xcudafe", "-odir",
                                         "-maxrregcount", "--maxrregcount", "-default-stream",
                                         "--default-stream", "-diag-suppress", "--diag-suppress",
                                         "--compiler-options", "--linker-options", "--ptxas-options",
                                         "--compiler-bindir", "--pre-include", "--library",
                                         "--library-path", "--define-macro", "--include-path", "-m"};

// The row of `arg`; its joined value ("-arch=x"), or NULL.
static const struct row *find(const char *arg, const char **joined)
{
    *joined = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 2; k++) {
            const char *name = k ? rows[i].other : rows[i].name;
            size_t n = name ? strlen(name) : 0;
            if (!name || strncmp(arg, name, n) != 0)
                continue;
            if (!arg[n])
                return &rows[i];
            if (rows[i].has_value && arg[n] == '=') {
                *joined = arg + n + 1;
                return &rows[i];
            }
        }
    return NULL;
}

// All architectures in "arch=compute_75,code=[sm_75,compute_75]", "sm_90a", "native".
static void note_arch(struct wf__line *l, uint32_t sm, const char *value)
{
    for (const char *p = value; (p = strchr(p, '_')); p++) {
        char *end;
        uint32_t arch = (uint32_t)strtoul(p + 1, &end, 10);
        bool fits = arch <= sm, held = l->arch && l->arch <= sm;
        if (!arch || (p - value >= 3 && strncmp(p - 3, "lto", 3) == 0))
            continue;
        if (!l->arch || (fits && (!held || arch > l->arch)) || (!fits && !held && arch < l->arch)) {
            l->arch = arch;
            l->arch_suffix = *end == 'a' || *end == 'f' ? *end : '\0';
        }
    }
}

static enum wf_status read_words(struct wf__line *l, uint32_t sm, const char *const *word, size_t n,
                                 unsigned depth, struct wf_err *err);

// Words of an options file: parted by white space, quoted where they hold some.
static enum wf_status read_file(struct wf__line *l, uint32_t sm, const char *path, unsigned depth,
                                struct wf_err *err)
{
    struct wf_file f;
    struct wf__argv words = {0};
    struct wf_str one = {0};
    if (depth > 8)
        return wf_err_set(err, WF_E_USAGE, "options files name each other without an end");
    enum wf_status st = wf_file_read(path, &f, err);
    if (st != WF_OK)
        return st;
    bool is_word = false;
    char quote = '\0';
    for (const char *p = f.at;; p++) {
        if (!*p || (!quote && isspace((unsigned char)*p))) {
            if (is_word)
                wf__argv_add(&words, wf_arena_strdup(&l->arena, wf_str_get(&one)));
            one.n = 0;
            is_word = false;
            if (!*p)
                break;
            wf_str_addn(&one, "", 0);
            continue;
        }
        is_word = true;
        if (*p == quote)
            quote = '\0';
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else
            wf_str_addc(&one, *p == '\\' && p[1] ? *++p : *p);
    }
    wf_str_fini(&one);
    wf_file_fini(&f);
    st = read_words(l, sm, words.at, words.n, depth + 1, err);
    WF_VEC_FINI(&words);
    return st;
}

static void keep(struct wf__line *l, const char *arg, const char *value)
{
    wf__argv_add(&l->all, arg);
    if (value)
        wf__argv_add(&l->all, value);
}

// `separate`: the value when it is a word of its own, to be passed on behind `arg`.
static void take(struct wf__line *l, uint32_t sm, const struct row *r, const char *arg, const char *value,
                 const char *separate)
{
    bool is_kept = true;
    switch (r->what) {
    case PHASE:
        l->phase = r->phase;
        l->is_rdc |= strcmp(r->name, "-dc") == 0;
        l->asks_version |= strcmp(r->name, "-V") == 0;
        if (strcmp(r->name, "-cubin") == 0) {
            arg = "-fatbin";
        }
        break;
    case OUTPUT:
        l->output = value;
        break;
    case DEPS:
        l->wants_deps = true;
        break;
    case DEP_FILE:
        l->dep_file = value;
        break;
    case DEP_TARGET:
        l->dep_target = value;
        break;
    case ARCH:
        note_arch(l, sm, value);
        is_kept = false;
        break;
    case RUNTIME:
    case LTO:
        is_kept = false;
        break;
    case RDC:
        l->is_rdc = strcmp(value, "true") == 0;
        break;
    case DRYRUN:
        l->is_dryrun = true;
        break;
    case VERBOSE:
        l->is_verbose = true;
        break;
    case LINEINFO:
        l->has_lineinfo = true;
        break;
    case DEBUG:
        l->has_debug = true;
        break;
    case ISYSTEM:
        wf__argv_add(&l->rest, "-isystem");
        wf__argv_add(&l->rest, value);
        break;
    case NVCC_ONLY:
    case OPTIONS_FILE:
        break;
    }
    if (is_kept)
        keep(l, arg, separate);
}

static bool takes_value(const char *arg)
{
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
        if (strcmp(arg, with_value[i]) == 0)
            return true;
    return false;
}

static enum wf_status read_words(struct wf__line *l, uint32_t sm, const char *const *word, size_t n,
                                 unsigned depth, struct wf_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *arg = word[i], *value;
        if (arg[0] != '-' || !arg[1]) {
            wf__argv_add(&l->inputs, arg);
            keep(l, arg, NULL);
            continue;
        }
        const struct row *r = find(arg, &value);
        const char *separate = NULL;
        if ((r && r->has_value && !value) || (!r && takes_value(arg))) {
            if (i + 1 == n)
                return wf_err_set(err, WF_E_USAGE, "compiler option %s lacks its value", arg);
            separate = value = word[++i];
        }
        if (r && r->what == OPTIONS_FILE) {
            enum wf_status st = read_file(l, sm, value, depth, err);
            if (st != WF_OK)
                return st;
        } else if (r) {
            take(l, sm, r, arg, value, separate);
        } else {
            keep(l, arg, separate);
            wf__argv_add(&l->rest, arg);
            if (separate)
                wf__argv_add(&l->rest, separate);
        }
    }
    return WF_OK;
}

enum wf_status wf__line_read(struct wf__line *l, uint32_t sm, int argc, char **argv, struct wf_err *err)
{
    *l = (struct wf__line){.phase = WF__PHASE_LINK};
    wf_arena_init(&l->arena, "line");
    enum wf_status st =
        read_words(l, sm, (const char *const *)argv, (size_t)argc, 0, err);
    if (st != WF_OK)
        wf__line_fini(l);
    return st;
}

void wf__line_fini(struct wf__line *l)
{
    WF_VEC_FINI(&l->all);
    WF_VEC_FINI(&l->inputs);
    WF_VEC_FINI(&l->rest);
    wf_arena_fini(&l->arena);
}

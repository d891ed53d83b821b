// SPDX-License-Identifier: Apache-2.0
// Command-line words: where the program's arguments end, which words are sources, where files lie.
#include "cli/cmd.h"

#include <stdio.h>  // snprintf
#include <stdlib.h> // free, realpath
#include <string.h> // strcmp
#include <unistd.h> // getcwd

#include "base/arena.h"  // wf_xrealloc
#include "base/file.h"   // wf_file_self_dir
#include "base/str.h"    // struct wf_str
#include "core/launch.h" // wf_gpu_find
#include "front/front.h" // struct wf_front_opts

struct wf__words wf__cli_split(int argc, char **argv)
{
    for (int i = argc - 1; i >= 0; i--)
        if (strcmp(argv[i], "--") == 0)
            return (struct wf__words){i, argv, argc - i - 1, argv + i + 1};
    return (struct wf__words){.argc = argc, .argv = argv};
}

static void add(const char ***list, size_t *n, const char *word)
{
    *list = wf_xrealloc(*list, (*n + 1) * sizeof **list);
    (*list)[(*n)++] = word;
}

void wf__inputs_add_source(struct wf__inputs *in, const char *path)
{
    add(&in->sources, &in->n_sources, path);
}

void wf__inputs_add_arg(struct wf__inputs *in, const char *arg)
{
    add(&in->args, &in->n_args, arg);
}

static bool takes_next_word(const char *option)
{
    static const char *const list[] = {"-I",         "-D",         "-U",       "-L",
                                       "-l",         "-x",         "-include", "-isystem",
                                       "-idirafter", "-Xcompiler", "-Xclang",  "-Xlinker",
                                       "-Xptxas",    "-Xcicc",     "-std"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i], option) == 0)
            return true;
    return false;
}

void wf__inputs_add_compiler(struct wf__inputs *in, const struct wf__words *w)
{
    for (int i = 0; i < w->n_compiler; i++) {
        const char *word = w->compiler[i];
        enum wf_front_kind kind = word[0] == '-' ? WF_FRONT_UNKNOWN : wf_front_kind(word);
        bool is_value = i > 0 && takes_next_word(w->compiler[i - 1]);
        if (!is_value && (kind == WF_FRONT_SOURCE || kind == WF_FRONT_OBJECT))
            wf__inputs_add_source(in, word);
        else
            add(&in->args, &in->n_args, word);
    }
}

void wf__inputs_fini(struct wf__inputs *in)
{
    free(in->sources);
    free(in->args);
}

void wf__front_opts(const struct wf_options *o, const struct wf__inputs *in,
                    struct wf_front_opts *out)
{
    static const enum wf_front_cc cc[] = {WF_FRONT_CC_AUTO, WF_FRONT_CC_NVCC, WF_FRONT_CC_CLANG};
    *out = (struct wf_front_opts){.sources = in->sources,
                                  .n_sources = in->n_sources,
                                  .args = in->args,
                                  .n_args = in->n_args,
                                  .cc = cc[o->cc],
                                  .sm = wf_gpu_find(o->gpu)->sm,
                                  .lib_dir = *o->lib_dir ? o->lib_dir : NULL,
                                  .include_dir = *o->include_dir ? o->include_dir : NULL,
                                  .cache_dir = *o->cache_dir ? o->cache_dir : NULL,
                                  .no_cache = !o->cache,
                                  .verbose = o->verbose};
}

bool wf__cli_lib_dir(const struct wf_options *o, char *buf, size_t n)
{
    if (*o->lib_dir) {
        char *dir = realpath(o->lib_dir, NULL);
        int len = dir ? snprintf(buf, n, "%s", dir) : -1;
        free(dir);
        return len > 0 && (size_t)len < n;
    }
    static const char *const places[] = {"../lib/warpfence", "../lib"}; // installed, build folder
    char self[3072], file[4096];
    if (!wf_file_self_dir(self, sizeof self))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(file, sizeof file, "%s/%s/libcudart.so.13", self, places[i]);
        if (!wf_file_exists(file))
            continue;
        *strrchr(file, '/') = '\0';
        char *dir = realpath(file, NULL); // it is set in the environment: shorter is better
        int len = dir ? snprintf(buf, n, "%s", dir) : -1;
        free(dir);
        return len > 0 && (size_t)len < n;
    }
    return false;
}

char *wf__cli_absolute(const char *path)
{
    char cwd[4096];
    if (!*path || *path == '/' || !getcwd(cwd, sizeof cwd))
        return wf_xstrdup(path);
    struct wf_str s = {0};
    wf_str_printf(&s, "%s/%s", cwd, path);
    return s.at;
}

// SPDX-License-Identifier: Apache-2.0
// What a build starts from: which compiler, where our runtime, headers and cache lie, the sorted
// options.
#define _GNU_SOURCE // realpath
#include <stdio.h>  // snprintf
#include <stdlib.h> // getenv
#include <string.h> // memset

#include "base/file.h"
#include "front/priv.h"

void wf__argv_add(struct wf__argv *v, const char *arg)
{
    WF_PUSH(v, arg);
}

void wf__argv_addv(struct wf__argv *v, const struct wf__argv *more)
{
    for (size_t i = 0; i < more->n; i++)
        WF_PUSH(v, more->at[i]);
}

enum wf_status wf__argv_run(struct wf__argv *v, bool verbose, struct wf_err *err)
{
    int exit_status = 0;
    for (size_t i = 0; verbose && i < v->n; i++)
        fprintf(stderr, "%s%s", v->at[i], i + 1 < v->n ? " " : "\n");
    WF_PUSH(v, NULL);
    v->n--;
    fflush(NULL);
    // posix_spawn's argv is not const for historical reasons; it does not write to it.
    enum wf_status st = wf_process_run((char *const *)(void *)v->at, NULL, &exit_status, err);
    if (st == WF_OK && exit_status != 0)
        st = wf_err_set(err, WF_E_INPUT, "%s failed with exit code %d", v->at[0], exit_status);
    return st;
}

// First line of `tool --version` that has a digit in it.
static void version_of(struct wf_front_tool *t)
{
    struct wf_str out = {0};
    char *argv[] = {t->path, "--version", NULL};
    int rc;
    if (wf_process_run(argv, &out, &rc, NULL) != WF_OK || rc != 0) {
        wf_str_fini(&out);
        return;
    }
    char *save = NULL, *line = out.at ? strtok_r(out.at, "\n", &save) : NULL;
    for (; line; line = strtok_r(NULL, "\n", &save))
        if (strstr(line, "release") || strstr(line, "version")) {
            snprintf(t->version, sizeof t->version, "%.120s", line);
            break;
        }
    wf_str_fini(&out);
}

static bool find_compiler(enum wf_front_cc cc, struct wf_front_tool *t)
{
    memset(t, 0, sizeof *t);
    if (cc == WF_FRONT_CC_NVCC) {
        if (wf__find_nvcc(t->path, sizeof t->path))
            return true;
        snprintf(t->hint, sizeof t->hint,
                 "install NVIDIA's CUDA toolkit and put nvcc on PATH, or use --cc=clang");
        return false;
    }
    if (wf_file_which("clang-19", t->path, sizeof t->path))
        return true;
    snprintf(t->hint, sizeof t->hint,
             "install clang-19 (Debian: apt-get install clang-19, or run scripts/setup)");
    return false;
}

bool wf_front_find(enum wf_front_cc cc, struct wf_front_tool *out)
{
    bool found = cc == WF_FRONT_CC_AUTO
                     ? find_compiler(WF_FRONT_CC_NVCC, out) || find_compiler(WF_FRONT_CC_CLANG, out)
                     : find_compiler(cc, out);
    if (found)
        version_of(out);
    return found;
}

// The first of the folders `tails` below the program's own folder or up to three above it that
// holds `probe`: serves an installed tree (bin, lib, include) as well as a build tree inside the
// source.
bool wf__find_beside(const char *const *tails, const char *probe, char *out, size_t n)
{
    char self[PATH_MAX], up[PATH_MAX], path[2 * PATH_MAX];
    if (!wf_file_self_dir(self, sizeof self))
        return false;
    for (int above = 0; above < 4; above++) {
        for (const char *const *t = tails; *t; t++) {
            snprintf(path, sizeof path, "%s/%s/%s", self, *t, probe);
            if (!wf_file_exists(path))
                continue;
            snprintf(path, sizeof path, "%s/%s", self, *t);
            if (!realpath(path, up))
                continue;
            snprintf(out, n, "%s", up);
            return true;
        }
        char *slash = strrchr(self, '/');
        if (!slash || slash == self)
            break;
        *slash = 0;
    }
    return false;
}

enum wf_status wf__find_dir(const char *given, const char *variable, const char *const *tails,
                            const char *probe, char *out, struct wf_err *err)
{
    char path[2 * PATH_MAX];
    const char *from = given ? given : getenv(variable);
    if (from && *from) {
        snprintf(path, sizeof path, "%s/%s", from, probe);
        if (wf_file_exists(path) && realpath(from, out))
            return WF_OK;
        return wf_err_set(err, WF_E_IO, "%s lacks %s", from, probe);
    }
    if (wf__find_beside(tails, probe, out, PATH_MAX))
        return WF_OK;
    wf_err_set(err, WF_E_IO, "%s was not found beside the program", probe);
    wf_err_hint(err, "set %s to the folder that holds it", variable);
    return WF_E_IO;
}

static enum wf_status find_cache(struct wf__plan *p, struct wf_err *err)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (p->o->cache_dir)
        snprintf(p->cache_dir, sizeof p->cache_dir, "%s/front", p->o->cache_dir);
    else if (xdg && xdg[0] == '/')
        snprintf(p->cache_dir, sizeof p->cache_dir, "%s/warpfence/front", xdg);
    else if (home && home[0] == '/')
        snprintf(p->cache_dir, sizeof p->cache_dir, "%s/.cache/warpfence/front", home);
    else
        return wf_err_set(err, WF_E_IO, "no place for the cache: HOME is not set");
    return wf_file_mkdirs(p->cache_dir, err);
}

static enum wf_status choose_compiler(struct wf__plan *p, struct wf_err *err)
{
    p->cc = p->o->cc;
    if (p->cc == WF_FRONT_CC_AUTO)
        p->cc = find_compiler(WF_FRONT_CC_NVCC, &p->tool) ? WF_FRONT_CC_NVCC : WF_FRONT_CC_CLANG;
    if (find_compiler(p->cc, &p->tool))
        return WF_OK;
    wf_err_set(err, WF_E_IO, "no CUDA compiler: %s was not found on PATH",
               p->o->cc == WF_FRONT_CC_AUTO ? "neither nvcc nor clang-19"
               : p->cc == WF_FRONT_CC_NVCC  ? "nvcc"
                                            : "clang-19");
    wf_err_hint(err, "%s", p->tool.hint);
    return WF_E_IO;
}

static enum wf_status take_sources(struct wf__plan *p, struct wf_err *err)
{
    for (size_t i = 0; i < p->o->n_sources; i++) {
        const char *path = p->o->sources[i];
        if (!wf_file_exists(path))
            return wf_err_set(err, WF_E_IO, "cannot open %s: no such file", path);
        wf__argv_add(wf__is_link_input(path) ? &p->link : &p->sources, path);
    }
    return WF_OK;
}

enum wf_status wf__plan_init(struct wf__plan *p, const struct wf_front_opts *o, bool needs_lib,
                             struct wf_err *err)
{
    static const char *const lib_tails[] = {"lib", "lib/warpfence", ".", NULL};
    static const char *const include_tails[] = {"include/cuda", "include/warpfence/cuda", NULL};
    memset(p, 0, sizeof *p);
    wf_arena_init(&p->arena, "front");
    p->o = o;
    p->sm = o->sm ? o->sm : 90;
    enum wf_status st = choose_compiler(p, err);
    if (st == WF_OK)
        st = take_sources(p, err);
    if (st == WF_OK)
        st = wf__plan_sort_args(p, err);
    if (st == WF_OK && !p->sources.n && !o->is_link_only)
        st = wf_err_set(err, WF_E_USAGE, "no source file given");
    if (st == WF_OK && needs_lib)
        st = wf__find_dir(o->lib_dir, "WARPFENCE_LIB_DIR", lib_tails, "libcudart.so.13", p->lib_dir,
                      err);
    if (st == WF_OK && p->cc == WF_FRONT_CC_CLANG)
        st = wf__find_dir(o->include_dir, "WARPFENCE_INCLUDE_DIR", include_tails, "cuda_runtime.h",
                      p->include_dir, err);
    if (st == WF_OK)
        st = find_cache(p, err);
    if (st != WF_OK)
        wf__plan_fini(p);
    return st;
}

void wf__plan_fini(struct wf__plan *p)
{
    struct wf__argv *lists[] = {&p->sources, &p->raw, &p->common, &p->host, &p->device, &p->link};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        WF_VEC_FINI(lists[i]);
    wf_arena_fini(&p->arena);
}

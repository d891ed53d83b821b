// SPDX-License-Identifier: Apache-2.0
// nvcc's command line done by clang: compile, link, PTX, dependencies. Results are made in a folder of their
// own and then put where they are wanted.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memmem
#endif
#include <stdio.h>    // snprintf
#include <string.h>   // strrchr

#include "base/file.h"
#include "front/line.h"

static enum wf_status put(const char *from, const char *to, bool is_executable, struct wf_err *err)
{
    struct wf_file f;
    enum wf_status st = wf_file_read(from, &f, err);
    if (st != WF_OK)
        return st;
    st = is_executable ? wf_file_write_program(to, f.at, f.n, err) : wf_file_write_atomic(to, f.at, f.n, err);
    wf_file_fini(&f);
    return st;
}

// "dir/x.cu" -> "x.o"
static const char *named_after(struct wf__line *l, const char *source, const char *suffix)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    return wf_arena_printf(&l->arena, "%.*s%s", dot ? (int)(dot - name) : (int)strlen(name), name, suffix);
}

static bool is_temporary(const char *path, const char *dir)
{
    return strncmp(path, dir, strlen(dir)) == 0;
}

// One rule: the target and all that either pass has read.
static enum wf_status write_deps(struct wf__line *l, const struct wf__argv *deps, const char *dir, const char *target,
                                 const char *path, struct wf_err *err)
{
    struct wf__argv names = {0};
    struct wf_str text = {0};
    enum wf_status st = WF_OK;
    for (size_t i = 0; st == WF_OK && i < deps->n; i++)
        st = wf__deps_read(deps->at[i], &l->arena, &names, err);
    wf_str_printf(&text, "%s:", target);
    for (size_t i = 0; i < names.n; i++) {
        bool is_new = !is_temporary(names.at[i], dir);
        for (size_t k = 0; is_new && k < i; k++)
            is_new = strcmp(names.at[k], names.at[i]) != 0;
        if (!is_new)
            continue;
        wf_str_add(&text, " \\\n  ");
        for (const char *s = names.at[i]; *s; s++) {
            if (*s == ' ' || *s == '#')
                wf_str_addc(&text, '\\');
            wf_str_addc(&text, *s);
        }
    }
    wf_str_addc(&text, '\n');
    if (st == WF_OK && path)
        st = wf_file_write_atomic(path, wf_str_get(&text), text.n, err);
    else if (st == WF_OK)
        fputs(wf_str_get(&text), stdout);
    wf_str_fini(&text);
    WF_VEC_FINI(&names);
    return st;
}

static enum wf_status compile_one(struct wf__line *l, struct wf__plan *p, size_t i, const char *dir,
                                  struct wf_err *err)
{
    struct wf__argv deps = {0};
    const char *object = wf_arena_printf(&l->arena, "%s/%zu.o", dir, i);
    const char *output = l->output ? l->output : named_after(l, p->sources.at[i], ".o");
    const char *target = l->dep_target ? l->dep_target : output;
    const char *dep = l->dep_file ? l->dep_file : named_after(l, output, ".d");
    enum wf_status st = wf__clang_object(p, dir, i, object, &deps, err);
    if (st == WF_OK && l->phase == WF__PHASE_COMPILE)
        st = put(object, output, false, err);
    if (st == WF_OK && l->phase == WF__PHASE_DEPENDS)
        st = write_deps(l, &deps, dir, target, l->output, err);
    else if (st == WF_OK && l->wants_deps)
        st = write_deps(l, &deps, dir, target, dep, err);
    WF_VEC_FINI(&deps);
    return st;
}

static enum wf_status compile(struct wf__line *l, struct wf__plan *p, const char *dir, struct wf_err *err)
{
    if (l->output && p->sources.n > 1)
        return wf_err_set(err, WF_E_USAGE, "one output file is named for %zu sources", p->sources.n);
    enum wf_status st = WF_OK;
    for (size_t i = 0; st == WF_OK && i < p->sources.n; i++)
        st = compile_one(l, p, i, dir, err);
    return st;
}

static enum wf_status device_code(struct wf__line *l, struct wf__plan *p, const char *dir, struct wf_err *err)
{
    const char *source = p->sources.at[0];
    const char *ptx = wf_arena_printf(&l->arena, "%s/out.ptx", dir), *dep = wf_arena_printf(&l->arena, "%s/out.d", dir);
    bool is_ptx = l->phase == WF__PHASE_PTX;
    const char *output = l->output ? l->output : named_after(l, source, is_ptx ? ".ptx" : ".fatbin");
    enum wf_status st = wf__clang_ptx(p, source, ptx, dep, err);
    if (st != WF_OK || is_ptx)
        return st == WF_OK ? put(ptx, output, false, err) : st;
    return wf__clang_wrap(p, source, ptx, output, err);
}

static enum wf_status preprocess(struct wf__line *l, struct wf__plan *p, struct wf_err *err)
{
    struct wf__argv v = {0};
    wf__clang_host_args(p, &v);
    wf__argv_add(&v, "-E");
    wf__argv_add(&v, p->sources.at[0]);
    if (l->output) {
        wf__argv_add(&v, "-o");
        wf__argv_add(&v, l->output);
    }
    enum wf_status st = wf__argv_run(&v, p->o->verbose, err);
    WF_VEC_FINI(&v);
    return st;
}

// An archive with parts of device code that the runtime links. No host code refers to them, so the host's linker
// would leave them out.
static bool has_parts(const char *path)
{
    struct wf_file f;
    size_t n = strlen(path);
    if (n < 2 || strcmp(path + n - 2, ".a") != 0 || wf_file_read(path, &f, NULL) != WF_OK)
        return false;
    bool has = memmem(f.at, f.n, "wf_register_part", 16) != NULL;
    wf_file_fini(&f);
    return has;
}

// For the link: such archives go whole.
static void keep_parts(struct wf__line *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->inputs.n; i++) {
        const char *path = l->inputs.at[i];
        if (!has_parts(path)) {
            l->inputs.at[kept++] = path;
            continue;
        }
        wf__argv_add(&l->rest, "-Wl,--whole-archive");
        wf__argv_add(&l->rest, path);
        wf__argv_add(&l->rest, "-Wl,--no-whole-archive");
    }
    l->inputs.n = kept;
}

// The runtime links device code when the program starts. What is left of a device link is to bring in the archives
// that hold parts of it.
static enum wf_status device_link(struct wf__line *l, struct wf__plan *p, struct wf_err *err)
{
    struct wf__argv v = {0};
    const char *output = l->output ? l->output : "a_dlink.o";
    bool has_any = false;
    wf__argv_add(&v, "ld");
    wf__argv_add(&v, "-r");
    wf__argv_add(&v, "--whole-archive");
    for (size_t i = 0; i < l->inputs.n; i++)
        if (has_parts(l->inputs.at[i])) {
            wf__argv_add(&v, l->inputs.at[i]);
            has_any = true;
        }
    if (!has_any) {
        const char *words[] = {p->tool.path, "-x", "c", "-fPIC", "-c", "/dev/null"};
        v.n = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            wf__argv_add(&v, words[i]);
    }
    wf__argv_add(&v, "-o");
    wf__argv_add(&v, output);
    enum wf_status st = wf__argv_run(&v, p->o->verbose, err);
    WF_VEC_FINI(&v);
    return st;
}

static enum wf_status archive(struct wf__line *l, struct wf__plan *p, struct wf_err *err)
{
    struct wf__argv v = {0};
    wf__argv_add(&v, "ar");
    wf__argv_add(&v, "crs");
    wf__argv_add(&v, l->output ? l->output : "a.a");
    for (size_t i = 0; i < l->inputs.n; i++)
        wf__argv_add(&v, l->inputs.at[i]);
    enum wf_status st = wf__argv_run(&v, p->o->verbose, err);
    WF_VEC_FINI(&v);
    return st;
}

static enum wf_status link_all(struct wf__line *l, struct wf__plan *p, const char *dir, struct wf_err *err)
{
    struct wf__argv deps = {0};
    const char *exe = wf_arena_printf(&l->arena, "%s/program", dir);
    enum wf_status st = wf__clang_build(p, dir, exe, &deps, err);
    if (st == WF_OK)
        st = put(exe, l->output ? l->output : "a.out", true, err);
    WF_VEC_FINI(&deps);
    return st;
}

static enum wf_status act(struct wf__line *l, struct wf__plan *p, const char *dir, struct wf_err *err)
{
    switch (l->phase) {
    case WF__PHASE_COMPILE:
    case WF__PHASE_DEPENDS:
        return compile(l, p, dir, err);
    case WF__PHASE_PTX:
    case WF__PHASE_FATBIN:
        return device_code(l, p, dir, err);
    case WF__PHASE_PREPROCESS:
        return preprocess(l, p, err);
    case WF__PHASE_DEVICE_LINK:
        return device_link(l, p, err);
    case WF__PHASE_ARCHIVE:
        return archive(l, p, err);
    case WF__PHASE_LINK:
    case WF__PHASE_ASK:
        break;
    }
    return link_all(l, p, dir, err);
}

static bool is_identification(const struct wf__line *l)
{
    for (size_t i = 0; i < l->inputs.n; i++)
        if (strstr(l->inputs.at[i], "CMakeCUDACompilerId.cu"))
            return true;
    return false;
}

int wf__wrap_clang(const struct wf__wrap *w, struct wf__line *l, struct wf_err *err)
{
    struct wf_front_opts o = *w->o;
    struct wf__plan p;
    char dir[PATH_MAX];
    if (l->phase == WF__PHASE_ASK) {
        if (l->asks_version)
            wf__say_version();
        else
            printf("compute_%u\n", o.sm);
        return 0;
    }
    if (l->is_dryrun || l->is_verbose)
        wf__say_places(w, l);
    if (l->is_dryrun)
        return 0;
    if (!l->inputs.n)
        return wf_err_set(err, WF_E_USAGE, "no source or object is named"), -1;
    if (l->is_rdc)
        wf__argv_add(&l->rest, "-rdc=true");
    if (l->phase == WF__PHASE_LINK)
        keep_parts(l);
    if (is_identification(l)) { // CMake tells compilers apart by macros; this is nvcc's command line
        wf__argv_add(&l->rest, "-D__NVCC__");
        wf__argv_add(&l->rest, "-D__CUDACC_VER_MAJOR__=13");
        wf__argv_add(&l->rest, "-D__CUDACC_VER_MINOR__=0");
        wf__argv_add(&l->rest, "-D__CUDACC_VER_BUILD__=0");
    }
    o.cc = WF_FRONT_CC_CLANG;
    o.sources = l->inputs.at;
    o.n_sources = l->inputs.n;
    o.args = l->rest.at;
    o.n_args = l->rest.n;
    o.is_link_only = l->phase == WF__PHASE_LINK || l->phase == WF__PHASE_DEVICE_LINK || l->phase == WF__PHASE_ARCHIVE;
    if (wf__plan_init(&p, &o, true, err) != WF_OK)
        return -1;
    enum wf_status st = wf_file_tempdir(dir, sizeof dir, err);
    if (st == WF_OK) {
        st = act(l, &p, dir, err);
        wf_file_remove_tree(dir);
    }
    wf__plan_fini(&p);
    return st == WF_OK ? 0 : -1;
}

// SPDX-License-Identifier: Apache-2.0
// From sources to a cached executable, or to PTX: look up, else build in a fresh folder of the
// cache and let the cache take it.
#define _GNU_SOURCE   // mkdtemp
#include <errno.h>    // errno
#include <stdio.h>    // snprintf
#include <stdlib.h>   // mkdtemp
#include <string.h>   // strrchr
#include <sys/stat.h> // chmod
#include <time.h>     // clock_gettime

#include "base/file.h"
#include "front/priv.h"

// Time as file systems stamp it.
static int64_t coarse_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// "dir/app.cu" -> "app"
static void base_name(const char *path, char *out, size_t n)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t len = strcspn(name, ".");
    if (!len)
        len = strlen(name);
    snprintf(out, n, "%.*s", (int)(len < 100 ? len : 100), name);
}

static enum wf_status build(struct wf__plan *p, const char *key, char *exe_path, size_t n,
                            struct wf_err *err)
{
    char dir[PATH_MAX + 32], work[PATH_MAX + 64], exe[2 * PATH_MAX], name[128];
    struct wf__argv deps = {0};
    int64_t started = coarse_now_ns();
    snprintf(dir, sizeof dir, "%s/build-XXXXXX", p->cache_dir);
    if (!mkdtemp(dir))
        return wf_err_set(err, WF_E_IO, "cannot write the cache %s: %s", p->cache_dir,
                          strerror(errno));
    chmod(dir, 0755);
    snprintf(work, sizeof work, "%s/work", dir); // objects and such, not kept
    base_name(p->sources.at[0], name, sizeof name);
    snprintf(exe, sizeof exe, "%s/%s", dir, name);
    enum wf_status st = wf_file_mkdirs(work, err);
    if (st == WF_OK)
        st = p->cc == WF_FRONT_CC_NVCC ? wf__nvcc_build(p, work, exe, &deps, err)
                                       : wf__clang_build(p, work, exe, &deps, err);
    if (st == WF_OK) // -gencode of the user's may have left PTX out
        st = wf_fatbin_can_run(exe, p->sm, err);
    if (st == WF_OK)
        st = wf__cache_store(p, key, dir, name, &deps, started, exe_path, n, err);
    else
        wf_file_remove_tree(dir);
    WF_VEC_FINI(&deps);
    return st;
}

enum wf_status wf_front_build(const struct wf_front_opts *o, char *exe_path, size_t n,
                              struct wf_err *err)
{
    struct wf__plan p;
    char key[WF__HASH_TEXT];
    enum wf_status st = wf__plan_init(&p, o, true, err);
    if (st != WF_OK)
        return st;
    wf__cache_key(&p, key);
    if (o->no_cache || !wf__cache_find(&p, key, exe_path, n))
        st = build(&p, key, exe_path, n, err);
    wf__plan_fini(&p);
    return st;
}

enum wf_status wf_front_build_to(const struct wf_front_opts *o, const char *dest,
                                 struct wf_err *err)
{
    char exe[PATH_MAX];
    struct wf_file f;
    enum wf_status st = wf_front_build(o, exe, sizeof exe, err);
    if (st == WF_OK)
        st = wf_file_read(exe, &f, err);
    if (st != WF_OK)
        return st;
    st = wf_file_write_program(dest, f.at, f.n, err);
    wf_file_fini(&f);
    return st;
}

static enum wf_status ptx_of_source(const struct wf_front_opts *o, struct wf_fatbin *out,
                                    struct wf_err *err)
{
    struct wf__plan p;
    char dir[PATH_MAX];
    enum wf_status st = wf__plan_init(&p, o, false, err);
    if (st != WF_OK)
        return st;
    st = wf_file_tempdir(dir, sizeof dir, err);
    if (st == WF_OK) {
        const char *ptx = wf_arena_printf(&p.arena, "%s/out.ptx", dir);
        const char *dep = wf_arena_printf(&p.arena, "%s/out.d", dir);
        st = p.cc == WF_FRONT_CC_NVCC ? wf__nvcc_ptx(&p, p.sources.at[0], ptx, err)
                                      : wf__clang_ptx(&p, p.sources.at[0], ptx, dep, err);
        if (st == WF_OK)
            st = wf_fatbin_from_file(ptx, p.sm, out, err);
        wf_file_remove_tree(dir);
    }
    wf__plan_fini(&p);
    return st;
}

enum wf_status wf_front_ptx(const struct wf_front_opts *o, struct wf_fatbin *out,
                            struct wf_err *err)
{
    if (o->n_sources != 1)
        return wf_err_set(err, WF_E_USAGE, "PTX is shown of one file at a time");
    if (wf_front_kind(o->sources[0]) == WF_FRONT_SOURCE)
        return ptx_of_source(o, out, err);
    return wf_fatbin_from_file(o->sources[0], o->sm ? o->sm : 90, out, err);
}

enum wf_front_kind wf_front_kind(const char *path)
{
    unsigned char head[18] = {0};
    if (wf__is_source_name(path))
        return WF_FRONT_SOURCE;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f)
        fclose(f);
    if (n == sizeof head && memcmp(head, "\177ELF", 4) == 0)
        return head[16] == 1 ? WF_FRONT_OBJECT : WF_FRONT_EXE; // 1: ET_REL
    if (n >= 4 && memcmp(head, "\x50\xed\x55\xba", 4) == 0)
        return WF_FRONT_FATBIN;
    if (n >= 8 && memcmp(head, "!<arch>\n", 8) == 0)
        return WF_FRONT_OBJECT;
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".ptx") == 0)
        return WF_FRONT_PTX;
    return dot && strcmp(dot, ".fatbin") == 0 ? WF_FRONT_FATBIN : WF_FRONT_UNKNOWN;
}

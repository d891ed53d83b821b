// SPDX-License-Identifier: Apache-2.0
// The cache of built programs. KEY.dep (KEY: hash of everything a build is told) lists what the
// last build read, with size, time and content hash, and the result's folder. A lookup trusts size
// and time, else compares hashes. Result folders are named by KEY and all content hashes, come into
// being by rename, and are never changed: two processes that build at once both win.
//
//   warpfence-front 1
//   exe FOLDER/NAME BYTES
//   in  BYTES MTIME_NS CTIME_NS INODE HASH PATH
#define _GNU_SOURCE   // struct stat st_mtim
#include <dirent.h>   // opendir
#include <errno.h>    // errno
#include <fcntl.h>    // AT_FDCWD
#include <inttypes.h> // PRIu64
#include <stdio.h>    // rename
#include <stdlib.h>   // qsort
#include <string.h>   // strcmp
#include <sys/stat.h> // stat
#include <unistd.h>   // getcwd

#include "base/file.h"
#include "front/priv.h"

#define FORMAT "warpfence-front 2" // goes up with what this folder makes of a source
#define KEEP_MAX 512 // folders; above it the least recently used go
#define KEEP_MIN 384

struct stamp {
    uint64_t bytes, inode;
    int64_t mtime_ns, ctime_ns;
};

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool stamp_of(const char *path, struct stamp *s)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    *s = (struct stamp){(uint64_t)st.st_size, st.st_ino, ns_of(st.st_mtim), ns_of(st.st_ctim)};
    return true;
}

static bool hash_file(const char *path, char out[WF__HASH_TEXT])
{
    struct wf_file f;
    struct wf__hash h;
    if (wf_file_read(path, &f, NULL) != WF_OK)
        return false;
    wf__hash_init(&h);
    wf__hash_add(&h, f.at, f.n);
    wf__hash_end(&h, out);
    wf_file_fini(&f);
    return true;
}

static void key_number(struct wf__hash *h, uint64_t x)
{
    wf__hash_add(h, &x, sizeof x);
}

static void key_argv(struct wf__hash *h, const struct wf__argv *v)
{
    key_number(h, v->n);
    for (size_t i = 0; i < v->n; i++)
        wf__hash_text(h, v->at[i]);
}

void wf__cache_key(const struct wf__plan *p, char key[WF__HASH_TEXT])
{
    // Compilers read these too.
    static const char *const variables[] = {
        "CPATH",      "C_INCLUDE_PATH",     "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",
        "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS",  NULL};
    char cwd[PATH_MAX] = "";
    struct stamp tool = {0};
    struct wf__hash h;
    wf__hash_init(&h);
    wf__hash_text(&h, FORMAT " " WF_VERSION);
    wf__hash_text(&h, getcwd(cwd, sizeof cwd) ? cwd : "");
    wf__hash_text(&h, p->tool.path);
    if (stamp_of(p->tool.path, &tool)) {
        key_number(&h, tool.bytes);
        key_number(&h, (uint64_t)tool.mtime_ns);
    }
    key_number(&h, p->cc);
    key_number(&h, p->sm);
    key_number(&h, p->o->is_check_build);
    wf__hash_text(&h, p->lib_dir);
    wf__hash_text(&h, p->include_dir);
    key_argv(&h, &p->sources);
    key_argv(&h, &p->link);
    key_number(&h, p->o->n_args);
    for (size_t i = 0; i < p->o->n_args; i++)
        wf__hash_text(&h, p->o->args[i]);
    for (size_t i = 0; variables[i]; i++)
        wf__hash_text(&h, getenv(variables[i]) ? getenv(variables[i]) : "");
    wf__hash_end(&h, key);
}

// One "in" line holds as long as the file is the one that was read.
static bool still_holds(char *line)
{
    struct stamp was, now;
    char hash[WF__HASH_TEXT], now_hash[WF__HASH_TEXT];
    int path_at = 0;
    if (sscanf(line, "in %" SCNu64 " %" SCNd64 " %" SCNd64 " %" SCNu64 " %32s %n", &was.bytes,
               &was.mtime_ns, &was.ctime_ns, &was.inode, hash, &path_at) != 5 ||
        !path_at || !stamp_of(line + path_at, &now) || now.bytes != was.bytes)
        return false;
    if (now.mtime_ns == was.mtime_ns && now.ctime_ns == was.ctime_ns && now.inode == was.inode)
        return true;
    return hash_file(line + path_at, now_hash) && strcmp(hash, now_hash) == 0;
}

static bool read_manifest(const struct wf__plan *p, char *text, char *exe_path, size_t n)
{
    char *save = NULL, *line = strtok_r(text, "\n", &save);
    struct stamp exe;
    uint64_t bytes;
    int name_at = 0;
    if (!line || strcmp(line, FORMAT) != 0 || !(line = strtok_r(NULL, "\n", &save)) ||
        sscanf(line, "exe %" SCNu64 " %n", &bytes, &name_at) != 1 || !name_at)
        return false;
    int len = snprintf(exe_path, n, "%s/%s", p->cache_dir, line + name_at);
    if (len < 0 || (size_t)len >= n || !stamp_of(exe_path, &exe) || exe.bytes != bytes)
        return false;
    while ((line = strtok_r(NULL, "\n", &save)))
        if (!still_holds(line))
            return false;
    return true;
}

// Marks the folder as used now, for trim().
static void touch(const char *exe_path)
{
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%s", exe_path);
    char *slash = strrchr(dir, '/');
    if (slash) {
        *slash = 0;
        utimensat(AT_FDCWD, dir, NULL, 0);
    }
}

static void manifest_path(const struct wf__plan *p, const char *key, char *out, size_t n)
{
    snprintf(out, n, "%s/%s.dep", p->cache_dir, key);
}

bool wf__cache_find(const struct wf__plan *p, const char *key, char *exe_path, size_t n)
{
    char path[PATH_MAX + 64];
    struct wf_file f;
    manifest_path(p, key, path, sizeof path);
    if (!wf_file_exists(path) || wf_file_read(path, &f, NULL) != WF_OK)
        return false;
    bool found = read_manifest(p, f.at, exe_path, n);
    wf_file_fini(&f);
    if (found)
        touch(exe_path);
    return found;
}

struct used {
    int64_t when;
    char name[64];
};

static int by_age(const void *a, const void *b)
{
    const struct used *x = a, *y = b;
    return (x->when > y->when) - (x->when < y->when);
}

// Keeps the cache from growing without end. Folders of builds in progress are young and stay.
static void trim(const struct wf__plan *p)
{
    WF_VEC(struct used) all = {0};
    DIR *d = opendir(p->cache_dir);
    char path[PATH_MAX + 64];
    struct stamp s;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct used u = {0};
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof u.name)
            continue;
        snprintf(path, sizeof path, "%s/%.63s", p->cache_dir, e->d_name);
        if (!stamp_of(path, &s))
            continue;
        u.when = s.mtime_ns;
        memcpy(u.name, e->d_name, strlen(e->d_name));
        WF_PUSH(&all, u);
    }
    if (d)
        closedir(d);
    if (all.n > 2 * KEEP_MAX) { // a folder and its manifest
        qsort(all.at, all.n, sizeof all.at[0], by_age);
        for (size_t i = 0; i < all.n - 2 * KEEP_MIN; i++) {
            snprintf(path, sizeof path, "%s/%s", p->cache_dir, all.at[i].name);
            wf_file_remove_tree(path);
        }
    }
    WF_VEC_FINI(&all);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// All inputs once, sorted. Shared libraries are bound at start and may change without a rebuild.
static enum wf_status inputs_of(struct wf__plan *p, const struct wf__argv *deps,
                                struct wf__argv *out, struct wf_err *err)
{
    struct wf__argv all = {0};
    enum wf_status st = WF_OK;
    for (size_t i = 0; st == WF_OK && i < deps->n; i++)
        st = wf__deps_read(deps->at[i], &p->arena, &all, err);
    if (all.n)
        qsort(all.at, all.n, sizeof all.at[0], by_name);
    for (size_t i = 0; st == WF_OK && i < all.n; i++) {
        const char *path = all.at[i];
        size_t len = strlen(path);
        bool is_shared = strstr(path, ".so.") || (len > 3 && strcmp(path + len - 3, ".so") == 0);
        bool is_ours = strncmp(path, p->cache_dir, strlen(p->cache_dir)) == 0;
        bool is_passing = strncmp(path, "/tmp/tmpxft_", 12) == 0; // nvcc's own intermediates
        if (!is_shared && !is_ours && !is_passing && (!i || strcmp(path, all.at[i - 1]) != 0))
            wf__argv_add(out, path);
    }
    WF_VEC_FINI(&all);
    return st;
}

// Moves the finished folder to its place. Somebody may have been faster: his program is as good,
// and may be running already, so it stays; only a damaged one is replaced.
static enum wf_status settle(const char *dir, const char *place, const char *name,
                             struct wf_err *err)
{
    char ours[2 * PATH_MAX], theirs[2 * PATH_MAX];
    struct stamp a, b;
    snprintf(ours, sizeof ours, "%s/%s", dir, name);
    snprintf(theirs, sizeof theirs, "%s/%s", place, name);
    if (rename(dir, place) == 0)
        return WF_OK;
    if (stamp_of(ours, &a) && stamp_of(theirs, &b) && a.bytes == b.bytes) {
        wf_file_remove_tree(dir);
        return WF_OK;
    }
    wf_file_remove_tree(place);
    if (rename(dir, place) == 0)
        return WF_OK;
    return wf_err_set(err, WF_E_IO, "cannot write the cache %s: %s", place, strerror(errno));
}

enum wf_status wf__cache_store(struct wf__plan *p, const char *key, const char *dir,
                               const char *name, const struct wf__argv *deps, int64_t started_ns,
                               char *exe_path, size_t n, struct wf_err *err)
{
    struct wf__argv inputs = {0};
    struct wf_str lines = {0}, text = {0};
    struct wf__hash h;
    struct stamp s = {0};
    char hash[WF__HASH_TEXT], folder[WF__HASH_TEXT], path[PATH_MAX + 64];
    bool is_settled = true; // nothing changed under the compiler's hands
    enum wf_status st = inputs_of(p, deps, &inputs, err);
    wf__hash_init(&h);
    wf__hash_text(&h, key);
    for (size_t i = 0; i < inputs.n; i++) {
        if (!stamp_of(inputs.at[i], &s) || !hash_file(inputs.at[i], hash))
            continue; // a temporary of the compiler
        is_settled &= s.mtime_ns < started_ns;
        wf__hash_text(&h, hash);
        wf_str_printf(&lines, "in %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " %s %s\n", s.bytes,
                      s.mtime_ns, s.ctime_ns, s.inode, hash, inputs.at[i]);
    }
    if (!is_settled || p->o->no_cache) // never found again, or not to be what was there; a folder of its own
        wf__hash_add(&h, &started_ns, sizeof started_ns);
    wf__hash_end(&h, folder);
    snprintf(path, sizeof path, "%s/work", dir);
    wf_file_remove_tree(path);
    snprintf(path, sizeof path, "%s/%s", p->cache_dir, folder);
    if (st == WF_OK)
        st = settle(dir, path, name, err);
    int len = snprintf(exe_path, n, "%s/%s", path, name);
    if (st == WF_OK && (len < 0 || (size_t)len >= n || !stamp_of(exe_path, &s)))
        st = wf_err_set(err, WF_E_IO, "the cache %s is not usable", p->cache_dir);
    if (st == WF_OK && is_settled) {
        wf_str_printf(&text, "%s\nexe %" PRIu64 " %s/%s\n%s", FORMAT, s.bytes, folder, name,
                      wf_str_get(&lines));
        manifest_path(p, key, path, sizeof path);
        st = wf_file_write_atomic(path, text.at, text.n, err);
    }
    trim(p);
    wf_str_fini(&lines);
    wf_str_fini(&text);
    WF_VEC_FINI(&inputs);
    return st;
}

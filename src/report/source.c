// SPDX-License-Identifier: Apache-2.0
// Source files are named by the line information of the program under test, so a name may be
// anything: only regular files of sane size are opened.
#include "report/source.h"

#include <string.h>   // memchr
#include <sys/stat.h> // stat

#include "base/arena.h" // wf_xcalloc
#include "base/file.h"  // wf_file_read
#include "base/map.h"   // struct wf_smap
#include "base/vec.h"   // WF_VEC

#define MAX_BYTES (INT64_C(64) << 20)

struct text {
    char *name;
    struct wf_file file;
    WF_VEC(size_t) start; // offset of each line
};

struct wf__source {
    const char *base_dir;
    struct wf_smap by_name;
    WF_VEC(struct text *) all;
};

struct wf__source *wf__source_new(const char *base_dir)
{
    struct wf__source *s = wf_xcalloc(1, sizeof *s);
    s->base_dir = base_dir;
    return s;
}

void wf__source_free(struct wf__source *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->all.n; i++) {
        struct text *t = s->all.at[i];
        wf_file_fini(&t->file);
        WF_VEC_FINI(&t->start);
        free(t->name);
        free(t);
    }
    WF_VEC_FINI(&s->all);
    wf_smap_fini(&s->by_name);
    free(s);
}

static int is_readable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_BYTES;
}

static void index_lines(struct text *t)
{
    const char *p = t->file.at, *end = p + t->file.n;
    while (p < end) {
        WF_PUSH(&t->start, (size_t)(p - t->file.at));
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        p = nl ? nl + 1 : end;
    }
}

static struct text *load(struct wf__source *s, const char *name)
{
    struct text *t = wf_xcalloc(1, sizeof *t);
    t->name = wf_xstrdup(name);
    struct wf_str path = {0};
    if (name[0] != '/' && s->base_dir) {
        wf_str_add(&path, s->base_dir);
        wf_str_addc(&path, '/');
    }
    wf_str_add(&path, name);
    if (is_readable(wf_str_get(&path)) && wf_file_read(wf_str_get(&path), &t->file, NULL) == WF_OK)
        index_lines(t);
    wf_str_fini(&path);
    WF_PUSH(&s->all, t);
    wf_smap_put(&s->by_name, t->name, t);
    return t;
}

const char *wf__source_line(struct wf__source *s, const char *file, uint32_t line, size_t *n)
{
    if (!s || !file || !*file || line == 0)
        return NULL;
    struct text *t = wf_smap_get(&s->by_name, file);
    if (!t)
        t = load(s, file);
    if (line > t->start.n)
        return NULL;
    size_t from = t->start.at[line - 1];
    size_t to = line < t->start.n ? t->start.at[line] : t->file.n;
    while (to > from && (t->file.at[to - 1] == '\n' || t->file.at[to - 1] == '\r'))
        to--;
    *n = to - from;
    return t->file.at + from;
}

// SPDX-License-Identifier: Apache-2.0
// An image is a head and, for each text, its name's and its own length, both NUL-terminated.
#include "rt/link.h"

#include <pthread.h> // pthread_mutex_t
#include <stdio.h>   // snprintf
#include <stdlib.h>  // free
#include <string.h>  // memcpy

#include "base/file.h"     // wf_file_tempdir
#include "base/map.h"      // struct wf_map
#include "core/launch.h"   // wf_gpu_default
#include "fatbin/fatbin.h" // struct wf_fatbin
#include "rt/devrt.h"      // wf__devrt_text

#define MAGIC "WARPFENCE-LINK-1"

struct head {
    char magic[16];
    uint64_t bytes, n_texts;
};
struct entry {
    uint64_t name_bytes, text_bytes; // with their NULs
};

struct wf_rt_link {
    struct wf_str image; // starts with a head, which is filled in at the end
    uint64_t n_texts;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_map alive; // link -> itself

struct wf_rt_link *wf_rt_link_new(void)
{
    struct wf_rt_link *l = wf_xcalloc(1, sizeof *l);
    struct head h = {.magic = {0}};
    wf_str_addn(&l->image, (const char *)&h, sizeof h);
    pthread_mutex_lock(&lock);
    wf_map_put(&alive, (uint64_t)(uintptr_t)l, l);
    pthread_mutex_unlock(&lock);
    return l;
}

void wf_rt_link_free(struct wf_rt_link *l)
{
    pthread_mutex_lock(&lock);
    wf_map_del(&alive, (uint64_t)(uintptr_t)l);
    pthread_mutex_unlock(&lock);
    wf_str_fini(&l->image);
    free(l);
}

bool wf_rt_link_is(const void *p)
{
    pthread_mutex_lock(&lock);
    bool is = p && wf_map_get(&alive, (uint64_t)(uintptr_t)p);
    pthread_mutex_unlock(&lock);
    return is;
}

static void add_texts(struct wf_rt_link *l, const struct wf_fatbin *f, const char *name)
{
    for (size_t i = 0; i < f->ptx.n; i++) {
        const struct wf_fatbin_ptx *t = &f->ptx.at[i];
        const char *own = t->name[0] ? t->name : name ? name : "";
        struct entry e = {strlen(own) + 1, t->n + 1};
        wf_str_addn(&l->image, (const char *)&e, sizeof e);
        wf_str_addn(&l->image, own, e.name_bytes);
        wf_str_addn(&l->image, t->text, t->n);
        wf_str_addn(&l->image, "", 1);
        l->n_texts++;
    }
}

static enum wf_cu code_of(enum wf_status rc)
{
    switch (rc) {
    case WF_OK:
        return WF_CU_SUCCESS;
    case WF_E_UNSUPPORTED:
        return WF_CU_NO_KERNEL_IMAGE_FOR_DEVICE;
    case WF_E_IO:
        return WF_CU_FILE_NOT_FOUND;
    case WF_E_INPUT:
    case WF_E_NOMEM:
    case WF_E_USAGE:
    case WF_E_STATE:
    case WF_E_INTERNAL:
        return WF_CU_INVALID_KERNEL_IMAGE;
    }
    return WF_CU_UNKNOWN;
}

static enum wf_cu take(struct wf_rt_link *l, enum wf_status rc, struct wf_fatbin *f, const char *name)
{
    if (rc == WF_OK) {
        add_texts(l, f, name);
        wf_fatbin_fini(f);
    }
    return code_of(rc);
}

// Only files are taken apart as ELF, so an object's bytes go through one.
static enum wf_cu add_object(struct wf_rt_link *l, const void *data, uint64_t bytes, const char *name,
                             struct wf_err *err)
{
    char dir[4096], path[4200];
    struct wf_fatbin f;
    enum wf_status rc = wf_file_tempdir(dir, sizeof dir, err);
    if (rc != WF_OK)
        return code_of(rc);
    snprintf(path, sizeof path, "%s/object", dir);
    rc = wf_file_write_atomic(path, data, bytes, err);
    if (rc == WF_OK)
        rc = wf_fatbin_from_file(path, wf_gpu_default()->sm, &f, err);
    wf_file_remove_tree(dir);
    return take(l, rc, &f, name);
}

static enum wf_cu add_devrt(struct wf_rt_link *l)
{
    struct wf_fatbin_ptx text = {.text = wf__devrt_text(), .n = strlen(wf__devrt_text()), .name = "cudadevrt"};
    struct wf_fatbin f = {.ptx = {&text, 1, 1}};
    add_texts(l, &f, NULL);
    return WF_CU_SUCCESS;
}

// The members of an archive that hold device code. Libraries of machine code alone add nothing: what a program
// misses then is told when its image is loaded.
static enum wf_cu add_archive(struct wf_rt_link *l, const char *data, uint64_t bytes, struct wf_err *err)
{
    uint64_t at = 8, size;
    char digits[11] = {0};
    for (; at + 60 <= bytes; at += 60 + size + size % 2) {
        memcpy(digits, data + at + 48, 10);
        size = strtoull(digits, NULL, 10);
        if (size > bytes - at - 60) {
            wf_err_set(err, WF_E_INPUT, "the archive is damaged");
            return WF_CU_INVALID_KERNEL_IMAGE;
        }
        const char *member = data + at + 60;
        if (size < 4 || memcmp(member, "\177ELF", 4) != 0)
            continue; // names and symbols
        struct wf_err ignored;
        enum wf_cu e = add_object(l, member, size, "archive", &ignored);
        if (e == WF_CU_INVALID_KERNEL_IMAGE && ignored.code != WF_E_INPUT) {
            *err = ignored;
            return e;
        }
    }
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_link_add(struct wf_rt_link *l, const void *data, uint64_t bytes, const char *name,
                          struct wf_err *err)
{
    struct wf_fatbin f;
    if (bytes >= 4 && memcmp(data, "\177ELF", 4) == 0)
        return add_object(l, data, bytes, name, err);
    if (name && strstr(name, "cudadevrt"))
        return add_devrt(l);
    if (bytes >= 8 && memcmp(data, "!<arch>\n", 8) == 0)
        return add_archive(l, data, bytes, err);
    struct head h = {.bytes = 0};
    bool is_link = bytes >= sizeof h && wf__link_is(data);
    if (is_link)
        memcpy(&h, data, sizeof h);
    if (h.bytes > bytes)
        return code_of(wf_err_set(err, WF_E_INPUT, "the linked image is cut short"));
    enum wf_status rc = is_link
                            ? wf__link_read(data, &f, err)
                            : wf_fatbin_from_image(data, bytes, wf_gpu_default()->sm, &f, err);
    return take(l, rc, &f, name);
}

enum wf_cu wf_rt_link_add_file(struct wf_rt_link *l, const char *path, struct wf_err *err)
{
    struct wf_file file;
    enum wf_status rc = wf_file_read(path, &file, err);
    if (rc != WF_OK)
        return code_of(rc);
    enum wf_cu e = wf_rt_link_add(l, file.at, file.n, path, err);
    wf_file_fini(&file);
    return e;
}

enum wf_cu wf_rt_link_complete(struct wf_rt_link *l, void **image, uint64_t *bytes)
{
    struct head h = {.bytes = l->image.n, .n_texts = l->n_texts};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    memcpy(l->image.at, &h, sizeof h);
    *image = l->image.at;
    *bytes = l->image.n;
    return WF_CU_SUCCESS;
}

bool wf__link_is(const void *image)
{
    return strncmp(image, MAGIC, sizeof MAGIC - 1) == 0;
}

// The next `n` bytes of the image, or NULL when they would lie beyond its end.
static const char *next(const char **at, uint64_t *left, uint64_t n)
{
    const char *p = *at;
    if (n > *left)
        return NULL;
    *at += n;
    *left -= n;
    return p;
}

enum wf_status wf__link_read(const void *image, struct wf_fatbin *out, struct wf_err *err)
{
    struct head h;
    const char *at = (const char *)image + sizeof h;
    memcpy(&h, image, sizeof h);
    uint64_t left = h.bytes > sizeof h ? h.bytes - sizeof h : 0;
    *out = (struct wf_fatbin){.ptx = {NULL, 0, 0}};
    wf_arena_init(&out->arena, "link");
    for (uint64_t i = 0; i < h.n_texts; i++) {
        struct entry e;
        const char *head = next(&at, &left, sizeof e), *name = NULL, *text = NULL;
        if (head) {
            memcpy(&e, head, sizeof e);
            name = next(&at, &left, e.name_bytes);
            text = name ? next(&at, &left, e.text_bytes) : NULL;
        }
        if (!text || !e.name_bytes || !e.text_bytes) {
            wf_fatbin_fini(out);
            return wf_err_set(err, WF_E_INPUT, "the linked image is damaged");
        }
        struct wf_fatbin_ptx t = {.text = wf_arena_strndup(&out->arena, text, e.text_bytes - 1),
                                  .n = e.text_bytes - 1,
                                  .name = wf_arena_strndup(&out->arena, name, e.name_bytes - 1),
                                  .is_relocatable = h.n_texts > 1};
        WF_PUSH(&out->ptx, t);
    }
    return WF_OK;
}

// SPDX-License-Identifier: Apache-2.0
// The three places device code comes from: a wrapper that a running program registers, an image in
// memory, a file on disk. Also what a file says about the runtime it needs.
#define _GNU_SOURCE // dl_iterate_phdr, memmem
#include <link.h>   // dl_iterate_phdr
#include <stdlib.h> // strtoul
#include <string.h> // memcpy

#include "base/file.h" // wf_file_read
#include "fatbin/fatbin.h"
#include "fatbin/priv.h"

// A version 2 wrapper lists one fat binary an object file; more than this is damage.
#define MAX_OBJECTS 65536

static struct wf__walk walk_new(struct wf_fatbin *f, uint32_t arch)
{
    wf__fatbin_begin(f);
    return (struct wf__walk){.f = f, .arch = arch, .budget = WF__UNPACK_LIMIT};
}

static enum wf_status finish(struct wf__walk *w, enum wf_status st, const char *what,
                             struct wf_err *err)
{
    if (st == WF_OK)
        st = wf__fatbin_end(w, what, err);
    if (st != WF_OK)
        wf_fatbin_fini(w->f);
    return st;
}

struct bound {
    uintptr_t p, end;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct bound *b = arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + h->p_vaddr;
        if (h->p_type == PT_LOAD && b->p >= at && b->p - at < h->p_memsz) {
            b->end = at + h->p_memsz;
            return 1;
        }
    }
    return 0;
}

struct wf__bytes wf__mapped_from(const void *p)
{
    struct bound b = {(uintptr_t)p, 0};
    if (dl_iterate_phdr(find_object, &b))
        return (struct wf__bytes){p, b.end - b.p};
    return (struct wf__bytes){p, WF__UNPACK_LIMIT}; // heap: only its own headers tell its length
}

static enum wf_status walk_wrapper(struct wf__walk *w, struct wf__bytes b, struct wf_err *err)
{
    struct wf__wrapper wrapper;
    size_t used;
    if (b.n < sizeof wrapper)
        return wf_err_set(err, WF_E_INPUT, "fat binary wrapper is cut short");
    memcpy(&wrapper, b.at, sizeof wrapper);
    if (wrapper.magic != WF__WRAPPER_MAGIC)
        return wf_err_set(err, WF_E_INPUT, "not a fat binary wrapper (it begins with 0x%08x)",
                          wrapper.magic);
    if (!wrapper.data)
        return wf_err_set(err, WF_E_INPUT, "fat binary wrapper points nowhere");
    if (wrapper.version != 1 && wrapper.version != 2)
        return wf_err_set(err, WF_E_UNSUPPORTED, "fat binary wrapper of unknown version %u",
                          wrapper.version);
    // Version 2: the linked machine code first (for its register counts), then the objects' PTX.
    enum wf_status st = wf__fatbin_walk_one(w, wf__mapped_from(wrapper.data), &used, err);
    if (wrapper.version == 1 || !wrapper.more)
        return st;
    w->is_relocatable = true;
    const void *const *object = wrapper.more;
    for (size_t i = 0; st == WF_OK && object[i]; i++) {
        if (i == MAX_OBJECTS)
            return wf_err_set(err, WF_E_INPUT, "fat binary wrapper lists too many objects");
        st = wf__fatbin_walk_one(w, wf__mapped_from(object[i]), &used, err);
    }
    return st;
}

enum wf_status wf_fatbin_from_wrapper(const void *wrapper, uint32_t arch, struct wf_fatbin *out,
                                      struct wf_err *err)
{
    if (!wrapper)
        return wf_err_set(err, WF_E_INPUT, "no fat binary given");
    struct wf__walk w = walk_new(out, arch);
    return finish(&w, walk_wrapper(&w, wf__mapped_from(wrapper), err), "the program", err);
}

// PTX text begins with white space, a comment or a directive, and names its version.
static bool looks_like_ptx(struct wf__bytes b)
{
    if (!strchr("./\n\r \t", b.at[0]) || !b.at[0])
        return false;
    return memmem(b.at, strnlen((const char *)b.at, b.n), ".version", 8) != NULL;
}

static enum wf_status take_text(struct wf__walk *w, struct wf__bytes b, struct wf_err *err)
{
    size_t n = strnlen((const char *)b.at, b.n);
    if (n >= WF__UNPACK_LIMIT)
        return wf_err_set(err, WF_E_INPUT, "PTX text without an end");
    WF_PUSH(&w->f->ptx,
            (struct wf_fatbin_ptx){
                .text = wf_arena_strndup(&w->f->arena, (const char *)b.at, n), .n = n, .name = ""});
    return WF_OK;
}

enum wf_status wf_fatbin_from_image(const void *image, size_t n, uint32_t arch,
                                    struct wf_fatbin *out, struct wf_err *err)
{
    bool is_open = n == SIZE_MAX;
    if (!image || !n)
        return wf_err_set(err, WF_E_INPUT, "no device code given");
    struct wf__bytes b = is_open ? wf__mapped_from(image) : (struct wf__bytes){image, n};
    struct wf__walk w = walk_new(out, arch);
    enum wf_status st;
    uint32_t magic = 0;
    size_t used;
    if (looks_like_ptx(b)) {
        st = take_text(&w, b, err);
        return finish(&w, st, "the module", err);
    }
    if (b.n >= sizeof magic)
        memcpy(&magic, b.at, sizeof magic);
    if (magic == WF__WRAPPER_MAGIC && is_open) {
        st = walk_wrapper(&w, b, err);
    } else if (memcmp(&magic, ELFMAG, SELFMAG) == 0) {
        w.n_images++;
        st = WF_OK;
    } else {
        st = is_open ? wf__fatbin_walk_one(&w, b, &used, err) : wf__fatbin_walk(&w, b, err);
        if (st == WF_OK && !w.n_images && !out->ptx.n)
            st = wf_err_set(err, WF_E_INPUT, "neither PTX text nor a fat binary");
    }
    return finish(&w, st, "the module", err);
}

// --- files

// Any symbol of the table whose name begins with `prefix`; imported ones only, or defined ones
// only.
static bool has_symbol(const struct wf__elf *e, uint32_t table_type, const char *prefix,
                       bool is_import)
{
    struct wf__section table;
    struct wf__symbol s;
    if (!wf__elf_find_type(e, table_type, &table))
        return false;
    for (uint32_t i = 1; wf__elf_symbol(e, &table, i, &s); i++)
        if ((s.section == SHN_UNDEF) == is_import && strncmp(s.name, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

static void probe(const struct wf__elf *e, struct wf_fatbin_file *out)
{
    struct wf__section s;
    const char *cudart = wf__elf_needed(e, "libcudart.so.");
    out->is_elf = e->machine == EM_X86_64 || e->machine == EM_AARCH64;
    out->is_executable = e->type == ET_EXEC || e->type == ET_DYN;
    out->has_device_code =
        wf__elf_find(e, ".nv_fatbin", &s) || wf__elf_find(e, "__nv_relfatbin", &s);
    out->needs_cudart = cudart != NULL;
    out->cudart_major = cudart ? (uint32_t)strtoul(cudart + strlen("libcudart.so."), NULL, 10) : 0;
    out->needs_libcuda = wf__elf_needed(e, "libcuda.so") != NULL;
    // A registering program either imports the registration call or carries the runtime inside.
    bool registers = wf__elf_find(e, ".nvFatBinSegment", &s) &&
                     !has_symbol(e, SHT_DYNSYM, "__cudaRegisterFatBinary", true);
    out->has_static_cudart = out->is_executable && !cudart &&
                             (registers || has_symbol(e, SHT_SYMTAB, "libcudart_static_", false));
}

enum wf_status wf_fatbin_probe(const char *path, struct wf_fatbin_file *out, struct wf_err *err)
{
    struct wf_file f;
    struct wf__elf e;
    *out = (struct wf_fatbin_file){0};
    enum wf_status st = wf_file_read(path, &f, err);
    if (st != WF_OK)
        return st;
    if (wf__elf_open((struct wf__bytes){(const uint8_t *)f.at, f.n}, &e))
        probe(&e, out);
    wf_file_fini(&f);
    return WF_OK;
}

static enum wf_status walk_file(struct wf__walk *w, const struct wf__elf *e, struct wf_err *err)
{
    enum wf_status st = WF_OK;
    if (e->machine == EM_CUDA)
        w->n_images++;
    for (uint32_t i = 1; st == WF_OK && i < e->n_sections; i++) {
        struct wf__section s;
        if (!wf__elf_section(e, i, &s))
            continue;
        w->is_relocatable = strcmp(s.name, "__nv_relfatbin") == 0;
        if (w->is_relocatable || strcmp(s.name, ".nv_fatbin") == 0)
            st = wf__fatbin_walk(w, s.data, err);
    }
    return st;
}

enum wf_status wf_fatbin_from_file(const char *path, uint32_t arch, struct wf_fatbin *out,
                                   struct wf_err *err)
{
    struct wf_file file;
    struct wf__elf e;
    enum wf_status st = wf_file_read(path, &file, err);
    if (st != WF_OK)
        return st;
    if (!wf__elf_open((struct wf__bytes){(const uint8_t *)file.at, file.n}, &e)) {
        st = wf_fatbin_from_image(file.at, file.n, arch, out, err);
    } else {
        struct wf__walk w = walk_new(out, arch);
        st = finish(&w, walk_file(&w, &e, err), path, err);
    }
    wf_file_fini(&file);
    return st;
}

enum wf_status wf_fatbin_can_run(const char *path, uint32_t arch, struct wf_err *err)
{
    struct wf_fatbin_file about;
    struct wf_fatbin f;
    enum wf_status st = wf_fatbin_probe(path, &about, err);
    if (st != WF_OK)
        return st;
    if (!about.is_elf || !about.is_executable)
        return wf_err_set(err, WF_E_INPUT, "%s is not an executable for this machine", path);
    if (about.has_static_cudart) {
        wf_err_set(err, WF_E_UNSUPPORTED,
                   "%s has NVIDIA's runtime linked into it, which cannot be replaced", path);
        wf_err_hint(err, "rebuild with `nvcc -cudart shared`, or use `warpfence build`");
        return WF_E_UNSUPPORTED;
    }
    if (!about.has_device_code)
        return WF_OK; // a host program, or one whose kernels lie in a library or a file
    st = wf_fatbin_from_file(path, arch, &f, err);
    if (st == WF_OK)
        wf_fatbin_fini(&f);
    return st;
}

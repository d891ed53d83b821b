// SPDX-License-Identifier: Apache-2.0
// Walks fat binaries, chooses the PTX entry of each and gathers register counts from the cubins
// beside it. Layouts: priv.h.
#define _POSIX_C_SOURCE 200809L // strnlen
#include "fatbin/fatbin.h"

#include <string.h> // memcpy

#include "fatbin/priv.h"

// One entry picked out of a fat binary, with the bytes it stands in.
struct found {
    struct wf__entry e;
    struct wf__bytes payload, whole;
};

void wf__fatbin_begin(struct wf_fatbin *f)
{
    memset(f, 0, sizeof *f);
    wf_arena_init(&f->arena, "fatbin");
}

void wf_fatbin_fini(struct wf_fatbin *f)
{
    WF_VEC_FINI(&f->ptx);
    WF_VEC_FINI(&f->regs);
    wf_arena_fini(&f->arena);
}

enum wf_status wf__fatbin_end(struct wf__walk *w, const char *what, struct wf_err *err)
{
    if (w->f->ptx.n)
        return WF_OK;
    if (w->n_empty && !w->n_images)
        return WF_OK;
    if (w->n_images) {
        wf_err_set(err, WF_E_UNSUPPORTED,
                   "%s holds machine code but no PTX, so nothing can run it here", what);
        wf_err_hint(err,
                    "rebuild with -gencode arch=compute_%u,code=compute_%u (or -arch=sm_%u); of NVRTC "
                    "ask PTX, with -arch=compute_%u",
                    w->arch, w->arch, w->arch, w->arch);
    } else {
        wf_err_set(err, WF_E_INPUT, "%s holds no device code", what);
    }
    return err ? err->code : WF_E_UNSUPPORTED;
}

uint32_t wf_fatbin_regs(const struct wf_fatbin *f, const char *kernel, uint32_t arch)
{
    const struct wf_fatbin_regs *best = NULL;
    for (size_t i = 0; i < f->regs.n; i++) {
        const struct wf_fatbin_regs *r = &f->regs.at[i];
        if (r->arch > arch || strcmp(r->kernel, kernel) != 0)
            continue;
        if (!best || r->arch > best->arch || (r->arch == best->arch && r->regs > best->regs))
            best = r;
    }
    return best ? best->regs : 0;
}

// Attributes stand in a row: u8 form, u8 id, then by form a byte or half in place, or u16 length
// and value.
#define NVINFO_SIZED 4
#define NVINFO_REGCOUNT 0x2f

void wf__cubin_regs(struct wf_fatbin *f, uint32_t arch, struct wf__bytes cubin)
{
    struct wf__elf e;
    struct wf__section info, symbols;
    if (!wf__elf_open(cubin, &e) || !wf__elf_find(&e, ".nv.info", &info) ||
        !wf__elf_find_type(&e, SHT_SYMTAB, &symbols))
        return;
    size_t pos = 0;
    while (info.data.n - pos >= 4) {
        const uint8_t *p = info.data.at + pos;
        size_t length = p[0] == NVINFO_SIZED ? (size_t)p[2] | (size_t)p[3] << 8 : 0;
        pos += 4;
        if (length > info.data.n - pos)
            return;
        if (p[0] == NVINFO_SIZED && p[1] == NVINFO_REGCOUNT && length >= 8) {
            uint32_t value[2];
            struct wf__symbol s;
            memcpy(value, p + 4, sizeof value);
            if (wf__elf_symbol(&e, &symbols, value[0], &s) && s.name[0])
                WF_PUSH(&f->regs,
                        (struct wf_fatbin_regs){.kernel = wf_arena_strdup(&f->arena, s.name),
                                                .arch = arch,
                                                .regs = value[1]});
        }
        pos += length;
    }
}

static enum wf_status add_ptx(struct wf__walk *w, const struct found *p, struct wf_err *err)
{
    struct wf__bytes text;
    struct wf_arena *arena = &w->f->arena;
    enum wf_status st = wf__fatbin_unpack(&p->e, p->payload, &w->budget, arena, &text, err);
    if (st != WF_OK)
        return st;
    size_t n = strnlen((const char *)text.at, text.n);
    struct wf__bytes name = wf__slice(p->whole, p->e.name_at, p->e.name_bytes);
    WF_PUSH(&w->f->ptx,
            (struct wf_fatbin_ptx){.text = (const char *)text.at,
                                   .n = n,
                                   .name = wf_arena_strndup(arena, (const char *)name.at, name.n),
                                   .arch = p->e.arch,
                                   .isa_major = p->e.major,
                                   .isa_minor = p->e.minor,
                                   .is_relocatable = w->is_relocatable});
    return WF_OK;
}

// nvcc puts an image without any code or data into programs that link device code and have none.
static bool has_contents(struct wf__bytes image)
{
    struct wf__elf e;
    struct wf__section s;
    if (!wf__elf_open(image, &e))
        return true;
    for (uint32_t i = 1; i < e.n_sections; i++)
        if (wf__elf_section(&e, i, &s) && (strncmp(s.name, ".text.", 6) == 0 ||
                                           strncmp(s.name, ".nv.global", 10) == 0 ||
                                           strncmp(s.name, ".nv.constant", 12) == 0))
            return true;
    return false;
}

static enum wf_status add_cubin(struct wf__walk *w, const struct found *p, struct wf_err *err)
{
    struct wf__bytes image;
    struct wf_arena scratch;
    wf_arena_init(&scratch, "cubin");
    enum wf_status st = wf__fatbin_unpack(&p->e, p->payload, &w->budget, &scratch, &image, err);
    if (st == WF_OK) {
        if (has_contents(image))
            w->n_images++;
        else
            w->n_empty++;
        wf__cubin_regs(w->f, p->e.arch, image);
    }
    wf_arena_fini(&scratch);
    return st;
}

// Highest architecture not above the wanted one; failing that, the lowest there is.
static bool is_better(uint32_t candidate, uint32_t held, uint32_t wanted)
{
    bool fits = candidate <= wanted, held_fits = held <= wanted;
    if (fits != held_fits)
        return fits;
    return fits ? candidate > held : candidate < held;
}

static bool read_entry(struct wf__bytes body, size_t pos, struct found *p)
{
    struct wf__bytes head = wf__slice(body, pos, sizeof p->e);
    if (!head.at)
        return false;
    memcpy(&p->e, head.at, sizeof p->e);
    if (p->e.head_bytes < sizeof p->e)
        return false;
    p->whole = wf__slice(body, pos, body.n - pos);
    p->payload = wf__slice(p->whole, p->e.head_bytes, p->e.payload_bytes);
    return p->payload.at != NULL;
}

enum wf_status wf__fatbin_walk_one(struct wf__walk *w, struct wf__bytes b, size_t *used,
                                   struct wf_err *err)
{
    struct wf__fatbin_head h;
    struct wf__bytes head = wf__slice(b, 0, sizeof h);
    if (!head.at)
        return wf_err_set(err, WF_E_INPUT, "fat binary is cut short");
    memcpy(&h, head.at, sizeof h);
    if (h.magic != WF__FATBIN_MAGIC)
        return wf_err_set(err, WF_E_INPUT, "not a fat binary (it begins with 0x%08x)", h.magic);
    if (h.version != 1 || h.head_bytes < sizeof h)
        return wf_err_set(err, WF_E_UNSUPPORTED, "fat binary of unknown version %u", h.version);
    struct wf__bytes body = wf__slice(b, h.head_bytes, h.body_bytes);
    if (!body.at)
        return wf_err_set(err, WF_E_INPUT, "fat binary is cut short");
    *used = h.head_bytes + body.n;

    struct found best = {0}, p;
    bool has_ptx = false;
    for (size_t pos = 0; pos < body.n; pos += p.e.head_bytes + (size_t)p.e.payload_bytes) {
        if (!read_entry(body, pos, &p))
            return wf_err_set(err, WF_E_INPUT, "fat binary entry at offset %zu is damaged", pos);
        if (p.e.kind == WF__ENTRY_PTX) {
            if (!has_ptx || is_better(p.e.arch, best.e.arch, w->arch))
                best = p;
            has_ptx = true;
            continue;
        }
        if (p.e.kind != WF__ENTRY_CUBIN) {
            w->n_images++;
            continue;
        }
        enum wf_status st = add_cubin(w, &p, err);
        if (st != WF_OK)
            return st;
    }
    return has_ptx ? add_ptx(w, &best, err) : WF_OK;
}

enum wf_status wf__fatbin_walk(struct wf__walk *w, struct wf__bytes b, struct wf_err *err)
{
    static const uint8_t magic[4] = {0x50, 0xed, 0x55, 0xba};
    size_t pos = 0;
    while (b.n - pos >= sizeof(struct wf__fatbin_head)) {
        if (memcmp(b.at + pos, magic, sizeof magic) != 0) {
            pos += 8; // linkers align and pad by eights
            if (pos > b.n)
                break;
            continue;
        }
        size_t used;
        enum wf_status st =
            wf__fatbin_walk_one(w, (struct wf__bytes){b.at + pos, b.n - pos}, &used, err);
        if (st != WF_OK)
            return st;
        pos += (used + 7) & ~(size_t)7;
        if (pos > b.n)
            break;
    }
    return WF_OK;
}

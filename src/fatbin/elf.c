// SPDX-License-Identifier: Apache-2.0
// The ELF view. Structures are copied out with memcpy because offsets in a hostile file need not be
// aligned; every range goes through wf__slice, whose comparisons cannot overflow.
#include "fatbin/elf.h"

#include <string.h> // memcpy

struct wf__bytes wf__slice(struct wf__bytes b, uint64_t off, uint64_t len)
{
    if (off > b.n || len > b.n - off)
        return (struct wf__bytes){NULL, 0};
    return (struct wf__bytes){b.at + off, (size_t)len};
}

const char *wf__string_at(struct wf__bytes strings, uint64_t off)
{
    if (off >= strings.n)
        return "";
    const char *s = (const char *)strings.at + off;
    return memchr(s, 0, strings.n - (size_t)off) ? s : "";
}

static bool read_at(struct wf__bytes b, uint64_t off, void *to, size_t n)
{
    struct wf__bytes part = wf__slice(b, off, n);
    if (!part.at)
        return false;
    memcpy(to, part.at, n);
    return true;
}

bool wf__elf_open(struct wf__bytes image, struct wf__elf *e)
{
    Elf64_Ehdr h;
    memset(e, 0, sizeof *e);
    if (!read_at(image, 0, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    e->image = image;
    e->type = h.e_type;
    e->machine = h.e_machine;
    if (!h.e_shoff || h.e_shentsize != sizeof(Elf64_Shdr))
        return true; // sections stripped: legal, nothing to find
    e->section_table = h.e_shoff;
    Elf64_Shdr first;
    if (!read_at(image, h.e_shoff, &first, sizeof first))
        return true;
    // Counts that do not fit the header stand in section 0 (ELF, "Section Header Table").
    uint64_t count = h.e_shnum ? h.e_shnum : first.sh_size;
    uint64_t room = (image.n - h.e_shoff) / sizeof first;
    e->n_sections = (uint32_t)(count < room ? count : room);
    uint32_t names = h.e_shstrndx == SHN_XINDEX ? first.sh_link : h.e_shstrndx;
    struct wf__section s;
    if (wf__elf_section(e, names, &s))
        e->names = s.data;
    return true;
}

bool wf__elf_section(const struct wf__elf *e, uint32_t index, struct wf__section *out)
{
    Elf64_Shdr h;
    if (index >= e->n_sections ||
        !read_at(e->image, e->section_table + (uint64_t)index * sizeof h, &h, sizeof h))
        return false;
    out->name = wf__string_at(e->names, h.sh_name);
    out->type = h.sh_type;
    out->link = h.sh_link;
    out->entry_size = h.sh_entsize;
    out->data = h.sh_type == SHT_NOBITS ? (struct wf__bytes){NULL, 0}
                                        : wf__slice(e->image, h.sh_offset, h.sh_size);
    return true;
}

bool wf__elf_find(const struct wf__elf *e, const char *name, struct wf__section *out)
{
    for (uint32_t i = 1; i < e->n_sections; i++)
        if (wf__elf_section(e, i, out) && strcmp(out->name, name) == 0)
            return true;
    return false;
}

bool wf__elf_find_type(const struct wf__elf *e, uint32_t type, struct wf__section *out)
{
    for (uint32_t i = 1; i < e->n_sections; i++)
        if (wf__elf_section(e, i, out) && out->type == type)
            return true;
    return false;
}

bool wf__elf_symbol(const struct wf__elf *e, const struct wf__section *table, uint32_t index,
                    struct wf__symbol *out)
{
    Elf64_Sym s;
    struct wf__section strings;
    if (!read_at(table->data, (uint64_t)index * sizeof s, &s, sizeof s) ||
        !wf__elf_section(e, table->link, &strings))
        return false;
    out->name = wf__string_at(strings.data, s.st_name);
    out->section = s.st_shndx;
    out->type = ELF64_ST_TYPE(s.st_info);
    return true;
}

const char *wf__elf_needed(const struct wf__elf *e, const char *prefix)
{
    struct wf__section dynamic, strings;
    if (!wf__elf_find_type(e, SHT_DYNAMIC, &dynamic) || !wf__elf_section(e, dynamic.link, &strings))
        return NULL;
    Elf64_Dyn d;
    for (uint64_t off = 0; read_at(dynamic.data, off, &d, sizeof d) && d.d_tag != DT_NULL;
         off += sizeof d) {
        if (d.d_tag != DT_NEEDED)
            continue;
        const char *name = wf__string_at(strings.data, d.d_un.d_val);
        if (strncmp(name, prefix, strlen(prefix)) == 0)
            return name;
    }
    return NULL;
}

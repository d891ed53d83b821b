// SPDX-License-Identifier: Apache-2.0
// A bounds-checked view of a 64-bit little-endian ELF image: sections, symbols, needed libraries.
// Borrows the bytes; allocates nothing. What does not fit inside the image does not exist.
#ifndef WF_FATBIN_ELF_H
#define WF_FATBIN_ELF_H

#include <elf.h>     // Elf64_Ehdr
#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint8_t

struct wf__bytes {
    const uint8_t *at;
    size_t n;
};

struct wf__elf {
    struct wf__bytes image;
    uint64_t section_table; // offset
    uint32_t n_sections;
    struct wf__bytes names; // section name strings
    uint16_t type, machine;
};

struct wf__section {
    const char *name; // "" when damaged
    uint32_t type, link;
    uint64_t entry_size;
    struct wf__bytes data; // n = 0 for NOBITS and for damaged ranges
};

struct wf__symbol {
    const char *name; // "" when damaged
    uint16_t section; // SHN_UNDEF: imported
    uint8_t type;     // STT_FUNC, ...
};

// `len` bytes at `off`, or {NULL, 0} when they are not all there.
struct wf__bytes wf__slice(struct wf__bytes b, uint64_t off, uint64_t len);
// A NUL-terminated string at `off`, or "".
const char *wf__string_at(struct wf__bytes strings, uint64_t off);

bool wf__elf_open(struct wf__bytes image, struct wf__elf *e);
bool wf__elf_section(const struct wf__elf *e, uint32_t index, struct wf__section *out);
bool wf__elf_find(const struct wf__elf *e, const char *name, struct wf__section *out);
bool wf__elf_find_type(const struct wf__elf *e, uint32_t type, struct wf__section *out);
// Symbol `index` of a symbol table section.
bool wf__elf_symbol(const struct wf__elf *e, const struct wf__section *table, uint32_t index,
                    struct wf__symbol *out);
// A DT_NEEDED name that begins with `prefix`, or NULL.
const char *wf__elf_needed(const struct wf__elf *e, const char *prefix);

#endif

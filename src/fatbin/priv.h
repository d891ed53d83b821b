// SPDX-License-Identifier: Apache-2.0
// Container layouts and what the files of this folder share.
#ifndef WF_FATBIN_PRIV_H
#define WF_FATBIN_PRIV_H

#include "fatbin/elf.h"
#include "fatbin/fatbin.h"

#define WF__WRAPPER_MAGIC 0x466243b1u
#define WF__FATBIN_MAGIC 0xba55ed50u

enum wf__entry_kind { WF__ENTRY_PTX = 1, WF__ENTRY_CUBIN = 2, WF__ENTRY_LTOIR = 8 };

// Flags of an entry.
#define WF__FLAG_64BIT 0x1u
#define WF__FLAG_DEBUG 0x2u
#define WF__FLAG_LINUX 0x10u
#define WF__FLAG_LZ4 0x2000u
#define WF__FLAG_ZSTD 0x8000u

struct wf__wrapper {
    uint32_t magic, version;
    const void *data;
    const void *more; // version 2: NULL-terminated array of fat binaries
};

struct wf__fatbin_head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t body_bytes;
};

struct wf__entry {
    uint16_t kind, form; // form: 0x0101
    uint32_t head_bytes;
    uint64_t payload_bytes; // padded to 8
    uint32_t packed_bytes;  // 0 when stored
    uint32_t options_at;    // second header, or 0
    uint16_t minor, major;
    uint32_t arch;
    uint32_t name_at, name_bytes;
    uint64_t flags, reserved, raw_bytes;
};

// What one call may unpack in all: a container is refused rather than allowed to eat the machine.
#define WF__UNPACK_LIMIT (1ull << 30)

// Unpacks one entry's payload into `arena` with a NUL behind it. *budget shrinks by the bytes made.
enum wf_status wf__fatbin_unpack(const struct wf__entry *e, struct wf__bytes payload,
                                 uint64_t *budget, struct wf_arena *arena, struct wf__bytes *out,
                                 struct wf_err *err);

// Collects from containers; `f` grows.
struct wf__walk {
    struct wf_fatbin *f;
    uint32_t arch;
    bool is_relocatable;
    uint64_t budget;
    uint32_t n_images; // entries seen that are not PTX
    uint32_t n_empty; // images without code and data
};
// All fat binaries that stand in a row in `b`; padding between them is skipped.
enum wf_status wf__fatbin_walk(struct wf__walk *w, struct wf__bytes b, struct wf_err *err);
// One fat binary at the start of `b`; *used is its whole length.
enum wf_status wf__fatbin_walk_one(struct wf__walk *w, struct wf__bytes b, size_t *used,
                                   struct wf_err *err);
// Register counts of every kernel of a cubin.
void wf__cubin_regs(struct wf_fatbin *f, uint32_t arch, struct wf__bytes cubin);

// The rest of the loaded object that `p` lies in, or a range limited by nothing but
// WF__UNPACK_LIMIT.
struct wf__bytes wf__mapped_from(const void *p);

void wf__fatbin_begin(struct wf_fatbin *f);
// WF_OK when there is PTX, else the sentence and the cure.
enum wf_status wf__fatbin_end(struct wf__walk *w, const char *what, struct wf_err *err);

#endif

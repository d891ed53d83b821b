// SPDX-License-Identifier: Apache-2.0
// Writes a fat binary of one PTX entry, for programs that are built without NVIDIA's tools.
#include <stdio.h>  // sscanf
#include <stdlib.h> // free
#include <string.h> // memcpy
#include <zstd.h>   // ZSTD_compress

#include "base/bits.h" // wf_align_up
#include "fatbin/fatbin.h"
#include "fatbin/priv.h"

static void pad8(struct wf_str *s, size_t start)
{
    while ((s->n - start) % 8)
        wf_str_addc(s, 0);
}

// The entry's header, but for the sizes of the payload.
static struct wf__entry entry_of(const char *text, size_t name_bytes, uint32_t arch)
{
    struct wf__entry e = {.kind = WF__ENTRY_PTX,
                          .form = 0x0101,
                          .head_bytes = (uint32_t)wf_align_up(sizeof e + name_bytes, 8),
                          .arch = arch,
                          .name_at = name_bytes ? (uint32_t)sizeof e : 0,
                          .name_bytes = (uint32_t)name_bytes,
                          .flags = WF__FLAG_64BIT | WF__FLAG_LINUX};
    const char *version = strstr(text, ".version");
    if (version)
        sscanf(version, ".version %hu.%hu", &e.major, &e.minor);
    return e;
}

static void write_entry(struct wf_str *out, const struct wf__entry *e, const char *name,
                        const char *payload, size_t n)
{
    size_t start = out->n;
    struct wf__fatbin_head h = {.magic = WF__FATBIN_MAGIC,
                                .version = 1,
                                .head_bytes = sizeof h,
                                .body_bytes = e->head_bytes + e->payload_bytes};
    wf_str_addn(out, (const char *)&h, sizeof h);
    wf_str_addn(out, (const char *)e, sizeof *e);
    wf_str_addn(out, name, e->name_bytes);
    pad8(out, start);
    wf_str_addn(out, payload, n);
    pad8(out, start);
}

enum wf_status wf_fatbin_wrap(const char *text, size_t n, const char *name, uint32_t arch,
                              bool is_compressed, struct wf_str *out, struct wf_err *err)
{
    enum wf_status st = WF_OK;
    size_t raw = n + 1; // the NUL travels with the text, as nvcc has it
    char *with_nul = wf_xmalloc(raw), *packed = NULL;
    memcpy(with_nul, text, n);
    with_nul[n] = 0;
    struct wf__entry e = entry_of(with_nul, name ? strlen(name) : 0, arch);
    if (!is_compressed) {
        e.payload_bytes = wf_align_up(raw, 8);
        write_entry(out, &e, name ? name : "", with_nul, raw);
        goto out;
    }
    size_t bound = ZSTD_compressBound(raw);
    packed = wf_xmalloc(bound);
    size_t got = ZSTD_compress(packed, bound, with_nul, raw, 3);
    if (ZSTD_isError(got) || got > UINT32_MAX) {
        st = wf_err_set(err, WF_E_INTERNAL, "Zstandard could not compress %zu bytes", raw);
        goto out;
    }
    e.flags |= WF__FLAG_ZSTD;
    e.raw_bytes = raw;
    e.packed_bytes = (uint32_t)got;
    e.payload_bytes = wf_align_up(got, 8);
    write_entry(out, &e, name ? name : "", packed, got);
out:
    free(packed);
    free(with_nul);
    return st;
}

// SPDX-License-Identifier: Apache-2.0
// Payload of one fat binary entry: stored, LZ4 block (nvcc before 13 and -compress-mode=speed) or
// Zstandard frame (nvcc 13). The size of the result is known beforehand and must be met exactly.
#include <lz4.h>    // LZ4_decompress_safe
#include <string.h> // memcpy
#include <zstd.h>   // ZSTD_decompress

#include "fatbin/priv.h"

// Text compresses well, but an honest container does not reach this; a bomb does.
#define SANE_RATIO 4096u
#define SMALL_BYTES (1u << 20)

static size_t decompress(uint64_t flags, struct wf__bytes from, uint8_t *to, size_t n)
{
    if (flags & WF__FLAG_ZSTD) {
        size_t got = ZSTD_decompress(to, n, from.at, from.n);
        return ZSTD_isError(got) ? 0 : got;
    }
    int got = LZ4_decompress_safe((const char *)from.at, (char *)to, (int)from.n, (int)n);
    return got < 0 ? 0 : (size_t)got;
}

static void *take(struct wf_arena *arena, uint64_t *budget, uint64_t n)
{
    *budget -= n;
    return wf_arena_alloc(arena, (size_t)n + 1);
}

enum wf_status wf__fatbin_unpack(const struct wf__entry *e, struct wf__bytes payload,
                                 uint64_t *budget, struct wf_arena *arena, struct wf__bytes *out,
                                 struct wf_err *err)
{
    bool is_packed = e->flags & (WF__FLAG_LZ4 | WF__FLAG_ZSTD);
    if (!is_packed) {
        if (payload.n > *budget)
            return wf_err_set(err, WF_E_INPUT, "fat binary holds too much device code");
        uint8_t *to = take(arena, budget, payload.n);
        memcpy(to, payload.at, payload.n);
        *out = (struct wf__bytes){to, payload.n};
        return WF_OK;
    }
    struct wf__bytes from = wf__slice(payload, 0, e->packed_bytes);
    if (!from.at || !from.n || from.n > INT32_MAX)
        return wf_err_set(err, WF_E_INPUT, "fat binary entry is cut short");
    if (e->raw_bytes > *budget || e->raw_bytes > INT32_MAX ||
        (e->raw_bytes > SMALL_BYTES && e->raw_bytes / SANE_RATIO > from.n))
        return wf_err_set(err, WF_E_INPUT, "fat binary entry claims to unpack %llu bytes from %zu",
                          (unsigned long long)e->raw_bytes, from.n);
    uint8_t *to = take(arena, budget, e->raw_bytes);
    if (decompress(e->flags, from, to, (size_t)e->raw_bytes) != e->raw_bytes)
        return wf_err_set(err, WF_E_INPUT, "fat binary entry is damaged: it does not decompress");
    *out = (struct wf__bytes){to, (size_t)e->raw_bytes};
    return WF_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Arguments of a kernel given as words.
#include "session/args.h"

#include <errno.h>    // ERANGE
#include <inttypes.h> // PRId64
#include <stdlib.h>   // strtoll
#include <string.h>   // memcpy

#include "base/file.h" // wf_file_read

static const struct {
    char name[4];
    uint8_t bytes;
    char kind; // s, u, f
} types[] = {
    [WF__ARG_S8] = {"s8", 1, 's'},   [WF__ARG_U8] = {"u8", 1, 'u'},
    [WF__ARG_S16] = {"s16", 2, 's'}, [WF__ARG_U16] = {"u16", 2, 'u'},
    [WF__ARG_S32] = {"s32", 4, 's'}, [WF__ARG_U32] = {"u32", 4, 'u'},
    [WF__ARG_S64] = {"s64", 8, 's'}, [WF__ARG_U64] = {"u64", 8, 'u'},
    [WF__ARG_F32] = {"f32", 4, 'f'}, [WF__ARG_F64] = {"f64", 8, 'f'},
};
#define N_TYPES (sizeof types / sizeof *types)
#define MAX_MEMORY (UINT64_C(1) << 38)

unsigned wf__arg_bytes(enum wf__arg_type t)
{
    return types[t].bytes;
}

static bool find_type(const char *name, size_t n, enum wf__arg_type *out)
{
    for (size_t i = 0; i < N_TYPES; i++)
        if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0) {
            *out = (enum wf__arg_type)i;
            return true;
        }
    return false;
}

static bool parse_float(enum wf__arg_type t, const char *text, uint8_t value[8])
{
    char *end;
    double d = strtod(text, &end);
    float f = strtof(text, NULL); // not (float)d: rounded once
    if (t == WF__ARG_F32)
        memcpy(value, &f, sizeof f);
    else
        memcpy(value, &d, sizeof d);
    return end != text && !*end;
}

static bool parse_whole(enum wf__arg_type t, const char *text, uint8_t value[8])
{
    char *end;
    unsigned bits = 8u * types[t].bytes;
    errno = 0;
    if (types[t].kind == 's') {
        long long v = strtoll(text, &end, 0), top = (long long)(UINT64_MAX >> (65 - bits));
        memcpy(value, &v, types[t].bytes); // the machine is little-endian
        return end != text && !*end && errno != ERANGE && v <= top && v >= -top - 1;
    }
    unsigned long long v = strtoull(text, &end, 0);
    memcpy(value, &v, types[t].bytes);
    return text[0] != '-' && end != text && !*end && errno != ERANGE &&
           v <= UINT64_MAX >> (64 - bits);
}

static bool parse_value(enum wf__arg_type t, const char *text, uint8_t value[8])
{
    return types[t].kind == 'f' ? parse_float(t, text, value) : parse_whole(t, text, value);
}

static enum wf_status bad(struct wf_err *err, const char *text, const char *what)
{
    wf_err_set(err, WF_E_USAGE, "--arg %s: %s", text, what);
    wf_err_hint(err, "as in s32:-5, f32:0.5, buf:1024xf32 or out:1024xs32=iota");
    return WF_E_USAGE;
}

static enum wf_status parse_memory(const char *text, const char *p, struct wf__arg *out,
                                   struct wf_err *err)
{
    char *end;
    errno = 0;
    out->count = strtoull(p, &end, 0);
    if (end == p || *p == '-' || *end != 'x' || errno == ERANGE)
        return bad(err, text, "memory is given as COUNTxTYPE");
    const char *type = end + 1;
    size_t n = strcspn(type, "=");
    if (!find_type(type, n, &out->type))
        return bad(err, text, "unknown element type");
    if (out->count == 0 || out->count > MAX_MEMORY / types[out->type].bytes)
        return bad(err, text, "the count must be 1 or more, and at most 256 GiB in all");
    const char *init = type[n] == '=' ? type + n + 1 : NULL;
    if (!init)
        return WF_OK;
    if (strcmp(init, "iota") == 0)
        out->is_iota = true;
    else if (init[0] == '@')
        out->file = init + 1;
    else if (!parse_value(out->type, init, out->value))
        return bad(err, text, "the start value is no number of that type");
    return WF_OK;
}

enum wf_status wf__arg_parse(const char *text, struct wf__arg *out, struct wf_err *err)
{
    *out = (struct wf__arg){0};
    const char *colon = strchr(text, ':');
    if (!colon)
        return bad(err, text, "a type and a colon are missing");
    size_t n = (size_t)(colon - text);
    out->is_output = n == 3 && memcmp(text, "out", 3) == 0;
    out->is_memory = out->is_output || (n == 3 && memcmp(text, "buf", 3) == 0);
    if (out->is_memory)
        return parse_memory(text, colon + 1, out, err);
    if (!find_type(text, n, &out->type))
        return bad(err, text, "unknown type");
    if (!parse_value(out->type, colon + 1, out->value))
        return bad(err, text, "this is no number of that type");
    return WF_OK;
}

static void put_iota(enum wf__arg_type t, uint64_t i, void *to)
{
    float f = (float)i;
    double d = (double)i;
    const void *from = t == WF__ARG_F32   ? (const void *)&f
                       : t == WF__ARG_F64 ? (const void *)&d
                                          : &i;
    memcpy(to, from, types[t].bytes);
}

enum wf_status wf__arg_fill(const struct wf__arg *a, void *to, struct wf_err *err)
{
    size_t each = types[a->type].bytes;
    if (a->file) {
        struct wf_file f;
        enum wf_status rc = wf_file_read(a->file, &f, err);
        if (rc != WF_OK)
            return rc;
        if (f.n == a->count * each)
            memcpy(to, f.at, f.n);
        else
            rc = wf_err_set(err, WF_E_USAGE, "%s holds %zu bytes, but --arg wants %" PRIu64,
                            a->file, f.n, a->count * each);
        wf_file_fini(&f);
        return rc;
    }
    for (uint64_t i = 0; i < a->count; i++) {
        if (a->is_iota)
            put_iota(a->type, i, (char *)to + i * each);
        else
            memcpy((char *)to + i * each, a->value, each);
    }
    return WF_OK;
}

static void print_one(enum wf__arg_type t, const void *at, struct wf_str *out)
{
    int64_t s = 0;
    uint64_t u = 0;
    float f;
    double d;
    unsigned shift = 64 - 8u * types[t].bytes;
    memcpy(&u, at, types[t].bytes);
    switch (types[t].kind) {
    case 's':
        s = (int64_t)(u << shift) >> shift;
        wf_str_printf(out, "%" PRId64, s);
        break;
    case 'u':
        wf_str_printf(out, "%" PRIu64, u);
        break;
    default:
        if (t == WF__ARG_F32) {
            memcpy(&f, at, sizeof f);
            wf_str_printf(out, "%.9g", (double)f);
        } else {
            memcpy(&d, at, sizeof d);
            wf_str_printf(out, "%.17g", d);
        }
    }
}

void wf__arg_print(const struct wf__arg *a, const void *at, uint64_t limit, struct wf_str *out)
{
    uint64_t n = a->count < limit ? a->count : limit;
    for (uint64_t i = 0; i < n; i++) {
        if (i)
            wf_str_addc(out, ' ');
        print_one(a->type, (const char *)at + i * types[a->type].bytes, out);
    }
    if (n < a->count)
        wf_str_printf(out, " ... (%" PRIu64 " more)", a->count - n);
}

enum wf_status wf__dim_parse(const char *what, const char *text, struct wf_dim3 *out,
                             struct wf_err *err)
{
    uint32_t v[3] = {1, 1, 1};
    const char *p = text;
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long long x = strtoull(p, &end, 0);
        bool is_good =
            *p >= '0' && *p <= '9' && end != p && errno != ERANGE && x >= 1 && x <= INT32_MAX;
        if (!is_good || (*end && (*end != ',' || i == 2)))
            return wf_err_set(
                err, WF_E_USAGE,
                "%s wants one to three whole numbers from 1 on, as in 4,2,1, not '%s'", what, text);
        v[i] = (uint32_t)x;
        if (!*end)
            break;
        p = end + 1;
    }
    *out = (struct wf_dim3){v[0], v[1], v[2]};
    return WF_OK;
}

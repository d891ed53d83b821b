// SPDX-License-Identifier: Apache-2.0
// The reader of ops.txt and the generator of inputs. A line is
//     DST SRC... | PTX text with {x,y} alternatives
// DST and SRC are type names, T (first type of the first instruction), T1 (second), T2 (third), TL
// (last), W (twice T), or kinds: n a shift count, len a field length, trig an angle, pred a
// predicate.
#include "values.h"

#include <stdio.h>  // snprintf
#include <stdlib.h> // realloc
#include <string.h> // strchr

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static const uint32_t special_f32[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00001, 0x7f800001, 0xff812345, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001,
    0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x4b000000, 0x4b000001, 0x4effffff,
    0x4f000000, 0xcf000000, 0x5f000000, 0x7e800000, 0x7f000000, 0x20000000, 0x1f800000,
    0x34000000, 0x33800000, 0x40490fdb, 0x477fe000, 0x477ff000, 0x20000001, 0x1ffffffe,
};
static const uint64_t special_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000123,
    0x7ff0000000000001, 0xfff4000000000456, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001,
    0x3fe0000000000000, 0xbfe0000000000000, 0x4004000000000000, 0x41e0000000000000,
    0xc1e0000000000000, 0x41dfffffffc00000, 0x43e0000000000000, 0x43f0000000000000,
    0xc3e0000000000000, 0x7fd0000000000000, 0x3690000000000000, 0x380fffffe0000000,
    0x47efffffe0000000, 0x47efffffefffffff, 0x36a0000000000000, 0x40effc0000000000,
    0x380fffffff800000,
};
static const uint16_t special_f16[] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd23, 0x0001,
    0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x7bff, 0xfbff, 0x3bff, 0x3c01, 0x3800, 0xb800,
    0x4100, 0x6400, 0x6401, 0xffff, 0x7fff, 0x2001, 0x1ffe, 0x7ff7, 0xfff7,
};
static const uint16_t special_bf16[] = {
    0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0xff92,
    0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x7f7f, 0xff7f, 0x3f7f, 0x3f81,
    0x3f00, 0xbf00, 0x4020, 0x4300, 0x7f00, 0xffff, 0x7fff, 0x7ff7, 0xfff7,
};
static const uint64_t special_int[] = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    31,
    32,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffff,
    0xffffff,
    0x1000001,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x20000000000001,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xffffffff00000000,
    0xfffffffffffffffe,
    0xffffffffffffffff,
    0xffffffff80000000,
    0xffffffffffff8000,
    0xffffffffffffff80,
};
static const uint32_t special_count[] = {
    0,  1,  2,  7,  8,   15,  16,  17,  24,  30,   31,         32,         33,
    47, 63, 64, 65, 127, 128, 255, 256, 257, 1000, 0x80000000, 0xffffffff, 0xffffffe0,
};
static const uint32_t special_trig[] = {
    0x00000000, 0x80000000, 0x3f490fdb, 0x3fc90fdb, 0x40490fdb, 0xc0490fdb,
    0x40c90fdb, 0x3a000000, 0x7f800000, 0x7fc00000, 0x00000001, 0x7f7fffff,
    0x4b000000, 0x33800000, 0x3f800000, 0xbf800000, 0x80800000, 0xff800000,
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))
enum shape { SH_INT, SH_F32, SH_F64, SH_F16, SH_BF16, SH_COUNT, SH_TRIG, SH_PRED };

static enum shape shape_of(const char *k)
{
    if (!strncmp(k, "f32", 3) || !strcmp(k, "tf32"))
        return SH_F32;
    if (!strcmp(k, "f64"))
        return SH_F64;
    if (!strncmp(k, "f16", 3))
        return SH_F16;
    if (!strncmp(k, "bf16", 4))
        return SH_BF16;
    if (!strcmp(k, "n") || !strcmp(k, "len"))
        return SH_COUNT;
    if (!strcmp(k, "trig"))
        return SH_TRIG;
    return strcmp(k, "pred") ? SH_INT : SH_PRED;
}

static uint32_t n_special(enum shape s)
{
    static const uint32_t n[] = {
        COUNT(special_int),  COUNT(special_f32),   COUNT(special_f64),  COUNT(special_f16),
        COUNT(special_bf16), COUNT(special_count), COUNT(special_trig), 2};
    return n[s];
}

static uint64_t special(enum shape s, uint32_t i)
{
    switch (s) {
    case SH_INT:
        return special_int[i];
    case SH_F32:
        return special_f32[i];
    case SH_F64:
        return special_f64[i];
    case SH_F16:
        return special_f16[i];
    case SH_BF16:
        return special_bf16[i];
    case SH_COUNT:
        return special_count[i];
    case SH_TRIG:
        return special_trig[i];
    case SH_PRED:
        break;
    }
    return i & 1;
}

static double f32_value(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static uint32_t f32_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

// A random number of the shape: any bits, or of ordinary size.
static uint64_t random_of(enum shape s, uint64_t r)
{
    uint64_t any = mix(r ^ 0x1234567);
    uint32_t pick = (uint32_t)(r >> 8) % 8;
    switch (s) {
    case SH_INT:
        return pick < 4 ? any : any >> (r % 64);
    case SH_F32: // mostly exponents around 1, so that sums and products interact
        return pick < 3 ? (uint32_t)any
                        : ((uint32_t)any & 0x807fffff) | (uint32_t)(118 + r % 20) << 23;
    case SH_F64:
        return pick < 2 ? any
                        : (any & 0x800fffffffffffffull) |
                              (uint64_t)(pick < 4 ? 990 + r % 80 : 1013 + r % 60) << 52;
    case SH_F16:
        return pick < 4 ? any & 0xffff : (any & 0x83ff) | (12 + r % 6) << 10;
    case SH_BF16:
        return pick < 4 ? any & 0xffff : (any & 0x807f) | (122 + r % 10) << 7;
    case SH_COUNT:
        return pick < 6 ? any % 70 : any;
    case SH_TRIG:
        return pick < 1 ? (uint32_t)any
                        : f32_bits((float)((double)(any >> 11) * 0x1p-53 * 12.8 - 6.4));
    case SH_PRED:
        break;
    }
    return any & 1;
}

static uint64_t draw(enum shape s, uint64_t r)
{
    return r % 4 == 0 ? special(s, (uint32_t)(r >> 20) % n_special(s)) : random_of(s, r);
}

static uint64_t f32_product(uint64_t a, uint64_t b) // -(a * b), 0 for NaN
{
    float x = (float)-(f32_value((uint32_t)a) * f32_value((uint32_t)b));
    return x != x ? 0 : f32_bits(x);
}

// Operands that stand in a relation to the others: equal, opposite, near, or cancelling a product.
static uint64_t related(const struct val_op *op, enum shape s, uint32_t i, uint32_t row, uint64_t r)
{
    uint64_t a = val_input(op, 0, row);
    if (i == 2 && s == SH_F32 && !strcmp(op->src[0].kind, "f32"))
        return f32_product(a, val_input(op, 1, row));
    if (i == 2 && s == SH_F64 && !strcmp(op->src[0].kind, "f64")) {
        double x, y;
        uint64_t b = val_input(op, 1, row), u;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x = -(x * y);
        memcpy(&u, &x, 8);
        return x != x ? 0 : u;
    }
    uint64_t top = s == SH_F64 ? 1ull << 63 : s == SH_F32 ? 1u << 31 : 1u << 15;
    return (r >> 9) % 3 == 0   ? a
           : (r >> 9) % 3 == 1 ? a ^ top ^ ((r >> 12) & 3)
                               : a ^ ((r >> 12) & 7);
}

static uint64_t one_input(const struct val_op *op, enum shape s, uint32_t i, uint32_t row,
                          uint64_t salt)
{
    uint32_t n0 = n_special(shape_of(op->src[0].kind)),
             n1 = op->n_src > 1 ? n_special(shape_of(op->src[1].kind)) : 1;
    uint64_t r = mix(((uint64_t)row << 8 | i) + salt * 0x10000000ull);
    if (row < n0 * n1 && salt == 0) { // every pair of special values
        if (i == 0)
            return special(s, row % n0);
        if (i == 1)
            return special(s, row / n0);
    }
    if (i > 0 && r % 5 == 0 && s != SH_COUNT && s != SH_PRED && salt == 0 &&
        shape_of(op->src[0].kind) == s)
        return related(op, s, i, row, r >> 3);
    return draw(s, r >> 3);
}

uint64_t val_input(const struct val_op *op, uint32_t i, uint32_t row)
{
    enum shape s = shape_of(op->src[i].kind);
    uint32_t bits = op->src[i].bits;
    uint64_t v = one_input(op, s, i, row, 0);
    if ((s == SH_F16 || s == SH_BF16) && bits == 32)
        v = (v & 0xffff) | (one_input(op, s, i, row, 1) & 0xffff) << 16;
    if (s == SH_F32 && bits == 64)
        v = (v & 0xffffffff) | one_input(op, s, i, row, 1) << 32;
    if (s == SH_INT && strstr(op->src[i].kind, "x2"))
        v = (v & 0xffff) | (one_input(op, s, i, row, 1) & 0xffff) << 16;
    return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

static uint32_t reg_bits(const char *kind)
{
    if (!strcmp(kind, "pred"))
        return 1;
    if (!strcmp(kind, "n") || !strcmp(kind, "len") || !strcmp(kind, "trig") || strstr(kind, "16x2"))
        return 32;
    if (strstr(kind, "32x2"))
        return 64;
    if (!strncmp(kind, "e4m3", 4) || !strncmp(kind, "e5m2", 4))
        return 16;
    uint32_t bits =
        (uint32_t)atoi(strpbrk(kind, "0123456789") ? strpbrk(kind, "0123456789") : "32");
    return bits < 16 ? 32 : bits; // 8-bit values live in 32-bit registers
}

static int is_type(const char *s, size_t n)
{
    static const char *const names[] = {"b8",    "b16",    "b32",    "b64", "u8",    "u16", "u32",
                                        "u64",   "s8",     "s16",    "s32", "s64",   "f16", "f16x2",
                                        "bf16",  "bf16x2", "tf32",   "f32", "f32x2", "f64", "u16x2",
                                        "s16x2", "e4m3x2", "e5m2x2", "pred"};
    for (uint32_t i = 0; i < COUNT(names); i++)
        if (strlen(names[i]) == n && !strncmp(names[i], s, n))
            return 1;
    return 0;
}

// Type number `want` (0 first, -1 last) of the first instruction of the text.
static void type_of(const char *text, int want, char *out)
{
    const char *p = strchr(text, '.');
    int seen = 0;
    strcpy(out, "b32");
    while (p && *p == '.') {
        size_t n = strcspn(++p, ". ");
        if (is_type(p, n) && (want < 0 || seen++ == want)) {
            memcpy(out, p, n);
            out[n] = 0;
        }
        p += n;
    }
}

static void operand(const char *text, const char *word, struct val_operand *o)
{
    char t[12];
    snprintf(o->kind, sizeof o->kind, "%s", word);
    if (!strcmp(word, "T"))
        type_of(text, 0, o->kind);
    else if (!strcmp(word, "T1"))
        type_of(text, 1, o->kind);
    else if (!strcmp(word, "T2"))
        type_of(text, 2, o->kind);
    else if (!strcmp(word, "TL"))
        type_of(text, -1, o->kind);
    else if (!strcmp(word, "W")) {
        type_of(text, 0, t);
        snprintf(o->kind, sizeof o->kind, "%c%u", t[0], 2 * (unsigned)atoi(t + 1));
    }
    o->bits = reg_bits(o->kind);
}

struct list {
    struct val_op *ops;
    uint32_t n, room;
};

static void add_op(struct list *l, const char *head, const char *text)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 256;
        l->ops = (struct val_op *)realloc(l->ops, l->room * sizeof *l->ops);
    }
    struct val_op *op = &l->ops[l->n++];
    char words[200];
    memset(op, 0, sizeof *op);
    snprintf(op->text, sizeof op->text, "%s", text);
    snprintf(words, sizeof words, "%s", head);
    int at = 0;
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        if (at++ == 0)
            operand(text, w, &op->dst);
        else if (op->n_src < VAL_MAX_SRC)
            operand(text, w, &op->src[op->n_src++]);
    }
}

// Expands the first {x,y,...} of the text, and so on for the rest.
static void expand(struct list *l, const char *head, const char *text)
{
    const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close) {
        add_op(l, head, text);
        return;
    }
    for (const char *p = open + 1; p <= close; p++) {
        size_t n = strcspn(p, ",}");
        char next[400];
        snprintf(next, sizeof next, "%.*s%.*s%s", (int)(open - text), text, (int)n, p, close + 1);
        expand(l, head, next);
        p += n;
    }
}

uint32_t val_read(const char *text, struct val_op **out)
{
    struct list l = {NULL, 0, 0};
    while (*text) {
        size_t n = strcspn(text, "\n");
        char line[600];
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        text += n + (text[n] == '\n');
        char *bar = strstr(line, " | ");
        if (line[0] == '#' || !bar)
            continue;
        *bar = 0;
        expand(&l, line, bar + 3);
    }
    *out = l.ops;
    return l.n;
}

int val_sweep_read(const char *line, struct val_sweep *w)
{
    return sscanf(line, "%x %x %u %x | %99[^\n]", &w->hash, &w->first, &w->count, &w->step,
                  w->text) == 5;
}

void val_body(const struct val_op *op, char *buf, uint32_t n)
{
    static const char names[] = "abce";
    uint32_t at = (uint32_t)snprintf(buf, n, ".reg .b32 t, u; .reg .pred p, q;\n");
    if (op->dst.bits == 1)
        at += (uint32_t)snprintf(buf + at, n - at, ".reg .pred d; .reg .b32 d1;\n");
    else
        at += (uint32_t)snprintf(buf + at, n - at, ".reg .b%u d;\n", op->dst.bits);
    for (uint32_t i = 0; i < op->n_src; i++)
        at += op->src[i].bits == 1
                  ? (uint32_t)snprintf(buf + at, n - at,
                                       ".reg .pred %c; .reg .b32 %c1; setp.ne.u32 %c, %c1, 0;\n",
                                       names[i], names[i], names[i], names[i])
                  : (uint32_t)snprintf(buf + at, n - at, ".reg .b%u %c;\n", op->src[i].bits,
                                       names[i]);
    at += (uint32_t)snprintf(buf + at, n - at, "%s;\n", op->text);
    if (op->dst.bits == 1)
        snprintf(buf + at, n - at, "selp.u32 d1, 1, 0, d;\n");
}

uint32_t val_bytes(const struct val_operand *o)
{
    return o->bits == 1 ? 4 : o->bits / 8;
}

uint32_t val_hash(const void *p, uint32_t n)
{
    const uint8_t *b = (const uint8_t *)p;
    uint64_t h = 0xcbf29ce484222325ull;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ b[i]) * 0x100000001b3ull;
    return (uint32_t)(h ^ (h >> 32));
}

// SPDX-License-Identifier: Apache-2.0
// mma in every shape and type against a plain product, with the ISA's places of the elements; wmma, ldmatrix,
// stmatrix and movmatrix; what is refused. Numbers are small integers, so that every order of summing gives the same.
#include "test.h"

#include "exec/engine.h"

struct form {
    const char *shape, *words, *d, *a, *b, *c;
    unsigned m, n, k, ra, rb, rc, rd; // registers
};

enum { F16, BF16, TF32, F64, U8, S8, U4, S4, B1, E4M3, E5M2, N_TYPES };
static const char *const names[N_TYPES] = {"f16", "bf16", "tf32", "f64", "u8", "s8", "u4", "s4", "b1", "e4m3", "e5m2"};
static const unsigned widths[N_TYPES] = {16, 16, 32, 64, 8, 8, 4, 4, 1, 8, 8};

static int type_of(const char *s)
{
    for (int i = 0; i < N_TYPES; i++)
        if (!strcmp(s, names[i]))
            return i;
    return -1;
}

static uint32_t seed;
static uint32_t next(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 16;
}

// A value that the type holds exactly, and its bits.
static int value(int type)
{
    switch (type) {
    case U8: return (int)(next() % 256);
    case S8: return (int)(next() % 256) - 128;
    case U4: return (int)(next() % 16);
    case S4: return (int)(next() % 16) - 8;
    case B1: return (int)(next() % 2);
    default: return (int)(next() % 9) - 4;
    }
}

static uint64_t bits_of(int type, int v)
{
    float f = (float)v;
    double d = v;
    uint64_t q;
    uint32_t w;
    _Float16 h = (_Float16)f;
    uint16_t s;
    memcpy(&w, &f, 4);
    memcpy(&q, &d, 8);
    memcpy(&s, &h, 2);
    int e = v ? (int)(w >> 23 & 255) - 127 : 0;
    switch (type) {
    case F16: return s;
    case BF16: return w >> 16;
    case TF32: return w | 0x1fff; // the low bits do not count
    case F64: return q;
    case E4M3: return (w >> 31 << 7) | (v ? (uint32_t)(e + 7) << 3 | (w >> 20 & 7) : 0);
    case E5M2: return (w >> 31 << 7) | (v ? (uint32_t)(e + 15) << 2 | (w >> 21 & 3) : 0);
    default: return (uint64_t)(int64_t)v;
    }
}

// The ISA's places: element i of a lane.
static void place_a(const struct form *f, unsigned e, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    *row = lane / 4 + (f->m == 16 && i / e % 2 ? 8 : 0);
    *col = lane % 4 * e + i % e + i / (2 * e) * 4 * e;
}
static void place_b(unsigned e, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    *row = lane % 4 * e + i % e + i / e * 4 * e;
    *col = lane / 4;
}
static void place_c(unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    *row = lane / 4 + i / 2 * 8;
    *col = lane % 4 * 2 + i % 2;
}

static char *vec(char *to, const char *reg, unsigned first, unsigned n)
{
    to += sprintf(to, "{");
    for (unsigned i = 0; i < n; i++)
        to += sprintf(to, "%s%%%s%u", i ? ", " : "", reg, first + i);
    return to + sprintf(to, "}");
}

static int A[16 * 256], B[256 * 8], C[16 * 8];

static bool is_wide(const struct form *f)
{
    return !strcmp(f->a, "f64");
}

// The bits of element i of register r of a lane, r counted through a, b and c.
static uint64_t element(const struct form *f, unsigned r, unsigned lane, unsigned i, unsigned e)
{
    unsigned row, col, first = f->ra + f->rb;
    if (r < f->ra) {
        place_a(f, e, lane, r * e + i, &row, &col);
        return bits_of(type_of(f->a), A[row * f->k + col]);
    }
    if (r < first) {
        place_b(e, lane, (r - f->ra) * e + i, &row, &col);
        return bits_of(type_of(f->b), B[row * f->n + col]);
    }
    place_c(lane, (r - first) * e + i, &row, &col);
    int v = C[row * f->n + col];
    float x = (float)v;
    uint32_t w;
    memcpy(&w, &x, 4);
    return !strcmp(f->c, "s32") ? (uint32_t)v : !strcmp(f->c, "f32") ? w : bits_of(type_of(f->c), v);
}

static void fill(const struct form *f, uint64_t in)
{
    unsigned bytes = is_wide(f) ? 8 : 4, all = f->ra + f->rb + f->rc;
    for (unsigned i = 0; i < f->m * f->k; i++)
        A[i] = value(type_of(f->a));
    for (unsigned i = 0; i < f->n * f->k; i++)
        B[i] = value(type_of(f->b));
    for (unsigned i = 0; i < f->m * f->n; i++)
        C[i] = (int)(next() % 100) - 50;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < all; r++) {
            uint64_t word = 0;
            unsigned half_c = !strcmp(f->c, "f16") ? 16 : bytes * 8;
            unsigned w = r < f->ra ? widths[type_of(f->a)] : r < f->ra + f->rb ? widths[type_of(f->b)] : half_c, e = bytes * 8 / w;
            for (unsigned i = 0; i < e; i++) {
                uint64_t v = element(f, r, lane, i, e);
                word |= (w == 64 ? v : v & ((UINT64_C(1) << w) - 1)) << (i * w);
            }
            memcpy((char *)engine_at(in) + (r * 32 + lane) * bytes, &word, bytes);
        }
}

static void write_body(const struct form *f, char *p)
{
    bool wide = is_wide(f), c_float = !strcmp(f->c, "f32"), d_float = !strcmp(f->d, "f32"), sat = strstr(f->words, "sat");
    unsigned bytes = wide ? 8 : 4, all = f->ra + f->rb + f->rc, c = 10 + f->ra + f->rb;
    p += sprintf(p, "mov.u32 %%r100, %%tid.x; mul.wide.u32 %%d100, %%r100, %u; add.s64 %%p0, %%p0, %%d100; add.s64 %%p1, %%p1, %%d100;\n", bytes);
    for (unsigned r = 0; r < all; r++) {
        p += sprintf(p, "ld.global.b%u %%%s%u, [%%p0+%u];\n", bytes * 8, wide ? "d" : "r", 10 + r, r * 32 * bytes);
        if (wide)
            p += sprintf(p, "mov.b64 %%g%u, %%d%u;\n", 10 + r, 10 + r);
        else if (c_float)
            p += sprintf(p, "mov.b32 %%f%u, %%r%u;\n", 10 + r, 10 + r);
    }
    p += sprintf(p, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s%s ", f->shape, sat ? ".satfinite" : "", f->d, f->a, f->b, f->c, sat ? "" : f->words);
    p = vec(p, wide ? "g" : d_float ? "f" : "r", 60, f->rd);
    *p++ = ',';
    p = vec(p, wide ? "g" : "r", 10, f->ra);
    *p++ = ',';
    p = vec(p, wide ? "g" : "r", 10 + f->ra, f->rb);
    *p++ = ',';
    p = vec(p, wide ? "g" : c_float ? "f" : "r", c, f->rc);
    p += sprintf(p, ";\n");
    for (unsigned r = 0; r < f->rd; r++)
        p += sprintf(p, "st.global.%s%u [%%p1+%u], %%%s%u;\n", wide || d_float ? "f" : "b", bytes * 8, r * 32 * bytes,
                     wide ? "g" : d_float ? "f" : "r", 60 + r);
}

static long long result(const struct form *f, uint64_t out, unsigned lane, unsigned i)
{
    bool half = !strcmp(f->d, "f16");
    const char *q = (char *)engine_at(out) + ((half ? i / 2 : i) * 32 + lane) * (is_wide(f) ? 8 : 4);
    double d;
    float x;
    _Float16 h;
    int32_t n;
    memcpy(&d, q, is_wide(f) ? 8 : 4);
    memcpy(&x, q, 4);
    memcpy(&h, q + (half ? i % 2 * 2 : 0), 2);
    memcpy(&n, q, 4);
    return is_wide(f) ? (long long)d : half ? (long long)h : !strcmp(f->d, "f32") ? (long long)x : n;
}

static void run_form(const struct form *f, uint32_t opt)
{
    char body[6000];
    uint64_t in = engine_alloc((f->ra + f->rb + f->rc) * 32 * 8), out = engine_alloc(f->rd * 32 * 8);
    struct engine_run run = {.n_params = 2, .param = {in, out}, .block = {32, 1, 1}, .opt = opt, .body = body};
    fill(f, in);
    write_body(f, body);
    engine_go(&run);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < f->m * f->n / 32; i++) {
            unsigned row, col;
            place_c(lane, i, &row, &col);
            long long want = C[row * f->n + col], got = result(f, out, lane, i);
            for (unsigned k = 0; k < f->k; k++) {
                int x = A[row * f->k + k], y = B[k * f->n + col];
                want += strcmp(f->a, "b1") ? x * y : strstr(f->words, "and") ? (x & y) : (x ^ y);
            }
            if (got != want) {
                WF_TEST_FAIL("%s.%s.%s.%s: lane %u element %u is %lld, not %lld", f->shape, f->d, f->a, f->b, lane, i, got, want);
                return;
            }
        }
}

WF_TEST(shapes_and_types)
{
    static const struct form forms[] = {
        {"m16n8k8", "", "f32", "f16", "f16", "f32", 16, 8, 8, 2, 1, 4, 4},      {"m16n8k16", "", "f32", "f16", "f16", "f32", 16, 8, 16, 4, 2, 4, 4},
        {"m16n8k8", "", "f16", "f16", "f16", "f16", 16, 8, 8, 2, 1, 2, 2},      {"m16n8k16", "", "f16", "f16", "f16", "f16", 16, 8, 16, 4, 2, 2, 2},
        {"m16n8k8", "", "f32", "bf16", "bf16", "f32", 16, 8, 8, 2, 1, 4, 4},    {"m16n8k16", "", "f32", "bf16", "bf16", "f32", 16, 8, 16, 4, 2, 4, 4},
        {"m16n8k4", "", "f32", "tf32", "tf32", "f32", 16, 8, 4, 2, 1, 4, 4},    {"m16n8k8", "", "f32", "tf32", "tf32", "f32", 16, 8, 8, 4, 2, 4, 4},
        {"m8n8k4", "", "f64", "f64", "f64", "f64", 8, 8, 4, 1, 1, 2, 2},        {"m16n8k4", "", "f64", "f64", "f64", "f64", 16, 8, 4, 2, 1, 4, 4},
        {"m16n8k8", "", "f64", "f64", "f64", "f64", 16, 8, 8, 4, 2, 4, 4},      {"m16n8k16", "", "f64", "f64", "f64", "f64", 16, 8, 16, 8, 4, 4, 4},
        {"m8n8k16", "", "s32", "u8", "s8", "s32", 8, 8, 16, 1, 1, 2, 2},        {"m16n8k16", "", "s32", "s8", "u8", "s32", 16, 8, 16, 2, 1, 4, 4},
        {"m16n8k32", "sat", "s32", "s8", "s8", "s32", 16, 8, 32, 4, 2, 4, 4},   {"m16n8k32", "", "s32", "u8", "u8", "s32", 16, 8, 32, 4, 2, 4, 4},
        {"m8n8k32", "", "s32", "u4", "s4", "s32", 8, 8, 32, 1, 1, 2, 2},        {"m16n8k32", "", "s32", "s4", "s4", "s32", 16, 8, 32, 2, 1, 4, 4},
        {"m16n8k64", "", "s32", "s4", "u4", "s32", 16, 8, 64, 4, 2, 4, 4},      {"m8n8k128", ".xor.popc", "s32", "b1", "b1", "s32", 8, 8, 128, 1, 1, 2, 2},
        {"m16n8k128", ".and.popc", "s32", "b1", "b1", "s32", 16, 8, 128, 2, 1, 4, 4}, {"m16n8k256", ".xor.popc", "s32", "b1", "b1", "s32", 16, 8, 256, 4, 2, 4, 4},
        {"m16n8k32", "", "f32", "e4m3", "e5m2", "f32", 16, 8, 32, 4, 2, 4, 4},
    };
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        ENGINE_EACH_LEVEL(o)
        {
            seed = i + 1;
            run_form(&forms[i], o);
        }
}

// d = a * b with a and b by ldmatrix, straight and transposed, and d by stmatrix: a product of 16 x 16 by 16 x 8.
WF_TEST(matrices_from_shared_memory)
{
    uint64_t out = engine_alloc(16 * 8 * 4 + 16 * 8 * 2 + 128);
    ENGINE_EACH_LEVEL(o)
    {
        // a[i][k] = i - k, b[k][j] = k * j % 5, halves; lane l fills row l / 2.
        struct engine_run r = {.n_params = 1, .param = {out}, .block = {32, 1, 1}, .opt = o,
            .declarations = ".shared .align 16 .b8 a[512]; .shared .align 16 .b8 b[256]; .shared .align 16 .b8 c[256];", .body =
            "mov.u32 %r1, %tid.x; mov.u32 %r2, a; mov.u32 %r3, b; mov.u32 %r50, c; shr.u32 %r4, %r1, 1; and.b32 %r5, %r1, 1; mov.u32 %r6, 0;\n"
            "FILL: mad.lo.u32 %r7, %r5, 8, %r6; sub.s32 %r8, %r4, %r7; cvt.rn.f16.s32 %h1, %r8;\n"
            "mad.lo.u32 %r9, %r4, 16, %r7; mad.lo.u32 %r9, %r9, 2, %r2; st.shared.b16 [%r9], %h1;\n"
            "add.u32 %r6, %r6, 1; setp.lt.u32 %q1, %r6, 8; @%q1 bra FILL; mov.u32 %r6, 0;\n"
            "FILB: mad.lo.u32 %r7, %r5, 4, %r6; mul.lo.u32 %r8, %r4, %r7; rem.u32 %r8, %r8, 5; cvt.rn.f16.u32 %h1, %r8;\n"
            "mad.lo.u32 %r9, %r4, 8, %r7; mad.lo.u32 %r9, %r9, 2, %r3; st.shared.b16 [%r9], %h1;\n"
            "add.u32 %r6, %r6, 1; setp.lt.u32 %q1, %r6, 4; @%q1 bra FILB; bar.sync 0;\n"
            // rows 0-7, 8-15 of the left half, then of the right half
            "and.b32 %r10, %r1, 15; shr.u32 %r11, %r1, 4; mad.lo.u32 %r12, %r10, 32, %r2; mad.lo.u32 %r12, %r11, 16, %r12;\n"
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r12];\n"
            "mad.lo.u32 %r13, %r10, 16, %r3; ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r24, %r25}, [%r13];\n"
            "mov.f32 %f1, 0f00000000;\n"
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f10, %f11, %f12, %f13}, {%r20, %r21, %r22, %r23}, {%r24, %r25}, {%f1, %f1, %f1, %f1};\n"
            "shr.u32 %r30, %r1, 2; and.b32 %r31, %r1, 3; mad.lo.u32 %r32, %r30, 4, %r31; mul.wide.u32 %d1, %r32, 8; add.s64 %d1, %p0, %d1;\n"
            "st.global.v2.f32 [%d1], {%f10, %f11}; st.global.v2.f32 [%d1+256], {%f12, %f13};\n"
            "cvt.rn.f16x2.f32 %r40, %f11, %f10; cvt.rn.f16x2.f32 %r41, %f13, %f12;\n"
            "mad.lo.u32 %r42, %r10, 16, %r50; stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r42], {%r40, %r41}; bar.sync 0;\n"
            "mad.lo.u32 %r43, %r1, 8, %r50; ld.shared.b64 %d2, [%r43]; mul.wide.u32 %d3, %r1, 8; add.s64 %d3, %p0, %d3; st.global.b64 [%d3+512], %d2;\n"
            "movmatrix.sync.aligned.m8n8.trans.b16 %r44, %r40; mul.wide.u32 %d4, %r1, 4; add.s64 %d4, %p0, %d4; st.global.b32 [%d4+768], %r44;\n"};
        engine_go(&r);
        const float *d = engine_at(out);
        const _Float16 *t = engine_at(out + 512), *v = engine_at(out + 768);
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 8; j++) {
                int want = 0;
                for (int k = 0; k < 16; k++)
                    want += (i - k) * (k * j % 5);
                CHECK_EQ((int)d[i * 8 + j], want);
                CHECK_EQ((int)t[(i / 8 * 8 + j) * 8 + i % 8], want); // each half transposed
                if (i < 8)
                    CHECK_EQ((int)v[j * 8 + i], want);
            }
    }
}

// Loads, multiplies and stores 16 x 16 (32 x 8, 8 x 32) matrices by wmma; layouts and strides differ.
WF_TEST(wmma)
{
    static const struct {
        const char *shape, *la, *lb, *lc;
        unsigned m, n;
    } rows[] = {{"m16n16k16", "row", "col", "row", 16, 16}, {"m32n8k16", "col", "row", "col", 32, 8}, {"m8n32k16", "row", "row", "row", 8, 32}};
    uint64_t mem = engine_alloc(16384);
    uint32_t opt = 0;
    for (unsigned s = 0; s < 3; s++, opt = 2) {
        unsigned m = rows[s].m, n = rows[s].n, la = rows[s].la[0] == 'r' ? 16 : m, lb = rows[s].lb[0] == 'r' ? n + 8 : 24, lc = rows[s].lc[0] == 'r' ? n : m;
        _Float16 *a = engine_at(mem), *b = engine_at(mem + 2048);
        float *c = engine_at(mem + 6144), *d = engine_at(mem + 10240);
        for (unsigned i = 0; i < m; i++)
            for (unsigned k = 0; k < 16; k++)
                a[rows[s].la[0] == 'r' ? i * la + k : k * la + i] = (_Float16)((int)(i * 3 + k) % 7 - 3);
        for (unsigned k = 0; k < 16; k++)
            for (unsigned j = 0; j < n; j++)
                b[rows[s].lb[0] == 'r' ? k * lb + j : j * lb + k] = (_Float16)((int)(k + j * 5) % 9 - 4);
        for (unsigned i = 0; i < m * n; i++)
            c[i] = (float)i;
        char body[3000], *p = body;
#define WMMA(...) p += sprintf(p, __VA_ARGS__)
        WMMA("wmma.load.a.sync.aligned.%s.%s.global.f16 ", rows[s].la, rows[s].shape);
        p = vec(p, "r", 10, 8);
        WMMA(", [%%p0]%s;\nmov.u32 %%r1, %u; wmma.load.b.sync.aligned.%s.%s.f16 ", "", lb, rows[s].lb, rows[s].shape);
        p = vec(p, "r", 20, 8);
        WMMA(", [%%p0+2048], %%r1;\nwmma.load.c.sync.aligned.%s.%s.global.f32 ", rows[s].lc, rows[s].shape);
        p = vec(p, "f", 10, 8);
        WMMA(", [%%p0+6144], %u;\nwmma.mma.sync.aligned.%s.%s.%s.f32.f32 ", lc, rows[s].la, rows[s].lb, rows[s].shape);
        p = vec(p, "f", 20, 8);
        WMMA(", ");
        p = vec(p, "r", 10, 8);
        WMMA(", ");
        p = vec(p, "r", 20, 8);
        WMMA(", ");
        p = vec(p, "f", 10, 8);
        WMMA(";\nwmma.store.d.sync.aligned.%s.%s.global.f32 [%%p0+10240], ", rows[s].lc, rows[s].shape);
        p = vec(p, "f", 20, 8);
        WMMA(", %u;\n", lc);
        struct engine_run r = {.n_params = 1, .param = {mem}, .block = {64, 1, 1}, .opt = opt, .body = body};
        engine_go(&r);
        for (unsigned i = 0; i < m; i++)
            for (unsigned j = 0; j < n; j++) {
                unsigned at = rows[s].lc[0] == 'r' ? i * lc + j : j * lc + i;
                int want = (int)at;
                for (unsigned k = 0; k < 16; k++)
                    want += ((int)(i * 3 + k) % 7 - 3) * ((int)(k + j * 5) % 9 - 4);
                CHECK_EQ((int)d[at], want);
            }
    }
}

WF_TEST(what_is_refused)
{
    static const char *const rows[][2] = {
        {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r1,%r2}, {%f1,%f2,%f3,%f4}, %r1, 0;", "sp"},
        {"wgmma.fence.sync.aligned;", "wgmma"},
    };
    for (unsigned i = 0; i < 2; i++) {
        struct wf_err err = {0};
        struct engine_run r = {.block = {32, 1, 1}, .body = rows[i][0]};
        CHECK_EQ(engine_try(&r, &err), WF_RUN_UNSUPPORTED);
        CHECK_HAS(err.text, rows[i][1]);
    }
}

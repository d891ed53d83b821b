// SPDX-License-Identifier: Apache-2.0
// Products of matrices (PTX ISA 9.7.14.5): fragments to matrices, the product, and back.
//
// Which elements a lane holds is the ISA's for mma. For wmma, where the ISA leaves it open, fragments are the matrix
// row by row, the lanes' elements one after the other, beginning anew when the matrix is at its end.
//
// Sums. Integers are exact. Products of halves, bf16, tf32 and fp8 are exact; they are added in rising k to the
// accumulator in double precision and rounded once, to nearest even, to d's type. (The tensor cores of a GPU
// shift products to the largest exponent and cut off bits, in a way that differs between generations: results
// may differ in the last bits.) f64 is one fused multiply-add a product, in rising k, rounded as said.

#include <fenv.h>   // fesetround
#include <math.h>   // fma
#include <stdatomic.h> // atomic_load_explicit
#include <string.h> // memcpy

#include "base/arena.h" // wf_xmalloc
#include "exec/matrix.h"

enum { MAX_A = 32 * 256, MAX_C = 32 * 32 };

static unsigned elems_per_reg(unsigned type)
{
    unsigned bits = ptx_type_bits((enum ptx_type)type);
    return type == PTX_T_F64 ? 1 : type == PTX_T_B1 ? 32 : 32 / bits;
}

// Element i of a lane's fragment in rows x cols of operand `part`.
struct spot {
    unsigned row, col;
};

// mma.m8n8k4 of halves: four products side by side, by quads of lanes (PTX ISA 9.7.14.5.1).
static struct spot quad_spot(const struct wf_matrix *x, char part, unsigned lane, unsigned i)
{
    unsigned low = lane % 4, up = lane >= 16 ? 4 : 0;
    if (part == 'a')
        return x->col_a ? (struct spot){i + up, low} : (struct spot){low + up, i};
    if (part == 'b')
        return x->col_b ? (struct spot){i, low + up} : (struct spot){low, i + up};
    unsigned type = part == 'c' ? x->c : x->d;
    if (type == PTX_T_F16)
        return (struct spot){low + up, i};
    return (struct spot){(lane & 1) + (i & 2) + up, (i & 4) + (lane & 2) + (i & 1)};
}

static struct spot mma_spot(const struct wf_matrix *x, char part, unsigned lane, unsigned i)
{
    unsigned g = lane / 4, t = lane % 4, e = part == 'a' ? elems_per_reg(x->a) : elems_per_reg(x->b), r = i / e, j = i % e;
    if (part == 'a')
        return x->m == 8 ? (struct spot){g, t * e + j} : (struct spot){g + 8 * (r & 1), (r >> 1) * 4 * e + t * e + j};
    if (part == 'b')
        return (struct spot){r * 4 * e + t * e + j, g};
    return (struct spot){g + 8 * (i / 2), t * 2 + i % 2};
}

struct frag { // an operand: `n` elements a lane
    unsigned rows, cols, n, type;
    char part;
};

static struct frag frag_of(const struct wf_matrix *x, char part)
{
    struct frag f = {.part = part};
    f.rows = part == 'b' ? x->k : x->m;
    f.cols = part == 'a' ? x->k : x->n;
    f.type = part == 'a' ? x->a : part == 'b' ? x->b : part == 'c' ? x->c : x->d;
    f.n = f.rows * f.cols / 32;
    if (x->what == WF_MATRIX_WMMA && f.type == PTX_T_F16 && part < 'c')
        f.n = 16;
    if (x->what == WF_MATRIX_MMA && exec__is_quads(x))
        f.n = part < 'c' ? 4 : 8;
    if (f.n == 0)
        f.n = 1;
    return f;
}

bool exec__is_quads(const struct wf_matrix *x)
{
    return x->what == WF_MATRIX_MMA && x->m == 8 && x->k == 4 && x->a == PTX_T_F16;
}

// Place of element i of a lane in the matrix, row by row.
static unsigned index_of(const struct wf_matrix *x, const struct frag *f, unsigned lane, unsigned i)
{
    if (x->what == WF_MATRIX_WMMA)
        return (lane * f->n + i) % (f->rows * f->cols);
    struct spot s = exec__is_quads(x) ? quad_spot(x, f->part, lane, i) : mma_spot(x, f->part, lane, i);
    return s.row * f->cols + s.col;
}

// The operands of one form of instruction, with the places of all their elements: made once, kept for good.
struct plan {
    uint64_t code;
    struct plan *next;
    struct frag frag[4]; // a b c d
    unsigned regs[4];
    uint16_t *at[4]; // [element * 32 + lane]
};

static struct plan *make_plan(const struct wf_matrix *x, uint64_t code)
{
    struct plan *p = wf_xcalloc(1, sizeof *p);
    p->code = code;
    for (unsigned k = 0; k < 4; k++) {
        struct frag f = frag_of(x, "abcd"[k]);
        unsigned e = elems_per_reg(f.type);
        p->at[k] = wf_xmalloc(sizeof(uint16_t) * 32 * f.n);
        for (unsigned i = 0; i < f.n; i++)
            for (unsigned lane = 0; lane < 32; lane++)
                p->at[k][i * 32 + lane] = (uint16_t)index_of(x, &f, lane, i);
        p->frag[k] = f;
        p->regs[k] = (f.n + e - 1) / e;
    }
    return p;
}

static const struct plan *plan_of(const struct wf_matrix *x)
{
    static struct plan *_Atomic plans;
    uint64_t code = wf_matrix_code(x);
    struct plan *head = atomic_load_explicit(&plans, memory_order_acquire), *p = head;
    while (p && p->code != code)
        p = p->next;
    if (p)
        return p;
    p = make_plan(x, code);
    do { // two threads may make the same one: both are right
        p->next = head;
    } while (!atomic_compare_exchange_weak(&plans, &head, p));
    return p;
}

static uint32_t bits_of(const struct frag *f, const void *const *regs, unsigned lane, unsigned i)
{
    unsigned e = elems_per_reg(f->type), w = 32 / e;
    uint32_t word = ((const uint32_t *)regs[i / e])[lane];
    return w == 32 ? word : word >> (i % e * w) & ((1u << w) - 1);
}

static double number(unsigned type, uint32_t v)
{
    float f;
    switch (type) {
    case PTX_T_F16: {
        uint32_t s = (v & 0x8000) << 16, m = v & 0x7fff;
        if (m >= 0x7c00)
            s |= 0x7f800000 | (m & 0x3ff) << 13;
        else
            s |= m << 13;
        memcpy(&f, &s, 4);
        return (m >= 0x7c00 ? 1.0 : 0x1p112) * (double)f; // subnormals too
    }
    case PTX_T_BF16:
        v <<= 16;
        break;
    case PTX_T_TF32:
        v &= 0xffffe000; // the low bits do not count
        break;
    case PTX_T_E4M3: {
        unsigned e = v >> 3 & 15, m = v & 7;
        double d = (v & 0x7f) == 0x7f ? (double)NAN : e ? ldexp(8 + m, (int)e - 10) : ldexp(m, -9);
        return v & 0x80 ? -d : d;
    }
    case PTX_T_E5M2:
        return number(PTX_T_F16, v << 8);
    default:
        break;
    }
    memcpy(&f, &v, 4);
    return (double)f;
}

static int integer(unsigned type, uint32_t v)
{
    unsigned bits = ptx_type_bits((enum ptx_type)type);
    return ptx_type_kind((enum ptx_type)type) == 'S' ? (int)(int32_t)(v << (32 - bits)) >> (32 - bits) : (int)v;
}

static uint32_t half_bits(double d)
{
    _Float16 h = (_Float16)d;
    uint16_t v;
    memcpy(&v, &h, 2);
    return d != d ? 0x7fff : v;
}

static uint32_t float_bits(double d)
{
    float f = (float)d;
    uint32_t v;
    memcpy(&v, &f, 4);
    return d != d ? 0x7fffffff : v;
}

// ---- floating point ----

// The numbers in one register of all lanes: element i to to[i * 32 + lane].
static void widen(unsigned type, const uint32_t *word, double *to)
{
    unsigned e = elems_per_reg(type), w = 32 / e;
    if (type == PTX_T_F16) {
        for (unsigned i = 0; i < 2; i++)
            for (unsigned l = 0; l < 32; l++)
                to[i * 32 + l] = number(PTX_T_F16, word[l] >> 16 * i & 0xffff);
        return;
    }
    for (unsigned i = 0; i < e; i++)
        for (unsigned l = 0; l < 32; l++)
            to[i * 32 + l] = number(type, w == 32 ? word[l] : word[l] >> i * w & ((1u << w) - 1));
}

// quad: of mma.m8n8k4, whose four products have lanes of their own; 4: all lanes.
static bool is_of(unsigned quad, unsigned lane)
{
    return quad == 4 || lane % 16 / 4 == quad;
}

static void take_numbers(const struct plan *p, unsigned k, const void *const *regs, unsigned quad, double *to)
{
    const struct frag *f = &p->frag[k];
    unsigned e = elems_per_reg(f->type);
    double v[4 * 32];
    for (unsigned r = 0; r < p->regs[k]; r++) {
        widen(f->type, regs[r], v);
        for (unsigned i = 0; i < e; i++)
            for (unsigned l = 0; l < 32; l++)
                if (is_of(quad, l))
                    to[p->at[k][(r * e + i) * 32 + l]] = v[i * 32 + l];
    }
}

#define ROW(N)                                                                                                         \
    for (unsigned k = 0; k < x->k; k++)                                                                                \
        for (unsigned j = 0; j < N; j++)                                                                               \
            c[j] += a[k] * b[k * N + j]

#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static void multiply(const struct wf_matrix *x, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (unsigned i = 0; i < x->m; i++, a += x->k, c += x->n) {
        if (x->n == 8)
            ROW(8);
        else
            ROW(x->n);
    }
}

static void put_numbers(const struct plan *p, const double *c, unsigned quad, void *const *dst)
{
    const struct frag *f = &p->frag[3];
    unsigned e = elems_per_reg(f->type);
    for (unsigned i = 0; i < f->n; i++)
        for (unsigned l = 0; l < 32; l++) {
            uint32_t *to = (uint32_t *)dst[i / e] + l;
            double v = c[p->at[3][i * 32 + l]];
            if (!is_of(quad, l))
                continue;
            if (e == 1)
                *to = float_bits(v);
            else
                *to = i % 2 ? (*to & 0xffff) | half_bits(v) << 16 : half_bits(v);
        }
}

static void floats(const struct wf_matrix *x, const struct plan *p, const void *const *src, void *const *dst)
{
    double a[32 * 32], b[32 * 32], c[MAX_C];
    bool quads = exec__is_quads(x);
    for (unsigned q = quads ? 0 : 4; q < (quads ? 4 : 5); q++) {
        take_numbers(p, 0, src, q, a);
        take_numbers(p, 1, src + p->regs[0], q, b);
        take_numbers(p, 2, src + p->regs[0] + p->regs[1], q, c);
        multiply(x, a, b, c);
        put_numbers(p, c, q, dst);
    }
}

static void doubles(const struct wf_matrix *x, const struct plan *p, const void *const *src, void *const *dst)
{
    double a[32 * 16], b[32 * 16], c[MAX_C];
    double *to[3] = {a, b, c};
    unsigned r = 0;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned i = 0; i < p->frag[k].n; i++, r++)
            for (unsigned lane = 0; lane < 32; lane++)
                to[k][p->at[k][i * 32 + lane]] = ((const double *)src[r])[lane];
    int mode = fegetround();
    char rnd = (char)('a' + x->rnd);
    fesetround(rnd == 'z' ? FE_TOWARDZERO : rnd == 'm' ? FE_DOWNWARD : rnd == 'p' ? FE_UPWARD : FE_TONEAREST);
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < x->n; j++)
            for (unsigned k = 0; k < x->k; k++)
                c[i * x->n + j] = fma(a[i * x->k + k], b[k * x->n + j], c[i * x->n + j]);
    fesetround(mode);
    for (unsigned i = 0; i < p->frag[3].n; i++)
        for (unsigned lane = 0; lane < 32; lane++)
            ((double *)dst[i])[lane] = c[p->at[3][i * 32 + lane]];
}

// ---- integers ----

static int32_t narrowed(int64_t v, bool saturates)
{
    if (saturates)
        v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    return (int32_t)(uint32_t)(uint64_t)v;
}

static int64_t dot(const struct wf_matrix *x, const int16_t *a, const int16_t *b)
{
    int64_t s = 0;
    for (unsigned k = 0; k < x->k; k++) {
        int p = a[k], q = b[(size_t)k * x->n];
        s += x->a != PTX_T_B1 ? p * q : x->is_and ? (p & q) : (p ^ q);
    }
    return s;
}

static void integers(const struct wf_matrix *x, const struct plan *p, const void *const *src, void *const *dst)
{
    static _Thread_local int16_t ab[2][MAX_A];
    int64_t c[MAX_C];
    const void *const *regs = src;
    for (unsigned k = 0; k < 2; k++) {
        const struct frag *f = &p->frag[k];
        for (unsigned i = 0; i < f->n; i++)
            for (unsigned lane = 0; lane < 32; lane++)
                ab[k][p->at[k][i * 32 + lane]] = (int16_t)integer(f->type, bits_of(f, regs, lane, i));
        regs += p->regs[k];
    }
    unsigned n = p->frag[2].n;
    for (unsigned i = 0; i < n; i++)
        for (unsigned lane = 0; lane < 32; lane++)
            c[p->at[2][i * 32 + lane]] = ((const int32_t *)regs[i])[lane];
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < x->n; j++)
            c[i * x->n + j] += dot(x, &ab[0][(size_t)i * x->k], &ab[1][j]);
    for (unsigned i = 0; i < n; i++)
        for (unsigned lane = 0; lane < 32; lane++)
            ((int32_t *)dst[i])[lane] = narrowed(c[p->at[3][i * 32 + lane]], x->satfinite);
}

void exec__multiply(const struct wf_matrix *x, const void *const *src, void *const *dst)
{
    const struct plan *p = plan_of(x);
    if (x->d == PTX_T_F64)
        doubles(x, p, src, dst);
    else if (x->d == PTX_T_S32)
        integers(x, p, src, dst);
    else
        floats(x, p, src, dst);
}

// SPDX-License-Identifier: Apache-2.0
// Video instructions on the halves and bytes of a register (PTX ISA 9.7.18.2 to 9.7.18.10): vadd2, vset4 and
// their kin. Parts of both sources are picked by selectors (.b7654: digits from 4 on, or 2 on for halves,
// are parts of the second source), widened by their type, worked on, and merged into the third.
#include <string.h> // strlen

#include "jit/elem.h"

struct simd {
    const struct ir_insn *in;
    const struct ptx_insn *text; // for the selectors; NULL: none are written
    unsigned n, bits;            // parts of a register and their width
};

static bool is_signed_type(const struct ir_insn *in, unsigned k)
{
    return e_is_signed((enum ptx_type)in->m.type[k]);
}

static const char *selector(const struct simd *v, unsigned operand)
{
    return v->text && operand < v->text->n_x ? v->text->x[operand].text : NULL;
}

// Part i as operand 1 (a) or 2 (b) selects it, widened.
static jv part(struct jit *j, const struct simd *v, jv *s, unsigned operand, unsigned i, bool sgn)
{
    const char *sel = selector(v, operand);
    unsigned from = i + (operand == 2 ? v->n : 0);
    if (sel && strlen(sel) == v->n + 1u) // the leftmost digit is the highest part
        from = (unsigned)(sel[v->n - i] - '0');
    jv word = s[from / v->n % 2];
    unsigned at = from % v->n * v->bits;
    jv up = e_shlk(j, word, 32 - v->bits - at), n = e_k(j, 32 - v->bits, word);
    return sgn ? e_ashr(j, up, n) : e_lshr(j, up, n);
}

static bool is_masked_in(const struct simd *v, unsigned i)
{
    const char *mask = selector(v, 0);
    return !mask || strchr(mask + 1, (int)('0' + i)) != NULL;
}

static jv compare(struct jit *j, const struct ir_insn *in, jv a, jv b)
{
    jv yes;
    switch ((int)in->m.cmp - 1) {
    case PTX_M_EQ: yes = e_eq(j, a, b); break;
    case PTX_M_NE: yes = e_ne(j, a, b); break;
    case PTX_M_LT: yes = e_slt(j, a, b); break;
    case PTX_M_LE: yes = e_sle(j, a, b); break;
    case PTX_M_GT: yes = e_sgt(j, a, b); break;
    default: yes = e_sge(j, a, b); break;
    }
    return e_zext(j, yes, 32);
}

// Parts have at most 17 bits with their sign: 32 hold every result.
static jv work(struct jit *j, const struct ir_insn *in, jv a, jv b)
{
    switch ((int)in->op) {
    case PTX_O_VADD2: case PTX_O_VADD4:
        return e_add(j, a, b);
    case PTX_O_VSUB2: case PTX_O_VSUB4:
        return e_sub(j, a, b);
    case PTX_O_VAVRG2: case PTX_O_VAVRG4: { // halves go up where the sum is not negative
        jv sum = e_add(j, a, b), up = e_zext(j, e_sge(j, sum, e_k(j, 0, sum)), 32);
        return e_ashr(j, e_add(j, sum, up), e_k(j, 1, sum));
    }
    case PTX_O_VABSDIFF2: case PTX_O_VABSDIFF4:
        return e_sel(j, e_slt(j, a, b), e_sub(j, b, a), e_sub(j, a, b));
    case PTX_O_VMIN2: case PTX_O_VMIN4:
        return e_sel(j, e_slt(j, a, b), a, b);
    case PTX_O_VMAX2: case PTX_O_VMAX4:
        return e_sel(j, e_slt(j, a, b), b, a);
    default:
        return compare(j, in, a, b);
    }
}

static jv saturated(struct jit *j, const struct simd *v, jv r)
{
    bool sgn = is_signed_type(v->in, 0);
    int64_t hi = sgn ? (INT64_C(1) << (v->bits - 1)) - 1 : (INT64_C(1) << v->bits) - 1, lo = sgn ? -hi - 1 : 0;
    r = e_intrin2(j, "llvm.smin", r, e_k(j, (uint64_t)hi, r));
    return e_intrin2(j, "llvm.smax", r, e_k(j, (uint64_t)lo & UINT32_MAX, r));
}

EMIT(simd_video)
{
    bool is_set = in->op == PTX_O_VSET2 || in->op == PTX_O_VSET4, adds = PTX_IS(in->m.sub, ADD);
    struct simd v = {.in = in, .text = in->aux, .n = 4, .bits = 8};
    switch ((int)in->op) {
    case PTX_O_VADD2: case PTX_O_VSUB2: case PTX_O_VAVRG2: case PTX_O_VABSDIFF2: case PTX_O_VMIN2: case PTX_O_VMAX2:
    case PTX_O_VSET2:
        v.n = 2;
        v.bits = 16;
        break;
    default:
        break;
    }
    uint64_t part_mask = (UINT64_C(1) << v.bits) - 1, kept = 0;
    jv r = adds ? s[2] : e_k(j, 0, s[0]);
    for (unsigned i = 0; i < v.n; i++) {
        if (!is_masked_in(&v, i)) {
            kept |= part_mask << (i * v.bits);
            continue;
        }
        // vset has no type of the result.
        jv a = part(j, &v, s, 1, i, is_signed_type(in, is_set ? 0 : 1));
        jv b = part(j, &v, s, 2, i, is_signed_type(in, is_set ? 1 : 2));
        jv x = work(j, in, a, b);
        if (adds) {
            r = e_add(j, r, x);
            continue;
        }
        if (e_has(in, PTX_M_SAT))
            x = saturated(j, &v, x);
        r = e_or(j, r, e_shlk(j, e_andk(j, x, part_mask), i * v.bits));
    }
    d[0] = adds || !kept ? r : e_or(j, r, e_andk(j, s[2], kept));
}

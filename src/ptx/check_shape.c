// SPDX-License-Identifier: Apache-2.0
// How many registers a fragment has (wmma, mma, wgmma, ldmatrix, tcgen05) and how many coordinates
// a texture, surface or tensor takes. A fragment of r x c elements is spread evenly over the warp.
#include <stdio.h>  // sscanf
#include <string.h> // strncmp

#include "ptx/check.h"
#include "ptx/parser.h"

struct shape {
    unsigned m, n, k;
};

static struct shape shape_of(const struct ptx_opcode *o)
{
    struct shape s = {0, 0, 0};
    for (int i = 0; i < o->m.n_words; i++) {
        if (o->m.words[i] >= PTX_WORD_TYPE)
            continue;
        const char *word = ptx_mod_name((enum ptx_mod)o->m.words[i]);
        if (sscanf(word, "m%3un%3uk%3u", &s.m, &s.n, &s.k) == 3)
            return s;
    }
    return (struct shape){0, 0, 0};
}

static bool has(const struct ptx_opcode *o, enum ptx_mod m)
{
    return ptx_has(&o->m, m);
}

// Registers a lane holds of `elements`, spread over `lanes`.
static unsigned spread(const struct ptx_opcode *o, unsigned elements, enum ptx_type type,
                       unsigned lanes)
{
    unsigned bits = ptx_type_bits(type);
    if (type == PTX_T_E2M1 && !has(o, PTX_M_KIND_F8F6F4) && !has(o, PTX_M_KIND_MXF8F6F4))
        bits = 4; // packed only in the kinds made for it
    unsigned total = elements * bits / lanes, reg = type == PTX_T_F64 ? 64 : 32;
    return total < reg ? 1 : total / reg;
}

static unsigned wmma_count(const struct ptx_opcode *o, unsigned operand)
{
    struct shape s = shape_of(o);
    bool is_mma = has(o, PTX_M_MMA), is_short = o->m.n_types == 2; // .mma of f16 names d and c only
    char part = "dabc"[operand & 3];
    unsigned type = operand;
    if (!is_mma) {
        part = has(o, PTX_M_A) ? 'a' : has(o, PTX_M_MODB) ? 'b' : 'c';
        type = 0;
    } else if (is_short) {
        if (part == 'a' || part == 'b')
            return 8;
        type = operand == 3;
    }
    enum ptx_type t = (enum ptx_type)o->m.type[type];
    if (t == PTX_T_F16 && (part == 'a' || part == 'b'))
        return 8; // every element is held twice
    unsigned elements = part == 'a' ? s.m * s.k : part == 'b' ? s.k * s.n : s.m * s.n;
    return spread(o, elements, t, 32);
}

static unsigned mma_count(const struct ptx_opcode *o, unsigned operand)
{
    struct shape s = shape_of(o);
    enum ptx_type t = (enum ptx_type)o->m.type[operand & 3];
    if (s.m == 8 && s.k == 4 && t != PTX_T_F64) // four matrices at once
        return operand == 1 || operand == 2 ? 2 : t == PTX_T_F32 ? 8 : 4;
    unsigned elements = operand == 1 ? s.m * s.k : operand == 2 ? s.k * s.n : s.m * s.n;
    if (operand == 1 && (has(o, PTX_M_SP) || has(o, PTX_M_SP_ORDERED_METADATA)))
        elements /= 2;
    return spread(o, elements, t, 32);
}

static unsigned times_of(const struct ptx_opcode *o)
{
    static const struct {
        enum ptx_mod word;
        unsigned n;
    } row[] = {{PTX_M_X1, 1},   {PTX_M_X2, 2},   {PTX_M_X4, 4},   {PTX_M_X8, 8},
               {PTX_M_X16, 16}, {PTX_M_X32, 32}, {PTX_M_X64, 64}, {PTX_M_X128, 128}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (has(o, row[i].word))
            return row[i].n;
    }
    return 0;
}

static unsigned tcgen05_count(const struct ptx_opcode *o)
{
    if (!has(o, PTX_M_LD) && !has(o, PTX_M_ST))
        return 0;
    return times_of(o) * (has(o, PTX_M_T16X128B) ? 2 : has(o, PTX_M_T16X256B) ? 4 : 1);
}

// Registers in the vector that operand `i` must be; 0 when there is no rule.
static unsigned fragment_count(const struct ptx_opcode *o, const struct ptx_insn *in, unsigned i)
{
    switch ((int)o->op) {
    case PTX_O_WMMA:
        return in->x[i].kind == PTX_X_VECTOR ? wmma_count(o, i) : 0;
    case PTX_O_MMA:
        return i < 4 ? mma_count(o, i) : 0;
    case PTX_O_WGMMA:
        return i == 0 && has(o, PTX_M_MMA_ASYNC)
                   ? spread(o, 64 * shape_of(o).n, (enum ptx_type)o->m.type[0], 128)
                   : 0;
    case PTX_O_LDMATRIX:
        return i == 0 ? times_of(o) * (has(o, PTX_M_M16N16) ? 2 : 1) : 0;
    case PTX_O_STMATRIX:
        return i == 1 ? times_of(o) : 0;
    case PTX_O_TCGEN05:
        return i == (has(o, PTX_M_ST) ? in->n_x - 1u : 0) ? tcgen05_count(o) : 0;
    case PTX_O_CVT: // .rs of four values
        return in->x[i].kind == PTX_X_VECTOR ? 4 : 0;
    case PTX_O_TEX:
    case PTX_O_TLD4:
        return i == 0 && in->x[0].kind == PTX_X_VECTOR ? o->m.vec : 0;
    default:
        return 0;
    }
}

static unsigned coordinate_count(const struct ptx_opcode *o)
{
    bool is_tensor = has(o, PTX_M_TENSOR);
    if (has(o, PTX_M_TILE_GATHER4) || has(o, PTX_M_TILE_SCATTER4))
        return 5;
    if (has(o, PTX_M_D1))
        return 1;
    if (has(o, PTX_M_D2) || has(o, PTX_M_A1D))
        return 2;
    if (has(o, PTX_M_D3))
        return is_tensor ? 3 : 4;
    if (has(o, PTX_M_D5))
        return 5;
    return 4;
}

bool ptx__check_shape(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_opcode *o,
                      const struct ptx_insn *in)
{
    for (unsigned i = 0; i < in->n_x; i++) {
        const struct ptx_operand *x = &in->x[i];
        const struct ptx_token *place = i < PTX_MAX_PLACES ? &p->place[i] : at;
        unsigned want = fragment_count(o, in, i);
        if (want != 0 && (x->kind != PTX_X_VECTOR || x->n_elem != want))
            return ptx_lex_fail(&p->lx, place, "operand %u of '%s': a vector of %u is wanted",
                                i + 1, o->text, want);
        const struct ptx_operand *last =
            x->kind == PTX_X_MEM && x->n_elem > 0 ? &x->elem[x->n_elem - 1] : NULL;
        if (last == NULL || last->kind != PTX_X_VECTOR)
            continue;
        want = coordinate_count(o);
        bool is_surface = o->op == PTX_O_SULD || o->op == PTX_O_SUST || o->op == PTX_O_SURED;
        if (is_surface ? last->n_elem < want
                       : last->n_elem != want) // surfaces may get one too many
            return ptx_lex_fail(&p->lx, place,
                                "operand %u of '%s': %u coordinates are wanted, not %u", i + 1,
                                o->text, want, last->n_elem);
    }
    return true;
}

// SPDX-License-Identifier: Apache-2.0
// In blocks whose rows are a multiple of 16 threads long, the lower and the upper half of a warp lie in one row each.
// Values that no lane shape describes, base[half] + step * (lane in the half) for a constant step, then come from
// tid.x and tid.y in any mixture: addresses of tiles. Known here is the step. Optimistic, like the shapes.
//
// The step of a 64-bit value holds unless a 32-bit index in it wraps inside a half, which who uses it has to ask: then the
// last lane is not where the step says.

#include "ir/ir_priv.h"

#define MOST (INT64_C(1) << 31) // steps; a wrapped index then cannot come round to the right place

enum { UNDEF, KNOWN, NONE };

struct step {
    uint8_t state;
    int64_t by;
};

static const struct step none = {NONE, 0};

static struct step known(int64_t by)
{
    return by >= MOST || by <= -MOST ? none : (struct step){KNOWN, by};
}

static struct step of_sreg(const struct ir_src *s)
{
    switch ((int)s->sreg) {
    case PTX_SR_TID:
        return known(s->comp == 0);
    case PTX_SR_LANEID:
        return known(1);
    case PTX_SR_LANEMASK_EQ: case PTX_SR_LANEMASK_LE: case PTX_SR_LANEMASK_LT: case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        return none;
    default:
        return known(0);
    }
}

static struct step of_src(const struct ir_func *f, const struct step *s, const struct ir_src *x)
{
    if (x->is_negated)
        return none;
    if (x->kind == IR_S_SREG)
        return of_sreg(x);
    if (x->kind != IR_S_REG)
        return known(0);
    switch (f->regs[x->reg].shape) {
    case IR_UNI:
        return known(0);
    case IR_AFF:
        return known(f->regs[x->reg].stride);
    case IR_WAFF:
        return known((int64_t)((uint64_t)f->regs[x->reg].stride * (uint64_t)f->regs[x->reg].scale));
    default:
        return s[x->reg];
    }
}

static struct step sum(struct step a, struct step b, int sign)
{
    if (a.state != KNOWN || b.state != KNOWN)
        return a.state == NONE || b.state == NONE ? none : (struct step){UNDEF, 0};
    return known(a.by + sign * b.by);
}

static struct step times(struct step a, int64_t k)
{
    if (a.state != KNOWN)
        return a;
    return k > INT32_MAX || k < INT32_MIN ? none : known(a.by * k);
}

// A product with a constant, or of values that are the same throughout a half.
static struct step product(const struct ir_func *f, const struct step *s, const struct ir_insn *in)
{
    struct step a = of_src(f, s, &in->src[0]), b = of_src(f, s, &in->src[1]);
    bool is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S';
    for (int i = 0; i < 2; i++)
        if (in->src[i].kind == IR_S_IMM) {
            int64_t k = (int64_t)in->src[i].bits;
            if (ptx_type_bits((enum ptx_type)in->type) == 32)
                k = is_signed ? (int64_t)(int32_t)k : (int64_t)(uint32_t)k;
            return times(i ? a : b, k);
        }
    if (a.state != KNOWN || b.state != KNOWN)
        return sum(a, b, 1);
    return a.by || b.by ? none : known(0);
}

static struct step all_the_same(const struct ir_func *f, const struct step *s, const struct ir_insn *in)
{
    struct step all = known(0);
    if (!ir_is_pure(in) || in->n_more)
        return none;
    for (uint32_t i = 0; i < in->n_src; i++) {
        struct step x = of_src(f, s, &in->src[i]);
        if (x.state == NONE || (x.state == KNOWN && x.by))
            return none;
        if (x.state == UNDEF)
            all = x;
    }
    return all;
}

static bool is_plain_int(const struct ir_insn *in)
{
    char k = ptx_type_kind((enum ptx_type)in->type);
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    return (k == 'U' || k == 'S' || k == 'B') && (bits == 32 || bits == 64) && !ptx_has(&in->m, PTX_M_SAT) &&
           !ptx_has(&in->m, PTX_M_CC) && !ptx_has(&in->m, PTX_M_HI) && in->type != PTX_T_S16X2 && in->type != PTX_T_U16X2;
}

static bool is_plain_cvt(const struct ir_func *f, const struct ir_insn *in)
{
    if (in->m.n_types != 2 || in->src[0].kind != IR_S_REG || ptx_has(&in->m, PTX_M_SAT))
        return false;
    for (int i = 0; i < 2; i++) {
        char k = ptx_type_kind((enum ptx_type)in->m.type[i]);
        unsigned bits = ptx_type_bits((enum ptx_type)in->m.type[i]);
        if ((k != 'U' && k != 'S') || (bits != 32 && bits != 64) || bits != f->regs[i ? in->src[0].reg : in->dst[0]].bits)
            return false;
    }
    return true;
}

static struct step of_insn(const struct ir_func *f, const struct step *s, const struct ir_insn *in)
{
    struct step a = of_src(f, s, &in->src[0]);
    if (in->n_dst != 1 || in->dst[0] == IR_NONE || in->is_partial)
        return none;
    if (in->kind == IR_K_MOVE)
        return ptx_type_bits((enum ptx_type)in->type) == f->regs[in->dst[0]].bits &&
                       (in->src[0].kind != IR_S_REG || f->regs[in->src[0].reg].bits == f->regs[in->dst[0]].bits)
                   ? a
                   : all_the_same(f, s, in);
    if (in->kind != IR_K_OP)
        return all_the_same(f, s, in);
    switch ((int)in->op) {
    case PTX_O_CVTA:
        return in->space == PTX_SP_SHARED_CLUSTER ? none : a;
    case PTX_O_CVT:
        return is_plain_cvt(f, in) ? a : all_the_same(f, s, in);
    case PTX_O_ADD: case PTX_O_SUB:
        if (is_plain_int(in))
            return sum(a, of_src(f, s, &in->src[1]), in->op == PTX_O_ADD ? 1 : -1);
        break;
    case PTX_O_MUL:
        if (is_plain_int(in))
            return product(f, s, in);
        break;
    case PTX_O_MAD:
        if (is_plain_int(in) && in->n_src == 3)
            return sum(product(f, s, in), of_src(f, s, &in->src[2]), 1);
        break;
    case PTX_O_SHL:
        if (is_plain_int(in) && in->src[1].kind == IR_S_IMM && in->src[1].bits < 31)
            return times(a, INT64_C(1) << in->src[1].bits);
        break;
    default:
        break;
    }
    return all_the_same(f, s, in);
}

static struct step join(struct step a, struct step b)
{
    if (a.state == UNDEF)
        return b;
    if (b.state == UNDEF || (a.state == b.state && a.by == b.by))
        return a;
    return none;
}

// After the branches that may part a warp are known.
void ir__rows(struct wf_arena *a, struct ir_func *f, const struct ir_opts *o)
{
    if (!o->blocks.rows_of_16 || !o->blocks.whole_warps)
        return;
    struct wf_arena_mark mark = wf_arena_mark(a);
    struct step *s = WF_NEW_N(a, struct step, f->n_regs + 1);
    for (uint32_t r = 0; r < f->n_regs; r++) // lanes may have come to another value of theirs at another time
        if (!f->regs[r].n_defs || (f->has_divergence && !f->regs[r].is_remat))
            s[r] = none;
    for (uint32_t q = 0; q < f->n_params; q++)
        s[f->param_reg[q]] = none;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                for (uint32_t d = 0; d < in->n_dst; d++) {
                    uint32_t r = in->dst[d];
                    if (r == IR_NONE)
                        continue;
                    struct step x = join(s[r], of_insn(f, s, in));
                    changed |= x.state != s[r].state || x.by != s[r].by;
                    s[r] = x;
                }
            }
    }
    for (uint32_t r = 0; r < f->n_regs; r++)
        if (f->regs[r].shape == IR_VEC && s[r].state == KNOWN) {
            f->regs[r].has_row_step = true;
            f->regs[r].row_step = s[r].by;
        }
    wf_arena_rewind(a, mark);
}

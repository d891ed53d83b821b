// SPDX-License-Identifier: Apache-2.0
// Predicates: what comparisons of integers say about the threads (PTX ISA, setp).
#include "prove/machine.h"

static struct pred *new_pred(struct machine *m)
{
    struct pred *p = WF_NEW(m->s.arena, struct pred);
    p->known = -1;
    return p;
}

const struct pred *prove__pred_unknown(struct machine *m)
{
    return new_pred(m);
}

static const struct pred *constant(struct machine *m, bool value)
{
    struct pred *p = new_pred(m);
    p->known = value;
    p->yes.is_exact = p->no.is_exact = true;
    return p;
}

const struct pred *prove__pred_not(struct machine *m, const struct pred *a)
{
    struct pred *p = new_pred(m);
    p->known = a->known < 0 ? a->known : !a->known;
    p->yes = a->no;
    p->no = a->yes;
    return p;
}

const struct pred *prove__pred_both(struct machine *m, const struct pred *a, const struct pred *b, bool is_or)
{
    if (is_or)
        return prove__pred_not(m, prove__pred_both(m, prove__pred_not(m, a), prove__pred_not(m, b), false));
    if (a->known == 0 || b->known == 0)
        return constant(m, false);
    if (a->known == 1)
        return b;
    if (b->known == 1)
        return a;
    struct pred *p = new_pred(m);
    p->yes = a->yes;
    prove__conds_add(&m->s, &p->yes, &b->yes);
    return p;
}

// Where one side says the same to all its threads, the opposite comes from the other side: how "a || b" is made of branches.
const struct pred *prove__pred_either(struct machine *m, const struct pred *a, const struct conds *ca, const struct pred *b,
                                      const struct conds *cb)
{
    if (a->known >= 0 && a->known == b->known)
        return a;
    if (a->known < 0) {
        const struct pred *t = a;
        a = b;
        b = t;
        cb = ca;
    }
    struct pred *p = new_pred(m);
    if (a->known < 0)
        return p;
    struct conds *c = a->known ? &p->no : &p->yes;
    *c = *cb;
    if (b->known < 0)
        prove__conds_add(&m->s, c, a->known ? &b->no : &b->yes);
    return p;
}

// a - b compared with 0.
static const struct pred *of_difference(struct machine *m, const struct form *d, int cmp)
{
    struct pred *p = new_pred(m);
    if (!d->is_known)
        return p;
    const struct form *back = prove__scaled(&m->s, 64, d, -1, 0);
    p->yes.is_exact = p->no.is_exact = true;
    switch (cmp) {
    case PTX_M_GE:
        if (d->min >= 0 || d->max < 0)
            return constant(m, d->min >= 0);
        prove__conds_at_least(&m->s, &p->yes, d, 0);
        prove__conds_at_least(&m->s, &p->no, back, 1);
        return p;
    case PTX_M_GT:
        if (d->min > 0 || d->max <= 0)
            return constant(m, d->min > 0);
        prove__conds_at_least(&m->s, &p->yes, d, 1);
        prove__conds_at_least(&m->s, &p->no, back, 0);
        return p;
    default: // EQ
        if (d->min > 0 || d->max < 0 || (!d->min && !d->max))
            return constant(m, !d->min && !d->max);
        prove__conds_at_least(&m->s, &p->yes, d, 0);
        prove__conds_at_least(&m->s, &p->yes, back, 0);
        p->no.is_exact = false;
        if (d->min == 0) {
            p->no.is_exact = d->lo == d->hi;
            prove__conds_at_least(&m->s, &p->no, d, 1);
        } else if (d->max == 0) {
            p->no.is_exact = d->lo == d->hi;
            prove__conds_at_least(&m->s, &p->no, back, 1);
        }
        return p;
    }
}

static const struct pred *compared(struct machine *m, const struct ir_insn *in)
{
    enum ptx_type t = (enum ptx_type)in->type;
    char kind = ptx_type_kind(t);
    unsigned bits = ptx_type_bits(t);
    if ((kind != 'S' && kind != 'U' && kind != 'B') || in->n_src < 2)
        return prove__pred_unknown(m);
    bool is_signed = kind == 'S', negated = false;
    int cmp;
    bool swap = false;
    switch (in->m.cmp - 1) {
    case PTX_M_EQ: cmp = PTX_M_EQ; break;
    case PTX_M_NE: cmp = PTX_M_EQ; negated = true; break;
    case PTX_M_GE: cmp = PTX_M_GE; break;
    case PTX_M_GT: cmp = PTX_M_GT; break;
    case PTX_M_LE: cmp = PTX_M_GE; swap = true; break;
    case PTX_M_LT: cmp = PTX_M_GT; swap = true; break;
    case PTX_M_HS: cmp = PTX_M_GE; is_signed = false; break;
    case PTX_M_HI: cmp = PTX_M_GT; is_signed = false; break;
    case PTX_M_LS: cmp = PTX_M_GE; is_signed = false; swap = true; break;
    case PTX_M_LO: cmp = PTX_M_GT; is_signed = false; swap = true; break;
    default: return prove__pred_unknown(m);
    }
    const struct form *a = prove__as(&m->s, prove__operand(m, &in->src[0], bits), is_signed);
    const struct form *b = prove__as(&m->s, prove__operand(m, &in->src[1], bits), is_signed);
    if (cmp == PTX_M_EQ && bits == 64) { // equal as one means equal as the other
        a = prove__operand(m, &in->src[0], bits);
        b = prove__operand(m, &in->src[1], bits);
    }
    const struct form *d = swap ? prove__add(&m->s, 64, b, a, -1) : prove__add(&m->s, 64, a, b, -1);
    const struct pred *p = of_difference(m, d, cmp);
    return negated ? prove__pred_not(m, p) : p;
}

const struct pred *prove__setp(struct machine *m, const struct ir_insn *in)
{
    const struct pred *p = compared(m, in);
    if (in->n_src < 3)
        return p;
    const struct pred *q = in->src[2].kind == IR_S_REG ? prove__pred(m, in->src[2].reg, in->src[2].is_negated)
                                                       : prove__pred_unknown(m);
    switch (in->m.sub - 1) {
    case PTX_M_AND: return prove__pred_both(m, p, q, false);
    case PTX_M_OR: return prove__pred_both(m, p, q, true);
    default: return prove__pred_unknown(m);
    }
}

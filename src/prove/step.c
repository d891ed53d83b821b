// SPDX-License-Identifier: Apache-2.0
// One instruction for all threads of a path: integer arithmetic on forms. What is not known here gives unknown values;
// what would break the proof ends it.
#include "prove/machine.h"

#include <string.h> // memcpy

bool prove__fail(struct machine *m, const char *why, uint32_t line)
{
    if (!m->why) {
        m->why = why;
        m->line = line;
    }
    return false;
}

const struct pred *prove__pred(struct machine *m, uint32_t reg, bool is_negated)
{
    const struct pred *p = m->reg[reg].pred;
    if (!p)
        return prove__pred_unknown(m);
    return is_negated ? prove__pred_not(m, p) : p;
}

static const struct form *thread_id(struct machine *m, int which, unsigned comp)
{
    return comp < 3 ? m->s.id[which][comp] : prove__constant(&m->s, 32, 0);
}

static const struct form *special(struct machine *m, const struct ir_src *s)
{
    const struct wf_launch *l = m->x->launch;
    const uint32_t nt[4] = {l->block.x, l->block.y, l->block.z, 1}, nc[4] = {l->grid.x, l->grid.y, l->grid.z, 1};
    switch ((int)s->sreg) {
    case PTX_SR_TID:
        return thread_id(m, 0, s->comp);
    case PTX_SR_CTAID:
        return thread_id(m, 1, s->comp);
    case PTX_SR_NTID:
        return prove__constant(&m->s, 32, s->comp < 3 ? nt[s->comp] : 0);
    case PTX_SR_NCTAID:
        return prove__constant(&m->s, 32, s->comp < 3 ? nc[s->comp] : 0);
    case PTX_SR_LANEID: case PTX_SR_WARPID: {
        const struct form *t = prove__add(&m->s, 32, m->s.id[0][0], m->s.id[0][1], nt[0]);
        t = prove__add(&m->s, 32, t, m->s.id[0][2], (int64_t)nt[0] * nt[1]);
        return prove__divided(&m->s, t, 32, s->sreg == PTX_SR_LANEID);
    }
    default:
        return prove__unknown(&m->s, ptx_sreg_bits((enum ptx_sreg)s->sreg));
    }
}

static int64_t sign_extended(uint64_t v, unsigned bits)
{
    return bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

const struct form *prove__operand(struct machine *m, const struct ir_src *s, unsigned bits)
{
    const struct form *f = NULL;
    switch (s->kind) {
    case IR_S_REG:
        if (m->f->regs[s->reg].bits != 1)
            f = m->reg[s->reg].form;
        break;
    case IR_S_IMM:
        return prove__constant(&m->s, bits, sign_extended(s->bits, bits));
    case IR_S_SREG:
        f = special(m, s);
        break;
    case IR_S_SYM:
        f = prove__constant(&m->s, 64, (int64_t)(m->x->syms[s->sym] + s->bits));
        if (f->is_known)
            ((struct form *)f)->origin = f->k;
        break;
    case IR_S_SHARED:
        f = prove__constant(&m->s, bits < 32 ? 32 : bits, (int64_t)(s->bits + (s->is_dynamic ? m->f->shared_dynamic_offset : 0)));
        break;
    case IR_S_LOCAL:
        f = prove__constant(&m->s, 64, PROVE_LOCAL + (int64_t)s->bits);
        break;
    case IR_S_PARAM:
        f = prove__constant(&m->s, 64, (int64_t)(m->x->param_addr + s->bits));
        break;
    default:
        break;
    }
    if (!f || s->is_negated)
        return prove__unknown(&m->s, bits);
    return f->bits == bits ? f : f->bits > bits ? prove__resized(&m->s, bits, f) : prove__resized(&m->s, bits, prove__as(&m->s, f, false));
}

static const struct form *load_param(struct machine *m, const struct ir_insn *in, uint64_t at, uint32_t i)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type), bytes = bits / 8;
    uint64_t off = at + i * bytes, v = 0;
    if (bytes > 8 || !m->x->launch->params || off + bytes > m->x->launch->param_bytes)
        return prove__unknown(&m->s, m->f->regs[in->dst[i]].bits);
    memcpy(&v, (const char *)m->x->launch->params + off, bytes);
    unsigned to = m->f->regs[in->dst[i]].bits;
    bool is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S' || to == bits;
    const struct form *f = prove__constant(&m->s, to, is_signed || bits >= 64 ? sign_extended(v, bits) : (int64_t)v);
    if (bits == 64 && f->is_known)
        ((struct form *)f)->origin = f->k;
    return f;
}

static const struct form *converted(struct machine *m, const struct ir_insn *in, unsigned to)
{
    if (in->m.n_types != 2 || ptx_has(&in->m, PTX_M_SAT))
        return prove__unknown(&m->s, to);
    char kd = ptx_type_kind((enum ptx_type)in->m.type[0]), ks = ptx_type_kind((enum ptx_type)in->m.type[1]);
    unsigned dbits = ptx_type_bits((enum ptx_type)in->m.type[0]), sbits = ptx_type_bits((enum ptx_type)in->m.type[1]);
    if ((kd != 'S' && kd != 'U') || (ks != 'S' && ks != 'U'))
        return prove__unknown(&m->s, to);
    const struct form *a = prove__as(&m->s, prove__operand(m, &in->src[0], sbits), ks == 'S');
    a = prove__resized(&m->s, dbits, a); // wraps in the destination's type, which then fills its register
    return dbits == to ? a : prove__resized(&m->s, to, prove__as(&m->s, a, kd == 'S'));
}

static const struct form *product(struct machine *m, const struct ir_insn *in, unsigned bits, unsigned *wide)
{
    bool is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S';
    const struct form *a = prove__operand(m, &in->src[0], bits), *b = prove__operand(m, &in->src[1], bits);
    *wide = bits;
    if (ptx_has(&in->m, PTX_M_HI))
        return prove__unknown(&m->s, bits);
    if (ptx_has(&in->m, PTX_M_WIDE)) {
        *wide = 2 * bits;
        a = prove__as(&m->s, a, is_signed);
        b = prove__as(&m->s, b, is_signed);
    }
    return prove__mul(&m->s, *wide, a, b);
}

static const struct form *shifted(struct machine *m, const struct ir_insn *in, unsigned bits)
{
    int64_t n;
    const struct form *a = prove__operand(m, &in->src[0], bits);
    if (!prove__is_constant(&m->s, prove__operand(m, &in->src[1], 32), &n) || n < 0)
        return prove__unknown(&m->s, bits);
    bool is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S', is_shr = in->op == PTX_O_SHR;
    if (n >= bits)
        return is_signed && is_shr ? prove__between(&m->s, bits, -1, 0) : prove__constant(&m->s, bits, 0);
    if (n == 63) // 2^63 is no number here
        return is_shr ? prove__between(&m->s, bits, is_signed ? -1 : 0, is_signed ? 0 : 1) : prove__unknown(&m->s, bits);
    if (!is_shr)
        return prove__scaled(&m->s, bits, a, INT64_C(1) << n, 0);
    a = prove__as(&m->s, a, is_signed);
    return prove__resized(&m->s, bits, prove__divided(&m->s, a, INT64_C(1) << n, false));
}

static const struct form *quotient(struct machine *m, const struct ir_insn *in, unsigned bits)
{
    int64_t k;
    bool is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S', rest = in->op == PTX_O_REM;
    const struct form *a = prove__as(&m->s, prove__operand(m, &in->src[0], bits), is_signed);
    const struct form *b = prove__as(&m->s, prove__operand(m, &in->src[1], bits), is_signed);
    if (!prove__is_constant(&m->s, b, &k) || k <= 0 || !a->is_known)
        return prove__unknown(&m->s, bits);
    if (a->min < 0) // rounds towards zero
        return rest ? prove__between(&m->s, bits, 1 - k, k - 1) : prove__between(&m->s, bits, a->min / k, a->max / k);
    return prove__resized(&m->s, bits, prove__divided(&m->s, a, k, rest));
}

static const struct form *extreme(struct machine *m, const struct ir_insn *in, unsigned bits)
{
    bool is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S', is_max = in->op == PTX_O_MAX;
    const struct form *a = prove__as(&m->s, prove__operand(m, &in->src[0], bits), is_signed);
    const struct form *b = prove__as(&m->s, prove__operand(m, &in->src[1], bits), is_signed);
    if (!a->is_known || !b->is_known)
        return prove__unknown(&m->s, bits);
    const struct form *d = prove__add(&m->s, 64, a, b, -1);
    if (d->is_known && d->min >= 0)
        return prove__resized(&m->s, bits, is_max ? a : b);
    if (d->is_known && d->max <= 0)
        return prove__resized(&m->s, bits, is_max ? b : a);
    int64_t lo = is_max ? (a->min > b->min ? a->min : b->min) : (a->min < b->min ? a->min : b->min);
    int64_t hi = is_max ? (a->max > b->max ? a->max : b->max) : (a->max < b->max ? a->max : b->max);
    return prove__between(&m->s, bits, lo, hi);
}

static bool is_plain_int(const struct ir_insn *in, unsigned bits)
{
    char k = ptx_type_kind((enum ptx_type)in->type);
    return (k == 'U' || k == 'S' || k == 'B') && bits >= 8 && bits <= 64 && !ptx_has(&in->m, PTX_M_SAT) &&
           !ptx_has(&in->m, PTX_M_CC) && !ptx_has(&in->m, PTX_M_RELU) && in->type != PTX_T_S16X2 && in->type != PTX_T_U16X2;
}

static const struct form *chosen(struct machine *m, const struct ir_insn *in, unsigned bits)
{
    const struct form *a = prove__operand(m, &in->src[0], bits), *b = prove__operand(m, &in->src[1], bits);
    const struct pred *p = in->src[2].kind == IR_S_REG ? prove__pred(m, in->src[2].reg, in->src[2].is_negated)
                                                       : prove__pred_unknown(m);
    if (p->known >= 0)
        return p->known ? a : b;
    struct conds yes = *m->path, no = *m->path;
    prove__conds_add(&m->s, &yes, &p->yes);
    prove__conds_add(&m->s, &no, &p->no);
    return prove__either_of(&m->s, a, &yes, b, &no);
}

static const struct form *op_value(struct machine *m, const struct ir_insn *in, unsigned to)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type), wide = bits;
    const struct form *r;
    if (in->op == PTX_O_CVT)
        return converted(m, in, to);
    if (in->op == PTX_O_SELP && bits >= 8 && bits <= 64)
        return chosen(m, in, bits);
    if (in->op == PTX_O_CVTA) {
        int64_t w = in->space == PTX_SP_SHARED ? (int64_t)m->x->shared_window : 0;
        if (in->space == PTX_SP_SHARED_CLUSTER || in->space == PTX_SP_PARAM)
            return prove__unknown(&m->s, to);
        return prove__scaled(&m->s, to, prove__operand(m, &in->src[0], to), 1, ptx_has(&in->m, PTX_M_TO) ? -w : w);
    }
    if (!is_plain_int(in, bits))
        return prove__unknown(&m->s, to);
    switch ((int)in->op) {
    case PTX_O_ADD: case PTX_O_SUB:
        return prove__add(&m->s, bits, prove__operand(m, &in->src[0], bits), prove__operand(m, &in->src[1], bits),
                          in->op == PTX_O_ADD ? 1 : -1);
    case PTX_O_MUL:
        return product(m, in, bits, &wide);
    case PTX_O_MAD:
        if (in->n_src != 3)
            break;
        r = product(m, in, bits, &wide);
        return prove__add(&m->s, wide, r, prove__operand(m, &in->src[2], wide), 1);
    case PTX_O_SHL: case PTX_O_SHR:
        return shifted(m, in, bits);
    case PTX_O_DIV: case PTX_O_REM:
        return quotient(m, in, bits);
    case PTX_O_MIN: case PTX_O_MAX:
        return extreme(m, in, bits);
    case PTX_O_AND:
        return prove__and(&m->s, prove__operand(m, &in->src[0], bits), prove__operand(m, &in->src[1], bits));
    case PTX_O_OR:
        return prove__or(&m->s, prove__operand(m, &in->src[0], bits), prove__operand(m, &in->src[1], bits));
    case PTX_O_XOR:
        return prove__xor(&m->s, prove__operand(m, &in->src[0], bits), prove__operand(m, &in->src[1], bits));
    case PTX_O_BREV:
        return prove__reversed(&m->s, prove__operand(m, &in->src[0], bits));
    case PTX_O_NEG:
        return prove__scaled(&m->s, bits, prove__operand(m, &in->src[0], bits), -1, 0);
    case PTX_O_NOT:
        return prove__scaled(&m->s, bits, prove__operand(m, &in->src[0], bits), -1, -1);
    default:
        break;
    }
    return prove__unknown(&m->s, to);
}

// By a predicate of the threads on the path: v where it holds, w where it does not.
static void join_by(struct machine *m, uint32_t reg, const struct pred *p, union reg v, union reg w)
{
    struct conds yes = *m->path, no = *m->path;
    prove__conds_add(&m->s, &yes, &p->yes);
    prove__conds_add(&m->s, &no, &p->no);
    prove__join(m, reg, v, &yes, w, &no);
}

void prove__join(struct machine *m, uint32_t reg, union reg a, const struct conds *ca, union reg b, const struct conds *cb)
{
    union reg *r = &m->reg[reg];
    if (a.form == b.form) {
        *r = a;
    } else if (m->f->regs[reg].bits == 1) {
        r->pred = a.pred && b.pred ? prove__pred_either(m, a.pred, ca, b.pred, cb) : prove__pred_unknown(m);
    } else {
        r->form = a.form && b.form ? prove__either_of(&m->s, a.form, ca, b.form, cb) : prove__unknown(&m->s, m->f->regs[reg].bits);
    }
}

// Small branches come as two moves under a predicate and its opposite: together they leave nothing of what was before.
static bool set_other_half(struct machine *m, const struct ir_insn *in, uint32_t reg, union reg v, const struct pred *guard)
{
    for (uint32_t i = 0; i < m->n_half; i++) {
        struct half h = m->half[i];
        if (h.reg != reg)
            continue;
        m->half[i--] = m->half[--m->n_half];
        if (!guard || guard->known >= 0 || h.pred != m->reg[in->guard].pred || h.negated == in->guard_negated)
            continue;
        join_by(m, reg, guard, v, h.value);
        return true;
    }
    if (guard && guard->known < 0 && in->is_partial && m->n_half < PROVE_HALVES)
        m->half[m->n_half++] = (struct half){m->reg[in->guard].pred, in->guard_negated, reg, v};
    return false;
}

static void set(struct machine *m, const struct ir_insn *in, uint32_t reg, union reg v, const struct pred *guard)
{
    if (reg == IR_NONE)
        return;
    unsigned bits = m->f->regs[reg].bits;
    if (bits != 1 && v.form->bits != bits) // narrower or wider than its register
        v.form = prove__unknown(&m->s, bits);
    if (set_other_half(m, in, reg, v, guard))
        return;
    if (!guard || guard->known == 1 || !in->is_partial)
        m->reg[reg] = v;
    else if (guard->known != 0)
        join_by(m, reg, guard, v, m->reg[reg]);
}

static void set_unknown(struct machine *m, const struct ir_insn *in, const struct pred *guard)
{
    for (uint32_t i = 0; i < in->n_dst; i++) {
        if (in->dst[i] == IR_NONE)
            continue;
        unsigned bits = m->f->regs[in->dst[i]].bits;
        union reg v = {NULL};
        if (bits == 1)
            v.pred = prove__pred_unknown(m);
        else
            v.form = prove__unknown(&m->s, bits);
        set(m, in, in->dst[i], v, guard);
    }
}

// Narrow unsigned loads say how large a value is.
static void set_loaded(struct machine *m, const struct ir_insn *in, const struct pred *guard)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    char kind = ptx_type_kind((enum ptx_type)in->type);
    set_unknown(m, in, guard);
    for (uint32_t i = 0; i < in->n_dst && in->space == PTX_SP_LOCAL; i++)
        if (in->dst[i] != IR_NONE)
            set(m, in, in->dst[i], (union reg){prove__local_load(m, in, i)}, guard);
    int64_t at;
    bool is_param = in->space != PTX_SP_LOCAL && prove__is_parameter(m, in, &at);
    for (uint32_t i = 0; i < in->n_dst && is_param; i++)
        if (in->dst[i] != IR_NONE && m->f->regs[in->dst[i]].bits != 1)
            set(m, in, in->dst[i], (union reg){load_param(m, in, (uint64_t)at, i)}, guard);
    if (in->space == PTX_SP_LOCAL || is_param || bits > 16 || (kind != 'U' && kind != 'S'))
        return;
    for (uint32_t i = 0; i < in->n_dst; i++) {
        if (in->dst[i] == IR_NONE || m->f->regs[in->dst[i]].bits <= bits)
            continue;
        int64_t half = INT64_C(1) << (bits - 1);
        union reg v = {prove__between(&m->s, m->f->regs[in->dst[i]].bits, kind == 'S' ? -half : 0, kind == 'S' ? half - 1 : 2 * half - 1)};
        set(m, in, in->dst[i], v, guard);
    }
}

static const struct pred *pred_value(struct machine *m, const struct ir_insn *in)
{
    const struct pred *a = in->n_src && in->src[0].kind == IR_S_REG && m->f->regs[in->src[0].reg].bits == 1
                               ? prove__pred(m, in->src[0].reg, in->src[0].is_negated)
                               : NULL;
    const struct pred *b = in->n_src > 1 && in->src[1].kind == IR_S_REG && m->f->regs[in->src[1].reg].bits == 1
                               ? prove__pred(m, in->src[1].reg, in->src[1].is_negated)
                               : NULL;
    if (in->kind == IR_K_MOVE && in->src[0].kind == IR_S_IMM) {
        struct pred *p = (struct pred *)prove__pred_unknown(m);
        p->known = in->src[0].bits & 1;
        p->yes.is_exact = p->no.is_exact = true;
        return p;
    }
    if (in->kind == IR_K_MOVE)
        return a ? a : prove__pred_unknown(m);
    switch ((int)in->op) {
    case PTX_O_SETP:
        return prove__setp(m, in);
    case PTX_O_AND: case PTX_O_OR:
        return a && b ? prove__pred_both(m, a, b, in->op == PTX_O_OR) : prove__pred_unknown(m);
    case PTX_O_XOR:
        if (!a || !b || (a->known < 0 && b->known < 0))
            return prove__pred_unknown(m);
        return a->known >= 0 ? (a->known ? prove__pred_not(m, b) : b) : b->known ? prove__pred_not(m, a) : a;
    case PTX_O_NOT:
        return a ? prove__pred_not(m, a) : prove__pred_unknown(m);
    default:
        return prove__pred_unknown(m);
    }
}

static void compute(struct machine *m, const struct ir_insn *in, const struct pred *guard)
{
    uint32_t d = in->dst[0];
    if (in->kind == IR_K_LDPARAM) {
        for (uint32_t i = 0; i < in->n_dst; i++)
            if (in->dst[i] != IR_NONE)
                set(m, in, in->dst[i], (union reg){load_param(m, in, (uint64_t)in->off, i)}, guard);
        return;
    }
    if (in->n_dst == 2 && in->op == PTX_O_SETP && in->kind == IR_K_OP) { // p|q
        const struct pred *p = in->n_src == 2 ? prove__setp(m, in) : prove__pred_unknown(m);
        set(m, in, in->dst[0], (union reg){.pred = p}, guard);
        set(m, in, in->dst[1], (union reg){.pred = in->n_src == 2 ? prove__pred_not(m, p) : p}, guard);
        return;
    }
    if (in->n_dst != 1 || d == IR_NONE || in->n_more || (in->kind != IR_K_OP && in->kind != IR_K_MOVE)) {
        set_unknown(m, in, guard);
        return;
    }
    unsigned to = m->f->regs[d].bits;
    union reg v = {NULL};
    if (to == 1)
        v.pred = pred_value(m, in);
    else if (to > 64 || (in->kind == IR_K_MOVE && in->src[0].kind == IR_S_REG && m->f->regs[in->src[0].reg].bits != to))
        v.form = prove__unknown(&m->s, to);
    else if (in->kind == IR_K_MOVE)
        v.form = prove__operand(m, &in->src[0], to);
    else
        v.form = op_value(m, in, to);
    set(m, in, d, v, guard);
}

bool prove__step(struct machine *m, const struct ir_insn *in, const struct conds *path)
{
    const struct pred *guard = in->guard == IR_NONE ? NULL : prove__pred(m, in->guard, in->guard_negated);
    struct conds narrowed;
    m->path = path;
    if (guard && guard->known == 0)
        return true;
    if (guard && guard->known < 0) {
        narrowed = *path;
        prove__conds_add(&m->s, &narrowed, &guard->yes);
        path = &narrowed;
    }
    if (++m->steps > 60000)
        return prove__fail(m, "it takes too long to walk through", in->ptx_line);
    if (in->kind != IR_K_OP || ir_is_pure(in)) {
        compute(m, in, guard);
        return true;
    }
    switch ((int)in->op) {
    case PTX_O_LD: case PTX_O_LDU: case PTX_O_ST: case PTX_O_ATOM: case PTX_O_RED:
        if (!prove__access(m, in, path))
            return false;
        if (in->op == PTX_O_ST && in->space == PTX_SP_LOCAL)
            prove__local_store(m, in, guard);
        if (in->op == PTX_O_LD || in->op == PTX_O_LDU)
            set_loaded(m, in, guard);
        else
            set_unknown(m, in, guard);
        return true;
    case PTX_O_BAR: case PTX_O_BARRIER:
        if (!prove__barrier(m, in, path, guard))
            return false;
        set_unknown(m, in, guard);
        return true;
    case PTX_O_CVTA:
        compute(m, in, guard);
        return true;
    case PTX_O_SHFL: case PTX_O_VOTE: case PTX_O_MATCH: case PTX_O_REDUX: case PTX_O_ELECT:
        if (!prove__warp_op(m, in, path))
            return false;
        set_unknown(m, in, guard);
        return true;
    default: // prove_hopeless has seen to it that they touch no memory
        set_unknown(m, in, guard);
        return true;
    }
}

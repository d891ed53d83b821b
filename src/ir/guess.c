// SPDX-License-Identifier: Apache-2.0
// The first read of a compare-and-swap loop: a plain load whose value becomes the comparand of a CAS on the
// same address. What it reads may be old, and the CAS finds out; checkers treat it as a class of its own.
#include <string.h> // memcmp

#include "ir/ir_priv.h"

struct defs {
    const struct ir_func *f;
    const struct ir_insn **of; // register -> the one instruction that writes it; NULL: several, or none
    uint8_t *seen;             // register -> holds the value of the load that is asked about
    uint32_t *steps;           // left for one comparison: sums of sums can be long
};

enum { STEPS = 4096 };

static struct defs defs_of(struct wf_arena *a, const struct ir_func *f)
{
    struct defs d = {f, WF_NEW_N(a, const struct ir_insn *, f->n_regs + 1), WF_NEW_N(a, uint8_t, f->n_regs + 1),
                     WF_NEW_N(a, uint32_t, 1)};
    uint8_t *n = d.seen; // 0, 1, or more
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            for (uint32_t j = 0; j < in->n_dst; j++)
                if (in->dst[j] != IR_NONE) {
                    d.of[in->dst[j]] = n[in->dst[j]] ? NULL : in;
                    n[in->dst[j]] = 1;
                }
            const struct ir_call *c = in->kind == IR_K_OP && in->op == PTX_O_CALL ? in->aux : NULL;
            for (uint32_t j = 0; c && j < c->n_rets; j++) {
                d.of[c->ret[j]] = NULL;
                n[c->ret[j]] = 1;
            }
        }
    return d;
}

// Does the value of register `from` reach `to` through moves only?
static bool reaches(const struct defs *d, uint32_t from, uint32_t to)
{
    const struct ir_func *f = d->f;
    memset(d->seen, 0, f->n_regs);
    d->seen[from] = 1;
    for (bool grew = true; grew && !d->seen[to];) {
        grew = false;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                if (in->kind == IR_K_MOVE && in->src[0].kind == IR_S_REG && d->seen[in->src[0].reg] &&
                    in->dst[0] != IR_NONE && !d->seen[in->dst[0]]) {
                    d->seen[in->dst[0]] = 1;
                    grew = true;
                }
            }
    }
    return d->seen[to];
}

// An address or index as a sum of multiples of what is not taken apart, so that what compilers write in different
// ways compares equal: shl and mul.wide, a conversion to another space before or after an addition. Wrap-around and
// the sign of what is widened are left out: the same source gives both sums.
enum { MOST = 8 }; // terms; a sum that has more equals none

struct sum {
    struct term {
        struct ir_src at;
        uint64_t by; // modulo 2^64, like off
    } term[MOST];
    uint32_t n;
    uint64_t off;
};

static bool is_plain_load(const struct ir_insn *in)
{
    return in->kind == IR_K_OP && in->op == PTX_O_LD && in->m.sem < PTX_SEM_RELAXED;
}

static void add_term(struct sum *s, struct ir_src at, uint64_t by)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (at.kind == IR_S_REG && s->term[i].at.kind == IR_S_REG && s->term[i].at.reg == at.reg) {
            s->term[i].by += by;
            return;
        }
    if (s->n < MOST)
        s->term[s->n++] = (struct term){at, by};
}

static void expand(const struct defs *d, struct ir_src at, uint64_t by, int depth, struct sum *s)
{
    if (at.kind == IR_S_IMM || at.kind == IR_S_SYM || at.kind == IR_S_SHARED) {
        s->off += by * at.bits;
        at.bits = 0;
        if (at.kind != IR_S_IMM)
            add_term(s, at, by);
        return;
    }
    const struct ir_insn *def = at.kind == IR_S_REG ? d->of[at.reg] : NULL;
    if (*d->steps)
        --*d->steps;
    if (!def || depth == 0 || *d->steps == 0 || def->guard != IR_NONE || def->n_dst != 1) {
        if (at.kind != IR_S_NONE)
            add_term(s, at, by);
        return;
    }
    const bool is_op = def->kind == IR_K_OP, has_factor = def->n_src >= 2 && def->src[1].kind == IR_S_IMM;
    const uint64_t factor = has_factor ? def->src[1].bits : 0;
    if (def->kind == IR_K_MOVE || (is_op && (def->op == PTX_O_CVTA || def->op == PTX_O_CVT))) {
        expand(d, def->src[0], by, depth - 1, s);
    } else if (is_op && def->op == PTX_O_ADD) {
        expand(d, def->src[0], by, depth - 1, s);
        expand(d, def->src[1], by, depth - 1, s);
    } else if (is_op && def->op == PTX_O_SHL && has_factor && factor < 32) {
        expand(d, def->src[0], by << factor, depth - 1, s);
    } else if (is_op && (def->op == PTX_O_MUL || def->op == PTX_O_MAD) && has_factor && !ptx_has(&def->m, PTX_M_HI)) {
        expand(d, def->src[0], by * factor, depth - 1, s);
        if (def->op == PTX_O_MAD)
            expand(d, def->src[2], by, depth - 1, s);
    } else {
        add_term(s, at, by);
    }
}

static bool is_same_sum(const struct defs *d, const struct sum *p, const struct sum *q, int depth);

static struct sum sum_of(const struct defs *d, struct ir_src at, uint64_t off)
{
    struct sum s = {.off = off};
    expand(d, at, 1, 12, &s);
    return s;
}

// The same instruction on the same operands; two plain loads of one place count as the same value.
static bool is_same_leaf(const struct defs *d, struct ir_src a, struct ir_src b, int depth)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind != IR_S_REG)
        return a.sym == b.sym && a.bits == b.bits && a.is_dynamic == b.is_dynamic && a.sreg == b.sreg && a.comp == b.comp;
    if (a.reg == b.reg)
        return true;
    const struct ir_insn *x = d->of[a.reg], *y = d->of[b.reg];
    if (!x || !y || depth == 0 || *d->steps == 0 || x->kind != y->kind || x->op != y->op || x->type != y->type || x->n_dst != 1 ||
        y->n_dst != 1 || x->n_src != y->n_src || x->off != y->off || x->guard != IR_NONE || y->guard != IR_NONE ||
        memcmp(x->m.set, y->m.set, sizeof x->m.set) != 0)
        return false;
    if ((x->site != IR_NONE || y->site != IR_NONE) && !(is_plain_load(x) && is_plain_load(y)))
        return false;
    for (uint32_t i = 0; i < x->n_src; i++) {
        const struct sum p = sum_of(d, x->src[i], 0), q = sum_of(d, y->src[i], 0);
        if (!is_same_sum(d, &p, &q, depth - 1))
            return false;
    }
    return true;
}

static bool is_same_sum(const struct defs *d, const struct sum *p, const struct sum *q, int depth)
{
    if (p->n != q->n || p->off != q->off || p->n == MOST)
        return false;
    bool used[MOST] = {false};
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t j = 0;
        while (j < q->n && (used[j] || p->term[i].by != q->term[j].by ||
                            !is_same_leaf(d, p->term[i].at, q->term[j].at, depth)))
            j++;
        if (j == q->n)
            return false;
        used[j] = true;
    }
    return true;
}

static bool is_cas(const struct ir_insn *in)
{
    return in->kind == IR_K_OP && in->op == PTX_O_ATOM && PTX_IS(in->m.sub, CAS) && in->n_src == 3;
}

static bool is_guess(const struct defs *d, const struct ir_insn *ld)
{
    *d->steps = STEPS;
    const struct sum place = sum_of(d, ld->src[0], (uint64_t)ld->off);
    for (uint32_t k = 0; k < d->f->n_blocks; k++)
        for (uint32_t i = 0; i < d->f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &d->f->blocks[k].insns[i];
            if (!is_cas(in) || in->src[1].kind != IR_S_REG)
                continue;
            *d->steps = STEPS;
            const struct sum other = sum_of(d, in->src[0], (uint64_t)in->off);
            if (is_same_sum(d, &place, &other, 6) && reaches(d, ld->dst[0], in->src[1].reg))
                return true;
        }
    return false;
}

void ir__cas_guesses(struct wf_arena *a, struct ir_func *f)
{
    bool any = false;
    for (uint32_t k = 0; k < f->n_blocks && !any; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++)
            any |= is_cas(&f->blocks[k].insns[i]);
    if (!any)
        return;
    struct wf_arena_mark mark = wf_arena_mark(a);
    const struct defs d = defs_of(a, f);
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            if (is_plain_load(in) && in->site != IR_NONE && in->n_dst == 1 && in->dst[0] != IR_NONE)
                f->sites[in->site].is_cas_guess = is_guess(&d, in);
        }
    wf_arena_rewind(a, mark);
}

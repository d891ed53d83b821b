// SPDX-License-Identifier: Apache-2.0
// Turns .param memory of calls into registers: a piece that every access reaches at the same offset
// with the same width is one register, and its loads and stores become moves. A pvar with overlapping
// pieces of different width, or whose address escaped, gets a place in local memory instead.

#include <string.h> // memcpy

#include "ir/ir_priv.h"

struct piece {
    uint32_t pvar, off, bytes, reg;
};

static bool is_pvar_access(const struct flat *f)
{
    return f->kind == FLAT_INSN && f->in.kind == IR_K_OP && f->in.space == PTX_SP_PARAM &&
           f->in.n_src && f->in.src[0].kind == IR_S_PARAM && f->in.src[0].sym;
}

static uint32_t type_bytes(const struct ir_insn *in)
{
    return (ptx_type_bits((enum ptx_type)in->type) + 7) / 8;
}

static unsigned n_elem(const struct ir_insn *in)
{
    return in->m.vec ? in->m.vec : 1;
}

typedef WF_VEC(struct piece) piece_vec;

static void note_piece(struct build *b, piece_vec *pieces, uint32_t p, uint32_t off, uint32_t bytes)
{
    for (size_t i = 0; i < pieces->n; i++) {
        struct piece *q = &pieces->at[i];
        if (q->pvar != p)
            continue;
        if (q->off == off && q->bytes == bytes)
            return;
        if (off < q->off + q->bytes && q->off < off + bytes)
            b->pvars.at[p].escaped = true; // mixed widths: memory
    }
    WF_PUSH(pieces, (struct piece){p, off, bytes, IR_NONE});
}

static uint32_t piece_reg(struct build *b, piece_vec *pieces, uint32_t p, uint32_t off)
{
    for (size_t i = 0; i < pieces->n; i++) {
        struct piece *q = &pieces->at[i];
        if (q->pvar == p && q->off == off) {
            if (q->reg == IR_NONE)
                q->reg = ir__new_reg(b, q->bytes * 8);
            return q->reg;
        }
    }
    return IR_NONE;
}

static void to_local(struct build *b, struct ir_insn *in)
{
    struct pvar *p = &b->pvars.at[in->src[0].sym - 1];
    if (p->local_off == IR_NONE) {
        p->local_off = (uint32_t)wf_align_up(b->local_bytes, 16);
        b->local_bytes = p->local_off + (p->bytes ? p->bytes : 8);
    }
    in->space = PTX_SP_LOCAL;
    in->src[0] = (struct ir_src){.kind = IR_S_LOCAL, .bits = p->local_off};
}

static struct ir_insn move_of(const struct ir_insn *in, struct ir_src src, uint32_t dst)
{
    struct ir_insn m = {.kind = IR_K_MOVE, .op = PTX_O_MOV, .type = in->type, .guard = in->guard,
                        .guard_negated = in->guard_negated, .site = IR_NONE, .loc = in->loc,
                        .ptx_line = in->ptx_line, .n_dst = 1, .n_src = 1};
    m.m.type[0] = in->type;
    m.m.n_types = 1;
    for (int i = 1; i < 8; i++)
        m.dst[i] = IR_NONE;
    m.dst[0] = dst;
    m.src[0] = src;
    return m;
}

void ir__resolve_pvars(struct build *b)
{
    piece_vec pieces = {0};
    for (size_t i = 0; i < b->flat.n; i++) {
        struct flat *f = &b->flat.at[i];
        if (!is_pvar_access(f))
            continue;
        for (unsigned e = 0; e < n_elem(&f->in); e++)
            note_piece(b, &pieces, f->in.src[0].sym - 1, (uint32_t)f->in.off + e * type_bytes(&f->in),
                       type_bytes(&f->in));
    }
    struct flat *old = b->flat.at;
    size_t n = b->flat.n;
    b->flat.at = NULL;
    b->flat.n = b->flat.cap = 0;
    for (size_t i = 0; i < n; i++) {
        struct flat f = old[i];
        // Addresses of pvars taken by mov: they have local places.
        for (unsigned k = 0; f.kind == FLAT_INSN && !is_pvar_access(&f) && k < f.in.n_src; k++)
            if (f.in.src[k].kind == IR_S_PARAM && f.in.src[k].sym) {
                struct ir_insn t = {.src[0] = f.in.src[k]};
                to_local(b, &t);
                t.src[0].bits += f.in.src[k].bits;
                f.in.src[k] = t.src[0];
            }
        if (!is_pvar_access(&f)) {
            WF_PUSH(&b->flat, f);
            continue;
        }
        uint32_t p = f.in.src[0].sym - 1;
        if (b->pvars.at[p].escaped) {
            to_local(b, &f.in);
            WF_PUSH(&b->flat, f);
            continue;
        }
        for (unsigned e = 0; e < n_elem(&f.in); e++) {
            uint32_t r = piece_reg(b, &pieces, p, (uint32_t)f.in.off + e * type_bytes(&f.in));
            bool is_store = f.in.op == PTX_O_ST;
            struct ir_src src = is_store ? f.in.src[1 + e] : (struct ir_src){.kind = IR_S_REG, .reg = r};
            uint32_t dst = is_store ? r : f.in.dst[e];
            if (dst == IR_NONE)
                continue;
            struct flat g = {.kind = FLAT_INSN, .in = move_of(&f.in, src, dst)};
            WF_PUSH(&b->flat, g);
        }
    }
    WF_VEC_FINI(&pieces);
    free(old);
}

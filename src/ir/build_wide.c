// SPDX-License-Identifier: Apache-2.0
// Instructions with many operands: asynchronous copies in bulk (cp.async.bulk, st.async, red.async; PTX ISA
// 9.7.9.25.4, 9.7.9.12, 9.7.13.7). Their operands go to ir_insn.more, each in a place of its own, so that who
// executes them need not know the forms:
//   0 destination   1 source, or the tensor map   2 bytes   3 mbarrier   4 mask of CTAs or bytes   5... coordinates
//   or values

#include "ir/build_wide.h"
#include "ir/ir_priv.h"

static bool is_bulk(const struct ptx_insn *x)
{
    if (x->op == PTX_O_CP)
        return ptx_has(&x->m, PTX_M_BULK);
    return (x->op == PTX_O_ST || x->op == PTX_O_RED) && ptx_has(&x->m, PTX_M_ASYNC);
}

bool ir__is_wide(const struct ptx_insn *x)
{
    return is_bulk(x);
}

// An address as one value: base plus displacement.
enum wf_status ir__address(struct build *b, struct inst *in, const struct ptx_operand *o, struct ir_src *out)
{
    enum wf_status st = WF_OK;
    struct ptx_operand base = *o;
    *out = (struct ir_src){.kind = IR_S_IMM, .bits = o->bits};
    if (o->kind != PTX_X_MEM)
        return ir__source(b, in, o, PTX_T_U64, out);
    base.kind = o->var ? PTX_X_VAR : PTX_X_REG;
    if (o->var || o->reg)
        st = ir__source(b, in, &base, PTX_T_U64, out);
    if (st || !o->reg || o->var || !o->bits)
        return st;
    unsigned bits = b->regs.at[out->reg].bits;
    uint32_t r = ir__new_reg(b, bits);
    struct flat *f = ir__push(b, FLAT_INSN);
    f->in.op = PTX_O_ADD;
    f->in.m.type[0] = f->in.type = bits == 64 ? PTX_T_S64 : PTX_T_S32;
    f->in.m.n_types = 1;
    f->in.n_dst = 1;
    f->in.dst[0] = r;
    f->in.n_src = 2;
    f->in.src[0] = *out;
    f->in.src[1] = (struct ir_src){.kind = IR_S_IMM, .bits = o->bits};
    out->reg = r;
    return WF_OK;
}

enum wf_status ir__each(struct build *b, struct inst *in, const struct ptx_operand *o, enum ptx_type t, struct ir_insn *d)
{
    enum wf_status st = WF_OK;
    if (o->kind != PTX_X_VECTOR)
        return ir__source(b, in, o, t, &d->more[d->n_more++]);
    for (uint32_t i = 0; i < o->n_elem && !st; i++)
        st = ir__each(b, in, &o->elem[i], t, d);
    return st;
}

// The map and the coordinates of [map, {c0, c1}].
static enum wf_status tensor(struct build *b, struct inst *in, const struct ptx_operand *o, struct ir_insn *d)
{
    struct ptx_operand map = *o;
    map.n_elem = 0;
    enum wf_status st = ir__address(b, in, &map, &d->more[IR_BULK_SRC]);
    for (uint32_t i = 0; i < o->n_elem && !st; i++)
        st = ir__each(b, in, &o->elem[i], PTX_T_S32, d);
    return st;
}

static enum wf_status bulk(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    bool has_mbar = ptx_has(&x->m, PTX_M_MBARRIER_COMPLETE_TX), is_tensor = ptx_has(&x->m, PTX_M_TENSOR);
    bool is_prefetch = ptx_has(&x->m, PTX_M_PREFETCH), seen_mbar = false;
    struct ir_src *m = d->more;
    enum wf_status st = WF_OK;
    uint32_t k = 0;
    d->n_more = IR_BULK_REST;
    if (x->op != PTX_O_CP) { // st.async a, b, mbar
        st = ir__address(b, in, &x->x[0], &m[IR_BULK_DST]);
        if (!st)
            st = ir__each(b, in, &x->x[1], (enum ptx_type)d->type, d);
        return st || x->n_x < 3 ? st : ir__address(b, in, &x->x[2], &m[IR_BULK_MBAR]);
    }
    if (is_prefetch)
        return WF_OK; // nothing to be seen of it
    for (; k < x->n_x && !st; k++) {
        const struct ptx_operand *o = &x->x[k];
        if (o->kind == PTX_X_MEM && o->n_elem)
            st = tensor(b, in, o, d);
        else if (k == 0)
            st = ir__address(b, in, o, &m[IR_BULK_DST]);
        else if (k == 1)
            st = ir__address(b, in, o, &m[is_tensor ? IR_BULK_DST : IR_BULK_SRC]);
        else if (k == 2 && !is_tensor)
            st = ir__source(b, in, o, PTX_T_U32, &m[IR_BULK_BYTES]);
        else if (o->kind == PTX_X_MEM && has_mbar && !seen_mbar)
            seen_mbar = true, st = ir__address(b, in, o, &m[IR_BULK_MBAR]);
        else if (m[IR_BULK_MASK].kind == IR_S_NONE && (ptx_has(&x->m, PTX_M_MULTICAST_CLUSTER) || ptx_has(&x->m, PTX_M_CP_MASK)) &&
                 !(ptx_has(&x->m, PTX_M_CP_MASK) && ptx_has(&x->m, PTX_M_L2_CACHE_HINT) && k == 3)) // the hint stands first there
            st = ir__source(b, in, o, PTX_T_U16, &m[IR_BULK_MASK]);
        // what is left is a cache policy
    }
    return st;
}

// Forms that are not modelled, by the word that makes them.
static enum wf_status refused(struct build *b, struct inst *in, const struct ptx_insn *x)
{
    static const enum ptx_mod words[] = {PTX_M_IM2COL, PTX_M_IM2COL_W, PTX_M_IM2COL_W_128, PTX_M_IM2COL_NO_OFFS,
                                         PTX_M_TILE_GATHER4, PTX_M_TILE_SCATTER4, PTX_M_CTA_GROUP_1, PTX_M_CTA_GROUP_2,
                                         PTX_M_MMIO};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_has(&x->m, words[i]))
            return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, x->line, 0, "%s: %s.async with .%s is not supported",
                             in->fn->name, ptx_op_name(x->op), ptx_mod_name(words[i]));
    return WF_OK;
}

enum wf_status ir__wide(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    enum wf_status st = refused(b, in, x);
    if (st)
        return st;
    d->more = WF_NEW_N(b->arena, struct ir_src, IR_MORE_MAX);
    uint32_t n = IR_BULK_REST;
    for (uint32_t i = 0; i < x->n_x; i++)
        n += x->x[i].n_elem ? x->x[i].n_elem * 8u : 1;
    if (n > IR_MORE_MAX)
        return wf_err_set(b->err, WF_E_UNSUPPORTED, "%s: too many operands", in->fn->name);
    return bulk(b, in, x, d);
}

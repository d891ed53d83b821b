// SPDX-License-Identifier: Apache-2.0
// Texture and surface instructions to flat IR. Sources in order: the object's handle, the coordinates
// (the layer first) without padding, then the level, or the two gradients, or the data of a store.
// Objects are 64-bit handles; .texref and .surfref variables and samplers apart from textures ended
// with CUDA 12 and are refused.

#include "ir/ir_priv.h"

static enum wf_status refuse(struct build *b, struct inst *in, const struct ptx_insn *x, const char *what)
{
    return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, x->line, 0, "%s: %s is not supported", in->fn->name, what);
}

static unsigned coordinates(const struct ptx_mods *m)
{
    if (ptx_has(m, PTX_M_D1))
        return 1;
    if (ptx_has(m, PTX_M_D2) || ptx_has(m, PTX_M_A1D))
        return 2;
    return ptx_has(m, PTX_M_ACUBE) ? 4 : 3;
}

static unsigned gradients(const struct ptx_mods *m)
{
    if (ptx_has(m, PTX_M_D1) || ptx_has(m, PTX_M_A1D))
        return 1;
    return ptx_has(m, PTX_M_D2) || ptx_has(m, PTX_M_A2D) ? 2 : 3;
}

static enum wf_status add(struct build *b, struct inst *in, const struct ptx_insn *x, const struct ptx_operand *o,
                          unsigned most, struct ir_insn *d)
{
    bool is_vector = o->kind == PTX_X_VECTOR;
    unsigned n = is_vector ? o->n_elem : 1;
    for (unsigned i = 0; i < n && i < most; i++) {
        if (d->n_src == 10)
            return refuse(b, in, x, "a gradient for an array of cubes");
        const struct ptx_operand *e = is_vector ? &o->elem[i] : o;
        enum wf_status st = ir__source(b, in, e, PTX_T_F32, &d->src[d->n_src++]);
        if (st)
            return st;
    }
    return WF_OK;
}

static enum wf_status add_object(struct build *b, struct inst *in, const struct ptx_insn *x, const struct ptx_operand *o,
                                 struct ir_insn *d)
{
    if (o->kind != PTX_X_MEM || !o->reg || o->bits)
        return refuse(b, in, x, "a texture or surface that is no 64-bit object");
    d->src[d->n_src++] = (struct ir_src){.kind = IR_S_REG, .reg = in->reg_base + o->reg->id};
    if (d->op == PTX_O_TXQ || d->op == PTX_O_SUQ)
        return WF_OK;
    if (o->n_elem != 1 || o->elem[0].kind != PTX_X_VECTOR)
        return refuse(b, in, x, "a sampler apart from its texture");
    return add(b, in, x, &o->elem[0], coordinates(&x->m), d);
}

static void add_results(struct inst *in, const struct ptx_operand *o, struct ir_insn *d)
{
    unsigned n = o->kind == PTX_X_VECTOR ? o->n_elem : 1;
    for (unsigned i = 0; i < n && i < 4; i++) {
        const struct ptx_operand *e = o->kind == PTX_X_VECTOR ? &o->elem[i] : o;
        d->dst[d->n_dst++] = e->kind == PTX_X_REG ? in->reg_base + e->reg->id : IR_NONE;
    }
}

enum wf_status ir__texture(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    uint32_t k = 0;
    bool is_query = x->op == PTX_O_TXQ || x->op == PTX_O_SUQ;
    if (ptx_has(&x->m, PTX_M_D2MS) || ptx_has(&x->m, PTX_M_A2DMS))
        return refuse(b, in, x, "a multi-sample texture");
    if (x->op == PTX_O_SUST && ptx_has(&x->m, PTX_M_MODP))
        return refuse(b, in, x, "a formatted surface store");
    if (!is_query && (x->m.type[0] == PTX_T_F16 || x->m.type[0] == PTX_T_F16X2))
        return refuse(b, in, x, "a texture read with a half result");
    if (is_query && !ptx_has(&x->m, PTX_M_WIDTH) && !ptx_has(&x->m, PTX_M_HEIGHT) && !ptx_has(&x->m, PTX_M_DEPTH) &&
        !ptx_has(&x->m, PTX_M_ARRAY_SIZE) && !ptx_has(&x->m, PTX_M_NUM_MIPMAP_LEVELS) &&
        !ptx_has(&x->m, PTX_M_NORMALIZED_COORDS))
        return refuse(b, in, x, "this query");
    if (is_query && ptx_has(&x->m, PTX_M_LEVEL))
        return refuse(b, in, x, "a query of one level");
    if (x->op != PTX_O_SUST) {
        add_results(in, &x->x[k++], d);
        if (x->has_pair) { // "is the texel resident"
            d->dst[d->n_dst++] = x->x[k].kind == PTX_X_REG ? in->reg_base + x->x[k].reg->id : IR_NONE;
            k++;
        }
        d->has_pair = x->has_pair;
    }
    enum wf_status st = add_object(b, in, x, &x->x[k++], d);
    unsigned extra = x->op == PTX_O_SUST || ptx_has(&x->m, PTX_M_LEVEL) ? 1 : ptx_has(&x->m, PTX_M_GRAD) ? 2 : 0;
    for (; extra && k < x->n_x && !st; extra--)
        st = add(b, in, x, &x->x[k++], ptx_has(&x->m, PTX_M_GRAD) ? gradients(&x->m) : 4, d);
    if (!st && k < x->n_x)
        return refuse(b, in, x, "a texel offset or depth comparison");
    return st;
}

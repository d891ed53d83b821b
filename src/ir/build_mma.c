// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of a warp: mma, wmma, ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14). All lanes have to be
// there: each is preceded by a meeting of the warp (an elect whose result nobody takes), after which the lanes run
// together; then it is one straight operation on 32 lanes. Operands go to ir_insn.more in textual order, a memory
// operand as one address.

#include "ir/build_wide.h"
#include "ir/ir_priv.h"

bool ir_is_matrix(enum ptx_op op)
{
    return op == PTX_O_MMA || op == PTX_O_WMMA || op == PTX_O_LDMATRIX || op == PTX_O_STMATRIX || op == PTX_O_MOVMATRIX;
}

static enum wf_status refuse(struct build *b, struct inst *in, const struct ptx_insn *x, const char *what)
{
    return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, x->line, 0, "%s: %s with .%s is not supported", in->fn->name,
                     ptx_op_name(x->op), what);
}

// Forms that are not modelled, by the word or type that makes them.
static enum wf_status refused(struct build *b, struct inst *in, const struct ptx_insn *x)
{
    static const enum ptx_mod words[] = {PTX_M_SP, PTX_M_SP_ORDERED_METADATA, PTX_M_BLOCK_SCALE, PTX_M_KIND_F8F6F4,
                                         PTX_M_M16N16, PTX_M_M8N16, PTX_M_M16N8};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_has(&x->m, words[i]))
            return refuse(b, in, x, ptx_mod_name(words[i]));
    for (unsigned i = 0; i < x->m.n_types; i++)
        switch ((int)x->m.type[i]) {
        case PTX_T_E3M2: case PTX_T_E2M3: case PTX_T_E2M1: case PTX_T_UE8M0: case PTX_T_UE4M3:
            return refuse(b, in, x, ptx_type_name((enum ptx_type)x->m.type[i]));
        default:
            break;
        }
    return WF_OK;
}

static void meet(struct build *b, const struct ir_insn *d)
{
    struct flat *f = ir__push(b, FLAT_INSN);
    f->in = (struct ir_insn){.op = PTX_O_ELECT, .guard = IR_NONE, .loc = d->loc, .ptx_line = d->ptx_line, .n_src = 1,
                             .type = PTX_T_B32, .site = (uint32_t)b->sites.n};
    for (unsigned i = 0; i < 8; i++)
        f->in.dst[i] = IR_NONE;
    f->in.src[0] = (struct ir_src){.kind = IR_S_IMM, .bits = UINT32_MAX};
    struct ir_site s = {.kind = IR_SITE_WARP, .op = d->op, .loc = d->loc, .ptx_line = d->ptx_line, .used_bytes_mask = UINT32_MAX,
                        .vec = 1};
    WF_PUSH(&b->sites, s);
}

static void make_site(struct build *b, struct ir_insn *d)
{
    bool is_memory = d->op == PTX_O_LDMATRIX || d->op == PTX_O_STMATRIX ||
                     (d->op == PTX_O_WMMA && !ptx_has(&d->m, PTX_M_MMA));
    bool is_store = d->op == PTX_O_STMATRIX || ptx_has(&d->m, PTX_M_STORE);
    bool is_row = d->op != PTX_O_WMMA; // a lane's access: a row of 16 bytes, or else one element
    struct ir_site s = {.kind = is_memory ? IR_SITE_MEM : IR_SITE_WARP, .op = d->op, .loc = d->loc, .ptx_line = d->ptx_line,
                        .space = d->space, .type = is_row ? (uint8_t)PTX_T_B32 : d->type, .vec = is_row ? 4 : 1,
                        .is_read = is_memory && !is_store, .is_write = is_store, .used_bytes_mask = UINT32_MAX};
    s.bytes = (uint8_t)((ptx_type_bits((enum ptx_type)s.type) + 7) / 8);
    d->site = (uint32_t)b->sites.n;
    WF_PUSH(&b->sites, s);
}

enum wf_status ir__matrix(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    bool stores = x->op == PTX_O_STMATRIX || ptx_has(&x->m, PTX_M_STORE);
    enum wf_status st = refused(b, in, x);
    uint32_t k = 0, n = 0;
    for (uint32_t i = 0; i < x->n_x; i++)
        n += x->x[i].n_elem + 1u;
    if (st)
        return st;
    if (n > IR_MORE_MAX)
        return wf_err_set(b->err, WF_E_UNSUPPORTED, "%s: too many operands", in->fn->name);
    d->more = WF_NEW_N(b->arena, struct ir_src, IR_MORE_MAX);
    if (!stores)
        st = ir__dst(b, in, &x->x[k++], d);
    for (; k < x->n_x && !st; k++)
        st = x->x[k].kind == PTX_X_MEM ? ir__address(b, in, &x->x[k], &d->more[d->n_more++])
                                       : ir__each(b, in, &x->x[k], (enum ptx_type)d->type, d);
    if (st)
        return st;
    meet(b, d);
    make_site(b, d);
    return WF_OK;
}

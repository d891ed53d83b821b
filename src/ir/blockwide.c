// SPDX-License-Identifier: Apache-2.0
// Registers that hold the same value in all warps of a block: loop counters and whatever else is computed from
// parameters, constants and the block's index alone, on ways that all warps go together. A region (src/jit)
// keeps them once for the block. Optimistic: all are, until a definition or a branch says otherwise.

#include "ir/ir_priv.h"

static bool is_block_fact(const struct ir_func *f, const struct ir_src *s)
{
    switch (s->kind) {
    case IR_S_REG:
        return f->regs[s->reg].is_blockwide;
    case IR_S_SREG:
        switch ((int)s->sreg) {
        case PTX_SR_CTAID: case PTX_SR_NTID: case PTX_SR_NCTAID:
            return true;
        default:
            return false;
        }
    default:
        return s->kind != IR_S_LOCAL;
    }
}

bool ir_is_pure(const struct ir_insn *in)
{
    switch (in->kind) {
    case IR_K_LDPARAM: case IR_K_MOVE: case IR_K_PACK: case IR_K_UNPACK:
        return true;
    case IR_K_BARRES:
        return false;
    default:
        return ir__is_lanewise(in) && !ptx_has(&in->m, PTX_M_CC);
    }
}

static bool gives_block_fact(const struct ir_func *f, const struct ir_insn *in)
{
    bool ok = ir_is_pure(in) && !in->n_more && (in->guard == IR_NONE || f->regs[in->guard].is_blockwide);
    for (uint32_t s = 0; s < in->n_src && ok; s++)
        ok = is_block_fact(f, &in->src[s]);
    return ok;
}

static bool fall(struct ir_func *f, uint32_t r)
{
    bool was = f->regs[r].is_blockwide;
    f->regs[r].is_blockwide = false;
    return was;
}

static bool flow(struct ir_func *f)
{
    bool changed = false;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            bool ok = gives_block_fact(f, in);
            for (uint32_t d = 0; d < in->n_dst && !ok; d++)
                if (in->dst[d] != IR_NONE)
                    changed |= fall(f, in->dst[d]);
            if (in->kind == IR_K_OP && in->op == PTX_O_CALL) {
                const struct ir_call *c = in->aux;
                for (uint32_t r = 0; r < c->n_rets; r++)
                    changed |= fall(f, c->ret[r]);
            }
        }
    return changed;
}

static bool parts_warps(const struct ir_func *f, const struct ir_block *b)
{
    return (b->term == IR_T_BRANCH || b->term == IR_T_BRX) && !f->regs[b->cond].is_blockwide;
}

void ir__blockwide(struct wf_arena *a, struct ir_func *f)
{
    struct wf_arena_mark mark = wf_arena_mark(a);
    struct split split;
    uint8_t *pinned = WF_NEW_N(a, uint8_t, f->n_regs + 1);
    ir__split_init(a, f, &split);
    for (uint32_t r = 0; r < f->n_regs; r++)
        f->regs[r].is_blockwide = f->regs[r].shape == IR_UNI;
    for (uint32_t q = 0; q < f->n_params; q++)
        f->regs[f->param_reg[q]].is_blockwide = false;
    for (bool again = true; again;) {
        again = flow(f);
        for (uint32_t k = 0; k < f->n_blocks; k++)
            if (parts_warps(f, &f->blocks[k]))
                ir__split_pins(&split, k, pinned);
        for (uint32_t r = 0; r < f->n_regs; r++)
            if (pinned[r])
                again |= fall(f, r);
    }
    wf_arena_rewind(a, mark);
}

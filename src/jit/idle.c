// SPDX-License-Identifier: Apache-2.0
// Warps that have nothing to do in a region. In "if (tid < stride) ..." the first warp for which no lane is left
// means that none is left in the warps behind it: a visit that found only such guards empty, and did nothing else that
// anybody could see, ends the region's loop. Tree reductions and scans consist of little else.

#include "jit/jit_int.h"

enum { NO_TAIL, TAIL_IF_TRUE, TAIL_IF_FALSE }; // the lanes with this value are gone from some warp on

static bool is_tid_x(const struct jit *j, const struct ir_insn *const *def, const struct ir_src *s)
{
    if (s->kind == IR_S_SREG)
        return s->sreg == PTX_SR_TID && s->comp == 0;
    if (s->kind != IR_S_REG || j->f->regs[s->reg].n_defs != 1 || j->f->regs[s->reg].bits != 32 || !def[s->reg])
        return false;
    const struct ir_insn *in = def[s->reg];
    return in->kind == IR_K_MOVE && in->guard == IR_NONE && in->src[0].kind == IR_S_SREG && in->src[0].sreg == PTX_SR_TID &&
           in->src[0].comp == 0;
}

static bool is_bound(const struct jit *j, const struct ir_src *s)
{
    return s->kind == IR_S_IMM || (s->kind == IR_S_REG && j->f->regs[s->reg].is_blockwide) ||
           (s->kind == IR_S_SREG && (s->sreg == PTX_SR_NTID || s->sreg == PTX_SR_CTAID));
}

static uint8_t kind_of(const struct jit *j, const struct ir_insn *const *def, const struct ir_insn *in)
{
    char k = ptx_type_kind((enum ptx_type)in->type);
    if (in->kind != IR_K_OP || in->op != PTX_O_SETP || in->n_src != 2 || in->n_dst != 1 || in->guard != IR_NONE ||
        ptx_type_bits((enum ptx_type)in->type) != 32 || (k != 'S' && k != 'U' && k != 'B'))
        return NO_TAIL;
    bool first = is_tid_x(j, def, &in->src[0]) && is_bound(j, &in->src[1]);
    if (!first && !(is_tid_x(j, def, &in->src[1]) && is_bound(j, &in->src[0])))
        return NO_TAIL;
    const struct ir_src *bound = &in->src[first];
    switch ((int)in->m.cmp - 1) {
    case PTX_M_LT: case PTX_M_LE: case PTX_M_LS:
        return first ? TAIL_IF_TRUE : TAIL_IF_FALSE;
    case PTX_M_GT: case PTX_M_GE: case PTX_M_HS:
        return first ? TAIL_IF_FALSE : TAIL_IF_TRUE;
    case PTX_M_EQ: // one thread of the first warp
        return bound->kind == IR_S_IMM && bound->bits < 32 ? TAIL_IF_TRUE : NO_TAIL;
    case PTX_M_NE:
        return bound->kind == IR_S_IMM && bound->bits < 32 ? TAIL_IF_FALSE : NO_TAIL;
    default:
        return NO_TAIL;
    }
}

const uint8_t *jit__find_tails(struct jit *j)
{
    uint8_t *t = WF_NEW_N(j->arena, uint8_t, j->f->n_regs + 1);
    const struct ir_insn **def = WF_NEW_N(j->arena, const struct ir_insn *, j->f->n_regs + 1);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < j->f->n_blocks; k++)
            for (uint32_t i = 0; i < j->f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &j->f->blocks[k].insns[i];
                uint32_t d = in->n_dst ? in->dst[0] : IR_NONE;
                if (d == IR_NONE)
                    continue;
                if (pass == 0)
                    def[d] = in;
                else if (j->f->regs[d].n_defs == 1)
                    t[d] = kind_of(j, def, in);
            }
    return t;
}

void jit__busy(struct jit *j)
{
    if (j->busy)
        LLVMBuildStore(j->b, LLVMConstInt(j->i1, 1, 0), j->busy);
}

// May this be left out by warps for which it happens to do nothing that outlives the region?
bool jit__is_idle(const struct jit *j, const struct ir_insn *in)
{
    if (!ir_is_pure(in))
        return false;
    for (uint32_t d = 0; d < in->n_dst; d++)
        if (in->dst[d] != IR_NONE && !j->f->regs[in->dst[d]].is_blockwide && j->region_out[in->dst[d]])
            return false;
    return true;
}

bool jit__is_tail(const struct jit *j, uint32_t reg, bool negated)
{
    return j->busy && j->tails[reg] == (negated ? TAIL_IF_FALSE : TAIL_IF_TRUE);
}

// SPDX-License-Identifier: Apache-2.0
// Registers whose NaN may have any bits: f32 results that only f32 arithmetic and comparisons read. Those
// give the one NaN of the GPU, or look no further than that it is one, so a chain of operations needs
// the canonical NaN at its end only.

#include "jit/jit_int.h"

static bool is_f32_arithmetic(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP || in->type != PTX_T_F32 || in->m.n_types > 1)
        return false;
    switch ((int)in->op) {
    case PTX_O_ADD: case PTX_O_SUB: case PTX_O_MUL: case PTX_O_FMA: case PTX_O_MAD:
        return true;
    default:
        return false;
    }
}

bool jit__any_nan_will_do(const struct jit *j, const struct ir_insn *in)
{
    return is_f32_arithmetic(in) && in->n_dst == 1 && in->dst[0] != IR_NONE && j->any_nan[in->dst[0]];
}

// Copies hand on what is asked of them: moves and the two values of selp.
static uint32_t copied_sources(const struct ir_insn *in)
{
    if (in->n_dst != 1 || in->dst[0] == IR_NONE)
        return 0;
    if (in->kind == IR_K_MOVE)
        return in->n_src;
    return in->kind == IR_K_OP && in->op == PTX_O_SELP && in->type == PTX_T_F32 ? 2 : 0;
}

static bool hand_on(const struct ir_func *f, uint8_t *ok)
{
    bool changed = false;
    for (uint32_t k = f->n_blocks; k-- > 0;)
        for (uint32_t i = f->blocks[k].n_insns; i-- > 0;) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            for (uint32_t s = 0; s < copied_sources(in); s++)
                if (in->src[s].kind == IR_S_REG && !ok[in->dst[0]] && ok[in->src[s].reg]) {
                    ok[in->src[s].reg] = 0;
                    changed = true;
                }
        }
    return changed;
}

void jit__find_any_nan(struct jit *j)
{
    const struct ir_func *f = j->f;
    uint8_t *ok = WF_NEW_N(j->arena, uint8_t, f->n_regs + 1);
    j->any_nan = ok;
    for (uint32_t r = 0; r < f->n_regs; r++)
        ok[r] = 1;
    for (uint32_t r = 0; r < f->n_rets; r++)
        ok[f->ret_reg[r]] = 0;
    bool has_calls = false;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            has_calls |= in->kind == IR_K_OP && in->op == PTX_O_CALL; // arguments are read elsewhere
            if (is_f32_arithmetic(in) || (in->kind == IR_K_OP && in->op == PTX_O_SETP && in->type == PTX_T_F32))
                continue;
            for (uint32_t s = copied_sources(in); s < in->n_src; s++)
                if (in->src[s].kind == IR_S_REG)
                    ok[in->src[s].reg] = 0;
        }
    for (uint32_t r = 0; r < f->n_regs && has_calls; r++)
        ok[r] = 0;
    while (hand_on(f, ok))
        ;
}

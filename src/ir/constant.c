// SPDX-License-Identifier: Apache-2.0
// Constants that travel through registers (compilers move immediates into registers before shuffles,
// stores and multiplications) go straight to their uses, so that emitters see them.

#include "ir/ir_priv.h"

static bool is_constant_move(const struct ir_func *f, const struct ir_insn *in)
{
    if (in->kind != IR_K_MOVE || in->guard != IR_NONE || in->n_dst != 1 || in->dst[0] == IR_NONE)
        return false;
    unsigned bits = f->regs[in->dst[0]].bits;
    if (bits == 1 || bits > 64 || ptx_type_bits((enum ptx_type)in->type) != bits)
        return false;
    return in->src[0].kind == IR_S_IMM || in->src[0].kind == IR_S_SHARED;
}

void ir__constants(struct wf_arena *a, struct ir_func *f)
{
    struct wf_arena_mark mark = wf_arena_mark(a);
    uint32_t *defs = WF_NEW_N(a, uint32_t, f->n_regs + 1);
    struct ir_src *value = WF_NEW_N(a, struct ir_src, f->n_regs + 1);
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            for (uint32_t d = 0; d < in->n_dst; d++)
                if (in->dst[d] != IR_NONE)
                    defs[in->dst[d]]++;
            if (in->kind == IR_K_OP && in->op == PTX_O_CALL) {
                const struct ir_call *c = in->aux;
                for (uint32_t r = 0; r < c->n_rets; r++)
                    defs[c->ret[r]]++;
            }
            if (is_constant_move(f, in))
                value[in->dst[0]] = in->src[0];
        }
    for (uint32_t q = 0; q < f->n_params; q++)
        defs[f->param_reg[q]]++;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            struct ir_insn *in = &f->blocks[k].insns[i];
            for (uint32_t s = 0; s < in->n_src; s++) {
                struct ir_src *x = &in->src[s];
                if (x->kind != IR_S_REG || x->is_negated || defs[x->reg] != 1 || value[x->reg].kind == IR_S_NONE)
                    continue;
                struct ir_src v = value[x->reg];
                unsigned bits = f->regs[x->reg].bits;
                if (v.kind == IR_S_IMM && bits < 64) // immediates are read sign-extended; keep the value that the register has
                    v.bits = bits == 32 ? (uint64_t)(int64_t)(int32_t)v.bits : v.bits & ((UINT64_C(1) << bits) - 1);
                if (v.kind == IR_S_IMM && bits < 32)
                    v.bits &= (UINT64_C(1) << bits) - 1;
                *x = v;
            }
        }
    wf_arena_rewind(a, mark);
}

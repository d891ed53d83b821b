// SPDX-License-Identifier: Apache-2.0
// The first read of a compare-and-swap loop: a plain load whose value becomes the comparand of a CAS on the
// same address. What it reads may be old, and the CAS finds out; checkers treat it as a class of its own.

#include "ir/ir_priv.h"

// Does the value of register `from` reach `to` through moves only? Marks in seen[].
static bool reaches(const struct ir_func *f, uint32_t from, uint32_t to, uint8_t *seen)
{
    for (uint32_t r = 0; r < f->n_regs; r++)
        seen[r] = 0;
    seen[from] = 1;
    for (bool grew = true; grew && !seen[to];) {
        grew = false;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                if (in->kind == IR_K_MOVE && in->src[0].kind == IR_S_REG && seen[in->src[0].reg] &&
                    in->dst[0] != IR_NONE && !seen[in->dst[0]]) {
                    seen[in->dst[0]] = 1;
                    grew = true;
                }
            }
    }
    return seen[to];
}

// Where does an address come from? Conversions between spaces and moves do not change it.
static uint32_t origin(const struct ir_func *f, uint32_t reg)
{
    for (int step = 0; step < 16; step++) {
        const struct ir_insn *def = NULL;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++)
                for (uint32_t d = 0; d < f->blocks[k].insns[i].n_dst; d++)
                    if (f->blocks[k].insns[i].dst[d] == reg) {
                        if (def)
                            return reg; // several definitions: the register itself
                        def = &f->blocks[k].insns[i];
                    }
        bool same = def && def->n_src && def->src[0].kind == IR_S_REG &&
                    (def->kind == IR_K_MOVE || (def->kind == IR_K_OP && def->op == PTX_O_CVTA));
        if (!same)
            return reg;
        reg = def->src[0].reg;
    }
    return reg;
}

static bool is_cas(const struct ir_insn *in)
{
    return in->kind == IR_K_OP && in->op == PTX_O_ATOM && PTX_IS(in->m.sub, CAS) && in->n_src == 3;
}

static bool is_guess(const struct ir_func *f, const struct ir_insn *ld, uint8_t *seen)
{
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            if (!is_cas(in) || in->off != ld->off || in->src[0].kind != ld->src[0].kind ||
                in->src[1].kind != IR_S_REG)
                continue;
            bool same = in->src[0].kind == IR_S_REG ? origin(f, in->src[0].reg) == origin(f, ld->src[0].reg)
                                                    : in->src[0].sym == ld->src[0].sym && in->src[0].bits == ld->src[0].bits;
            if (same && reaches(f, ld->dst[0], in->src[1].reg, seen))
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
    uint8_t *seen = WF_NEW_N(a, uint8_t, f->n_regs + 1);
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            if (in->kind == IR_K_OP && in->op == PTX_O_LD && in->m.sem < PTX_SEM_RELAXED && in->site != IR_NONE &&
                in->n_dst == 1 && in->dst[0] != IR_NONE)
                f->sites[in->site].is_cas_guess = is_guess(f, in, seen);
        }
    wf_arena_rewind(a, mark);
}

// SPDX-License-Identifier: Apache-2.0
// State spaces of generic accesses: an address that can only come from cvta of one space is an
// access to that space. What stays GENERIC is decided at run time, lane by lane.

#include "ir/ir_priv.h"

enum { UNKNOWN = 255, TOP = 254 };

static uint8_t meet(uint8_t a, uint8_t b)
{
    return a == TOP ? b : b == TOP ? a : a == b ? a : UNKNOWN;
}

static uint8_t src_space(const struct ir_src *s, const uint8_t *sp)
{
    if (s->kind == IR_S_REG)
        return sp[s->reg];
    return UNKNOWN;
}

// Address arithmetic keeps the space of its one pointer operand.
static uint8_t result_space(const struct ir_insn *in, const uint8_t *sp)
{
    if (in->kind == IR_K_MOVE)
        return in->src[0].kind == IR_S_SYM ? PTX_SP_GLOBAL : src_space(&in->src[0], sp);
    if (in->kind != IR_K_OP)
        return UNKNOWN;
    if (in->op == PTX_O_CVTA && !ptx_has(&in->m, PTX_M_TO)) {
        switch (in->space) {
        case PTX_SP_SHARED: return PTX_SP_SHARED;
        case PTX_SP_LOCAL: return PTX_SP_LOCAL;
        case PTX_SP_GLOBAL: case PTX_SP_CONST: return PTX_SP_GLOBAL;
        default: return UNKNOWN;
        }
    }
    if ((in->op == PTX_O_ADD || in->op == PTX_O_SUB || in->op == PTX_O_SELP) && in->n_src >= 2) {
        uint8_t a = src_space(&in->src[0], sp), b = src_space(&in->src[1], sp);
        if (in->op == PTX_O_SELP)
            return meet(a, b);
        if (in->op == PTX_O_SUB && b != UNKNOWN) // a distance is no address
            return b == TOP ? TOP : UNKNOWN;
        bool pa = a != UNKNOWN, pb = b != UNKNOWN;
        if (pa && pb)
            return a == TOP ? b : b == TOP ? a : UNKNOWN;
        return pa ? a : pb ? b : UNKNOWN;
    }
    return UNKNOWN;
}

void ir__spaces(struct ir_func *f)
{
    uint8_t *sp = wf_xmalloc(f->n_regs + 1), *next = wf_xmalloc(f->n_regs + 1);
    for (uint32_t r = 0; r < f->n_regs; r++)
        sp[r] = TOP;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < f->n_regs; r++)
            next[r] = TOP;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                for (uint32_t d = 0; d < in->n_dst; d++)
                    if (in->dst[d] != IR_NONE)
                        next[in->dst[d]] = meet(next[in->dst[d]], result_space(in, sp));
            }
        for (uint32_t r = 0; r < f->n_regs; r++)
            if (next[r] != sp[r]) {
                // Only ever downwards: TOP, a space, UNKNOWN.
                uint8_t v = sp[r] == TOP ? next[r] : UNKNOWN;
                if (v != sp[r]) {
                    sp[r] = v;
                    changed = true;
                }
            }
    }
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            struct ir_insn *in = &f->blocks[k].insns[i];
            bool is_mem = in->kind == IR_K_OP && (in->op == PTX_O_LD || in->op == PTX_O_ST || in->op == PTX_O_ATOM || in->op == PTX_O_RED);
            if (!is_mem || in->space != PTX_SP_GENERIC || in->src[0].kind != IR_S_REG)
                continue;
            uint8_t s = sp[in->src[0].reg];
            if (s == PTX_SP_GLOBAL || s == PTX_SP_SHARED || s == PTX_SP_LOCAL) {
                // The address stays a generic one: the emitter takes the window off again.
                in->space = s;
                in->is_generic_addr = true;
                if (in->site != IR_NONE)
                    f->sites[in->site].space = s;
            }
        }
    free(sp);
    free(next);
}

// SPDX-License-Identifier: Apache-2.0
// Words of local memory at places that are the same for all threads: variables that a compiler keeps there.
// Each word that a store began at holds the stored value, as a register does; a value of 8 bytes takes two words.
#include "prove/machine.h"

static union reg *word(struct machine *m, int64_t at)
{
    return &m->reg[m->f->n_regs + (uint32_t)at];
}

static void forget(struct machine *m, int64_t from, int64_t to)
{
    from = from < 0 ? 0 : from;
    if (from > 0 && from <= m->n_local && word(m, from - 1)->form && word(m, from - 1)->form->bits == 64)
        word(m, from - 1)->form = NULL; // its second half
    for (; from < to && from < m->n_local; from++)
        word(m, from)->form = NULL;
}

// The first byte's place, false: another one in each thread, or not known.
static bool place_of(struct machine *m, const struct ir_insn *in, int64_t *at)
{
    unsigned bits = in->src[0].kind == IR_S_REG ? m->f->regs[in->src[0].reg].bits : 64;
    if (in->src[0].kind == IR_S_NONE || !prove__is_constant(&m->s, prove__operand(m, &in->src[0], bits), at))
        return false;
    *at += in->off - PROVE_LOCAL;
    return *at >= 0 && *at < 4 * (int64_t)m->n_local;
}

void prove__local_store(struct machine *m, const struct ir_insn *in, const struct pred *guard)
{
    int64_t at;
    unsigned bits = ptx_type_bits((enum ptx_type)in->type), n = in->m.vec ? in->m.vec : 1, bytes = bits / 8;
    if (!place_of(m, in, &at)) {
        forget(m, 0, m->n_local);
        return;
    }
    forget(m, at / 4, (at + bytes * n + 3) / 4);
    if ((guard && guard->known != 1) || at % 4 || (bits != 32 && bits != 64))
        return;
    for (unsigned e = 0; e < n && 1 + e < in->n_src; e++)
        if (at / 4 + (e + 1) * (bits / 32) <= m->n_local)
            word(m, at / 4 + e * (bits / 32))->form = prove__operand(m, &in->src[1 + e], bits);
}

const struct form *prove__local_load(struct machine *m, const struct ir_insn *in, uint32_t element)
{
    int64_t at;
    unsigned bits = ptx_type_bits((enum ptx_type)in->type), to = m->f->regs[in->dst[element]].bits;
    if (place_of(m, in, &at) && to == bits && (bits == 32 || bits == 64) && at % 4 == 0) {
        at = at / 4 + element * (bits / 32);
        const struct form *f = at < m->n_local ? word(m, at)->form : NULL;
        if (f && f->bits == bits)
            return f;
    }
    return prove__unknown(&m->s, to);
}

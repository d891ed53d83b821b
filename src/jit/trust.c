// SPDX-License-Identifier: Apache-2.0
// An unrolled loop accesses many places around one base. Where a warp can still retreat (retreat.c), all accesses of a
// block that go through registers known at its start are checked there, once a base: the least and the greatest offset
// speak for all between. What is checked so costs no branch where it is made, and little to compile.

#include "jit/access.h"

#define MOST_GROUPS 16

struct jit_trust { // accesses of `total` bytes through register reg, from offset lo to hi
    uint32_t reg;
    unsigned total, n;
    int64_t lo, hi;
    const struct ir_insn *first;
    LLVMValueRef at[2]; // pointers to lane 0, or to the starts of both halves, at offset lo
};

static unsigned bytes_of(const struct ir_insn *in)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    return (bits < 8 ? 8 : bits) / 8 * (in->m.vec ? in->m.vec : 1);
}

static bool is_candidate(const struct jit *j, const struct ir_insn *in)
{
    if (in->kind != IR_K_OP || (in->op != PTX_O_LD && in->op != PTX_O_LDU && in->op != PTX_O_ST) || in->n_more ||
        in->guard != IR_NONE || in->src[0].kind != IR_S_REG ||
        (in->space != PTX_SP_SHARED && in->space != PTX_SP_GLOBAL))
        return false;
    const struct ir_reg *r = &j->f->regs[in->src[0].reg];
    return (r->bits == 32 || r->bits == 64) && (r->shape != IR_VEC || r->has_row_step);
}

static struct jit_trust *group_of(struct jit *j, const struct ir_insn *in)
{
    for (unsigned i = 0; i < j->n_trust; i++) {
        struct jit_trust *t = &j->trust[i];
        if (t->reg == in->src[0].reg && t->total == bytes_of(in) && t->first->space == in->space &&
            t->first->is_generic_addr == in->is_generic_addr && (in->off - t->lo) % t->total == 0)
            return t;
    }
    if (j->n_trust == MOST_GROUPS)
        return NULL;
    struct jit_trust *t = &j->trust[j->n_trust++];
    *t = (struct jit_trust){.reg = in->src[0].reg, .total = bytes_of(in), .lo = in->off, .hi = in->off, .first = in};
    return t;
}

static void check(struct jit *j, struct jit_trust *t)
{
    struct ir_insn in = *t->first;
    in.off = t->lo;
    struct jit_acc a = {.in = &in, .mask = jit__mask(j), .n = 1, .bytes = t->total, .extra = (uint64_t)(t->hi - t->lo)};
    jit__acc_address(j, &a);
    jit__acc_check(j, &a, jit__retreat(j));
    t->at[0] = jit__acc_pointer(j, &a, a.has_row_step ? a.start[0] : a.base);
    t->at[1] = a.has_row_step ? jit__acc_pointer(j, &a, a.start[1]) : NULL;
}

// At the start of a block.
void jit__trust_block(struct jit *j, const struct ir_block *b)
{
    j->n_trust = 0;
    j->trusted = NULL;
    if (!j->retreat || !j->is_whole)
        return;
    if (j->trust_func != j->f) {
        j->trust_func = j->f;
        j->written = WF_NEW_N(j->arena, uint32_t, j->f->n_regs + 1);
        j->n_written = 0;
    }
    uint32_t now = ++j->n_written;
    struct jit_trust **of = WF_NEW_N(j->arena, struct jit_trust *, b->n_insns + 1);
    if (!j->trust)
        j->trust = WF_NEW_N(j->arena, struct jit_trust, MOST_GROUPS);
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        if (is_candidate(j, in) && j->written[in->src[0].reg] != now && (of[i] = group_of(j, in))) {
            of[i]->n++;
            of[i]->lo = in->off < of[i]->lo ? in->off : of[i]->lo;
            of[i]->hi = in->off > of[i]->hi ? in->off : of[i]->hi;
        }
        for (uint32_t d = 0; d < in->n_dst; d++)
            if (in->dst[d] != IR_NONE && !j->f->regs[in->dst[d]].is_remat)
                j->written[in->dst[d]] = now;
    }
    for (unsigned i = 0; i < j->n_trust; i++)
        check(j, &j->trust[i]);
    j->trusted = of;
    j->trust_of = b;
}

// Was the access checked at the block's start? Then a->at is there.
bool jit__is_trusted(struct jit *j, struct jit_acc *a)
{
    const struct ir_block *b = j->trust_of;
    if (!j->trusted || a->in < b->insns || a->in >= b->insns + b->n_insns || !j->trusted[a->in - b->insns])
        return false;
    const struct jit_trust *t = j->trusted[a->in - b->insns];
    for (int i = 0; i < 2 && t->at[i]; i++)
        a->at[i] = a->in->off == t->lo ? t->at[i] : jit__field(j, t->at[i], (size_t)(a->in->off - t->lo));
    return true;
}

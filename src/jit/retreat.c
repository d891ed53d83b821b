// SPDX-License-Identifier: Apache-2.0
// Accesses that fail their range check in a region, without code for the slow way at each of them. As long as a warp
// has changed nothing but registers, it can retreat: it is parked where the region (or the block) began, with the
// registers of that moment, and the function that takes any path at any pc does it again, which finds the fault, or
// the memory that has no fast way. All accesses share one such exit.

#include "jit/access.h"

// Nothing that anybody could see was done when this has run, and doing it again gives nothing new.
static bool can_be_repeated(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP)
        return true;
    switch ((int)in->op) {
    case PTX_O_LD: case PTX_O_LDU:
        return in->m.sem < PTX_SEM_RELAXED && !in->n_more;
    case PTX_O_CVTA: case PTX_O_ISSPACEP:
        return true;
    default:
        return ir_is_pure(in);
    }
}

#define MOST_KEPT 64 // registers that a block keeps for a retreat

static bool is_access(const struct ir_insn *in)
{
    return in->kind == IR_K_OP && (in->op == PTX_O_LD || in->op == PTX_O_LDU || in->op == PTX_O_ST);
}

struct jit_retreat { // a place where everything can begin anew
    uint32_t pc;
    LLVMValueRef mask;
    struct jit_val *val;  // by live-in of the block at pc
    LLVMBasicBlockRef at; // the way there; NULL: nobody has asked for it yet
};

static struct jit_retreat *from_here(struct jit *j, uint32_t k)
{
    const struct ir_block *b = &j->f->blocks[k];
    struct jit_retreat *r = WF_NEW(j->arena, struct jit_retreat);
    r->pc = k;
    r->mask = jit__mask(j);
    r->val = WF_NEW_N(j->arena, struct jit_val, b->n_live_in + 1);
    for (uint32_t i = 0; i < b->n_live_in; i++)
        r->val[i] = jit__get(j, b->live_in[i]);
    return r;
}

static bool has_effect(const struct ir_block *b)
{
    uint32_t n = b->n_insns;
    if (jit__starts_with_warp_op(b))
        return true;
    if (b->term == IR_T_SYNC || b->term == IR_T_CALL)
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (!can_be_repeated(&b->insns[i]))
            return true;
    return false;
}

// By block: has a warp that comes there done nothing yet but compute, on all ways from the region's start?
static const uint8_t *find_untouched(struct jit *j, const uint8_t *in)
{
    const struct ir_func *f = j->f;
    uint8_t *ok = WF_NEW_N(j->arena, uint8_t, f->n_blocks + 1);
    for (uint32_t k = 0; k < f->n_blocks; k++)
        ok[k] = in[k];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < f->n_blocks; k++) {
            const struct ir_block *b = &f->blocks[k];
            if (!in[k] || b->term == IR_T_SYNC || b->term == IR_T_CALL || (ok[k] && !has_effect(b)))
                continue;
            for (uint32_t s = 0; s < b->n_succ; s++) {
                changed |= ok[b->succ[s]];
                ok[b->succ[s]] = 0;
            }
        }
    }
    return ok;
}

// Where the code of the region at block k starts, its registers loaded.
void jit__retreat_region(struct jit *j, uint32_t k, const uint8_t *in)
{
    j->region_retreat = j->is_checked ? NULL : from_here(j, k);
    j->untouched = find_untouched(j, in);
}

// At the start of block k's code.
void jit__retreat_begin(struct jit *j, uint32_t k)
{
    const struct ir_block *b = &j->f->blocks[k];
    uint32_t n = 0;
    j->retreat = NULL;
    if (!j->is_region || j->is_checked || jit__starts_with_warp_op(b))
        return;
    for (uint32_t i = 0; i < b->n_insns; i++)
        n += is_access(&b->insns[i]);
    if (n && j->untouched[k])
        j->retreat = j->region_retreat;
    else if (n && b->n_live_in <= MOST_KEPT && jit__is_entry(j->f, k))
        j->retreat = from_here(j, k);
}

// After an instruction.
void jit__retreat_past(struct jit *j, const struct ir_insn *in)
{
    if (!can_be_repeated(in))
        j->retreat = NULL;
}

LLVMBasicBlockRef jit__retreat(struct jit *j)
{
    struct jit_retreat *r = j->retreat;
    if (r->at)
        return r->at;
    const struct ir_block *b = &j->f->blocks[r->pc];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(j->b);
    r->at = jit__block(j, "retreat");
    LLVMPositionBuilderAtEnd(j->b, r->at);
    for (uint32_t i = 0; i < b->n_live_in; i++)
        jit__set_val(j, b->live_in[i], r->val[i]);
    jit__save_live(j, r->pc, r->mask);
    LLVMValueRef a[3] = {j->warp, jit__c32(j, r->pc), r->mask};
    jit__call(j, "wf_x_park", j->void_t, a, 3);
    jit__stop_warp(j, WF_STOP_BAIL);
    LLVMPositionBuilderAtEnd(j->b, here);
    return r->at;
}

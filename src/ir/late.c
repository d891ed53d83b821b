// SPDX-License-Identifier: Apache-2.0
// May the kernel's additions to global memory wait? A relaxed atomic add whose old value nobody reads is not ordered
// with anything but what its own thread does to the same place, fences and barriers (PTX ISA 8.8). In a kernel
// without fences, without strong accesses, and without any global access behind such an add, nobody can tell
// whether it is made at once or when the grid ends: a worker may then sum up what it adds to one address.

#include "ir/ir_priv.h"

static bool is_global(const struct ir_insn *in)
{
    return in->space == PTX_SP_GLOBAL || in->space == PTX_SP_GENERIC;
}

static bool is_late_add(const struct ir_func *f, const struct ir_insn *in)
{
    char k = ptx_type_kind((enum ptx_type)in->type);
    return in->kind == IR_K_OP && (in->op == PTX_O_ATOM || in->op == PTX_O_RED) && in->space == PTX_SP_GLOBAL &&
           PTX_IS(in->m.sub, ADD) && (k == 'U' || k == 'S') && ptx_type_bits((enum ptx_type)in->type) == 32 && !in->m.vec &&
           (in->n_dst == 0 || in->dst[0] == IR_NONE) && in->m.sem <= PTX_SEM_RELAXED && in->m.scope != PTX_SC_SYS &&
           in->site != IR_NONE && !f->sites[in->site].is_volatile;
}

enum effect { NOTHING, ADD, GLOBAL, FORBIDS };

static enum effect effect_of(const struct ir_func *f, const struct ir_insn *in)
{
    if (ir_is_pure(in) || in->kind != IR_K_OP)
        return NOTHING;
    if (is_late_add(f, in))
        return ADD;
    switch ((int)in->op) {
    case PTX_O_LD: case PTX_O_LDU: case PTX_O_ST:
        if (in->m.sem > PTX_SEM_WEAK || (in->site != IR_NONE && f->sites[in->site].is_volatile))
            return in->space == PTX_SP_SHARED || in->space == PTX_SP_LOCAL ? NOTHING : FORBIDS;
        return is_global(in) ? GLOBAL : NOTHING;
    case PTX_O_ATOM: case PTX_O_RED:
        return in->space == PTX_SP_SHARED && in->m.sem <= PTX_SEM_RELAXED ? NOTHING : FORBIDS;
    case PTX_O_BAR: case PTX_O_BARRIER:
        return ptx_has(&in->m, PTX_M_CLUSTER) ? FORBIDS : NOTHING;
    case PTX_O_SHFL: case PTX_O_VOTE: case PTX_O_MATCH: case PTX_O_REDUX: case PTX_O_ACTIVEMASK: case PTX_O_ELECT:
    case PTX_O_CVTA: case PTX_O_ISSPACEP:
        return NOTHING;
    default:
        return FORBIDS;
    }
}

// Is a global access reachable from behind instruction i of block k?
static bool is_followed(const struct ir_func *f, uint32_t k, uint32_t i, uint8_t *seen, uint32_t *stack)
{
    uint32_t top = 0;
    for (uint32_t x = 0; x < f->n_blocks; x++)
        seen[x] = 0;
    for (uint32_t at = i + 1;; at = 0) {
        const struct ir_block *b = &f->blocks[k];
        for (; at < b->n_insns; at++)
            if (effect_of(f, &b->insns[at]) == GLOBAL)
                return true;
        for (uint32_t s = 0; s < b->n_succ; s++)
            if (!seen[b->succ[s]]) {
                seen[b->succ[s]] = 1;
                stack[top++] = b->succ[s];
            }
        if (!top)
            return false;
        k = stack[--top];
    }
}

// The same view of stores: a kernel without fences and strong accesses does not tell its blocks' stores apart in time, so
// they may go past the caches (weakly ordered stores) as long as they are there when the grid ends. The threads of a block
// see them at once behind a barrier: one worker runs them all.
bool ir_may_stream(const struct ir_program *p)
{
    const struct ir_func *f = p->funcs[0];
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++)
            if (effect_of(f, &f->blocks[k].insns[i]) == FORBIDS)
                return false;
    return p->n_funcs == 1;
}

bool ir_adds_may_wait(struct wf_arena *a, const struct ir_program *p)
{
    const struct ir_func *f = p->funcs[0];
    bool any = false, ok = p->n_funcs == 1;
    struct wf_arena_mark mark = wf_arena_mark(a);
    uint8_t *seen = WF_NEW_N(a, uint8_t, f->n_blocks + 1);
    uint32_t *stack = WF_NEW_N(a, uint32_t, f->n_blocks + 1);
    for (uint32_t k = 0; k < f->n_blocks && ok; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns && ok; i++) {
            enum effect e = effect_of(f, &f->blocks[k].insns[i]);
            any |= e == ADD;
            ok = e != FORBIDS && (e != ADD || !is_followed(f, k, i, seen, stack));
        }
    wf_arena_rewind(a, mark);
    return ok && any;
}

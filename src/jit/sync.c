// SPDX-License-Identifier: Apache-2.0
// What stops a path: CTA and cluster barriers, griddepcontrol.wait, nanosleep, real calls; and calls of
// the device runtime, which do not stop it. State is saved first; the scheduler decides what is next.

#include "jit/jit_int.h"

static LLVMValueRef uniform_or_first(struct jit *j, const struct ir_src *s)
{
    if (jit__src_shape(j, s) == IR_UNI)
        return jit__src_uni(j, s, 32);
    LLVMValueRef m = jit__mask(j), a[2] = {m, LLVMConstInt(j->i1, 1, 0)};
    LLVMValueRef lane = jit__intrin(j, "llvm.cttz", &j->i32, 1, a, 2);
    return LLVMBuildExtractElement(j->b, jit__src_vec(j, s, 32), lane, "");
}

// Every lane names its own barrier or count.
static bool is_many_barriers(struct jit *j, const struct ir_insn *in, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (jit__src_shape(j, &in->src[i]) != IR_UNI)
            return true;
    return false;
}

static LLVMValueRef spilled(struct jit *j, const struct ir_insn *in, uint32_t i, uint32_t n)
{
    return i < n ? jit__spill(j, jit__src_vec(j, &in->src[i], 32)) : LLVMConstNull(j->ptr);
}

static void barrier(struct jit *j, const struct ir_insn *in, uint32_t next)
{
    LLVMValueRef m = jit__mask(j), id = jit__c32(j, 0), count = jit__c32(j, 0), pred = jit__c32(j, 0);
    uint32_t kind = ptx_has(&in->m, PTX_M_ARRIVE) ? 1 : ptx_has(&in->m, PTX_M_RED) ? 2 : 0;
    if (kind == 2)
        kind = ptx_has(&in->m, PTX_M_POPC) ? 2 : PTX_IS(in->m.sub, AND) || ptx_has(&in->m, PTX_M_AND) ? 3 : 4;
    uint32_t n = in->n_src;
    if (kind >= 2 && n) {
        n--;
        pred = jit__mask_word(j, jit__src_vec(j, &in->src[n], 1));
    }
    if (is_many_barriers(j, in, n)) {
        LLVMValueRef ids = spilled(j, in, 0, n), counts = spilled(j, in, 1, n);
        jit__save_live(j, next, m);
        LLVMValueRef a[8] = {j->warp, jit__c32(j, next), m, jit__c32(j, in->site), ids, counts, jit__c32(j, kind), pred};
        jit__dispatch_to(j, jit__call(j, "wf_x_bar_each", j->i64, a, 8));
        return;
    }
    if (n > 0)
        id = jit__src_uni(j, &in->src[0], 32);
    if (n > 1)
        count = jit__src_uni(j, &in->src[1], 32);
    jit__save_live(j, next, m);
    LLVMValueRef a[8] = {j->warp, jit__c32(j, next), m, jit__c32(j, in->site), id, count, jit__c32(j, kind), pred};
    jit__dispatch_to(j, jit__call(j, "wf_x_bar", j->i64, a, 8));
}

void jit__sync(struct jit *j, const struct ir_insn *in, uint32_t next)
{
    if (in->op != PTX_O_NANOSLEEP && in->op != PTX_O_GRIDDEPCONTROL && !ptx_has(&in->m, PTX_M_CLUSTER)) {
        barrier(j, in, next);
        return;
    }
    LLVMValueRef m = jit__mask(j), ns = jit__c32(j, 0);
    if (in->op == PTX_O_NANOSLEEP && in->n_src)
        ns = uniform_or_first(j, &in->src[0]);
    jit__save_live(j, next, m);
    uint32_t kind = in->op == PTX_O_NANOSLEEP        ? 0
                    : in->op == PTX_O_GRIDDEPCONTROL ? 1
                    : ptx_has(&in->m, PTX_M_ARRIVE)  ? 2
                                                     : 3;
    if (kind == 2 && in->m.sem == PTX_SEM_RELAXED)
        kind |= 0x100;
    LLVMValueRef a[6] = {j->warp, jit__c32(j, next), m, jit__c32(j, in->site), jit__c32(j, kind), ns};
    jit__dispatch_to(j, jit__call(j, "wf_x_pause", j->i64, a, 6));
}

// Pointers to the arguments' lanes, each widened to 64 bits.
static LLVMValueRef spill_args(struct jit *j, const struct ir_call *c)
{
    LLVMTypeRef at = LLVMArrayType2(j->ptr, c->n_args + 1);
    LLVMValueRef table = jit__alloca(j, at, 8);
    for (uint32_t i = 0; i < c->n_args; i++) {
        struct ir_src s = {.kind = IR_S_REG, .reg = c->arg[i]};
        LLVMValueRef v = jit__spill(j, jit__src_vec(j, &s, 64));
        LLVMBuildStore(j->b, v, jit__field(j, table, 8 * (size_t)i));
    }
    return table;
}

void jit__call_builtin(struct jit *j, const struct ir_insn *in)
{
    const struct ir_call *c = in->aux;
    LLVMValueRef out = jit__alloca(j, j->v64, 64);
    LLVMValueRef a[6] = {j->warp, jit__c32(j, in->site), jit__mask(j), jit__c32(j, c->builtin), spill_args(j, c), out};
    jit__call(j, "wf_x_builtin", j->void_t, a, 6);
    if (!c->n_rets)
        return;
    LLVMValueRef v = LLVMBuildLoad2(j->b, j->v64, out, "");
    struct ir_insn set = {.kind = IR_K_MOVE, .type = PTX_T_B64, .guard = IR_NONE, .is_partial = in->is_partial};
    jit__set(j, &set, c->ret[0], v, true);
}

void jit__real_call(struct jit *j, const struct ir_insn *in, uint32_t next)
{
    const struct ir_call *c = in->aux;
    LLVMValueRef m = jit__mask(j);
    jit__save_live(j, next, m);
    // Where the results go: frame slots of the result registers.
    LLVMValueRef args = spill_args(j, c), callee = jit__spill(j, jit__src_vec(j, &in->src[0], 64));
    uint32_t n = c->n_rets;
    LLVMValueRef ret = jit__alloca(j, LLVMArrayType2(j->i32, n + 1), 8);
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_reg *r = &j->f->regs[c->ret[i]];
        LLVMBuildStore(j->b, jit__c32(j, r->slot | r->bits / 8u << 24), jit__field(j, ret, 4 * (size_t)i));
    }
    LLVMValueRef a[8] = {j->warp, jit__c32(j, next), m, jit__c32(j, in->site), callee, args, jit__c32(j, c->n_args | n << 16), ret};
    jit__dispatch_to(j, jit__call(j, "wf_x_call", j->i64, a, 8));
}

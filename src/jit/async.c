// SPDX-License-Identifier: Apache-2.0
// cp.async, mbarrier, cluster addresses: their state lives in the scheduler, so each is one call of a
// C helper with the operands of all lanes.

#include "jit/jit_int.h"

static LLVMValueRef lanes64(struct jit *j, const struct ir_insn *in, uint32_t k)
{
    if (k >= in->n_src)
        return LLVMConstNull(j->ptr);
    if (k == 0 && (in->op == PTX_O_CP || in->op == PTX_O_MBARRIER) && in->src[0].kind != IR_S_NONE)
        return jit__spill(j, jit__addresses(j, in, 0));
    return jit__spill(j, jit__src_vec(j, &in->src[k], 64));
}

void jit__async(struct jit *j, const struct ir_insn *in)
{
    if (in->op == PTX_O_GRIDDEPCONTROL || in->op == PTX_O_CREATEPOLICY) {
        // .launch_dependents is permission, not an order; policies are hints.
        if (in->op == PTX_O_GRIDDEPCONTROL && j->is_checked) {
            LLVMValueRef t[2] = {j->warp, jit__mask(j)};
            jit__call(j, "wf_x_trigger", j->void_t, t, 2);
        }
        if (in->n_dst)
            jit__set(j, in, in->dst[0], jit__c64(j, 0), false);
        return;
    }
    LLVMTypeRef at = LLVMArrayType2(j->ptr, 8);
    LLVMValueRef table = jit__alloca(j, at, 8), out = jit__alloca(j, j->v64, 64);
    uint32_t n = in->n_src < 8 ? in->n_src : 8;
    for (uint32_t k = 0; k < n; k++)
        LLVMBuildStore(j->b, lanes64(j, in, k), jit__field(j, table, 8 * (size_t)k));
    // The operation, by the modifiers that matter: see wf_x_async in src/exec/async.c.
    uint64_t bits = 0;
    static const enum ptx_mod flags[] = {
        PTX_M_BULK, PTX_M_COMMIT_GROUP, PTX_M_WAIT_GROUP, PTX_M_WAIT_ALL, PTX_M_READ, PTX_M_MBARRIER, PTX_M_NOINC,
        PTX_M_INIT, PTX_M_INVAL, PTX_M_ARRIVE, PTX_M_ARRIVE_DROP, PTX_M_EXPECT_TX, PTX_M_COMPLETE_TX, PTX_M_NOCOMPLETE,
        PTX_M_TEST_WAIT, PTX_M_TRY_WAIT, PTX_M_PARITY, PTX_M_PENDING_COUNT, PTX_M_RELAXED, PTX_M_TENSOR, PTX_M_REDUCE,
        PTX_M_MBARRIER_COMPLETE_TX, PTX_M_BULK_GROUP, PTX_M_PREFETCH};
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
        if (ptx_has(&in->m, flags[i]))
            bits |= UINT64_C(1) << i;
    bits |= (uint64_t)in->op << 40 | (uint64_t)in->m.space << 32 | (uint64_t)in->m.space2 << 36 |
            (uint64_t)n << 56 | (uint64_t)(in->n_dst ? 1 : 0) << 60;
    LLVMValueRef code = jit__c64(j, bits);
    LLVMValueRef a[6] = {j->warp, jit__c32(j, in->site), jit__mask(j), code, table, out};
    jit__call(j, "wf_x_async", j->void_t, a, 6);
    if (in->n_dst && in->dst[0] != IR_NONE) {
        LLVMValueRef v = LLVMBuildLoad2(j->b, j->v64, out, "");
        if (j->f->regs[in->dst[0]].bits == 1) {
            v = LLVMBuildICmp(j->b, LLVMIntNE, v, LLVMConstNull(j->v64), "");
            jit__set(j, in, in->dst[0], v, true);
        } else {
            struct ir_insn set = *in;
            set.type = PTX_T_B64;
            jit__set(j, &set, in->dst[0], v, true);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Asynchronous bulk operations: one call of a C helper with the operands of all lanes (jit/bulk.h).

#include "ir/build_wide.h"
#include "jit/bulk.h"
#include "jit/jit_int.h"

static enum wf_bulk_what what_of(const struct ir_insn *in)
{
    const struct ptx_mods *m = &in->m;
    bool is_tensor = ptx_has(m, PTX_M_TENSOR), is_reduce = ptx_has(m, PTX_M_REDUCE);
    if (in->op == PTX_O_ST)
        return WF_BULK_STORE;
    if (in->op == PTX_O_RED)
        return WF_BULK_RED;
    if (ptx_has(m, PTX_M_PREFETCH))
        return WF_BULK_NOTHING;
    if (ptx_has(m, PTX_M_COMMIT_GROUP))
        return WF_BULK_COMMIT;
    if (ptx_has(m, PTX_M_WAIT_GROUP))
        return ptx_has(m, PTX_M_READ) ? WF_BULK_WAIT_READ : WF_BULK_WAIT;
    if (!is_tensor)
        return is_reduce ? WF_BULK_REDUCE : WF_BULK_COPY;
    return is_reduce ? WF_BULK_TENSOR_REDUCE : m->space == PTX_SP_GLOBAL ? WF_BULK_TENSOR_STORE : WF_BULK_TENSOR_LOAD;
}

void jit__bulk(struct jit *j, const struct ir_insn *in)
{
    enum wf_bulk_what what = what_of(in);
    if (what == WF_BULK_NOTHING)
        return;
    LLVMValueRef table = jit__alloca(j, LLVMArrayType2(j->ptr, IR_MORE_MAX), 8);
    for (uint32_t k = 0; k < in->n_more; k++) {
        LLVMValueRef p = in->more[k].kind == IR_S_NONE ? LLVMConstNull(j->ptr) : jit__spill(j, jit__src_vec(j, &in->more[k], 64));
        LLVMBuildStore(j->b, p, jit__field(j, table, 8 * (size_t)k));
    }
    uint64_t code = what | (uint64_t)in->m.space << WF_BULK_DST_SPACE | (uint64_t)in->m.space2 << WF_BULK_SRC_SPACE |
                    (uint64_t)in->m.sub << WF_BULK_SUB | (uint64_t)in->type << WF_BULK_TYPE |
                    (uint64_t)(in->n_more - IR_BULK_REST) << WF_BULK_COUNT |
                    (uint64_t)ptx_has(&in->m, PTX_M_MULTICAST_CLUSTER) << WF_BULK_MULTICAST |
                    (uint64_t)ptx_has(&in->m, PTX_M_CP_MASK) << WF_BULK_MASKED |
                    (uint64_t)ptx_has(&in->m, PTX_M_MBARRIER_COMPLETE_TX) << WF_BULK_HAS_MBAR;
    LLVMValueRef a[5] = {j->warp, jit__c32(j, in->site), jit__mask(j), jit__c64(j, code), table};
    jit__call(j, "wf_x_bulk", j->void_t, a, 5);
}

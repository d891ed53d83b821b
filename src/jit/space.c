// SPDX-License-Identifier: Apache-2.0
// Generic addresses: to and from those of a state space (cvta), and in which window one lies (isspacep). The
// windows are those of mem/space.h.

#include "jit/jit_int.h"
#include "mem/space.h" // WF_LOCAL_OFFSET

// cvta.shared::cluster: an address of another CTA's shared memory has its rank + 1 from bit 24 on, one of
// the own CTA's is the plain offset.
static void cluster_address(struct jit *j, const struct ir_insn *in)
{
    LLVMBuilderRef b = j->b;
    LLVMValueRef first = LLVMBuildAdd(b, j->win_base, jit__c64(j, WF_SHARED_OFFSET), "");
    LLVMValueRef rank1 = jit__splat(j, jit__c64(j, WF_SHARED_STRIDE)), own = jit__splat(j, j->shared_window);
    LLVMValueRef v = jit__src_vec(j, &in->src[0], 64), all = jit__splat(j, LLVMBuildSub(b, first, jit__c64(j, WF_SHARED_STRIDE), ""));
    if (ptx_has(&in->m, PTX_M_TO)) {
        LLVMValueRef off = LLVMBuildSub(b, v, own, ""), here = LLVMBuildICmp(b, LLVMIntULT, off, rank1, "");
        v = LLVMBuildSelect(b, here, off, LLVMBuildSub(b, v, all, ""), "");
    } else {
        LLVMValueRef here = LLVMBuildICmp(b, LLVMIntULT, v, rank1, "");
        v = LLVMBuildAdd(b, v, LLVMBuildSelect(b, here, own, all, ""), "");
    }
    jit__set(j, in, in->dst[0], v, true);
}

void jit__address_space(struct jit *j, const struct ir_insn *in)
{
    uint32_t dst = in->dst[0];
    if (dst == IR_NONE)
        return;
    if (in->space == PTX_SP_SHARED_CLUSTER) {
        cluster_address(j, in);
        return;
    }
    if (j->f->regs[dst].shape == IR_WAFF) {
        jit__wide_affine(j, in);
        return;
    }
    bool is_vec = j->f->regs[dst].shape == IR_VEC && jit__src_shape(j, &in->src[0]) != IR_UNI;
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    LLVMValueRef v = is_vec ? jit__src_vec(j, &in->src[0], bits) : jit__src_uni(j, &in->src[0], bits), w = NULL;
    if (in->space == PTX_SP_SHARED)
        w = j->shared_window;
    else if (in->space == PTX_SP_LOCAL)
        w = LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_LOCAL_OFFSET), "");
    if (w) {
        w = jit__fit(j, w, bits, false);
        if (is_vec)
            w = jit__splat(j, w);
        v = ptx_has(&in->m, PTX_M_TO) ? LLVMBuildSub(j->b, v, w, "") : LLVMBuildAdd(j->b, v, w, "");
    }
    jit__set(j, in, dst, v, is_vec);
}

// isspacep: which window does a generic address lie in?
void jit__is_space(struct jit *j, const struct ir_insn *in)
{
    LLVMValueRef a = jit__src_vec(j, &in->src[0], 64), lo, len;
    switch ((int)in->space) {
    case PTX_SP_SHARED:
        lo = j->shared_window;
        len = jit__c64(j, WF_SHARED_STRIDE);
        break;
    case PTX_SP_SHARED_CLUSTER:
        lo = LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_SHARED_OFFSET), "");
        len = jit__c64(j, WF_SHARED_WINDOW);
        break;
    case PTX_SP_LOCAL:
        lo = LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_LOCAL_OFFSET), "");
        len = jit__c64(j, WF_LOCAL_WINDOW);
        break;
    case PTX_SP_PARAM:
        lo = LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_PARAM_OFFSET), "");
        len = jit__c64(j, WF_HEAP_OFFSET - WF_PARAM_OFFSET);
        break;
    default:
        lo = j->heap_lo;
        len = LLVMBuildSub(j->b, j->win_bytes, jit__c64(j, WF_HEAP_OFFSET), "");
        break;
    }
    LLVMValueRef off = LLVMBuildSub(j->b, a, jit__splat(j, lo), "");
    jit__set(j, in, in->dst[0], LLVMBuildICmp(j->b, LLVMIntULT, off, jit__splat(j, len), ""), true);
}

// SPDX-License-Identifier: Apache-2.0
// Special registers (PTX ISA chapter 10): launch facts are loads from the shared state, lane facts are
// constants, time comes from the scheduler's virtual clock.

#include "jit/jit_int.h"

unsigned jit__sreg_shape(struct jit *j, const struct ir_src *s)
{
    switch ((int)s->sreg) {
    case PTX_SR_TID:
        return !j->affine_tid ? IR_VEC : s->comp == 0 ? IR_AFF : IR_UNI;
    case PTX_SR_LANEID:
        return IR_AFF;
    case PTX_SR_LANEMASK_EQ: case PTX_SR_LANEMASK_LE: case PTX_SR_LANEMASK_LT: case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        return IR_VEC;
    default:
        return IR_UNI;
    }
}

static LLVMValueRef lanemask(struct jit *j, int which)
{
    LLVMValueRef c[32];
    for (unsigned i = 0; i < 32; i++) {
        uint32_t eq = 1u << i, lt = eq - 1;
        uint32_t v = which == PTX_SR_LANEMASK_EQ   ? eq
                     : which == PTX_SR_LANEMASK_LT ? lt
                     : which == PTX_SR_LANEMASK_LE ? lt | eq
                     : which == PTX_SR_LANEMASK_GE ? ~lt
                                                   : ~(lt | eq);
        c[i] = jit__c32(j, v);
    }
    return LLVMConstVector(c, 32);
}

static LLVMValueRef grid_u32(struct jit *j, size_t off)
{
    return jit__fact(j, j->i32, j->grid, off);
}

static LLVMValueRef blk_u32(struct jit *j, size_t off)
{
    return jit__fact(j, j->i32, j->blk, off);
}

static LLVMValueRef comp4(struct jit *j, LLVMValueRef base, size_t off, unsigned comp)
{
    return comp > 2 ? jit__c32(j, 0) : jit__fact(j, j->i32, base, off + 4 * comp);
}

static LLVMValueRef clock_now(struct jit *j, int which)
{
    LLVMValueRef a[2] = {j->warp, jit__c32(j, which == PTX_SR_GLOBALTIMER || which == PTX_SR_GLOBALTIMER_LO ||
                                                  which == PTX_SR_GLOBALTIMER_HI)};
    LLVMValueRef t = jit__call(j, "wf_x_clock", j->i64, a, 2);
    if (which == PTX_SR_CLOCK64 || which == PTX_SR_GLOBALTIMER)
        return t;
    if (which == PTX_SR_CLOCK_HI || which == PTX_SR_GLOBALTIMER_HI)
        t = LLVMBuildLShr(j->b, t, jit__c64(j, 32), "");
    return LLVMBuildTrunc(j->b, t, j->i32, "");
}

LLVMValueRef jit__sreg(struct jit *j, const struct ir_src *s)
{
    unsigned c = s->comp;
    switch ((int)s->sreg) {
    case PTX_SR_TID:
        if (c > 2)
            return j->affine_tid ? jit__c32(j, 0) : jit__splat(j, jit__c32(j, 0));
        if (j->affine_tid)
            return jit__fact(j, j->i32, j->warp, WARP_F(tid0) + 4 * c);
        {
            LLVMValueRef v = jit__fact(j, j->v32, j->warp, WARP_F(tid) + 128 * c);
            LLVMSetAlignment(v, 4);
            return v;
        }
    case PTX_SR_LANEID:
        return jit__c32(j, 0); // lane 0 of an affine value
    case PTX_SR_LANEMASK_EQ: case PTX_SR_LANEMASK_LE: case PTX_SR_LANEMASK_LT: case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        return lanemask(j, s->sreg);
    case PTX_SR_NTID:
        return comp4(j, j->grid, GRID_F(ntid), c);
    case PTX_SR_CTAID:
        return comp4(j, j->blk, BLOCK_F(ctaid), c);
    case PTX_SR_NCTAID:
        return comp4(j, j->grid, GRID_F(nctaid), c);
    case PTX_SR_WARPID:
        return jit__fact(j, j->i32, j->warp, WARP_F(index));
    case PTX_SR_NWARPID:
        return grid_u32(j, GRID_F(n_warps));
    case PTX_SR_SMID:
        return jit__c32(j, 0);
    case PTX_SR_NSMID:
        return grid_u32(j, GRID_F(sm_count));
    case PTX_SR_GRIDID:
        return jit__fact(j, j->i64, j->grid, GRID_F(launch_id));
    case PTX_SR_IS_EXPLICIT_CLUSTER:
        return LLVMBuildICmp(j->b, LLVMIntNE, grid_u32(j, GRID_F(is_cluster)), jit__c32(j, 0), "");
    case PTX_SR_CLUSTERID:
        return comp4(j, j->blk, BLOCK_F(clusterid), c);
    case PTX_SR_NCLUSTERID:
        return comp4(j, j->blk, BLOCK_F(nclusterid), c);
    case PTX_SR_CLUSTER_CTAID:
        return comp4(j, j->blk, BLOCK_F(cluster_ctaid), c);
    case PTX_SR_CLUSTER_NCTAID:
        return comp4(j, j->grid, GRID_F(cluster), c);
    case PTX_SR_CLUSTER_CTARANK:
        return blk_u32(j, BLOCK_F(rank));
    case PTX_SR_CLUSTER_NCTARANK:
        return blk_u32(j, BLOCK_F(n_ranks));
    case PTX_SR_CLOCK: case PTX_SR_CLOCK_HI: case PTX_SR_CLOCK64: case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO: case PTX_SR_GLOBALTIMER_HI:
        return clock_now(j, s->sreg);
    case PTX_SR_RESERVED_SMEM_OFFSET_BEGIN: case PTX_SR_RESERVED_SMEM_OFFSET_0:
        return grid_u32(j, GRID_F(reserved_offset));
    case PTX_SR_RESERVED_SMEM_OFFSET_1:
        return LLVMBuildAdd(j->b, grid_u32(j, GRID_F(reserved_offset)), jit__c32(j, 512), "");
    case PTX_SR_RESERVED_SMEM_OFFSET_END: case PTX_SR_RESERVED_SMEM_OFFSET_CAP:
        return LLVMBuildAdd(j->b, grid_u32(j, GRID_F(reserved_offset)), jit__c32(j, 1024), "");
    case PTX_SR_TOTAL_SMEM_SIZE: case PTX_SR_AGGR_SMEM_SIZE:
        return grid_u32(j, GRID_F(shared_bytes));
    case PTX_SR_DYNAMIC_SMEM_SIZE:
        return grid_u32(j, GRID_F(dynamic_shared));
    case PTX_SR_ENVREG:
        return c == 1 ? grid_u32(j, GRID_F(envreg1)) : c == 2 ? grid_u32(j, GRID_F(envreg2)) : jit__c32(j, 0);
    default: // %pm*, %current_graph_exec
        return ptx_sreg_bits((enum ptx_sreg)s->sreg) == 64 ? jit__c64(j, 0) : jit__c32(j, 0);
    }
}

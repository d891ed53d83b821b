// SPDX-License-Identifier: Apache-2.0
// Atomics and fences. The common integer adds whose old value nobody reads are made here: lanes that
// share an address are added up first, shared memory belongs to one worker and needs no lock. The rest
// goes lane by lane through a C helper.

#include "jit/jit_int.h"
#include "mem/space.h" // WF_SHARED_OFFSET

static LLVMValueRef operand_buffer(struct jit *j, const struct ir_insn *in, uint32_t k, unsigned bits)
{
    if (k >= in->n_src)
        return LLVMConstNull(j->ptr);
    return jit__spill(j, jit__src_vec(j, &in->src[k], bits));
}

static void by_helper(struct jit *j, const struct ir_insn *in, unsigned bits, unsigned n, LLVMValueRef *old)
{
    LLVMValueRef addr = jit__addresses(j, in, 0), m = jit__mask(j);
    if (in->is_generic_addr && in->space == PTX_SP_SHARED)
        addr = LLVMBuildSub(j->b, addr, jit__splat(j, j->shared_window), "");
    LLVMTypeRef t = LLVMVectorType(LLVMIntTypeInContext(j->cx, bits), 32);
    for (unsigned e = 0; e < n; e++) { // vector forms are atomic element by element
        LLVMValueRef ea = addr;
        if (e)
            ea = LLVMBuildAdd(j->b, addr, jit__splat(j, jit__c64(j, (uint64_t)e * bits / 8)), "");
        LLVMValueRef out = jit__alloca(j, t, 64);
        unsigned how = (unsigned)in->m.sub | (unsigned)in->type << 16 | (unsigned)in->space << 24;
        LLVMValueRef a[8] = {j->warp, jit__c32(j, in->site), m, jit__spill(j, ea), operand_buffer(j, in, 1 + e, bits),
                             n == 1 ? operand_buffer(j, in, 2, bits) : LLVMConstNull(j->ptr), out, jit__c32(j, how)};
        jit__call(j, "wf_x_atomic", j->void_t, a, 8);
        old[e] = LLVMBuildLoad2(j->b, t, out, "");
    }
}

static bool is_int_add(const struct ir_insn *in, unsigned bits)
{
    char k = ptx_type_kind((enum ptx_type)in->type);
    return PTX_IS(in->m.sub, ADD) && (k == 'U' || k == 'S') && (bits == 32 || bits == 64) && !in->m.vec;
}

static bool result_is_unused(const struct jit *j, const struct ir_insn *in)
{
    (void)j;
    return in->n_dst == 0 || in->dst[0] == IR_NONE;
}

static LLVMValueRef lanes_sum(struct jit *j, const struct ir_insn *in, LLVMValueRef m, unsigned bits)
{
    LLVMTypeRef e = LLVMIntTypeInContext(j->cx, bits);
    if (jit__src_shape(j, &in->src[1]) == IR_UNI) { // value times number of lanes
        LLVMValueRef n = jit__intrin(j, "llvm.ctpop", &j->i32, 1, &m, 1);
        return LLVMBuildMul(j->b, jit__src_uni(j, &in->src[1], bits), LLVMBuildZExtOrBitCast(j->b, n, e, ""), "");
    }
    LLVMValueRef v = jit__src_vec(j, &in->src[1], bits);
    LLVMTypeRef t = LLVMTypeOf(v);
    v = LLVMBuildSelect(j->b, jit__mask_vec(j, m), v, LLVMConstNull(t), "");
    return jit__intrin(j, "llvm.vector.reduce.add", &t, 1, &v, 1);
}

// Adds that may wait go to the worker's sums; those of a block's warps to one place first to a sum of the block.
static void late_add(struct jit *j, const struct ir_src *address, LLVMValueRef p, LLVMValueRef sum)
{
    const struct ir_reg *r = address->kind == IR_S_REG ? &j->f->regs[address->reg] : NULL;
    bool is_one_place = !r || (r->is_blockwide && r->is_remat); // from launch facts alone: the same all along
    struct jit_late_sum *s = is_one_place ? jit__late_sum(j) : NULL;
    if (!s) {
        LLVMValueRef x[3] = {j->blk, p, sum};
        jit__call(j, "wf_x_add32_late", j->void_t, x, 3);
        return;
    }
    LLVMBuildStore(j->b, p, s->place);
    LLVMBuildStore(j->b, LLVMBuildAdd(j->b, LLVMBuildLoad2(j->b, j->i32, s->sum, ""), sum, ""), s->sum);
}

// Tells the checkers of an addition that was made here; address: of each lane, or one of all.
static void told(struct jit *j, const struct ir_insn *in, unsigned space, LLVMValueRef address, LLVMValueRef m)
{
    bool is_one = LLVMTypeOf(address) == j->i64;
    if (j->is_guarded && in->site != IR_NONE) {
        LLVMValueRef g[5] = {j->warp, jit__c32(j, in->site), m, jit__spill(j, address), jit__c32(j, is_one)};
        jit__call(j, "wf_x_guard", j->void_t, g, 5);
    }
    if (!j->is_checked || in->site == IR_NONE)
        return;
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    LLVMValueRef v = jit__src_vec(j, &in->src[1], bits);
    v = LLVMBuildZExtOrBitCast(j->b, v, LLVMVectorType(j->i64, 32), "");
    LLVMValueRef a[7] = {j->warp,         jit__c32(j, in->site), m, jit__spill(j, address), jit__spill(j, v),
                         jit__c32(j, is_one), jit__c32(j, space)};
    jit__call(j, "wf_x_added", j->void_t, a, 7);
}

// One address for all lanes, result unused: one addition. False when the form does not fit.
static bool one_address(struct jit *j, const struct ir_insn *in, unsigned bits)
{
    const struct ir_src *s = &in->src[0];
    if (!is_int_add(in, bits) || !result_is_unused(j, in) || jit__src_shape(j, s) != IR_UNI ||
        (in->space != PTX_SP_GLOBAL && in->space != PTX_SP_SHARED && in->space != PTX_SP_GENERIC) ||
        s->kind == IR_S_SREG)
        return false; // a generic address outside the heap fails the range check below
    LLVMValueRef m = jit__mask(j), a = s->kind == IR_S_NONE ? jit__c64(j, 0) : jit__src_uni(j, s, s->kind == IR_S_REG ? j->f->regs[s->reg].bits : 64);
    a = jit__fit(j, a, 64, false);
    if (in->off)
        a = LLVMBuildAdd(j->b, a, jit__c64(j, (uint64_t)in->off), "");
    unsigned bytes = bits / 8;
    LLVMValueRef ok, p;
    if (in->space == PTX_SP_SHARED) {
        if (in->is_generic_addr)
            a = LLVMBuildSub(j->b, a, j->shared_window, "");
        else
            a = LLVMBuildAnd(j->b, a, jit__c64(j, UINT32_MAX), "");
        LLVMValueRef len = LLVMBuildZExt(j->b, j->shared_bytes, j->i64, "");
        ok = LLVMBuildICmp(j->b, LLVMIntULT, a, len, "");
        p = LLVMBuildGEP2(j->b, j->i8, j->shared, &a, 1, "");
    } else {
        ok = LLVMBuildICmp(j->b, LLVMIntULT, LLVMBuildSub(j->b, a, j->heap_lo, ""), j->heap_len, "");
        p = LLVMBuildIntToPtr(j->b, LLVMBuildAdd(j->b, a, j->delta, ""), j->ptr, "");
    }
    LLVMValueRef low = LLVMBuildAnd(j->b, a, jit__c64(j, bytes - 1), "");
    ok = LLVMBuildAnd(j->b, ok, LLVMBuildICmp(j->b, LLVMIntEQ, low, jit__c64(j, 0), ""), "");
    LLVMBasicBlockRef fast = jit__block(j, "atom_fast"), far = jit__block(j, "atom_slow"), done = jit__block(j, "atom_done");
    LLVMBuildCondBr(j->b, ok, fast, far);
    LLVMPositionBuilderAtEnd(j->b, fast);
    LLVMValueRef sum = lanes_sum(j, in, m, bits);
    if (in->space == PTX_SP_SHARED) {
        LLVMValueRef old = LLVMBuildLoad2(j->b, LLVMTypeOf(sum), p, "");
        LLVMBuildStore(j->b, LLVMBuildAdd(j->b, old, sum, ""), p);
    } else if (j->adds_may_wait && bits == 32) {
        late_add(j, s, p, sum);
    } else {
        LLVMBuildAtomicRMW(j->b, LLVMAtomicRMWBinOpAdd, p, sum, LLVMAtomicOrderingSequentiallyConsistent, 0);
    }
    told(j, in, in->space == PTX_SP_SHARED ? PTX_SP_SHARED : PTX_SP_GLOBAL, a, m);
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, far);
    LLVMValueRef unused[1];
    by_helper(j, in, bits, 1, unused);
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, done);
    return true;
}

// The adds of all lanes in one space; the old values, or NULL when nobody reads them.
static LLVMValueRef adds_in(struct jit *j, const struct ir_insn *in, unsigned space, LLVMValueRef addr, LLVMValueRef m)
{
    bool shared = space == PTX_SP_SHARED;
    LLVMValueRef old = LLVMConstNull(j->ptr);
    if (shared && (in->is_generic_addr || in->space == PTX_SP_GENERIC))
        addr = LLVMBuildSub(j->b, addr, jit__splat(j, j->shared_window), "");
    LLVMValueRef ok = jit__lanes_in_range(j, space, addr, 4, m), val = jit__src_vec(j, &in->src[1], 32);
    LLVMBasicBlockRef fast = jit__block(j, "adds"), far = jit__block(j, "adds_slow"), done = jit__block(j, "adds_done");
    bool used = !result_is_unused(j, in);
    LLVMValueRef buf = used ? jit__alloca(j, j->v32, 64) : NULL, slow[1];
    LLVMBuildCondBr(j->b, ok, fast, far);
    LLVMPositionBuilderAtEnd(j->b, fast);
    if (used)
        old = buf;
    LLVMValueRef base = shared ? j->shared : LLVMBuildIntToPtr(j->b, j->delta, j->ptr, "");
    LLVMValueRef a[5] = {base, jit__spill(j, addr), jit__spill(j, val), m, old};
    if (!shared && !used && j->adds_may_wait) {
        a[4] = j->blk;
        jit__call(j, "wf_x_adds32_late", j->void_t, a, 5);
    } else {
        jit__call(j, shared ? "wf_x_add32_shared" : "wf_x_add32_global", j->void_t, a, 5);
    }
    LLVMValueRef fast_old = used ? LLVMBuildLoad2(j->b, j->v32, buf, "") : NULL;
    told(j, in, space, addr, m);
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, far);
    by_helper(j, in, 32, 1, slow);
    LLVMBasicBlockRef far_end = LLVMGetInsertBlock(j->b);
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, done);
    if (used) {
        LLVMValueRef phi = LLVMBuildPhi(j->b, j->v32, ""), v[2] = {fast_old, slow[0]};
        LLVMBasicBlockRef from[2] = {fast, far_end};
        LLVMAddIncoming(phi, v, from, 2);
        return phi;
    }
    return NULL;
}

// 32-bit integer adds at addresses of the lanes' own: one tight loop in C, addresses checked here.
static bool many_addresses(struct jit *j, const struct ir_insn *in, unsigned bits)
{
    if (bits != 32 || !is_int_add(in, bits))
        return false;
    if (in->space == PTX_SP_GENERIC) { // own shared memory, or else the heap
        LLVMBasicBlockRef in_shared = jit__block(j, "generic_shared"), in_heap = jit__block(j, "generic_heap"),
                          done = jit__block(j, "generic_done");
        LLVMValueRef a = jit__addresses(j, in, 0), m = jit__mask(j), v[2];
        LLVMValueRef ctz[2] = {m, LLVMConstInt(j->i1, 1, 0)}, lane = jit__intrin(j, "llvm.cttz", &j->i32, 1, ctz, 2);
        LLVMValueRef off = LLVMBuildSub(j->b, LLVMBuildExtractElement(j->b, a, lane, ""), j->shared_window, "");
        LLVMBasicBlockRef from[2];
        LLVMBuildCondBr(j->b, LLVMBuildICmp(j->b, LLVMIntULT, off, jit__c64(j, WF_SHARED_STRIDE), ""), in_shared, in_heap);
        for (int k = 0; k < 2; k++) {
            LLVMPositionBuilderAtEnd(j->b, k ? in_heap : in_shared);
            v[k] = adds_in(j, in, k ? PTX_SP_GLOBAL : PTX_SP_SHARED, a, m);
            from[k] = LLVMGetInsertBlock(j->b);
            LLVMBuildBr(j->b, done);
        }
        LLVMPositionBuilderAtEnd(j->b, done);
        if (v[0]) {
            LLVMValueRef phi = LLVMBuildPhi(j->b, j->v32, "");
            LLVMAddIncoming(phi, v, from, 2);
            jit__set(j, in, in->dst[0], phi, true);
        }
        return true;
    }
    if (in->space != PTX_SP_GLOBAL && in->space != PTX_SP_SHARED)
        return false;
    LLVMValueRef old = adds_in(j, in, in->space, jit__addresses(j, in, 0), jit__mask(j));
    if (old)
        jit__set(j, in, in->dst[0], old, true);
    return true;
}
void jit__atom(struct jit *j, const struct ir_insn *in)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type), n = in->m.vec ? in->m.vec : 1;
    LLVMValueRef old[8];
    if (one_address(j, in, bits) || many_addresses(j, in, bits))
        return;
    by_helper(j, in, bits, n, old);
    for (unsigned e = 0; e < n && e < in->n_dst; e++)
        jit__set(j, in, in->dst[e], old[e], true);
}

void jit__fence(struct jit *j, const struct ir_insn *in)
{
    if (j->is_checked) {
        LLVMValueRef a[3] = {j->warp, jit__c32(j, in->site), jit__mask(j)};
        jit__call(j, "wf_x_fence", j->void_t, a, 3);
    }
    bool is_cta = in->m.scope == PTX_SC_CTA; // one block runs on one worker
    bool is_sc = in->op == PTX_O_MEMBAR || in->m.sem == PTX_SEM_SC;
    if (is_cta)
        jit__mem_fence(j, LLVMAtomicOrderingSequentiallyConsistent, true);
    else
        jit__mem_fence(j, is_sc ? LLVMAtomicOrderingSequentiallyConsistent : LLVMAtomicOrderingAcquireRelease, false);
}

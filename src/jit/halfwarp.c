// SPDX-License-Identifier: Apache-2.0
// Accesses of narrow blocks. In those that are 16 wide a warp is two rows: addresses come as two runs, or two single ones
// (tile[ty][k], tile[k][tx]). Both are told at run time by vector comparisons and cost two plain loads instead of a
// gather. An unrolled loop loads from one base register at many offsets: what was told of the base holds for all.

#include "jit/halfwarp.h"
#include "jit/access.h"
#include "jit/lanes.h" // wf_lanes_code

struct half {
    LLVMValueRef addr;   // <16 x iN>
    LLVMValueRef mask;   // <16 x i1>
    LLVMValueRef first;  // address of lane 0 of the half, iN
    LLVMValueRef ptr;    // the engine's pointer to it
};

static LLVMValueRef pick16(struct jit *j, LLVMValueRef v, unsigned from)
{
    LLVMValueRef idx[16];
    for (unsigned i = 0; i < 16; i++)
        idx[i] = jit__c32(j, from + i);
    return LLVMBuildShuffleVector(j->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(idx, 16), "");
}

static LLVMValueRef splat16(struct jit *j, LLVMValueRef s)
{
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(s), 16);
    LLVMValueRef zero[16], v = LLVMBuildInsertElement(j->b, LLVMGetPoison(t), s, jit__c32(j, 0), "");
    for (unsigned i = 0; i < 16; i++)
        zero[i] = jit__c32(j, 0);
    return LLVMBuildShuffleVector(j->b, v, LLVMGetPoison(t), LLVMConstVector(zero, 16), "");
}

static LLVMValueRef steps16(LLVMTypeRef e, uint64_t step)
{
    LLVMValueRef c[16];
    for (unsigned i = 0; i < 16; i++)
        c[i] = LLVMConstInt(e, i * step, 0);
    return LLVMConstVector(c, 16);
}

// i1: all running lanes of the half have address first + step * lane.
static LLVMValueRef matches(struct jit *j, const struct half *h, uint64_t step)
{
    LLVMValueRef want = splat16(j, h->first);
    if (step)
        want = LLVMBuildAdd(j->b, want, steps16(LLVMTypeOf(h->first), step), "");
    LLVMValueRef off = LLVMBuildAnd(j->b, LLVMBuildICmp(j->b, LLVMIntNE, h->addr, want, ""), h->mask, "");
    LLVMValueRef w = LLVMBuildBitCast(j->b, off, j->i16, "");
    return LLVMBuildICmp(j->b, LLVMIntEQ, w, LLVMConstInt(j->i16, 0, 0), "");
}

static void make_half(struct jit *j, struct half *h, unsigned from, LLVMValueRef addr, LLVMValueRef mask)
{
    h->addr = pick16(j, addr, from);
    h->mask = pick16(j, jit__mask_vec(j, mask), from);
    h->first = LLVMBuildExtractElement(j->b, addr, jit__c32(j, from), "");
}

static bool sets(const struct ir_insn *in, uint32_t reg)
{
    for (uint32_t i = 0; i < in->n_dst; i++)
        if (in->dst[i] == reg)
            return true;
    return false;
}

// What an earlier load of the block found out about the same base, which has not changed since.
static const struct jit_half *known(struct jit *j, const struct ir_insn *in, LLVMTypeRef t)
{
    for (unsigned i = 0; i < JIT_HALVES; i++) {
        const struct jit_half *h = &j->half[i];
        if (h->fn != j->fn || h->block != j->block || h->reg != in->src[0].reg || LLVMTypeOf(h->first[0]) != t || h->at >= in)
            continue;
        bool same = true;
        for (const struct ir_insn *x = h->at; x < in && same; x++)
            same = !sets(x, h->reg);
        if (same)
            return h;
    }
    return NULL;
}

// Unsigned; what lies between the least and the most in one space lies in it as well.
static void extremes(struct jit *j, struct jit_half *h, LLVMValueRef addr, LLVMValueRef mask)
{
    LLVMTypeRef t = LLVMTypeOf(addr);
    LLVMValueRef runs = jit__mask_vec(j, mask), zero = LLVMConstNull(t);
    LLVMValueRef some = LLVMBuildSelect(j->b, runs, addr, zero, ""), none = LLVMBuildSelect(j->b, runs, addr, LLVMConstAllOnes(t), "");
    LLVMValueRef all = jit__intrin(j, "llvm.vector.reduce.or", &t, 1, &some, 1);
    h->most = jit__fit(j, jit__intrin(j, "llvm.vector.reduce.umax", &t, 1, &some, 1), 64, false);
    h->least = jit__fit(j, jit__intrin(j, "llvm.vector.reduce.umin", &t, 1, &none, 1), 64, false);
    all = LLVMBuildAnd(j->b, all, LLVMConstInt(LLVMTypeOf(all), 3, 0), "");
    h->aligned = LLVMBuildICmp(j->b, LLVMIntEQ, all, LLVMConstNull(LLVMTypeOf(all)), "");
}

// Emitted where the instruction begins, which comes before all later ones of its block.
static struct jit_half half_of(struct jit *j, const struct ir_insn *in, LLVMValueRef addr, LLVMValueRef mask)
{
    bool is_kept = in->src[0].kind == IR_S_REG && in->guard == IR_NONE;
    const struct jit_half *old = is_kept ? known(j, in, LLVMGetElementType(LLVMTypeOf(addr))) : NULL;
    if (old)
        return *old;
    struct half lo, hi;
    make_half(j, &lo, 0, addr, mask);
    make_half(j, &hi, 16, addr, mask);
    struct jit_half h = {.fn = j->fn, .block = j->block, .at = in, .reg = in->src[0].reg, .first = {lo.first, hi.first}};
    h.runs = LLVMBuildAnd(j->b, matches(j, &lo, 4), matches(j, &hi, 4), "");
    h.ones = LLVMBuildAnd(j->b, matches(j, &lo, 0), matches(j, &hi, 0), "");
    LLVMValueRef ends = LLVMBuildAnd(j->b, mask, jit__c32(j, 0x10001), ""); // lane 0 of each half runs
    h.ones = LLVMBuildAnd(j->b, h.ones, LLVMBuildICmp(j->b, LLVMIntEQ, ends, jit__c32(j, 0x10001), ""), "");
    extremes(j, &h, addr, mask);
    if (is_kept)
        j->half[j->n_half++ % JIT_HALVES] = h;
    return h;
}

// i1: are all of them 4 bytes of shared memory, or else of the heap?
static LLVMValueRef in_range(struct jit *j, const struct jit_half *h, const struct ir_insn *in, bool is_shared)
{
    LLVMBuilderRef b = j->b;
    int64_t step = in->off - h->at->off;
    if (step & 3)
        return LLVMConstInt(j->i1, 0, 0);
    LLVMValueRef by = jit__c64(j, (uint64_t)step), lo = LLVMBuildAdd(b, h->least, by, ""), hi = LLVMBuildAdd(b, h->most, by, "");
    if (is_shared) { // 64-bit sums of 32-bit offsets: none wraps that is in range
        LLVMValueRef room = LLVMBuildSub(b, LLVMBuildZExt(b, j->shared_bytes, j->i64, ""), jit__c64(j, 4), "");
        lo = LLVMBuildICmp(b, LLVMIntSGE, lo, jit__c64(j, 0), "");
        hi = LLVMBuildICmp(b, LLVMIntSLE, hi, room, "");
    } else {
        lo = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, lo, j->heap_lo, ""), j->heap_len, "");
        hi = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, hi, j->heap_lo, ""), j->heap_len, "");
    }
    return LLVMBuildAnd(b, h->aligned, LLVMBuildAnd(b, lo, hi, ""), "");
}

static LLVMValueRef both(struct jit *j, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef idx[32];
    for (unsigned i = 0; i < 32; i++)
        idx[i] = jit__c32(j, i);
    return LLVMBuildShuffleVector(j->b, a, b, LLVMConstVector(idx, 32), "");
}

static LLVMValueRef run_load(struct jit *j, const struct half *h)
{
    LLVMTypeRef t = LLVMVectorType(j->i32, 16), types[2] = {t, j->ptr};
    LLVMValueRef a[4] = {h->ptr, jit__c32(j, 4), h->mask, LLVMConstNull(t)};
    return jit__intrin(j, "llvm.masked.load", types, 2, a, 4);
}

static LLVMValueRef single_load(struct jit *j, const struct half *h)
{
    LLVMValueRef v = LLVMBuildLoad2(j->b, j->i32, h->ptr, "");
    LLVMSetAlignment(v, 4);
    return splat16(j, v);
}

// Any other addresses, in range or not: rare here, and long code. One function for all loads of the module keeps
// compiling short, as an unrolled loop over a tile has dozens of them; it saves the registers itself, so that they need
// not be parked around each call.
static void any_load(struct jit *j, LLVMValueRef *args)
{
    LLVMTypeRef p[8], t;
    for (int i = 0; i < 8; i++)
        p[i] = LLVMTypeOf(args[i]);
    t = LLVMFunctionType(j->void_t, p, 8, 0);
    const char *name = LLVMGetElementType(p[3]) == j->i64 ? "wf.load64" : "wf.load32";
    LLVMValueRef f = LLVMGetNamedFunction(j->mod, name);
    if (!f) {
        f = jit__private_function(j, name, t);
        LLVMSetFunctionCallConv(f, LLVMPreserveAllCallConv);
        struct jit in = *j;
        in.b = LLVMCreateBuilderInContext(j->cx);
        in.fn = f;
        LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(j->cx, f, ""), lanes = jit__block(&in, "gather"),
                          far = jit__block(&in, "far");
        LLVMPositionBuilderAtEnd(in.b, entry);
        LLVMValueRef at = LLVMGetParam(f, 3), mask = LLVMGetParam(f, 2), buf = LLVMGetParam(f, 7);
        LLVMValueRef addr = jit__alloca(&in, LLVMTypeOf(at), 64);
        LLVMBuildCondBr(in.b, LLVMGetParam(f, 6), lanes, far);
        LLVMPositionBuilderAtEnd(in.b, lanes);
        LLVMValueRef ptrs = LLVMBuildGEP2(in.b, j->i8, LLVMGetParam(f, 5), &at, 1, "");
        LLVMTypeRef types[2] = {j->v32, LLVMTypeOf(ptrs)};
        LLVMValueRef a[4] = {ptrs, jit__c32(j, 4), jit__mask_vec(&in, mask), LLVMConstNull(j->v32)};
        LLVMBuildStore(in.b, jit__intrin(&in, "llvm.masked.gather", types, 2, a, 4), buf);
        LLVMBuildRetVoid(in.b);
        LLVMPositionBuilderAtEnd(in.b, far);
        LLVMBuildStore(in.b, at, addr);
        LLVMValueRef x[6] = {LLVMGetParam(f, 0), LLVMGetParam(f, 1), mask, addr, buf, LLVMGetParam(f, 4)};
        jit__call(&in, "wf_x_memory", j->void_t, x, 6);
        LLVMBuildRetVoid(in.b);
        LLVMDisposeBuilder(in.b);
    }
    LLVMSetInstructionCallConv(LLVMBuildCall2(j->b, t, f, args, 8, ""), LLVMPreserveAllCallConv);
}

LLVMValueRef jit__half_warp_load(struct jit *j, const struct ir_insn *in, LLVMValueRef addr, LLVMValueRef mask,
                                 unsigned space)
{
    LLVMBuilderRef b = j->b;
    struct jit_half h = half_of(j, in, addr, mask);
    struct half half[2];
    LLVMTypeRef e = LLVMTypeOf(h.first[0]);
    bool is_shared = space == PTX_SP_SHARED;
    LLVMValueRef base = is_shared ? j->shared : LLVMBuildIntToPtr(b, j->delta, j->ptr, ""), ok = in_range(j, &h, in, is_shared);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef o = LLVMBuildAdd(b, h.first[i], LLVMConstInt(e, (uint64_t)(in->off - h.at->off), 1), "");
        o = jit__fit(j, o, 64, true); // lanes that do not run may have a place before the start
        half[i].ptr = LLVMBuildGEP2(b, j->i8, base, &o, 1, "");
        half[i].mask = pick16(j, jit__mask_vec(j, mask), i ? 16 : 0);
    }
    LLVMBasicBlockRef runs = jit__block(j, "runs"), not_runs = jit__block(j, "not_runs"), ones = jit__block(j, "ones"),
                      any = jit__block(j, "any"), done = jit__block(j, "half_done"), from[3] = {runs, ones, any};
    LLVMBuildCondBr(b, LLVMBuildAnd(b, ok, h.runs, ""), runs, not_runs);
    LLVMPositionBuilderAtEnd(b, runs);
    LLVMValueRef v[3];
    v[0] = both(j, run_load(j, &half[0]), run_load(j, &half[1]));
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, not_runs);
    LLVMBuildCondBr(b, LLVMBuildAnd(b, ok, h.ones, ""), ones, any);
    LLVMPositionBuilderAtEnd(b, ones);
    v[1] = both(j, single_load(j, &half[0]), single_load(j, &half[1]));
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, any);
    unsigned how = wf_lanes_code(4, 1, false, e == j->i64 ? WF_LANES_EACH : WF_LANES_EACH32, space);
    LLVMValueRef buf = jit__slow_data(j);
    LLVMValueRef args[8] = {j->warp, jit__c32(j, in->site), mask, addr, jit__c32(j, how), base, ok, buf};
    any_load(j, args);
    v[2] = LLVMBuildLoad2(b, j->v32, buf, "");
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef phi = LLVMBuildPhi(b, j->v32, "");
    LLVMAddIncoming(phi, v, from, 3);
    return phi;
}

// ---- rows: how the lanes lie is known (ir/rows.c)

LLVMValueRef jit__rows_in_range(struct jit *j, struct jit_acc *a)
{
    LLVMBuilderRef b = j->b;
    unsigned total = a->bytes * a->n;
    int64_t span = 15 * a->row_step;
    uint64_t more = a->extra + (span > 0 ? (uint64_t)span : 0), less = span < 0 ? (uint64_t)-span : 0;
    LLVMValueRef ok = NULL, len = LLVMBuildZExt(b, j->shared_bytes, j->i64, "");
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef x = LLVMBuildExtractElement(b, a->vec, jit__c32(j, 16 * h), ""), is[4];
        unsigned n = 0;
        bool is_wide = LLVMTypeOf(x) == j->i64;
        x = a->start[h] = jit__fit(j, x, 64, false);
        if (is_wide && a->row_step) { // a 32-bit index may have wrapped
            LLVMValueRef last = LLVMBuildExtractElement(b, a->vec, jit__c32(j, 16 * h + 15), "");
            is[n++] = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSub(b, last, x, ""), jit__c64(j, (uint64_t)span), "");
        }
        LLVMValueRef lo = jit__add64(j, x, -(int64_t)less), hi = jit__add64(j, x, (int64_t)more);
        if (a->space == PTX_SP_SHARED) {
            is[n++] = LLVMBuildICmp(b, LLVMIntULE, jit__add64(j, hi, total), len, "");
            if (less)
                is[n++] = LLVMBuildICmp(b, LLVMIntULE, lo, hi, "");
            if (is_wide) // else a sum of 32-bit numbers cannot wrap
                is[n++] = LLVMBuildICmp(b, LLVMIntULE, lo, len, "");
        } else {
            is[n++] = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, lo, j->heap_lo, ""), j->heap_len, "");
            is[n++] = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, hi, j->heap_lo, ""), j->heap_len, "");
        }
        for (unsigned i = 0; i < n; i++)
            ok = ok ? LLVMBuildAnd(b, ok, is[i], "") : is[i];
        if (total > 1) {
            LLVMValueRef odd = LLVMBuildAnd(b, x, jit__c64(j, total - 1), "");
            if (a->row_step % total)
                odd = jit__c64(j, 1);
            ok = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntEQ, odd, jit__c64(j, 0), ""), "");
        }
    }
    return ok;
}

static LLVMValueRef splat_of(struct jit *j, LLVMValueRef p, unsigned bits)
{
    LLVMValueRef v = LLVMBuildLoad2(j->b, LLVMIntTypeInContext(j->cx, bits), p, "");
    LLVMSetAlignment(v, bits / 8);
    return splat16(j, v);
}

bool jit__rows_move(struct jit *j, struct jit_acc *a)
{
    LLVMBuilderRef b = j->b;
    if (a->n != 1 || (a->bits != 32 && a->bits != 64) || a->in->m.sem >= PTX_SEM_RELAXED ||
        (a->row_step != a->bytes && (a->row_step || a->is_store)))
        return false;
    LLVMValueRef v[2];
    LLVMTypeRef t = LLVMVectorType(LLVMIntTypeInContext(j->cx, a->bits), 16);
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef p = a->at[h] ? a->at[h] : jit__acc_pointer(j, a, a->start[h]);
        if (a->is_store) {
            v[h] = pick16(j, a->data_uniform ? jit__splat(j, a->data[0]) : a->data[0], 16 * h);
            LLVMSetAlignment(LLVMBuildStore(b, v[h], p), a->bytes);
        } else if (a->row_step) {
            v[h] = LLVMBuildLoad2(b, t, p, "");
            LLVMSetAlignment(v[h], a->bytes);
        } else {
            v[h] = splat_of(j, p, a->bits);
        }
    }
    if (!a->is_store)
        a->data[0] = both(j, v[0], v[1]);
    return true;
}

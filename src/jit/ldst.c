// SPDX-License-Identifier: Apache-2.0
// Loads and stores. The shape of the address decides: one scalar access for an address that all lanes
// share, one masked vector access for base + size * lane, gather and scatter for the rest. Each has a
// range check in front; what fails it (a fault, or a generic address of another space) goes to a C
// helper that looks at each lane. Compiled code itself never leaves device memory.

#include "jit/access.h"
#include "jit/halfwarp.h"

#define CACHE_LINE 64
#define AHEAD 2048

LLVMValueRef jit__acc_pointer(struct jit *j, const struct jit_acc *a, LLVMValueRef place)
{
    if (a->space != PTX_SP_SHARED)
        return LLVMBuildIntToPtr(j->b, LLVMBuildAdd(j->b, place, j->delta, ""), j->ptr, "");
    return LLVMBuildGEP2(j->b, j->i8, j->shared, &place, 1, "");
}

// The engine's pointer to lane 0's place.
static LLVMValueRef host_ptr(struct jit *j, struct jit_acc *a)
{
    return a->at[0] ? a->at[0] : jit__acc_pointer(j, a, a->base);
}

static LLVMValueRef byte_gep(struct jit *j, LLVMValueRef p, uint64_t off)
{
    return off ? jit__field(j, p, off) : p;
}

static LLVMValueRef repeat_mask(struct jit *j, LLVMValueRef v1, unsigned n)
{
    if (n == 1)
        return v1;
    LLVMValueRef idx[256];
    for (unsigned i = 0; i < 32 * n; i++)
        idx[i] = jit__c32(j, i / n);
    return LLVMBuildShuffleVector(j->b, v1, LLVMGetPoison(j->v1), LLVMConstVector(idx, 32 * n), "");
}

static LLVMValueRef every_nth(struct jit *j, LLVMValueRef v, unsigned n, unsigned e)
{
    LLVMValueRef idx[32];
    for (unsigned i = 0; i < 32; i++)
        idx[i] = jit__c32(j, i * n + e);
    return LLVMBuildShuffleVector(j->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(idx, 32), "");
}

static LLVMValueRef interleave(struct jit *j, LLVMValueRef *d, unsigned n, unsigned bits)
{
    if (n == 1)
        return d[0];
    LLVMTypeRef e = LLVMIntTypeInContext(j->cx, bits);
    LLVMValueRef wide = NULL;
    for (unsigned k = 0; k < n; k++) { // spread each one, then blend
        LLVMValueRef idx[256], pick[256];
        for (unsigned i = 0; i < 32 * n; i++) {
            idx[i] = jit__c32(j, i / n);
            pick[i] = jit__c32(j, i % n == k ? 32 * n + i : i);
        }
        LLVMValueRef s = LLVMBuildShuffleVector(j->b, d[k], LLVMGetPoison(LLVMTypeOf(d[k])), LLVMConstVector(idx, 32 * n), "");
        wide = wide ? LLVMBuildShuffleVector(j->b, wide, s, LLVMConstVector(pick, 32 * n), "") : s;
    }
    (void)e;
    return wide;
}

static LLVMValueRef lane_pointers(struct jit *j, struct jit_acc *a, unsigned elem)
{
    LLVMValueRef v;
    if (a->shape == IR_VEC) {
        v = a->vec;
        if (a->space == PTX_SP_SHARED) {
            LLVMValueRef o = jit__fit(j, v, 32, false);
            if (elem)
                o = LLVMBuildAdd(j->b, o, jit__splat(j, jit__c32(j, elem * a->bytes)), "");
            return LLVMBuildGEP2(j->b, j->i8, j->shared, &o, 1, "");
        }
        LLVMValueRef base = LLVMBuildIntToPtr(j->b, jit__add64(j, j->delta, (int64_t)elem * a->bytes), j->ptr, "");
        return LLVMBuildGEP2(j->b, j->i8, base, &v, 1, "");
    }
    LLVMValueRef steps[32];
    for (unsigned i = 0; i < 32; i++)
        steps[i] = LLVMConstInt(j->i32, (uint64_t)(a->stride * i + elem * a->bytes), 1);
    LLVMValueRef off = LLVMConstVector(steps, 32);
    return LLVMBuildGEP2(j->b, j->i8, host_ptr(j, a), &off, 1, "");
}

static void gather_narrow(struct jit *j, struct jit_acc *a, LLVMValueRef ptrs, unsigned e)
{
    LLVMTypeRef t = LLVMVectorType(LLVMIntTypeInContext(j->cx, a->bits), 32);
    LLVMValueRef p = jit__spill(j, ptrs), buf = jit__alloca(j, t, 64);
    if (a->is_store)
        LLVMBuildStore(j->b, a->data[e], buf);
    LLVMValueRef args[4] = {p, buf, a->mask, jit__c32(j, a->bytes)};
    jit__call(j, a->is_store ? "wf_x_scatter" : "wf_x_gather", j->void_t, args, 4);
    if (!a->is_store)
        a->data[e] = LLVMBuildLoad2(j->b, t, buf, "");
}

// Strong accesses of a vector of 8 or 16 bytes: programs count on all of it being read or written at once (the tile
// states of CUB's scans), as hardware does.
static bool is_whole(const struct jit_acc *a)
{
    return a->n > 1 && a->in->m.sem >= PTX_SEM_RELAXED && (a->bytes * a->n == 8 || a->bytes * a->n == 16);
}

// One lane's vector at p. Volatile keeps it in one piece.
static void whole_vector(struct jit *j, struct jit_acc *a, LLVMValueRef p, LLVMValueRef *d)
{
    LLVMTypeRef t = LLVMVectorType(LLVMIntTypeInContext(j->cx, a->bits), a->n);
    LLVMValueRef v = LLVMGetPoison(t), move;
    for (unsigned i = 0; i < a->n && a->is_store; i++)
        v = LLVMBuildInsertElement(j->b, v, d[i], jit__c32(j, i), "");
    move = a->is_store ? LLVMBuildStore(j->b, v, p) : LLVMBuildLoad2(j->b, t, p, "");
    LLVMSetAlignment(move, a->bytes * a->n);
    LLVMSetVolatile(move, 1);
    for (unsigned i = 0; i < a->n && !a->is_store; i++)
        d[i] = LLVMBuildExtractElement(j->b, move, jit__c32(j, i), "");
}

static void whole_vectors(struct jit *j, struct jit_acc *a)
{
    LLVMTypeRef t = LLVMVectorType(LLVMIntTypeInContext(j->cx, a->bits), 32 * a->n);
    LLVMValueRef p = jit__spill(j, lane_pointers(j, a, 0)), buf = jit__alloca(j, t, 64);
    if (a->is_store)
        LLVMBuildStore(j->b, interleave(j, a->data, a->n, a->bits), buf);
    LLVMValueRef args[4] = {p, buf, a->mask, jit__c32(j, a->bytes * a->n)};
    jit__call(j, a->is_store ? "wf_x_scatter" : "wf_x_gather", j->void_t, args, 4);
    LLVMValueRef v = a->is_store ? NULL : LLVMBuildLoad2(j->b, t, buf, "");
    for (unsigned i = 0; i < a->n && !a->is_store; i++)
        a->data[i] = every_nth(j, v, a->n, i);
}

// One running lane (lane 0 of a warp writes a result): a scalar access.
static void one_lane(struct jit *j, struct jit_acc *a, LLVMValueRef *got)
{
    LLVMTypeRef e = LLVMIntTypeInContext(j->cx, a->bits);
    LLVMValueRef lane = jit__first_lane(j, a->mask), v = LLVMBuildExtractElement(j->b, a->vec, lane, ""), p;
    v = jit__fit(j, v, 64, false);
    if (a->space == PTX_SP_SHARED)
        p = LLVMBuildGEP2(j->b, j->i8, j->shared, &v, 1, "");
    else
        p = LLVMBuildIntToPtr(j->b, LLVMBuildAdd(j->b, v, j->delta, ""), j->ptr, "");
    if (is_whole(a)) {
        for (unsigned i = 0; i < a->n && a->is_store; i++)
            got[i] = LLVMBuildExtractElement(j->b, a->data[i], lane, "");
        whole_vector(j, a, p, got);
        for (unsigned i = 0; i < a->n && !a->is_store; i++)
            got[i] = jit__splat(j, got[i]);
        return;
    }
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef q = byte_gep(j, p, (uint64_t)i * a->bytes);
        if (a->is_store) {
            LLVMSetAlignment(LLVMBuildStore(j->b, LLVMBuildExtractElement(j->b, a->data[i], lane, ""), q), a->bytes);
        } else {
            LLVMValueRef x = LLVMBuildLoad2(j->b, e, q, "");
            LLVMSetAlignment(x, a->bytes);
            got[i] = jit__splat(j, x);
        }
    }
}

static void every_lane(struct jit *j, struct jit_acc *a);

static void fast_scattered(struct jit *j, struct jit_acc *a)
{
    if (a->shape != IR_VEC) {
        every_lane(j, a);
        return;
    }
    LLVMValueRef got[8] = {0}, less = LLVMBuildSub(j->b, a->mask, jit__c32(j, 1), "");
    LLVMValueRef more = LLVMBuildAnd(j->b, a->mask, less, "");
    LLVMBasicBlockRef one = jit__block(j, "one"), many = jit__block(j, "many"), done = jit__block(j, "moved"), many_end;
    LLVMBuildCondBr(j->b, LLVMBuildICmp(j->b, LLVMIntEQ, more, jit__c32(j, 0), ""), one, many);
    LLVMPositionBuilderAtEnd(j->b, one);
    one_lane(j, a, got);
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, many);
    every_lane(j, a);
    many_end = LLVMGetInsertBlock(j->b);
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, done);
    for (unsigned i = 0; i < a->n && !a->is_store; i++) {
        LLVMValueRef phi = LLVMBuildPhi(j->b, LLVMTypeOf(got[i]), ""), v[2] = {got[i], a->data[i]};
        LLVMBasicBlockRef from[2] = {one, many_end};
        LLVMAddIncoming(phi, v, from, 2);
        a->data[i] = phi;
    }
}

static void every_lane(struct jit *j, struct jit_acc *a)
{
    if (is_whole(a)) {
        whole_vectors(j, a);
        return;
    }
    for (unsigned e = 0; e < a->n; e++) {
        LLVMValueRef ptrs = lane_pointers(j, a, e);
        if (a->bits < 32 || a->bits > 64) {
            gather_narrow(j, a, ptrs, e);
            continue;
        }
        LLVMTypeRef t = LLVMVectorType(LLVMIntTypeInContext(j->cx, a->bits), 32);
        LLVMTypeRef types[2] = {t, LLVMTypeOf(ptrs)};
        if (a->is_store) {
            LLVMValueRef args[4] = {a->data[e], ptrs, jit__c32(j, a->bytes), jit__mask_vec(j, a->mask)};
            jit__intrin(j, "llvm.masked.scatter", types, 2, args, 4);
        } else {
            LLVMValueRef args[4] = {ptrs, jit__c32(j, a->bytes), jit__mask_vec(j, a->mask), LLVMConstNull(t)};
            a->data[e] = jit__intrin(j, "llvm.masked.gather", types, 2, args, 4);
        }
    }
}

// A whole warp's store of whole cache lines, in a grid that stores more than the caches hold, goes past them: the
// lines need not be read first. Leaves the builder where the plain store goes; NULL: there is no other way.
static LLVMBasicBlockRef stream_out(struct jit *j, struct jit_acc *a, LLVMValueRef v, LLVMValueRef p)
{
    if (!j->may_stream || a->space == PTX_SP_SHARED || 32 * a->n * a->bytes < CACHE_LINE)
        return NULL;
    LLVMBasicBlockRef past = jit__block(j, "past_caches"), plain = jit__block(j, "plain"), done = jit__block(j, "stored");
    LLVMValueRef low = LLVMBuildAnd(j->b, LLVMBuildPtrToInt(j->b, p, j->i64, ""), jit__c64(j, CACHE_LINE - 1), "");
    LLVMValueRef is_whole = LLVMBuildICmp(j->b, LLVMIntEQ, a->mask, jit__c32(j, UINT32_MAX), "");
    LLVMValueRef is_even = LLVMBuildICmp(j->b, LLVMIntEQ, low, jit__c64(j, 0), "");
    LLVMValueRef streams = jit__fact(j, j->i32, j->grid, offsetof(struct wf_grid_ctx, streams));
    LLVMValueRef wants = LLVMBuildICmp(j->b, LLVMIntNE, streams, jit__c32(j, 0), "");
    wants = LLVMBuildAnd(j->b, wants, LLVMBuildAnd(j->b, is_whole, is_even, ""), "");
    LLVMBuildCondBr(j->b, wants, past, plain);
    LLVMPositionBuilderAtEnd(j->b, past);
    LLVMValueRef s = LLVMBuildStore(j->b, v, p), one = jit__c32(j, 1);
    LLVMSetAlignment(s, CACHE_LINE);
    LLVMSetMetadata(s, LLVMGetMDKindIDInContext(j->cx, "nontemporal", 11), LLVMMDNodeInContext(j->cx, &one, 1));
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, plain);
    return done;
}

// Blocks run one after the other, so what lies behind is read soon; the hardware's own prefetch stops at each page.
static void fetch_ahead(struct jit *j, struct jit_acc *a, LLVMValueRef p)
{
    if (a->space == PTX_SP_SHARED || j->is_checked)
        return;
    for (unsigned at = 0; at < 32 * a->bytes * a->n; at += CACHE_LINE) {
        LLVMValueRef x[4] = {jit__field(j, p, AHEAD + at), jit__c32(j, 0), jit__c32(j, 3), jit__c32(j, 1)}; // read, near, data
        jit__intrin(j, "llvm.prefetch", &j->ptr, 1, x, 4);
    }
}

static void fast_linear(struct jit *j, struct jit_acc *a)
{
    LLVMTypeRef e = LLVMIntTypeInContext(j->cx, a->bits), t = LLVMVectorType(e, 32 * a->n);
    LLVMTypeRef types[2] = {t, j->ptr};
    LLVMValueRef p = host_ptr(j, a), m = repeat_mask(j, jit__mask_vec(j, a->mask), a->n);
    if (a->is_store) {
        LLVMValueRef v = interleave(j, a->data, a->n, a->bits), args[4] = {v, p, jit__c32(j, a->bytes), m};
        LLVMBasicBlockRef done = stream_out(j, a, v, p);
        jit__intrin(j, "llvm.masked.store", types, 2, args, 4);
        if (done) {
            LLVMBuildBr(j->b, done);
            LLVMPositionBuilderAtEnd(j->b, done);
        }
        return;
    }
    LLVMValueRef args[4] = {p, jit__c32(j, a->bytes), m, LLVMConstNull(t)};
    fetch_ahead(j, a, p);
    LLVMValueRef v = jit__intrin(j, "llvm.masked.load", types, 2, args, 4);
    for (unsigned i = 0; i < a->n; i++)
        a->data[i] = a->n == 1 ? v : every_nth(j, v, a->n, i);
}

static void fast_uniform(struct jit *j, struct jit_acc *a)
{
    LLVMTypeRef e = LLVMIntTypeInContext(j->cx, a->bits);
    LLVMValueRef p = host_ptr(j, a), whole[8];
    for (unsigned i = 0; i < a->n && is_whole(a); i++)
        whole[i] = !a->is_store || a->data_uniform ? a->data[i]
                                                   : LLVMBuildExtractElement(j->b, a->data[i], jit__last_lane(j, a->mask), "");
    if (is_whole(a)) {
        whole_vector(j, a, p, whole);
        for (unsigned i = 0; i < a->n && !a->is_store; i++)
            a->data[i] = whole[i];
        a->data_uniform = !a->is_store || a->data_uniform;
        return;
    }
    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef q = byte_gep(j, p, (uint64_t)i * a->bytes);
        if (!a->is_store) {
            a->data[i] = LLVMBuildLoad2(j->b, e, q, "");
            LLVMSetAlignment(a->data[i], a->bytes);
            continue;
        }
        LLVMValueRef v = a->data[i]; // lanes store in ascending order: the last one stays
        if (!a->data_uniform)
            v = LLVMBuildExtractElement(j->b, v, jit__last_lane(j, a->mask), "");
        LLVMSetAlignment(LLVMBuildStore(j->b, v, q), a->bytes);
    }
    a->data_uniform = !a->is_store || a->data_uniform;
}

// What the lanes of a store write, for checkers: stores of one value to one place are milder races. Where each lane has a
// place of its own nobody asks.
static LLVMValueRef told_values(struct jit *j, struct jit_acc *a)
{
    if (!a->is_store || a->n != 1 || a->bits > 64 || (a->shape != IR_UNI && a->shape != IR_VEC))
        return NULL;
    LLVMValueRef v = a->data[0];
    if (a->data_uniform)
        v = jit__splat(j, v);
    return jit__spill(j, jit__fit(j, v, 64, false));
}

// Tells the checkers, before the access is made.
static void announce(struct jit *j, struct jit_acc *a)
{
    if (!j->is_checked || a->space == PTX_SP_LOCAL || a->in->site == IR_NONE)
        return;
    LLVMValueRef addr, stride = jit__c64(j, (uint64_t)a->stride), linear = jit__c32(j, 1);
    if (a->shape == IR_VEC) {
        addr = jit__spill(j, jit__acc_lanes(j, a));
        linear = jit__c32(j, 0);
    } else {
        addr = jit__spill(j, jit__acc_base(j, a));
        if (a->no_wrap) { // the rare index that wraps inside the warp: tell each lane's address
            LLVMBasicBlockRef wraps = jit__block(j, "wraps"), told = jit__block(j, "told"), plain = jit__block(j, "plain");
            LLVMBuildCondBr(j->b, a->no_wrap, plain, wraps);
            LLVMPositionBuilderAtEnd(j->b, wraps);
            LLVMValueRef all = jit__spill(j, jit__acc_lanes(j, a));
            LLVMValueRef w[7] = {j->warp, jit__c32(j, a->in->site), a->mask, all, stride, jit__c32(j, 0), jit__c32(j, a->space)};
            jit__call(j, "wf_x_access", j->void_t, w, 7);
            LLVMBuildBr(j->b, told);
            LLVMPositionBuilderAtEnd(j->b, plain);
            LLVMValueRef x[7] = {j->warp, jit__c32(j, a->in->site), a->mask, addr, stride, linear, jit__c32(j, a->space)};
            jit__call(j, "wf_x_access", j->void_t, x, 7);
            LLVMBuildBr(j->b, told);
            LLVMPositionBuilderAtEnd(j->b, told);
            return;
        }
    }
    LLVMValueRef values = told_values(j, a);
    LLVMValueRef x[8] = {j->warp, jit__c32(j, a->in->site), a->mask, addr, stride, linear, jit__c32(j, a->space), values};
    jit__call(j, values ? "wf_x_store" : "wf_x_access", j->void_t, x, values ? 8 : 7);
}

void jit__mem_fence(struct jit *j, LLVMAtomicOrdering o, bool single_thread)
{
    LLVMBuildFence(j->b, o, single_thread, "");
}

// Strong accesses must not be merged or moved by LLVM; x86 itself orders loads and stores enough.
static void keep_in_place(struct jit *j, const struct ir_insn *in)
{
    if (in->m.sem >= PTX_SEM_RELAXED)
        jit__mem_fence(j, LLVMAtomicOrderingSequentiallyConsistent, true);
}

// What a load gave comes from the fast side (got) or from the slow one.
static void either(struct jit *j, struct jit_acc *a, LLVMValueRef *got, LLVMBasicBlockRef fast_end, LLVMBasicBlockRef far_end)
{
    for (unsigned i = 0; i < a->n && !a->is_store; i++) {
        LLVMValueRef phi = LLVMBuildPhi(j->b, LLVMTypeOf(got[i]), "");
        LLVMValueRef v[2] = {got[i], a->data[i]};
        LLVMBasicBlockRef from[2] = {fast_end, far_end};
        LLVMAddIncoming(phi, v, from, 2);
        a->data[i] = phi;
    }
}

// Where the check said that a plain access will do. fits: of local memory.
static void fast(struct jit *j, struct jit_acc *a, bool fits)
{
    bool linear = (a->shape == IR_AFF || a->shape == IR_WAFF) && a->stride == (int64_t)a->bytes * a->n &&
                  a->bits <= 64 && a->n * a->bits <= 256 && !is_whole(a);
    if (a->is_store && a->data_uniform && a->shape != IR_UNI && !fits) {
        for (unsigned i = 0; i < a->n; i++)
            a->data[i] = jit__splat(j, a->data[i]);
        a->data_uniform = false;
    }
    if (fits)
        jit__acc_local_words(j, a);
    else if (a->shape == IR_UNI)
        fast_uniform(j, a);
    else if (linear)
        fast_linear(j, a);
    else if (!a->has_row_step)
        fast_scattered(j, a);
    else if (!jit__rows_move(j, a))
        every_lane(j, a);
    // One generic address may name the local memory of each lane, where only the slow side gets to.
    for (unsigned i = 0; i < a->n && !a->is_store && a->data_uniform && a->space == PTX_SP_GENERIC; i++)
        a->data[i] = jit__splat(j, a->data[i]);
    a->data_uniform &= a->is_store || a->space != PTX_SP_GENERIC;
}

// Both ways beside each other: the fast one if the check says so.
static void either_way(struct jit *j, struct jit_acc *a, LLVMValueRef fits)
{
    LLVMBasicBlockRef far = jit__block(j, "slow"), done;
    LLVMValueRef in_data[8], got[8];
    bool was_uniform = a->data_uniform;
    for (unsigned i = 0; i < a->n; i++)
        in_data[i] = a->data[i];
    if (fits) {
        LLVMBasicBlockRef in_frame = jit__block(j, "fast");
        LLVMBuildCondBr(j->b, fits, in_frame, far);
        LLVMPositionBuilderAtEnd(j->b, in_frame);
    } else {
        jit__acc_check(j, a, far);
    }
    fast(j, a, fits != NULL);
    for (unsigned i = 0; i < a->n; i++)
        got[i] = a->data[i];
    LLVMBasicBlockRef fast_end = LLVMGetInsertBlock(j->b);
    done = jit__block(j, "done");
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, far);
    bool got_uniform = a->data_uniform;
    for (unsigned i = 0; i < a->n; i++)
        a->data[i] = in_data[i];
    a->data_uniform = was_uniform;
    jit__acc_slow(j, a);
    if (!a->is_store && got_uniform) // the helper gives lanes; one of the running ones stands for all
        for (unsigned i = 0; i < a->n; i++)
            a->data[i] = LLVMBuildExtractElement(j->b, a->data[i], jit__first_lane(j, a->mask), "");
    LLVMBasicBlockRef far_end = LLVMGetInsertBlock(j->b);
    LLVMBuildBr(j->b, done);
    LLVMPositionBuilderAtEnd(j->b, done);
    either(j, a, got, fast_end, far_end);
    a->data_uniform = got_uniform;
}

// The fast way alone, checked before or with a retreat instead of the slow one. A generic address may well lie in another
// window, and nobody begins anew for that.
static bool one_way(struct jit *j, struct jit_acc *a)
{
    uint8_t space = a->in->space;
    if (!jit__is_trusted(j, a)) {
        if (!j->retreat || (a->space != PTX_SP_SHARED && space != PTX_SP_GLOBAL && space != PTX_SP_CONST))
            return false;
        jit__acc_check(j, a, jit__retreat(j));
    }
    fast(j, a, false);
    return true;
}

static void access(struct jit *j, struct jit_acc *a)
{
    const struct ir_insn *in = a->in;
    a->mask = jit__mask(j);
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    a->bits = bits < 8 ? 8 : bits;
    a->bytes = a->bits / 8;
    a->n = in->m.vec ? in->m.vec : 1;
    keep_in_place(j, in);
    jit__acc_address(j, a);
    if (a->space == PTX_SP_LOCAL) {
        if (jit__acc_local(j, a))
            return;
        LLVMValueRef fits = jit__acc_local_fits(j, a);
        if (fits)
            either_way(j, a, fits);
        else
            jit__acc_slow(j, a);
        if (fits)
            keep_in_place(j, in);
        return;
    }
    announce(j, a);
    if (a->space == PTX_SP_SHARED_CLUSTER)
        jit__acc_slow(j, a);
    else if (!a->is_store && a->bits == 32 && a->n == 1 && a->shape == IR_VEC && !j->affine_tid && !a->has_row_step)
        a->data[0] = jit__half_warp_load(j, in, a->vec, a->mask, a->space);
    else if (!one_way(j, a))
        either_way(j, a, NULL);
    keep_in_place(j, in);
}

void jit__load(struct jit *j, const struct ir_insn *in)
{
    struct jit_acc a = {.in = in};
    access(j, &a);
    for (uint32_t i = 0; i < in->n_dst && i < 8; i++)
        jit__set(j, in, in->dst[i], a.data[i], !a.data_uniform);
}

void jit__store(struct jit *j, const struct ir_insn *in)
{
    struct jit_acc a = {.in = in, .is_store = true, .data_uniform = true};
    unsigned bits = ptx_type_bits((enum ptx_type)in->type), n = in->m.vec ? in->m.vec : 1;
    for (unsigned i = 0; i < n; i++)
        a.data_uniform &= jit__src_shape(j, &in->src[1 + i]) == IR_UNI;
    for (unsigned i = 0; i < n; i++)
        a.data[i] = a.data_uniform ? jit__src_uni(j, &in->src[1 + i], bits) : jit__src_vec(j, &in->src[1 + i], bits);
    access(j, &a);
}

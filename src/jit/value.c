// SPDX-License-Identifier: Apache-2.0
// Register values by shape: reading them as a scalar or as 32 lanes, writing them, and moving them
// between SSA and the warp's frame in memory. Nothing here knows what an instruction does.

#include "jit/jit_int.h"

static const struct ir_reg *reg_of(struct jit *j, uint32_t r)
{
    return &j->f->regs[r];
}

static LLVMTypeRef int_t(struct jit *j, unsigned bits)
{
    return LLVMIntTypeInContext(j->cx, bits);
}

static LLVMTypeRef vec_t(struct jit *j, unsigned bits)
{
    return LLVMVectorType(int_t(j, bits), 32);
}

LLVMTypeRef jit__reg_type(struct jit *j, const struct ir_reg *r)
{
    if (r->shape == IR_VEC)
        return vec_t(j, r->bits);
    return r->shape == IR_WAFF ? j->i32 : int_t(j, r->bits);
}

LLVMValueRef jit__fit(struct jit *j, LLVMValueRef v, unsigned bits, bool is_signed)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    bool is_vec = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    unsigned have = LLVMGetIntTypeWidth(is_vec ? LLVMGetElementType(t) : t);
    LLVMTypeRef want = is_vec ? vec_t(j, bits) : int_t(j, bits);
    if (have == bits)
        return v;
    if (have > bits)
        return LLVMBuildTrunc(j->b, v, want, "");
    return is_signed ? LLVMBuildSExt(j->b, v, want, "") : LLVMBuildZExt(j->b, v, want, "");
}

static LLVMValueRef const_vec(struct jit *j, unsigned bits, uint64_t step)
{
    LLVMValueRef c[32];
    for (unsigned i = 0; i < 32; i++)
        c[i] = LLVMConstInt(int_t(j, bits), step * i, 0);
    return LLVMConstVector(c, 32);
}

struct jit_val jit__get(struct jit *j, uint32_t reg)
{
    const struct ir_reg *r = reg_of(j, reg);
    struct jit_val v = {LLVMBuildLoad2(j->b, jit__reg_type(j, r), j->slot_a[reg], ""), NULL};
    if (r->shape == IR_WAFF)
        v.b = LLVMBuildLoad2(j->b, j->i64, j->slot_b[reg], "");
    return v;
}

static LLVMValueRef widen_index(struct jit *j, const struct ir_reg *r, LLVMValueRef v)
{
    return jit__fit(j, v, 64, r->waff_signed);
}

LLVMValueRef jit__val_vec(struct jit *j, const struct ir_reg *r, struct jit_val v)
{
    switch (r->shape) {
    case IR_UNI:
        return jit__splat(j, v.a);
    case IR_AFF:
        return LLVMBuildAdd(j->b, jit__splat(j, v.a), const_vec(j, r->bits, (uint64_t)r->stride), "");
    case IR_WAFF: {
        LLVMValueRef x = LLVMBuildAdd(j->b, jit__splat(j, v.a), const_vec(j, 32, (uint64_t)r->stride), "");
        x = widen_index(j, r, x);
        x = LLVMBuildMul(j->b, x, jit__splat(j, jit__c64(j, (uint64_t)r->scale)), "");
        return LLVMBuildAdd(j->b, x, jit__splat(j, v.b), "");
    }
    default:
        return v.a;
    }
}

LLVMValueRef jit__reg_vec(struct jit *j, uint32_t reg)
{
    return jit__val_vec(j, reg_of(j, reg), jit__get(j, reg));
}

LLVMValueRef jit__reg_lane0(struct jit *j, uint32_t reg)
{
    const struct ir_reg *r = reg_of(j, reg);
    struct jit_val v = jit__get(j, reg);
    if (r->shape != IR_WAFF)
        return v.a;
    LLVMValueRef x = LLVMBuildMul(j->b, widen_index(j, r, v.a), jit__c64(j, (uint64_t)r->scale), "");
    return LLVMBuildAdd(j->b, x, v.b, "");
}

unsigned jit__src_shape(struct jit *j, const struct ir_src *s)
{
    if (s->kind == IR_S_REG)
        return reg_of(j, s->reg)->shape;
    return s->kind == IR_S_SREG ? jit__sreg_shape(j, s) : IR_UNI;
}

static LLVMValueRef not_if(struct jit *j, LLVMValueRef v, bool negated)
{
    return negated ? LLVMBuildNot(j->b, v, "") : v;
}

// A source that is the same in all lanes by its kind, as a scalar of natural width.
static LLVMValueRef fixed_source(struct jit *j, const struct ir_src *s, unsigned bits)
{
    switch (s->kind) {
    case IR_S_IMM:
        return LLVMConstInt(int_t(j, bits), bits == 1 ? s->bits != 0 : s->bits, 0);
    case IR_S_SREG:
        return jit__sreg(j, s);
    case IR_S_SYM: {
        LLVMValueRef a = jit__fact(j, j->i64, j->syms, 8 * (size_t)s->sym);
        return s->bits ? LLVMBuildAdd(j->b, a, jit__c64(j, s->bits), "") : a;
    }
    case IR_S_SHARED:
        return jit__c64(j, s->bits + (s->is_dynamic ? j->f->shared_dynamic_offset : 0));
    case IR_S_LOCAL: {
        LLVMValueRef a = jit__c64(j, s->bits);
        if (j->f->is_entry)
            return a;
        LLVMValueRef frame = LLVMBuildLoad2(j->b, j->ptr, jit__field(j, j->warp, WARP_F(cur)), "");
        return LLVMBuildAdd(j->b, jit__fact(j, j->i64, frame, offsetof(struct wf_frame, local_base)), a, "");
    }
    case IR_S_FUNC: // handles lie behind the symbols
        return jit__fact(j, j->i64, j->syms, 8 * ((size_t)j->prog->n_syms + s->sym));
    case IR_S_PARAM: {
        LLVMValueRef a = jit__fact(j, j->i64, j->grid, GRID_F(param_addr));
        return LLVMBuildAdd(j->b, a, jit__c64(j, s->bits), "");
    }
    default:
        return LLVMConstInt(int_t(j, bits), 0, 0);
    }
}

LLVMValueRef jit__src_uni(struct jit *j, const struct ir_src *s, unsigned bits)
{
    LLVMValueRef v;
    if (s->kind == IR_S_REG) {
        v = jit__reg_lane0(j, s->reg);
        if (reg_of(j, s->reg)->shape == IR_VEC) // callers ask only when all lanes agree
            v = LLVMBuildExtractElement(j->b, v, jit__c32(j, 0), "");
    } else {
        v = fixed_source(j, s, bits);
        if (s->kind == IR_S_SREG && jit__sreg_shape(j, s) == IR_VEC)
            v = LLVMBuildExtractElement(j->b, v, jit__c32(j, 0), "");
    }
    v = jit__fit(j, v, bits, false);
    return not_if(j, v, s->is_negated);
}

LLVMValueRef jit__src_vec(struct jit *j, const struct ir_src *s, unsigned bits)
{
    LLVMValueRef v;
    if (s->kind == IR_S_REG) {
        v = jit__reg_vec(j, s->reg);
    } else {
        v = fixed_source(j, s, bits);
        unsigned shape = jit__src_shape(j, s);
        if (shape == IR_AFF) // %tid.x, %laneid
            v = LLVMBuildAdd(j->b, jit__splat(j, v), const_vec(j, 32, 1), "");
        else if (shape != IR_VEC)
            v = jit__splat(j, v);
    }
    v = jit__fit(j, v, bits, false);
    return not_if(j, v, s->is_negated);
}

void jit__set_val(struct jit *j, uint32_t reg, struct jit_val v)
{
    LLVMBuildStore(j->b, v.a, j->slot_a[reg]);
    if (v.b)
        LLVMBuildStore(j->b, v.b, j->slot_b[reg]);
}

LLVMValueRef jit__mask(struct jit *j)
{
    return j->is_whole ? jit__c32(j, UINT32_MAX) : LLVMBuildLoad2(j->b, j->i32, j->mask, "");
}

// In a region nobody has exited.
LLVMValueRef jit__live(struct jit *j)
{
    if (j->is_region && j->prog->blocks.whole_warps)
        return jit__c32(j, UINT32_MAX);
    return LLVMBuildLoad2(j->b, j->i32, jit__field(j, j->warp, WARP_F(live)), "");
}

LLVMValueRef jit__mask_vec(struct jit *j, LLVMValueRef mask)
{
    return LLVMBuildBitCast(j->b, mask, j->v1, "");
}

LLVMValueRef jit__mask_word(struct jit *j, LLVMValueRef v1)
{
    return LLVMBuildBitCast(j->b, v1, j->i32, "");
}

static LLVMValueRef base_of_lanes(struct jit *j, const struct ir_reg *r, LLVMValueRef v)
{
    LLVMValueRef ctz[2] = {jit__mask(j), LLVMConstInt(j->i1, 1, 0)};
    LLVMValueRef lane = jit__intrin(j, "llvm.cttz", &j->i32, 1, ctz, 2);
    v = LLVMBuildExtractElement(j->b, v, lane, "");
    if (r->shape == IR_UNI)
        return v;
    LLVMValueRef k = LLVMBuildZExtOrBitCast(j->b, lane, int_t(j, r->bits), "");
    return LLVMBuildSub(j->b, v, LLVMBuildMul(j->b, k, LLVMConstInt(int_t(j, r->bits), (uint64_t)r->stride, 0), ""), "");
}

// Writes v (a scalar, or 32 lanes when is_vec) to reg as the destination of `in`: fitted to the
// register's shape, and only for the running lanes when the others' old value counts.
void jit__set(struct jit *j, const struct ir_insn *in, uint32_t reg, LLVMValueRef v, bool is_vec)
{
    if (reg == IR_NONE)
        return;
    const struct ir_reg *r = reg_of(j, reg);
    char kind = ptx_type_kind((enum ptx_type)in->type);
    v = jit__fit(j, v, r->bits, kind == 'S');
    if (r->shape == IR_VEC) {
        if (!is_vec)
            v = jit__splat(j, v);
        if (in->is_partial) {
            LLVMValueRef old = LLVMBuildLoad2(j->b, vec_t(j, r->bits), j->slot_a[reg], "");
            v = LLVMBuildSelect(j->b, jit__mask_vec(j, jit__mask(j)), v, old, "");
        }
    } else {
        WF_ASSERT(r->shape != IR_WAFF);
        if (is_vec) // lanes that agree by shape: any running one tells the value
            v = base_of_lanes(j, r, v);
    }
    LLVMBuildStore(j->b, v, j->slot_a[reg]);
}

// ---- frame ----

static LLVMValueRef slot_ptr(struct jit *j, uint64_t off)
{
    return jit__field(j, j->frame, off);
}

static void masked_store(struct jit *j, LLVMValueRef v, LLVMValueRef p, LLVMValueRef mask)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(t));
    if (bits == 128) { // as 64-bit halves: wider elements have no masked store
        LLVMValueRef old = LLVMBuildLoad2(j->b, t, p, "");
        LLVMSetAlignment(old, 16);
        LLVMValueRef st = LLVMBuildStore(j->b, LLVMBuildSelect(j->b, jit__mask_vec(j, mask), v, old, ""), p);
        LLVMSetAlignment(st, 16);
        return;
    }
    LLVMTypeRef types[2] = {t, j->ptr};
    LLVMValueRef args[4] = {v, p, jit__c32(j, 64), jit__mask_vec(j, mask)};
    jit__intrin(j, "llvm.masked.store", types, 2, args, 4);
}

void jit__store_slot(struct jit *j, uint32_t reg, LLVMValueRef mask)
{
    const struct ir_reg *r = reg_of(j, reg);
    WF_ASSERT(r->slot != IR_NONE);
    struct jit_val v = jit__get(j, reg);
    if (r->bits == 1) {
        LLVMValueRef w = r->shape == IR_VEC ? jit__mask_word(j, v.a)
                                            : LLVMBuildSExt(j->b, v.a, j->i32, "");
        LLVMValueRef p = slot_ptr(j, r->slot), old = LLVMBuildLoad2(j->b, j->i32, p, "");
        old = LLVMBuildAnd(j->b, old, LLVMBuildNot(j->b, mask, ""), "");
        LLVMBuildStore(j->b, LLVMBuildOr(j->b, old, LLVMBuildAnd(j->b, w, mask, ""), ""), p);
        return;
    }
    if (r->shape == IR_WAFF) {
        LLVMValueRef x = LLVMBuildAdd(j->b, jit__splat(j, v.a), const_vec(j, 32, (uint64_t)r->stride), "");
        masked_store(j, x, slot_ptr(j, r->slot), mask);
        masked_store(j, jit__splat(j, v.b), slot_ptr(j, r->slot + 128u), mask);
        return;
    }
    masked_store(j, jit__val_vec(j, r, v), slot_ptr(j, r->slot), mask);
}

static LLVMValueRef lane_load(struct jit *j, LLVMTypeRef t, unsigned bytes, uint64_t slot, LLVMValueRef lane)
{
    LLVMValueRef off = LLVMBuildMul(j->b, lane, jit__c32(j, bytes), "");
    off = LLVMBuildZExt(j->b, off, j->i64, "");
    LLVMValueRef p = LLVMBuildGEP2(j->b, j->i8, slot_ptr(j, slot), &off, 1, "");
    return LLVMBuildLoad2(j->b, t, p, "");
}

static void lane_store(struct jit *j, LLVMValueRef v, unsigned bytes, uint64_t slot, LLVMValueRef lane)
{
    LLVMValueRef off = LLVMBuildMul(j->b, lane, jit__c32(j, bytes), "");
    off = LLVMBuildZExt(j->b, off, j->i64, "");
    LLVMBuildStore(j->b, v, LLVMBuildGEP2(j->b, j->i8, slot_ptr(j, slot), &off, 1, ""));
}

// All lanes of the warp stop here together: what is one value is stored once, in the first lane's place.
// (exec__spread gives it to the others if the warp splits later.)
void jit__store_first(struct jit *j, uint32_t reg, LLVMValueRef mask)
{
    const struct ir_reg *r = reg_of(j, reg);
    struct jit_val v = jit__get(j, reg);
    if (r->bits == 1) {
        LLVMValueRef w = r->shape == IR_VEC ? jit__mask_word(j, v.a) : LLVMBuildSExt(j->b, v.a, j->i32, "");
        LLVMBuildStore(j->b, w, slot_ptr(j, r->slot));
        return;
    }
    if (r->shape == IR_VEC) {
        LLVMValueRef st = LLVMBuildStore(j->b, v.a, slot_ptr(j, r->slot));
        LLVMSetAlignment(st, r->bits == 128 ? 16 : 64);
        return;
    }
    // In a region no lane of the warp has exited: lane 0 is there.
    LLVMValueRef lane = jit__c32(j, 0);
    unsigned bits = r->shape == IR_WAFF ? 32 : r->bits;
    (void)mask;
    lane_store(j, v.a, bits / 8, r->slot, lane);
    if (r->shape == IR_WAFF)
        lane_store(j, v.b, 8, r->slot + 128u, lane);
}

void jit__load_slot(struct jit *j, uint32_t reg, LLVMValueRef mask)
{
    const struct ir_reg *r = reg_of(j, reg);
    WF_ASSERT(r->slot != IR_NONE);
    LLVMValueRef ctz[2] = {mask, LLVMConstInt(j->i1, 1, 0)};
    LLVMValueRef lane = r->shape == IR_VEC ? NULL
                        : j->is_region     ? jit__c32(j, 0)
                                           : jit__intrin(j, "llvm.cttz", &j->i32, 1, ctz, 2);
    if (r->bits == 1) {
        LLVMValueRef w = LLVMBuildLoad2(j->b, j->i32, slot_ptr(j, r->slot), "");
        if (r->shape == IR_VEC)
            w = jit__mask_vec(j, w);
        else
            w = LLVMBuildTrunc(j->b, LLVMBuildLShr(j->b, w, lane, ""), j->i1, "");
        LLVMBuildStore(j->b, w, j->slot_a[reg]);
        return;
    }
    if (r->shape == IR_VEC) {
        LLVMValueRef v = LLVMBuildLoad2(j->b, vec_t(j, r->bits), slot_ptr(j, r->slot), "");
        LLVMSetAlignment(v, r->bits == 128 ? 16 : 64);
        LLVMBuildStore(j->b, v, j->slot_a[reg]);
        return;
    }
    unsigned bits = r->shape == IR_WAFF ? 32 : r->bits;
    LLVMValueRef v = lane_load(j, int_t(j, bits), bits / 8, r->slot, lane);
    if (r->shape != IR_UNI) {
        LLVMValueRef k = LLVMBuildZExtOrBitCast(j->b, lane, int_t(j, bits), "");
        k = LLVMBuildMul(j->b, k, LLVMConstInt(int_t(j, bits), (uint64_t)r->stride, 0), "");
        v = LLVMBuildSub(j->b, v, k, "");
    }
    LLVMBuildStore(j->b, v, j->slot_a[reg]);
    if (r->shape == IR_WAFF)
        LLVMBuildStore(j->b, lane_load(j, j->i64, 8, r->slot + 128u, lane), j->slot_b[reg]);
}

void jit__layout_frame(struct ir_func *f)
{
    uint32_t off = 64; // a line of zero behind which nothing lies by accident
    uint8_t *need = wf_xcalloc(f->n_regs + 1, 1);
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_live_in; i++)
            need[f->blocks[k].live_in[i]] = 1;
    // Results of calls arrive through the frame, arguments leave through it.
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++)
            if (f->blocks[k].insns[i].kind == IR_K_OP && f->blocks[k].insns[i].op == PTX_O_CALL) {
                const struct ir_call *c = f->blocks[k].insns[i].aux;
                for (uint32_t r = 0; r < c->n_rets; r++)
                    need[c->ret[r]] = 1;
            }
    for (uint32_t i = 0; i < f->n_params; i++)
        need[f->param_reg[i]] = 1;
    for (uint32_t i = 0; i < f->n_rets; i++)
        need[f->ret_reg[i]] = 1;
    for (uint32_t r = 0; r < f->n_regs; r++) {
        f->regs[r].slot = IR_NONE;
        if (!need[r])
            continue;
        f->regs[r].slot = off;
        uint32_t bytes = f->regs[r].bits == 1 ? 4 : f->regs[r].shape == IR_WAFF ? 128 + 256 : 4u * f->regs[r].bits;
        off += (bytes + 63) & ~63u;
    }
    f->frame_bytes = off;
    free(need);
}

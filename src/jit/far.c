// SPDX-License-Identifier: Apache-2.0
// The other way of loads and stores: by the helper that looks at each lane.

#include "jit/access.h"
#include "jit/lanes.h"

// The stack memory that all slow paths of a function share: they are never under way together.
static void slow_areas(struct jit *j)
{
    if (j->slow_of == j->fn)
        return;
    j->slow_of = j->fn;
    j->slow_addr = jit__alloca(j, LLVMArrayType2(j->i64, 32), 64);
    j->slow_data = jit__alloca(j, LLVMArrayType2(j->i8, 32 * 32), 64);
}

LLVMValueRef jit__slow_data(struct jit *j)
{
    slow_areas(j);
    return j->slow_data;
}

// Leaves the lanes' addresses in slow_addr, in the shortest form.
static enum wf_lanes_form tell_lanes(struct jit *j, struct jit_acc *a)
{
    LLVMBuilderRef b = j->b;
    const struct ir_src *s = &a->in->src[0];
    const struct ir_reg *r = s->kind == IR_S_REG ? &j->f->regs[s->reg] : NULL;
    if (a->shape == IR_VEC) {
        LLVMBuildStore(b, a->vec, j->slow_addr);
        return LLVMTypeOf(a->vec) == j->v32 ? WF_LANES_EACH32 : WF_LANES_EACH;
    }
    bool is_narrow = a->shape == IR_AFF && r->bits < 64;
    if (is_narrow && a->in->is_generic_addr) { // a window was taken off after the wrap
        LLVMBuildStore(b, jit__acc_lanes(j, a), j->slow_addr);
        return WF_LANES_EACH;
    }
    LLVMBuildStore(b, a->lane0, j->slow_addr);
    LLVMValueRef step = jit__c64(j, (uint64_t)(a->shape == IR_UNI ? 0 : a->shape == IR_WAFF ? r->stride : a->stride));
    LLVMBuildStore(b, step, jit__field(j, j->slow_addr, offsetof(struct wf_lanes, stride)));
    if (a->shape != IR_WAFF)
        return is_narrow ? WF_LANES_LINEAR32 : WF_LANES_LINEAR;
    LLVMBuildStore(b, jit__c64(j, (uint64_t)r->scale), jit__field(j, j->slow_addr, offsetof(struct wf_lanes, scale)));
    LLVMBuildStore(b, jit__get(j, s->reg).a, jit__field(j, j->slow_addr, offsetof(struct wf_lanes, index)));
    return r->waff_signed ? WF_LANES_INDEX_S : WF_LANES_INDEX_U;
}

void jit__acc_slow(struct jit *j, struct jit_acc *a)
{
    LLVMTypeRef e = LLVMIntTypeInContext(j->cx, a->bits), t = LLVMVectorType(e, 32);
    WF_ASSERT(a->bytes * a->n <= 32);
    slow_areas(j);
    unsigned form = tell_lanes(j, a);
    LLVMValueRef buf = j->slow_data;
    for (unsigned i = 0; i < a->n && a->is_store; i++) {
        LLVMValueRef v = a->data[i];
        if (a->data_uniform)
            v = jit__splat(j, v);
        LLVMBuildStore(j->b, v, jit__field(j, buf, (size_t)i * 32 * a->bytes));
    }
    unsigned how = wf_lanes_code(a->bytes, a->n, a->is_store, form, a->space);
    LLVMValueRef args[6] = {j->warp, jit__c32(j, a->in->site), a->mask, j->slow_addr, buf, jit__c32(j, how)};
    jit__call(j, "wf_x_memory", j->void_t, args, 6);
    for (unsigned i = 0; i < a->n && !a->is_store; i++)
        a->data[i] = LLVMBuildLoad2(j->b, t, jit__field(j, buf, (size_t)i * 32 * a->bytes), "");
}

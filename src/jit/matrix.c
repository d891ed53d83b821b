// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of a warp: one call of a C helper with the fragments of all lanes (jit/matrix.h).

#include <stdio.h> // sscanf

#include "ir/build_wide.h"
#include "jit/elem.h" // wf__rounding
#include "jit/jit_int.h"
#include "jit/matrix.h"

static void shape_of(const struct ir_insn *in, struct wf_matrix *x)
{
    unsigned n_layouts = 0;
    for (unsigned i = 0; i < in->m.n_words; i++) {
        uint16_t w = in->m.words[i];
        if (w & PTX_WORD_TYPE)
            continue;
        if (sscanf(ptx_mod_name((enum ptx_mod)w), "m%un%uk%u", &x->m, &x->n, &x->k) == 3)
            continue;
        if (w != PTX_M_ROW && w != PTX_M_COL)
            continue;
        if (n_layouts++)
            x->col_b = w == PTX_M_COL;
        else
            x->col_a = w == PTX_M_COL;
    }
}

static struct wf_matrix describe(const struct ir_insn *in)
{
    const struct ptx_mods *m = &in->m;
    struct wf_matrix x = {.d = m->type[0], .a = m->type[1], .b = m->type[2], .c = m->type[3], .rnd = (unsigned)(wf__rounding(m->rnd) - 'a')};
    shape_of(in, &x);
    x.satfinite = ptx_has(m, PTX_M_SATFINITE);
    x.is_and = ptx_has(m, PTX_M_AND);
    switch ((int)in->op) {
    case PTX_O_MMA:
        x.what = WF_MATRIX_MMA;
        return x;
    case PTX_O_LDMATRIX: case PTX_O_STMATRIX:
        x.what = in->op == PTX_O_LDMATRIX ? WF_MATRIX_LDM : WF_MATRIX_STM;
        x.k = ptx_has(m, PTX_M_X4) ? 4 : ptx_has(m, PTX_M_X2) ? 2 : 1;
        x.col_a = ptx_has(m, PTX_M_TRANS);
        x.c = in->space;
        return x;
    case PTX_O_MOVMATRIX:
        x.what = WF_MATRIX_MOVM;
        return x;
    default:
        break;
    }
    if (ptx_has(m, PTX_M_MMA)) {
        x.what = WF_MATRIX_WMMA;
        if (m->n_types == 2) { // d and c
            x.c = m->type[1];
            x.a = x.b = PTX_T_F16;
        }
        return x;
    }
    x.what = ptx_has(m, PTX_M_STORE) ? WF_MATRIX_STORE : WF_MATRIX_LOAD;
    unsigned rows = ptx_has(m, PTX_M_MODB) ? x.k : x.m, cols = ptx_has(m, PTX_M_A) ? x.k : x.n;
    x.n = !ptx_has(m, PTX_M_A) && !ptx_has(m, PTX_M_MODB);
    x.m = rows;
    x.k = cols;
    x.c = in->space;
    return x;
}

void jit__matrix(struct jit *j, const struct ir_insn *in)
{
    LLVMValueRef src = jit__alloca(j, LLVMArrayType2(j->ptr, IR_MORE_MAX), 8), dst = jit__alloca(j, LLVMArrayType2(j->ptr, 8), 8);
    LLVMValueRef out[8] = {0};
    struct wf_matrix x = describe(in);
    for (uint32_t i = 0; i < in->n_more; i++) {
        const struct ir_src *s = &in->more[i];
        bool is_address = i == 0 && in->site != IR_NONE && x.what >= WF_MATRIX_LOAD && x.what <= WF_MATRIX_STM;
        unsigned bits = is_address || (s->kind == IR_S_REG && j->f->regs[s->reg].bits == 64) ? 64 : 32;
        LLVMBuildStore(j->b, jit__spill(j, jit__src_vec(j, s, bits)), jit__field(j, src, 8 * (size_t)i));
    }
    for (uint32_t i = 0; i < in->n_dst; i++) {
        bool is_wide = in->dst[i] != IR_NONE && j->f->regs[in->dst[i]].bits == 64;
        out[i] = jit__alloca(j, is_wide ? j->v64 : j->v32, 64);
        LLVMBuildStore(j->b, out[i], jit__field(j, dst, 8 * (size_t)i));
    }
    LLVMValueRef a[7] = {j->warp, jit__c32(j, in->site), jit__mask(j), jit__c64(j, wf_matrix_code(&x)),
                         jit__c32(j, in->n_more), src, dst};
    jit__call(j, "wf_x_matrix", j->void_t, a, 7);
    struct ir_insn set = *in;
    for (uint32_t i = 0; i < in->n_dst; i++) {
        if (in->dst[i] == IR_NONE)
            continue;
        bool is_wide = j->f->regs[in->dst[i]].bits == 64;
        set.type = is_wide ? PTX_T_B64 : PTX_T_B32;
        jit__set(j, &set, in->dst[i], LLVMBuildLoad2(j->b, is_wide ? j->v64 : j->v32, out[i], ""), true);
    }
}

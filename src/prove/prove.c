// SPDX-License-Identifier: Apache-2.0
// From a launch to its proof.
#include "prove/machine.h"

static const char *stands_against(const struct ir_func *f, const struct ir_insn *in)
{
    if (in->kind != IR_K_OP || ir_is_pure(in))
        return NULL;
    const struct ir_site *s = in->site == IR_NONE ? NULL : &f->sites[in->site];
    if (ptx_has(&in->m, PTX_M_ASYNC) || in->n_more)
        return "an instruction that is checked as it runs";
    switch ((int)in->op) {
    case PTX_O_ATOM: case PTX_O_RED:
        if (s && (s->type == PTX_T_F32 || s->type == PTX_T_F64 || s->type == PTX_T_F16 || s->type == PTX_T_BF16 ||
                  s->type == PTX_T_F16X2 || s->type == PTX_T_BF16X2))
            return "an atomic of floating-point numbers";
        return s && s->vec > 1 ? "an atomic of a vector" : NULL;
    case PTX_O_LD: case PTX_O_LDU: case PTX_O_ST: case PTX_O_BAR: case PTX_O_BARRIER: case PTX_O_CVTA:
    case PTX_O_SHFL: case PTX_O_VOTE: case PTX_O_MATCH: case PTX_O_REDUX: case PTX_O_ELECT: case PTX_O_ACTIVEMASK:
    case PTX_O_MEMBAR: case PTX_O_FENCE: case PTX_O_ISSPACEP: case PTX_O_MMA: case PTX_O_MOVMATRIX:
        return s && s->is_proxy ? "a fence between proxies" : NULL;
    default:
        return "an instruction that is checked as it runs";
    }
}

const char *prove_hopeless(const struct ir_program *p)
{
    const struct ir_func *f = p->funcs[0];
    if (p->n_funcs > 1 || f->has_calls || f->has_alloca || f->has_bulk || f->refused)
        return "calls";
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        const struct ir_block *b = &f->blocks[k];
        if (b->is_poll_loop || b->is_dead_loop)
            return "a loop that waits";
        if (b->term == IR_T_BRX || b->term == IR_T_CALL || b->term == IR_T_RET)
            return "a call or an indirect branch";
        for (uint32_t i = 0; i < b->n_insns; i++) {
            const char *why = stands_against(f, &b->insns[i]);
            if (why)
                return why;
        }
    }
    return NULL;
}

void prove_launch(const struct ir_program *p, const struct prove_facts *x, struct prove_result *out)
{
    struct wf_arena arena;
    const struct wf_launch *l = x->launch;
    *out = (struct prove_result){0};
    wf_arena_init(&arena, "prove");
    struct machine m = {.s = {.arena = &arena}, .prog = p, .f = p->funcs[0], .x = x};
    const uint32_t block[3] = {l->block.x, l->block.y, l->block.z}, grid[3] = {l->grid.x, l->grid.y, l->grid.z};
    struct conds all = {.is_exact = true};
    m.n_local = (m.f->local_bytes + 3) / 4 < PROVE_LOCAL_WORDS ? (m.f->local_bytes + 3) / 4 : PROVE_LOCAL_WORDS;
    m.reg = WF_NEW_N(&arena, union reg, m.f->n_regs + m.n_local + 1);
    m.meet = ir_meets(&arena, m.f);
    if (l->is_cooperative || l->is_early || l->cluster.x * l->cluster.y * l->cluster.z > 1)
        prove__fail(&m, "a launch of a rare kind", 0);
    else if (!prove__space(&m.s, block, grid))
        prove__fail(&m, "too large a grid", 0);
    else
        out->is_proven = prove__walk(&m, 0, m.f->n_blocks, &all, 0) && prove__apart(&m) && prove__rows(&m, out);
    for (size_t i = 0; i < m.touch.n; i++) {
        const struct touch *t = &m.touch.at[i];
        out->has_atomics |= t->is_atomic;
        out->is_ordered |= t->is_atomic && !m.f->sites[t->site].is_unread && !m.f->sites[t->site].is_red;
    }
    out->accesses = m.touch.n;
    out->why_not = out->is_proven ? NULL : m.why;
    out->line = m.line;
    if (!out->is_proven) {
        free(out->rows);
        free(out->guards);
        out->rows = NULL;
        out->guards = NULL;
        out->n_rows = out->n_guards = 0;
    }
    WF_VEC_FINI(&m.touch);
    wf_arena_fini(&arena);
}

// SPDX-License-Identifier: Apache-2.0
// Text form of a program: what `warpfence ptx --ir` shows and what the compile cache keys on, so every
// fact that reaches machine code is in it.

#include "base/str.h"
#include "ir/ir_priv.h"

static void print_reg(const struct ir_func *f, uint32_t r, struct wf_str *o)
{
    static const char shape[] = "uawv";
    if (r == IR_NONE) {
        wf_str_add(o, "_");
        return;
    }
    const struct ir_reg *x = &f->regs[r];
    wf_str_printf(o, "%c%u.%u", x->is_remat ? 'k' : shape[x->shape & 3], r, x->bits);
    if (x->shape == IR_AFF || x->shape == IR_WAFF)
        wf_str_printf(o, "(%c%lld,%lld%s)", shape[x->shape], (long long)x->stride, (long long)x->scale,
                      x->waff_signed ? "s" : "");
    else if (x->is_remat)
        wf_str_addc(o, shape[x->shape & 3]);
    if (x->has_row_step)
        wf_str_printf(o, "(r%lld)", (long long)x->row_step);
}

static void print_src(const struct ir_func *f, const struct ir_src *s, struct wf_str *o)
{
    if (s->is_negated)
        wf_str_addc(o, '!');
    switch (s->kind) {
    case IR_S_REG:
        print_reg(f, s->reg, o);
        break;
    case IR_S_IMM:
        wf_str_printf(o, "#%llx", (unsigned long long)s->bits);
        break;
    case IR_S_SREG:
        wf_str_printf(o, "%%%s.%u", ptx_sreg_name((enum ptx_sreg)s->sreg), s->comp);
        break;
    default:
        wf_str_printf(o, "%c%u+%llu%s", "?ris@SLPF"[s->kind], s->sym, (unsigned long long)s->bits,
                      s->is_dynamic ? "d" : "");
        break;
    }
}

static void print_call(const struct ir_func *f, const struct ir_call *c, struct wf_str *o)
{
    wf_str_printf(o, " builtin %d (", c->builtin);
    for (uint32_t i = 0; i < c->n_args; i++, wf_str_addc(o, ' '))
        print_reg(f, c->arg[i], o);
    wf_str_add(o, ") -> (");
    for (uint32_t i = 0; i < c->n_rets; i++, wf_str_addc(o, ' '))
        print_reg(f, c->ret[i], o);
    wf_str_addc(o, ')');
}

// Parts of registers that a video instruction names.
static void print_selectors(const struct ptx_insn *x, struct wf_str *o)
{
    for (uint32_t i = 0; i < x->n_x; i++)
        if (x->x[i].kind == PTX_X_REG && x->x[i].text)
            wf_str_printf(o, " %u.%s", i, x->x[i].text);
}

static void print_insn(const struct ir_func *f, const struct ir_insn *in, struct wf_str *o)
{
    static const char *const kinds[] = {"", "ldparam ", "move ", "barres ", "pack ", "unpack "};
    wf_str_add(o, "    ");
    if (in->guard != IR_NONE) {
        wf_str_printf(o, "@%s%s", in->guard_negated ? "!" : "", in->is_partial ? "~" : "");
        print_reg(f, in->guard, o);
        wf_str_addc(o, ' ');
    }
    for (uint32_t i = 0; i < in->n_dst; i++, wf_str_addc(o, ' '))
        print_reg(f, in->dst[i], o);
    wf_str_printf(o, "= %s%s", kinds[in->kind], ptx_op_name((enum ptx_op)in->op));
    for (unsigned m = 0; m < PTX_M_COUNT; m++)
        if (ptx_has(&in->m, (enum ptx_mod)m))
            wf_str_printf(o, ".%s", ptx_mod_name((enum ptx_mod)m));
    for (unsigned t = 0; t < in->m.n_types; t++)
        wf_str_printf(o, ".%s", ptx_type_name((enum ptx_type)in->m.type[t]));
    wf_str_printf(o, " {%s s%u%s o%lld v%u}", ptx_type_name((enum ptx_type)in->type), in->space,
                  in->is_generic_addr ? "g" : "", (long long)in->off, in->m.vec);
    for (uint32_t i = 0; i < in->n_src; i++) {
        wf_str_addc(o, ' ');
        print_src(f, &in->src[i], o);
    }
    for (uint32_t i = 0; i < in->n_more; i++) {
        wf_str_add(o, i ? " " : " + ");
        print_src(f, &in->more[i], o);
    }
    for (uint32_t i = 0; in->n_more && i < in->m.n_words; i++) // of these the order counts, too
        wf_str_printf(o, "%c%u", i ? '.' : ' ', in->m.words[i]);
    if (in->kind == IR_K_OP && in->op == PTX_O_CALL)
        print_call(f, in->aux, o);
    else if (in->kind == IR_K_OP && in->aux)
        print_selectors(in->aux, o);
    if (in->site != IR_NONE)
        wf_str_printf(o, " site %u", in->site);
    wf_str_addc(o, '\n');
}

static void print_block(const struct ir_func *f, uint32_t k, struct wf_str *o)
{
    static const char *const terms[] = {"jump", "branch", "brx", "exit", "ret", "sync", "call", "trap"};
    const struct ir_block *b = &f->blocks[k];
    wf_str_printf(o, "  %u:%s%s%s%s live", k, b->is_join ? " join" : "", b->is_loop_header ? " loop" : "",
                  b->is_poll_loop ? " poll" : "", b->is_dead_loop ? " dead" : "");
    for (uint32_t i = 0; i < b->n_live_in; i++) {
        wf_str_addc(o, ' ');
        print_reg(f, b->live_in[i], o);
    }
    wf_str_addc(o, '\n');
    for (uint32_t i = 0; i < b->n_insns; i++)
        print_insn(f, &b->insns[i], o);
    wf_str_printf(o, "    %s%s", terms[b->term], b->term == IR_T_BRANCH && b->is_uniform_branch ? ".uni" : "");
    if (b->cond != IR_NONE) {
        wf_str_printf(o, " %s", b->cond_negated ? "!" : "");
        print_reg(f, b->cond, o);
    }
    for (uint32_t i = 0; i < b->n_succ; i++)
        wf_str_printf(o, " %u", b->succ[i]);
    wf_str_printf(o, " loc %u\n", b->loc);
}

void ir_print(const struct ir_program *p, struct wf_str *o)
{
    wf_str_printf(o, "program of %u symbols\n", p->n_syms);
    for (uint32_t i = 0; i < p->n_funcs; i++) {
        const struct ir_func *f = p->funcs[i];
        wf_str_printf(o, "func %s shared %u+%u local %u\n", f->name, f->shared_bytes, f->shared_dynamic_offset,
                      f->local_bytes);
        for (uint32_t r = 0; r < f->n_params; r++)
            print_reg(f, f->param_reg[r], o);
        for (uint32_t r = 0; r < f->n_rets; r++)
            print_reg(f, f->ret_reg[r], o);
        for (uint32_t k = 0; k < f->n_blocks; k++)
            print_block(f, k, o);
    }
}

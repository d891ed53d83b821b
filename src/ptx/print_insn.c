// SPDX-License-Identifier: Apache-2.0
// Printer: one instruction.
#include "ptx/parse.h" // ptx_print_insn
#include "ptx/print.h"
#include "ptx/table.h" // ptx_sreg_comps

static void print_operand(const struct ptx_printer *pr, const struct ptx_operand *x);

static void print_list(const struct ptx_printer *pr, const struct ptx_operand *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            wf_str_add(pr->out, ", ");
        print_operand(pr, &x[i]);
    }
}

static void print_offset(const struct ptx_printer *pr, uint64_t bits)
{
    if (bits != 0)
        wf_str_printf(pr->out, "+%lld", (long long)bits);
}

static void print_reg(const struct ptx_printer *pr, const struct ptx_operand *x)
{
    wf_str_add(pr->out, ptx__printed_name(pr, x->reg, x->reg->name));
    if (x->comp > 0)
        wf_str_printf(pr->out, ".%c", "xyzw"[x->comp - 1]);
    if (x->text != NULL)
        wf_str_printf(pr->out, ".%s", x->text);
}

static void print_sreg(const struct ptx_printer *pr, const struct ptx_operand *x)
{
    if (x->sreg == PTX_SR_ENVREG || x->sreg == PTX_SR_PM)
        wf_str_printf(pr->out, "%%%s%u", ptx_sreg_name(x->sreg), x->comp);
    else if (x->sreg == PTX_SR_PM64)
        wf_str_printf(pr->out, "%%pm%u_64", x->comp);
    else
        wf_str_printf(pr->out, "%%%s", ptx_sreg_name(x->sreg));
}

static void print_mem(const struct ptx_printer *pr, const struct ptx_operand *x)
{
    wf_str_addc(pr->out, '[');
    if (x->reg != NULL)
        print_reg(pr, x);
    if (x->var != NULL)
        wf_str_add(pr->out, ptx__printed_name(pr, x->var, x->var->name));
    if (x->reg != NULL || x->var != NULL)
        print_offset(pr, x->bits);
    else
        wf_str_printf(pr->out, "%lld", (long long)x->bits);
    if (x->n_elem > 0)
        wf_str_add(pr->out, ", ");
    print_list(pr, x->elem, x->n_elem);
    wf_str_add(pr->out, x->is_unified ? "].unified" : "]");
}

static void print_operand(const struct ptx_printer *pr, const struct ptx_operand *x)
{
    if (x->is_negated)
        wf_str_addc(pr->out, '!');
    if (x->is_neg)
        wf_str_addc(pr->out, '-');
    switch (x->kind) {
    case PTX_X_NONE:
        break;
    case PTX_X_REG:
        print_reg(pr, x);
        break;
    case PTX_X_IMM:
        wf_str_printf(pr->out, "%lld", (long long)x->bits);
        break;
    case PTX_X_FIMM:
        wf_str_printf(pr->out, x->is_f32 ? "0f%08llX" : "0d%016llX", (unsigned long long)x->bits);
        break;
    case PTX_X_SREG:
        print_sreg(pr, x);
        if (ptx_sreg_comps(x->sreg) == 4 && !x->is_whole)
            wf_str_printf(pr->out, ".%c", "xyzw"[x->comp]);
        break;
    case PTX_X_VAR:
        wf_str_add(pr->out, ptx__printed_name(pr, x->var, x->var->name));
        print_offset(pr, x->bits);
        break;
    case PTX_X_FUNC:
        wf_str_add(pr->out, x->func->name);
        break;
    case PTX_X_LABEL:
        wf_str_add(pr->out, ptx__printed_name(pr, x->label, x->label->name));
        break;
    case PTX_X_VECTOR:
        wf_str_addc(pr->out, '{');
        print_list(pr, x->elem, x->n_elem);
        wf_str_addc(pr->out, '}');
        break;
    case PTX_X_MEM:
        print_mem(pr, x);
        break;
    case PTX_X_SINK:
        wf_str_addc(pr->out, '_');
        break;
    case PTX_X_STRING:
        wf_str_printf(pr->out, "\"%s\"", x->text);
        break;
    }
}

// A prototype or target list stands right before the instruction that names it.
static void print_list_line(struct ptx_printer *pr, const struct ptx_insn *in)
{
    if (in->proto == NULL && in->n_targets == 0 && in->n_callees == 0)
        return;
    wf_str_printf(pr->out, "wf_list_%u: ", ++pr->n_lists);
    if (in->proto != NULL) {
        wf_str_add(pr->out, ".callprototype ");
        if (in->proto->n_ret > 0) {
            ptx__print_params(pr, in->proto->ret, in->proto->n_ret, "_");
            wf_str_addc(pr->out, ' ');
        }
        wf_str_add(pr->out, "_ ");
        ptx__print_params(pr, in->proto->param, in->proto->n_param, "_");
        if (in->proto->is_noreturn)
            wf_str_add(pr->out, " .noreturn");
        if (in->proto->abi_preserve > 0)
            wf_str_printf(pr->out, " .abi_preserve %u", in->proto->abi_preserve - 1);
        if (in->proto->abi_preserve_control > 0)
            wf_str_printf(pr->out, " .abi_preserve_control %u",
                          in->proto->abi_preserve_control - 1);
    } else if (in->n_targets > 0) {
        wf_str_add(pr->out, ".branchtargets ");
        for (uint32_t i = 0; i < in->n_targets; i++)
            wf_str_printf(pr->out, "%s%s", i > 0 ? ", " : "",
                          ptx__printed_name(pr, in->targets[i], in->targets[i]->name));
    } else {
        wf_str_add(pr->out, ".calltargets ");
        for (uint32_t i = 0; i < in->n_callees; i++)
            wf_str_printf(pr->out, "%s%s", i > 0 ? ", " : "", in->callees[i]->name);
    }
    wf_str_add(pr->out, ";\n    ");
}

static void print_call(const struct ptx_printer *pr, const struct ptx_insn *in)
{
    if (in->n_ret > 0) {
        wf_str_addc(pr->out, '(');
        print_list(pr, in->x, in->n_ret);
        wf_str_add(pr->out, "), ");
    }
    print_operand(pr, &in->x[in->n_ret]);
    wf_str_add(pr->out, ", (");
    print_list(pr, in->x + in->n_ret + 1, (size_t)(in->n_x - in->n_ret - 1));
    wf_str_addc(pr->out, ')');
}

void ptx__print_insn(struct ptx_printer *pr, const struct ptx_insn *in)
{
    struct wf_str *out = pr->out;
    print_list_line(pr, in);
    if (in->guard != NULL)
        wf_str_printf(out, "@%s%s ", in->guard_negated ? "!" : "",
                      ptx__printed_name(pr, in->guard, in->guard->name));
    wf_str_add(out, ptx_op_name(in->op));
    for (unsigned i = 0; i < in->m.n_words; i++) {
        uint16_t w = in->m.words[i];
        wf_str_addc(out, '.');
        wf_str_add(out, w >= PTX_WORD_TYPE ? ptx_type_name((enum ptx_type)(w - PTX_WORD_TYPE))
                                           : ptx_mod_name((enum ptx_mod)w));
    }
    if (in->n_x > 0)
        wf_str_addc(out, ' ');
    if (in->op == PTX_O_CALL) {
        print_call(pr, in);
    } else if (in->has_pair) {
        print_operand(pr, &in->x[0]);
        wf_str_addc(out, '|');
        print_list(pr, in->x + 1, (size_t)(in->n_x - 1));
    } else {
        print_list(pr, in->x, in->n_x);
    }
    if (in->proto != NULL || in->n_targets > 0 || in->n_callees > 0)
        wf_str_printf(out, ", wf_list_%u", pr->n_lists);
    wf_str_addc(out, ';');
}

void ptx_print_insn(const struct ptx_module *m, const struct ptx_insn *in, struct wf_str *out)
{
    struct ptx_printer pr = {.m = m, .out = out};
    ptx__print_insn(&pr, in);
}

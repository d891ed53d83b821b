// SPDX-License-Identifier: Apache-2.0
// What an indirect call may reach: every function whose address is taken somewhere in the linked
// modules, in code or in an initialiser, and whose parameters and results have the prototype's sizes.
// Function pointers travel through memory, so another kernel may have made them.

#include "ir/ir_priv.h"

static bool sizes_agree(const struct ptx_proto *a, const struct ptx_proto *b)
{
    if (a->n_param != b->n_param || a->n_ret != b->n_ret)
        return false;
    for (uint32_t i = 0; i < a->n_param; i++)
        if (a->param[i]->bytes != b->param[i]->bytes)
            return false;
    for (uint32_t i = 0; i < a->n_ret; i++)
        if (a->ret[i]->bytes != b->ret[i]->bytes)
            return false;
    return true;
}

struct finder {
    struct build *b;
    const struct ptx_module *home;
    const struct ptx_proto *proto;
};

static void consider(const struct finder *w, const struct ptx_func *f)
{
    const struct ptx_module *m = NULL;
    if (!f || f->is_entry || !sizes_agree(&f->sig, w->proto))
        return;
    f = ir__find_func(w->b, w->home, f, &m);
    if (f)
        ir__func_index(w->b, f, m);
}

static void in_vars(const struct finder *w, const struct ptx_var *const *vars, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < vars[i]->n_relocs; k++)
            consider(w, vars[i]->relocs[k].func);
}

static void in_code(const struct finder *w, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->n_insns; i++) {
        const struct ptx_insn *x = &f->insns[i];
        for (uint32_t k = 0; k < x->n_x; k++)
            if (x->x[k].kind == PTX_X_FUNC && !(x->op == PTX_O_CALL && k == x->n_ret))
                consider(w, x->x[k].func);
    }
}

void ir__add_targets(struct build *b, const struct ptx_proto *proto)
{
    for (uint32_t m = 0; m < b->n_modules; m++) {
        const struct ptx_module *x = b->modules[m];
        const struct finder w = {b, x, proto};
        in_vars(&w, x->vars, x->n_vars);
        for (uint32_t i = 0; i < x->n_funcs; i++) {
            in_vars(&w, x->funcs[i]->vars, x->funcs[i]->n_vars);
            in_code(&w, x->funcs[i]);
        }
    }
}

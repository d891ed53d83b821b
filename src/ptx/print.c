// SPDX-License-Identifier: Apache-2.0
// The tree back to PTX text that parses to the same tree. Registers are declared one by one, arrays
// have one dimension, lists and prototypes stand at their use.
#include "ptx/print.h"

#include <stdio.h>  // snprintf
#include <stdlib.h> // free
#include <string.h> // strlen

#include "base/arena.h" // wf_xmalloc
#include "ptx/parse.h"  // ptx_print

const char *ptx__printed_name(const struct ptx_printer *pr, const void *thing, const char *name)
{
    const char *other = pr->renamed.n > 0 ? wf_map_get(&pr->renamed, (uintptr_t)thing) : NULL;
    return other != NULL ? other : name;
}

// Takes `name` for `thing` in `seen`, or finds it another one.
static void claim(struct ptx_printer *pr, struct wf_smap *seen, const void *thing, const char *name,
                  uint32_t id)
{
    if (wf_smap_get(seen, name) == NULL) {
        wf_smap_put(seen, name, pr);
        return;
    }
    size_t n = strlen(name) + 32;
    char *other = wf_xmalloc(n);
    for (unsigned i = 0;; i++) {
        snprintf(other, n, i == 0 ? "%s_wf%u" : "%s_wf%u_%u", name, id, i);
        if (wf_smap_get(seen, other) == NULL)
            break;
    }
    wf_smap_put(seen, other, pr);
    wf_map_put(&pr->renamed, (uintptr_t)thing, other);
}

static void claim_names(struct ptx_printer *pr, const struct ptx_func *f)
{
    struct wf_smap seen = {0}, labels = {0};
    for (uint32_t i = 0; i < pr->m->n_vars; i++)
        wf_smap_put(&seen, pr->m->vars[i]->name, pr);
    for (uint32_t i = 0; i < pr->m->n_funcs; i++)
        wf_smap_put(&seen, pr->m->funcs[i]->name, pr);
    for (uint32_t i = 0; i < f->sig.n_ret; i++)
        claim(pr, &seen, f->sig.ret[i], f->sig.ret[i]->name, i);
    for (uint32_t i = 0; i < f->sig.n_param; i++)
        claim(pr, &seen, f->sig.param[i], f->sig.param[i]->name, i);
    for (uint32_t i = 0; i < f->n_vars; i++)
        claim(pr, &seen, f->vars[i], f->vars[i]->name, i);
    uint32_t n_reg_params = 0;
    for (uint32_t i = 0; i < f->sig.n_ret; i++)
        n_reg_params += f->sig.ret[i]->space == PTX_SP_REG;
    for (uint32_t i = 0; i < f->sig.n_param; i++)
        n_reg_params += f->sig.param[i]->space == PTX_SP_REG;
    for (uint32_t i = n_reg_params; i < f->n_regs; i++)
        claim(pr, &seen, f->regs[i], f->regs[i]->name, i);
    for (uint32_t i = 0; i < f->n_labels; i++)
        claim(pr, &labels, f->labels[i], f->labels[i]->name, i);
    wf_smap_fini(&seen);
    wf_smap_fini(&labels);
}

static void forget_names(struct ptx_printer *pr)
{
    uint64_t key;
    void *name;
    for (size_t i = 0; wf_map_next(&pr->renamed, &i, &key, &name);)
        free(name);
    wf_map_fini(&pr->renamed);
    pr->renamed = (struct wf_map){0};
}

void ptx__print_params(const struct ptx_printer *pr, const struct ptx_var *const *v, uint16_t n,
                       const char *name)
{
    wf_str_addc(pr->out, '(');
    for (uint16_t i = 0; i < n; i++) {
        struct ptx_var copy = *v[i];
        if (i > 0)
            wf_str_add(pr->out, ", ");
        copy.name = name != NULL ? name : ptx__printed_name(pr, v[i], v[i]->name);
        ptx__print_var_head(pr, &copy);
    }
    wf_str_addc(pr->out, ')');
}

static void print_three(struct wf_str *out, const char *word, const uint32_t v[3])
{
    if (v[0] != 0)
        wf_str_printf(out, "\n.%s %u, %u, %u", word, v[0], v[1], v[2]);
}

static void print_one(struct wf_str *out, const char *word, uint32_t v)
{
    if (v != 0)
        wf_str_printf(out, "\n.%s %u", word, v);
}

static void print_head(struct ptx_printer *pr, const struct ptx_func *f)
{
    struct wf_str *out = pr->out;
    wf_str_add(out, f->is_extern    ? ".extern "
                    : f->is_visible ? ".visible "
                    : f->is_weak    ? ".weak "
                                    : "");
    wf_str_add(out, f->is_entry ? ".entry " : ".func ");
    if (f->unified != NULL)
        wf_str_printf(out, ".attribute(.unified(%s)) ", f->unified);
    if (f->sig.n_ret > 0) {
        ptx__print_params(pr, f->sig.ret, f->sig.n_ret, NULL);
        wf_str_addc(out, ' ');
    }
    wf_str_printf(out, "%s ", f->name);
    ptx__print_params(pr, f->sig.param, f->sig.n_param, NULL);
    if (f->sig.is_noreturn)
        wf_str_add(out, "\n.noreturn");
    if (f->sig.abi_preserve > 0)
        wf_str_printf(out, "\n.abi_preserve %u", f->sig.abi_preserve - 1);
    if (f->sig.abi_preserve_control > 0)
        wf_str_printf(out, "\n.abi_preserve_control %u", f->sig.abi_preserve_control - 1);
    print_three(out, "maxntid", f->maxntid);
    print_three(out, "reqntid", f->reqntid);
    print_one(out, "minnctapersm", f->minnctapersm);
    print_one(out, "maxnctapersm", f->maxnctapersm);
    print_one(out, "maxnreg", f->maxnreg);
    if (f->is_explicit_cluster)
        wf_str_add(out, "\n.explicitcluster");
    print_three(out, "reqnctapercluster", f->reqnctapercluster);
    print_one(out, "maxclusterrank", f->maxclusterrank);
    if (f->blocksareclusters != 0)
        wf_str_add(out, "\n.blocksareclusters");
    for (uint32_t i = 0; i < f->n_pragmas; i++)
        wf_str_printf(out, "\n.pragma \"%s\";", f->pragmas[i]);
}

static void print_loc(struct ptx_printer *pr, const struct ptx_loc *l)
{
    wf_str_printf(pr->out, "    .loc %u %u %u", l->file, l->line, l->col);
    if (l->function != NULL && l->inlined_at != NULL) {
        uintptr_t n = (uintptr_t)wf_map_get(&pr->strings, (uintptr_t)l->function);
        if (n == 0) {
            WF_PUSH(&pr->string_list, l->function);
            n = pr->string_list.n;
            wf_map_put(&pr->strings, (uintptr_t)l->function, (void *)n);
        }
        wf_str_printf(pr->out, ", function_name $L__wf_string%u, inlined_at %u %u %u", (unsigned)n,
                      l->inlined_at->file, l->inlined_at->line, l->inlined_at->col);
    }
    wf_str_addc(pr->out, '\n');
}

static bool is_reg_param(const struct ptx_func *f, const struct ptx_var *v)
{
    for (uint16_t i = 0; i < f->sig.n_ret; i++)
        if (f->sig.ret[i] == v)
            return true;
    for (uint16_t i = 0; i < f->sig.n_param; i++)
        if (f->sig.param[i] == v)
            return true;
    return false;
}

static void print_registers(struct ptx_printer *pr, const struct ptx_func *f)
{
    const struct ptx_var *last = NULL;
    uint32_t in_line = 0;
    for (uint32_t i = 0; i < f->n_regs; i++) {
        const struct ptx_var *v = f->regs[i];
        if (is_reg_param(f, v))
            continue;
        const char *name = ptx__printed_name(pr, v, v->name);
        if (last != NULL && last->type == v->type && last->vec == v->vec && in_line++ < 12) {
            wf_str_printf(pr->out, ", %s", name);
            continue;
        }
        wf_str_add(pr->out, last != NULL ? ";\n    .reg" : "    .reg");
        if (v->vec > 1)
            wf_str_printf(pr->out, " .v%u", v->vec);
        wf_str_printf(pr->out, " .%s %s", ptx_type_name(v->type), name);
        last = v;
        in_line = 0;
    }
    if (last != NULL)
        wf_str_add(pr->out, ";\n");
}

static void print_body(struct ptx_printer *pr, const struct ptx_func *f)
{
    struct wf_str *out = pr->out;
    uint32_t label = 0;
    pr->func = f;
    pr->loc = f->loc_begin;
    wf_str_add(out, "\n{\n");
    print_registers(pr, f);
    for (uint32_t i = 0; i < f->n_vars; i++) {
        wf_str_add(out, "    ");
        ptx__print_global(pr, f->vars[i]);
    }
    for (uint32_t i = 0; i <= f->n_insns; i++) {
        const struct ptx_insn *in = i < f->n_insns ? &f->insns[i] : NULL;
        for (; label < f->n_labels && f->labels[label]->index == i; label++)
            wf_str_printf(out, "%s:\n",
                          ptx__printed_name(pr, f->labels[label], f->labels[label]->name));
        for (uint32_t end = in != NULL ? in->loc + 1 : f->loc_end; pr->loc < end; pr->loc++)
            print_loc(pr, &pr->m->locs[pr->loc]);
        if (in == NULL)
            break;
        for (uint32_t k = 0; k < in->n_pragmas; k++)
            wf_str_printf(out, "    .pragma \"%s\";\n", in->pragmas[k]);
        wf_str_add(out, "    ");
        ptx__print_insn(pr, in);
        wf_str_addc(out, '\n');
    }
    wf_str_add(out, "}\n");
    pr->func = NULL;
}

// How many functions, in order of the list, must be declared ahead because an earlier body names
// them.
static uint32_t forward_count(const struct ptx_module *m)
{
    struct wf_map index = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->n_funcs; i++)
        wf_map_put(&index, (uintptr_t)m->funcs[i], (void *)(uintptr_t)(i + 1));
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        for (uint32_t k = 0; k < m->funcs[i]->n_insns; k++) {
            const struct ptx_insn *in = &m->funcs[i]->insns[k];
            for (uint32_t j = 0; j < (uint32_t)in->n_x + in->n_callees; j++) {
                const struct ptx_func *f = j < in->n_x ? in->x[j].func : in->callees[j - in->n_x];
                uintptr_t at = f != NULL ? (uintptr_t)wf_map_get(&index, (uintptr_t)f) : 0;
                if (at > i + 1 && at > count)
                    count = (uint32_t)at;
            }
        }
    }
    wf_map_fini(&index);
    return count;
}

static void print_functions(struct ptx_printer *pr)
{
    const struct ptx_module *m = pr->m;
    uint32_t n_forward = forward_count(m);
    for (uint32_t i = 0; i < n_forward; i++) {
        print_head(pr, m->funcs[i]);
        wf_str_add(pr->out, ";\n");
    }
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        const struct ptx_func *f = m->funcs[i];
        if (!f->has_body && i < n_forward)
            continue;
        if (f->has_body)
            claim_names(pr, f);
        print_head(pr, f);
        if (f->has_body)
            print_body(pr, f);
        else
            wf_str_add(pr->out, ";\n");
        forget_names(pr);
    }
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        if (m->funcs[i]->alias_of != NULL)
            wf_str_printf(pr->out, ".alias %s, %s;\n", m->funcs[i]->name,
                          m->funcs[i]->alias_of->name);
    }
}

static void print_strings(struct ptx_printer *pr)
{
    if (pr->string_list.n == 0)
        return;
    wf_str_add(pr->out, ".section .debug_str\n{\n");
    for (size_t i = 0; i < pr->string_list.n; i++) {
        wf_str_printf(pr->out, "$L__wf_string%zu:\n.b8 ", i + 1);
        for (const char *s = pr->string_list.at[i]; *s != 0; s++)
            wf_str_printf(pr->out, "%u,", (unsigned char)*s);
        wf_str_add(pr->out, "0\n");
    }
    wf_str_add(pr->out, "}\n");
}

void ptx_print(const struct ptx_module *m, struct wf_str *out)
{
    struct ptx_printer pr = {.m = m, .out = out};
    wf_str_printf(out, ".version %u.%u\n.target sm_%u", m->version / 10, m->version % 10, m->sm);
    if (m->sm_suffix != 0)
        wf_str_addc(out, m->sm_suffix);
    wf_str_add(out, m->is_texmode_independent ? ", texmode_independent" : "");
    wf_str_add(out, m->is_debug ? ", debug" : "");
    wf_str_add(out, m->is_f64_as_f32 ? ", map_f64_to_f32" : "");
    wf_str_printf(out, "\n.address_size %u\n", m->address_bits);
    for (uint32_t i = 0; i < m->n_files; i++) {
        if (m->files[i] != NULL)
            wf_str_printf(out, ".file %u \"%s\"\n", i, m->files[i]);
    }
    for (uint32_t i = 0; i < m->n_vars; i++)
        ptx__print_global(&pr, m->vars[i]);
    print_functions(&pr);
    print_strings(&pr);
    wf_map_fini(&pr.strings);
    WF_VEC_FINI(&pr.string_list);
}

// SPDX-License-Identifier: Apache-2.0
// Printer: variables and their initialisers.
#include <string.h> // memcpy

#include "ptx/print.h"

void ptx__print_space(struct wf_str *out, enum ptx_space space)
{
    switch (space) {
    case PTX_SP_GENERIC:
        break;
    case PTX_SP_REG:
        wf_str_add(out, ".reg");
        break;
    case PTX_SP_GLOBAL:
        wf_str_add(out, ".global");
        break;
    case PTX_SP_SHARED:
        wf_str_add(out, ".shared");
        break;
    case PTX_SP_SHARED_CLUSTER:
        wf_str_add(out, ".shared::cluster");
        break;
    case PTX_SP_LOCAL:
        wf_str_add(out, ".local");
        break;
    case PTX_SP_CONST:
        wf_str_add(out, ".const");
        break;
    case PTX_SP_PARAM:
        wf_str_add(out, ".param");
        break;
    }
}

static uint64_t element_bytes(const struct ptx_var *v)
{
    uint64_t bits = ptx_type_bits(v->type);
    return bits < 8 ? 1 : bits / 8;
}

void ptx__print_var_head(const struct ptx_printer *pr, const struct ptx_var *v)
{
    struct wf_str *out = pr->out;
    uint64_t unit = element_bytes(v) * v->vec;
    ptx__print_space(out, v->space);
    if (v->space != PTX_SP_REG && v->align != unit)
        wf_str_printf(out, " .align %u", v->align);
    if (v->is_managed)
        wf_str_add(out, " .attribute(.managed)");
    if (v->unified != NULL)
        wf_str_printf(out, " .attribute(.unified(%s))", v->unified);
    if (v->vec > 1)
        wf_str_printf(out, " .v%u", v->vec);
    wf_str_printf(out, " .%s", ptx_type_name(v->type));
    if (v->is_ptr) {
        wf_str_add(out, " .ptr");
        if (v->ptr_space != PTX_SP_GENERIC) {
            wf_str_add(out, " ");
            ptx__print_space(out, v->ptr_space);
        }
        if (v->ptr_align != 0)
            wf_str_printf(out, " .align %u", v->ptr_align);
    }
    wf_str_printf(out, " %s", ptx__printed_name(pr, v, v->name));
    if (v->is_array && v->bytes == 0)
        wf_str_add(out, "[]");
    else if (v->is_array)
        wf_str_printf(out, "[%llu]", (unsigned long long)(v->bytes / unit));
}

static void print_address(const struct ptx_printer *pr, const struct ptx_reloc *r)
{
    const char *name = r->var != NULL ? ptx__printed_name(pr, r->var, r->var->name) : r->func->name;
    if (r->shift != 0 || r->bytes == 1)
        wf_str_printf(pr->out, "0x%llx(", 0xffull << r->shift);
    wf_str_printf(pr->out, r->is_generic ? "generic(%s)" : "%s", name);
    if (r->addend != 0)
        wf_str_printf(pr->out, "+%lld", (long long)r->addend);
    if (r->shift != 0 || r->bytes == 1)
        wf_str_addc(pr->out, ')');
}

static void print_value(const struct ptx_printer *pr, const struct ptx_var *v, const uint8_t *at)
{
    uint64_t bits = 0, n = element_bytes(v);
    memcpy(&bits, at, n > 8 ? 8 : (size_t)n);
    if (v->type == PTX_T_F32)
        wf_str_printf(pr->out, "0f%08llX", (unsigned long long)bits);
    else if (v->type == PTX_T_F64)
        wf_str_printf(pr->out, "0d%016llX", (unsigned long long)bits);
    else if (n == 16 && at[15] == 0xff)
        wf_str_printf(pr->out, "%lld", (long long)bits);
    else
        wf_str_printf(pr->out, "%llu", (unsigned long long)bits);
}

static void print_init(const struct ptx_printer *pr, const struct ptx_var *v)
{
    uint64_t step = element_bytes(v);
    bool has_braces = v->is_array || v->vec > 1;
    uint64_t row = v->is_array && v->vec > 1 ? step * v->vec : 0; // { } of a vector in an array
    uint32_t r = 0;
    wf_str_add(pr->out, has_braces ? " = {" : " = ");
    for (uint64_t at = 0; at < v->init_bytes; at += step) {
        if (at > 0 && row != 0 && at % row == 0)
            wf_str_addc(pr->out, '}');
        if (at > 0)
            wf_str_add(pr->out, at / step % 16 == 0 ? ",\n    " : ", ");
        if (row != 0 && at % row == 0)
            wf_str_addc(pr->out, '{');
        if (r < v->n_relocs && v->relocs[r].offset == at)
            print_address(pr, &v->relocs[r++]);
        else
            print_value(pr, v, v->init + at);
    }
    if (has_braces)
        wf_str_add(pr->out, row != 0 ? "}}" : "}");
}

void ptx__print_global(const struct ptx_printer *pr, const struct ptx_var *v)
{
    if (v->is_extern)
        wf_str_add(pr->out, ".extern ");
    if (v->is_visible)
        wf_str_add(pr->out, ".visible ");
    if (v->is_weak)
        wf_str_add(pr->out, ".weak ");
    if (v->is_common)
        wf_str_add(pr->out, ".common ");
    ptx__print_var_head(pr, v);
    if (v->opaque_init != NULL)
        wf_str_printf(pr->out, " = %s", v->opaque_init);
    else if (v->init_bytes > 0)
        print_init(pr, v);
    wf_str_add(pr->out, ";\n");
}

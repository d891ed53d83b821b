// SPDX-License-Identifier: Apache-2.0
// Are two trees the same? Names of registers, labels and variables of a body may differ, as the
// printer renames what blocks shadow; everything is compared by number and content.
#ifndef WF_TESTS_UNIT_PTX_SAME_H
#define WF_TESTS_UNIT_PTX_SAME_H

#include <stdio.h>  // snprintf
#include <string.h> // strcmp

#include "ptx/ast.h"

#define SAME(x)                                                                                    \
    do {                                                                                           \
        if (!(x))                                                                                  \
            return #x;                                                                             \
    } while (0)
#define SAME_DEEP(call)                                                                            \
    do {                                                                                           \
        const char *deep_ = (call);                                                                \
        if (deep_[0] != 0)                                                                         \
            return deep_;                                                                          \
    } while (0)

static inline bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

// Two uses of a variable: the same place and shape.
static inline const char *same_var(const struct ptx_var *a, const struct ptx_var *b)
{
    SAME((a == NULL) == (b == NULL));
    if (a == NULL)
        return "";
    SAME(a->space == b->space && a->type == b->type && a->vec == b->vec && a->id == b->id);
    SAME(a->align == b->align && a->bytes == b->bytes && a->is_array == b->is_array);
    SAME(a->is_extern == b->is_extern && a->is_visible == b->is_visible &&
         a->is_weak == b->is_weak);
    SAME(a->is_common == b->is_common && a->is_managed == b->is_managed);
    SAME(a->is_ptr == b->is_ptr && a->ptr_space == b->ptr_space && a->ptr_align == b->ptr_align);
    SAME(same_text(a->unified, b->unified) && same_text(a->opaque_init, b->opaque_init));
    SAME(a->init_bytes == b->init_bytes && a->n_relocs == b->n_relocs);
    SAME(a->init_bytes == 0 || memcmp(a->init, b->init, a->init_bytes) == 0);
    for (uint32_t i = 0; i < a->n_relocs; i++) {
        const struct ptx_reloc *r = &a->relocs[i], *s = &b->relocs[i];
        SAME(r->offset == s->offset && r->bytes == s->bytes && r->shift == s->shift);
        SAME(r->is_generic == s->is_generic && r->addend == s->addend);
        SAME(r->var == NULL ? s->var == NULL
                            : s->var != NULL && strcmp(r->var->name, s->var->name) == 0);
        SAME(r->func == NULL ? s->func == NULL
                             : s->func != NULL && strcmp(r->func->name, s->func->name) == 0);
    }
    return "";
}

static inline const char *same_label(const struct ptx_label *a, const struct ptx_label *b)
{
    SAME((a == NULL) == (b == NULL));
    SAME(a == NULL || (a->id == b->id && a->index == b->index));
    return "";
}

static inline const char *same_operand(const struct ptx_operand *a, const struct ptx_operand *b)
{
    SAME(a->kind == b->kind && a->bits == b->bits && a->is_negated == b->is_negated);
    SAME(a->is_f32 == b->is_f32 && a->is_neg == b->is_neg && a->is_whole == b->is_whole);
    SAME(a->is_unified == b->is_unified && a->comp == b->comp && a->sreg == b->sreg);
    SAME(a->n_elem == b->n_elem && same_text(a->text, b->text));
    SAME_DEEP(same_var(a->reg, b->reg));
    SAME_DEEP(same_var(a->var, b->var));
    SAME_DEEP(same_label(a->label, b->label));
    SAME(a->func == NULL ? b->func == NULL
                         : b->func != NULL && strcmp(a->func->name, b->func->name) == 0);
    for (uint16_t i = 0; i < a->n_elem; i++)
        SAME_DEEP(same_operand(&a->elem[i], &b->elem[i]));
    return "";
}

static inline const char *same_proto(const struct ptx_proto *a, const struct ptx_proto *b)
{
    SAME(a->n_ret == b->n_ret && a->n_param == b->n_param && a->is_noreturn == b->is_noreturn);
    SAME(a->abi_preserve == b->abi_preserve && a->abi_preserve_control == b->abi_preserve_control);
    for (uint16_t i = 0; i < a->n_ret; i++)
        SAME_DEEP(same_var(a->ret[i], b->ret[i]));
    for (uint16_t i = 0; i < a->n_param; i++)
        SAME_DEEP(same_var(a->param[i], b->param[i]));
    return "";
}

static inline const char *same_loc(const struct ptx_loc *a, const struct ptx_loc *b)
{
    for (unsigned depth = 0; a != NULL && b != NULL;
         a = a->inlined_at, b = b->inlined_at, depth++) {
        SAME(a->file == b->file && a->line == b->line && a->col == b->col);
        SAME(same_text(a->function, b->function));
        SAME(depth < 1000);
    }
    SAME(a == b);
    return "";
}

static inline const char *same_insn(const struct ptx_insn *a, const struct ptx_insn *b)
{
    SAME(a->op == b->op && a->m.n_words == b->m.n_words);
    SAME(a->m.n_words == 0 ||
         memcmp(a->m.words, b->m.words, a->m.n_words * sizeof *a->m.words) == 0);
    SAME(memcmp(a->m.set, b->m.set, sizeof a->m.set) == 0);
    SAME(a->m.space == b->m.space && a->m.sem == b->m.sem && a->m.scope == b->m.scope);
    SAME(a->guard_negated == b->guard_negated && a->has_pair == b->has_pair);
    SAME(a->n_x == b->n_x && a->n_ret == b->n_ret && a->n_targets == b->n_targets);
    SAME(a->n_callees == b->n_callees && a->n_pragmas == b->n_pragmas);
    SAME_DEEP(same_var(a->guard, b->guard));
    for (uint16_t i = 0; i < a->n_x; i++)
        SAME_DEEP(same_operand(&a->x[i], &b->x[i]));
    for (uint32_t i = 0; i < a->n_targets; i++)
        SAME_DEEP(same_label(a->targets[i], b->targets[i]));
    for (uint32_t i = 0; i < a->n_callees; i++)
        SAME(strcmp(a->callees[i]->name, b->callees[i]->name) == 0);
    for (uint32_t i = 0; i < a->n_pragmas; i++)
        SAME(same_text(a->pragmas[i], b->pragmas[i]));
    SAME((a->proto == NULL) == (b->proto == NULL));
    if (a->proto != NULL)
        SAME_DEEP(same_proto(a->proto, b->proto));
    return "";
}

static inline const char *same_func(const struct ptx_module *m, const struct ptx_func *a,
                                    const struct ptx_module *n, const struct ptx_func *b)
{
    SAME(strcmp(a->name, b->name) == 0);
    SAME(a->is_entry == b->is_entry && a->is_visible == b->is_visible && a->is_weak == b->is_weak);
    SAME(a->is_extern == b->is_extern && a->has_body == b->has_body);
    SAME_DEEP(same_proto(&a->sig, &b->sig));
    SAME(memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) == 0);
    SAME(memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) == 0);
    SAME(memcmp(a->reqnctapercluster, b->reqnctapercluster, sizeof a->reqnctapercluster) == 0);
    SAME(a->minnctapersm == b->minnctapersm && a->maxnctapersm == b->maxnctapersm);
    SAME(a->maxnreg == b->maxnreg && a->maxclusterrank == b->maxclusterrank);
    SAME(a->is_explicit_cluster == b->is_explicit_cluster);
    SAME(a->blocksareclusters == b->blocksareclusters && same_text(a->unified, b->unified));
    SAME((a->alias_of == NULL) == (b->alias_of == NULL) && a->n_pragmas == b->n_pragmas);
    SAME(a->n_insns == b->n_insns && a->n_regs == b->n_regs && a->n_vars == b->n_vars);
    SAME(a->n_labels == b->n_labels && a->loc_end - a->loc_begin == b->loc_end - b->loc_begin);
    for (uint32_t i = 0; i < a->n_vars; i++)
        SAME_DEEP(same_var(a->vars[i], b->vars[i]));
    for (uint32_t i = 0; i < a->n_regs; i++)
        SAME_DEEP(same_var(a->regs[i], b->regs[i]));
    for (uint32_t i = 0; i < a->n_labels; i++)
        SAME_DEEP(same_label(a->labels[i], b->labels[i]));
    for (uint32_t i = 0; i < a->n_insns; i++) {
        SAME_DEEP(same_insn(&a->insns[i], &b->insns[i]));
        SAME_DEEP(same_loc(&m->locs[a->insns[i].loc], &n->locs[b->insns[i].loc]));
    }
    return "";
}

// "" when they are the same, else what differs.
static inline const char *same_module(const struct ptx_module *a, const struct ptx_module *b)
{
    SAME(a->version == b->version && a->sm == b->sm && a->sm_suffix == b->sm_suffix);
    SAME(a->is_debug == b->is_debug && a->address_bits == b->address_bits);
    SAME(a->n_funcs == b->n_funcs && a->n_vars == b->n_vars && a->n_files == b->n_files);
    for (uint32_t i = 0; i < a->n_files; i++)
        SAME(same_text(a->files[i], b->files[i]));
    for (uint32_t i = 0; i < a->n_vars; i++) {
        SAME(strcmp(a->vars[i]->name, b->vars[i]->name) == 0);
        SAME_DEEP(same_var(a->vars[i], b->vars[i]));
    }
    for (uint32_t i = 0; i < a->n_funcs; i++)
        SAME_DEEP(same_func(a, a->funcs[i], b, b->funcs[i]));
    return "";
}

#endif

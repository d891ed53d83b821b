// SPDX-License-Identifier: Apache-2.0
// .entry and .func: the head with its directives, the body with its nested blocks.
#include <string.h> // memcpy

#include "ptx/parser.h"

bool ptx__pragma(struct ptx_parser *p)
{
    ptx_lex_next(&p->lx);
    do {
        if (!ptx__at(p, PTX_TOK_STRING))
            return PTX_FAIL(p, ".pragma takes a quoted text");
        if (p->func != NULL)
            WF_PUSH(&p->pragmas, wf_arena_strndup(p->arena, p->lx.tok.at, p->lx.tok.n));
        ptx_lex_next(&p->lx);
    } while (ptx__accept(p, ','));
    return ptx__expect(p, ';', ".pragma");
}

static bool three(struct ptx_parser *p, uint32_t out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = 1;
    for (int i = 0; i < 3; i++) {
        if (!ptx__count(p, INT32_MAX, &out[i]))
            return false;
        if (!ptx__accept(p, ','))
            break;
    }
    return true;
}

static bool one(struct ptx_parser *p, uint32_t *out)
{
    return ptx__count(p, INT32_MAX, out);
}

// A directive between the head and the body. `is_known` false: not one of them.
static bool head_directive(struct ptx_parser *p, struct ptx_func *f, bool *is_known)
{
    *is_known = true;
    const struct ptx_token t = p->lx.tok;
    bool is_managed = false;
    if (ptx_tok_is(&t, "attribute"))
        return ptx__unified(p, &is_managed, &f->unified);
    if (ptx_tok_is(&t, "pragma"))
        return ptx__pragma(p);
    ptx_lex_next(&p->lx);
    if (ptx_tok_is(&t, "noreturn"))
        return f->sig.is_noreturn = true;
    if (ptx_tok_is(&t, "abi_preserve"))
        return one(p, &f->sig.abi_preserve) && ++f->sig.abi_preserve > 0;
    if (ptx_tok_is(&t, "abi_preserve_control"))
        return one(p, &f->sig.abi_preserve_control) && ++f->sig.abi_preserve_control > 0;
    if (ptx_tok_is(&t, "maxnreg"))
        return one(p, &f->maxnreg);
    if (ptx_tok_is(&t, "maxntid"))
        return three(p, f->maxntid);
    if (ptx_tok_is(&t, "reqntid"))
        return three(p, f->reqntid);
    if (ptx_tok_is(&t, "minnctapersm"))
        return one(p, &f->minnctapersm);
    if (ptx_tok_is(&t, "maxnctapersm"))
        return one(p, &f->maxnctapersm);
    if (ptx_tok_is(&t, "explicitcluster"))
        return f->is_explicit_cluster = true;
    if (ptx_tok_is(&t, "reqnctapercluster"))
        return three(p, f->reqnctapercluster);
    if (ptx_tok_is(&t, "maxclusterrank"))
        return one(p, &f->maxclusterrank);
    if (ptx_tok_is(&t, "blocksareclusters"))
        return (f->blocksareclusters = 1) == 1;
    *is_known = false;
    return ptx_lex_fail(&p->lx, &t, "'.%.*s' is not a directive of a function", (int)t.n, t.at);
}

// .branchtargets A, B; behind its label.
static bool branch_targets(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s)
{
    WF_VEC(struct ptx_sym *) names = {0};
    WF_VEC(struct ptx_token) where = {0};
    bool ok = true;
    ptx_lex_next(&p->lx);
    do {
        if (!ptx__at(p, PTX_TOK_NAME)) {
            ok = PTX_FAIL(p, ".branchtargets takes labels");
            break;
        }
        WF_PUSH(&where, p->lx.tok);
        WF_PUSH(&names, ptx__sym(p));
    } while (ptx__accept(p, ','));
    if (ok) {
        struct ptx_target_list *list = WF_NEW(p->arena, struct ptx_target_list);
        list->n = (uint32_t)names.n;
        list->label = WF_NEW_N(p->arena, struct ptx_label *, names.n);
        for (size_t i = 0; i < names.n; i++)
            ptx__add_pending(p, &where.at[i], names.at[i], &list->label[i], 0);
        struct ptx_bind b = {.kind = PTX_BIND_TARGETS, .list = list};
        ok = ptx__bind(p, at, s, &b);
    }
    WF_VEC_FINI(&names);
    WF_VEC_FINI(&where);
    return ok && ptx__expect(p, ';', ".branchtargets");
}

static bool call_targets(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s)
{
    WF_VEC(const struct ptx_func *) funcs = {0};
    bool ok = true;
    ptx_lex_next(&p->lx);
    do {
        const struct ptx_token t = p->lx.tok;
        struct ptx_sym *f = ptx__at(p, PTX_TOK_NAME) ? ptx__sym(p) : NULL;
        if (f == NULL || f->func == NULL) {
            ok = ptx_lex_fail(&p->lx, &t, ".calltargets takes the names of declared functions");
            break;
        }
        WF_PUSH(&funcs, f->func);
    } while (ptx__accept(p, ','));
    if (ok) {
        struct ptx_target_list *list = WF_NEW(p->arena, struct ptx_target_list);
        list->n = (uint32_t)funcs.n;
        list->callee = WF_NEW_N(p->arena, const struct ptx_func *, funcs.n);
        memcpy(list->callee, funcs.at, funcs.n * sizeof *funcs.at);
        struct ptx_bind b = {.kind = PTX_BIND_CALLEES, .list = list};
        ok = ptx__bind(p, at, s, &b);
    }
    WF_VEC_FINI(&funcs);
    return ok && ptx__expect(p, ';', ".calltargets");
}

// .callprototype (ret) _ (params) directives; the names mean nothing.
bool ptx__proto(struct ptx_parser *p, struct ptx_proto *out)
{
    ptx_lex_next(&p->lx);
    if (ptx__accept(p, '(') && !ptx__params(p, &out->ret, &out->n_ret, false))
        return false;
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "a prototype has the name '_'");
    ptx_lex_next(&p->lx);
    if (ptx__accept(p, '(') && !ptx__params(p, &out->param, &out->n_param, false))
        return false;
    while (ptx__at(p, PTX_TOK_WORD)) {
        bool is_known;
        struct ptx_func f = {.sig = *out};
        if (!head_directive(p, &f, &is_known))
            return false;
        *out = f.sig;
    }
    return ptx__expect(p, ';', ".callprototype");
}

static bool call_prototype(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s)
{
    struct ptx_proto *proto = WF_NEW(p->arena, struct ptx_proto);
    struct ptx_bind b = {.kind = PTX_BIND_PROTO, .proto = proto};
    return ptx__proto(p, proto) && ptx__bind(p, at, s, &b);
}

// NAME just taken, ':' is next.
static bool label(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s)
{
    ptx_lex_next(&p->lx);
    if (ptx__at_word(p, "branchtargets"))
        return branch_targets(p, at, s);
    if (ptx__at_word(p, "calltargets"))
        return call_targets(p, at, s);
    if (ptx__at_word(p, "callprototype"))
        return call_prototype(p, at, s);
    return ptx__bind_label(p, at, s);
}

static bool body_directive(struct ptx_parser *p)
{
    static const struct ptx_var plain = {0};
    enum ptx_space space;
    if (ptx__at_word(p, "loc"))
        return ptx__loc(p);
    if (ptx__space_word(p, &space))
        return ptx__variables(p, &plain);
    if (ptx__at_word(p, "pragma"))
        return ptx__pragma(p);
    if (ptx__at_word(p, "file"))
        return ptx__file(p);
    if (ptx__at_word(p, "section"))
        return ptx__section(p);
    return PTX_FAIL(p, "'.%.*s' is not a directive of a function body", (int)p->lx.tok.n,
                    p->lx.tok.at);
}

static bool at_label(const struct ptx_parser *p)
{
    const char *q = p->lx.pos;
    while (*q == ' ' || *q == '\t')
        q++;
    return *q == ':' && q[1] != ':';
}

// Statements up to the '}' that closes the body.
static bool body(struct ptx_parser *p)
{
    uint32_t base = p->depth;
    for (;;) {
        switch (p->lx.tok.kind) {
        case PTX_TOK_NAME:
            if (at_label(p)) {
                const struct ptx_token t = p->lx.tok;
                struct ptx_sym *s = ptx__sym(p);
                if (!label(p, &t, s))
                    return false;
            } else if (!ptx__insn(p)) {
                return false;
            }
            break;
        case '@':
            if (!ptx__insn(p))
                return false;
            break;
        case PTX_TOK_WORD:
            if (!body_directive(p))
                return false;
            break;
        case '{':
            if (!ptx__push_scope(p))
                return false;
            ptx_lex_next(&p->lx);
            break;
        case '}':
            if (p->depth == base)
                return true;
            if (!ptx__pop_scope(p))
                return false;
            ptx_lex_next(&p->lx);
            break;
        case ';':
            ptx_lex_next(&p->lx);
            break;
        case PTX_TOK_END:
            return PTX_FAIL(p, "the text ends inside function '%s'", p->func->name);
        default: {
            char buf[64];
            return PTX_FAIL(p, "an instruction is expected here, not %s",
                            ptx__describe(&p->lx.tok, buf));
        }
        }
    }
}

#define KEEP(p, T, list, to, count)                                                                \
    do {                                                                                           \
        (count) = (uint32_t)(list).n;                                                              \
        (to) = WF_NEW_N((p)->arena, T, (list).n);                                                  \
        if ((list).n > 0)                                                                          \
            memcpy((to), (list).at, (list).n * sizeof *(list).at);                                 \
    } while (0)

static void begin_func(struct ptx_parser *p, struct ptx_func *f)
{
    p->func = f;
    p->insns.n = p->regs.n = p->locals.n = p->labels.n = p->stack.n = p->pragmas.n = 0;
    p->loc = 0;
    p->loc_begin = (uint32_t)p->locs.n;
}

static void end_func(struct ptx_parser *p)
{
    struct ptx_func *f = p->func;
    KEEP(p, struct ptx_insn, p->insns, f->insns, f->n_insns);
    KEEP(p, const struct ptx_var *, p->regs, f->regs, f->n_regs);
    KEEP(p, const struct ptx_var *, p->locals, f->vars, f->n_vars);
    KEEP(p, struct ptx_label *, p->labels, f->labels, f->n_labels);
    f->loc_begin = p->loc_begin;
    f->loc_end = (uint32_t)p->locs.n;
    p->func = NULL;
}

// (ret) name (params), then directives. The scope of the parameters is open afterwards.
static bool head(struct ptx_parser *p, struct ptx_func *f, struct ptx_token *at, struct ptx_sym **s)
{
    bool is_managed;
    while (ptx__at_word(p, "attribute")) {
        if (!ptx__unified(p, &is_managed, &f->unified))
            return false;
    }
    if (!f->is_entry && ptx__accept(p, '(') && !ptx__params(p, &f->sig.ret, &f->sig.n_ret, true))
        return false;
    *at = p->lx.tok;
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "the name of a function is expected here");
    *s = ptx__sym(p);
    f->name = (*s)->name;
    f->line = at->line;
    if (ptx__accept(p, '(') && !ptx__params(p, &f->sig.param, &f->sig.n_param, true))
        return false;
    while (ptx__at(p, PTX_TOK_WORD)) {
        bool is_known;
        if (!head_directive(p, f, &is_known))
            return false;
    }
    if (f->maxntid[0] != 0 && f->reqntid[0] != 0)
        return ptx_lex_fail(&p->lx, at, "'%s' has both .maxntid and .reqntid", f->name);
    KEEP(p, const char *, p->pragmas, f->pragmas, f->n_pragmas);
    p->pragmas.n = 0;
    return true;
}

static bool same_shape(const struct ptx_var *const *a, const struct ptx_var *const *b, uint16_t n)
{
    for (uint16_t i = 0; i < n; i++) {
        if (a[i]->space != b[i]->space || a[i]->bytes != b[i]->bytes)
            return false;
    }
    return true;
}

// The function as known by its name: the earlier declaration is completed, never replaced.
static bool declare_func(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
                         struct ptx_func **io)
{
    struct ptx_func *f = *io, *old = s->func;
    if (s->bind != NULL && s->bind->depth == 0)
        return ptx_lex_fail(&p->lx, at, "'%s' is already a variable", s->name);
    if (old == NULL) {
        s->func = f;
        WF_PUSH(&p->funcs, f);
        return true;
    }
    if (f->has_body && (old->has_body || old->alias_of != NULL))
        return ptx_lex_fail(&p->lx, at, "function '%s' is defined twice, first in line %u", s->name,
                            old->line);
    if (old->is_entry != f->is_entry || old->sig.n_ret != f->sig.n_ret ||
        old->sig.n_param != f->sig.n_param || !same_shape(old->sig.ret, f->sig.ret, f->sig.n_ret) ||
        !same_shape(old->sig.param, f->sig.param, f->sig.n_param))
        return ptx_lex_fail(&p->lx, at, "'%s' was declared differently in line %u", s->name,
                            old->line);
    if (!old->has_body && f->has_body) {
        bool is_visible = old->is_visible || f->is_visible, is_weak = old->is_weak || f->is_weak;
        *old = *f;
        old->is_visible = is_visible;
        old->is_weak = is_weak;
    }
    *io = old;
    return true;
}

bool ptx__entry_or_func(struct ptx_parser *p, const struct ptx_var *linkage)
{
    struct ptx_func *f = WF_NEW(p->arena, struct ptx_func);
    struct ptx_token at;
    struct ptx_sym *s = NULL;
    f->is_entry = ptx__at_word(p, "entry");
    f->is_visible = linkage->is_visible;
    f->is_weak = linkage->is_weak;
    f->is_extern = linkage->is_extern;
    ptx_lex_next(&p->lx);
    begin_func(p, f);
    if (!ptx__push_scope(p) || !head(p, f, &at, &s))
        return false;
    f->has_body = ptx__at(p, '{');
    if (!declare_func(p, &at, s, &f))
        return false;
    if (!ptx__at(p, '{')) {
        bool ok = ptx__pop_scope(p);
        p->func = NULL;
        ptx__accept(p, ';');
        return ok;
    }
    if (f->is_extern)
        return PTX_FAIL(p, "'%s' is .extern and cannot have a body here", f->name);
    p->func = f;
    ptx_lex_next(&p->lx);
    if (!body(p) || !ptx__pop_scope(p))
        return false;
    end_func(p);
    ptx_lex_next(&p->lx); // the '}' of the body
    return p->lx.failed == WF_OK;
}

// .alias name, function;
bool ptx__alias(struct ptx_parser *p)
{
    ptx_lex_next(&p->lx);
    const struct ptx_token at = p->lx.tok;
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, ".alias takes the names of two functions");
    struct ptx_sym *name = ptx__sym(p);
    if (!ptx__expect(p, ',', "the new name"))
        return false;
    const struct ptx_token of_at = p->lx.tok;
    struct ptx_sym *of = ptx__at(p, PTX_TOK_NAME) ? ptx__sym(p) : NULL;
    if (name->func == NULL || name->func->has_body || name->func->alias_of != NULL)
        return ptx_lex_fail(&p->lx, &at, "'%s' must be declared as a function without a body",
                            name->name);
    if (of == NULL || of->func == NULL || !of->func->has_body || of->func->is_entry)
        return ptx_lex_fail(&p->lx, &of_at, "an alias stands for a function with a body");
    name->func->alias_of = of->func;
    return ptx__expect(p, ';', ".alias");
}

// SPDX-License-Identifier: Apache-2.0
// Module level: header directives, variables, functions, and the end of a parse, where names that
// were used ahead of their declaration find it.
#include "ptx/parse.h"

#include <stdio.h>  // snprintf
#include <string.h> // memcpy

#include "ptx/parser.h"

bool ptx__at(const struct ptx_parser *p, int kind)
{
    return p->lx.tok.kind == kind;
}

bool ptx__accept(struct ptx_parser *p, int kind)
{
    if (p->lx.tok.kind != kind)
        return false;
    ptx_lex_next(&p->lx);
    return true;
}

const char *ptx__describe(const struct ptx_token *t, char buf[64])
{
    if (t->kind == PTX_TOK_END)
        snprintf(buf, 64, "the end of the text");
    else if (t->kind == PTX_TOK_STRING)
        snprintf(buf, 64, "a string");
    else
        snprintf(buf, 64, "'%s%.*s%s'", t->kind == PTX_TOK_WORD ? "." : "",
                 t->n > 48 ? 45 : (int)t->n, t->at, t->n > 48 ? "..." : "");
    return buf;
}

bool ptx__expect(struct ptx_parser *p, int kind, const char *after)
{
    char buf[64];
    if (ptx__accept(p, kind))
        return p->lx.failed == WF_OK;
    return PTX_FAIL(p, "'%c' is expected behind %s, not %s", kind, after,
                    ptx__describe(&p->lx.tok, buf));
}

bool ptx__at_word(const struct ptx_parser *p, const char *word)
{
    return p->lx.tok.kind == PTX_TOK_WORD && ptx_tok_is(&p->lx.tok, word);
}

// 9.0 -> 90, from the text: no float is meant.
static bool version(struct ptx_parser *p)
{
    ptx_lex_next(&p->lx);
    const struct ptx_token t = p->lx.tok;
    unsigned major, minor;
    char buf[16];
    snprintf(buf, sizeof buf, "%.*s", (int)t.n, t.at);
    if (t.kind != PTX_TOK_FLOAT || sscanf(buf, "%2u.%1u", &major, &minor) != 2)
        return PTX_FAIL(p, ".version takes a number such as 9.0");
    if (p->module->version != 0)
        return PTX_FAIL(p, "a second .version");
    p->module->version = major * 10 + minor;
    if (p->module->version == 0)
        return PTX_FAIL(p, "there is no PTX version 0.0");
    ptx_lex_next(&p->lx);
    return true;
}

static bool target_name(struct ptx_parser *p)
{
    struct ptx_module *m = p->module;
    const struct ptx_token t = p->lx.tok;
    unsigned sm = 0;
    uint32_t i = 3;
    if (t.kind == PTX_TOK_NAME && t.n >= 5 && t.n <= 7 && memcmp(t.at, "sm_", 3) == 0 && t.at[3] != '0') {
        while (i < t.n && t.at[i] >= '0' && t.at[i] <= '9')
            sm = sm * 10 + (unsigned)(t.at[i++] - '0');
        char suffix = i + 1 == t.n && (t.at[i] == 'a' || t.at[i] == 'f') ? t.at[i] : 0;
        if (sm != 0 && i + (suffix != 0) == t.n) {
            m->sm = sm;
            m->sm_suffix = suffix;
            return true;
        }
    }
    if (ptx_tok_is(&t, "debug"))
        m->is_debug = true;
    else if (ptx_tok_is(&t, "texmode_independent"))
        m->is_texmode_independent = true;
    else if (ptx_tok_is(&t, "map_f64_to_f32"))
        m->is_f64_as_f32 = true;
    else if (!ptx_tok_is(&t, "texmode_unified"))
        return PTX_FAIL(p, "'%.*s' is no target (sm_90, sm_90a, debug, ...)", (int)t.n, t.at);
    return true;
}

static bool target(struct ptx_parser *p)
{
    ptx_lex_next(&p->lx);
    do {
        if (!ptx__at(p, PTX_TOK_NAME))
            return PTX_FAIL(p, ".target takes a name such as sm_90");
        if (!target_name(p))
            return false;
        ptx_lex_next(&p->lx);
    } while (ptx__accept(p, ','));
    return true;
}

static bool address_size(struct ptx_parser *p)
{
    ptx_lex_next(&p->lx);
    if (!ptx__at(p, PTX_TOK_INT) || (p->lx.tok.bits != 32 && p->lx.tok.bits != 64))
        return PTX_FAIL(p, ".address_size takes 32 or 64");
    p->module->address_bits = (uint32_t)p->lx.tok.bits;
    ptx_lex_next(&p->lx);
    return true;
}

// .extern .visible .weak .common in front of a variable or function.
static bool linked(struct ptx_parser *p)
{
    struct ptx_var linkage = {0};
    for (;;) {
        if (ptx__at_word(p, "extern"))
            linkage.is_extern = true;
        else if (ptx__at_word(p, "visible"))
            linkage.is_visible = true;
        else if (ptx__at_word(p, "weak"))
            linkage.is_weak = true;
        else if (ptx__at_word(p, "common"))
            linkage.is_common = true;
        else
            break;
        ptx_lex_next(&p->lx);
    }
    if (linkage.is_extern + linkage.is_visible + linkage.is_weak + linkage.is_common > 1)
        return PTX_FAIL(p, "only one of .extern, .visible, .weak and .common may be given");
    if (!ptx__at_word(p, "entry") && !ptx__at_word(p, "func"))
        return ptx__variables(p, &linkage);
    if (linkage.is_common)
        return PTX_FAIL(p, ".common is for variables");
    return ptx__entry_or_func(p, &linkage);
}

static bool directive(struct ptx_parser *p)
{
    enum ptx_space space;
    if (ptx__at(p, PTX_TOK_WORD) && p->module->version == 0 && !ptx__at_word(p, "version"))
        return PTX_FAIL(p, "a PTX module begins with .version");
    if (ptx__at_word(p, "version"))
        return version(p);
    if (ptx__at_word(p, "target"))
        return target(p);
    if (ptx__at_word(p, "address_size"))
        return address_size(p);
    if (ptx__at_word(p, "file"))
        return ptx__file(p);
    if (ptx__at_word(p, "section"))
        return ptx__section(p);
    if (ptx__at_word(p, "loc"))
        return ptx__loc(p);
    if (ptx__at_word(p, "pragma"))
        return ptx__pragma(p);
    if (p->module->sm == 0)
        return PTX_FAIL(p, "a PTX module names its .target before anything is declared");
    if (ptx__at_word(p, "alias"))
        return ptx__alias(p);
    if (ptx__at_word(p, "extern") || ptx__at_word(p, "visible") || ptx__at_word(p, "weak") ||
        ptx__at_word(p, "common") || ptx__at_word(p, "entry") || ptx__at_word(p, "func") ||
        ptx__space_word(p, &space))
        return linked(p);
    return PTX_FAIL(p, "'.%.*s' is not a directive of a module", (int)p->lx.tok.n, p->lx.tok.at);
}

static bool module(struct ptx_parser *p)
{
    while (!ptx__at(p, PTX_TOK_END)) {
        char buf[64];
        if (ptx__accept(p, ';'))
            continue;
        if (!ptx__at(p, PTX_TOK_WORD))
            return PTX_FAIL(p, "a directive is expected here, not %s",
                            ptx__describe(&p->lx.tok, buf));
        if (!directive(p))
            return false;
    }
    if (p->lx.failed != WF_OK)
        return false;
    if (p->module->version == 0)
        return PTX_FAIL(p, "a PTX module begins with .version");
    if (p->module->sm == 0)
        return PTX_FAIL(p, "the module has no .target");
    return true;
}

#define KEEP(p, T, list, to, count)                                                                \
    do {                                                                                           \
        (count) = (uint32_t)(list).n;                                                              \
        (to) = WF_NEW_N((p)->arena, T, (list).n);                                                  \
        if ((list).n > 0)                                                                          \
            memcpy((to), (list).at, (list).n * sizeof *(list).at);                                 \
    } while (0)

// A .loc may name a file whose .file comes later or never.
static void cover_files(struct ptx_parser *p)
{
    uint32_t most = 0;
    for (size_t i = 0; i < p->locs.n; i++)
        most = p->locs.at[i].file > most ? p->locs.at[i].file : most;
    for (size_t i = 0; i < p->loc_sites.n; i++)
        most = p->loc_sites.at[i].at.file > most ? p->loc_sites.at[i].at.file : most;
    while (p->files.n <= most)
        WF_PUSH(&p->files, NULL);
}

static bool finish(struct ptx_parser *p)
{
    struct ptx_module *m = p->module;
    cover_files(p);
    KEEP(p, struct ptx_func *, p->funcs, m->funcs, m->n_funcs);
    KEEP(p, const struct ptx_var *, p->vars, m->vars, m->n_vars);
    KEEP(p, const char *, p->files, m->files, m->n_files);
    KEEP(p, struct ptx_loc, p->locs, m->locs, m->n_locs);
    return ptx__finish_fixups(p) && ptx__finish_debug(p);
}

static void release(struct ptx_parser *p)
{
    free(p->syms);
    free(p->opcodes);
    wf_map_fini(&p->range_regs);
    wf_map_fini(&p->last_loc);
    WF_VEC_FINI(&p->funcs);
    WF_VEC_FINI(&p->vars);
    WF_VEC_FINI(&p->files);
    WF_VEC_FINI(&p->locs);
    WF_VEC_FINI(&p->fixups);
    WF_VEC_FINI(&p->insns);
    WF_VEC_FINI(&p->regs);
    WF_VEC_FINI(&p->locals);
    WF_VEC_FINI(&p->labels);
    WF_VEC_FINI(&p->stack);
    WF_VEC_FINI(&p->pragmas);
    WF_VEC_FINI(&p->loc_names);
    WF_VEC_FINI(&p->loc_sites);
    WF_VEC_FINI(&p->str_labels);
    WF_VEC_FINI(&p->debug_str);
}

enum wf_status ptx_parse(struct wf_arena *arena, const char *name, const char *text, size_t n,
                         struct ptx_module **out, struct wf_err *err)
{
    struct wf_err unused;
    *out = NULL;
    if (n > INT32_MAX)
        return wf_err_at(err, WF_E_INPUT, name, 0, 0, "PTX of more than 2 GiB is not read");
    struct ptx_parser *p = wf_xcalloc(1, sizeof *p);
    p->arena = arena;
    p->table = ptx_table_new(arena);
    p->module = WF_NEW(arena, struct ptx_module);
    p->module->name = wf_arena_strdup(arena, name);
    p->module->text = wf_arena_strndup(arena, text, n);
    p->module->address_bits = 32;
    p->text_bytes = n;
    p->epoch = 1;
    WF_PUSH(&p->files, NULL);
    WF_PUSH(&p->locs, (struct ptx_loc){0});
    ptx_lex_init(&p->lx, p->module->name, p->module->text, err != NULL ? err : &unused);
    enum wf_status status = WF_OK;
    if (module(p) && finish(p))
        *out = p->module;
    else
        status = p->lx.failed != WF_OK ? p->lx.failed : WF_E_INTERNAL;
    release(p);
    free(p);
    return status;
}

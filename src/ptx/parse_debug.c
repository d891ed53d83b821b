// SPDX-License-Identifier: Apache-2.0
// .file, .loc and .section. Of the sections only the strings of .debug_str matter: they hold the
// names of inlined functions. The rest of DWARF is read over.
#include <string.h> // memcpy

#include "ptx/parser.h"

static bool position(struct ptx_parser *p, struct ptx_loc *l)
{
    return ptx__count(p, PTX_MAX_NUMBER, &l->file) && ptx__count(p, UINT32_MAX, &l->line) &&
           ptx__count(p, UINT32_MAX, &l->col);
}

static uint64_t key_of(const struct ptx_loc *l)
{
    return (uint64_t)l->file << 48 ^ (uint64_t)l->line << 16 ^ l->col;
}

// The newest .loc of this function with that position: it carries the rest of the inlining chain.
static uint32_t site_of(struct ptx_parser *p, const struct ptx_loc *at)
{
    uintptr_t i = (uintptr_t)wf_map_get(&p->last_loc, key_of(at));
    if (i == 0 || i - 1 < p->loc_begin)
        return 0;
    const struct ptx_loc *l = &p->locs.at[i - 1];
    return l->file == at->file && l->line == at->line && l->col == at->col ? (uint32_t)(i - 1) : 0;
}

// , function_name label{+n}, inlined_at file line col
static bool inlined(struct ptx_parser *p, uint32_t loc)
{
    struct ptx_loc_name name = {.loc = loc};
    struct ptx_loc_site site = {.loc = loc};
    ptx_lex_next(&p->lx);
    if (!ptx_tok_is(&p->lx.tok, "function_name"))
        return PTX_FAIL(p, "function_name is expected behind the position");
    ptx_lex_next(&p->lx);
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "function_name takes a label of .debug_str");
    name.label = ptx__sym(p);
    if (ptx__accept(p, '+')) {
        if (!ptx__integer(p, &name.offset))
            return false;
    }
    if (!ptx__expect(p, ',', "function_name"))
        return false;
    if (!ptx_tok_is(&p->lx.tok, "inlined_at"))
        return PTX_FAIL(p, "inlined_at is expected behind function_name");
    ptx_lex_next(&p->lx);
    if (!position(p, &site.at))
        return false;
    site.site = site_of(p, &site.at);
    WF_PUSH(&p->loc_names, name);
    WF_PUSH(&p->loc_sites, site);
    return true;
}

bool ptx__loc(struct ptx_parser *p)
{
    struct ptx_loc l = {0};
    ptx_lex_next(&p->lx);
    if (!position(p, &l))
        return false;
    uint32_t index = (uint32_t)p->locs.n;
    WF_PUSH(&p->locs, l);
    if (ptx__at(p, ',') && !inlined(p, index))
        return false;
    wf_map_put(&p->last_loc, key_of(&l), (void *)((uintptr_t)index + 1));
    p->loc = index;
    ptx__accept(p, ';');
    return true;
}

bool ptx__file(struct ptx_parser *p)
{
    uint32_t number;
    ptx_lex_next(&p->lx);
    if (!ptx__count(p, PTX_MAX_NUMBER, &number))
        return false;
    if (!ptx__at(p, PTX_TOK_STRING))
        return PTX_FAIL(p, ".file takes a number and a quoted name");
    while (p->files.n <= number)
        WF_PUSH(&p->files, NULL);
    p->files.at[number] = wf_arena_strndup(p->arena, p->lx.tok.at, p->lx.tok.n);
    ptx_lex_next(&p->lx);
    for (int i = 0; i < 2 && ptx__accept(p, ','); i++) { // time stamp, size
        uint64_t ignored;
        if (!ptx__integer(p, &ignored))
            return false;
    }
    ptx__accept(p, ';');
    return true;
}

// A label, a section or a difference of labels: .debug_abbrev, $L__tmp1+4, $L__tmp2-$L__tmp1.
static bool section_address(struct ptx_parser *p)
{
    ptx_lex_next(&p->lx);
    while (ptx__at(p, '+') || ptx__at(p, '-')) {
        ptx_lex_next(&p->lx);
        if (!ptx__at(p, PTX_TOK_INT) && !ptx__at(p, PTX_TOK_NAME))
            return PTX_FAIL(p, "a number or a label is expected here");
        ptx_lex_next(&p->lx);
    }
    return true;
}

static bool section_data(struct ptx_parser *p, bool is_str)
{
    enum ptx_type type;
    const struct ptx_token *t = &p->lx.tok;
    if (!ptx_table_type(p->table, t->at, t->n, &type) || ptx_type_kind(type) != 'B' ||
        ptx_type_bits(type) < 8 || ptx_type_bits(type) > 64)
        return PTX_FAIL(p, "a section holds .b8, .b16, .b32 and .b64 values");
    uint32_t bytes = ptx_type_bits(type) / 8;
    ptx_lex_next(&p->lx);
    do {
        uint64_t v = 0;
        if (ptx__at(p, PTX_TOK_NAME) || ptx__at(p, PTX_TOK_WORD)) {
            if (!section_address(p))
                return false;
        } else if (!ptx__integer(p, &v)) {
            return false;
        }
        for (uint32_t i = 0; is_str && i < bytes; i++)
            WF_PUSH(&p->debug_str, (char)(v >> 8 * i & 0xff));
    } while (ptx__accept(p, ','));
    ptx__accept(p, ';');
    return true;
}

bool ptx__section(struct ptx_parser *p)
{
    ptx_lex_next(&p->lx);
    if (!ptx__at(p, PTX_TOK_WORD) && !ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, ".section takes the name of a section");
    bool is_str = ptx_tok_is(&p->lx.tok, "debug_str");
    ptx_lex_next(&p->lx);
    ptx__accept(p, ',');
    if (!ptx__expect(p, '{', "the name of a section"))
        return false;
    while (!ptx__at(p, '}')) {
        if (ptx__at(p, PTX_TOK_NAME)) {
            struct ptx_str_label l = {ptx__sym(p), p->debug_str.n};
            if (!ptx__expect(p, ':', "a label"))
                return false;
            if (is_str)
                WF_PUSH(&p->str_labels, l);
        } else if (ptx__at(p, PTX_TOK_WORD)) {
            if (!section_data(p, is_str))
                return false;
        } else {
            return PTX_FAIL(p, "a section holds labels and values such as .b8 1,2");
        }
    }
    ptx_lex_next(&p->lx);
    return p->lx.failed == WF_OK;
}

// `text` holds all n bytes of .debug_str and a NUL.
static const char *debug_string(struct ptx_parser *p, const struct ptx_loc_name *name,
                                const struct wf_map *by_sym, const char *text, size_t n)
{
    uintptr_t i = (uintptr_t)wf_map_get(by_sym, (uintptr_t)name->label);
    if (i == 0 || name->offset >= n - p->str_labels.at[i - 1].at)
        return name->label->name; // stripped of its strings: the label is better than nothing
    return text + p->str_labels.at[i - 1].at + name->offset;
}

// Function names and call sites, once all strings and all .loc lines are there.
bool ptx__finish_debug(struct ptx_parser *p)
{
    struct ptx_module *m = p->module;
    struct wf_map by_sym = {0};
    size_t n = p->debug_str.n;
    char *text = WF_NEW_N(p->arena, char, n + 1);
    if (n > 0)
        memcpy(text, p->debug_str.at, n);
    for (size_t i = 0; i < p->str_labels.n; i++)
        wf_map_put(&by_sym, (uintptr_t)p->str_labels.at[i].sym, (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < p->loc_names.n; i++) {
        const struct ptx_loc_name *name = &p->loc_names.at[i];
        m->locs[name->loc].function = debug_string(p, name, &by_sym, text, n);
    }
    wf_map_fini(&by_sym);
    for (size_t i = 0; i < p->loc_sites.n; i++) {
        const struct ptx_loc_site *s = &p->loc_sites.at[i];
        struct ptx_loc *site = &m->locs[s->site];
        if (s->site == 0) {
            site = WF_NEW(p->arena, struct ptx_loc);
            *site = s->at;
        }
        m->locs[s->loc].inlined_at = site;
    }
    return true;
}

// SPDX-License-Identifier: Apache-2.0
// Legality by table: which row of form.def a spelling fits. Modifiers are matched as a set; when no
// row fits, the row with the fewest faults gives the message.
#include "ptx/check.h"

#include <stdio.h>  // snprintf
#include <string.h> // memcmp

#include "ptx/form.h"
#include "ptx/parser.h"

static const struct ptx_form forms[] = {
#define PTX_FORM(op, mods, types, operands, ptx, sm) {PTX_O_##op, mods, types, operands, ptx, sm},
#include "ptx/form.def"
#undef PTX_FORM
};
enum { N_FORMS = sizeof forms / sizeof *forms, MAX_GROUPS = 32 };

struct group { // a|b? of a pattern
    const char *at;
    uint32_t n; // without the '?'
    bool is_optional, is_taken;
};

// What is wrong with one row.
struct fault {
    unsigned score;     // 0: it fits
    int word;           // index of a modifier that does not belong, -1
    int slot;           // index of a type that does not belong, -1
    struct group group; // required and absent, at NULL when there is none
    const struct ptx_form *form;
};

static uint32_t split(const char *pattern, struct group *g)
{
    uint32_t n = 0;
    while (*pattern != 0) {
        uint32_t len = (uint32_t)strcspn(pattern, " ");
        if (len > 0 && n < MAX_GROUPS) {
            bool is_optional = pattern[len - 1] == '?';
            g[n++] = (struct group){pattern, len - is_optional, is_optional, false};
        }
        pattern += len;
        while (*pattern == ' ')
            pattern++;
    }
    return n;
}

static bool has_word(const struct group *g, const char *word)
{
    size_t len = strlen(word);
    if (g->at[0] == '@') // every word that begins so
        return strncmp(word, g->at + 1, g->n - 1) == 0;
    for (const char *s = g->at, *end = g->at + g->n; s < end;) {
        const char *bar = memchr(s, '|', (size_t)(end - s));
        size_t n = (size_t)((bar == NULL ? end : bar) - s);
        if (n == len && memcmp(s, word, n) == 0)
            return true;
        s += n + 1;
    }
    return false;
}

static void match_mods(const struct ptx_opcode *o, struct fault *f)
{
    struct group g[MAX_GROUPS];
    uint32_t n = split(f->form->mods, g);
    for (int i = 0; i < o->m.n_words; i++) {
        if (o->m.words[i] >= PTX_WORD_TYPE)
            continue;
        const char *word = ptx_mod_name((enum ptx_mod)o->m.words[i]);
        uint32_t k = 0;
        while (k < n && (g[k].is_taken || !has_word(&g[k], word)))
            k++;
        if (k < n) {
            g[k].is_taken = true;
            continue;
        }
        f->score += 10;
        if (f->word < 0)
            f->word = i;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (g[k].is_taken || g[k].is_optional)
            continue;
        f->score += 10;
        if (f->group.at == NULL)
            f->group = g[k];
    }
}

static void match_types(const struct ptx_opcode *o, struct fault *f)
{
    struct group g[MAX_GROUPS];
    uint32_t n = split(f->form->types, g), k = 0;
    for (; k < n && k < o->m.n_types; k++) {
        if (has_word(&g[k], ptx_type_name((enum ptx_type)o->m.type[k])))
            continue;
        f->score += 11;
        if (f->slot < 0)
            f->slot = (int)k;
    }
    if (k < o->m.n_types || (k < n && !g[k].is_optional)) {
        f->score += 11;
        if (f->slot < 0)
            f->slot = (int)k;
    }
}

static bool fits_version(const struct ptx_parser *p, const struct ptx_form *f)
{
    const struct ptx_module *m = p->module;
    if (m->version < f->ptx || m->sm < f->sm % 1000)
        return false;
    if (f->sm >= 2000) // shuffles and votes without .sync
        return m->sm < 70 || m->version < 64;
    return f->sm < 1000 || m->sm_suffix != 0;
}

static bool fail_version(struct ptx_parser *p, const struct ptx_token *at,
                         const struct ptx_opcode *o, const struct ptx_form *f)
{
    const struct ptx_module *m = p->module;
    if (m->version < f->ptx)
        return ptx_lex_fail(&p->lx, at, "'%s' needs PTX %u.%u, the module is PTX %u.%u", o->text,
                            f->ptx / 10, f->ptx % 10, m->version / 10, m->version % 10);
    if (f->sm >= 2000)
        return ptx_lex_fail(&p->lx, at, "'%s' without .sync ended with sm_70: write '%s.sync'",
                            o->text, ptx_op_name(o->op));
    char suffix[2] = {m->sm_suffix, 0};
    return ptx_lex_fail(&p->lx, at, "'%s' needs sm_%u%s, the target is sm_%u%s", o->text,
                        f->sm % 1000, f->sm >= 1000 ? "a" : " or newer", m->sm, suffix);
}

// Words that came later than the instructions they stand at.
static bool check_words(struct ptx_parser *p, const struct ptx_token *at,
                        const struct ptx_opcode *o)
{
    static const struct {
        enum ptx_mod word;
        uint32_t ptx, sm;
    } row[] = {{PTX_M_SHARED_CTA, 78, 0}, {PTX_M_SHARED_CLUSTER, 78, 90},
               {PTX_M_CLUSTER, 78, 90},   {PTX_M_PARAM_ENTRY, 83, 0},
               {PTX_M_PARAM_FUNC, 83, 0}, {PTX_M_L2_CACHE_HINT, 74, 80}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (!ptx_has(&o->m, row[i].word) || (o->op == PTX_O_CP && row[i].ptx == 78))
            continue;
        const char *word = ptx_mod_name(row[i].word);
        if (p->module->version < row[i].ptx)
            return ptx_lex_fail(&p->lx, at, "'.%s' needs PTX %u.%u, the module is PTX %u.%u", word,
                                row[i].ptx / 10, row[i].ptx % 10, p->module->version / 10,
                                p->module->version % 10);
        if (p->module->sm < row[i].sm)
            return ptx_lex_fail(&p->lx, at, "'.%s' needs sm_%u or newer, the target is sm_%u", word,
                                row[i].sm, p->module->sm);
    }
    return true;
}

// "a|b|c" as ".a, .b or .c", cut when it is long.
static const char *choices(const struct group *g, char *buf, size_t size)
{
    size_t used = 0;
    unsigned count = 0;
    for (const char *s = g->at, *end = g->at + g->n; s < end;) {
        const char *bar = memchr(s, '|', (size_t)(end - s));
        size_t n = (size_t)((bar == NULL ? end : bar) - s);
        if (++count > 12 || used + n + 8 > size) {
            snprintf(buf + used, size - used, ", ...");
            break;
        }
        int k = snprintf(buf + used, size - used, "%s.%.*s",
                         count == 1    ? ""
                         : bar == NULL ? " or "
                                       : ", ",
                         (int)n, s);
        used += (size_t)k;
        s += n + 1;
    }
    return buf;
}

static bool fail_form(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_opcode *o,
                      const struct fault *f)
{
    char buf[200];
    if (f->word >= 0)
        return ptx_lex_fail(&p->lx, at, "'.%s' does not go with the rest of '%s'",
                            ptx_mod_name((enum ptx_mod)o->m.words[f->word]), o->text);
    if (f->group.at != NULL && f->group.at[0] == '@')
        return ptx_lex_fail(&p->lx, at, "'%s' needs a shape such as .m64n8k16", o->text);
    if (f->group.at != NULL)
        return ptx_lex_fail(&p->lx, at, "'%s' needs %s", o->text,
                            choices(&f->group, buf, sizeof buf));
    struct group g[MAX_GROUPS];
    uint32_t n = split(f->form->types, g);
    if (f->slot >= (int)n)
        return n == 0
                   ? ptx_lex_fail(&p->lx, at, "'%s' takes no type", o->text)
                   : ptx_lex_fail(&p->lx, at, "'%s' takes %u type%s", o->text, n, n > 1 ? "s" : "");
    choices(&g[f->slot], buf, sizeof buf);
    if (f->slot >= o->m.n_types)
        return ptx_lex_fail(&p->lx, at, "'%s' lacks a type: %s", o->text, buf);
    return ptx_lex_fail(&p->lx, at, "'%s' does not take .%s here, but %s", o->text,
                        ptx_type_name((enum ptx_type)o->m.type[f->slot]), buf);
}

// Vectors of more than 128 bits came with sm_100, for .v8.b32 and .v4.b64 in .global.
static bool check_vector(struct ptx_parser *p, const struct ptx_token *at,
                         const struct ptx_opcode *o)
{
    if (o->op != PTX_O_LD && o->op != PTX_O_ST && o->op != PTX_O_LDU && o->op != PTX_O_MOV)
        return true;
    uint32_t bits = o->m.vec * ptx_type_bits((enum ptx_type)o->m.type[0]);
    if (bits <= 128 || o->m.vec < 2 ||
        (bits == 256 && o->op != PTX_O_LDU && o->op != PTX_O_MOV && p->module->sm >= 100))
        return true;
    return ptx_lex_fail(&p->lx, at, "'%s': the vector has %u bits, 128 are the most%s", o->text,
                        bits, bits == 256 ? " before sm_100" : "");
}

// Cache hints and prefetch sizes speak of L2: global memory only.
static bool check_cache(struct ptx_parser *p, const struct ptx_token *at,
                        const struct ptx_opcode *o)
{
    static const enum ptx_mod global_only[] = {
        PTX_M_L2_CACHE_HINT,  PTX_M_L2_64B,         PTX_M_L2_128B,      PTX_M_L2_256B,
        PTX_M_L1_NO_ALLOCATE, PTX_M_L1_EVICT_FIRST, PTX_M_L1_EVICT_LAST};
    if (o->op != PTX_O_LD && o->op != PTX_O_ST && o->op != PTX_O_ATOM && o->op != PTX_O_RED)
        return true;
    if (o->m.space == PTX_SP_GENERIC || o->m.space == PTX_SP_GLOBAL)
        return true;
    for (size_t i = 0; i < sizeof global_only / sizeof *global_only; i++) {
        if (ptx_has(&o->m, global_only[i]))
            return ptx_lex_fail(&p->lx, at, "'.%s' is for global memory",
                                ptx_mod_name(global_only[i]));
    }
    return true;
}

bool ptx__check_opcode(struct ptx_parser *p, const struct ptx_token *at, struct ptx_opcode *o)
{
    struct fault best = {.score = UINT32_MAX, .word = -1, .slot = -1};
    const struct ptx_form *fit[N_FORMS], *too_new = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_FORMS; i++) {
        if (forms[i].op != o->op)
            continue;
        struct fault f = {.word = -1, .slot = -1, .form = &forms[i]};
        match_mods(o, &f);
        match_types(o, &f);
        if (f.score == 0 && fits_version(p, &forms[i]))
            fit[n++] = &forms[i];
        else if (f.score == 0 && too_new == NULL)
            too_new = &forms[i];
        if (f.score < best.score)
            best = f;
    }
    if (n == 0 && too_new != NULL)
        return fail_version(p, at, o, too_new);
    if (n == 0)
        return fail_form(p, at, o, &best);
    if (!check_vector(p, at, o) || !check_cache(p, at, o) || !check_words(p, at, o))
        return false;
    struct ptx_use *use = WF_NEW_N(p->arena, struct ptx_use, n);
    for (uint32_t i = 0; i < n; i++)
        ptx__compile_form(&use[i], fit[i], o);
    o->use = use;
    o->n_uses = n;
    return true;
}

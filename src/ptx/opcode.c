// SPDX-License-Identifier: Apache-2.0
// Mnemonic with modifiers. A spelling is worked out and checked once and then remembered: a module
// has few different ones.
#include <string.h> // memcpy

#include "ptx/check.h" // ptx__check_opcode
#include "ptx/parser.h"

static uint32_t hash_text(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static void grow_opcodes(struct ptx_parser *p)
{
    uint32_t cap = p->cap_opcodes == 0 ? 256 : 2 * p->cap_opcodes;
    struct ptx_opcode **table = wf_xcalloc(cap, sizeof *table);
    for (uint32_t i = 0; i < p->cap_opcodes; i++) {
        if (p->opcodes[i] == NULL)
            continue;
        uint32_t at = p->opcodes[i]->hash & (cap - 1);
        while (table[at] != NULL)
            at = (at + 1) & (cap - 1);
        table[at] = p->opcodes[i];
    }
    free(p->opcodes);
    p->opcodes = table;
    p->cap_opcodes = cap;
}

// An unknown word: with the nearest known one.
static bool unknown(struct ptx_parser *p, const struct ptx_token *at, uint32_t skip,
                    const char *what, const char *s, uint32_t n, const char *near)
{
    struct ptx_token t = *at;
    t.pos += skip;
    ptx_lex_fail(&p->lx, &t, "'%s%.*s' is no %s of PTX", what[0] == 'm' ? "." : "", (int)n, s,
                 what);
    if (near != NULL)
        wf_err_hint(p->lx.err, "did you mean '%s%s'?", what[0] == 'm' ? "." : "", near);
    return false;
}

// Before PTX 3.0 mad of floats needed no rounding; such texts mean .rn (PTX ISA, "mad").
static bool is_old_mad(const struct ptx_parser *p, const struct ptx_opcode *o)
{
    bool is_float = o->m.n_types == 1 && (o->m.type[0] == PTX_T_F32 || o->m.type[0] == PTX_T_F64);
    return o->op == PTX_O_MAD && is_float && !o->m.rnd && p->module->version < 30;
}

static bool split_opcode(struct ptx_parser *p, const struct ptx_token *at, struct ptx_opcode *o)
{
    uint16_t words[UINT8_MAX];
    const char *s = o->text, *end = o->text + o->n;
    const char *dot = memchr(s, '.', o->n);
    uint32_t n = (uint32_t)((dot == NULL ? end : dot) - s);
    if (!ptx_table_op(p->table, s, n, &o->op))
        return unknown(p, at, 0, "instruction", s, n, ptx_table_near_op(s, n));
    while (dot != NULL) {
        s = dot + 1;
        dot = memchr(s, '.', (size_t)(end - s));
        n = (uint32_t)((dot == NULL ? end : dot) - s);
        int word = ptx_table_word(p->table, s, n);
        if (word < 0)
            return unknown(p, at, (uint32_t)(s - 1 - o->text), "modifier", s, n,
                           ptx_table_near_word(s, n));
        if (o->m.n_words == sizeof words / sizeof *words || !ptx_mods_add(&o->m, word))
            return ptx_lex_fail(&p->lx, at, "'%s' has too many types or modifiers",
                                ptx_op_name(o->op));
        words[o->m.n_words++] = (uint16_t)word;
    }
    if (is_old_mad(p, o) && ptx_mods_add(&o->m, PTX_M_RN))
        words[o->m.n_words++] = PTX_M_RN;
    uint16_t *kept = WF_NEW_N(p->arena, uint16_t, o->m.n_words);
    memcpy(kept, words, o->m.n_words * sizeof *words);
    o->m.words = kept;
    if ((o->op == PTX_O_SETP || o->op == PTX_O_SET) && o->m.cmp == 0) // .lo and .hi compare here
        o->m.cmp = ptx_has(&o->m, PTX_M_LO)   ? PTX_M_LO + 1
                   : ptx_has(&o->m, PTX_M_HI) ? PTX_M_HI + 1
                                              : 0;
    return ptx__check_opcode(p, at, o);
}

static struct ptx_opcode *find_opcode(struct ptx_parser *p, const struct ptx_token *at,
                                      const char *s, uint32_t n)
{
    if (2 * (p->n_opcodes + 1) > p->cap_opcodes)
        grow_opcodes(p);
    uint32_t h = hash_text(s, n), i = h & (p->cap_opcodes - 1);
    for (; p->opcodes[i] != NULL; i = (i + 1) & (p->cap_opcodes - 1)) {
        struct ptx_opcode *o = p->opcodes[i];
        if (o->hash == h && o->n == n && memcmp(o->text, s, n) == 0)
            return o;
    }
    struct ptx_opcode *o = WF_NEW(p->arena, struct ptx_opcode);
    o->text = wf_arena_strndup(p->arena, s, n);
    o->n = n;
    o->hash = h;
    if (!split_opcode(p, at, o))
        return NULL;
    p->opcodes[i] = o;
    p->n_opcodes++;
    return o;
}

// The NAME token and the words behind it, blanks between them or not.
struct ptx_opcode *ptx__opcode(struct ptx_parser *p, struct ptx_token *at)
{
    char buf[512];
    *at = p->lx.tok;
    uint32_t n = ptx_lex_opcode(&p->lx);
    ptx_lex_next(&p->lx);
    if (!ptx__at(p, PTX_TOK_WORD))
        return p->lx.failed != WF_OK ? NULL : find_opcode(p, at, at->pos, n);
    if (n >= sizeof buf) {
        ptx_lex_fail(&p->lx, at, "this mnemonic is too long");
        return NULL;
    }
    memcpy(buf, at->pos, n);
    while (ptx__at(p, PTX_TOK_WORD)) {
        uint32_t k = p->lx.tok.n;
        if (n + 1 + k > sizeof buf) {
            ptx_lex_fail(&p->lx, at, "this mnemonic is too long");
            return NULL;
        }
        buf[n++] = '.';
        memcpy(buf + n, p->lx.tok.at, k);
        n += k;
        ptx_lex_next(&p->lx);
    }
    return p->lx.failed != WF_OK ? NULL : find_opcode(p, at, buf, n);
}

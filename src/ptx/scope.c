// SPDX-License-Identifier: Apache-2.0
// Names: interning, the scopes of { } blocks, register ranges such as %r<36>, and labels that are
// used before they stand. A register of a range exists only once it is named, so that a huge range
// costs nothing.
#include <string.h> // memcmp

#include "ptx/parser.h"

static uint32_t hash_name(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static void grow(struct ptx_parser *p)
{
    uint32_t cap = p->cap_syms == 0 ? 1024 : 2 * p->cap_syms;
    struct ptx_sym **table = wf_xcalloc(cap, sizeof *table);
    for (uint32_t i = 0; i < p->cap_syms; i++) {
        struct ptx_sym *s = p->syms[i];
        if (s == NULL)
            continue;
        uint32_t at = s->hash & (cap - 1);
        while (table[at] != NULL)
            at = (at + 1) & (cap - 1);
        table[at] = s;
    }
    free(p->syms);
    p->syms = table;
    p->cap_syms = cap;
}

// %r12 -> %r and 12. No leading zero: %r01 is a name of its own.
static void split_number(struct ptx_parser *p, struct ptx_sym *s)
{
    uint32_t i = s->n;
    while (i > 0 && s->name[i - 1] >= '0' && s->name[i - 1] <= '9')
        i--;
    uint32_t digits = s->n - i;
    if (digits == 0 || digits > 9 || i == 0 || (s->name[i] == '0' && digits > 1))
        return;
    for (uint32_t k = i; k < s->n; k++)
        s->number = s->number * 10 + (uint32_t)(s->name[k] - '0');
    s->prefix = ptx__intern(p, s->name, i);
}

struct ptx_sym *ptx__intern(struct ptx_parser *p, const char *s, uint32_t n)
{
    if (2 * (p->n_syms + 1) > p->cap_syms)
        grow(p);
    uint32_t h = hash_name(s, n);
    uint32_t at = h & (p->cap_syms - 1);
    for (; p->syms[at] != NULL; at = (at + 1) & (p->cap_syms - 1)) {
        struct ptx_sym *e = p->syms[at];
        if (e->hash == h && e->n == n && memcmp(e->name, s, n) == 0)
            return e;
    }
    struct ptx_sym *e = WF_NEW(p->arena, struct ptx_sym);
    e->name = wf_arena_strndup(p->arena, s, n);
    e->n = n;
    e->hash = h;
    p->syms[at] = e;
    p->n_syms++;
    split_number(p, e);
    return e;
}

struct ptx_sym *ptx__sym(struct ptx_parser *p)
{
    struct ptx_sym *s = ptx__intern(p, p->lx.tok.at, p->lx.tok.n);
    ptx_lex_next(&p->lx);
    return s;
}

bool ptx__push_scope(struct ptx_parser *p)
{
    if (p->depth + 1 >= PTX_MAX_SCOPES)
        return PTX_FAIL(p, "blocks are nested more than %d deep", PTX_MAX_SCOPES - 1);
    p->scope[++p->depth] = (struct ptx_block){0};
    return true;
}

// Fills what waits for the name, if this scope declares it.
static bool settle(struct ptx_parser *p, struct ptx_pending *w)
{
    if (w->slot != NULL) {
        struct ptx_label_bind *l = w->sym->label;
        if (l == NULL || l->depth != p->depth)
            return false;
        *w->slot = l->label;
        return true;
    }
    struct ptx_bind *b = w->sym->bind;
    if (b == NULL || b->depth != p->depth || b->kind == PTX_BIND_VAR)
        return false;
    struct ptx_insn *in = &p->insns.at[w->insn];
    if (b->kind == PTX_BIND_PROTO) {
        in->proto = b->proto;
    } else {
        in->targets = b->list->label;
        in->callees = b->list->callee;
        in->n_targets = b->kind == PTX_BIND_TARGETS ? b->list->n : 0;
        in->n_callees = b->kind == PTX_BIND_CALLEES ? b->list->n : 0;
    }
    bool is_brx = in->op == PTX_O_BRX;
    if (is_brx != (b->kind == PTX_BIND_TARGETS))
        ptx_lex_fail(&p->lx, &w->at, "'%s' is %s, '%s' wants %s", w->sym->name,
                     is_brx ? "not a list of branch targets" : "a list of branch targets",
                     ptx_op_name(in->op),
                     is_brx ? ".branchtargets" : ".callprototype or .calltargets");
    return true;
}

static bool fail_pending(struct ptx_parser *p, const struct ptx_pending *w)
{
    return ptx_lex_fail(&p->lx, &w->at,
                        w->slot != NULL ? "no label '%s' in this block or around it"
                                        : "'%s' is not declared in this block or around it",
                        w->sym->name);
}

static bool settle_all(struct ptx_parser *p)
{
    struct ptx_block *s = &p->scope[p->depth];
    for (struct ptx_pending *w = s->pending, *next; w != NULL; w = next) {
        next = w->next;
        if (settle(p, w))
            continue;
        if (p->depth == 1)
            return fail_pending(p, w);
        w->next = p->scope[p->depth - 1].pending;
        p->scope[p->depth - 1].pending = w;
    }
    return p->lx.failed == WF_OK;
}

bool ptx__pop_scope(struct ptx_parser *p)
{
    bool ok = settle_all(p);
    struct ptx_block *s = &p->scope[p->depth--];
    if (s->binds != NULL || s->ranges != NULL)
        p->epoch++;
    for (struct ptx_bind *b = s->binds; b != NULL; b = b->next)
        b->sym->bind = b->outer;
    for (struct ptx_range *r = s->ranges; r != NULL; r = r->next)
        r->sym->range = r->outer;
    for (struct ptx_label_bind *l = s->labels; l != NULL; l = l->next)
        l->sym->label = l->outer;
    return ok;
}

bool ptx__bind(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
               const struct ptx_bind *b)
{
    const struct ptx_range *r = s->prefix != NULL ? s->prefix->range : NULL;
    if ((s->bind != NULL && s->bind->depth == p->depth) ||
        (r != NULL && r->depth == p->depth && s->number < r->count))
        return ptx_lex_fail(&p->lx, at, "'%s' is declared twice in this block", s->name);
    struct ptx_bind *e = WF_NEW(p->arena, struct ptx_bind);
    *e = *b;
    e->depth = p->depth;
    e->sym = s;
    e->outer = s->bind;
    e->next = p->scope[p->depth].binds;
    p->scope[p->depth].binds = e;
    s->bind = e;
    p->epoch++;
    return true;
}

bool ptx__bind_range(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
                     const struct ptx_var *like, uint64_t count)
{
    if (s->range != NULL && s->range->depth == p->depth)
        return ptx_lex_fail(&p->lx, at, "'%s' is declared twice in this block", s->name);
    struct ptx_range *e = WF_NEW(p->arena, struct ptx_range);
    e->depth = p->depth;
    e->serial = p->n_ranges++;
    e->count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    e->like = *like;
    e->sym = s;
    e->outer = s->range;
    e->next = p->scope[p->depth].ranges;
    p->scope[p->depth].ranges = e;
    s->range = e;
    p->epoch++;
    return true;
}

bool ptx__bind_label(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s)
{
    if (s->label != NULL && s->label->depth == p->depth)
        return ptx_lex_fail(&p->lx, at, "label '%s' stands twice in this block", s->name);
    struct ptx_label *l = WF_NEW(p->arena, struct ptx_label);
    l->name = s->name;
    l->id = (uint32_t)p->labels.n;
    l->index = (uint32_t)p->insns.n;
    l->line = at->line;
    WF_PUSH(&p->labels, l);
    struct ptx_label_bind *e = WF_NEW(p->arena, struct ptx_label_bind);
    e->depth = p->depth;
    e->label = l;
    e->sym = s;
    e->outer = s->label;
    e->next = p->scope[p->depth].labels;
    p->scope[p->depth].labels = e;
    s->label = e;
    return true;
}

void ptx__number_reg(struct ptx_parser *p, struct ptx_var *v)
{
    v->id = (uint32_t)p->regs.n;
    WF_PUSH(&p->regs, v);
}

// The register `number` of a range, made at its first use.
static const struct ptx_var *range_reg(struct ptx_parser *p, const struct ptx_range *r,
                                       const struct ptx_sym *s)
{
    uint64_t key = (uint64_t)r->serial << 32 | s->number;
    struct ptx_var *v = wf_map_get(&p->range_regs, key);
    if (v == NULL) {
        v = WF_NEW(p->arena, struct ptx_var);
        *v = r->like;
        v->name = s->name;
        ptx__number_reg(p, v);
        wf_map_put(&p->range_regs, key, v);
    }
    return v;
}

static const struct ptx_var *named_var(struct ptx_parser *p, struct ptx_var *v)
{
    if (v->space == PTX_SP_REG && v->id == PTX_NO_ID)
        ptx__number_reg(p, v);
    return v;
}

const struct ptx_var *ptx__find_var(struct ptx_parser *p, struct ptx_sym *s)
{
    if (s->cached_epoch == p->epoch)
        return s->cached;
    const struct ptx_bind *b = s->bind;
    const struct ptx_range *r = s->prefix != NULL ? s->prefix->range : NULL;
    while (r != NULL && s->number >= r->count)
        r = r->outer;
    const struct ptx_var *v = NULL;
    if (r != NULL && (b == NULL || b->depth < r->depth))
        v = range_reg(p, r, s);
    else if (b != NULL && b->kind == PTX_BIND_VAR)
        v = named_var(p, b->var);
    s->cached_epoch = p->epoch;
    s->cached = v;
    return v;
}

void ptx__add_pending(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
                      struct ptx_label **slot, uint32_t insn)
{
    struct ptx_pending *w = WF_NEW(p->arena, struct ptx_pending);
    *w = (struct ptx_pending){.sym = s, .at = *at, .slot = slot, .insn = insn};
    w->next = p->scope[p->depth].pending;
    p->scope[p->depth].pending = w;
}

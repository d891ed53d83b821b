// SPDX-License-Identifier: Apache-2.0
// Initialisers: numbers into bytes, names into addresses to be patched in (PTX ISA "Initializers").
// The bytes kept end behind the last one written; how far that may lie is bounded by the length of
// the text, so that a few characters cannot ask for gigabytes.
#include <string.h> // memcpy

#include "ptx/parser.h"

struct init {
    struct ptx_parser *p;
    struct ptx_var *v;
    uint64_t size[18]; // bytes of one thing at each level; [0] the variable, 0 when open
    uint32_t n_levels; // the last one is the element
    WF_VEC(uint8_t) bytes;
    WF_VEC(struct ptx_reloc) relocs;
    WF_VEC(struct ptx_fixup) fixups; // reloc = index + 1, as the list still moves
    uint64_t end;
};

static bool store(struct init *in, const struct ptx_token *at, uint64_t pos, const void *data,
                  uint32_t n)
{
    uint64_t limit = 16 * (uint64_t)in->p->text_bytes + 65536;
    if (pos + n > limit)
        return ptx_lex_fail(&in->p->lx, at, "an initialiser this far into '%s' is not supported",
                            in->v->name);
    if (pos + n > in->bytes.n) {
        WF_VEC_RESERVE(&in->bytes, pos + n);
        memset(in->bytes.at + in->bytes.n, 0, (size_t)(pos + n) - in->bytes.n);
        in->bytes.n = (size_t)(pos + n);
    }
    if (data != NULL)
        memcpy(in->bytes.at + pos, data, n);
    return true;
}

static bool store_value(struct init *in, const struct ptx_token *at, uint64_t pos,
                        const struct ptx_value *x)
{
    enum ptx_type type = in->v->type;
    uint32_t n = ptx_type_bits(type) / 8;
    char kind = ptx_type_kind(type);
    uint64_t pair[2] = {x->bits, 0}; // little-endian
    if (x->is_float) {
        double d;
        float f;
        if (x->is_f32) {
            uint32_t low = (uint32_t)x->bits;
            memcpy(&f, &low, sizeof f);
            d = (double)f;
        } else {
            memcpy(&d, &x->bits, sizeof d);
            f = (float)d;
        }
        if (kind == 'F' && n == 8)
            memcpy(pair, &d, sizeof d);
        else if (kind == 'F' && n == 4 && !x->is_f32)
            memcpy(pair, &f, sizeof f);
        else if (n != (x->is_f32 ? 4u : 8u))
            return ptx_lex_fail(&in->p->lx, at, "a '.%s' is not initialised by this float",
                                ptx_type_name(type));
    } else if (kind == 'F') {
        return ptx_lex_fail(&in->p->lx, at, "a '.%s' is initialised by a floating-point constant",
                            ptx_type_name(type));
    } else if (n == 16 && !x->is_unsigned && (int64_t)x->bits < 0) {
        pair[1] = UINT64_MAX;
    }
    return store(in, at, pos, pair, n);
}

// name, name+4, generic(name)+4. Gives the reloc without its place.
static bool address(struct init *in, struct ptx_reloc *r, struct ptx_sym **sym,
                    struct ptx_token *at)
{
    struct ptx_parser *p = in->p;
    *at = p->lx.tok;
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "a number or the name of a variable or function is expected here");
    bool is_generic = ptx_tok_is(&p->lx.tok, "generic");
    *sym = ptx__sym(p);
    if (is_generic && ptx__accept(p, '(')) {
        r->is_generic = true;
        *at = p->lx.tok;
        if (!ptx__at(p, PTX_TOK_NAME))
            return PTX_FAIL(p, "generic() takes the name of a variable");
        *sym = ptx__sym(p);
        if (!ptx__expect(p, ')', "the name in generic()"))
            return false;
    }
    if (ptx__at(p, '+') || ptx__at(p, '-')) {
        uint64_t addend;
        if (!ptx__integer(p, &addend))
            return false;
        memcpy(&r->addend, &addend, sizeof addend);
    }
    return true;
}

static bool store_address(struct init *in, uint64_t pos, uint64_t mask)
{
    struct ptx_reloc r = {.offset = pos, .bytes = (uint8_t)(ptx_type_bits(in->v->type) / 8)};
    struct ptx_sym *sym = NULL;
    struct ptx_token at;
    if (!address(in, &r, &sym, &at))
        return false;
    if (mask != 0) {
        r.bytes = 1;
        r.shift = (uint8_t)__builtin_ctzll(mask);
    }
    if ((mask == 0 && r.bytes != 4 && r.bytes != 8) || ptx_type_kind(in->v->type) == 'F')
        return ptx_lex_fail(&in->p->lx, &at, "an address does not fit a '.%s'",
                            ptx_type_name(in->v->type));
    if (!store(in, &at, pos, NULL, r.bytes))
        return false;
    struct ptx_fixup f = {.sym = sym, .at = at};
    const struct ptx_var *local = ptx__find_var(in->p, sym);
    r.var = local;
    WF_PUSH(&in->fixups, f);
    WF_PUSH(&in->relocs, r);
    return true;
}

static bool element(struct init *in, uint64_t pos)
{
    struct ptx_parser *p = in->p;
    const struct ptx_token at = p->lx.tok;
    if (ptx__at(p, PTX_TOK_NAME) && !ptx_tok_is(&at, "WARP_SZ"))
        return store_address(in, pos, 0);
    struct ptx_value x;
    if (!ptx__constant(p, &x))
        return false;
    if (at.kind == PTX_TOK_INT && ptx__at(p, '(')) { // 0xff00(name): one byte of the address
        unsigned shift = x.bits == 0 ? 1 : (unsigned)__builtin_ctzll(x.bits);
        if (shift % 8 != 0 || x.bits >> shift != 0xff || ptx_type_bits(in->v->type) != 8)
            return ptx_lex_fail(&p->lx, &at,
                                "a mask picks one byte of an address (0xff, 0xff00, ...) for an "
                                "8-bit variable");
        ptx_lex_next(&p->lx);
        return store_address(in, pos, x.bits) && ptx__expect(p, ')', "the address under a mask");
    }
    return store_value(in, &at, pos, &x);
}

// The inside of { } for a thing of `level` at `base`.
static bool braces(struct init *in, uint32_t level, uint64_t base)
{
    struct ptx_parser *p = in->p;
    uint32_t last = in->n_levels - 1;
    uint64_t pos = 0;
    ptx_lex_next(&p->lx);
    if (ptx__accept(p, '}'))
        return true;
    do {
        bool is_row = level + 1 < last;
        if (is_row != ptx__at(p, '{'))
            return PTX_FAIL(p,
                            is_row ? "a row of '%s' stands in braces of its own"
                                   : "'%s' has fewer dimensions than these braces",
                            in->v->name);
        uint64_t step = in->size[level + 1];
        if (in->size[level] != 0 && pos + step > in->size[level])
            return PTX_FAIL(p, "more values than '%s' has room for", in->v->name);
        if (is_row ? !braces(in, level + 1, base + pos) : !element(in, base + pos))
            return false;
        pos += step;
        if (base + pos > in->end)
            in->end = base + pos;
    } while (ptx__accept(p, ','));
    return ptx__expect(p, '}', "the values of an initialiser");
}

static void set_levels(struct init *in, const uint64_t *dim, uint32_t n_dims)
{
    uint64_t bytes = ptx_type_bits(in->v->type) / 8;
    uint32_t n = 0;
    if (in->v->vec > 1)
        n++;
    n += n_dims;
    in->n_levels = n + 1;
    in->size[n] = bytes;
    if (in->v->vec > 1) {
        bytes *= in->v->vec;
        in->size[--n] = bytes;
    }
    for (uint32_t i = n_dims; i-- > 0;) {
        bytes *= dim[i];
        in->size[--n] = bytes;
    }
}

static void keep(struct init *in)
{
    struct ptx_parser *p = in->p;
    struct ptx_var *v = in->v;
    if (v->bytes == 0 && v->is_array) { // x[] takes its size from the values, in whole rows
        uint64_t row = in->size[1];
        v->bytes = (in->end + row - 1) / row * row;
    }
    uint8_t *bytes = WF_NEW_N(p->arena, uint8_t, in->bytes.n);
    struct ptx_reloc *relocs = WF_NEW_N(p->arena, struct ptx_reloc, in->relocs.n);
    if (in->bytes.n > 0)
        memcpy(bytes, in->bytes.at, in->bytes.n);
    if (in->relocs.n > 0)
        memcpy(relocs, in->relocs.at, in->relocs.n * sizeof *relocs);
    v->init = bytes;
    v->init_bytes = in->bytes.n;
    v->relocs = relocs;
    v->n_relocs = (uint32_t)in->relocs.n;
    for (size_t i = 0; i < in->fixups.n; i++) {
        if (relocs[i].var != NULL)
            continue;
        in->fixups.at[i].reloc = &relocs[i];
        WF_PUSH(&p->fixups, in->fixups.at[i]);
    }
}

bool ptx__initialiser(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dim, uint32_t n_dims)
{
    struct init in = {.p = p, .v = v};
    set_levels(&in, dim, n_dims);
    bool ok;
    if (ptx__at(p, '{') && in.n_levels > 1)
        ok = braces(&in, 0, 0);
    else if (ptx__at(p, '{'))
        ok = PTX_FAIL(p, "'%s' is a single value: its initialiser takes no braces", v->name);
    else if (in.n_levels > 1)
        ok = PTX_FAIL(p, "'%s' is an array or a vector: its initialiser needs braces", v->name);
    else
        ok = element(&in, 0);
    if (ok)
        keep(&in);
    WF_VEC_FINI(&in.bytes);
    WF_VEC_FINI(&in.relocs);
    WF_VEC_FINI(&in.fixups);
    return ok;
}

bool ptx__finish_fixups(struct ptx_parser *p)
{
    for (size_t i = 0; i < p->fixups.n; i++) {
        struct ptx_fixup *f = &p->fixups.at[i];
        f->reloc->var = ptx__find_var(p, f->sym);
        if (f->reloc->var == NULL)
            f->reloc->func = f->sym->func;
        if (f->reloc->var == NULL && f->reloc->func == NULL)
            return ptx_lex_fail(&p->lx, &f->at, "no variable or function '%s'", f->sym->name);
    }
    return true;
}

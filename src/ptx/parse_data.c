// SPDX-License-Identifier: Apache-2.0
// Declarations of registers, variables and parameters (PTX ISA "State Spaces, Types, and
// Variables").
#include <string.h> // memcpy

#include "ptx/parser.h"

enum { MAX_DIMS = 16 };

bool ptx__space_word(const struct ptx_parser *p, enum ptx_space *out)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } row[] = {{"reg", PTX_SP_REG},     {"global", PTX_SP_GLOBAL}, {"shared", PTX_SP_SHARED},
               {"local", PTX_SP_LOCAL}, {"const", PTX_SP_CONST},   {"param", PTX_SP_PARAM},
               {"tex", PTX_SP_GLOBAL}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (ptx__at_word(p, row[i].word)) {
            *out = row[i].space;
            return true;
        }
    }
    return false;
}

bool ptx__unified(struct ptx_parser *p, bool *is_managed, const char **unified)
{
    ptx_lex_next(&p->lx);
    if (!ptx__expect(p, '(', ".attribute"))
        return false;
    do {
        if (ptx__at_word(p, "managed")) {
            *is_managed = true;
            ptx_lex_next(&p->lx);
        } else if (ptx__at_word(p, "unified")) {
            ptx_lex_next(&p->lx);
            uint64_t a, b;
            if (!ptx__expect(p, '(', ".unified") || !ptx__integer(p, &a) ||
                !ptx__expect(p, ',', "the first number of .unified") || !ptx__integer(p, &b) ||
                !ptx__expect(p, ')', "the numbers of .unified"))
                return false;
            *unified = wf_arena_printf(p->arena, "%llu, %llu", (unsigned long long)a,
                                       (unsigned long long)b);
        } else {
            return PTX_FAIL(p, "the attributes are .managed and .unified(number, number)");
        }
    } while (ptx__accept(p, ','));
    return ptx__expect(p, ')', ".attribute");
}

static bool alignment(struct ptx_parser *p, uint32_t *out)
{
    ptx_lex_next(&p->lx);
    const struct ptx_token t = p->lx.tok;
    if (!ptx__count(p, PTX_MAX_NUMBER, out))
        return false;
    if (*out == 0 || (*out & (*out - 1)) != 0)
        return ptx_lex_fail(&p->lx, &t, "an alignment must be a power of two, not %u", *out);
    return true;
}

// .ptr{.space}{.align n} behind the type of a kernel parameter.
static bool pointer_words(struct ptx_parser *p, struct ptx_var *v)
{
    v->is_ptr = true;
    ptx_lex_next(&p->lx);
    enum ptx_space space;
    if (ptx__space_word(p, &space)) {
        if (space == PTX_SP_REG || space == PTX_SP_PARAM)
            return PTX_FAIL(p, ".ptr takes .global, .shared, .const or .local");
        v->ptr_space = space;
        ptx_lex_next(&p->lx);
    }
    return !ptx__at_word(p, "align") || alignment(p, &v->ptr_align);
}

// Words between the space and the name.
static bool declaration_words(struct ptx_parser *p, struct ptx_var *v)
{
    while (ptx__at(p, PTX_TOK_WORD)) {
        enum ptx_type type;
        const struct ptx_token *t = &p->lx.tok;
        if (ptx__at_word(p, "align")) {
            if (!alignment(p, &v->align))
                return false;
        } else if (ptx__at_word(p, "attribute")) {
            if (!ptx__unified(p, &v->is_managed, &v->unified))
                return false;
        } else if (ptx__at_word(p, "ptr")) {
            if (!pointer_words(p, v))
                return false;
        } else if (ptx__at_word(p, "v2") || ptx__at_word(p, "v4") || ptx__at_word(p, "v8")) {
            v->vec = (uint8_t)(t->at[1] - '0');
            ptx_lex_next(&p->lx);
        } else if (ptx_table_type(p->table, t->at, t->n, &type)) {
            if (v->type != PTX_T_NONE)
                return PTX_FAIL(p, "a variable has one type, '.%.*s' is a second", (int)t->n,
                                t->at);
            v->type = type;
            ptx_lex_next(&p->lx);
        } else {
            return PTX_FAIL(p, "'.%.*s' does not belong in a declaration", (int)t->n, t->at);
        }
    }
    if (v->type == PTX_T_NONE)
        return PTX_FAIL(p, "the declaration has no type");
    return true;
}

static uint32_t element_bytes(const struct ptx_var *v)
{
    uint32_t bits = ptx_type_bits(v->type) * v->vec;
    return bits < 8 ? 1 : bits / 8;
}

// Which types a variable may have in its space.
static bool check_type(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_var *v)
{
    char kind = ptx_type_kind(v->type);
    if (kind == 'P' && v->space != PTX_SP_REG)
        return ptx_lex_fail(&p->lx, at, "predicates live in registers only");
    if (kind == 'O' && v->space != PTX_SP_GLOBAL && v->space != PTX_SP_PARAM)
        return ptx_lex_fail(&p->lx, at, "'.%s' variables live in .global or are parameters",
                            ptx_type_name(v->type));
    if (kind == 'P' && v->vec > 1)
        return ptx_lex_fail(&p->lx, at, "there are no vectors of predicates");
    if (v->vec > 1 && v->vec * ptx_type_bits(v->type) > 128)
        return ptx_lex_fail(&p->lx, at, "a vector variable has at most 128 bits");
    switch (v->type) {
    case PTX_T_NONE:
    case PTX_T_BF16:
    case PTX_T_BF16X2:
    case PTX_T_TF32:
    case PTX_T_F32X2:
    case PTX_T_U16X2:
    case PTX_T_S16X2:
    case PTX_T_U4:
    case PTX_T_S4:
    case PTX_T_B1:
    case PTX_T_E4M3:
    case PTX_T_E5M2:
    case PTX_T_E4M3X2:
    case PTX_T_E5M2X2:
    case PTX_T_E3M2:
    case PTX_T_E2M3:
    case PTX_T_E2M1:
    case PTX_T_E3M2X2:
    case PTX_T_E2M3X2:
    case PTX_T_E2M1X2:
    case PTX_T_UE8M0X2:
    case PTX_T_UE8M0:
    case PTX_T_UE4M3:
    case PTX_T_B4X16:
    case PTX_T_B1024:
    case PTX_T_U2:
    case PTX_T_S2:
    case PTX_T_E4M3X4:
    case PTX_T_E5M2X4:
    case PTX_T_E3M2X4:
    case PTX_T_E2M3X4:
    case PTX_T_E2M1X4:
    case PTX_T_B8X16:
    case PTX_T_B6X16_P32:
    case PTX_T_B4X16_P64:
        return ptx_lex_fail(&p->lx, at, "'.%s' is a type of instructions, not of variables",
                            ptx_type_name(v->type));
    case PTX_T_B8:
    case PTX_T_B16:
    case PTX_T_B32:
    case PTX_T_B64:
    case PTX_T_B128:
    case PTX_T_U8:
    case PTX_T_U16:
    case PTX_T_U32:
    case PTX_T_U64:
    case PTX_T_S8:
    case PTX_T_S16:
    case PTX_T_S32:
    case PTX_T_S64:
    case PTX_T_F16:
    case PTX_T_F16X2:
    case PTX_T_F32:
    case PTX_T_F64:
    case PTX_T_PRED:
    case PTX_T_TEXREF:
    case PTX_T_SAMPLERREF:
    case PTX_T_SURFREF:
    case PTX_T_COUNT:
        break;
    }
    return true;
}

static bool times(uint64_t *x, uint64_t y)
{
    return !__builtin_mul_overflow(*x, y, x);
}

// The [n][m] behind a name: bytes of the variable, 0 for x[].
static bool dimensions(struct ptx_parser *p, struct ptx_var *v, uint64_t *dim, uint32_t *n_dims)
{
    *n_dims = 0;
    v->bytes = element_bytes(v);
    bool is_open = false;
    while (ptx__at(p, '[')) {
        const struct ptx_token t = p->lx.tok;
        uint64_t n = 0;
        ptx_lex_next(&p->lx);
        if (*n_dims == MAX_DIMS)
            return ptx_lex_fail(&p->lx, &t, "more than %d dimensions", MAX_DIMS);
        if (ptx__at(p, ']') && *n_dims == 0)
            is_open = true;
        else if (!ptx__integer(p, &n))
            return false;
        if (!ptx__expect(p, ']', "an array size"))
            return false;
        if (!is_open || *n_dims > 0) {
            if ((n == 0 && *n_dims > 0) || n >> 47 != 0 || !times(&v->bytes, n) ||
                v->bytes >> 47 != 0)
                return ptx_lex_fail(&p->lx, &t, "an array of that size cannot exist");
        }
        dim[(*n_dims)++] = n;
        v->is_array = true;
    }
    if (v->is_array && v->space == PTX_SP_REG)
        return PTX_FAIL(p, "registers cannot be arrays");
    if (is_open) {
        v->bytes = 0;
        if (*n_dims > 1)
            dim[0] = 0;
    }
    return true;
}

// Adds a variable to the list of its place, or completes an earlier `.extern` of the same name.
static bool declare(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
                    struct ptx_var **io)
{
    struct ptx_var *v = *io;
    struct ptx_bind *old = s->bind;
    if (p->depth == 0 && s->func != NULL)
        return ptx_lex_fail(&p->lx, at, "'%s' is already a function", s->name);
    if (p->depth == 0 && old != NULL && old->kind == PTX_BIND_VAR &&
        (old->var->is_extern || v->is_extern || (old->var->is_common && v->is_common))) {
        if (old->var->space != v->space || old->var->type != v->type)
            return ptx_lex_fail(&p->lx, at, "'%s' was declared differently in line %u", s->name,
                                old->var->line);
        if (old->var->is_extern && !v->is_extern) {
            v->id = old->var->id;
            *old->var = *v;
        }
        *io = old->var;
        return true;
    }
    struct ptx_bind b = {.kind = PTX_BIND_VAR, .var = v};
    if (!ptx__bind(p, at, s, &b))
        return false;
    if (v->space == PTX_SP_REG) {
        v->id = PTX_NO_ID;
    } else if (p->depth == 0) {
        v->id = (uint32_t)p->vars.n;
        WF_PUSH(&p->vars, v);
    } else {
        v->id = (uint32_t)p->locals.n;
        WF_PUSH(&p->locals, v);
    }
    return true;
}

static bool opaque_init(struct ptx_parser *p, struct ptx_var *v)
{
    const char *from = p->lx.tok.pos, *to = from;
    unsigned depth = 0;
    do {
        if (ptx__at(p, PTX_TOK_END))
            return PTX_FAIL(p, "the initialiser has no '}'");
        depth += ptx__at(p, '{') ? 1u : 0u;
        depth -= ptx__at(p, '}') ? 1u : 0u;
        to = p->lx.tok.pos + 1;
        ptx_lex_next(&p->lx);
    } while (depth > 0);
    v->opaque_init = wf_arena_strndup(p->arena, from, (size_t)(to - from));
    return p->lx.failed == WF_OK;
}

static bool init_value(struct ptx_parser *p, const struct ptx_token *at, struct ptx_var *v,
                       const uint64_t *dim, uint32_t n_dims)
{
    if (v->space != PTX_SP_GLOBAL && v->space != PTX_SP_CONST)
        return ptx_lex_fail(&p->lx, at,
                            "only .global and .const variables may have an initialiser");
    if (v->is_extern)
        return ptx_lex_fail(&p->lx, at, "an .extern variable cannot have an initialiser");
    if (ptx_type_kind(v->type) == 'O') {
        if (!ptx__at(p, '{'))
            return PTX_FAIL(p, "a '.%s' is initialised by { field = value, ... }",
                            ptx_type_name(v->type));
        return opaque_init(p, v);
    }
    return ptx__initialiser(p, v, dim, n_dims);
}

static bool declarator(struct ptx_parser *p, const struct ptx_var *like)
{
    const struct ptx_token at = p->lx.tok;
    char buf[64];
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "a name is expected here, not %s", ptx__describe(&at, buf));
    struct ptx_sym *s = ptx__sym(p);
    if (!check_type(p, &at, like))
        return false;
    if (like->space == PTX_SP_REG && ptx__accept(p, '<')) {
        uint64_t n;
        if (!ptx__at(p, PTX_TOK_INT))
            return PTX_FAIL(p, "the number of registers is expected here");
        n = p->lx.tok.bits;
        ptx_lex_next(&p->lx);
        return ptx__expect(p, '>', "the number of registers") &&
               ptx__bind_range(p, &at, s, like, n);
    }
    struct ptx_var *v = WF_NEW(p->arena, struct ptx_var);
    uint64_t dim[MAX_DIMS];
    uint32_t n_dims;
    *v = *like;
    v->name = s->name;
    v->line = at.line;
    if (!dimensions(p, v, dim, &n_dims))
        return false;
    bool is_open = n_dims > 0 && dim[0] == 0 && v->bytes == 0;
    struct ptx_var *known = v;
    if (!declare(p, &at, s, &known))
        return false;
    if (ptx__at(p, '=')) {
        const struct ptx_token eq = p->lx.tok;
        ptx_lex_next(&p->lx);
        return init_value(p, &eq, known, dim, n_dims);
    }
    if (is_open && !v->is_extern)
        return ptx_lex_fail(&p->lx, &at, "'%s' has no size", s->name);
    return true;
}

static void set_align(struct ptx_var *v)
{
    uint32_t natural = element_bytes(v);
    if (v->align < natural && v->type != PTX_T_PRED)
        v->align = natural;
}

bool ptx__variables(struct ptx_parser *p, const struct ptx_var *linkage)
{
    struct ptx_var like = *linkage;
    const struct ptx_token at = p->lx.tok;
    if (!ptx__space_word(p, &like.space))
        return PTX_FAIL(p, "a state space is expected here");
    like.vec = 1;
    if (p->depth == 0 &&
        (like.space == PTX_SP_REG || like.space == PTX_SP_LOCAL || like.space == PTX_SP_PARAM))
        return PTX_FAIL(p, "'.%.*s' variables are declared inside functions only", (int)at.n,
                        at.at);
    bool is_tex = ptx__at_word(p, "tex");
    ptx_lex_next(&p->lx);
    if (like.space == PTX_SP_CONST && ptx__at(p, '[')) { // .const[bank] of PTX 1.x and 2.x
        uint32_t bank;
        ptx_lex_next(&p->lx);
        if (!ptx__count(p, 10, &bank) || !ptx__expect(p, ']', "a constant bank"))
            return false;
    }
    if (!declaration_words(p, &like))
        return false;
    if (is_tex)
        like.type = PTX_T_TEXREF;
    if (like.is_managed && like.space != PTX_SP_GLOBAL)
        return ptx_lex_fail(&p->lx, &at, ".managed is for .global variables");
    set_align(&like);
    like.bytes = element_bytes(&like);
    do {
        if (!declarator(p, &like))
            return false;
    } while (ptx__accept(p, ','));
    return ptx__expect(p, ';', "a declaration");
}

// One parameter: .param .align 8 .b8 name[16], or .reg .u32 name.
static bool param(struct ptx_parser *p, struct ptx_var *v, bool is_bound)
{
    uint64_t dim[MAX_DIMS];
    uint32_t n_dims;
    if (!ptx__space_word(p, &v->space) || (v->space != PTX_SP_PARAM && v->space != PTX_SP_REG))
        return PTX_FAIL(p, "a parameter starts with .param or .reg");
    v->vec = 1;
    ptx_lex_next(&p->lx);
    if (!declaration_words(p, v))
        return false;
    set_align(v);
    const struct ptx_token at = p->lx.tok;
    char buf[64];
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "the name of a parameter is expected here, not %s",
                        ptx__describe(&at, buf));
    struct ptx_sym *s = ptx__sym(p);
    v->name = s->name;
    v->line = at.line;
    if (!check_type(p, &at, v) || !dimensions(p, v, dim, &n_dims))
        return false;
    if (v->space == PTX_SP_REG)
        v->id = PTX_NO_ID;
    if (!is_bound)
        return true;
    struct ptx_bind b = {.kind = PTX_BIND_VAR, .var = v};
    if (v->space == PTX_SP_REG)
        ptx__number_reg(p, v);
    return ptx__bind(p, &at, s, &b);
}

bool ptx__params(struct ptx_parser *p, const struct ptx_var ***out, uint16_t *n, bool is_bound)
{
    WF_VEC(const struct ptx_var *) list = {0};
    bool ok = true;
    if (!ptx__at(p, ')')) {
        do {
            struct ptx_var *v = WF_NEW(p->arena, struct ptx_var);
            if (list.n == UINT16_MAX)
                ok = PTX_FAIL(p, "more than %d parameters", UINT16_MAX);
            else
                ok = param(p, v, is_bound);
            v->id = v->space == PTX_SP_REG ? v->id : (uint32_t)list.n;
            WF_PUSH(&list, v);
        } while (ok && ptx__accept(p, ','));
    }
    ok = ok && ptx__expect(p, ')', "the parameters");
    if (ok && list.n > 0) {
        *out = WF_NEW_N(p->arena, const struct ptx_var *, list.n);
        memcpy(*out, list.at, list.n * sizeof *list.at);
        *n = (uint16_t)list.n;
    }
    WF_VEC_FINI(&list);
    return ok;
}

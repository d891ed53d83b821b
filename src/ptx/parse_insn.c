// SPDX-License-Identifier: Apache-2.0
// One instruction: guard, mnemonic with modifiers (opcode.c), operands. Operands are read the same
// way for all mnemonics but bra, brx and call; what fits where is for check.c.
#include <string.h> // memcpy

#include "ptx/check.h" // ptx__check_insn
#include "ptx/parser.h"

enum { MAX_OPERAND_DEPTH = 4, MAX_OPERANDS = UINT16_MAX };

static bool operand(struct ptx_parser *p, unsigned depth, bool *has_pair);

static bool push(struct ptx_parser *p, const struct ptx_operand *x)
{
    if (p->stack.n >= MAX_OPERANDS)
        return PTX_FAIL(p, "too many operands");
    WF_PUSH(&p->stack, *x);
    return true;
}

// The operands above `base`, moved to the arena.
static struct ptx_operand *take(struct ptx_parser *p, size_t base, uint16_t *n)
{
    size_t count = p->stack.n - base;
    struct ptx_operand *x = WF_NEW_N(p->arena, struct ptx_operand, count);
    if (count > 0)
        memcpy(x, p->stack.at + base, count * sizeof *x);
    p->stack.n = base;
    *n = (uint16_t)count;
    return x;
}

// .x .y .z .w (or .r .g .b .a): 0..3, -1 when it is something else.
static int component(const struct ptx_token *t)
{
    const char *names = "xyzwrgba", *at = t->n == 1 ? strchr(names, t->at[0]) : NULL;
    return at == NULL ? -1 : (int)(at - names) % 4;
}

// Part of a register in video instructions: .b0 .h1 .b3210 .h10
static bool is_selector(const struct ptx_token *t)
{
    if (t->n < 2 || t->n > 5 || (t->at[0] != 'b' && t->at[0] != 'h'))
        return false;
    for (uint32_t i = 1; i < t->n; i++) {
        if (t->at[i] < '0' || t->at[i] > '7')
            return false;
    }
    return true;
}

static bool special(struct ptx_parser *p, const struct ptx_token *at, struct ptx_sym *s,
                    struct ptx_operand *x)
{
    int number;
    if (s->name[0] != '%' || !ptx_table_sreg(p->table, s->name + 1, s->n - 1, &x->sreg, &number))
        return ptx_lex_fail(&p->lx, at, "'%s' is not declared", s->name);
    x->kind = PTX_X_SREG;
    if (number >= 0)
        x->comp = (uint8_t)number;
    bool has_comps = number < 0 && ptx_sreg_comps(x->sreg) == 4;
    if (!ptx__at(p, PTX_TOK_WORD)) {
        x->is_whole = has_comps;
        return true;
    }
    int c = component(&p->lx.tok);
    if (c < 0 || !has_comps)
        return PTX_FAIL(p, "'%s' has no component '.%.*s'", s->name, (int)p->lx.tok.n,
                        p->lx.tok.at);
    x->comp = (uint8_t)c;
    ptx_lex_next(&p->lx);
    return true;
}

static bool offset(struct ptx_parser *p, uint64_t *bits)
{
    return (!ptx__at(p, '+') && !ptx__at(p, '-')) || ptx__integer(p, bits);
}

// A register, a special register, or the address of a variable or function.
static bool named(struct ptx_parser *p, struct ptx_operand *x)
{
    const struct ptx_token at = p->lx.tok;
    if (ptx_tok_is(&at, "_")) {
        x->kind = PTX_X_SINK;
        ptx_lex_next(&p->lx);
        return true;
    }
    struct ptx_sym *s = ptx__sym(p);
    const struct ptx_var *v = ptx__find_var(p, s);
    if (v == NULL && s->func != NULL) {
        x->kind = PTX_X_FUNC;
        x->func = s->func;
        return true;
    }
    if (v == NULL)
        return special(p, &at, s, x);
    if (v->space != PTX_SP_REG) {
        x->kind = PTX_X_VAR;
        x->var = v;
        return offset(p, &x->bits);
    }
    x->kind = PTX_X_REG;
    x->reg = v;
    if (!ptx__at(p, PTX_TOK_WORD))
        return true;
    if (is_selector(&p->lx.tok)) {
        x->text = wf_arena_strndup(p->arena, p->lx.tok.at, p->lx.tok.n);
        ptx_lex_next(&p->lx);
        return true;
    }
    int c = component(&p->lx.tok);
    if (c < 0 || c >= v->vec || v->vec == 1)
        return PTX_FAIL(p, "'%s' has no component '.%.*s'", s->name, (int)p->lx.tok.n,
                        p->lx.tok.at);
    x->comp = (uint8_t)(c + 1);
    ptx_lex_next(&p->lx);
    return true;
}

static bool constant(struct ptx_parser *p, struct ptx_operand *x)
{
    struct ptx_value v;
    if (!ptx__constant(p, &v))
        return false;
    x->kind = v.is_float ? PTX_X_FIMM : PTX_X_IMM;
    x->is_f32 = v.is_f32;
    x->bits = v.bits;
    return true;
}

static bool list(struct ptx_parser *p, unsigned depth, int close, const char *what)
{
    bool has_pair = false;
    do {
        if (!operand(p, depth + 1, &has_pair))
            return false;
    } while (ptx__accept(p, ','));
    if (has_pair)
        return PTX_FAIL(p, "'|' does not belong inside %s", what);
    return ptx__expect(p, close, what);
}

static bool vector(struct ptx_parser *p, unsigned depth, struct ptx_operand *x)
{
    size_t base = p->stack.n;
    ptx_lex_next(&p->lx);
    if (!list(p, depth, '}', "a vector operand"))
        return false;
    x->kind = PTX_X_VECTOR;
    x->elem = take(p, base, &x->n_elem);
    return true;
}

// [reg+imm] [var+imm] [imm] and, for textures and tensors, [a, {b, c}].
static bool memory(struct ptx_parser *p, unsigned depth, struct ptx_operand *x)
{
    struct ptx_operand base = {.kind = PTX_X_NONE};
    ptx_lex_next(&p->lx);
    const struct ptx_token at = p->lx.tok;
    if (ptx__at(p, PTX_TOK_NAME) && !ptx_tok_is(&at, "WARP_SZ")) {
        if (!named(p, &base))
            return false;
        if (base.kind != PTX_X_REG && base.kind != PTX_X_VAR)
            return ptx_lex_fail(&p->lx, &at, "an address is a register, a variable or a number");
        if (base.kind == PTX_X_REG && !offset(p, &base.bits))
            return false;
    } else if (!ptx__integer(p, &base.bits)) {
        return false;
    }
    x->kind = PTX_X_MEM;
    x->reg = base.reg;
    x->comp = base.comp;
    x->var = base.var;
    x->bits = base.bits;
    if (!ptx__accept(p, ',')) {
        if (!ptx__expect(p, ']', "an address"))
            return false;
        x->is_unified = ptx__at_word(p, "unified"); // ld d, [a].unified
        if (x->is_unified)
            ptx_lex_next(&p->lx);
        return true;
    }
    size_t first = p->stack.n;
    if (!list(p, depth, ']', "an address"))
        return false;
    x->elem = take(p, first, &x->n_elem);
    return true;
}

static bool is_name_next(const struct ptx_parser *p) // behind a one-character operator
{
    const char *q = p->lx.pos;
    while (*q == ' ' || *q == '\t')
        q++;
    return *q == '%' || *q == '_' || *q == '$' || (*q >= 'a' && *q <= 'z') ||
           (*q >= 'A' && *q <= 'Z');
}

static bool simple(struct ptx_parser *p, unsigned depth, struct ptx_operand *x)
{
    char buf[64];
    switch (p->lx.tok.kind) {
    case PTX_TOK_NAME:
        return ptx_tok_is(&p->lx.tok, "WARP_SZ") ? constant(p, x) : named(p, x);
    case '{':
        return vector(p, depth, x);
    case '[':
        return memory(p, depth, x);
    case '!':
    case '-': {
        bool is_not = ptx__at(p, '!');
        if (!is_name_next(p) || strncmp(p->lx.pos, "WARP_SZ", 7) == 0)
            return constant(p, x);
        ptx_lex_next(&p->lx);
        const struct ptx_token at = p->lx.tok;
        if (!named(p, x))
            return false;
        if (x->kind != PTX_X_REG)
            return ptx_lex_fail(&p->lx, &at, "'%c' takes a register or a constant",
                                is_not ? '!' : '-');
        x->is_negated = is_not;
        x->is_neg = !is_not;
        return true;
    }
    case PTX_TOK_INT:
    case PTX_TOK_FLOAT:
    case '(':
    case '+':
    case '~':
        return constant(p, x);
    default:
        return PTX_FAIL(p, "an operand is expected here, not %s", ptx__describe(&p->lx.tok, buf));
    }
}

// One operand, or the two of d|p; pushed on the stack.
static bool operand(struct ptx_parser *p, unsigned depth, bool *has_pair)
{
    struct ptx_operand x = {.kind = PTX_X_NONE};
    if (depth > MAX_OPERAND_DEPTH)
        return PTX_FAIL(p, "operands are nested more than %d deep", MAX_OPERAND_DEPTH);
    if (depth == 0 && p->stack.n < PTX_MAX_PLACES)
        p->place[p->stack.n] = p->lx.tok;
    if (!simple(p, depth, &x) || !push(p, &x))
        return false;
    if (!ptx__accept(p, '|'))
        return true;
    struct ptx_operand second = {.kind = PTX_X_NONE};
    if (depth == 0 && p->stack.n != 1)
        return PTX_FAIL(p, "only the first operand may be a pair");
    *has_pair = true;
    if (depth == 0)
        p->place[1] = p->lx.tok;
    return simple(p, depth, &second) && push(p, &second);
}

static bool branch(struct ptx_parser *p, struct ptx_insn *in)
{
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "'%s' takes a label", ptx_op_name(in->op));
    const struct ptx_token at = p->lx.tok;
    struct ptx_sym *s = ptx__sym(p);
    in->x = WF_NEW(p->arena, struct ptx_operand);
    in->n_x = 1;
    in->x->kind = PTX_X_LABEL;
    ptx__add_pending(p, &at, s, &in->x->label, 0);
    return true;
}

// The name of a prototype or of a target list.
static bool list_name(struct ptx_parser *p)
{
    if (!ptx__at(p, PTX_TOK_NAME))
        return PTX_FAIL(p, "the name of a prototype or target list is expected here");
    const struct ptx_token at = p->lx.tok;
    struct ptx_sym *s = ptx__sym(p);
    ptx__add_pending(p, &at, s, NULL, (uint32_t)p->insns.n);
    return true;
}

static bool indexed_branch(struct ptx_parser *p, struct ptx_insn *in)
{
    bool has_pair;
    return operand(p, 0, &has_pair) && ptx__expect(p, ',', "the index of brx") && list_name(p) &&
           (in->x = take(p, 0, &in->n_x)) != NULL;
}

// call (ret), callee, (args), prototype; every part but the callee may be absent.
static bool call(struct ptx_parser *p, struct ptx_insn *in)
{
    bool has_pair = false;
    if (ptx__accept(p, '(')) {
        if (!ptx__at(p, ')')) {
            if (!list(p, 0, ')', "the results of a call"))
                return false;
        } else {
            ptx_lex_next(&p->lx);
        }
        if (!ptx__expect(p, ',', "the results of a call"))
            return false;
    }
    in->n_ret = (uint16_t)p->stack.n;
    const struct ptx_token at = p->lx.tok;
    if (!operand(p, 0, &has_pair))
        return false;
    const struct ptx_operand *callee = &p->stack.at[p->stack.n - 1];
    if (has_pair || (callee->kind != PTX_X_FUNC && callee->kind != PTX_X_REG))
        return ptx_lex_fail(&p->lx, &at,
                            "a call takes the name of a function or a register with its address");
    bool is_indirect = callee->kind == PTX_X_REG, has_list = false;
    if (ptx__accept(p, ',')) {
        if (ptx__accept(p, '(')) {
            if (ptx__at(p, ')'))
                ptx_lex_next(&p->lx);
            else if (!list(p, 0, ')', "the arguments of a call"))
                return false;
            has_list = ptx__accept(p, ',');
        } else {
            has_list = true;
        }
    }
    if (has_list && !list_name(p))
        return false;
    if (is_indirect && !has_list)
        return ptx_lex_fail(&p->lx, &at,
                            "a call through a register needs .callprototype or .calltargets");
    in->x = take(p, 0, &in->n_x);
    return true;
}

static bool operands(struct ptx_parser *p, struct ptx_insn *in)
{
    if (ptx__at(p, ';'))
        return true;
    if (in->op == PTX_O_BRA)
        return branch(p, in);
    if (in->op == PTX_O_BRX)
        return indexed_branch(p, in);
    if (in->op == PTX_O_CALL)
        return call(p, in);
    do {
        if (!operand(p, 0, &in->has_pair))
            return false;
    } while (ptx__accept(p, ','));
    in->x = take(p, 0, &in->n_x);
    return true;
}

// A vector of one, {r1}, stands for its element where no vector is asked for.
static void unwrap(struct ptx_insn *in)
{
    if (in->m.vec != 0 || (in->op != PTX_O_LD && in->op != PTX_O_ST && in->op != PTX_O_SULD &&
                           in->op != PTX_O_SUST && in->op != PTX_O_MOV))
        return;
    for (uint16_t i = 0; i < in->n_x; i++) {
        if (in->x[i].kind == PTX_X_VECTOR && in->x[i].n_elem == 1)
            in->x[i] = in->x[i].elem[0];
    }
}

// @p or @!p
static bool guard(struct ptx_parser *p, struct ptx_insn *in)
{
    if (!ptx__accept(p, '@'))
        return true;
    in->guard_negated = ptx__accept(p, '!');
    const struct ptx_token at = p->lx.tok;
    if (ptx__at(p, PTX_TOK_NAME)) {
        in->guard = ptx__find_var(p, ptx__sym(p));
        if (in->guard != NULL && in->guard->space == PTX_SP_REG && in->guard->type == PTX_T_PRED)
            return ptx__at(p, PTX_TOK_NAME) ||
                   PTX_FAIL(p, "an instruction is expected behind a guard");
    }
    return ptx_lex_fail(&p->lx, &at, "a guard is a predicate register");
}

bool ptx__insn(struct ptx_parser *p)
{
    struct ptx_insn in = {0};
    struct ptx_token at;
    p->stack.n = 0;
    if (!guard(p, &in))
        return false;
    struct ptx_opcode *o = ptx__opcode(p, &at);
    if (o == NULL)
        return false;
    in.op = o->op;
    in.m = o->m;
    in.loc = p->loc;
    in.line = at.line;
    if (!operands(p, &in))
        return false;
    unwrap(&in);
    if (!ptx__at(p, ';')) {
        char buf[64];
        return PTX_FAIL(p, "';' is expected behind '%s', not %s", o->text,
                        ptx__describe(&p->lx.tok, buf));
    }
    if (!ptx__check_insn(p, &at, o, &in))
        return false;
    if (p->pragmas.n > 0) {
        in.n_pragmas = (uint32_t)p->pragmas.n;
        in.pragmas = WF_NEW_N(p->arena, const char *, p->pragmas.n);
        memcpy(in.pragmas, p->pragmas.at, p->pragmas.n * sizeof *in.pragmas);
        p->pragmas.n = 0;
    }
    WF_PUSH(&p->insns, in);
    ptx_lex_next(&p->lx);
    return p->lx.failed == WF_OK;
}

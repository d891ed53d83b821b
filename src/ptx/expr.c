// SPDX-License-Identifier: Apache-2.0
// Constant expressions (PTX ISA "Constants" and "Integer Constant Expression Evaluation"): C
// operators over s64 and u64, casts (.s64) and (.u64). A float may only be negated.
#include <string.h> // memcpy

#include "ptx/parser.h"

static bool ternary(struct ptx_parser *p, unsigned depth, struct ptx_value *out);

static struct ptx_value integer(uint64_t bits, bool is_unsigned)
{
    return (struct ptx_value){.bits = bits, .is_unsigned = is_unsigned};
}

// (.u64) x and (.s64) x
static bool cast(struct ptx_parser *p, bool *is_cast, bool *is_unsigned)
{
    *is_cast = ptx__at_word(p, "u64") || ptx__at_word(p, "s64");
    if (!*is_cast)
        return true;
    *is_unsigned = p->lx.tok.at[0] == 'u';
    ptx_lex_next(&p->lx);
    return ptx__expect(p, ')', "the type of a cast");
}

static bool unary(struct ptx_parser *p, unsigned depth, struct ptx_value *out)
{
    if (depth >= PTX_MAX_EXPR)
        return PTX_FAIL(p, "expression is nested more than %d deep", PTX_MAX_EXPR);
    if (ptx__at(p, PTX_TOK_INT)) {
        *out = integer(p->lx.tok.bits, p->lx.tok.is_unsigned);
        ptx_lex_next(&p->lx);
        return true;
    }
    const struct ptx_token t = p->lx.tok;
    char buf[64];
    switch (t.kind) {
    case PTX_TOK_FLOAT:
        *out = (struct ptx_value){.bits = t.bits, .is_float = true, .is_f32 = t.is_f32};
        ptx_lex_next(&p->lx);
        return true;
    case PTX_TOK_NAME:
        if (!ptx_tok_is(&t, "WARP_SZ"))
            break;
        *out = integer(32, false);
        ptx_lex_next(&p->lx);
        return true;
    case '(': {
        bool is_cast, is_unsigned = false;
        ptx_lex_next(&p->lx);
        if (!cast(p, &is_cast, &is_unsigned))
            return false;
        if (!is_cast)
            return ternary(p, depth + 1, out) && ptx__expect(p, ')', "an expression");
        if (!unary(p, depth + 1, out))
            return false;
        if (out->is_float)
            return ptx_lex_fail(&p->lx, &t, "a cast takes an integer");
        out->is_unsigned = is_unsigned;
        return true;
    }
    case '+':
    case '-':
    case '!':
    case '~':
        ptx_lex_next(&p->lx);
        if (!unary(p, depth + 1, out))
            return false;
        if (out->is_float) {
            if (t.kind != '-' && t.kind != '+')
                return ptx_lex_fail(&p->lx, &t, "'%c' takes an integer", t.kind);
            if (t.kind == '-')
                out->bits ^= (uint64_t)1 << (out->is_f32 ? 31 : 63);
            return true;
        }
        if (t.kind == '-')
            out->bits = -out->bits;
        else if (t.kind == '~')
            out->bits = ~out->bits;
        else if (t.kind == '!')
            *out = integer(out->bits == 0, false);
        return true;
    default:
        break;
    }
    return PTX_FAIL(p, "a constant is expected here, not %s", ptx__describe(&t, buf));
}

static int precedence(int kind)
{
    switch (kind) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case PTX_TOK_SHL:
    case PTX_TOK_SHR:
        return 8;
    case '<':
    case '>':
    case PTX_TOK_LE:
    case PTX_TOK_GE:
        return 7;
    case PTX_TOK_EQ:
    case PTX_TOK_NE:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case PTX_TOK_ANDAND:
        return 2;
    case PTX_TOK_OROR:
        return 1;
    default:
        return 0;
    }
}

// The operators whose result depends on the sign: / % >> and the comparisons.
static uint64_t signed_op(int kind, uint64_t x, uint64_t y)
{
    int64_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    switch (kind) {
    case '/':
        return b == -1 ? -x : (uint64_t)(a / b);
    case '%':
        return b == -1 ? 0 : (uint64_t)(a % b);
    case PTX_TOK_SHR:
        return y > 63 ? (a < 0 ? UINT64_MAX : 0) : (uint64_t)(a >> y);
    case '<':
        return a < b;
    case '>':
        return a > b;
    case PTX_TOK_LE:
        return a <= b;
    default:
        return a >= b;
    }
}

static uint64_t unsigned_op(int kind, uint64_t x, uint64_t y)
{
    switch (kind) {
    case '/':
        return x / y;
    case '%':
        return x % y;
    case PTX_TOK_SHR:
        return y > 63 ? 0 : x >> y;
    case '<':
        return x < y;
    case '>':
        return x > y;
    case PTX_TOK_LE:
        return x <= y;
    default:
        return x >= y;
    }
}

static bool apply(struct ptx_parser *p, const struct ptx_token *op, struct ptx_value *a,
                  const struct ptx_value *b)
{
    if (a->is_float || b->is_float)
        return ptx_lex_fail(&p->lx, op, "operators of constant expressions take integers");
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    uint64_t x = a->bits, y = b->bits;
    switch (op->kind) {
    case '*':
        *a = integer(x * y, is_unsigned);
        break;
    case '+':
        *a = integer(x + y, is_unsigned);
        break;
    case '-':
        *a = integer(x - y, is_unsigned);
        break;
    case '&':
        *a = integer(x & y, is_unsigned);
        break;
    case '^':
        *a = integer(x ^ y, is_unsigned);
        break;
    case '|':
        *a = integer(x | y, is_unsigned);
        break;
    case PTX_TOK_SHL:
        *a = integer(y > 63 ? 0 : x << y, a->is_unsigned);
        break;
    case PTX_TOK_SHR:
        a->bits = a->is_unsigned ? unsigned_op(PTX_TOK_SHR, x, y) : signed_op(PTX_TOK_SHR, x, y);
        break;
    case PTX_TOK_EQ:
        *a = integer(x == y, false);
        break;
    case PTX_TOK_NE:
        *a = integer(x != y, false);
        break;
    case PTX_TOK_ANDAND:
        *a = integer(x != 0 && y != 0, false);
        break;
    case PTX_TOK_OROR:
        *a = integer(x != 0 || y != 0, false);
        break;
    case '/':
    case '%':
        if (y == 0)
            return ptx_lex_fail(&p->lx, op, "division by zero in a constant expression");
        a->bits = is_unsigned ? unsigned_op(op->kind, x, y) : signed_op(op->kind, x, y);
        a->is_unsigned = is_unsigned;
        break;
    default: // comparisons
        *a = integer(is_unsigned ? unsigned_op(op->kind, x, y) : signed_op(op->kind, x, y), false);
        break;
    }
    return true;
}

static bool binary(struct ptx_parser *p, unsigned depth, int least, struct ptx_value *out)
{
    if (!unary(p, depth, out))
        return false;
    for (;;) {
        int prec = precedence(p->lx.tok.kind);
        if (prec == 0 || prec < least)
            return p->lx.failed == WF_OK;
        const struct ptx_token op = p->lx.tok;
        struct ptx_value right;
        ptx_lex_next(&p->lx);
        if (!binary(p, depth + 1, prec + 1, &right) || !apply(p, &op, out, &right))
            return false;
    }
}

static bool ternary(struct ptx_parser *p, unsigned depth, struct ptx_value *out)
{
    if (!binary(p, depth, 1, out))
        return false;
    if (!ptx__at(p, '?'))
        return true;
    struct ptx_value yes, no;
    const struct ptx_token t = p->lx.tok;
    if (out->is_float)
        return ptx_lex_fail(&p->lx, &t, "the condition of '?' must be an integer");
    bool is_yes = out->bits != 0;
    ptx_lex_next(&p->lx);
    if (!ternary(p, depth + 1, &yes) || !ptx__expect(p, ':', "the first choice of '?'") ||
        !ternary(p, depth + 1, &no))
        return false;
    *out = is_yes ? yes : no;
    return true;
}

bool ptx__constant(struct ptx_parser *p, struct ptx_value *out)
{
    // A lone number, as in the long lists of tables and debug sections.
    char next = *p->lx.pos;
    if (!ptx__at(p, PTX_TOK_INT) || (next != ',' && next != ';' && next != '}' && next != ']'))
        return ternary(p, 0, out);
    *out = integer(p->lx.tok.bits, p->lx.tok.is_unsigned);
    ptx_lex_next(&p->lx);
    return p->lx.failed == WF_OK;
}

bool ptx__integer(struct ptx_parser *p, uint64_t *out)
{
    struct ptx_value v;
    if (ptx__at(p, PTX_TOK_FLOAT))
        return PTX_FAIL(p, "an integer is expected here");
    if (!ptx__constant(p, &v))
        return false;
    if (v.is_float)
        return PTX_FAIL(p, "an integer is expected in front of this");
    *out = v.bits;
    return true;
}

bool ptx__count(struct ptx_parser *p, uint64_t max, uint32_t *out)
{
    const struct ptx_token t = p->lx.tok;
    uint64_t v;
    if (!ptx__integer(p, &v))
        return false;
    if (v > max)
        return ptx_lex_fail(&p->lx, &t, "%lld is out of range here (0 to %llu)", (long long)v,
                            (unsigned long long)max);
    *out = (uint32_t)v;
    return true;
}

// SPDX-License-Identifier: Apache-2.0
// Text to tokens. Reads until the closing NUL and never past it; keeps no state but the position.
#include "ptx/lex.h"

#include <locale.h> // localeconv
#include <stdarg.h> // va_list
#include <stdio.h>  // vsnprintf
#include <stdlib.h> // strtod
#include <string.h> // memcpy

enum { C_BLANK = 1, C_START = 2, C_NAME = 4, C_DIGIT = 8, C_HEX = 16 };

// clang-format off
#define LETTER (C_START | C_NAME)
#define HEXLET (C_START | C_NAME | C_HEX)
#define NUMBER (C_NAME | C_DIGIT | C_HEX)
static const uint8_t class_of[256] = {
    [' '] = C_BLANK, ['\t'] = C_BLANK, ['\r'] = C_BLANK, ['\f'] = C_BLANK, ['\v'] = C_BLANK,
    ['0'] = NUMBER, ['1'] = NUMBER, ['2'] = NUMBER, ['3'] = NUMBER, ['4'] = NUMBER,
    ['5'] = NUMBER, ['6'] = NUMBER, ['7'] = NUMBER, ['8'] = NUMBER, ['9'] = NUMBER,
    ['a'] = HEXLET, ['b'] = HEXLET, ['c'] = HEXLET, ['d'] = HEXLET, ['e'] = HEXLET, ['f'] = HEXLET,
    ['A'] = HEXLET, ['B'] = HEXLET, ['C'] = HEXLET, ['D'] = HEXLET, ['E'] = HEXLET, ['F'] = HEXLET,
    ['g'] = LETTER, ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER, ['k'] = LETTER, ['l'] = LETTER,
    ['m'] = LETTER, ['n'] = LETTER, ['o'] = LETTER, ['p'] = LETTER, ['q'] = LETTER, ['r'] = LETTER,
    ['s'] = LETTER, ['t'] = LETTER, ['u'] = LETTER, ['v'] = LETTER, ['w'] = LETTER, ['x'] = LETTER,
    ['y'] = LETTER, ['z'] = LETTER, ['G'] = LETTER, ['H'] = LETTER, ['I'] = LETTER, ['J'] = LETTER,
    ['K'] = LETTER, ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER, ['O'] = LETTER, ['P'] = LETTER,
    ['Q'] = LETTER, ['R'] = LETTER, ['S'] = LETTER, ['T'] = LETTER, ['U'] = LETTER, ['V'] = LETTER,
    ['W'] = LETTER, ['X'] = LETTER, ['Y'] = LETTER, ['Z'] = LETTER,
    ['_'] = LETTER, ['$'] = LETTER, ['%'] = C_START,
};
// clang-format on

static bool is(char c, unsigned mask)
{
    return (class_of[(unsigned char)c] & mask) != 0;
}

uint32_t ptx_lex_col(const struct ptx_token *t)
{
    return (uint32_t)(t->pos - t->line_start) + 1;
}

bool ptx_tok_is(const struct ptx_token *t, const char *text)
{
    return strlen(text) == t->n && memcmp(t->at, text, t->n) == 0;
}

bool ptx_lex_fail(struct ptx_lexer *lx, const struct ptx_token *t, const char *fmt, ...)
{
    if (lx->failed == WF_OK) {
        char text[480];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
        lx->failed = wf_err_at(lx->err, WF_E_INPUT, lx->name, t->line, ptx_lex_col(t), "%s", text);
    }
    lx->tok.kind = PTX_TOK_END;
    lx->tok.n = 0;
    return false;
}

void ptx_lex_init(struct ptx_lexer *lx, const char *name, const char *text, struct wf_err *err)
{
    *lx = (struct ptx_lexer){.name = name, .pos = text, .line_start = text, .line = 1, .err = err};
    ptx_lex_next(lx);
}

// The token being read, for messages about it.
static struct ptx_token *begin(struct ptx_lexer *lx, const char *p)
{
    struct ptx_token *t = &lx->tok;
    t->at = t->pos = p;
    t->line = lx->line;
    t->line_start = lx->line_start;
    return t;
}

static const char *skip_line(const char *p)
{
    while (*p != 0 && *p != '\n')
        p++;
    return p;
}

// The inside of a block comment; NULL when it does not end.
static const char *skip_comment(struct ptx_lexer *lx, const char *p)
{
    for (; *p != 0; p++) {
        if (*p == '\n') {
            lx->line++;
            lx->line_start = p + 1;
        } else if (p[0] == '*' && p[1] == '/') {
            return p + 2;
        }
    }
    return NULL;
}

// `# 12 "file"` and `#line` are left by preprocessors; other lines of that kind need one first.
static const char *skip_hash(struct ptx_lexer *lx, const char *p)
{
    const char *q = p + 1;
    while (is(*q, C_BLANK))
        q++;
    if (is(*q, C_DIGIT) || strncmp(q, "line", 4) == 0 || strncmp(q, "pragma", 6) == 0)
        return skip_line(q);
    ptx_lex_fail(lx, begin(lx, p),
                 "preprocessor lines are not part of PTX: preprocess the text first");
    return NULL;
}

// Blanks, newlines and comments. NULL after an error.
static const char *skip_space(struct ptx_lexer *lx)
{
    const char *p = lx->pos;
    for (;;) {
        if (is(*p, C_BLANK)) {
            p++;
        } else if (*p == '\n') {
            p++;
            lx->line++;
            lx->line_start = p;
        } else if (p[0] == '/' && p[1] == '/') {
            p = skip_line(p);
        } else if (p[0] == '/' && p[1] == '*') {
            struct ptx_token *t = begin(lx, p);
            p = skip_comment(lx, p + 2);
            if (p == NULL) {
                ptx_lex_fail(lx, t, "comment without an end");
                return NULL;
            }
        } else if (*p == '#') {
            p = skip_hash(lx, p);
            if (p == NULL)
                return NULL;
        } else if (p[0] == '@' && p[1] == '@') {
            p = skip_line(p); // @@DWARF of old compilers
        } else {
            return p;
        }
    }
}

static unsigned hex_value(char c)
{
    if (is(c, C_DIGIT))
        return (unsigned)(c - '0');
    return (unsigned)((c | 32) - 'a') + 10;
}

static const char *lex_radix(struct ptx_lexer *lx, const char *p, unsigned radix)
{
    struct ptx_token *t = &lx->tok;
    uint64_t v = 0;
    const char *first = p;
    for (; is(*p, C_HEX) && hex_value(*p) < radix; p++) {
        if (v > (UINT64_MAX - hex_value(*p)) / radix) {
            ptx_lex_fail(lx, t, "integer constant does not fit in 64 bits");
            return p;
        }
        v = v * radix + hex_value(*p);
    }
    if (p == first) {
        ptx_lex_fail(lx, t, "integer constant without digits");
        return p;
    }
    t->kind = PTX_TOK_INT;
    t->bits = v;
    t->is_unsigned = v > INT64_MAX;
    if (*p == 'U') {
        t->is_unsigned = true;
        p++;
    }
    return p;
}

// 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits themselves.
static const char *lex_float_bits(struct ptx_lexer *lx, const char *p, unsigned digits)
{
    struct ptx_token *t = &lx->tok;
    uint64_t v = 0;
    unsigned i = 0;
    for (; i < digits && is(p[i], C_HEX); i++)
        v = v << 4 | hex_value(p[i]);
    if (i != digits) {
        ptx_lex_fail(lx, t, "0%c takes %u hexadecimal digits", digits == 8 ? 'f' : 'd', digits);
        return p + i;
    }
    t->kind = PTX_TOK_FLOAT;
    t->bits = v;
    t->is_f32 = digits == 8;
    return p + digits;
}

static const char *lex_decimal_float(struct ptx_lexer *lx, const char *p, const char *end)
{
    struct ptx_token *t = &lx->tok;
    char buf[128];
    size_t n = (size_t)(end - p);
    if (n >= sizeof buf) {
        ptx_lex_fail(lx, t, "floating-point constant is too long");
        return end;
    }
    memcpy(buf, p, n);
    buf[n] = 0;
    char *dot = strchr(buf, '.');
    if (dot != NULL)
        *dot = localeconv()->decimal_point[0];
    double v = strtod(buf, NULL);
    memcpy(&t->bits, &v, sizeof v);
    t->kind = PTX_TOK_FLOAT;
    t->is_f32 = false;
    return end;
}

// End of the decimal float at p, or NULL when it is an integer.
static const char *float_end(const char *p)
{
    const char *q = p;
    bool is_float = false;
    while (is(*q, C_DIGIT))
        q++;
    if (*q == '.') {
        is_float = true;
        q++;
        while (is(*q, C_DIGIT))
            q++;
    }
    if (*q == 'e' || *q == 'E') {
        const char *e = q + 1;
        if (*e == '+' || *e == '-')
            e++;
        if (is(*e, C_DIGIT)) {
            is_float = true;
            while (is(*e, C_DIGIT))
                e++;
            q = e;
        }
    }
    return is_float ? q : NULL;
}

static const char *lex_number(struct ptx_lexer *lx, const char *p)
{
    struct ptx_token *t = &lx->tok;
    const char *end;
    t->is_unsigned = false;
    char second = (char)(p[0] == '0' ? p[1] | 32 : 0);
    if (second == 'x')
        end = lex_radix(lx, p + 2, 16);
    else if (second == 'b')
        end = lex_radix(lx, p + 2, 2);
    else if (second == 'f')
        end = lex_float_bits(lx, p + 2, 8);
    else if (second == 'd')
        end = lex_float_bits(lx, p + 2, 16);
    else if ((end = float_end(p)) != NULL)
        end = lex_decimal_float(lx, p, end);
    else if (p[0] == '0' && is(p[1], C_DIGIT))
        end = lex_radix(lx, p + 1, 8);
    else
        end = lex_radix(lx, p, 10);
    if (lx->failed == WF_OK && is(*end, C_NAME))
        ptx_lex_fail(lx, t, "'%c' in a number", *end);
    return end;
}

static const char *lex_string(struct ptx_lexer *lx, const char *p)
{
    struct ptx_token *t = &lx->tok;
    const char *q = p + 1;
    while (*q != 0 && *q != '"' && *q != '\n') // no escapes: a backslash stands for itself
        q++;
    if (*q != '"') {
        ptx_lex_fail(lx, t, "string without a closing quote");
        return q;
    }
    t->kind = PTX_TOK_STRING;
    t->at = p + 1;
    t->n = (uint32_t)(q - t->at);
    return q + 1;
}

static const char *lex_word(struct ptx_lexer *lx, const char *p)
{
    struct ptx_token *t = &lx->tok;
    const char *q = p + 1;
    while (is(*q, C_NAME) || (q[0] == ':' && q[1] == ':' && is(q[2], C_NAME)))
        q += *q == ':' ? 2 : 1;
    if (q == p + 1) {
        t->kind = '.';
        return q;
    }
    t->kind = PTX_TOK_WORD;
    t->at = p + 1;
    t->n = (uint32_t)(q - t->at);
    return q;
}

uint32_t ptx_lex_opcode(struct ptx_lexer *lx)
{
    const char *q = lx->pos;
    while (q[0] == '.' && is(q[1], C_NAME)) {
        q++;
        while (is(*q, C_NAME) || (q[0] == ':' && q[1] == ':' && is(q[2], C_NAME)))
            q += *q == ':' ? 2 : 1;
    }
    lx->pos = q;
    return (uint32_t)(q - lx->tok.pos);
}

static const char *lex_punct(struct ptx_lexer *lx, const char *p)
{
    static const struct {
        char text[3];
        int kind;
    } twin[] = {{"<<", PTX_TOK_SHL},    {">>", PTX_TOK_SHR}, {"<=", PTX_TOK_LE},
                {">=", PTX_TOK_GE},     {"==", PTX_TOK_EQ},  {"!=", PTX_TOK_NE},
                {"&&", PTX_TOK_ANDAND}, {"||", PTX_TOK_OROR}};
    struct ptx_token *t = &lx->tok;
    for (size_t i = 0; i < sizeof twin / sizeof *twin; i++) {
        if (p[0] == twin[i].text[0] && p[1] == twin[i].text[1]) {
            t->kind = twin[i].kind;
            return p + 2;
        }
    }
    if (strchr("{}[](),;:=<>+-*/%!~&^|?@", *p) == NULL) {
        unsigned c = (unsigned char)*p;
        if (c > 32 && c < 127)
            ptx_lex_fail(lx, t, "unexpected character '%c'", *p);
        else
            ptx_lex_fail(lx, t, "unexpected byte 0x%02x", c);
        return p;
    }
    t->kind = *p;
    return p + 1;
}

void ptx_lex_next(struct ptx_lexer *lx)
{
    if (lx->failed != WF_OK)
        return;
    const char *p = skip_space(lx);
    if (p == NULL)
        return;
    struct ptx_token *t = begin(lx, p);
    if (is(*p, C_START) && (*p != '%' || is(p[1], C_NAME))) {
        const char *q = p + 1;
        while (is(*q, C_NAME))
            q++;
        t->kind = PTX_TOK_NAME;
        t->n = (uint32_t)(q - p);
        lx->pos = q;
        return;
    }
    t->n = 1;
    if (*p == 0) {
        t->kind = PTX_TOK_END;
        t->n = 0;
        lx->pos = p;
    } else if (is(*p, C_DIGIT)) {
        lx->pos = lex_number(lx, p);
        if (lx->failed == WF_OK)
            t->n = (uint32_t)(lx->pos - p);
    } else if (*p == '.') {
        lx->pos = lex_word(lx, p);
    } else if (*p == '"') {
        lx->pos = lex_string(lx, p);
    } else {
        lx->pos = lex_punct(lx, p);
        if (lx->failed == WF_OK)
            t->n = (uint32_t)(lx->pos - p);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Tokens of PTX text. The text must end in a NUL (a NUL inside ends it early). The lexer knows no
// keyword: a word behind a dot is one token with its "::" parts, a name is one token.
#ifndef WF_PTX_LEX_H
#define WF_PTX_LEX_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint32_t

#include "base/err.h" // struct wf_err

enum {
    PTX_TOK_END = 0, // also after an error
    // single characters stand for themselves
    PTX_TOK_NAME = 256, // add, %r1, $L__BB0_1, _
    PTX_TOK_WORD,       // .global, .shared::cta: text without the dot
    PTX_TOK_INT,        // bits, is_unsigned
    PTX_TOK_FLOAT,      // bits, is_f32
    PTX_TOK_STRING,     // text between the quotes
    PTX_TOK_SHL,
    PTX_TOK_SHR,
    PTX_TOK_LE,
    PTX_TOK_GE,
    PTX_TOK_EQ,
    PTX_TOK_NE,
    PTX_TOK_ANDAND,
    PTX_TOK_OROR
};

struct ptx_token {
    int kind;
    uint32_t n;     // length of the text
    const char *at; // text
    const char *pos; // where it starts, the dot or the quote included
    const char *line_start;
    uint32_t line;
    bool is_unsigned, is_f32;
    uint64_t bits;
};

struct ptx_lexer {
    const char *name; // for messages
    const char *pos, *line_start;
    uint32_t line;
    struct ptx_token tok; // the current token
    struct wf_err *err;
    enum wf_status failed; // first error; then every token is END
};

void ptx_lex_init(struct ptx_lexer *lx, const char *name, const char *text, struct wf_err *err);
// Reads the next token into lx->tok.
void ptx_lex_next(struct ptx_lexer *lx);
// The current token is a NAME: takes the words that stick to it (add.s32, not add .s32) as well.
// Gives the length of the whole from tok.pos; the token itself stays until ptx_lex_next.
uint32_t ptx_lex_opcode(struct ptx_lexer *lx);
// Records the first error at `t` and stops the token stream. Always false, so that a parser may say
// `return ptx_lex_fail(...)`.
bool ptx_lex_fail(struct ptx_lexer *lx, const struct ptx_token *t, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
uint32_t ptx_lex_col(const struct ptx_token *t); // 1-based
bool ptx_tok_is(const struct ptx_token *t, const char *text); // same text, whatever the kind

#endif

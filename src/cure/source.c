// SPDX-License-Identifier: Apache-2.0
// Lines and statements of a source. See source.h.
#include "cure/source.h"

#include <ctype.h>  // isspace
#include <stdlib.h> // free
#include <string.h> // memcpy

// ---- comments, strings and preprocessor lines become blanks

static size_t blank(struct wf__source *s, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < s->n; i++)
        if (s->code[i] != '\n')
            s->code[i] = ' ';
    return to;
}

static size_t comment_end(const struct wf__source *s, size_t i)
{
    bool is_line = s->text[i + 1] == '/';
    for (i += 2; i < s->n; i++) {
        if (is_line && s->text[i] == '\n')
            return i;
        if (!is_line && s->text[i] == '*' && i + 1 < s->n && s->text[i + 1] == '/')
            return i + 2;
    }
    return s->n;
}

static size_t string_end(const struct wf__source *s, size_t i)
{
    char quote = s->text[i];
    for (i++; i < s->n && s->text[i] != quote && s->text[i] != '\n'; i++)
        i += s->text[i] == '\\';
    return i + 1 < s->n ? i + 1 : s->n;
}

static size_t directive_end(const struct wf__source *s, size_t i)
{
    while (i < s->n && (s->text[i] != '\n' || s->text[i - 1] == '\\'))
        i++;
    return i;
}

static void strip(struct wf__source *s)
{
    bool at_start = true; // of a line
    for (size_t i = 0; i < s->n;) {
        char c = s->text[i], d = i + 1 < s->n ? s->text[i + 1] : 0;
        if (c == '/' && (d == '/' || d == '*')) {
            i = blank(s, i, comment_end(s, i));
            continue;
        }
        if (c == '#' && at_start) {
            i = blank(s, i, directive_end(s, i));
            continue;
        }
        if (c == '"' || (c == '\'' && !(i && isalnum((unsigned char)s->text[i - 1])))) {
            i = blank(s, i, string_end(s, i));
            at_start = false;
            continue;
        }
        at_start = c == '\n' || (at_start && isspace((unsigned char)c));
        i++;
    }
}

// ---- statements

static size_t skip_space(const struct wf__source *s, size_t i)
{
    while (i < s->n && isspace((unsigned char)s->code[i]))
        i++;
    return i;
}

// Behind the bracket that closes the one at i.
static size_t skip_brackets(const struct wf__source *s, size_t i)
{
    int depth = 0;
    for (; i < s->n; i++) {
        char c = s->code[i];
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth == 0)
            return i + 1;
    }
    return s->n;
}

static bool is_word(const struct wf__source *s, size_t i, const char *word)
{
    size_t n = strlen(word);
    return i + n <= s->n && !memcmp(s->code + i, word, n) &&
           !(i + n < s->n && (isalnum((unsigned char)s->code[i + n]) || s->code[i + n] == '_'));
}

static uint32_t add(struct wf__source *s, enum wf__stmt_kind kind, uint32_t parent, size_t at)
{
    WF_PUSH(&s->stmt, (struct wf__stmt){.kind = kind, .parent = parent, .at = at, .end = at});
    return (uint32_t)s->stmt.n - 1;
}

static size_t parse(struct wf__source *s, size_t i, uint32_t parent, int depth);

static size_t parse_block(struct wf__source *s, size_t i, uint32_t parent, int depth)
{
    uint32_t me = add(s, WF__STMT_BLOCK, parent, i);
    for (i = skip_space(s, i + 1); i < s->n && s->code[i] != '}'; i = skip_space(s, i)) {
        size_t next = parse(s, i, me, depth);
        i = next > i ? next : i + 1;
    }
    s->stmt.at[me].end = i < s->n ? i + 1 : s->n;
    return s->stmt.at[me].end;
}

// `if (...) part [else part]`, `while (...) part`, `for (...) part`, `switch (...) part`.
static size_t parse_headed(struct wf__source *s, size_t i, uint32_t parent, int depth, bool is_loop)
{
    uint32_t me = add(s, is_loop ? WF__STMT_LOOP : WF__STMT_IF, parent, i);
    while (i < s->n && s->code[i] != '(' && s->code[i] != ';')
        i++;
    i = skip_brackets(s, i);
    s->stmt.at[me].head_end = i;
    i = parse(s, skip_space(s, i), me, depth);
    size_t other = skip_space(s, i);
    if (!is_loop && is_word(s, other, "else"))
        i = parse(s, skip_space(s, other + 4), me, depth);
    s->stmt.at[me].end = i;
    return i;
}

static size_t parse_do(struct wf__source *s, size_t i, uint32_t parent, int depth)
{
    uint32_t me = add(s, WF__STMT_LOOP, parent, i);
    s->stmt.at[me].head_end = i + 2;
    i = parse(s, skip_space(s, i + 2), me, depth);
    while (i < s->n && s->code[i] != ';')
        i = s->code[i] == '(' ? skip_brackets(s, i) : i + 1;
    s->stmt.at[me].end = i < s->n ? i + 1 : s->n;
    return s->stmt.at[me].end;
}

static size_t parse(struct wf__source *s, size_t i, uint32_t parent, int depth)
{
    if (i >= s->n || depth > 200)
        return s->n;
    if (s->code[i] == '{')
        return parse_block(s, i, parent, depth + 1);
    if (is_word(s, i, "if") || is_word(s, i, "switch"))
        return parse_headed(s, i, parent, depth + 1, false);
    if (is_word(s, i, "for") || is_word(s, i, "while"))
        return parse_headed(s, i, parent, depth + 1, true);
    if (is_word(s, i, "do"))
        return parse_do(s, i, parent, depth + 1);
    uint32_t me = add(s, WF__STMT_OTHER, parent, i);
    while (i < s->n && s->code[i] != ';' && s->code[i] != '}')
        i = strchr("([{", s->code[i]) ? skip_brackets(s, i) : i + 1;
    s->stmt.at[me].end = i < s->n && s->code[i] == ';' ? i + 1 : i;
    return s->stmt.at[me].end;
}

// A function's body: a brace behind a closing parenthesis (and words such as const). Other braces at this
// level are classes and namespaces, whose insides are looked through.
static void find_bodies(struct wf__source *s)
{
    char last = 0, before = 0; // sign before the brace; the newest sign that is no letter
    for (size_t i = 0; i < s->n;) {
        char c = s->code[i];
        if (c == '{' && (last == ')' || before == ')')) {
            i = parse_block(s, i, WF__NO_STMT, 0);
            last = before = '}';
            continue;
        }
        if (!isspace((unsigned char)c)) {
            last = c;
            if (!isalnum((unsigned char)c) && c != '_')
                before = c;
        }
        i = c == '(' ? skip_brackets(s, i) : i + 1;
        if (c == '(')
            last = before = ')';
    }
}

void wf__source_parse(struct wf__source *s, const char *text, size_t n)
{
    *s = (struct wf__source){.text = text, .n = n, .code = wf_xmalloc(n + 1)};
    memcpy(s->code, text, n);
    s->code[n] = '\0';
    WF_PUSH(&s->line, 0);
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n')
            WF_PUSH(&s->line, i + 1);
    strip(s);
    find_bodies(s);
}

void wf__source_fini(struct wf__source *s)
{
    free(s->code);
    WF_VEC_FINI(&s->line);
    WF_VEC_FINI(&s->stmt);
}

uint32_t wf__line_of(const struct wf__source *s, size_t at)
{
    uint32_t line = 1;
    while (line < s->line.n && s->line.at[line] <= at)
        line++;
    return line;
}

uint32_t wf__stmt_at(const struct wf__source *s, uint32_t line, uint32_t col)
{
    if (!line || line > s->line.n)
        return WF__NO_STMT;
    size_t from = s->line.at[line - 1], to = line < s->line.n ? s->line.at[line] : s->n;
    size_t at = skip_space(s, from);
    if (col && from + col - 1 < to)
        at = from + col - 1;
    uint32_t best = WF__NO_STMT;
    for (uint32_t i = 0; i < s->stmt.n; i++) {
        const struct wf__stmt *x = &s->stmt.at[i];
        if (x->at <= at && at < x->end && (best == WF__NO_STMT || x->end - x->at < s->stmt.at[best].end - s->stmt.at[best].at))
            best = i;
    }
    return best;
}

uint32_t wf__stmt_in_block(const struct wf__source *s, uint32_t i)
{
    while (i != WF__NO_STMT) {
        uint32_t p = s->stmt.at[i].parent;
        if (p == WF__NO_STMT)
            return WF__NO_STMT;
        if (s->stmt.at[p].kind == WF__STMT_BLOCK)
            return i;
        i = p;
    }
    return i;
}

bool wf__stmt_holds(const struct wf__source *s, uint32_t outer, uint32_t inner)
{
    for (; inner != WF__NO_STMT; inner = s->stmt.at[inner].parent)
        if (inner == outer)
            return true;
    return false;
}

uint32_t wf__stmt_common(const struct wf__source *s, uint32_t a, uint32_t b)
{
    while (a != WF__NO_STMT && !wf__stmt_holds(s, a, b))
        a = s->stmt.at[a].parent;
    return a;
}

uint32_t wf__stmt_child(const struct wf__source *s, uint32_t block, uint32_t i)
{
    while (i != WF__NO_STMT && s->stmt.at[i].parent != block)
        i = s->stmt.at[i].parent;
    return i;
}

uint32_t wf__stmt_function(const struct wf__source *s, uint32_t i)
{
    while (i != WF__NO_STMT && s->stmt.at[i].parent != WF__NO_STMT)
        i = s->stmt.at[i].parent;
    return i;
}

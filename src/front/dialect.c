// SPDX-License-Identifier: Apache-2.0
// Two liberties that nvcc allows and clang does not, mended in a copy of a source that clang reads
// in the original's place (-remap-file), so that file names and lines stay:
//   __shared__ alignas(16) int s[8];        -> __shared__ _Alignas(16) ...
//   asm("mov.u32 %0, %laneid;" : "=r"(x));  -> "... %%laneid;": registers need the second % beside
//   operands
#include <ctype.h>  // isalpha
#include <string.h> // strncmp

#include "base/file.h"
#include "front/priv.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Behind a comment or a literal that begins at s, else s itself.
static const char *skip_opaque(const char *s)
{
    if (s[0] == '/' && s[1] == '/')
        return s + strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (s[0] != '"' && s[0] != '\'')
        return s;
    for (const char *p = s + 1; *p && *p != '\n'; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == *s)
            return p + 1;
    }
    return s + 1; // no literal after all: 1'000
}

// `word` at s as a whole word.
static bool at_word(const char *start, const char *s, const char *word)
{
    size_t n = strlen(word);
    return strncmp(s, word, n) == 0 && !is_word(s[n]) && (s == start || !is_word(s[-1]));
}

static const char *skip_blank(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

// s stands at "asm"; gives the range of the template strings when operands follow.
static bool asm_template(const char *s, const char **from, const char **to)
{
    s = skip_blank(s);
    while (strncmp(s, "volatile", 8) == 0 || strncmp(s, "__volatile__", 12) == 0)
        s = skip_blank(s + (*s == 'v' ? 8 : 12));
    if (*s != '(')
        return false;
    *from = ++s;
    for (int depth = 1; *s;) {
        const char *behind = skip_opaque(s);
        if (behind != s) {
            s = behind;
            continue;
        }
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        if (depth == 0)
            return false; // no operands: a single % is right
        if (*s == ':') {
            *to = s;
            return true;
        }
        s++;
    }
    return false;
}

static void copy_template(struct wf_str *out, const char *s, const char *to)
{
    for (; s < to; s++) {
        wf_str_addc(out, *s);
        if (*s != '%')
            continue;
        if (s[1] == '%')
            wf_str_addc(out, *++s);
        else if (isalpha((unsigned char)s[1]) && !(s[2] == '[' || isdigit((unsigned char)s[2])))
            wf_str_addc(out, '%');
    }
}

bool wf__dialect_mend(const char *text, struct wf_str *out)
{
    static const char *const spaces[] = {"__shared__", "__device__", "__constant__"};
    bool changed = false;
    for (const char *s = text; *s;) {
        const char *from, *to, *behind = skip_opaque(s);
        if (behind != s) {
            wf_str_addn(out, s, (size_t)(behind - s));
            s = behind;
            continue;
        }
        size_t word = 0;
        while (is_word(s[word]))
            word++;
        if (!word) {
            wf_str_addc(out, *s++);
            continue;
        }
        const char *next = skip_blank(s + word);
        wf_str_addn(out, s, word);
        bool is_space = false;
        for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
            is_space |= at_word(text, s, spaces[i]);
        if (is_space && at_word(text, next, "alignas")) {
            wf_str_addn(out, s + word, (size_t)(next - s) - word);
            wf_str_add(out, "_Alignas");
            s = next + strlen("alignas");
            changed = true;
            continue;
        }
        bool is_asm = at_word(text, s, "asm") || at_word(text, s, "__asm__");
        s += word;
        if (is_asm && asm_template(s, &from, &to)) {
            size_t before = out->n;
            wf_str_addn(out, s, (size_t)(from - s));
            copy_template(out, from, to);
            changed |= out->n - before != (size_t)(to - s);
            s = to;
        }
    }
    return changed;
}

enum wf_status wf__dialect_source(struct wf__plan *p, const char *source, const char *copy,
                                  const char **remap, struct wf_err *err)
{
    struct wf_file f;
    struct wf_str out = {0};
    *remap = NULL;
    enum wf_status st = wf_file_read(source, &f, err);
    if (st != WF_OK)
        return st;
    if (wf__dialect_mend(f.at, &out)) {
        st = wf_file_write_atomic(copy, out.at, out.n, err);
        *remap = wf_arena_printf(&p->arena, "%s;%s", source, copy);
    }
    wf_str_fini(&out);
    wf_file_fini(&f);
    return st;
}

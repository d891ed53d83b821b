// SPDX-License-Identifier: Apache-2.0
// Names: encodings, nested and local names, operators, constructors, lambdas.
#include "report/demangle.h"

#include <stdio.h>  // snprintf
#include <string.h> // strlen

#include "report/demangle_priv.h"

bool wf__dm_eat(struct wf__dm *d, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(d->end - d->p) < n || memcmp(d->p, text, n) != 0)
        return false;
    d->p += n;
    return true;
}

char wf__dm_peek(const struct wf__dm *d, size_t ahead)
{
    return (size_t)(d->end - d->p) > ahead ? d->p[ahead] : '\0';
}

const char *wf__dm_copy(struct wf__dm *d, const char *s, size_t n)
{
    if (n > WF__DM_PIECE || n + 16 > d->budget_bytes)
        return NULL;
    d->budget_bytes -= n + 16;
    return wf_arena_strndup(d->a, s, n);
}

const char *wf__dm_join(struct wf__dm *d, const char *a, const char *b, const char *c,
                        const char *e, const char *f)
{
    const char *part[6] = {a, b, c, e, f, NULL};
    char buf[WF__DM_PIECE];
    size_t n = 0;
    for (int i = 0; part[i]; i++) {
        size_t k = strlen(part[i]);
        if (k > sizeof buf - n)
            return NULL;
        memcpy(buf + n, part[i], k);
        n += k;
    }
    return wf__dm_copy(d, buf, n);
}

bool wf__dm_number(struct wf__dm *d, size_t *out)
{
    size_t v = 0, digits = 0;
    for (; d->p < d->end && *d->p >= '0' && *d->p <= '9'; d->p++, digits++) {
        if (v > 1000000)
            return false;
        v = v * 10 + (size_t)(*d->p - '0');
    }
    *out = v;
    return digits > 0;
}

bool wf__dm_seq(struct wf__dm *d, int base, size_t *out)
{
    if (wf__dm_eat(d, "_")) {
        *out = 0;
        return true;
    }
    size_t v = 0;
    for (; d->p < d->end && *d->p != '_'; d->p++) {
        int digit = *d->p >= '0' && *d->p <= '9'   ? *d->p - '0'
                    : *d->p >= 'A' && *d->p <= 'Z' ? *d->p - 'A' + 10
                                                   : base;
        if (digit >= base || v > 100000)
            return false;
        v = v * (size_t)base + (size_t)digit;
    }
    *out = v + 1;
    return wf__dm_eat(d, "_");
}

bool wf__dm_add(struct wf__dm *d, struct wf__piece p)
{
    if (!p.left)
        return false;
    WF_PUSH(&d->subs, p);
    return true;
}

static const char *source_name(struct wf__dm *d)
{
    size_t n;
    if (!wf__dm_number(d, &n) || n == 0 || n > (size_t)(d->end - d->p))
        return NULL;
    const char *s = d->p;
    d->p += n;
    if (n >= 10 && memcmp(s, "_GLOBAL_", 8) == 0 && s[9] == 'N')
        return "(anonymous namespace)";
    return wf__dm_copy(d, s, n);
}

static const char *operator_name(struct wf__dm *d)
{
    static const struct {
        char code[3];
        const char *text;
    } row[] = {
        {"nw", " new"}, {"na", " new[]"}, {"dl", " delete"}, {"da", " delete[]"}, {"ps", "+"},
        {"ng", "-"},    {"ad", "&"},      {"de", "*"},       {"co", "~"},         {"pl", "+"},
        {"mi", "-"},    {"ml", "*"},      {"dv", "/"},       {"rm", "%"},         {"an", "&"},
        {"or", "|"},    {"eo", "^"},      {"aS", "="},       {"pL", "+="},        {"mI", "-="},
        {"mL", "*="},   {"dV", "/="},     {"rM", "%="},      {"aN", "&="},        {"oR", "|="},
        {"eO", "^="},   {"ls", "<<"},     {"rs", ">>"},      {"lS", "<<="},       {"rS", ">>="},
        {"eq", "=="},   {"ne", "!="},     {"lt", "<"},       {"gt", ">"},         {"le", "<="},
        {"ge", ">="},   {"ss", "<=>"},    {"nt", "!"},       {"aa", "&&"},        {"oo", "||"},
        {"pp", "++"},   {"mm", "--"},     {"cm", ","},       {"pm", "->*"},       {"pt", "->"},
        {"cl", "()"},   {"ix", "[]"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (wf__dm_eat(d, row[i].code))
            return wf__dm_join(d, "operator", row[i].text, NULL, NULL, NULL);
    return NULL;
}

// Ul <parameter types> E [number] _  and  Ut [number] _
static const char *unnamed(struct wf__dm *d)
{
    const char *params = NULL;
    size_t k;
    if (wf__dm_eat(d, "Ul")) {
        bool outer = d->is_lambda;
        d->is_lambda = true;
        params = wf__dm_params(d);
        d->is_lambda = outer;
        if (!params || !wf__dm_eat(d, "E"))
            return NULL;
    } else if (!wf__dm_eat(d, "Ut")) {
        return NULL;
    }
    if (!wf__dm_seq(d, 10, &k))
        return NULL;
    char number[32];
    snprintf(number, sizeof number, "#%zu}", k + 1);
    return params ? wf__dm_join(d, "{lambda", params, number, NULL, NULL)
                  : wf__dm_join(d, "{unnamed type", number, NULL, NULL, NULL);
}

// The last component of a qualified name without its template arguments: what a constructor is
// called.
static const char *class_name(struct wf__dm *d, const char *prefix)
{
    size_t n = strlen(prefix), from = 0, to = 0;
    int nested = 0;
    for (size_t i = 0; i < n; i++) {
        char c = prefix[i];
        if (c == '<' || c == '(' || c == '{') {
            if (nested++ == 0)
                to = i;
        } else if (c == '>' || c == ')' || c == '}') {
            nested--;
        } else if (c == ':' && nested == 0) {
            from = i + 1;
            to = 0;
        }
    }
    return wf__dm_copy(d, prefix + from, (to > from ? to : n) - from);
}

// numba tells apart by tags: a counter, and a long text of compiler flags. No reader knows them.
static bool is_numba_tag(const char *tag)
{
    return strncmp(tag, "cw51", 4) == 0 ||
           (tag[0] == 'v' && tag[1] && strspn(tag + 1, "0123456789") == strlen(tag + 1));
}

static const char *unqualified(struct wf__dm *d, const char *prefix)
{
    const char *s;
    char c = wf__dm_peek(d, 0), c1 = wf__dm_peek(d, 1);
    d->has_return = false;
    if (c == 'L') { // internal linkage (clang)
        d->p++;
        c = wf__dm_peek(d, 0);
    }
    if (c >= '0' && c <= '9') {
        s = source_name(d);
    } else if ((c == 'C' || c == 'D') && c1 >= '0' && c1 <= '5') {
        if (!prefix)
            return NULL;
        d->p += 2;
        s = class_name(d, prefix);
        if (s && c == 'D')
            s = wf__dm_join(d, "~", s, NULL, NULL, NULL);
    } else if (c == 'U') {
        s = unnamed(d);
    } else if (c == 'c' && c1 == 'v') {
        d->p += 2;
        struct wf__piece t = wf__dm_type(d);
        s = t.left ? wf__dm_join(d, "operator ", t.left, t.right, NULL, NULL) : NULL;
    } else {
        s = operator_name(d);
    }
    while (s && wf__dm_eat(d, "B")) {
        const char *tag = source_name(d);
        if (tag && is_numba_tag(tag))
            continue;
        s = tag ? wf__dm_join(d, s, "[abi:", tag, "]", NULL) : NULL;
    }
    return s;
}

static const char *qualifiers(struct wf__dm *d)
{
    bool r = wf__dm_eat(d, "r"), v = wf__dm_eat(d, "V"), k = wf__dm_eat(d, "K");
    const char *ref = wf__dm_eat(d, "R") ? " &" : wf__dm_eat(d, "O") ? " &&" : "";
    return wf__dm_join(d, k ? " const" : "", v ? " volatile" : "", r ? " __restrict__" : "", ref,
                       NULL);
}

static bool starts_ctor_or_conversion(const struct wf__dm *d)
{
    char c = wf__dm_peek(d, 0), c1 = wf__dm_peek(d, 1);
    return ((c == 'C' || c == 'D') && c1 >= '0' && c1 <= '5') || (c == 'c' && c1 == 'v');
}

// N [qualifiers] component... E. Every prefix but the whole name is a substitution candidate.
static const char *nested_name(struct wf__dm *d)
{
    const char *cv = qualifiers(d), *s = NULL;
    bool has_return = false, is_special = false;
    while (cv && !wf__dm_eat(d, "E")) {
        bool is_known = false; // already a candidate
        if (wf__dm_peek(d, 0) == 'I') {
            const char *args = s ? wf__dm_targs(d) : NULL;
            s = args ? wf__dm_join(d, s, args, NULL, NULL, NULL) : NULL;
            has_return = !is_special;
        } else if (wf__dm_peek(d, 0) == 'S' && !s) {
            struct wf__piece p = {0};
            is_known = true;
            d->p++;
            if (wf__dm_eat(d, "t"))
                s = "std";
            else if ((p = wf__dm_subst(d)).left)
                s = wf__dm_join(d, p.left, p.right, NULL, NULL, NULL);
        } else if (wf__dm_peek(d, 0) == 'T' && !s) {
            struct wf__piece p = wf__dm_type(d); // adds itself
            is_known = true;
            s = p.left ? wf__dm_join(d, p.left, p.right, NULL, NULL, NULL) : NULL;
        } else {
            is_special = starts_ctor_or_conversion(d);
            has_return = false;
            const char *part = unqualified(d, s);
            s = !part ? NULL : s ? wf__dm_join(d, s, "::", part, NULL, NULL) : part;
        }
        if (!s)
            return NULL;
        if (!is_known && wf__dm_peek(d, 0) != 'E' &&
            !wf__dm_add(d, (struct wf__piece){s, "", NULL, false}))
            return NULL;
    }
    d->has_return = has_return;
    d->cv = cv;
    return s;
}

// Z <function encoding> E <entity> [_ <number>]; the entity s is a string literal.
static const char *local_name(struct wf__dm *d)
{
    const char *signature, *name;
    if (!wf__dm_encoding(d, &signature, &name) || !wf__dm_eat(d, "E"))
        return NULL;
    const char *part = NULL;
    if (wf__dm_eat(d, "s")) {
        part = "string literal";
        d->has_return = false;
    } else {
        size_t ignored;
        if (wf__dm_eat(d, "d") && !wf__dm_seq(d, 10, &ignored))
            return NULL;
        part = wf__dm_name(d);
    }
    if (!part)
        return NULL;
    size_t ignored;
    if (wf__dm_eat(d, "__")) {
        if (!wf__dm_number(d, &ignored) || !wf__dm_eat(d, "_"))
            return NULL;
    } else if (wf__dm_peek(d, 0) == '_' && wf__dm_peek(d, 1) >= '0' && wf__dm_peek(d, 1) <= '9') {
        d->p += 2;
    }
    return wf__dm_join(d, signature, "::", part, NULL, NULL);
}

const char *wf__dm_name(struct wf__dm *d)
{
    const char *s = NULL;
    bool is_known = false;
    if (d->depth >= WF__DM_DEPTH)
        return NULL;
    d->depth++;
    d->cv = "";
    if (wf__dm_eat(d, "N")) {
        s = nested_name(d);
        d->depth--;
        return s;
    }
    if (wf__dm_eat(d, "Z")) {
        s = local_name(d);
        d->depth--;
        return s;
    }
    if (wf__dm_eat(d, "St")) {
        const char *part = unqualified(d, NULL);
        s = part ? wf__dm_join(d, "std::", part, NULL, NULL, NULL) : NULL;
    } else if (wf__dm_eat(d, "S")) {
        struct wf__piece p = wf__dm_subst(d);
        s = p.left;
        is_known = true;
    } else {
        s = unqualified(d, NULL);
    }
    if (s && wf__dm_peek(d, 0) == 'I') {
        const char *args = is_known || wf__dm_add(d, (struct wf__piece){s, "", NULL, false})
                               ? wf__dm_targs(d)
                               : NULL;
        s = args ? wf__dm_join(d, s, args, NULL, NULL, NULL) : NULL;
        d->has_return = true;
    } else if (is_known) {
        s = NULL; // a substitution alone names no function
    }
    d->depth--;
    d->cv = "";
    return s;
}

const char *wf__dm_encoding(struct wf__dm *d, const char **signature, const char **name)
{
    struct wf__targs saved = d->targs;
    if (d->depth >= WF__DM_DEPTH)
        return NULL;
    d->depth++;
    d->last = (struct wf__targs){0};
    const char *full = *name = *signature = wf__dm_name(d), *cv = d->cv;
    bool has_return = d->has_return;
    struct wf__piece ret = {"", "", NULL, false};
    char next = wf__dm_peek(d, 0);
    if (full && next && next != 'E' && next != '.') { // a function, not a variable
        d->targs = d->last;
        if (has_return)
            ret = wf__dm_type(d);
        const char *params = ret.left ? wf__dm_params(d) : NULL;
        *signature = params ? wf__dm_join(d, *name, params, cv, NULL, NULL) : NULL;
        full = *signature && has_return
                   ? wf__dm_join(d, ret.left, ret.right[0] ? "" : " ", *signature, ret.right, NULL)
                   : *signature;
    }
    d->last = d->targs; // an entity inside this function may name its arguments
    d->targs = saved;
    d->depth--;
    return full;
}

struct wf_demangled wf_demangle(struct wf_arena *a, const char *mangled)
{
    struct wf_demangled out = {mangled, mangled, mangled};
    size_t n = mangled ? strlen(mangled) : 0;
    if (n < 3 || n > 16384 || memcmp(mangled, "_Z", 2) != 0)
        return out;
    struct wf_arena scratch;
    wf_arena_init(&scratch, "demangle");
    struct wf__dm d = {.a = &scratch,
                       .p = mangled + 2,
                       .end = mangled + n,
                       .cv = "",
                       .pack_index = WF__DM_NO_PACK,
                       .budget_bytes = WF__DM_BUDGET};
    const char *signature = NULL, *name = NULL, *full = wf__dm_encoding(&d, &signature, &name);
    if (!full && name) { // the name is what a reader needs most
        out.full = out.signature = wf_arena_printf(a, "%s(...)", name);
        out.name = wf_arena_strdup(a, name);
    } else if (full && (d.p == d.end || *d.p == '.')) { // ".suffix" is added by compilers to clones
        out.full = wf_arena_printf(a, "%s%s%.*s%s", full, d.p == d.end ? "" : " [",
                                   (int)(d.end - d.p), d.p, d.p == d.end ? "" : "]");
        out.signature = wf_arena_strdup(a, signature);
        out.name = wf_arena_strdup(a, name);
    }
    WF_VEC_FINI(&d.subs);
    wf_arena_fini(&scratch);
    return out;
}

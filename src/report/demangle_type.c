// SPDX-License-Identifier: Apache-2.0
// Types and template arguments. A type is a piece: what stands left and right of a declared name.
#include <stdio.h>  // snprintf
#include <string.h> // strlen

#include "report/demangle_priv.h"

static const struct wf__piece nothing;

static struct wf__piece piece(const char *left)
{
    return left ? (struct wf__piece){left, "", NULL, false} : nothing;
}

static const char *builtin(char c)
{
    static const char *const name[128] = {
        ['v'] = "void",        ['w'] = "wchar_t",
        ['b'] = "bool",        ['c'] = "char",
        ['a'] = "signed char", ['h'] = "unsigned char",
        ['s'] = "short",       ['t'] = "unsigned short",
        ['i'] = "int",         ['j'] = "unsigned int",
        ['l'] = "long",        ['m'] = "unsigned long",
        ['x'] = "long long",   ['y'] = "unsigned long long",
        ['n'] = "__int128",    ['o'] = "unsigned __int128",
        ['f'] = "float",       ['d'] = "double",
        ['e'] = "long double", ['g'] = "__float128",
        ['z'] = "...",
    };
    return c > 0 ? name[(unsigned char)c] : NULL;
}

// Pointer or reference `mark` to t. References collapse: & wins over &&.
static struct wf__piece point(struct wf__dm *d, struct wf__piece t, const char *mark)
{
    if (!t.left)
        return nothing;
    if (mark[0] == '&') {
        size_t n = strlen(t.left);
        bool is_lvalue = n >= 1 && t.left[n - 1] == '&' && !(n >= 2 && t.left[n - 2] == '&');
        bool is_rvalue = n >= 2 && t.left[n - 1] == '&' && t.left[n - 2] == '&';
        if (is_lvalue || (is_rvalue && mark[1] == '&'))
            return t;
        if (is_rvalue)
            return (struct wf__piece){wf__dm_copy(d, t.left, n - 1), t.right, NULL, false};
    }
    if (t.is_bare_suffix) {
        bool is_array = t.right[0] == ' ';
        const char *left = wf__dm_join(d, t.left, is_array ? " (" : "(", mark, NULL, NULL);
        const char *right = wf__dm_join(d, ")", t.right, NULL, NULL, NULL);
        return right ? (struct wf__piece){left, right, NULL, false} : nothing;
    }
    return (struct wf__piece){wf__dm_join(d, t.left, mark, NULL, NULL, NULL), t.right, NULL, false};
}

static struct wf__piece function(struct wf__dm *d);

static struct wf__piece qualified(struct wf__dm *d)
{
    bool r = wf__dm_eat(d, "r"), v = wf__dm_eat(d, "V"), k = wf__dm_eat(d, "K");
    // a qualified function type is one entity: its bare form is no substitution candidate
    struct wf__piece t = wf__dm_eat(d, "F") ? function(d) : wf__dm_type(d);
    if (!t.left)
        return nothing;
    const char *cv = wf__dm_join(d, k ? " const" : "", v ? " volatile" : "",
                                 r ? " __restrict__" : "", NULL, NULL);
    if (!cv)
        return nothing;
    if (t.is_bare_suffix && t.right[0] == '(') // a member function's type
        return (struct wf__piece){t.left, wf__dm_join(d, t.right, cv, NULL, NULL, NULL), NULL,
                                  true};
    return (struct wf__piece){wf__dm_join(d, t.left, cv, NULL, NULL, NULL), t.right, NULL,
                              t.is_bare_suffix};
}

// After 'F': [Y] return type, parameter types, E. The left side ends in a blank.
static struct wf__piece function(struct wf__dm *d)
{
    wf__dm_eat(d, "Y"); // extern "C"
    struct wf__piece ret = wf__dm_type(d);
    const char *params = ret.left ? wf__dm_params(d) : NULL;
    const char *ref = wf__dm_eat(d, "R") ? " &" : wf__dm_eat(d, "O") ? " &&" : "";
    if (!params || !wf__dm_eat(d, "E"))
        return nothing;
    const char *left = wf__dm_join(d, ret.left, ret.right[0] ? "" : " ", NULL, NULL, NULL);
    const char *right = wf__dm_join(d, params, ref, ret.right, NULL, NULL);
    return left && right ? (struct wf__piece){left, right, NULL, true} : nothing;
}

// After 'A': [number] _ element type.
static struct wf__piece array(struct wf__dm *d)
{
    char text[40] = " []";
    size_t n;
    if (wf__dm_peek(d, 0) != '_') {
        if (!wf__dm_number(d, &n))
            return nothing;
        snprintf(text, sizeof text, " [%zu]", n);
    }
    if (!wf__dm_eat(d, "_"))
        return nothing;
    struct wf__piece t = wf__dm_type(d);
    if (!t.left)
        return nothing;
    // int [2][3]: the inner dimension already begins with a blank of its own
    const char *rest = t.is_bare_suffix && t.right[0] == ' ' ? t.right + 1 : t.right;
    const char *right = wf__dm_join(d, text, rest, NULL, NULL, NULL);
    return right ? (struct wf__piece){t.left, right, NULL, true} : nothing;
}

// After 'M': class type, member type.
static struct wf__piece member_pointer(struct wf__dm *d)
{
    struct wf__piece of = wf__dm_type(d);
    struct wf__piece t = of.left ? wf__dm_type(d) : nothing;
    if (!t.left)
        return nothing;
    const char *mark = wf__dm_join(d, of.left, "::*", NULL, NULL, NULL);
    if (!mark)
        return nothing;
    if (t.is_bare_suffix)
        return point(d, t, mark);
    return (struct wf__piece){wf__dm_join(d, t.left, " ", mark, NULL, NULL), t.right, NULL, false};
}

// After 'T': the argument it stands for.
static struct wf__piece template_param(struct wf__dm *d)
{
    size_t k;
    if (!wf__dm_seq(d, 10, &k))
        return nothing;
    if (d->is_lambda) { // a generic lambda's own parameter
        char text[32];
        snprintf(text, sizeof text, "auto:%zu", k + 1);
        return piece(wf__dm_copy(d, text, strlen(text)));
    }
    if (k >= d->targs.n)
        return nothing;
    struct wf__piece t = d->targs.at[k];
    if (t.pack && d->pack_index != WF__DM_NO_PACK) {
        d->pack_n = t.pack->n;
        return d->pack_index < t.pack->n ? t.pack->at[d->pack_index] : piece("");
    }
    return t;
}

// After "Dp": the pattern once for each element of the pack it names, with commas between.
static struct wf__piece expansion(struct wf__dm *d)
{
    const char *from = d->p, *s = "";
    size_t outer = d->pack_index, n_subs = 0;
    d->pack_n = WF__DM_NO_PACK;
    for (d->pack_index = 0; s; d->pack_index++) {
        d->p = from;
        struct wf__piece t = wf__dm_type(d);
        if (d->pack_index == 0)
            n_subs = d->subs.n;
        d->subs.n = d->subs.n < n_subs ? d->subs.n : n_subs; // later rounds add nothing
        if (!t.left)
            s = NULL;
        else if (d->pack_n == WF__DM_NO_PACK || d->pack_n > 0)
            s = wf__dm_join(d, s, d->pack_index ? ", " : "", t.left, t.right, NULL);
        if (d->pack_n == WF__DM_NO_PACK || d->pack_index + 1 >= d->pack_n)
            break;
    }
    d->pack_index = outer;
    return piece(s);
}

// After 'D'. *is_candidate: whether it can be substituted later.
static struct wf__piece extended(struct wf__dm *d, bool *is_candidate)
{
    static const char *const name[128] = {
        ['n'] = "decltype(nullptr)", ['i'] = "char32_t", ['s'] = "char16_t",
        ['u'] = "char8_t",           ['a'] = "auto",     ['h'] = "half",
    };
    char c = wf__dm_peek(d, 0);
    size_t n;
    d->p += c ? 1 : 0;
    if (c > 0 && name[(unsigned char)c])
        return piece(name[(unsigned char)c]);
    switch (c) {
    case 'F':
        if (wf__dm_eat(d, "16b"))
            return piece("std::bfloat16_t");
        return wf__dm_eat(d, "16_") ? piece("_Float16") : nothing;
    case 'p':
        *is_candidate = true;
        return expansion(d);
    case 'v': {
        if (!wf__dm_number(d, &n) || !wf__dm_eat(d, "_"))
            return nothing;
        struct wf__piece t = wf__dm_type(d);
        char text[40];
        snprintf(text, sizeof text, " __vector(%zu)", n);
        *is_candidate = true;
        return t.left ? piece(wf__dm_join(d, t.left, text, NULL, NULL, NULL)) : nothing;
    }
    default:
        return nothing;
    }
}

static struct wf__piece std_name(struct wf__dm *d)
{
    static const char *const name[128] = {
        ['a'] = "std::allocator", ['b'] = "std::basic_string", ['s'] = "std::string",
        ['i'] = "std::istream",   ['o'] = "std::ostream",      ['d'] = "std::iostream",
    };
    char c = wf__dm_peek(d, 0);
    struct wf__piece p = c > 0 ? piece(name[(unsigned char)c]) : nothing;
    d->p += p.left ? 1 : 0;
    return p;
}

struct wf__piece wf__dm_subst(struct wf__dm *d)
{
    struct wf__piece p = std_name(d);
    size_t k;
    if (p.left)
        return p;
    if (!wf__dm_seq(d, 36, &k) || k >= d->subs.n)
        return nothing;
    return d->subs.at[k];
}

// Template arguments behind a template template parameter or a substituted template.
static struct wf__piece with_args(struct wf__dm *d, struct wf__piece t, bool *is_candidate)
{
    if (!t.left || wf__dm_peek(d, 0) != 'I')
        return t;
    const char *args = wf__dm_targs(d);
    *is_candidate = true;
    return args ? piece(wf__dm_join(d, t.left, args, NULL, NULL, NULL)) : nothing;
}

static struct wf__piece type_body(struct wf__dm *d, bool *is_candidate)
{
    char c = wf__dm_peek(d, 0);
    *is_candidate = false;
    const char *name = builtin(c);
    if (name) {
        d->p++;
        return piece(name);
    }
    if (c == 'S' && wf__dm_peek(d, 1) != 't') {
        d->p++;
        return with_args(d, wf__dm_subst(d), is_candidate);
    }
    *is_candidate = true;
    if (c == 'r' || c == 'V' || c == 'K')
        return qualified(d);
    if (c == 'N' || c == 'Z' || c == 'S' || (c >= '0' && c <= '9'))
        return piece(wf__dm_name(d));
    d->p += c ? 1 : 0;
    switch (c) {
    case 'P':
        return point(d, wf__dm_type(d), "*");
    case 'R':
        return point(d, wf__dm_type(d), "&");
    case 'O':
        return point(d, wf__dm_type(d), "&&");
    case 'F':
        return function(d);
    case 'A':
        return array(d);
    case 'M':
        return member_pointer(d);
    case 'T': {
        struct wf__piece t = template_param(d);
        if (wf__dm_peek(d, 0) == 'I' && !wf__dm_add(d, t))
            return nothing;
        return with_args(d, t, is_candidate);
    }
    case 'D':
        if (wf__dm_eat(d, "oF")) // noexcept function type
            return function(d);
        *is_candidate = false;
        return extended(d, is_candidate);
    case 'u':
        *is_candidate = true;
        return piece(wf__dm_name(d));
    default:
        return nothing;
    }
}

struct wf__piece wf__dm_type(struct wf__dm *d)
{
    if (d->depth >= WF__DM_DEPTH)
        return nothing;
    d->depth++;
    bool is_candidate;
    struct wf__piece t = type_body(d, &is_candidate);
    d->depth--;
    if (t.left && t.right && is_candidate)
        wf__dm_add(d, t);
    return t.right ? t : nothing;
}

const char *wf__dm_params(struct wf__dm *d)
{
    const char *s = "(";
    for (int i = 0; s; i++) {
        char c = wf__dm_peek(d, 0);
        if (!c || c == 'E' || c == '.' || ((c == 'R' || c == 'O') && wf__dm_peek(d, 1) == 'E'))
            return wf__dm_join(d, s, ")", NULL, NULL, NULL);
        struct wf__piece t = wf__dm_type(d);
        if (!t.left)
            return NULL;
        bool is_void = i == 0 && strcmp(t.left, "void") == 0 && !t.right[0];
        // an empty pack leaves no trace
        if (!is_void && (t.left[0] || t.right[0]))
            s = wf__dm_join(d, s, s[1] ? ", " : "", t.left, t.right, NULL);
    }
    return NULL;
}

// After 'L': a value or an external name, E.
static struct wf__piece literal(struct wf__dm *d)
{
    if (wf__dm_eat(d, "_Z")) {
        const char *signature, *name;
        if (!wf__dm_encoding(d, &signature, &name) || !wf__dm_eat(d, "E"))
            return nothing;
        return piece(signature);
    }
    char c = wf__dm_peek(d, 0);
    struct wf__piece t = wf__dm_type(d);
    if (!t.left)
        return nothing;
    const char *sign = wf__dm_eat(d, "n") ? "-" : "", *from = d->p;
    while (d->p < d->end && *d->p != 'E')
        d->p++;
    const char *value = wf__dm_copy(d, from, (size_t)(d->p - from));
    if (!value || !wf__dm_eat(d, "E"))
        return nothing;
    const char *suffix = c == 'i'   ? ""
                         : c == 'j' ? "u"
                         : c == 'l' ? "l"
                         : c == 'm' ? "ul"
                         : c == 'x' ? "ll"
                         : c == 'y' ? "ull"
                                    : NULL;
    if (c == 'b' && (strcmp(value, "0") == 0 || strcmp(value, "1") == 0))
        return piece(value[0] == '1' ? "true" : "false");
    if (suffix)
        return piece(wf__dm_join(d, sign, value, suffix, NULL, NULL));
    const char *text = wf__dm_join(d, "(", t.left, t.right, ")", sign);
    return text ? piece(wf__dm_join(d, text, value, NULL, NULL, NULL)) : nothing;
}

// Arguments up to E: of a list 'I', or of a pack 'J' inside one.
static bool arguments(struct wf__dm *d, struct wf__targs *list)
{
    WF_VEC(struct wf__piece) v = {0};
    bool ok = d->depth < WF__DM_DEPTH;
    d->depth++;
    while (ok && !wf__dm_eat(d, "E")) {
        struct wf__piece t = nothing;
        if (wf__dm_eat(d, "L")) {
            t = literal(d);
        } else if (wf__dm_eat(d, "J")) {
            struct wf__targs inner;
            const char *s = arguments(d, &inner) ? "" : NULL;
            for (size_t i = 0; s && i < inner.n; i++)
                s = wf__dm_join(d, s, i ? ", " : "", inner.at[i].left, inner.at[i].right, NULL);
            struct wf__targs *pack = s ? WF_NEW(d->a, struct wf__targs) : NULL;
            t = piece(s);
            if (pack) {
                *pack = inner;
                t.pack = pack;
            }
        } else if (wf__dm_eat(d, "X")) { // an expression: only a parameter or a literal is read
            t = wf__dm_eat(d, "L") ? literal(d) : wf__dm_eat(d, "T") ? template_param(d) : nothing;
            if (!wf__dm_eat(d, "E"))
                t = nothing;
        } else if (wf__dm_peek(d, 0)) {
            t = wf__dm_type(d);
        }
        ok = t.left != NULL;
        if (ok)
            WF_PUSH(&v, t);
    }
    d->depth--;
    size_t bytes = v.n * sizeof(struct wf__piece);
    ok = ok && bytes <= d->budget_bytes;
    if (ok) {
        struct wf__piece *at = WF_NEW_N(d->a, struct wf__piece, v.n + 1);
        if (v.n)
            memcpy(at, v.at, bytes);
        d->budget_bytes -= bytes;
        *list = (struct wf__targs){at, v.n};
    }
    WF_VEC_FINI(&v);
    return ok;
}

const char *wf__dm_targs(struct wf__dm *d)
{
    struct wf__targs list;
    if (!wf__dm_eat(d, "I") || !arguments(d, &list))
        return NULL;
    const char *s = "<";
    for (size_t i = 0; s && i < list.n; i++)
        if (list.at[i].left[0] || list.at[i].right[0])
            s = wf__dm_join(d, s, s[1] ? ", " : "", list.at[i].left, list.at[i].right, NULL);
    d->last = list;
    if (!s)
        return NULL;
    return wf__dm_join(d, s, s[strlen(s) - 1] == '>' ? " >" : ">", NULL, NULL, NULL);
}

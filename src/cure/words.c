// SPDX-License-Identifier: Apache-2.0
// Proposals that change words: atomics for plain accesses, scopes, lane masks, counts.
#include <ctype.h>  // isalnum
#include <stdio.h>  // snprintf
#include <stdlib.h> // strtoul
#include <string.h> // strstr

#include "cure/edit.h"
#include "cure/propose.h"

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void trim(char *t)
{
    size_t n = strlen(t), from = 0;
    while (n && isspace((unsigned char)t[n - 1]))
        t[--n] = '\0';
    while (isspace((unsigned char)t[from]))
        from++;
    memmove(t, t + from, n - from + 1);
}

// `x` as an address: `*p` gives p.
static void address_of(const char *x, char *out, size_t n)
{
    snprintf(out, n, *x == '*' ? "%s" : "&%s", *x == '*' ? x + 1 : x);
}

// A statement that writes one place: `place op= value;` or `place++;`.
struct write {
    char place[120], value[200];
    const char *fn, *op; // the atomic that does the same; the operator
};

static bool parse_write(const struct wf__source *s, uint32_t i, struct write *w)
{
    static const struct {
        const char *op, *fn;
    } ops[] = {{"+=", "atomicAdd"}, {"-=", "atomicSub"}, {"|=", "atomicOr"},
               {"&=", "atomicAnd"}, {"^=", "atomicXor"}, {"++", "atomicAdd"}, {"--", "atomicSub"}};
    if (i == WF__NO_STMT || s->stmt.at[i].kind != WF__STMT_OTHER)
        return false;
    size_t from = s->stmt.at[i].at, to = s->stmt.at[i].end;
    char t[400];
    if (to - from >= sizeof t || to == from)
        return false;
    snprintf(t, sizeof t, "%.*s", (int)(to - from), s->text + from);
    char *semi = strrchr(t, ';');
    if (semi)
        *semi = '\0';
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        char *op = strstr(t, ops[k].op);
        if (!op)
            continue;
        bool is_step = ops[k].op[0] == ops[k].op[1];
        *op = '\0';
        w->fn = ops[k].fn;
        w->op = ops[k].op;
        snprintf(w->value, sizeof w->value, "%s", is_step ? "1" : op + 2);
        snprintf(w->place, sizeof w->place, "%s", is_step && op == t ? op + 2 : t);
        trim(w->place);
        trim(w->value);
        return *w->place && *w->value;
    }
    char *op = strchr(t, '=');
    if (!op || op == t || strchr("=!<>", op[-1]) || op[1] == '=')
        return false;
    *op = '\0';
    w->fn = "atomicExch";
    w->op = "=";
    snprintf(w->value, sizeof w->value, "%s", op + 1);
    snprintf(w->place, sizeof w->place, "%s", t);
    trim(w->place);
    trim(w->value);
    return *w->value && *w->place && !strchr(w->place, ' '); // no declaration
}

static void write_edit(struct wf__edits *e, const struct wf__source *s, uint32_t i, const struct write *w)
{
    char t[500], at[130];
    address_of(w->place, at, sizeof at);
    snprintf(t, sizeof t, "%s(%s, %s);", w->fn, at, w->value);
    wf__edit_replace(e, s->stmt.at[i].at, s->stmt.at[i].end - s->stmt.at[i].at, t);
}

// `place` where statement i reads it becomes atomicAdd(&place, 0).
static bool read_edit(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *place)
{
    size_t n = strlen(place), to = s->stmt.at[i].head_end ? s->stmt.at[i].head_end : s->stmt.at[i].end;
    for (size_t at = s->stmt.at[i].at; at + n <= to; at++) {
        if (memcmp(s->text + at, place, n) || (at && is_name(s->text[at - 1]) && is_name(*place)) ||
            is_name(s->text[at + n]))
            continue;
        char t[200], addr[130];
        address_of(place, addr, sizeof addr);
        snprintf(t, sizeof t, "atomicAdd(%s, 0)", addr);
        wf__edit_replace(e, at, n, t);
        return true;
    }
    return false;
}

// The place that the atomic of statement i is about: its first argument.
static bool atomic_place(const struct wf__source *s, uint32_t i, char *out, size_t n)
{
    size_t to = s->stmt.at[i].head_end ? s->stmt.at[i].head_end : s->stmt.at[i].end;
    char t[400];
    if (to - s->stmt.at[i].at >= sizeof t)
        return false;
    snprintf(t, sizeof t, "%.*s", (int)(to - s->stmt.at[i].at), s->text + s->stmt.at[i].at);
    char *call = strstr(t, "atomic"), *open = call ? strchr(call, '(') : NULL, *end = open;
    for (int depth = 0; end && *end; end++) {
        depth += *end == '(' || *end == '[';
        depth -= *end == ')' || *end == ']';
        if (*end == ',' && depth == 1)
            break;
    }
    if (!end || !*end)
        return false;
    *end = '\0';
    trim(open + 1);
    snprintf(out, n, open[1] == '&' ? "%s" : "*%s", open[1] == '&' ? open + 2 : open + 1);
    return true;
}

void wf__propose_atomics(struct wf__case *c)
{
    const struct wf__source *s = c->s;
    struct wf__edits e = {0};
    struct write w[2] = {{.fn = NULL}};
    uint32_t a = c->stmt[0], b = c->f->n_parties > 1 ? c->stmt[1] : WF__NO_STMT;
    if (a == WF__NO_STMT || b == WF__NO_STMT)
        return;
    bool wa = parse_write(s, a, &w[0]), wb = parse_write(s, b, &w[1]);
    char place[130];
    if (c->line[0] == c->line[1])
        wf__edit_say(&e, "an atomic access in line %u", c->line[0]);
    else
        wf__edit_say(&e, "atomic accesses in lines %u and %u", c->line[0], c->line[1]);
    bool atomic_a = strstr(c->f->party[0].op, "atom") || strstr(c->f->party[0].op, "red"),
         atomic_b = strstr(c->f->party[1].op, "atom") || strstr(c->f->party[1].op, "red");
    if (atomic_a || atomic_b) { // the plain one alone
        uint32_t plain = atomic_a ? b : a;
        wf__edit_say(&e, "an atomic access in line %u", c->line[atomic_a ? 1 : 0]);
        if (atomic_a ? wb : wa)
            write_edit(&e, s, plain, &w[atomic_a ? 1 : 0]);
        else if (!atomic_place(s, atomic_a ? a : b, place, sizeof place) || !read_edit(&e, s, plain, place))
            e.is_impossible = true;
    } else if (a == b) {
        e.is_impossible = !wa || !strcmp(w[0].fn, "atomicExch");
        if (!e.is_impossible)
            write_edit(&e, s, a, &w[0]);
    } else if (wa && wb) {
        write_edit(&e, s, a, &w[0]);
        write_edit(&e, s, b, &w[1]);
    } else if (wa || wb) {
        write_edit(&e, s, wa ? a : b, &w[wa ? 0 : 1]);
        if (!read_edit(&e, s, wa ? b : a, w[wa ? 0 : 1].place))
            e.is_impossible = true;
    } else {
        e.is_impossible = true;
    }
    wf__edits_done(&e, s, c->out);
}

// ---- `x op= y;` as reading y, a barrier, then writing x

// The statement itself or, when nothing else stands in it, the if around it: where all threads come by.
static uint32_t lone_if(const struct wf__source *s, uint32_t i)
{
    uint32_t up = s->stmt.at[i].parent, parts = 0;
    if (up == WF__NO_STMT)
        return i;
    if (s->stmt.at[up].kind == WF__STMT_BLOCK) {
        for (uint32_t k = 0; k < s->stmt.n; k++)
            parts += s->stmt.at[k].parent == up;
        up = parts == 1 ? s->stmt.at[up].parent : WF__NO_STMT;
    }
    if (up == WF__NO_STMT || s->stmt.at[up].kind != WF__STMT_IF)
        return i;
    for (size_t k = s->stmt.at[i].end; k < s->stmt.at[up].end; k++)
        if (isalnum((unsigned char)s->code[k])) // an else
            return i;
    return up;
}

void wf__propose_split(struct wf__case *c, const char *barrier)
{
    const struct wf__source *s = c->s;
    struct write w;
    uint32_t i = c->stmt[0];
    if (!parse_write(s, i, &w) || (w.op[0] == w.op[1]))
        return;
    uint32_t whole = lone_if(s, i);
    if (wf__stmt_in_block(s, whole) != whole)
        return;
    size_t from = s->stmt.at[whole].at, start = from;
    while (start > 0 && s->text[start - 1] != '\n')
        start--;
    int in = (int)(from - start);
    const char *blanks = s->text + start;
    int head = whole == i ? 0 : (int)(s->stmt.at[whole].head_end - from);
    for (int again = 0; again < 2; again++) { // with a barrier behind it as well
        struct wf_str t = {0};
        struct wf__edits e = {0};
        unsigned line = c->line[0];
        if (head)
            wf_str_printf(&t, "decltype(%s + 0) taken%u{};\n%.*s%.*s\n%.*s    taken%u = %s;", w.place, line, in, blanks, head,
                          s->text + from, in, blanks, line, w.value);
        else
            wf_str_printf(&t, "decltype(%s + 0) taken%u = %s;", w.place, line, w.value);
        wf_str_printf(&t, "\n%.*s%s\n%.*s", in, blanks, barrier, in, blanks);
        if (head)
            wf_str_printf(&t, "%.*s\n%.*s    ", head, s->text + from, in, blanks);
        wf_str_printf(&t, "%s %s taken%u;", w.place, w.op, line);
        if (again)
            wf_str_printf(&t, "\n%.*s%s", in, blanks, barrier);
        wf__edit_say(&e, "line %u split: read, %s write%s", line, barrier, again ? ", and the barrier once more" : "");
        wf__edit_replace(&e, from, s->stmt.at[whole].end - from, t.at);
        wf__edits_done(&e, s, c->out);
        wf_str_fini(&t);
    }
}

// ---- scopes

static void widen(struct wf__edits *e, const struct wf__source *s, size_t from, size_t to)
{
    static const struct {
        const char *old, *now;
    } words[] = {{"_block(", "("}, {"thread_scope_block", "thread_scope_device"}, {"thread_scope_thread", "thread_scope_device"},
                 {".cta.", ".gpu."}, {".cta;", ".gpu;"}};
    for (size_t at = from; at < to; at++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            size_t n = strlen(words[k].old);
            if (at + n > s->n || memcmp(s->text + at, words[k].old, n))
                continue;
            wf__edit_replace(e, at, n, words[k].now);
            at += n - 1;
            break;
        }
}

void wf__propose_scope(struct wf__case *c)
{
    const struct wf__source *s = c->s;
    for (int whole = 0; whole < 2; whole++) { // the lines themselves, then the functions that they lie in
        struct wf__edits e = {0};
        size_t done[WF_MAX_PARTIES];
        uint32_t n = 0;
        for (uint32_t p = 0; p < c->f->n_parties; p++) {
            if (c->stmt[p] == WF__NO_STMT)
                continue;
            uint32_t f = wf__stmt_function(s, c->stmt[p]);
            size_t from = whole ? s->stmt.at[f].at : s->line.at[c->line[p] - 1];
            size_t to = whole ? s->stmt.at[f].end : c->line[p] < s->line.n ? s->line.at[c->line[p]] : s->n;
            bool is_done = false;
            for (uint32_t k = 0; k < n; k++)
                is_done |= done[k] == from;
            if (is_done)
                continue;
            done[n++] = from;
            widen(&e, s, from, to);
        }
        wf__edit_say(&e, "device scope in line %u%s", c->line[0], whole ? " and its function" : "");
        wf__edits_done(&e, s, c->out);
    }
}

// ---- lane masks

// The first argument of the *_sync call in the party's line.
static bool mask_argument(const struct wf__case *c, uint32_t p, size_t *at, size_t *n)
{
    const struct wf__source *s = c->s;
    if (!c->line[p])
        return false;
    size_t from = s->line.at[c->line[p] - 1], to = c->line[p] < s->line.n ? s->line.at[c->line[p]] : s->n;
    for (size_t i = from; i + 6 < to; i++) {
        if (memcmp(s->text + i, "_sync(", 6))
            continue;
        size_t end = i + 6;
        for (int depth = 0; end < s->n && (depth || (s->text[end] != ',' && s->text[end] != ')')); end++)
            depth += s->text[end] == '(' ? 1 : s->text[end] == ')' ? -1 : 0;
        *at = i + 6;
        *n = end - *at;
        return true;
    }
    return false;
}

void wf__propose_mask(struct wf__case *c)
{
    const struct wf__source *s = c->s;
    size_t at, n;
    if (c->stmt[0] == WF__NO_STMT || !mask_argument(c, 0, &at, &n))
        return;
    if (strstr(c->f->sentence, "do not exist")) { // the last warp is not whole
        struct wf__edits e = {0};
        wf__edit_say(&e, "the mask of the lanes that exist in line %u", c->line[0]);
        wf__edit_replace(&e, at, n, "(threadIdx.x / 32 == blockDim.x / 32 ? (1u << blockDim.x % 32) - 1 : 0xffffffffu)");
        wf__edits_done(&e, s, c->out);
    }
    if (strstr(c->f->sentence, "does not name them")) {
        struct wf__edits e = {0};
        wf__edit_say(&e, "the full mask in line %u", c->line[0]);
        wf__edit_replace(&e, at, n, "0xffffffffu");
        wf__edits_done(&e, s, c->out);
    }
    for (uint32_t i = c->stmt[0]; i != WF__NO_STMT; i = s->stmt.at[i].parent) { // who takes part is asked before the branch
        const struct wf__stmt *x = &s->stmt.at[i];
        size_t open = x->at;
        while (open < x->head_end && s->code[open] != '(')
            open++;
        if (x->kind != WF__STMT_IF || open >= x->head_end || x->head_end - open > 150)
            continue;
        char line[260];
        struct wf__edits e = {0};
        snprintf(line, sizeof line, "unsigned takingPart = __ballot_sync(0xffffffffu, %.*s);",
                 (int)(x->head_end - open - 2), s->text + open + 1);
        wf__edit_say(&e, "the lanes that enter the if of line %u as the mask of line %u", wf__line_of(s, x->at), c->line[0]);
        wf__edit_before(&e, s, wf__stmt_in_block(s, i), line);
        wf__edit_replace(&e, at, n, "takingPart");
        wf__edits_done(&e, s, c->out);
    }
}

// ---- counts

void wf__propose_count(struct wf__case *c)
{
    const struct wf__source *s = c->s;
    const char *waits = strstr(c->f->sentence, "waits for "), *only = strstr(c->f->sentence, "only ");
    if (!waits || !only || !c->line[0])
        return;
    char old[24], now[24];
    int n = snprintf(old, sizeof old, "%lu", strtoul(waits + 10, NULL, 10));
    snprintf(now, sizeof now, "%lu", strtoul(only + 5, NULL, 10));
    size_t from = s->line.at[c->line[0] - 1], to = c->line[0] < s->line.n ? s->line.at[c->line[0]] : s->n;
    for (size_t at = from; at + (size_t)n <= to; at++) {
        if (memcmp(s->text + at, old, (size_t)n) || is_name(s->text[at - 1]) || is_name(s->text[at + (size_t)n]))
            continue;
        struct wf__edits e = {0};
        wf__edit_say(&e, "a count of %s instead of %s in line %u", now, old, c->line[0]);
        wf__edit_replace(&e, at, (size_t)n, now);
        wf__edits_done(&e, s, c->out);
        return;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Edits of a source text. See edit.h.
#include "cure/edit.h"

#include <stdarg.h> // va_list
#include <stdio.h>  // vsnprintf
#include <stdlib.h> // qsort
#include <string.h> // memcmp

void wf__edit_replace(struct wf__edits *e, size_t at, size_t drop, const char *put)
{
    WF_PUSH(&e->list, (struct wf__edit){at, drop, wf_xstrdup(put)});
}

void wf__edit_say(struct wf__edits *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->what, sizeof e->what, fmt, ap);
    va_end(ap);
}

static size_t line_start(const struct wf__source *s, size_t at)
{
    while (at > 0 && s->text[at - 1] != '\n')
        at--;
    return at;
}

static bool only_blanks(const struct wf__source *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (s->text[i] != ' ' && s->text[i] != '\t')
            return false;
    return true;
}

// The blanks in front of the line that holds `at`, and `more` levels of four.
static char *indented(const struct wf__source *s, size_t at, int more, const char *stmt)
{
    size_t from = line_start(s, at), to = from;
    while (s->text[to] == ' ' || s->text[to] == '\t')
        to++;
    struct wf_str t = {0};
    wf_str_addn(&t, s->text + from, to - from);
    for (int i = 0; i < 4 * more; i++)
        wf_str_addc(&t, ' ');
    wf_str_add(&t, stmt);
    wf_str_addc(&t, '\n');
    return t.at;
}

static bool is_in_block(const struct wf__source *s, uint32_t i)
{
    uint32_t p = s->stmt.at[i].parent;
    return p != WF__NO_STMT && s->stmt.at[p].kind == WF__STMT_BLOCK;
}

// A lone part of an if or a loop becomes a block: two edits.
static void wrap(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *first, const char *last)
{
    struct wf_str open = {0}, close = {0};
    wf_str_printf(&open, "{ %s%s", first ? first : "", first ? " " : "");
    wf_str_printf(&close, "%s%s }", last ? " " : "", last ? last : "");
    wf__edit_replace(e, s->stmt.at[i].at, 0, open.at);
    wf__edit_replace(e, s->stmt.at[i].end, 0, close.at);
    wf_str_fini(&open);
    wf_str_fini(&close);
}

static void own_line(struct wf__edits *e, const struct wf__source *s, size_t at, size_t like, int more, const char *stmt)
{
    char *t = indented(s, like, more, stmt);
    wf__edit_replace(e, at, 0, t);
    free(t);
}

static void inline_at(struct wf__edits *e, size_t at, const char *before, const char *stmt, const char *after)
{
    struct wf_str t = {0};
    wf_str_printf(&t, "%s%s%s", before, stmt, after);
    wf__edit_replace(e, at, 0, t.at);
    wf_str_fini(&t);
}

void wf__edit_before(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt)
{
    if (i == WF__NO_STMT || s->stmt.at[i].parent == WF__NO_STMT) {
        e->is_impossible = true;
        return;
    }
    size_t at = s->stmt.at[i].at, from = line_start(s, at);
    if (!is_in_block(s, i))
        wrap(e, s, i, stmt, NULL);
    else if (only_blanks(s, from, at))
        own_line(e, s, from, at, 0, stmt);
    else
        inline_at(e, at, "", stmt, " ");
}

void wf__edit_after(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt)
{
    if (i == WF__NO_STMT || s->stmt.at[i].parent == WF__NO_STMT) {
        e->is_impossible = true;
        return;
    }
    size_t end = s->stmt.at[i].end, nl = end;
    if (!is_in_block(s, i)) {
        wrap(e, s, i, NULL, stmt);
        return;
    }
    while (nl < s->n && s->code[nl] != '\n' && (s->code[nl] == ' ' || s->code[nl] == '\t'))
        nl++; // a comment may follow on the line
    if (nl < s->n && s->code[nl] == '\n')
        own_line(e, s, nl + 1, s->stmt.at[i].at, 0, stmt);
    else
        inline_at(e, end, " ", stmt, "");
}

// The part that an if or a loop governs.
static uint32_t body_of(const struct wf__source *s, uint32_t i)
{
    for (uint32_t k = i + 1; k < s->stmt.n; k++)
        if (s->stmt.at[k].parent == i)
            return k;
    return WF__NO_STMT;
}

static void body_edit(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt, bool at_end)
{
    uint32_t b = i == WF__NO_STMT ? i : body_of(s, i);
    if (b == WF__NO_STMT) {
        e->is_impossible = true;
        return;
    }
    const struct wf__stmt *x = &s->stmt.at[b];
    if (x->kind != WF__STMT_BLOCK) {
        wrap(e, s, b, at_end ? NULL : stmt, at_end ? stmt : NULL);
        return;
    }
    if (at_end) {
        size_t brace = x->end - 1, from = line_start(s, brace);
        if (only_blanks(s, from, brace))
            own_line(e, s, from, s->stmt.at[i].at, 1, stmt);
        else
            inline_at(e, brace, " ", stmt, " ");
        return;
    }
    size_t behind = x->at + 1;
    if (behind < s->n && s->text[behind] == '\n')
        own_line(e, s, behind + 1, s->stmt.at[i].at, 1, stmt);
    else
        inline_at(e, behind, " ", stmt, "");
}

void wf__edit_body_begin(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt)
{
    body_edit(e, s, i, stmt, false);
}

void wf__edit_body_end(struct wf__edits *e, const struct wf__source *s, uint32_t i, const char *stmt)
{
    body_edit(e, s, i, stmt, true);
}

// With its line when nothing else stands there.
void wf__edit_remove_stmt(struct wf__edits *e, const struct wf__source *s, uint32_t i)
{
    if (i == WF__NO_STMT) {
        e->is_impossible = true;
        return;
    }
    size_t from = s->stmt.at[i].at, to = s->stmt.at[i].end, start = line_start(s, from), nl = to;
    if (!is_in_block(s, i)) {
        wf__edit_replace(e, from, to - from, ";");
        return;
    }
    while (nl < s->n && (s->text[nl] == ' ' || s->text[nl] == '\t'))
        nl++;
    if (only_blanks(s, start, from) && nl < s->n && s->text[nl] == '\n')
        wf__edit_replace(e, start, nl + 1 - start, "");
    else
        wf__edit_replace(e, from, to - from, "");
}

static int by_place(const void *a, const void *b)
{
    const struct wf__edit *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

void wf__edits_done(struct wf__edits *e, const struct wf__source *s, struct wf_cures *out)
{
    struct wf_str t = {0};
    size_t at = 0;
    bool good = !e->is_impossible && e->list.n;
    if (e->list.n)
        qsort(e->list.at, e->list.n, sizeof *e->list.at, by_place);
    for (size_t i = 0; i < e->list.n; i++) {
        const struct wf__edit *x = &e->list.at[i];
        if (good && x->at >= at) {
            wf_str_addn(&t, s->text + at, x->at - at);
            wf_str_add(&t, x->put);
            at = x->at + x->drop;
        } else {
            good = false; // two that overlap
        }
        free(x->put);
    }
    if (good)
        wf_str_addn(&t, s->text + at, s->n - at);
    for (size_t i = 0; i < out->list.n && good; i++)
        good = out->list.at[i].n != t.n || memcmp(out->list.at[i].text, t.at, t.n);
    WF_VEC_FINI(&e->list);
    if (!good) {
        wf_str_fini(&t);
        return;
    }
    struct wf_cure c = {.text = t.at, .n = t.n};
    snprintf(c.what, sizeof c.what, "%s", e->what);
    WF_PUSH(&out->list, c);
}

void wf_cures_fini(struct wf_cures *c)
{
    for (size_t i = 0; i < c->list.n; i++)
        free(c->list.at[i].text);
    WF_VEC_FINI(&c->list);
}

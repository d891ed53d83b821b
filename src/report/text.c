// SPDX-License-Identifier: Apache-2.0
// Text for people, in the manner of a compiler: position and sentence, each party with its source
// line, then why, how to mend it and where to read more. Everything from outside is escaped.
#include <inttypes.h> // PRIu64
#include <string.h>   // strlen

#include "base/bits.h" // wf_popcount32
#include "base/str.h"  // struct wf_str
#include "report/demangle.h"
#include "report/report_priv.h"
#include "report/utf8.h"

#define MAX_COLUMNS 110 // of a source line
#define MAX_NAME 240    // bytes of a kernel's name

enum paint { PLAIN, BOLD, DIM, RED, MAGENTA, CYAN, GREEN };

static void paint(const struct wf__view *v, struct wf_str *out, enum paint p)
{
    static const char *const code[] = {
        [PLAIN] = "\033[0m",    [BOLD] = "\033[1m",       [DIM] = "\033[2m",
        [RED] = "\033[1;31m",   [MAGENTA] = "\033[1;35m", [CYAN] = "\033[1;36m",
        [GREEN] = "\033[1;32m",
    };
    if (v->o->is_color)
        wf_str_add(out, code[p]);
}

static enum paint severity_paint(enum wf_severity s)
{
    return s == WF_SEV_ERROR ? RED : s == WF_SEV_WARNING ? MAGENTA : CYAN;
}

static void add_place(struct wf__view *v, struct wf_str *out, const struct wf_loc *l)
{
    if (l->file && l->line) {
        wf__add_safe(out, wf__shown_path(v, l->file));
        wf_str_printf(out, ":%u", (unsigned)l->line);
        if (l->col)
            wf_str_printf(out, ":%u", (unsigned)l->col);
    } else if (l->ptx_line) {
        wf_str_printf(out, "PTX line %u", (unsigned)l->ptx_line);
    } else {
        wf__add_safe(out, wf__shown_path(v, l->file));
    }
}

// The readable name of a kernel or function, shortened when it is very long.
static void add_name(struct wf__view *v, struct wf_str *out, const char *mangled)
{
    struct wf_demangled d = wf_demangle(&v->arena, mangled);
    const char *s = strlen(d.signature) <= MAX_NAME ? d.signature : d.name;
    size_t n = strlen(s);
    if (n <= MAX_NAME) {
        wf__add_plain(out, s, n);
        return;
    }
    n = MAX_NAME;
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) // not in the middle of a character
        n--;
    wf__add_plain(out, s, n);
    wf_str_add(out, "...");
}

// The part of a line that is shown: all of it, or a window around the column.
struct window {
    size_t from, to;
};

static struct window choose_window(const char *line, size_t n, size_t at)
{
    struct window w = {0, n};
    if (n <= MAX_COLUMNS)
        return w;
    w.from = at > MAX_COLUMNS / 2 ? at - MAX_COLUMNS / 2 : 0;
    w.to = n - w.from > MAX_COLUMNS ? w.from + MAX_COLUMNS : n;
    while (w.from > 0 && ((unsigned char)line[w.from] & 0xc0) == 0x80)
        w.from--;
    while (w.to < n && ((unsigned char)line[w.to] & 0xc0) == 0x80)
        w.to++;
    return w;
}

static size_t first_nonblank(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t'))
        i++;
    return i;
}

static void add_source_line(struct wf__view *v, struct wf_str *out, uint32_t number,
                            const char *line, struct window w, size_t n)
{
    struct wf_str text = {0};
    if (w.from)
        wf_str_add(&text, "...");
    wf__add_plain(&text, line + w.from, w.to - w.from);
    if (w.to < n)
        wf_str_add(&text, "...");
    while (text.n && text.at[text.n - 1] == ' ')
        text.at[--text.n] = '\0';
    paint(v, out, DIM);
    wf_str_printf(out, "%6u |", (unsigned)number);
    paint(v, out, PLAIN);
    if (text.n)
        wf_str_printf(out, " %s", text.at);
    wf_str_addc(out, '\n');
    wf_str_fini(&text);
}

static bool is_name_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// A caret under byte `at` and the rest of the name there; without a column, under the whole line.
static void add_caret(struct wf__view *v, struct wf_str *out, const char *line, struct window w,
                      size_t at, size_t end)
{
    struct wf_str skipped = {0};
    size_t pad = wf__add_plain(&skipped, line + w.from, at - w.from) + (w.from ? 3 : 0);
    skipped.n = 0;
    size_t under = wf__add_plain(&skipped, line + at, (end < w.to ? end : w.to) - at);
    wf_str_fini(&skipped);
    paint(v, out, DIM);
    wf_str_add(out, "       |");
    paint(v, out, PLAIN);
    for (size_t i = 0; i <= pad; i++)
        wf_str_addc(out, ' ');
    paint(v, out, GREEN);
    wf_str_addc(out, '^');
    for (size_t i = 1; i < under; i++)
        wf_str_addc(out, '~');
    paint(v, out, PLAIN);
    wf_str_addc(out, '\n');
}

static void add_excerpt(struct wf__view *v, struct wf_str *out, const struct wf_loc *l)
{
    size_t n, n_above;
    const char *line = wf__source_line(v->source, l->file, l->line, &n);
    if (!line)
        return;
    size_t first = first_nonblank(line, n), last = n;
    while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t'))
        last--;
    // a column in the indentation says no more than the line does
    bool has_col = l->col > 0 && l->col <= n && line[l->col - 1] != ' ' && line[l->col - 1] != '\t';
    size_t at = has_col ? l->col - 1 : first, end = has_col ? at : last;
    while (at > 0 && ((unsigned char)line[at] & 0xc0) == 0x80)
        at--;
    while (has_col && end < n && is_name_char(line[end]))
        end++;
    struct window w = choose_window(line, n, at);
    const char *above = wf__source_line(v->source, l->file, l->line - 1, &n_above);
    if (above && first_nonblank(above, n_above) < n_above)
        add_source_line(v, out, l->line - 1, above, choose_window(above, n_above, w.from ? at : 0),
                        n_above);
    add_source_line(v, out, l->line, line, w, n);
    if (last > first)
        add_caret(v, out, line, w, at, end);
}

static void add_who(struct wf__view *v, struct wf_str *out, const struct wf_party *p)
{
    const char *lead = out->n && out->at[out->n - 1] != ' ' ? ", " : "";
    if (p->has_block) {
        wf_str_printf(out, "%sblock (%u,%u,%u)", lead, (unsigned)p->block[0], (unsigned)p->block[1],
                      (unsigned)p->block[2]);
        lead = p->has_thread ? " " : ", ";
    }
    if (p->has_thread) {
        wf_str_printf(out, "%sthread (%u,%u,%u)", lead, (unsigned)p->thread[0],
                      (unsigned)p->thread[1], (unsigned)p->thread[2]);
        lead = ", ";
    }
    if (p->lanes)
        wf_str_printf(out, "%swarp %u %s", lead, (unsigned)p->warp,
                      wf__lanes_text(&v->arena, p->lanes));
}

static bool is_same_place(const struct wf_loc *a, const struct wf_loc *b)
{
    return a && b && a->line == b->line && a->col == b->col && a->file && b->file &&
           strcmp(a->file, b->file) == 0;
}

// How the code at `user` came there: the library code that it calls, and the calls that led to it.
static void add_inlined(struct wf__view *v, struct wf_str *out, const struct wf_loc *innermost,
                        const struct wf_loc *user, bool is_host)
{
    const struct wf_loc *l = user;
    if (innermost != user) {
        const char *file = innermost->file ? innermost->file : "?", *slash = strrchr(file, '/');
        wf_str_add(out, "      inside ");
        wf__add_safe(out, innermost->function ? wf_demangle(&v->arena, innermost->function).name
                                              : "library code");
        wf_str_add(out, " (");
        wf__add_safe(out, slash ? slash + 1 : file);
        wf_str_printf(out, ":%u)\n", (unsigned)innermost->line);
    }
    for (int limit = WF__INLINE_LIMIT; l->inlined && limit--; l = l->inlined) {
        wf_str_add(out, is_host ? "      called " : "      inlined ");
        if (l->function && !is_host) {
            wf_str_add(out, "from ");
            add_name(v, out, l->function);
            wf_str_addc(out, ' ');
        }
        wf_str_add(out, is_host ? "from " : "at ");
        add_place(v, out, l->inlined);
        wf_str_addc(out, '\n');
    }
}

static void add_party(struct wf__view *v, struct wf_str *out, const struct wf_finding *f,
                      uint32_t i)
{
    static const char *const word[] = {
        [WF_PARTY_ACCESS] = "",
        [WF_PARTY_WAITER] = "waits: ",
        [WF_PARTY_RELEASER] = "could release it: ",
        [WF_PARTY_ALLOC] = "allocated: ",
        [WF_PARTY_LAUNCH] = "",
        [WF_PARTY_NOTE] = "note: ",
    };
    const struct wf_party *p = &f->party[i];
    const struct wf_loc *user = wf_loc_user(p->loc);
    struct wf_str line = {0};
    wf_str_add(&line, word[p->role]);
    wf__add_safe(&line, p->op);
    if (p->value[0]) {
        wf_str_add(&line, p->op[0] ? ", value " : "value ");
        wf__add_safe(&line, p->value);
    }
    add_who(v, &line, p);
    if (p->note[0]) {
        wf_str_add(&line, line.n && line.at[line.n - 1] != ' ' ? "; " : "");
        wf__add_safe(&line, p->note);
    }
    wf_str_add(out, "  ");
    if (user) {
        paint(v, out, BOLD);
        add_place(v, out, user);
        paint(v, out, PLAIN);
        wf_str_add(out, line.n ? ": " : "");
    }
    wf_str_printf(out, "%s\n", wf_str_get(&line));
    wf_str_fini(&line);
    bool is_repeated = false; // its line already stands above
    for (uint32_t k = 0; k < i; k++)
        is_repeated = is_repeated || is_same_place(wf_loc_user(f->party[k].loc), user);
    if (user && !is_repeated)
        add_excerpt(v, out, user);
    if (user)
        add_inlined(v, out, p->loc, user, p->is_host);
}

static void add_where(struct wf__view *v, struct wf_str *out, const struct wf_finding *f)
{
    struct wf_str s = {0};
    if (f->kernel) {
        wf_str_add(&s, "kernel ");
        add_name(v, &s, f->kernel);
    }
    if (f->launch)
        wf_str_printf(&s, "%slaunch %" PRIu64, s.n ? ", " : "", f->launch);
    if (f->object[0] || f->address) {
        wf_str_add(&s, s.n ? ", " : "");
        if (f->space[0]) {
            wf__add_safe(&s, f->space);
            wf_str_add(&s, " memory, ");
        }
        if (f->object[0])
            wf__add_safe(&s, f->object);
        else
            wf_str_printf(&s, "address 0x%" PRIx64, f->address);
    } else if (f->space[0]) {
        wf_str_add(&s, s.n ? ", " : "");
        wf__add_safe(&s, f->space);
        wf_str_add(&s, " memory");
    }
    if (s.n)
        wf_str_printf(out, "  in:  %s\n", s.at);
    wf_str_fini(&s);
}

static void add_remark(struct wf__view *v, struct wf_str *out, const char *label, const char *text)
{
    if (!text[0])
        return;
    paint(v, out, BOLD);
    wf_str_printf(out, "  %s", label);
    paint(v, out, PLAIN);
    wf_str_addc(out, ' ');
    wf__add_safe(out, text);
    wf_str_addc(out, '\n');
}

void wf__text_finding(struct wf__view *v, const struct wf_finding *f, struct wf_str *out)
{
    const struct wf_loc *primary = wf__primary(f);
    unsigned number = (unsigned)wf_finding_number(f->kind);
    paint(v, out, BOLD);
    if (primary)
        add_place(v, out, primary);
    else
        wf_str_add(out, "warpfence");
    wf_str_add(out, ": ");
    paint(v, out, PLAIN);
    paint(v, out, severity_paint(f->severity));
    wf_str_printf(out, "%s[WF%03u %s]", wf__severity_name(f->severity), number,
                  wf_finding_slug(f->kind));
    paint(v, out, PLAIN);
    paint(v, out, BOLD);
    wf_str_add(out, ": ");
    wf__add_safe(out, f->sentence[0] ? f->sentence : wf_finding_title(f->kind));
    paint(v, out, PLAIN);
    wf_str_addc(out, '\n');
    for (uint32_t i = 0; i < f->n_parties; i++)
        add_party(v, out, f, i);
    add_where(v, out, f);
    add_remark(v, out, "why:", f->why);
    add_remark(v, out, "fix:", f->fix);
    if (f->count > 1)
        wf_str_printf(out, "  seen %" PRIu64 " times\n", f->count);
    if (f->seed)
        wf_str_printf(out, "  again: --seed %" PRIu64 "\n", f->seed);
    wf_str_printf(out, "  more: warpfence explain WF%03u\n", number);
}

void wf__text_write(struct wf__view *v, struct wf_str *out)
{
    for (size_t i = 0; i < v->shown.n; i++) {
        wf__text_finding(v, v->shown.at[i], out);
        wf_str_addc(out, '\n');
    }
    for (size_t i = 0; i < v->notes.list.n; i++) {
        const struct wf__note *n = &v->notes.list.at[i];
        wf__add_safe(out, wf__shown_path(v, n->file));
        wf_str_printf(out, ":%u: note: ", (unsigned)n->line);
        wf__add_safe(out, n->text);
        wf_str_addc(out, '\n');
    }
    paint(v, out, BOLD);
    wf_str_printf(out, "warpfence: %s\n", wf__summary_text(v));
    paint(v, out, PLAIN);
}

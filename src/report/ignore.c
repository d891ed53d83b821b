// SPDX-License-Identifier: Apache-2.0
// Globs, slugs that look alike, and `// warpfence: ignore slug: why` in the source.
#include <stdio.h>  // snprintf
#include <string.h> // strlen

#include "base/arena.h"   // wf_arena_printf
#include "core/finding.h" // wf_finding_slug
#include "report/source.h"
#include "report/suppress_priv.h"

#define MARK "warpfence: ignore"
#define COMMENT_LINES 8 // pure comment lines above a line that are looked at

bool wf__glob(const char *glob, const char *s)
{
    const char *star = NULL, *retry = NULL;
    while (*s) {
        if (*glob == '*') {
            star = glob++;
            retry = s;
        } else if (*glob == '?' || *glob == *s) {
            glob++;
            s++;
        } else if (star) { // let the last star take one more character
            glob = star + 1;
            s = ++retry;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return !*glob;
}

bool wf__kind_glob_match(const char *glob, uint32_t kind)
{
    char id[16];
    enum wf_finding_kind k = (enum wf_finding_kind)kind;
    snprintf(id, sizeof id, "WF%03u", (unsigned)wf_finding_number(k));
    return wf__glob(glob, wf_finding_slug(k)) || wf__glob(glob, id);
}

// Edit distance, cut off at words longer than any slug.
static unsigned distance(const char *a, const char *b)
{
    enum { MAX = 40 };
    unsigned row[MAX + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > MAX || nb > MAX)
        return MAX;
    for (unsigned j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned swap = diagonal + (a[i - 1] != b[j - 1]), least = row[j - 1] + 1;
            diagonal = row[j];
            least = row[j] + 1 < least ? row[j] + 1 : least;
            row[j] = swap < least ? swap : least;
        }
    }
    return row[nb];
}

const char *wf__nearest_slug(const char *word)
{
    const char *best = NULL;
    unsigned least = 4; // three slips at most
    for (uint32_t k = 0; k < WF_F_COUNT; k++) {
        const char *slug = wf_finding_slug((enum wf_finding_kind)k);
        unsigned d = distance(word, slug);
        if (d < least && d * 2 <= strlen(slug)) {
            least = d;
            best = slug;
        }
    }
    return best;
}

bool wf__kind_glob_known(const char *glob, const char **nearest)
{
    for (uint32_t k = 0; k < WF_F_COUNT; k++)
        if (wf__kind_glob_match(glob, k))
            return true;
    *nearest = wf__nearest_slug(glob);
    return false;
}

static const char *find_mark(const char *line, size_t n)
{
    size_t k = strlen(MARK);
    for (size_t i = 2; i + k <= n; i++) {
        if (memcmp(line + i, MARK, k) != 0)
            continue;
        size_t b = i; // only right behind the start of a comment
        while (b > 0 && (line[b - 1] == ' ' || line[b - 1] == '\t'))
            b--;
        if (b >= 2 && line[b - 2] == '/' && (line[b - 1] == '/' || line[b - 1] == '*'))
            return line + i;
    }
    return NULL;
}

struct place {
    const char *file;
    uint32_t line;
};

static void note(struct wf__notes *notes, struct place at, const char *text)
{
    for (size_t i = 0; i < notes->list.n; i++)
        if (notes->list.at[i].line == at.line && strcmp(notes->list.at[i].file, at.file) == 0)
            return;
    WF_PUSH(&notes->list, (struct wf__note){at.file, at.line, text});
}

// One comment: "warpfence: ignore slug, slug: why".
static bool comment_names(const char *line, size_t n, struct place at, uint32_t kind,
                          struct wf_arena *a, struct wf__notes *notes)
{
    const char *p = find_mark(line, n), *end = line + n;
    if (!p)
        return false;
    p += strlen(MARK);
    bool is_named = false;
    for (;;) {
        char word[64];
        size_t k = 0;
        while (p < end && (*p == ' ' || *p == '\t' || *p == ','))
            p++;
        while (p < end && !strchr(" \t,:", *p) && k < sizeof word - 1)
            word[k++] = *p++;
        word[k] = '\0';
        if (k == 0)
            break;
        const char *nearest = NULL;
        if (!wf__kind_glob_known(word, &nearest)) {
            note(notes, at,
                 wf_arena_printf(a, "comment ignored: no finding kind is named '%s'%s%s%s", word,
                                 nearest ? "; did you mean '" : "", nearest ? nearest : "",
                                 nearest ? "'?" : ""));
            return false;
        }
        is_named = is_named || wf__kind_glob_match(word, kind);
    }
    while (p < end && (*p == ' ' || *p == ':'))
        p++;
    if (p == end || (*p == '*' && p + 1 < end && p[1] == '/')) {
        note(notes, at, "comment ignored: write '" MARK " slug: why', the reason is part of it");
        return false;
    }
    return is_named;
}

static bool is_comment_line(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t'))
        i++;
    return i + 1 < n && line[i] == '/' && (line[i + 1] == '/' || line[i + 1] == '*');
}

static bool ignored_at(struct wf__source *src, struct place at, uint32_t kind, struct wf_arena *a,
                       struct wf__notes *notes)
{
    size_t n;
    const char *line = wf__source_line(src, at.file, at.line, &n);
    if (line && comment_names(line, n, at, kind, a, notes))
        return true;
    for (uint32_t up = 1; line && up <= COMMENT_LINES && up < at.line; up++) {
        struct place above = {at.file, at.line - up};
        line = wf__source_line(src, above.file, above.line, &n);
        if (!line || !is_comment_line(line, n))
            return false;
        if (comment_names(line, n, above, kind, a, notes))
            return true;
    }
    return false;
}

bool wf__ignored_in_source(struct wf__source *src, const struct wf_finding *f, struct wf_arena *a,
                           struct wf__notes *notes)
{
    for (uint32_t i = 0; i < f->n_parties; i++) {
        int limit = 32;
        for (const struct wf_loc *l = f->party[i].loc; l && limit--; l = l->inlined)
            if (l->file && l->line &&
                ignored_at(src, (struct place){l->file, l->line}, (uint32_t)f->kind, a, notes))
                return true;
    }
    return false;
}

// SPDX-License-Identifier: Apache-2.0
// Options from argv and the environment over a table, and their help. Knows no option by name.
#include "base/optparse.h"

#include <ctype.h>    // toupper
#include <errno.h>    // ERANGE
#include <inttypes.h> // PRId64
#include <stdio.h>    // snprintf
#include <stdlib.h>   // strtoll, getenv
#include <string.h>   // strcmp

#include "base/arena.h" // wf_xrealloc
#include "base/str.h"   // wf_str_add

void wf_opt_env_name(const char *flag, char *buf, size_t n)
{
    size_t len = (size_t)snprintf(buf, n, "WARPFENCE_%s", flag + strspn(flag, "-"));
    for (size_t i = 0; i < len && i + 1 < n; i++)
        buf[i] = buf[i] == '-' ? '_' : (char)toupper((unsigned char)buf[i]);
}

static void *field(const struct wf_opt *row, void *fields)
{
    return (char *)fields + row->offset;
}

static int parse_int(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 0);
    if (end == text || errno == ERANGE)
        return -1;
    static const char suffix[] = "KMG";
    const char *s = *end ? strchr(suffix, toupper((unsigned char)*end)) : NULL;
    if (s) {
        end++;
        for (const char *p = suffix; p <= s; p++)
            if (__builtin_mul_overflow(v, 1024LL, &v))
                return -1;
    }
    *out = v;
    return *end ? -1 : 0;
}

static bool in_range(const char *range, int64_t v)
{
    const char *dots = strstr(range, "..");
    if (!dots)
        return true;
    if (dots != range && v < strtoll(range, NULL, 0))
        return false;
    return !dots[2] || v <= strtoll(dots + 2, NULL, 0);
}

// Index of text in "a|b|c", or -1.
static int choice_of(const char *range, const char *text)
{
    size_t n = strlen(text);
    int i = 0;
    for (const char *p = range;; i++) {
        const char *end = strchr(p, '|');
        size_t len = end ? (size_t)(end - p) : strlen(p);
        if (len == n && memcmp(p, text, n) == 0)
            return i;
        if (!end)
            return -1;
        p = end + 1;
    }
}

static int bool_of(const char *text)
{
    static const char *const yes[] = {"1", "yes", "on", "true"}, *const no[] = {"0", "no", "off",
                                                                                "false"};
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(text, yes[i]) == 0)
            return 1;
        if (strcmp(text, no[i]) == 0)
            return 0;
    }
    return -1;
}

static enum wf_status set_int(const struct wf_opt *row, void *fields, const char *what,
                              const char *text, struct wf_err *err)
{
    int64_t v;
    if (parse_int(text, &v) != 0)
        return wf_err_set(err, WF_E_USAGE, "%s wants a whole number, not '%s'", what, text);
    if (!in_range(row->range, v))
        return wf_err_set(err, WF_E_USAGE, "%s wants a number in %s, not %s", what, row->range,
                          text);
    *(int64_t *)field(row, fields) = v;
    return WF_OK;
}

enum wf_status wf_opt_set(const struct wf_opt *row, void *fields, const char *what,
                          const char *text, struct wf_err *err)
{
    switch (row->type) {
    case WF_OPT_BOOL: {
        int v = bool_of(text);
        if (v < 0)
            return wf_err_set(err, WF_E_USAGE, "%s wants yes or no, not '%s'", what, text);
        *(bool *)field(row, fields) = v != 0;
        return WF_OK;
    }
    case WF_OPT_INT:
        return set_int(row, fields, what, text, err);
    case WF_OPT_STRING:
        *(const char **)field(row, fields) = text;
        return WF_OK;
    case WF_OPT_ENUM: {
        int v = choice_of(row->range, text);
        if (v < 0)
            return wf_err_set(err, WF_E_USAGE, "%s wants one of %s, not '%s'", what, row->range,
                              text);
        *(int *)field(row, fields) = v;
        return WF_OK;
    }
    case WF_OPT_LIST: {
        struct wf_opt_list *l = field(row, fields);
        l->at = wf_xrealloc(l->at, (l->n + 1) * sizeof *l->at);
        l->at[l->n++] = text;
        return WF_OK;
    }
    }
    return wf_err_set(err, WF_E_INTERNAL, "option %s has no type", row->flag);
}

enum wf_status wf_opt_defaults(const struct wf_opt *rows, size_t n, void *fields,
                               struct wf_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct wf_opt *r = &rows[i];
        if (r->type == WF_OPT_LIST)
            *(struct wf_opt_list *)field(r, fields) = (struct wf_opt_list){0};
        else if (wf_opt_set(r, fields, r->flag, r->preset, err) != WF_OK)
            return wf_err_set(err, WF_E_INTERNAL, "default '%s' of option %s is not allowed",
                              r->preset, r->flag);
    }
    for (size_t i = 0; i < n; i++) {
        char name[96];
        wf_opt_env_name(rows[i].flag, name, sizeof name);
        const char *text = rows[i].in_env ? getenv(name) : NULL;
        if (!text || (!*text && rows[i].type != WF_OPT_STRING)) // an empty value is no value
            continue;
        enum wf_status rc = wf_opt_set(&rows[i], fields, name, text, err);
        if (rc != WF_OK)
            return rc;
    }
    return WF_OK;
}

// Edit distance, with short words only; long ones count as far away.
static unsigned distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    unsigned row[65];
    if (na > 64 || nb > 64)
        return 99;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diag = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = diag + (a[i - 1] != b[j - 1]);
            diag = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[nb];
}

static enum wf_status unknown(const struct wf_opt *rows, size_t n, unsigned commands,
                              const char *word, struct wf_err *err)
{
    const char *nearest = NULL;
    unsigned least = 4;
    for (size_t i = 0; i < n; i++) {
        unsigned d = rows[i].commands & commands ? distance(word, rows[i].flag) : 99;
        if (d < least) {
            least = d;
            nearest = rows[i].flag;
        }
    }
    wf_err_set(err, WF_E_USAGE, "unknown option %s", word);
    if (nearest)
        wf_err_hint(err, "did you mean %s?", nearest);
    return WF_E_USAGE;
}

// The row for a word such as "--flag", "--no-flag" or "-x"; *negated for the second.
static const struct wf_opt *row_of(const struct wf_opt *rows, size_t n, unsigned commands,
                                   const char *word, bool *negated)
{
    *negated = false;
    for (size_t i = 0; i < n; i++) {
        const struct wf_opt *r = &rows[i];
        if (!(r->commands & commands))
            continue;
        if (strcmp(r->flag, word) == 0)
            return r;
        if (r->letter && word[0] == '-' && word[1] == r->letter && !word[2])
            return r;
        if (r->type == WF_OPT_BOOL && strncmp(word, "--no-", 5) == 0 &&
            strcmp(word + 5, r->flag + 2) == 0) {
            *negated = true;
            return r;
        }
    }
    return NULL;
}

// Where the value begins that is part of the word itself: "--flag=value" or "-xvalue". NULL:
// elsewhere.
static char *value_within(const struct wf_opt *rows, size_t n, char *word)
{
    if (strncmp(word, "--", 2) == 0) {
        char *equals = strchr(word, '=');
        return equals ? equals + 1 : NULL;
    }
    for (size_t i = 0; i < n && word[1] && word[2]; i++)
        if (rows[i].letter == word[1] && rows[i].type != WF_OPT_BOOL)
            return word + 2;
    return NULL;
}

static enum wf_status parse_one(const struct wf_opt *rows, size_t n, unsigned commands,
                                void *fields, int argc, char **argv, int *at, struct wf_err *err)
{
    char *word = argv[(*at)++], *value = value_within(rows, n, word);
    char name[128];
    size_t len = value ? (size_t)(value - word) - (word[1] == '-') : strlen(word);
    bool negated, is_short = len < sizeof name;
    snprintf(name, sizeof name, "%.*s", (int)(is_short ? len : sizeof name - 1), word);
    const struct wf_opt *r = is_short ? row_of(rows, n, commands, name, &negated) : NULL;
    if (!r)
        return unknown(rows, n, commands, name, err);
    if (r->type == WF_OPT_BOOL && !value)
        return wf_opt_set(r, fields, name, negated ? "no" : "yes", err);
    if (negated)
        return wf_err_set(err, WF_E_USAGE, "%s takes no value", name);
    if (value)
        return wf_opt_set(r, fields, name, value, err);
    if (*at >= argc)
        return wf_err_set(err, WF_E_USAGE, "%s wants a value", name);
    return wf_opt_set(r, fields, name, argv[(*at)++], err);
}

enum wf_status wf_opt_parse(const struct wf_opt *rows, size_t n, unsigned commands, void *fields,
                            int argc, char **argv, int *at, bool *dashes, struct wf_err *err)
{
    *dashes = false;
    while (*at < argc && argv[*at][0] == '-' && argv[*at][1]) {
        if (strcmp(argv[*at], "--") == 0) {
            ++*at;
            *dashes = true;
            break;
        }
        enum wf_status rc = parse_one(rows, n, commands, fields, argc, argv, at, err);
        if (rc != WF_OK)
            return rc;
    }
    return WF_OK;
}

void wf_opt_print_value(const struct wf_opt *row, const void *fields, struct wf_str *out)
{
    const void *f = (const char *)fields + row->offset;
    switch (row->type) {
    case WF_OPT_BOOL:
        wf_str_add(out, *(const bool *)f ? "yes" : "no");
        break;
    case WF_OPT_INT:
        wf_str_printf(out, "%" PRId64, *(const int64_t *)f);
        break;
    case WF_OPT_STRING:
        wf_str_add(out, *(const char *const *)f);
        break;
    case WF_OPT_ENUM: {
        const char *p = row->range;
        for (int i = *(const int *)f; i > 0; i--)
            p = strchr(p, '|') + 1;
        wf_str_addn(out, p, strcspn(p, "|"));
        break;
    }
    case WF_OPT_LIST:
        break;
    }
}

// Appends text in lines of at most 78 columns, each indented.
static void add_wrapped(struct wf_str *out, const char *text, size_t indent)
{
    size_t col = 0;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (col == 0 || indent + col + 1 + word > 78) {
            wf_str_printf(out, "%s%*s", col ? "\n" : "", (int)indent, "");
            col = 0;
        } else {
            wf_str_addc(out, ' ');
            col++;
        }
        wf_str_addn(out, text, word);
        col += word;
        text += word + strspn(text + word, " ");
    }
    wf_str_addc(out, '\n');
}

static void help_row(const struct wf_opt *r, struct wf_str *out)
{
    wf_str_add(out, "  ");
    if (r->letter)
        wf_str_printf(out, "-%c, ", r->letter);
    bool is_on = r->type == WF_OPT_BOOL && strcmp(r->preset, "yes") == 0;
    wf_str_printf(out, "%s%s", is_on ? "--[no-]" : "--", r->flag + 2);
    if (r->type == WF_OPT_INT)
        wf_str_add(out, " N");
    else if (r->type != WF_OPT_BOOL)
        wf_str_printf(out, " %s", r->range);
    wf_str_addc(out, '\n');
    add_wrapped(out, r->help, 8);
    if (*r->preset && strcmp(r->preset, "no") != 0 && r->type != WF_OPT_LIST)
        wf_str_printf(out, "        (default: %s)\n", r->preset);
}

void wf_opt_help(const struct wf_opt *rows, size_t n, unsigned commands, struct wf_str *out)
{
    for (size_t i = 0; i < n; i++) {
        bool is_first = (rows[i].commands & commands) != 0;
        for (size_t k = 0; k < i && is_first; k++)
            is_first =
                !(rows[k].commands & commands) || strcmp(rows[k].section, rows[i].section) != 0;
        if (!is_first)
            continue;
        wf_str_printf(out, "\n%s:\n", rows[i].section);
        for (size_t k = i; k < n; k++)
            if ((rows[k].commands & commands) && strcmp(rows[k].section, rows[i].section) == 0)
                help_row(&rows[k], out);
    }
}

void wf_opt_fini(const struct wf_opt *rows, size_t n, void *fields)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i].type != WF_OPT_LIST)
            continue;
        struct wf_opt_list *l = field(&rows[i], fields);
        free(l->at);
        *l = (struct wf_opt_list){0};
    }
}

// SPDX-License-Identifier: Apache-2.0
// Findings whose every string is random bytes: each format stays well-formed, text for a terminal
// holds no control characters, and the same findings give the same bytes.
#include "test.h"

#include "base/str.h"
#include "core/finding.h"
#include "report/report.h"
#include "report/utf8.h"

static uint32_t seed = 42;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * below) >> 28);
}

// Mostly the bytes that hurt, with pieces that mean something to one of the formats.
static void fill(char *out, size_t n)
{
    static const char *const piece[] = {
        "\033[2J",      "\xe2\x80\xae", "]]>",  "<!--",         "&amp;",       "\"",   "\\",
        "{0}",          "\r\n",         "_ZN",  "\xed\xa0\x80", "\xf4\x90",    "/../", "%s%n",
        "\xe4\xb8\xad", "\t",           "\x7f", "\xc2\x80",     "\xef\xbf\xbe"};
    size_t used = 0, want = any((uint32_t)n);
    while (used < want) {
        char one[2] = {(char)(1 + any(255)), '\0'};
        const char *s = any(3) ? piece[any(sizeof piece / sizeof *piece)] : one;
        size_t k = strlen(s);
        if (used + k >= n)
            break;
        memcpy(out + used, s, k);
        used += k;
    }
    out[used] = '\0';
}

struct words { // strings that a finding borrows
    char kernel[200], file[3][100], function[3][100];
    struct wf_loc loc[3];
};

static struct wf_finding make(struct words *w)
{
    fill(w->kernel, sizeof w->kernel);
    for (int i = 0; i < 3; i++) {
        fill(w->file[i], sizeof w->file[i]);
        fill(w->function[i], sizeof w->function[i]);
        w->loc[i] = (struct wf_loc){any(4) ? w->file[i] : NULL,
                                    any(3) ? any(1u << 28) : any(4),
                                    any(300),
                                    any(3) ? w->function[i] : NULL,
                                    i < 2 && any(2) ? &w->loc[i + 1] : NULL,
                                    any(2) ? any(1000) : 0};
    }
    struct wf_finding f =
        wf_finding_make((enum wf_finding_kind)any(WF_F_COUNT), any(5) ? w->kernel : NULL, any(3));
    fill(f.space, sizeof f.space);
    fill(f.object, sizeof f.object);
    fill(f.sentence, sizeof f.sentence);
    fill(f.why, sizeof f.why);
    fill(f.fix, sizeof f.fix);
    f.address = any(2) ? any(1u << 20) : 0;
    for (uint32_t i = any(WF_MAX_PARTIES + 1); i; i--) {
        struct wf_party *p = wf_finding_party(&f, (enum wf_party_role)any(WF_PARTY_NOTE + 1),
                                              any(4) ? &w->loc[any(3)] : NULL);
        fill(p->op, sizeof p->op);
        fill(p->value, sizeof p->value);
        fill(p->note, sizeof p->note);
        p->has_block = any(2);
        p->has_thread = any(2);
        p->lanes = any(2) ? any(1u << 28) << 4 : 0;
    }
    return f;
}

// A strict JSON reader that keeps nothing: NULL when the text is malformed.
static const char *skip_value(const char *p, int depth);

static const char *skip_blank(const char *p)
{
    while (p && (*p == ' ' || *p == '\n'))
        p++;
    return p;
}

static const char *skip_string(const char *p)
{
    if (!p || *p++ != '"')
        return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20)
            return NULL;
        if (*p == '\\' && !strchr("\"\\/bfnrtu", *++p))
            return NULL;
    }
    return p + 1;
}

static const char *skip_items(const char *p, char end, int depth)
{
    p = skip_blank(p + 1);
    if (p && *p == end)
        return p + 1;
    while (p) {
        if (end == '}') {
            p = skip_blank(skip_string(p));
            p = p && *p == ':' ? skip_blank(p + 1) : NULL;
        }
        p = p ? skip_blank(skip_value(p, depth + 1)) : NULL;
        if (p && *p == end)
            return p + 1;
        p = p && *p == ',' ? skip_blank(p + 1) : NULL;
    }
    return NULL;
}

static const char *skip_value(const char *p, int depth)
{
    if (depth > 20)
        return NULL;
    if (*p == '{' || *p == '[')
        return skip_items(p, *p == '{' ? '}' : ']', depth);
    if (*p == '"')
        return skip_string(p);
    static const char *const word[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (strncmp(p, word[i], strlen(word[i])) == 0)
            return p + strlen(word[i]);
    size_t digits = strspn(p, "0123456789");
    return digits ? p + digits : NULL;
}

static int is_utf8(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t cp;
        i += wf__utf8_next(s + i, n - i, &cp);
        if (cp == WF__BAD_CHAR)
            return 0;
    }
    return 1;
}

// Line breaks are the only control characters, and nothing turns the direction of text.
static int is_plain(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t cp;
        i += wf__utf8_next(s + i, n - i, &cp);
        if ((cp < 0x20 && cp != '\n') || (cp >= 0x7f && cp < 0xa0) ||
            (cp >= 0x202a && cp <= 0x202e))
            return 0;
    }
    return 1;
}

// Tags balance, quotes close, and no character stands that XML forbids.
static int is_xml(const char *s)
{
    int depth = 0;
    for (; *s; s++) {
        if ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t')
            return 0;
        if (*s == '&' && strspn(s + 1, "abcdefghijklmnopqrstuvwxyz#0123456789") == 0)
            return 0;
        if (*s != '<')
            continue;
        int is_end = s[1] == '/', is_declaration = s[1] == '?', is_quoted = 0;
        for (s++; *s && (*s != '>' || is_quoted); s++) {
            is_quoted ^= *s == '"';
            if (*s == '<')
                return 0;
        }
        if (!*s)
            return 0;
        depth += is_end ? -1 : is_declaration || s[-1] == '/' ? 0 : 1;
    }
    return depth == 0;
}

WF_TEST(random_findings)
{
    for (int round = 0; round < 300; round++) {
        struct words w[3];
        struct wf_finding f[3];
        for (int i = 0; i < 3; i++)
            f[i] = make(&w[i]);
        struct wf_report_opts o = {.findings = f,
                                   .n_findings = 3,
                                   .program = w[0].kernel,
                                   .base_dir = any(2) ? "/" : w[1].file[0]};
        for (int k = WF_REPORT_TEXT; k <= WF_REPORT_JUNIT; k++) {
            struct wf_str a = {0}, b = {0};
            wf_report_write((enum wf_report_format)k, &o, &a, NULL);
            wf_report_write((enum wf_report_format)k, &o, &b, NULL);
            const char *text = wf_str_get(&a);
            CHECK(a.n == b.n && memcmp(text, wf_str_get(&b), a.n) == 0);
            CHECK(is_utf8(text, a.n));
            if (k == WF_REPORT_TEXT)
                CHECK(is_plain(text, a.n));
            else if (k == WF_REPORT_JUNIT)
                CHECK(is_xml(text));
            else
                CHECK(skip_value(text, 0) == text + a.n - 1);
            wf_str_fini(&a);
            wf_str_fini(&b);
        }
    }
}

// Names of files that must not be opened as source.
WF_TEST(strange_source_files)
{
    static const char *const names[] = {"/dev/zero", "/dev/stdin",     "/",
                                        "",          "/proc/self/mem", "/no/such"};
    CHECK(freopen("/dev/null", "r", stdin) != NULL); // where it is a file, it may be opened
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct wf_loc l = {names[i], 1, 1, NULL, NULL, 0};
        struct wf_finding f = wf_finding_make(WF_F_TRAP, NULL, 0);
        wf_finding_party(&f, WF_PARTY_ACCESS, &l);
        struct wf_report_opts o = {.findings = &f, .n_findings = 1};
        struct wf_str out = {0};
        wf_report_write(WF_REPORT_TEXT, &o, &out, NULL);
        CHECK_HAS(wf_str_get(&out), "WF034");
        CHECK(strchr(wf_str_get(&out), '^') == NULL);
        wf_str_fini(&out);
    }
}

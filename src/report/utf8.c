// SPDX-License-Identifier: Apache-2.0
// UTF-8 decoding as strict as RFC 3629 (no overlong forms, no surrogates), and the two escapers.
#include "report/utf8.h"

#include <stdbool.h> // bool
#include <string.h>  // strlen

#include "base/str.h" // struct wf_str

static size_t sequence_length(unsigned char c)
{
    if (c < 0x80)
        return 1;
    if (c >= 0xc2 && c <= 0xdf)
        return 2;
    if (c >= 0xe0 && c <= 0xef)
        return 3;
    return c >= 0xf0 && c <= 0xf4 ? 4 : 0;
}

size_t wf__utf8_next(const char *s, size_t n, uint32_t *cp)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = (unsigned char)s[0];
    size_t len = sequence_length(c);
    *cp = WF__BAD_CHAR;
    if (len == 0 || len > n)
        return 1;
    uint32_t x = len == 1 ? c : c & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        unsigned char k = (unsigned char)s[i];
        if ((k & 0xc0) != 0x80)
            return 1;
        x = x << 6 | (k & 0x3f);
    }
    if (x < least[len] || x > 0x10ffff || (x >= 0xd800 && x <= 0xdfff))
        return 1;
    *cp = x;
    return len;
}

struct range {
    uint32_t first, last;
};

static int in_ranges(uint32_t cp, const struct range *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cp >= r[i].first && cp <= r[i].last)
            return 1;
    return 0;
}

unsigned wf__utf8_width(uint32_t cp)
{
    static const struct range none[] = {
        {0x300, 0x36f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
    static const struct range wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
        {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60}, {0xffe0, 0xffe6},
        {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
    };
    if (cp < 0x300)
        return 1;
    if (in_ranges(cp, none, sizeof none / sizeof *none))
        return 0;
    return in_ranges(cp, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

// Characters that a terminal would not show, or that would reorder what stands around them.
static int is_hidden(uint32_t cp)
{
    static const struct range hidden[] = {
        {0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff},
    };
    return in_ranges(cp, hidden, sizeof hidden / sizeof *hidden);
}

size_t wf__add_plain(struct wf_str *out, const char *s, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n;) {
        uint32_t cp;
        size_t len = wf__utf8_next(s + i, n - i, &cp);
        size_t before = out->n;
        if (cp == '\t') {
            wf_str_add(out, "    ");
        } else if (cp == '\n') {
            wf_str_add(out, "\\n");
        } else if (cp == WF__BAD_CHAR || cp < 0x20 || cp == 0x7f) {
            wf_str_printf(out, "\\x%02x", (unsigned)(unsigned char)s[i]);
        } else if (is_hidden(cp)) {
            wf_str_printf(out, "\\u{%x}", (unsigned)cp);
        } else {
            wf_str_addn(out, s + i, len);
            columns += wf__utf8_width(cp);
            before = out->n; // already counted
        }
        columns += out->n - before;
        i += len;
    }
    return columns;
}

void wf__add_safe(struct wf_str *out, const char *s)
{
    if (s)
        wf__add_plain(out, s, strlen(s));
}

static void add_xml(struct wf_str *out, const char *s, bool is_attribute)
{
    size_t n = s ? strlen(s) : 0;
    for (size_t i = 0; i < n;) {
        uint32_t cp;
        size_t len = wf__utf8_next(s + i, n - i, &cp);
        if (cp == '<')
            wf_str_add(out, "&lt;");
        else if (cp == '>')
            wf_str_add(out, "&gt;");
        else if (cp == '&')
            wf_str_add(out, "&amp;");
        else if (cp == '"')
            wf_str_add(out, "&quot;");
        else if (is_attribute && (cp == '\n' || cp == '\t'))
            wf_str_printf(out, "&#%u;", (unsigned)cp);
        else if (cp == WF__BAD_CHAR || (cp < 0x20 && cp != '\n' && cp != '\t') || cp == 0xfffe ||
                 cp == 0xffff)
            wf_str_add(out, "\xef\xbf\xbd");
        else
            wf_str_addn(out, s + i, len);
        i += len;
    }
}

void wf__add_xml(struct wf_str *out, const char *s)
{
    add_xml(out, s, true);
}

void wf__add_xml_text(struct wf_str *out, const char *s)
{
    add_xml(out, s, false);
}

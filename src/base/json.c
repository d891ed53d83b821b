// SPDX-License-Identifier: Apache-2.0
// Streaming JSON writer. The caller keeps the nesting right; commas, line breaks and escapes are
// ours.
#include "base/json.h"

#include <inttypes.h> // PRId64
#include <math.h>     // isfinite
#include <stddef.h>   // NULL
#include <stdio.h>    // snprintf
#include <stdlib.h>   // strtod

#include "base/err.h" // WF_ASSERT
#include "base/str.h" // wf_str_add

void wf_json_init(struct wf_json *j, struct wf_str *out, int indent)
{
    *j = (struct wf_json){.out = out, .indent = indent};
}

static void newline(struct wf_json *j)
{
    if (!j->indent)
        return;
    wf_str_addc(j->out, '\n');
    for (int i = 0; i < j->depth * j->indent; i++)
        wf_str_addc(j->out, ' ');
}

// What must stand before a value or key.
static void before(struct wf_json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->need_comma)
        wf_str_addc(j->out, ',');
    if (j->depth)
        newline(j);
}

static void value(struct wf_json *j, const char *text)
{
    before(j);
    wf_str_add(j->out, text);
    j->need_comma = true;
}

static void open_level(struct wf_json *j, char c)
{
    before(j);
    wf_str_addc(j->out, c);
    j->depth++;
    j->need_comma = false;
}

static void close_level(struct wf_json *j, char c)
{
    WF_ASSERT(j->depth > 0 && !j->after_key);
    j->depth--;
    if (j->need_comma) // not empty
        newline(j);
    wf_str_addc(j->out, c);
    j->need_comma = true;
}

void wf_json_object(struct wf_json *j)
{
    open_level(j, '{');
}

void wf_json_array(struct wf_json *j)
{
    open_level(j, '[');
}

void wf_json_end_object(struct wf_json *j)
{
    close_level(j, '}');
}

void wf_json_end_array(struct wf_json *j)
{
    close_level(j, ']');
}

// Length of the well-formed UTF-8 sequence at s (RFC 3629: no overlong forms, no surrogates), or 0.
static int utf8_len(const unsigned char *s)
{
    int n = s[0] < 0x80   ? 1
            : s[0] < 0xc2 ? 0
            : s[0] < 0xe0 ? 2
            : s[0] < 0xf0 ? 3
            : s[0] < 0xf5 ? 4
                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void quoted(struct wf_json *j, const char *text)
{
    wf_str_addc(j->out, '"');
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_len(s);
        if (n == 0) {
            wf_str_add(j->out, "\xef\xbf\xbd");
            s++;
        } else if (*s == '"' || *s == '\\') {
            wf_str_printf(j->out, "\\%c", *s++);
        } else if (*s == '\n') {
            wf_str_add(j->out, "\\n");
            s++;
        } else if (*s == '\t') {
            wf_str_add(j->out, "\\t");
            s++;
        } else if (*s < 0x20 || *s == 0x7f) {
            wf_str_printf(j->out, "\\u%04x", *s++);
        } else {
            wf_str_addn(j->out, (const char *)s, (size_t)n);
            s += n;
        }
    }
    wf_str_addc(j->out, '"');
}

void wf_json_key(struct wf_json *j, const char *key)
{
    WF_ASSERT(!j->after_key);
    before(j);
    quoted(j, key);
    wf_str_add(j->out, j->indent ? ": " : ":");
    j->after_key = true;
    j->need_comma = false;
}

void wf_json_str(struct wf_json *j, const char *s)
{
    if (!s) {
        value(j, "null");
        return;
    }
    before(j);
    quoted(j, s);
    j->need_comma = true;
}

void wf_json_i64(struct wf_json *j, int64_t v)
{
    char buf[32];
    snprintf(buf, sizeof buf, "%" PRId64, v);
    value(j, buf);
}

void wf_json_u64(struct wf_json *j, uint64_t v)
{
    char buf[32];
    snprintf(buf, sizeof buf, "%" PRIu64, v);
    value(j, buf);
}

// The shortest decimal that reads back as the same double.
void wf_json_f64(struct wf_json *j, double v)
{
    if (!isfinite(v)) {
        value(j, "null");
        return;
    }
    char buf[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buf, sizeof buf, "%.*g", digits, v);
        double back = strtod(buf, NULL);
        if (!(back < v) && !(back > v))
            break;
    }
    value(j, buf);
}

void wf_json_bool(struct wf_json *j, bool v)
{
    value(j, v ? "true" : "false");
}

// SPDX-License-Identifier: Apache-2.0
// Excerpt and caret of an error. Knows only positions; finds the line by counting newlines, as
// errors are rare.
#include "ptx/diag.h"

#include <string.h> // memchr

#include "base/err.h" // struct wf_err
#include "base/str.h" // struct wf_str

enum { WIDTH = 100, LEFT = 60 }; // of an excerpt; how much stays in front of the caret when cut

static const char *find_line(const char *text, const char *end, uint32_t line)
{
    for (uint32_t i = 1; i < line; i++) {
        const char *nl = memchr(text, '\n', (size_t)(end - text));
        if (nl == NULL)
            return NULL;
        text = nl + 1;
    }
    return text;
}

void ptx_diag_format(const struct wf_err *err, const char *text, size_t n, struct wf_str *out)
{
    char head[1024];
    wf_err_format(err, head, sizeof head);
    wf_str_add(out, head);
    wf_str_addc(out, '\n');
    const char *end = text + n;
    const char *line = err->line > 0 ? find_line(text, end, err->line) : NULL;
    if (line == NULL || err->col == 0)
        return;
    const char *nl = memchr(line, '\n', (size_t)(end - line));
    size_t len = (size_t)((nl == NULL ? end : nl) - line), col = err->col - 1, from = 0;
    if (col > len)
        col = len;
    if (col >= WIDTH)
        from = col - LEFT;
    size_t to = len - from > WIDTH ? from + WIDTH : len;
    wf_str_add(out, from > 0 ? "    ..." : "    ");
    for (size_t i = from; i < to; i++) {
        char c = line[i];
        wf_str_addc(out, c == '\t' ? ' ' : c >= 32 && c < 127 ? c : '?');
    }
    wf_str_add(out, to < len ? "...\n    " : "\n    ");
    for (size_t i = from; i < col + (from > 0 ? 3 : 0); i++)
        wf_str_addc(out, ' ');
    wf_str_add(out, "^\n");
}

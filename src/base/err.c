// SPDX-License-Identifier: Apache-2.0
// Filling and printing of error records.
#include "base/err.h"

#include <stdarg.h> // va_list
#include <stdio.h>  // vsnprintf
#include <stdlib.h> // abort
#include <string.h> // strlen

static const char *const status_names[] = {
    [WF_OK] = "ok",
    [WF_E_USAGE] = "usage",
    [WF_E_INPUT] = "input",
    [WF_E_UNSUPPORTED] = "unsupported",
    [WF_E_NOMEM] = "no memory",
    [WF_E_IO] = "input/output",
    [WF_E_STATE] = "state",
    [WF_E_INTERNAL] = "internal",
};

// A sentence is one line, whatever was put into it.
static void flatten(char *s)
{
    for (; *s; s++)
        if (*s == '\n' || *s == '\r' || *s == '\t')
            *s = ' ';
}

static void fill(struct wf_err *err, enum wf_status code, const char *fmt, va_list ap)
{
    err->code = code;
    err->file[0] = err->hint[0] = '\0';
    err->line = err->col = 0;
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    flatten(err->text);
}

enum wf_status wf_err_set(struct wf_err *err, enum wf_status code, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        fill(err, code, fmt, ap);
        va_end(ap);
    }
    return code;
}

enum wf_status wf_err_at(struct wf_err *err, enum wf_status code, const char *file, uint32_t line,
                         uint32_t col, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        fill(err, code, fmt, ap);
        va_end(ap);
        snprintf(err->file, sizeof err->file, "%s", file ? file : "");
        err->line = line;
        err->col = col;
    }
    return code;
}

void wf_err_hint(struct wf_err *err, const char *fmt, ...)
{
    if (!err)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
    flatten(err->hint);
}

const char *wf_status_name(enum wf_status code)
{
    unsigned i = (unsigned)code;
    return i < sizeof status_names / sizeof *status_names ? status_names[i] : "unknown";
}

int wf_err_format(const struct wf_err *err, char *buf, unsigned n)
{
    char where[300] = "";
    if (err->file[0] && err->line && err->col)
        snprintf(where, sizeof where, "%s:%u:%u: ", err->file, err->line, err->col);
    else if (err->file[0] && err->line)
        snprintf(where, sizeof where, "%s:%u: ", err->file, err->line);
    else if (err->file[0])
        snprintf(where, sizeof where, "%s: ", err->file);
    if (n)
        buf[0] = '\0';
    snprintf(buf, n, "%serror: %s%s%s%s", where, err->text, err->hint[0] ? " (" : "", err->hint,
             err->hint[0] ? ")" : "");
    return n ? (int)strlen(buf) : 0;
}

_Noreturn void wf_assert_fail(const char *expr, const char *file, int line)
{
    fprintf(
        stderr,
        "warpfence: internal error at %s:%d: %s does not hold\n"
        "warpfence: this is a bug of Warpfence, please report it with the input that shows it\n",
        file, line, expr);
    fflush(stderr);
    abort();
}

// SPDX-License-Identifier: Apache-2.0
// Growing text buffer.
#include "base/str.h"

#include <stdarg.h> // va_list
#include <stdio.h>  // vsnprintf
#include <stdlib.h> // free
#include <string.h> // memcpy

#include "base/arena.h" // wf_xrealloc

static void reserve(struct wf_str *s, size_t more)
{
    if (s->cap - s->n > more) // one byte stays for the NUL
        return;
    size_t cap = s->cap ? 2 * s->cap : 64;
    while (cap - s->n <= more)
        cap *= 2;
    s->at = wf_xrealloc(s->at, cap);
    s->cap = cap;
}

void wf_str_fini(struct wf_str *s)
{
    free(s->at);
    *s = (struct wf_str){0};
}

void wf_str_addn(struct wf_str *s, const char *text, size_t n)
{
    reserve(s, n);
    if (n)
        memcpy(s->at + s->n, text, n);
    s->n += n;
    s->at[s->n] = '\0';
}

void wf_str_add(struct wf_str *s, const char *text)
{
    wf_str_addn(s, text, strlen(text));
}

void wf_str_addc(struct wf_str *s, char c)
{
    wf_str_addn(s, &c, 1);
}

void wf_str_printf(struct wf_str *s, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n >= 0) {
        reserve(s, (size_t)n);
        vsnprintf(s->at + s->n, (size_t)n + 1, fmt, again);
        s->n += (size_t)n;
    }
    va_end(again);
}

const char *wf_str_get(const struct wf_str *s)
{
    return s->at ? s->at : "";
}

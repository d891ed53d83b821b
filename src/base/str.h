// SPDX-License-Identifier: Apache-2.0
// Growing text buffer. Always NUL-terminated once something was added.
#ifndef WF_BASE_STR_H
#define WF_BASE_STR_H

#include <stddef.h> // size_t

struct wf_str {
    char *at; // NULL until the first add
    size_t n, cap;
};

void wf_str_fini(struct wf_str *s);
void wf_str_add(struct wf_str *s, const char *text);
void wf_str_addn(struct wf_str *s, const char *text, size_t n);
void wf_str_addc(struct wf_str *s, char c);
void wf_str_printf(struct wf_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *wf_str_get(const struct wf_str *s); // "" when empty

#endif

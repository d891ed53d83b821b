// SPDX-License-Identifier: Apache-2.0
// An error of the parser with the line it is about and a caret under the place.
#ifndef WF_PTX_DIAG_H
#define WF_PTX_DIAG_H

#include <stddef.h> // size_t

struct wf_err;
struct wf_str;

// Adds "file:line:col: error: sentence (hint)", the line of `text` (n bytes, the parser's input) and a
// caret. Long lines are cut around the place; bytes that do not print show as '?'.
void ptx_diag_format(const struct wf_err *err, const char *text, size_t n, struct wf_str *out);

#endif

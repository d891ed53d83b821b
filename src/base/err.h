// SPDX-License-Identifier: Apache-2.0
// Status codes and the error record that a failing call fills.
// A status is for "the tool cannot go on"; faults of the user's program are findings, never
// statuses.
#ifndef WF_BASE_ERR_H
#define WF_BASE_ERR_H

#include <stdint.h> // uint32_t

enum wf_status {
    WF_OK = 0,
    WF_E_USAGE,       // wrong options or arguments
    WF_E_INPUT,       // malformed input: PTX, fatbin, ELF, option file
    WF_E_UNSUPPORTED, // legal, but not done here
    WF_E_NOMEM,       // host or device memory exhausted
    WF_E_IO,          // file or process trouble
    WF_E_STATE,       // a call in the wrong state
    WF_E_INTERNAL     // our bug
};

// Filled by the callee that fails; the caller owns the storage and may leave it uninitialised.
struct wf_err {
    enum wf_status code;
    char file[256];     // input the sentence is about, or ""
    uint32_t line, col; // 1-based position in `file`, 0 when unknown
    char text[512];     // one sentence, no newline
    char hint[256];     // how to mend it, or ""
};

// Each returns `code`, so that a function can end in `return wf_err_set(...)`. err may be NULL.
enum wf_status wf_err_set(struct wf_err *err, enum wf_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
enum wf_status wf_err_at(struct wf_err *err, enum wf_status code, const char *file, uint32_t line,
                         uint32_t col, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void wf_err_hint(struct wf_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *wf_status_name(enum wf_status code);
// One line: "file:line:col: error: sentence (hint)". Returns the length written (truncated to n).
int wf_err_format(const struct wf_err *err, char *buf, unsigned n);

// Our own invariant broken: prints the expression, file and line, then aborts. Always on.
#define WF_ASSERT(x) ((x) ? (void)0 : wf_assert_fail(#x, __FILE__, __LINE__))
_Noreturn void wf_assert_fail(const char *expr, const char *file, int line);

#endif

// SPDX-License-Identifier: Apache-2.0
// `warpfence explain`: the page of a finding kind.
#ifndef WF_REPORT_EXPLAIN_H
#define WF_REPORT_EXPLAIN_H

#include <stdbool.h> // bool

#include "base/err.h" // enum wf_status

struct wf_str;

// `what` is a number in any spelling ("WF012", "wf12", "12") or a slug. Unknown: WF_E_USAGE with
// the nearest slug as a hint.
enum wf_status wf_explain_write(const char *what, bool is_color, struct wf_str *out,
                                struct wf_err *err);
void wf_explain_list(struct wf_str *out); // a line each kind: id, slug, severity, title

#endif

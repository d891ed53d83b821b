// SPDX-License-Identifier: Apache-2.0
// The finding pages of docs/findings/, put into the program by gen_pages.c when it is built, so
// that `explain` needs no file at run time.
#ifndef WF_REPORT_PAGES_H
#define WF_REPORT_PAGES_H

#include <stdint.h> // uint32_t

struct wf__page {
    uint32_t number;  // of WFnnn
    const char *text; // Markdown
};
extern const struct wf__page wf__pages[]; // one a row of core/finding.def, in its order
extern const uint32_t wf__n_pages;

const char *wf__page_text(uint32_t kind); // enum wf_finding_kind; NULL when out of range

#endif

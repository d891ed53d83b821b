// SPDX-License-Identifier: Apache-2.0
// Finds a page and prints it; with colour, headings and code stand out.
#include "report/explain.h"

#include <string.h> // strcmp

#include "base/str.h"     // struct wf_str
#include "core/finding.h" // wf_finding_slug
#include "report/pages.h"
#include "report/report_priv.h"

const char *wf__page_text(uint32_t kind)
{
    return kind < wf__n_pages ? wf__pages[kind].text : NULL;
}

static bool is_number(const char *s, uint32_t *out)
{
    if ((s[0] == 'W' || s[0] == 'w') && (s[1] == 'F' || s[1] == 'f'))
        s += 2;
    uint32_t v = 0;
    if (!*s || strlen(s) > 6)
        return false;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            return false;
        v = v * 10 + (uint32_t)(*s - '0');
    }
    *out = v;
    return true;
}

static bool find(const char *what, uint32_t *kind)
{
    uint32_t number = 0;
    bool by_number = is_number(what, &number);
    for (uint32_t k = 0; k < WF_F_COUNT; k++) {
        enum wf_finding_kind f = (enum wf_finding_kind)k;
        if (by_number ? wf_finding_number(f) == number : strcmp(wf_finding_slug(f), what) == 0) {
            *kind = k;
            return true;
        }
    }
    return false;
}

static void add_colored(struct wf_str *out, const char *page)
{
    bool in_code = false;
    while (*page) {
        const char *nl = strchr(page, '\n');
        size_t n = nl ? (size_t)(nl - page) : strlen(page);
        bool is_fence = strncmp(page, "```", 3) == 0;
        in_code = in_code != is_fence;
        const char *code = is_fence       ? "\033[2m"
                           : in_code      ? "\033[36m"
                           : *page == '#' ? "\033[1m"
                                          : NULL;
        if (code && n)
            wf_str_add(out, code);
        wf_str_addn(out, page, n);
        if (code && n)
            wf_str_add(out, "\033[0m");
        wf_str_add(out, "\n");
        page += nl ? n + 1 : n;
    }
}

enum wf_status wf_explain_write(const char *what, bool is_color, struct wf_str *out,
                                struct wf_err *err)
{
    uint32_t kind;
    if (!find(what, &kind)) {
        enum wf_status st = wf_err_set(err, WF_E_USAGE, "no finding is called '%.100s'", what);
        const char *nearest = wf__nearest_slug(what);
        if (nearest)
            wf_err_hint(err, "did you mean '%s'?", nearest);
        else
            wf_err_hint(err, "`warpfence explain` without a name lists them");
        return st;
    }
    const char *page = wf__page_text(kind);
    if (is_color)
        add_colored(out, page);
    else
        wf_str_add(out, page);
    return WF_OK;
}

void wf_explain_list(struct wf_str *out)
{
    for (uint32_t k = 0; k < WF_F_COUNT; k++) {
        enum wf_finding_kind f = (enum wf_finding_kind)k;
        wf_str_printf(out, "WF%03u  %-22s %-8s %s\n", (unsigned)wf_finding_number(f),
                      wf_finding_slug(f), wf__severity_name(wf_finding_default_severity(f)),
                      wf_finding_title(f));
    }
}

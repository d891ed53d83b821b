// SPDX-License-Identifier: Apache-2.0
// explain: the page of a finding, or the list of all kinds.
#include <stdio.h>  // fputs
#include <unistd.h> // STDOUT_FILENO

#include "base/str.h" // struct wf_str
#include "cli/cmd.h"
#include "report/explain.h" // wf_explain_write
#include "report/report.h"  // wf_report_wants_color

int wf__cmd_explain(const struct wf__cmd *cmd, int argc, char **argv)
{
    if (argc && wf__cli_wants_help(argv[0]))
        return wf__cli_help(cmd);
    if (argc > 1)
        return wf__cli_usage(cmd, "one finding at a time");
    struct wf_str text = {0};
    struct wf_err err;
    bool is_color = false;
    enum wf_status rc = wf_report_wants_color("auto", STDOUT_FILENO, &is_color, &err);
    if (rc == WF_OK && argc)
        rc = wf_explain_write(argv[0], is_color, &text, &err);
    else
        wf_explain_list(&text);
    if (rc == WF_OK)
        fputs(wf_str_get(&text), stdout);
    wf_str_fini(&text);
    return rc == WF_OK ? 0 : wf__cli_fail(&err);
}

// SPDX-License-Identifier: Apache-2.0
// wf-kernel: runs one kernel of a PTX file (run), or compiles all of them to show what --dump asks
// for (dump). A program of its own, so that `warpfence` itself need not load LLVM. Not called by
// users.
#include <stdio.h>  // fprintf
#include <string.h> // strcmp

#include "session/session.h" // wf_session_run_ptx

#ifdef __SANITIZE_ADDRESS__ // compiled kernels are kept to the end of the process: no leak
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static int fail(const struct wf_err *err)
{
    char line[1100];
    wf_err_format(err, line, sizeof line);
    fprintf(stderr, "warpfence: %s\n", line);
    return err->code == WF_E_USAGE ? 2 : err->code == WF_E_STATE ? 1 : 3;
}

static int run(int argc, char **argv)
{
    struct wf_options o;
    struct wf_err err;
    bool dashes;
    int at = 0;
    enum wf_command cmd = wf_session_options()->mode == WF_MODE_CHECK ? WF_CMD_CHECK : WF_CMD_RUN;
    enum wf_status rc = wf_options_init(&o, &err);
    if (rc == WF_OK)
        rc = wf_options_parse(&o, cmd, argc, argv, &at, &dashes, &err);
    const char *path = at < argc ? argv[at++] : NULL;
    if (rc == WF_OK && path) // options may follow the file's name
        rc = wf_options_parse(&o, cmd, argc, argv, &at, &dashes, &err);
    if (rc == WF_OK)
        rc = path ? wf_session_run_ptx(path, &o, &err)
                  : wf_err_set(&err, WF_E_USAGE, "a PTX file is missing");
    wf_options_fini(&o);
    if (rc == WF_E_UNSUPPORTED) // told already
        return 3;
    return rc == WF_OK ? 0 : fail(&err);
}

int main(int argc, char **argv)
{
    struct wf_err err;
    if (argc < 3) {
        wf_err_set(&err, WF_E_USAGE, "this is a part of warpfence: see warpfence run --help");
        return fail(&err);
    }
    wf_session_begin();
    if (strcmp(argv[1], "dump") == 0)
        return wf_session_compile_ptx(argv[2], &err) == WF_OK ? 0 : fail(&err);
    return run(argc - 2, argv + 2);
}

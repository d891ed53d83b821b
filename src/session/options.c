// SPDX-License-Identifier: Apache-2.0
// The option table, and the options' way through the environment.
#include "session/options.h"

#include <stdio.h>  // snprintf
#include <stdlib.h> // setenv
#include <string.h> // strcmp

#include "base/str.h"    // struct wf_str
#include "core/launch.h" // wf_gpu_find

enum { R = WF_CMD_RUN, C = WF_CMD_CHECK, B = WF_CMD_BUILD, P = WF_CMD_PTX, M = 0 };

const struct wf_opt wf_option_rows[] = {
#define WF_OPTION(field, flag, letter, type, preset, range, section, commands, in_env, help)       \
    {flag,          letter, in_env,                                                                \
     WF_OPT_##type, preset, range,                                                                 \
     section,       help,   offsetof(struct wf_options, field),                                    \
     commands},
#include "session/options.def"
#undef WF_OPTION
};
const size_t wf_option_count = sizeof wf_option_rows / sizeof *wf_option_rows;

static enum wf_status check(const struct wf_options *o, struct wf_err *err)
{
    if (wf_gpu_find(o->gpu))
        return WF_OK;
    wf_err_set(err, WF_E_USAGE, "there is no GPU named '%s' to model", o->gpu);
    wf_err_hint(err, "warpfence run --help lists them");
    return WF_E_USAGE;
}

enum wf_status wf_options_init(struct wf_options *o, struct wf_err *err)
{
    enum wf_status rc = wf_opt_defaults(wf_option_rows, wf_option_count, o, err);
    return rc != WF_OK ? rc : check(o, err);
}

enum wf_status wf_options_parse(struct wf_options *o, enum wf_command command, int argc,
                                char **argv, int *at, bool *dashes, struct wf_err *err)
{
    enum wf_status rc =
        wf_opt_parse(wf_option_rows, wf_option_count, command, o, argc, argv, at, dashes, err);
    return rc != WF_OK ? rc : check(o, err);
}

void wf_options_export(const struct wf_options *o)
{
    for (size_t i = 0; i < wf_option_count; i++) {
        const struct wf_opt *r = &wf_option_rows[i];
        if (!r->in_env)
            continue;
        char name[96];
        struct wf_str value = {0};
        wf_opt_env_name(r->flag, name, sizeof name);
        wf_opt_print_value(r, o, &value);
        if (strcmp(wf_str_get(&value), r->preset) == 0) // a short environment is easier to read
            unsetenv(name);
        else
            setenv(name, wf_str_get(&value), 1);
        wf_str_fini(&value);
    }
}

const char *wf_options_cache_dir(const struct wf_options *o, char *buf, size_t n)
{
    if (!o->cache)
        return NULL;
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int len = -1;
    if (*o->cache_dir)
        len = snprintf(buf, n, "%s", o->cache_dir);
    else if (xdg && *xdg)
        len = snprintf(buf, n, "%s/warpfence", xdg);
    else if (home && *home)
        len = snprintf(buf, n, "%s/.cache/warpfence", home);
    return len > 0 && (size_t)len < n ? buf : NULL;
}

void wf_options_fini(struct wf_options *o)
{
    wf_opt_fini(wf_option_rows, wf_option_count, o);
}

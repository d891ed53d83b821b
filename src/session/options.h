// SPDX-License-Identifier: Apache-2.0
// The options as a typed struct, one field a row of options.def. Linked into the command and into
// the runtime library: flags travel from the one to the other as environment variables. Knows no
// engine.
#ifndef WF_SESSION_OPTIONS_H
#define WF_SESSION_OPTIONS_H

#include "base/optparse.h" // struct wf_opt

enum wf_command { // bits of a row's commands column
    WF_CMD_RUN = 1,
    WF_CMD_CHECK = 2,
    WF_CMD_BUILD = 4,
    WF_CMD_PTX = 8,
    WF_CMD_EXPLAIN = 16,
    WF_CMD_DOCTOR = 32
};

enum wf_opt_mode { WF_MODE_RUN, WF_MODE_CHECK };

#define WF_FIELD_BOOL bool
#define WF_FIELD_INT int64_t
#define WF_FIELD_STRING const char *
#define WF_FIELD_ENUM int
#define WF_FIELD_LIST struct wf_opt_list

struct wf_options {
#define WF_OPTION(field, flag, letter, type, preset, range, section, commands, in_env, help)       \
    WF_FIELD_##type field;
#include "session/options.def"
#undef WF_OPTION
};

extern const struct wf_opt wf_option_rows[];
extern const size_t wf_option_count;

// Defaults, then the environment, with checks that one row cannot express (the GPU's name).
enum wf_status wf_options_init(struct wf_options *o, struct wf_err *err);
// Reads flags as wf_opt_parse does, then repeats the checks.
enum wf_status wf_options_parse(struct wf_options *o, enum wf_command command, int argc,
                                char **argv, int *at, bool *dashes, struct wf_err *err);
// Sets the environment so that wf_options_init in a child gives the same values.
void wf_options_export(const struct wf_options *o);
// The cache folder in force, or NULL when the cache is off or no place for it is known.
const char *wf_options_cache_dir(const struct wf_options *o, char *buf, size_t n);
void wf_options_fini(struct wf_options *o);

#endif

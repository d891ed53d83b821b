// SPDX-License-Identifier: Apache-2.0
// The commands' entries and what they share. Exit codes: 0, the program's own, --error-exitcode
// (66), 2 wrong usage, 3 the tool could not go on.
#ifndef WF_CLI_CMD_H
#define WF_CLI_CMD_H

#include "base/err.h"        // struct wf_err
#include "session/options.h" // struct wf_options

enum { WF_EXIT_USAGE = 2, WF_EXIT_TOOL = 3 };

struct wf__cmd {
    const char *name;
    int (*fn)(const struct wf__cmd *cmd, int argc, char **argv); // argv behind the command's name
    enum wf_command bit;
    const char *usage, *line;
};

#define WF_COMMAND(name, fn, bit, usage, line)                                                     \
    int fn(const struct wf__cmd *cmd, int argc, char **argv);
#include "cli/cmd.def"
#undef WF_COMMAND

// Prints the error and gives the exit code that belongs to it.
int wf__cli_fail(const struct wf_err *err);
// Like wf__cli_fail for wrong usage of a command.
int wf__cli_usage(const struct wf__cmd *cmd, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool wf__cli_wants_help(const char *word); // --help, -h
int wf__cli_help(const struct wf__cmd *cmd);

// In the place of nvcc: is the program called by that name, is this its command line, do it.
bool wf__cli_is_nvcc_name(const char *argv0);
bool wf__cli_is_nvcc_line(int argc, char **argv);
int wf__cli_nvcc(const struct wf__cmd *cmd, int argc, char **argv);

// The words of a command line. Before the last "--": words; behind it: compiler options and
// sources.
struct wf__words {
    int argc; // words before the last "--"
    char **argv;
    int n_compiler; // words behind it
    char **compiler;
};
struct wf__words wf__cli_split(int argc, char **argv);

// What the compiler is to get.
struct wf__inputs {
    const char **sources, **args; // heap; strings borrowed
    size_t n_sources, n_args;
};
void wf__inputs_add_source(struct wf__inputs *in, const char *path);
void wf__inputs_add_arg(struct wf__inputs *in, const char *arg);
void wf__inputs_add_compiler(struct wf__inputs *in, const struct wf__words *w);
void wf__inputs_fini(struct wf__inputs *in);

struct wf_front_opts;
// The front end's options from ours; borrows from both.
void wf__front_opts(const struct wf_options *o, const struct wf__inputs *in,
                    struct wf_front_opts *out);

// Folder of libcudart.so.N and of the PTX runner: as the options say, or beside the running
// executable.
bool wf__cli_lib_dir(const struct wf_options *o, char *buf, size_t n);
// An absolute form of a path that may not exist yet; heap. "" stays "".
char *wf__cli_absolute(const char *path);

#endif

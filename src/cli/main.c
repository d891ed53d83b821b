// SPDX-License-Identifier: Apache-2.0
// The command table.
#include <stdarg.h> // va_list
#include <stdio.h>  // printf
#include <string.h> // strcmp

#include "base/str.h" // struct wf_str
#include "cli/cmd.h"

static const struct wf__cmd commands[] = {
#define WF_COMMAND(name, fn, bit, usage, line) {name, fn, bit, usage, line},
#include "cli/cmd.def"
#undef WF_COMMAND
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

int wf__cli_fail(const struct wf_err *err)
{
    char line[1100];
    wf_err_format(err, line, sizeof line);
    fprintf(stderr, "warpfence: %s\n", line);
    return err->code == WF_E_USAGE ? WF_EXIT_USAGE : WF_EXIT_TOOL;
}

int wf__cli_usage(const struct wf__cmd *cmd, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "warpfence: error: %s (usage: %s)\n", text, cmd->usage);
    return WF_EXIT_USAGE;
}

bool wf__cli_wants_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int wf__cli_help(const struct wf__cmd *cmd)
{
    struct wf_str text = {0};
    wf_opt_help(wf_option_rows, wf_option_count, cmd->bit, &text);
    printf("usage: %s\n%s%s", cmd->usage, cmd->line, "\n");
    fputs(wf_str_get(&text), stdout);
    wf_str_fini(&text);
    if (cmd->bit == WF_CMD_RUN || cmd->bit == WF_CMD_CHECK)
        puts("\nPROGRAM is a .cu file, an executable (nvcc -cudart shared, or warpfence build) or "
             "a .ptx\n"
             "file. The last -- parts the program's arguments from compiler options and more "
             "sources.");
    return 0;
}

static void help(FILE *to)
{
    fputs("warpfence runs CUDA programs on the CPU and checks their synchronization.\n\n", to);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  warpfence %-8s %s\n", commands[i].name, commands[i].line);
    fputs("\nwarpfence COMMAND --help tells the options of a command; warpfence --version the "
          "version.\n",
          to);
}

static const struct wf__cmd *find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    fprintf(stderr, "warpfence: error: there is no command %s (warpfence --help lists them)\n",
            name);
    return WF_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (wf__cli_is_nvcc_name(argv[0]))
        return wf__cli_nvcc(find("build"), argc - 1, argv + 1);
    if (argc < 2) {
        help(stderr);
        return WF_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("warpfence %s\n", WF_VERSION);
        return 0;
    }
    bool is_help = wf__cli_wants_help(name) || strcmp(name, "help") == 0;
    if (is_help && argc == 2) {
        help(stdout);
        return 0;
    }
    const struct wf__cmd *cmd = find(is_help ? argv[2] : name);
    if (!cmd)
        return unknown(is_help ? argv[2] : name);
    if (is_help)
        return wf__cli_help(cmd);
    return cmd->fn(cmd, argc - 2, argv + 2);
}

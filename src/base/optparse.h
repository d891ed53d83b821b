// SPDX-License-Identifier: Apache-2.0
// Reads options from argv and the environment into a struct, as a table says.
//
// One row is one option. Its flag "--max-findings" decides the environment name
// WARPFENCE_MAX_FINDINGS and, by the caller's macro, the field max_findings.
// Precedence: flag, then environment, then default. Later flags win over earlier ones.
// Accepted: --flag=value, --flag value, --flag and --no-flag for booleans; -x value and -xvalue for
// rows with a letter.
#ifndef WF_BASE_OPTPARSE_H
#define WF_BASE_OPTPARSE_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // int64_t

#include "base/err.h" // enum wf_status

struct wf_str;

enum wf_opt_type {
    WF_OPT_BOOL,   // field: bool
    WF_OPT_INT,    // field: int64_t; range "min..max"; suffixes K, M, G (powers of 1024)
    WF_OPT_STRING, // field: const char *, borrowed from argv or the environment
    WF_OPT_ENUM,   // field: int, the index in the range "a|b|c"
    WF_OPT_LIST    // field: struct wf_opt_list, every occurrence
};

struct wf_opt_list {
    const char **at; // heap; the strings are borrowed
    size_t n;
};

struct wf_opt {
    const char *flag; // "--max-findings"
    char letter;      // 'o' for -o, 0 for none
    bool in_env;      // may be set by the environment
    enum wf_opt_type type;
    const char *preset; // default as text, "" for none
    const char *range;  // "min..max", "a|b|c", or for strings what to call the value ("FILE")
    const char *section;
    const char *help;
    size_t offset;     // of the field
    unsigned commands; // caller's bit set: which commands take it
};

// Fills every field with its default, then with the environment. A bad value in the environment is
// an error that names the variable.
enum wf_status wf_opt_defaults(const struct wf_opt *rows, size_t n, void *fields,
                               struct wf_err *err);

// Reads flags from argv[*at] on, stopping behind "--" or at the first word that is no flag. *at is
// where it stopped (behind the "--"; *dashes says whether one was met). Only rows with a bit of
// `commands` are known; the error for an unknown flag names the nearest known one.
enum wf_status wf_opt_parse(const struct wf_opt *rows, size_t n, unsigned commands, void *fields,
                            int argc, char **argv, int *at, bool *dashes, struct wf_err *err);

// Sets one field from text, as a flag would. For checks of single values.
enum wf_status wf_opt_set(const struct wf_opt *row, void *fields, const char *what,
                          const char *text, struct wf_err *err);

// Appends the current value of a field as text that wf_opt_set reads back; "" for empty strings and
// lists.
void wf_opt_print_value(const struct wf_opt *row, const void *fields, struct wf_str *out);

// Appends the rows' help, section by section in order of appearance.
void wf_opt_help(const struct wf_opt *rows, size_t n, unsigned commands, struct wf_str *out);

// "--max-findings" -> "WARPFENCE_MAX_FINDINGS".
void wf_opt_env_name(const char *flag, char *buf, size_t n);

void wf_opt_fini(const struct wf_opt *rows, size_t n, void *fields); // frees lists

#endif

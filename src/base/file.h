// SPDX-License-Identifier: Apache-2.0
// Whole files and child processes.
#ifndef WF_BASE_FILE_H
#define WF_BASE_FILE_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t

#include "base/err.h" // enum wf_status
#include "base/str.h" // struct wf_str

struct wf_file {
    char *at; // heap, a NUL stands behind the last byte
    size_t n;
};

enum wf_status wf_file_read(const char *path, struct wf_file *out, struct wf_err *err);
void wf_file_fini(struct wf_file *f);
// Writes beside `path` and renames, so that readers see the old or the new file, never half of one. A symbolic link is
// followed; what is no file (a device, a pipe) is written into. _program: executable.
enum wf_status wf_file_write_program(const char *path, const void *data, size_t n, struct wf_err *err);
enum wf_status wf_file_write_atomic(const char *path, const void *data, size_t n,
                                    struct wf_err *err);
bool wf_file_exists(const char *path);
enum wf_status wf_file_mkdirs(const char *path, struct wf_err *err);
// A new empty directory under $TMPDIR or /tmp; path is written to buf.
enum wf_status wf_file_tempdir(char *buf, size_t n, struct wf_err *err);
void wf_file_remove_tree(const char *path);
// Full path of a program found on PATH, or false.
bool wf_file_which(const char *name, char *buf, size_t n);
// Directory of the running executable.
bool wf_file_self_dir(char *buf, size_t n);

// Runs argv (NULL-terminated), waits, and gives its exit status (128 + signal when killed).
// If `output` is not NULL, standard output and error are collected there, else inherited.
enum wf_status wf_process_run(char *const argv[], struct wf_str *output, int *exit_status,
                              struct wf_err *err);

#endif

// SPDX-License-Identifier: Apache-2.0
// Child processes: run one, wait, collect what it printed.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // pipe2
#endif
#include "base/file.h"

#include <errno.h>    // errno
#include <fcntl.h>    // O_CLOEXEC
#include <spawn.h>    // posix_spawnp
#include <string.h>   // strerror
#include <sys/wait.h> // waitpid
#include <unistd.h>   // pipe2

extern char **environ;

static int collect(int fd, struct wf_str *out)
{
    char buf[4096];
    for (;;) {
        ssize_t got = read(fd, buf, sizeof buf);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (int)got;
        wf_str_addn(out, buf, (size_t)got);
    }
}

static int wait_for(pid_t pid, int *exit_status)
{
    int st;
    while (waitpid(pid, &st, 0) < 0)
        if (errno != EINTR)
            return -1;
    *exit_status = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
    return 0;
}

enum wf_status wf_process_run(char *const argv[], struct wf_str *output, int *exit_status,
                              struct wf_err *err)
{
    int fd[2] = {-1, -1};
    if (output && pipe2(fd, O_CLOEXEC) != 0)
        return wf_err_set(err, WF_E_IO, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_t act;
    posix_spawn_file_actions_init(&act);
    if (output) {
        posix_spawn_file_actions_adddup2(&act, fd[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&act, fd[1], STDERR_FILENO);
    }
    pid_t pid;
    int rc = posix_spawnp(&pid, argv[0], &act, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&act);
    if (output)
        close(fd[1]);
    if (rc != 0) {
        if (output)
            close(fd[0]);
        return wf_err_set(err, WF_E_IO, "cannot run %s: %s", argv[0], strerror(rc));
    }
    int bad = output && collect(fd[0], output) != 0;
    if (output)
        close(fd[0]);
    if (wait_for(pid, exit_status) != 0 || bad)
        return wf_err_set(err, WF_E_IO, "lost track of %s: %s", argv[0], strerror(errno));
    return WF_OK;
}

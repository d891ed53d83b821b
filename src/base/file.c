// SPDX-License-Identifier: Apache-2.0
// Whole files: reading, atomic writing, folders, and where programs lie.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp, nftw
#endif
#include "base/file.h"

#include <errno.h>    // errno
#include <fcntl.h>    // open
#include <ftw.h>      // nftw
#include <limits.h>   // PATH_MAX
#include <stdint.h>   // SIZE_MAX
#include <stdio.h>    // snprintf, rename
#include <stdlib.h>   // getenv, mkdtemp
#include <string.h>   // strerror
#include <sys/stat.h> // fstat, mkdir
#include <unistd.h>   // read, write

#include "base/arena.h" // wf_xmalloc

static enum wf_status io_error(struct wf_err *err, const char *verb, const char *path)
{
    return wf_err_set(err, WF_E_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

// Reads to the end, so that pipes and /proc work as well as plain files.
static int read_all(int fd, size_t guess, struct wf_file *out)
{
    size_t cap = guess + 1;
    out->at = wf_xmalloc(cap + 1);
    out->n = 0;
    for (;;) {
        if (out->n == cap) {
            cap *= 2;
            out->at = wf_xrealloc(out->at, cap + 1);
        }
        ssize_t got = read(fd, out->at + out->n, cap - out->n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        out->n += (size_t)got;
    }
    out->at[out->n] = '\0';
    return 0;
}

enum wf_status wf_file_read(const char *path, struct wf_file *out, struct wf_err *err)
{
    *out = (struct wf_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return io_error(err, "open", path);
    struct stat st;
    enum wf_status rc = WF_OK;
    if (fstat(fd, &st) != 0) {
        rc = io_error(err, "read", path);
    } else if (S_ISDIR(st.st_mode)) {
        rc = wf_err_set(err, WF_E_IO, "cannot read %s: it is a directory", path);
    } else if (read_all(fd, st.st_size > 0 ? (size_t)st.st_size : 4096, out) != 0) {
        rc = io_error(err, "read", path);
        wf_file_fini(out);
    }
    close(fd);
    return rc;
}

void wf_file_fini(struct wf_file *f)
{
    free(f->at);
    *f = (struct wf_file){0};
}

static int write_all(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t put = write(fd, data, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        data += put;
        n -= (size_t)put;
    }
    return 0;
}

// A device, a pipe or the like takes the bytes as they are: to put a file in its place would destroy it.
static enum wf_status write_into(const char *path, const void *data, size_t n, struct wf_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return io_error(err, "write", path);
    int bad = write_all(fd, data, n) != 0, why = errno;
    close(fd);
    errno = why;
    return bad ? io_error(err, "write", path) : WF_OK;
}

static enum wf_status write_beside(const char *path, const void *data, size_t n, mode_t mode, struct wf_err *err)
{
    char tmp[PATH_MAX];
    int len = snprintf(tmp, sizeof tmp, "%s.XXXXXX", path);
    if (len < 0 || (size_t)len >= sizeof tmp)
        return wf_err_set(err, WF_E_IO, "cannot write %.100s...: the path is too long", path);
    int fd = mkostemp(tmp, O_CLOEXEC);
    if (fd < 0)
        return io_error(err, "write", path);
    mode_t mask = umask(0);
    umask(mask);
    int bad = write_all(fd, data, n) != 0 || fchmod(fd, mode & ~mask) != 0;
    int why = errno;
    if (close(fd) != 0 && !bad) {
        bad = 1;
        why = errno;
    }
    if (!bad && rename(tmp, path) != 0) {
        bad = 1;
        why = errno;
    }
    if (!bad)
        return WF_OK;
    unlink(tmp);
    errno = why;
    return io_error(err, "write", path);
}

static enum wf_status put_file(const char *path, const void *data, size_t n, mode_t mode, struct wf_err *err)
{
    char real[PATH_MAX];
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && realpath(path, real)) // the link stays one
        path = real;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return write_into(path, data, n, err);
    return write_beside(path, data, n, mode, err);
}

enum wf_status wf_file_write_atomic(const char *path, const void *data, size_t n, struct wf_err *err)
{
    return put_file(path, data, n, 0666, err);
}

enum wf_status wf_file_write_program(const char *path, const void *data, size_t n, struct wf_err *err)
{
    return put_file(path, data, n, 0777, err);
}

bool wf_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

enum wf_status wf_file_mkdirs(const char *path, struct wf_err *err)
{
    char buf[4096];
    int len = snprintf(buf, sizeof buf, "%s", path);
    if (len <= 0 || (size_t)len >= sizeof buf)
        return wf_err_set(err, WF_E_IO, "cannot make the folder: bad path length");
    for (char *p = buf + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char end = *p;
        *p = '\0';
        if (mkdir(buf, 0777) != 0 && errno != EEXIST)
            return io_error(err, "make the folder", buf);
        if (!end)
            break;
        *p = end;
    }
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return wf_err_set(err, WF_E_IO, "cannot make the folder %s: a file stands there", path);
    return WF_OK;
}

enum wf_status wf_file_tempdir(char *buf, size_t n, struct wf_err *err)
{
    const char *root = getenv("TMPDIR");
    if (!root || !*root)
        root = "/tmp";
    int len = snprintf(buf, n, "%s/warpfence-XXXXXX", root);
    if (len < 0 || (size_t)len >= n)
        return wf_err_set(err, WF_E_IO, "the path in TMPDIR is too long");
    if (!mkdtemp(buf))
        return io_error(err, "make a temporary folder under", root);
    return WF_OK;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

void wf_file_remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool wf_file_which(const char *name, char *buf, size_t n)
{
    if (strchr(name, '/')) {
        int len = snprintf(buf, n, "%s", name);
        return len > 0 && (size_t)len < n && is_program(buf);
    }
    const char *path = getenv("PATH");
    if (!path)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (const char *p = path; p;) {
        const char *end = strchr(p, ':');
        int dir = (int)(end ? end - p : (ptrdiff_t)strlen(p));
        int len = dir ? snprintf(buf, n, "%.*s/%s", dir, p, name) : snprintf(buf, n, "./%s", name);
        if (len > 0 && (size_t)len < n && is_program(buf))
            return true;
        p = end ? end + 1 : NULL;
    }
    return false;
}

bool wf_file_self_dir(char *buf, size_t n)
{
    ssize_t len = readlink("/proc/self/exe", buf, n);
    if (len <= 0 || (size_t)len >= n)
        return false;
    buf[len] = '\0';
    char *slash = strrchr(buf, '/');
    if (!slash)
        return false;
    slash[slash == buf] = '\0'; // "/x" leaves "/"
    return true;
}

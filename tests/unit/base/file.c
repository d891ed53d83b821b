// SPDX-License-Identifier: Apache-2.0
// Files, folders, child processes and pages.
#include "base/file.h"

#include <fcntl.h>    // open
#include <sys/stat.h> // stat
#include <unistd.h>   // symlink

#include "base/os.h"
#include "test.h"

WF_TEST(write_and_read)
{
    char dir[512], path[600];
    struct wf_err e;
    struct wf_file f;
    CHECK_EQ(wf_file_tempdir(dir, sizeof dir, &e), WF_OK);
    snprintf(path, sizeof path, "%s/a/b/c", dir);
    CHECK_EQ(wf_file_mkdirs(path, &e), WF_OK);
    CHECK_EQ(wf_file_mkdirs(path, &e), WF_OK);
    snprintf(path, sizeof path, "%s/a/b/c/file", dir);
    CHECK_EQ(wf_file_write_atomic(path, "ab\0c", 4, &e), WF_OK);
    CHECK_EQ(wf_file_read(path, &f, &e), WF_OK);
    CHECK_EQ(f.n, 4);
    CHECK(memcmp(f.at, "ab\0c", 5) == 0);
    wf_file_fini(&f);
    CHECK_EQ(wf_file_write_atomic(path, "", 0, &e), WF_OK);
    CHECK_EQ(wf_file_read(path, &f, &e), WF_OK);
    CHECK_EQ(f.n, 0);
    CHECK_STR(f.at, "");
    wf_file_fini(&f);
    CHECK_EQ(wf_file_mkdirs(path, &e), WF_E_IO);
    CHECK_EQ(wf_file_read(dir, &f, &e), WF_E_IO);
    CHECK_HAS(e.text, "directory");
    wf_file_remove_tree(dir);
    CHECK(!wf_file_exists(dir));
    CHECK_EQ(wf_file_read(path, &f, &e), WF_E_IO);
    CHECK_HAS(e.text, path);
    CHECK_EQ(wf_file_write_atomic(path, "", 0, &e), WF_E_IO);
}

// What is no file stays what it is, and a link stays a link.
WF_TEST(write_into_other_things)
{
    char dir[512], pipe[600], link[600], file[600], got[8] = "";
    struct wf_err e;
    struct wf_file f;
    struct stat st;
    CHECK_EQ(wf_file_tempdir(dir, sizeof dir, &e), WF_OK);
    snprintf(pipe, sizeof pipe, "%s/pipe", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    snprintf(file, sizeof file, "%s/file", dir);
    CHECK_EQ(mkfifo(pipe, 0600), 0);
    int fd = open(pipe, O_RDWR); // so that neither side waits
    CHECK(fd >= 0);
    CHECK_EQ(wf_file_write_atomic(pipe, "abc", 3, &e), WF_OK);
    CHECK_EQ(wf_file_write_program(pipe, "de", 2, &e), WF_OK);
    CHECK_EQ(read(fd, got, 7), 5);
    CHECK_STR(got, "abcde");
    close(fd);
    CHECK_EQ(lstat(pipe, &st), 0);
    CHECK(S_ISFIFO(st.st_mode));
    CHECK_EQ(symlink(file, link), 0);
    CHECK_EQ(wf_file_write_atomic(file, "old", 3, &e), WF_OK);
    CHECK_EQ(wf_file_write_program(link, "new", 3, &e), WF_OK);
    CHECK_EQ(lstat(link, &st), 0);
    CHECK(S_ISLNK(st.st_mode));
    CHECK_EQ(stat(file, &st), 0);
    CHECK(S_ISREG(st.st_mode) && st.st_mode & S_IXUSR);
    CHECK_EQ(wf_file_read(file, &f, &e), WF_OK);
    CHECK_STR(f.at, "new");
    wf_file_fini(&f);
    wf_file_remove_tree(dir);
}

WF_TEST(endless_sources)
{
    struct wf_err e;
    struct wf_file f;
    CHECK_EQ(wf_file_read("/proc/self/status", &f, &e), WF_OK); // says its size is 0
    CHECK_HAS(f.at, "VmPeak");
    wf_file_fini(&f);
}

WF_TEST(programs)
{
    char buf[512];
    CHECK(wf_file_which("sh", buf, sizeof buf));
    CHECK_EQ(buf[0], '/');
    CHECK(!wf_file_which("no-such-program-here", buf, sizeof buf));
    CHECK(!wf_file_which("/tmp", buf, sizeof buf));
    CHECK(wf_file_self_dir(buf, sizeof buf));
    CHECK_EQ(buf[0], '/');
    CHECK(!wf_file_self_dir(buf, 2));
}

WF_TEST(children)
{
    struct wf_err e;
    struct wf_str out = {0};
    int status = -1;
    char *argv[] = {"sh", "-c", "echo one; echo two >&2; exit 7", NULL};
    CHECK_EQ(wf_process_run(argv, &out, &status, &e), WF_OK);
    CHECK_EQ(status, 7);
    CHECK_STR(wf_str_get(&out), "one\ntwo\n");
    wf_str_fini(&out);
    char *killed[] = {"sh", "-c", "kill -9 $$", NULL};
    CHECK_EQ(wf_process_run(killed, NULL, &status, &e), WF_OK);
    CHECK_EQ(status, 128 + 9);
    char *missing[] = {"no-such-program-here", NULL};
    CHECK_EQ(wf_process_run(missing, &out, &status, &e), WF_E_IO);
    CHECK_HAS(e.text, "no-such-program-here");
    char *large[] = {"sh", "-c", "yes | head -c 300000", NULL};
    CHECK_EQ(wf_process_run(large, &out, &status, &e), WF_OK);
    CHECK_EQ(out.n, 300000);
    wf_str_fini(&out);
}

WF_TEST(pages)
{
    size_t n = (size_t)1 << 30;
    char *p = wf_os_reserve(n);
    CHECK(p != NULL);
    CHECK_EQ(wf_os_commit(p + 4096, 8192), 0);
    p[4096] = p[12287] = 1;
    CHECK_EQ(wf_os_decommit(p + 4096, 4096), 0);
    CHECK_EQ(wf_os_commit(p + 4096, 4096), 0);
    CHECK_EQ(p[4096], 0); // the memory was given up
    CHECK_EQ(p[12287], 1);
    CHECK(wf_os_reserve_at(p, n) == NULL); // taken
    wf_os_release(p, n);
    CHECK(wf_os_reserve_at(p, n) == p);
    wf_os_release(p, n);
    CHECK(wf_os_cpus() >= 1);
    uint64_t t = wf_os_now_ns();
    CHECK(wf_os_now_ns() >= t);
}

// SPDX-License-Identifier: Apache-2.0
// Several runs of one program, one after another, and one report of them. See runs.h.
//
// A process may do anything to its surroundings, so a second run starts like the first: nothing is
// taken back, and a program that changes files sees what its first run left. What later runs print
// is not shown: it would be the same lines again.
#include "cli/runs.h"

#include <dirent.h>   // opendir
#include <errno.h>    // errno
#include <fcntl.h>    // open
#include <signal.h>   // sigaction
#include <stdio.h>    // fprintf
#include <stdlib.h>   // setenv
#include <string.h>   // strerror
#include <sys/wait.h> // waitpid
#include <unistd.h>   // fork

#include "base/file.h"       // wf_file_tempdir
#include "cli/become.h"      // wf__cli_become
#include "cli/cmd.h"         // wf__cli_fail
#include "core/finding.h"    // wf_finding_total
#include "core/record.h"     // wf_record_read
#include "report/report.h"   // wf_report_write
#include "report/suppress.h" // wf_suppress_read

static struct {
    char dir[256];
    volatile sig_atomic_t signal; // that asked for an end
    volatile pid_t child;
    struct sigaction old[3];
} runs;
static const int asked[] = {SIGINT, SIGTERM, SIGHUP};

static void on_request(int sig)
{
    runs.signal = sig;
    if (sig != SIGINT && runs.child > 0) // the terminal tells the child of an interrupt itself
        kill(runs.child, sig);
}

enum wf_status wf__runs_begin(struct wf_err *err)
{
    struct sigaction act = {.sa_handler = on_request};
    sigemptyset(&act.sa_mask);
    for (int i = 0; i < 3; i++)
        sigaction(asked[i], &act, &runs.old[i]);
    return wf_file_tempdir(runs.dir, sizeof runs.dir, err);
}

void wf__runs_end(void)
{
    if (*runs.dir)
        wf_file_remove_tree(runs.dir);
    for (int i = 0; i < 3; i++)
        sigaction(asked[i], &runs.old[i], NULL);
}

bool wf__runs_interrupted(void)
{
    return runs.signal != 0;
}

// Also the child's side: gets the signals back, gives up its streams when quiet, becomes the program.
static _Noreturn void become(const char *path, char *const argv[], bool is_quiet)
{
    for (int i = 0; i < 3; i++)
        sigaction(asked[i], &runs.old[i], NULL);
    int null = is_quiet ? open("/dev/null", O_RDWR) : -1;
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
    wf__cli_become(path, argv);
    _exit(127);
}

static enum wf_status wait_for(pid_t pid, int *code, struct wf_err *err)
{
    int st;
    while (waitpid(pid, &st, 0) < 0)
        if (errno != EINTR)
            return wf_err_set(err, WF_E_IO, "lost track of a run: %s", strerror(errno));
    *code = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
    return WF_OK;
}

// Each process of the run that made launches has left a file.
static enum wf_status gather(struct wf__outcome *out, struct wf_err *err)
{
    DIR *d = opendir(runs.dir);
    if (!d)
        return wf_err_set(err, WF_E_IO, "cannot read %s: %s", runs.dir, strerror(errno));
    enum wf_status rc = WF_OK;
    for (struct dirent *e; rc == WF_OK && (e = readdir(d));) {
        if (*e->d_name == '.')
            continue;
        char path[600];
        struct wf_file f;
        struct wf_record r = {0};
        snprintf(path, sizeof path, "%s/%s", runs.dir, e->d_name);
        rc = wf_file_read(path, &f, err);
        if (rc != WF_OK)
            break;
        rc = wf_record_read(f.at, f.n, &r, err);
        wf_file_fini(&f);
        remove(path);
        out->launches += r.launches;
        out->troubles += r.troubles;
        out->is_incomplete |= r.is_incomplete;
        out->has_record = true;
    }
    closedir(d);
    return rc;
}

enum wf_status wf__run_once(const char *path, char *const argv[], uint64_t seed, bool is_quiet,
                            struct wf__outcome *out, struct wf_err *err)
{
    char number[24], record[300];
    *out = (struct wf__outcome){0};
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    snprintf(record, sizeof record, "%s/run", runs.dir);
    setenv("WARPFENCE_SEED", number, 1);
    setenv("WARPFENCE_RECORD", record, 1);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return wf_err_set(err, WF_E_IO, "cannot start a run: %s", strerror(errno));
    if (pid == 0)
        become(path, argv, is_quiet);
    runs.child = pid;
    enum wf_status rc = wait_for(pid, &out->code, err);
    runs.child = 0;
    return rc == WF_OK ? gather(out, err) : rc;
}

static enum wf_status write_out(const struct wf_options *o, const struct wf_str *text,
                                enum wf_report_format format, struct wf_err *err)
{
    if (*o->output) { // the number of this process for each %p, as in a single run
        struct wf_str path = {0};
        for (const char *p = o->output; *p; p++)
            if (p[0] == '%' && p[1] == 'p')
                wf_str_printf(&path, "%ld", (long)getpid()), p++;
            else
                wf_str_addc(&path, *p);
        enum wf_status rc = wf_file_write_atomic(path.at, wf_str_get(text), text->n, err);
        wf_str_fini(&path);
        return rc;
    }
    FILE *f = format == WF_REPORT_TEXT ? stderr : stdout;
    fwrite(wf_str_get(text), 1, text->n, f);
    fflush(f);
    return WF_OK;
}

int wf__runs_report(const struct wf_options *o, const struct wf__outcome *all)
{
    static const char *const when[] = {"auto", "always", "never"};
    char cwd[4096];
    struct wf_err err;
    struct wf_suppress *suppress = *o->suppressions ? wf_suppress_new() : NULL;
    if (suppress && wf_suppress_read(suppress, o->suppressions, &err) != WF_OK)
        return wf__cli_fail(&err);
    struct wf_report_opts r = {.program = o->program,
                               .version = WF_VERSION,
                               .base_dir = getcwd(cwd, sizeof cwd) ? cwd : NULL,
                               .launches = all->launches,
                               .max_findings = (uint32_t)o->max_findings,
                               .is_incomplete = all->is_incomplete,
                               .is_werror = o->werror,
                               .schedules = (uint32_t)o->schedules,
                               .suppress = suppress};
    wf_report_wants_color(when[o->color], STDERR_FILENO, &r.is_color, NULL);
    r.is_color &= !*o->output;
    struct wf_report_counts n = wf_report_count(&r);
    struct wf_str text = {0};
    enum wf_report_format format = (enum wf_report_format)o->format;
    enum wf_status rc = wf_report_write(format, &r, &text, &err);
    if (rc == WF_OK)
        rc = write_out(o, &text, format, &err);
    wf_str_fini(&text);
    wf_suppress_free(suppress);
    if (rc != WF_OK)
        return wf__cli_fail(&err);
    if (n.errors || (o->werror && (n.warnings || n.advice)))
        return (int)o->error_exitcode;
    return all->troubles ? WF_EXIT_TOOL : all->code;
}

static void progress(const struct wf_options *o, int64_t i)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rwarpfence: schedule %lld of %lld, %u findings \r", (long long)i + 1,
                (long long)o->schedules, wf_finding_total());
}

// A run that ends otherwise than the first one: its result depends on the order. Told once.
static void compare(const struct wf_options *o, const struct wf__outcome *first,
                    const struct wf__outcome *one, uint64_t seed, bool *is_told)
{
    unsigned long long s = (unsigned long long)seed;
    if (!one->has_record)
        fprintf(stderr, "warpfence: note: the run with --seed %llu left no report\n", s);
    else if (one->troubles > first->troubles)
        fprintf(stderr,
                "warpfence: note: the run with --seed %llu could not go on: run it alone to see why\n",
                s);
    else if (one->code != first->code && !*is_told)
        fprintf(stderr,
                "warpfence: note: the program ended with %d with --seed %llu and with %d with "
                "--seed %llu: its result depends on the order\n",
                one->code, s, first->code, (unsigned long long)o->seed);
    *is_told |= one->code != first->code;
}

enum wf_status wf__runs_all(const struct wf_options *o, const char *path, char *const argv[], bool is_quiet,
                            struct wf__outcome *all, struct wf_err *err)
{
    struct wf__outcome first = {0};
    bool is_told = is_quiet;
    for (int64_t i = 0; i < o->schedules && !runs.signal; i++) {
        struct wf__outcome one;
        uint64_t seed = (uint64_t)(o->seed + i);
        if (i && !is_quiet)
            progress(o, i);
        enum wf_status rc = wf__run_once(path, argv, seed, i > 0 || is_quiet, &one, err);
        if (rc != WF_OK)
            return rc;
        if (!i)
            first = *all = one;
        else if (!is_quiet)
            compare(o, &first, &one, seed, &is_told);
        all->code = all->code ? all->code : one.code;
        all->troubles += i ? one.troubles : 0;
        all->is_incomplete |= one.is_incomplete || !one.has_record;
    }
    all->is_incomplete |= runs.signal != 0;
    return WF_OK;
}

// The signal that ended the runs ends this process too, unless there is something to say.
static int end(int code)
{
    int sig = runs.signal;
    wf__runs_end();
    if (sig && !code) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
    return code;
}

int wf__run_schedules(const struct wf_options *o, const char *path, char *const argv[])
{
    struct wf_err err;
    struct wf__outcome all = {0};
    enum wf_status rc = wf__runs_begin(&err);
    if (rc == WF_OK)
        rc = wf__runs_all(o, path, argv, false, &all, &err);
    return end(rc == WF_OK ? wf__runs_report(o, &all) : wf__cli_fail(&err));
}

// SPDX-License-Identifier: Apache-2.0
// Begin and end of a session. The end is an exit handler: registered when the runtime library is
// loaded, so that it runs after everything of the program's own. A child that the program forks has
// no session.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // on_exit, program_invocation_name
#endif
#include "session/session.h"

#include <errno.h>     // program_invocation_name
#include <inttypes.h>  // PRIu64
#include <pthread.h>   // pthread_once
#include <stdatomic.h> // atomic_exchange
#include <stdio.h>     // fprintf
#include <stdlib.h>    // on_exit
#include <string.h>    // strlen
#include <sys/resource.h> // getrusage
#include <time.h>      // clock_gettime
#include <unistd.h>    // _exit, getpid

#include "base/file.h"       // wf_file_write_atomic
#include "base/str.h"        // struct wf_str
#include "check/check.h" // wf_check_flush
#include "core/finding.h"    // wf_finding_listen
#include "core/launch.h"     // wf_launch_count
#include "core/record.h"     // wf_record_write
#include "core/settings.h"   // wf_settings_set
#include "core/trouble.h"    // wf_trouble_add
#include "report/report.h"   // wf_report_write
#include "report/suppress.h" // wf_suppress_read
#include "rt/ctx.h"          // wf_rt_finish
#include "session/session_priv.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3 };

static struct {
    struct wf_options o;
    struct wf_suppress *suppress;
    char cwd[4096], cache_dir[4096];
    pid_t pid;
    struct timespec start;
    atomic_flag is_finished;
} session = {.is_finished = ATOMIC_FLAG_INIT};

const struct wf_options *wf_session_options(void)
{
    return &session.o;
}

static _Noreturn void refuse(const struct wf_err *err)
{
    char line[1100];
    wf_err_format(err, line, sizeof line);
    fprintf(stderr, "warpfence: %s\n", line);
    _exit(EXIT_USAGE);
}

static struct wf_report_opts report_opts(void)
{
    const struct wf_options *o = &session.o;
    struct wf_report_opts r = {.program = *o->program ? o->program : program_invocation_name,
                               .version = WF_VERSION,
                               .base_dir = *session.cwd ? session.cwd : NULL,
                               .launches = wf_launch_count(),
                               .max_findings = (uint32_t)o->max_findings,
                               .is_werror = o->werror,
                               .suppress = session.suppress};
    static const char *const when[] = {"auto", "always", "never"};
    wf_report_wants_color(when[o->color], STDERR_FILENO, &r.is_color, NULL);
    return r;
}

static void put(FILE *f, const struct wf_str *text)
{
    fwrite(wf_str_get(text), 1, text->n, f);
    fflush(f);
}

// run: there is no report at the end, so each finding is told when it is made.
static void tell(void *arg, const struct wf_finding *f)
{
    (void)arg;
    struct wf_report_opts r = report_opts();
    struct wf_str text = {0};
    wf_report_one(&r, f, &text);
    put(stderr, &text);
    wf_str_fini(&text);
}

// The file's name, with the process's number for each %p: tests that run one after another share options.
static void output_path(const char *pattern, struct wf_str *out)
{
    for (const char *p = pattern; *p; p++) {
        if (p[0] == '%' && p[1] == 'p') {
            wf_str_printf(out, "%d", (int)getpid());
            p++;
        } else {
            wf_str_addc(out, *p);
        }
    }
}

static void write_report(bool is_incomplete)
{
    const struct wf_options *o = &session.o;
    enum wf_report_format format = (enum wf_report_format)o->format;
    struct wf_report_opts r = report_opts();
    struct wf_str text = {0}, path = {0};
    struct wf_err err;
    r.is_incomplete = is_incomplete;
    if (*o->output)
        r.is_color = false;
    enum wf_status rc = wf_report_write(format, &r, &text, &err);
    output_path(o->output, &path);
    if (rc == WF_OK && *o->output)
        rc = wf_file_write_atomic(wf_str_get(&path), wf_str_get(&text), text.n, &err);
    else if (rc == WF_OK)
        put(format == WF_REPORT_TEXT ? stderr : stdout, &text);
    if (rc != WF_OK)
        wf_trouble_add(&err, NULL);
    wf_str_fini(&text);
}

// The command reports for all runs.
static void write_record(bool is_incomplete)
{
    struct wf_record r = {.launches = wf_launch_count(),
                          .troubles = wf_trouble_count(),
                          .is_incomplete = is_incomplete};
    struct wf_str bytes = {0};
    struct wf_err err;
    char path[4200];
    snprintf(path, sizeof path, "%s.%ld", session.o.record, (long)getpid());
    wf_record_write(&r, &bytes);
    if (wf_file_write_atomic(path, bytes.at, bytes.n, &err) != WF_OK)
        wf_trouble_add(&err, NULL);
    wf_str_fini(&bytes);
}

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_stats(void)
{
    struct wf_check_stats s;
    struct rusage u;
    struct timespec now;
    wf_check_stats(&s);
    getrusage(RUSAGE_SELF, &u);
    clock_gettime(CLOCK_MONOTONIC, &now);
    double wall = (double)(now.tv_sec - session.start.tv_sec) + (double)(now.tv_nsec - session.start.tv_nsec) / 1e9;
    double cpu = (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6 + (double)u.ru_stime.tv_sec +
                 (double)u.ru_stime.tv_usec / 1e6;
    fprintf(stderr, "warpfence: stats: %" PRIu64 " launches, %" PRIu64 " proven and not watched, %" PRIu64 " accesses of threads in %" PRIu64
                    " of warps, %.1f%% of these checked as a whole\n",
            wf_launch_count(), s.trusted, s.lane_accesses, s.warp_accesses,
            s.warp_accesses ? 100.0 * (double)s.fast_accesses / (double)s.warp_accesses : 0.0);
    fprintf(stderr, "warpfence: stats: shadow %.2f bytes a 4-byte word: %" PRIu64 " words, cells %.2f MiB in %.2f MiB of pages\n",
            s.words ? (double)s.cell_bytes / (double)s.words : 0.0, s.words, mib(s.cell_bytes), mib(s.page_bytes));
    fprintf(stderr, "warpfence: stats: records %" PRIu64 " (%.2f MiB), words spilled %" PRIu64 " (%.2f MiB), clocks %.2f MiB%s\n",
            s.records, mib(s.record_bytes), s.words_spilled, mib(s.spill_bytes), mib(s.clocks_bytes),
            s.forgotten ? ", old accesses were forgotten" : "");
    fprintf(stderr, "warpfence: stats: %.2f s, %.2f s of processor time, memory peak %.1f MiB\n", wall, cpu,
            (double)u.ru_maxrss / 1024);
}

int wf__session_finish(int status, bool is_incomplete)
{
    if (getpid() != session.pid || atomic_flag_test_and_set(&session.is_finished))
        return status;
    if (session.o.mode == WF_MODE_CHECK) {
        wf__progress_end();
        wf_check_flush(); // races that were held back until the launch's end
        if (session.o.stats)
            print_stats();
        if (*session.o.record) {
            write_record(is_incomplete);
            return wf_trouble_count() ? EXIT_TOOL : status;
        }
        struct wf_report_opts r = report_opts();
        struct wf_report_counts n = wf_report_count(&r);
        write_report(is_incomplete);
        if (n.errors || (session.o.werror && (n.warnings || n.advice)))
            return (int)session.o.error_exitcode;
    }
    return wf_trouble_count() ? EXIT_TOOL : status;
}

// Queued work may still compile kernels, so it ends before LLVM's own destructors run: those of a
// library that ours needs come after this one. The exit handler comes after all of them, or before, when
// the library was loaded by a running program.
__attribute__((destructor)) static void drain(void)
{
    if (getpid() == session.pid)
        wf_rt_finish();
}

static void at_exit(int status, void *arg)
{
    (void)arg;
    drain();
    fflush(NULL); // what the program printed stands before the report
    int code = wf__session_finish(status, false);
    if (code != status) {
        fflush(NULL);
        _exit(code);
    }
}

// `warpfence run` preloads the runtime library; programs that this one starts shall not get it that
// way.
static void leave_preload(void)
{
    const char *list = getenv("LD_PRELOAD");
    if (!list || (!strstr(list, "/libcuda") && !strstr(list, "/libwarpfence-")))
        return;
    struct wf_str rest = {0};
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ": ");
        bool is_ours = memmem(p, n, "/libcudart.so.", 14) || memmem(p, n, "/libcuda.so.1", 13) ||
                       memmem(p, n, "/libwarpfence-threads.so", 24);
        if (n && !is_ours)
            wf_str_printf(&rest, "%s%.*s", rest.n ? ":" : "", (int)n, p);
        p += n + strspn(p + n, ": ");
    }
    if (rest.n)
        setenv("LD_PRELOAD", wf_str_get(&rest), 1);
    else
        unsetenv("LD_PRELOAD");
    wf_str_fini(&rest);
}

static void apply_settings(void)
{
    static const char *const dumps[] = {"", "ir", "llvm", "asm"};
    const struct wf_options *o = &session.o;
    struct wf_settings s = {
        .is_check = o->mode == WF_MODE_CHECK,
        .workers = (uint32_t)o->workers,
        .resident_blocks = (uint32_t)o->resident_blocks,
        .regs_per_thread = (uint32_t)o->regs,
        .is_descending = o->mode == WF_MODE_CHECK && o->descending,
        .without = o->mode == WF_MODE_CHECK ? o->without : NULL,
        .seed = o->mode == WF_MODE_CHECK ? (uint64_t)o->seed : 0,
        .proofs = o->mode == WF_MODE_CHECK ? (uint32_t)o->proofs : WF_PROOFS_OFF,
        .hang_ms = (uint32_t)o->hang_ms,
        .is_volatile_sync = o->volatile_ == 1,
        .jit_opt = (uint32_t)o->jit_opt,
        .cache_dir = wf_options_cache_dir(o, session.cache_dir, sizeof session.cache_dir),
        .dump = dumps[o->dump],
        .is_verbose = o->verbose,
    };
    wf_settings_set(&s);
    wf_gpu_set_default(wf_gpu_find(o->gpu));
}

static void begin(void)
{
    struct wf_err err;
    session.pid = getpid();
    clock_gettime(CLOCK_MONOTONIC, &session.start);
    if (wf_options_init(&session.o, &err) != WF_OK)
        refuse(&err);
    if (*session.o.suppressions) {
        session.suppress = wf_suppress_new();
        if (wf_suppress_read(session.suppress, session.o.suppressions, &err) != WF_OK)
            refuse(&err);
    }
    if (!getcwd(session.cwd, sizeof session.cwd))
        session.cwd[0] = '\0';
    leave_preload();
    apply_settings();
    if (session.o.mode == WF_MODE_RUN)
        wf_finding_listen(tell, NULL);
    else {
        wf__session_subscribe(&session.o);
        wf__progress_begin(*session.o.record ? WF_PROGRESS_NEVER : session.o.progress);
    }
    on_exit(at_exit, NULL);
    wf__session_watch_signals();
}

void wf_session_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
}

// SPDX-License-Identifier: Apache-2.0
// A program that dies by a signal still gets its report: written in the handler, after which the
// signal does what it would have done. Where the death is of the program's own making and there are
// error findings, the exit code says so instead. Handlers that the program installed itself are
// left alone.
#include "session/session_priv.h"

#include <signal.h> // sigaction
#include <stddef.h> // NULL
#include <unistd.h> // _exit, alarm

#include "mem/fault.h" // wf_mem_fault_on_host

#define REPORT_SECONDS 5

static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
static const int requests[] = {SIGINT, SIGTERM, SIGHUP};

// The heap may be what is broken: whatever happens, this ends.
static int finish_in_time(void)
{
    signal(SIGALRM, SIG_DFL);
    alarm(REPORT_SECONDS);
    int code = wf__session_finish(0, true);
    alarm(0);
    return code;
}

static void on_crash(int sig)
{
    int code = finish_in_time();
    if (code)
        _exit(code);
    signal(sig, SIG_DFL);
    raise(sig);
}

static void on_request(int sig)
{
    finish_in_time();
    signal(sig, SIG_DFL);
    raise(sig);
}

// Host code followed a device pointer; the finding is stored, the process would die now.
static void on_host_fault(void)
{
    int code = finish_in_time();
    if (code)
        _exit(code);
}

static void watch(int sig, void (*handler)(int))
{
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigemptyset(&new.sa_mask);
    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(sig, &new, NULL);
}

void wf__session_watch_signals(void)
{
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        watch(crashes[i], on_crash);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        watch(requests[i], on_request);
    wf_mem_fault_on_host(on_host_fault);
}

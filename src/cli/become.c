// SPDX-License-Identifier: Apache-2.0
// See become.h.
//
// In a build of Warpfence with the address sanitizer the engine is instrumented and the program is
// not, so the sanitizer's library has to be in the process before the program is. It is preloaded
// here, behind the last compiler that this process starts: nvcc's front end dies under it. What the
// program itself leaks is not our business.
#define _GNU_SOURCE // dladdr
#include "cli/become.h"

#include <unistd.h> // execv

#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__) // clang's is no library but a part of each executable
#include <dlfcn.h>  // dladdr
#include <stdio.h>  // snprintf
#include <stdlib.h> // setenv

extern void __asan_init(void);

static void append(const char *name, const char *entry)
{
    const char *old = getenv(name);
    char buf[8192];
    snprintf(buf, sizeof buf, "%s%s%s", old ? old : "", old && *old ? ":" : "", entry);
    setenv(name, buf, 1);
}

static void preload_sanitizer(void)
{
    Dl_info info;
    if (!dladdr((void *)__asan_init, &info))
        return;
    const char *old = getenv("LD_PRELOAD");
    char buf[8192];
    snprintf(buf, sizeof buf, "%s%s%s", info.dli_fname, old && *old ? ":" : "", old ? old : "");
    setenv("LD_PRELOAD", buf, 1);
    // Faults of the program end it as ever; the engine tells its own.
    append("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0");
}
#else
static void preload_sanitizer(void)
{
}
#endif

void wf__cli_become(const char *path, char *const argv[])
{
    preload_sanitizer();
    execv(path, argv);
}

// SPDX-License-Identifier: Apache-2.0
// The two calls for entry points. They stand apart from the table, which declares every function without
// parameters.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dladdr
#endif
#include <dlfcn.h>  // dlopen
#include <stdio.h>  // snprintf
#include <string.h> // strrchr

#include "cuda/priv.h"
#include "cuda/proc.h"
#include "session/session.h" // wf_session_begin

// Compilers of Python code link by NVIDIA's library, found in places of its own, unless one of that name is
// in the process. What that library makes, nothing here can run.
static void load_linker(void)
{
    static const char *const names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
    Dl_info here;
    char path[4200];
    if (!dladdr((const void *)names, &here) || !strrchr(here.dli_fname, '/'))
        return;
    int dir = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%.*s/%s", dir, here.dli_fname, names[i]);
        dlopen(path, RTLD_LAZY);
    }
}

// The library may be loaded long after the process began, by a script for one.
__attribute__((constructor)) static void begin(void)
{
    wf_session_begin();
    load_linker();
}

FREE(cuGetProcAddress, (const char *name, void **fn, int version, uint64_t flags),
     wf__proc_find(name, fn, version, flags, NULL))
FREE(cuGetProcAddress_v2,
     (const char *name, void **fn, int version, uint64_t flags, int *status),
     wf__proc_find(name, fn, version, flags, status))

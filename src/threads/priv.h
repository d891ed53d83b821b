// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: who listens, libc's own functions, whose calls are the engine's own.
#ifndef WF_THREADS_PRIV_H
#define WF_THREADS_PRIV_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // RTLD_NEXT, the functions with clocks
#endif
#include <dlfcn.h>   // dlvsym
#include <stdbool.h> // bool

#include "core/hostsync.h" // struct wf_host_sync

#define WF_EXPORT __attribute__((visibility("default")))

// Who listens; NULL as long as nobody does, and for calls of the engine itself.
extern const struct wf_host_sync *wf__threads_heard;
bool wf__threads_is_engine(const void *caller);
// The next definition of a function behind this library's: libc's, in the version that programs link with.
void *wf__threads_next(const char *name, const char *version);

#define LISTENER()                                                                                 \
    (__builtin_expect(wf__threads_heard != 0, 0) && !wf__threads_is_engine(__builtin_return_address(0)) \
         ? wf__threads_heard                                                                       \
         : (const struct wf_host_sync *)0)

// next(): libc's own `name`. Found at the first call: programs start threads before our constructors may run.
#define NEXT(name, version)                                                                        \
    static __typeof__(&name) next_##name(void)                                                     \
    {                                                                                              \
        static __typeof__(&name) fn;                                                               \
        __typeof__(&name) at = __atomic_load_n(&fn, __ATOMIC_RELAXED);                             \
        if (!at) {                                                                                 \
            at = (__typeof__(&name))wf__threads_next(#name, version);                              \
            __atomic_store_n(&fn, at, __ATOMIC_RELAXED);                                           \
        }                                                                                          \
        return at;                                                                                 \
    }

#endif

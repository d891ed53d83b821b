// SPDX-License-Identifier: Apache-2.0
// Preloaded by `warpfence check`: stands before libc's thread functions and tells the engine, if that listens,
// which thread of the program may know what from whom. Knows no engine; without a listener every function is
// libc's own. Calls of the engine and of what it rests on (LLVM, the unwinder) are let be: their locks order nothing for
// the program.
#include "threads/priv.h"

#include <link.h>   // dl_iterate_phdr
#include <stdint.h> // uintptr_t
#include <string.h> // strncmp

#define RANGES 48

const struct wf_host_sync *wf__threads_heard;

static struct {
    uintptr_t lo, hi;
} engine[RANGES];
static unsigned n_engine;

WF_EXPORT wf_threads_listen_fn wf_threads_listen;

static int note(struct dl_phdr_info *info, size_t size, void *arg)
{
    static const char *const own[] = {"libwarpfence",  "libcudart.so", "libcuda.so", "libnvJitLink.so",
                                      "libnvrtc", "libLLVM", "libgcc_s.so"};
    (void)size;
    (void)arg;
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : 0;
    name = name ? name + 1 : "";
    bool is_own = false;
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        is_own |= strncmp(name, own[i], strlen(own[i])) == 0;
    for (int i = 0; is_own && i < info->dlpi_phnum && n_engine < RANGES; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        engine[n_engine].lo = info->dlpi_addr + p->p_vaddr;
        engine[n_engine++].hi = info->dlpi_addr + p->p_vaddr + p->p_memsz;
    }
    return 0;
}

void wf_threads_listen(const struct wf_host_sync *s)
{
    dl_iterate_phdr(note, 0);
    __atomic_store_n(&wf__threads_heard, s, __ATOMIC_RELEASE);
}

bool wf__threads_is_engine(const void *caller)
{
    for (unsigned i = 0; i < n_engine; i++)
        if ((uintptr_t)caller - engine[i].lo < engine[i].hi - engine[i].lo)
            return true;
    return false;
}

void *wf__threads_next(const char *name, const char *version)
{
    void *fn = version ? dlvsym(RTLD_NEXT, name, version) : 0;
    return fn ? fn : dlsym(RTLD_NEXT, name);
}

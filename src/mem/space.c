// SPDX-License-Identifier: Apache-2.0
// Reserves the window that stands for the device's memory, twice: where the program sees it and
// where the engine reaches it. Both start at fixed addresses when these are free, so that addresses
// are the same in every run and the distance between the two is a constant that compiled kernels
// may keep.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // MADV_HUGEPAGE
#endif
#include "mem/space.h"

#include <pthread.h>  // pthread_once
#include <sys/mman.h> // madvise

#include "base/bits.h" // wf_align_up
#include "base/os.h"   // wf_os_reserve

#define HUGE_BYTES (UINT64_C(2) << 20)
#define WANT_BYTES (UINT64_C(256) << 30)
#define LEAST_BYTES (UINT64_C(32) << 30) // the heap starts at 16 GiB

// Below the range from which Linux on x86-64 serves mmap, above anything a program asks for by
// address.
#define PROGRAM_SIDE UINT64_C(0x7e9000000000)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__ // knows no mappings below 0x7e8000000000
#define ENGINE_SIDE UINT64_C(0x7ed000000000)
#else
#define ENGINE_SIDE UINT64_C(0x7e5000000000)
#endif

static struct wf_space space;
static bool is_made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// `bytes` of address space on a huge-page boundary, at `want` if possible; 0 when there is none.
static uint64_t reserve(uint64_t want, uint64_t bytes)
{
    if (wf_os_reserve_at((void *)(uintptr_t)want, bytes))
        return want;
    char *p = wf_os_reserve(bytes + HUGE_BYTES);
    if (!p)
        return 0;
    uint64_t got = (uint64_t)(uintptr_t)p, at = wf_align_up(got, HUGE_BYTES);
    if (at > got)
        wf_os_release(p, at - got);
    if (at + bytes < got + bytes + HUGE_BYTES)
        wf_os_release((void *)(uintptr_t)(at + bytes), got + HUGE_BYTES - at);
    return at;
}

static void make(void)
{
    for (uint64_t bytes = WANT_BYTES; bytes >= LEAST_BYTES && !is_made; bytes /= 2) {
        uint64_t program = reserve(PROGRAM_SIDE, bytes);
        uint64_t engine = program ? reserve(ENGINE_SIDE, bytes) : 0;
        if (!engine) {
            if (program)
                wf_os_release((void *)(uintptr_t)program, bytes);
            continue;
        }
        // A wish: without huge pages everything still works.
        madvise((void *)(uintptr_t)engine, bytes, MADV_HUGEPAGE);
        madvise((void *)(uintptr_t)engine, bytes, MADV_DONTDUMP);
        madvise((void *)(uintptr_t)program, bytes, MADV_DONTDUMP);
        space.base = program;
        space.bytes = bytes;
        space.delta = (int64_t)(engine - program);
        is_made = true;
    }
}

const struct wf_space *wf_space_get(struct wf_err *err)
{
    pthread_once(&once, make);
    if (is_made)
        return &space;
    wf_err_set(err, WF_E_NOMEM, "cannot reserve %u GiB of address space for device memory",
               (unsigned)(2 * (LEAST_BYTES >> 30)));
    wf_err_hint(err, "raise the limit on virtual memory (ulimit -v unlimited)");
    return NULL;
}

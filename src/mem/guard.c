// SPDX-License-Identifier: Apache-2.0
// Protection by mprotect; one instruction at a time by the processor's trap flag. Elsewhere than on x86-64 a
// page opens at its first access.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // REG_EFL
#endif
#include "mem/guard.h"

#include <pthread.h>   // pthread_once
#include <signal.h>    // sigaction
#include <stdatomic.h> // atomic_load
#include <sys/mman.h>  // mprotect
#include <ucontext.h>  // ucontext_t

#include "base/err.h"  // WF_ASSERT
#include "base/os.h"   // wf_os_reserve
#include "mem/pages.h" // wf__zone_lo
#include "mem/space.h" // wf_space_get

#define PAGE_SHIFT 12
#define PAGE (UINT64_C(1) << PAGE_SHIFT)
#define STEPS 64         // accesses told before a page stays open
#define ALL_STEPS 200000 // of all pages; then each opens at once
#define TRAP_FLAG 0x100
#define OPEN_AT_ONCE 4

// A byte a page: enum wf_guard in the low bits; above: it was watched once; accesses told since.
#define HOW 3u
#define ONCE 4u
struct page {
    _Atomic uint8_t state;
    _Atomic uint8_t steps;
};

static struct page *pages; // NULL while nothing was ever watched
static uint64_t zone_lo, zone_hi;
static bool (*listener)(void *, const struct wf_guard_access *, struct wf_task *);
static void *listener_arg;
static void (*on_learned)(const struct wf_task *);
static atomic_uint told;
static struct sigaction trap_before;

static _Thread_local const struct wf_task *as;
static _Thread_local uint64_t stepping[OPEN_AT_ONCE]; // pages open for the instruction under way
static _Thread_local unsigned n_stepping;
static _Thread_local bool is_telling;

void wf_mem_guard_as(const struct wf_task *o)
{
    as = o;
}

void wf_mem_guard_on_learned(void (*fn)(const struct wf_task *))
{
    on_learned = fn;
}

void wf_mem_guard_zone(uint64_t *lo, uint64_t *hi)
{
    const struct wf_space *s = wf_space_get(NULL);
    *lo = s ? wf__zone_lo(s, WF__ZONE_HOST) : 0;
    *hi = s ? wf__zone_hi(s, WF__ZONE_HOST) : 0;
}

static int protection(unsigned how)
{
    return how == WF_GUARD_ALL      ? PROT_NONE
           : how == WF_GUARD_WRITES ? PROT_READ
                                    : PROT_READ | PROT_WRITE;
}

static struct page *page_of(uint64_t addr)
{
    return pages && addr - zone_lo < zone_hi - zone_lo ? &pages[(addr - zone_lo) >> PAGE_SHIFT]
                                                       : NULL;
}

// At the program's side: the window's pages, and the program's own that were exchanged for them.
static void protect(uint64_t from, uint64_t bytes, unsigned how)
{
    uint64_t host, at, end = from + bytes;
    mprotect((void *)(uintptr_t)from, bytes, protection(how));
    while (from < end) {
        uint64_t n = wf_heap_alias_pages(from, end - from, &host, &at);
        if (!n)
            return;
        mprotect((void *)(uintptr_t)host, n, protection(how));
        from = at + n;
    }
}

// The instruction is done: its pages close again.
static void on_trap(int sig, siginfo_t *info, void *context)
{
    if (n_stepping) {
        while (n_stepping) {
            uint64_t page = stepping[--n_stepping];
            unsigned how = atomic_load(&page_of(page)->state) & HOW;
            if (how != WF_GUARD_OPEN)
                protect(page, PAGE, how);
        }
#if defined(__x86_64__)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
#endif
        return;
    }
    if (trap_before.sa_flags & SA_SIGINFO) {
        trap_before.sa_sigaction(sig, info, context);
    } else if (trap_before.sa_handler == SIG_DFL) {
        sigaction(sig, &trap_before, NULL);
        raise(sig);
    } else if (trap_before.sa_handler != SIG_IGN) {
        trap_before.sa_handler(sig);
    }
}

static void begin(void)
{
    wf_mem_guard_zone(&zone_lo, &zone_hi);
    size_t bytes = (size_t)((zone_hi - zone_lo) >> PAGE_SHIFT) * sizeof *pages;
    void *p = wf_os_reserve(bytes);
    if (!p || wf_os_commit(p, bytes) != 0)
        return;
    struct sigaction ours = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGTRAP, &ours, &trap_before) == 0)
        pages = p;
}

void wf_mem_guard_listen(bool (*fn)(void *, const struct wf_guard_access *, struct wf_task *),
                         void *arg)
{
    listener_arg = arg;
    listener = fn;
}

static void set_run(uint64_t from, uint64_t to, unsigned how)
{
    if (from < to)
        protect(from, to - from, how);
}

void wf_mem_guard_set(uint64_t addr, uint64_t bytes, enum wf_guard how)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (how != WF_GUARD_OPEN)
        pthread_once(&once, begin);
    const struct wf_space *s = wf_space_get(NULL);
    uint64_t lo = addr & ~(PAGE - 1), hi = (addr + bytes + PAGE - 1) & ~(PAGE - 1);
    if (!pages || lo < zone_lo || hi > zone_hi)
        return;
    uint64_t from = lo; // of the run of pages that change
    for (uint64_t at = lo; at < hi; at += PAGE) {
        struct page *p = page_of(at);
        unsigned was = atomic_load(&p->state) & HOW;
        bool changes = how == WF_GUARD_OPEN ? was != WF_GUARD_OPEN : was < (unsigned)how;
        if (!changes || !wf__pages_has(s, WF__ZONE_HOST, at)) {
            set_run(from, at, how);
            from = at + PAGE;
            if (changes)
                atomic_store(&p->state, 0);
            continue;
        }
        atomic_store(&p->state, (uint8_t)(how | ONCE));
        if (how != WF_GUARD_OPEN)
            atomic_store(&p->steps, 0);
    }
    set_run(from, hi, how);
}

static void tell(uint64_t addr, bool is_write)
{
    struct wf_guard_access a = {.addr = addr, .is_write = is_write, .as = as};
    struct wf_task learned;
    if (!listener || is_telling)
        return;
    is_telling = true; // what the listener touches itself is its own business
    if (listener(listener_arg, &a, &learned) && on_learned)
        on_learned(&learned);
    is_telling = false;
}

static bool step(uint64_t page, void *context)
{
#if defined(__x86_64__)
    ucontext_t *u = context;
    if (n_stepping == OPEN_AT_ONCE || sigismember(&u->uc_sigmask, SIGTRAP) == 1)
        return false;
    stepping[n_stepping++] = page;
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    return true;
#else
    (void)page;
    (void)context;
    return false;
#endif
}

bool wf__guard_fault(uint64_t addr, bool is_write, void *context)
{
    if (pages && addr - zone_lo >= zone_hi - zone_lo && !wf_heap_alias_find(addr, &addr))
        return false;
    struct page *p = page_of(addr);
    uint8_t state = p ? atomic_load(&p->state) : 0;
    uint64_t page = addr & ~(PAGE - 1);
    if (!(state & ONCE))
        return false;
    unsigned how = state & HOW;
    bool is_watched = how == WF_GUARD_ALL || (how == WF_GUARD_WRITES && is_write);
    const struct wf_space *s = wf_space_get(NULL);
    if (!is_watched) // somebody opened it meanwhile; or it is no memory any more
        return how == WF_GUARD_OPEN && wf__pages_has(s, WF__ZONE_HOST, addr);
    tell(addr, is_write);
    state = atomic_load(&p->state); // the listener may have opened it
    how = state & HOW;
    bool stays = atomic_fetch_add(&p->steps, 1) >= STEPS || atomic_fetch_add(&told, 1) >= ALL_STEPS;
    if (how != WF_GUARD_OPEN && (stays || !step(page, context)))
        atomic_store(&p->state, ONCE);
    protect(page, PAGE, WF_GUARD_OPEN);
    return true;
}

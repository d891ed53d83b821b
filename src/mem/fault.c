// SPDX-License-Identifier: Apache-2.0
// The SIGSEGV and SIGBUS handler. On the engine's side only system calls and atomics; on the
// program's side the process is about to die, so composing the finding with ordinary calls costs
// nothing more.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // REG_ERR, REG_RSP
#endif
#include "mem/fault.h"

#include <pthread.h>   // pthread_mutex_t
#include <signal.h>    // sigaction
#include <stdatomic.h> // atomic_uint
#include <stdio.h>     // snprintf
#include <string.h>    // strlen
#include <sys/mman.h>  // mprotect
#include <ucontext.h>  // ucontext_t
#include <unistd.h>    // write

#include "core/finding.h" // wf_finding_add
#include "mem/guard.h"    // wf__guard_fault
#include "mem/heap.h"     // wf__heap_take_back
#include "mem/space.h"    // wf_heap_find

#define PAGE UINT64_C(4096)
#define MAX_LENT 65536
#define STACK_NEAR UINT64_C(65536)
#define MARK_MAGIC UINT64_C(0x77665f6661756c74)

static struct sigaction before[2]; // what was there: SIGSEGV, SIGBUS
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*_Atomic on_host)(void);
static atomic_bool is_pending;
static _Atomic uint64_t first_fault;
static _Atomic uint64_t lent[MAX_LENT]; // engine-side pages made accessible
static atomic_uint n_lent;

static void say(const char *s)
{
    for (size_t n = strlen(s); n;) {
        ssize_t w = write(STDERR_FILENO, s, n);
        if (w <= 0)
            return;
        s += w, n -= (size_t)w;
    }
}

static _Thread_local struct wf_mem_work work;

struct wf_mem_work wf_mem_fault_work(struct wf_mem_work now)
{
    struct wf_mem_work old = work;
    work = now;
    return old;
}

// The engine itself dies, which no kernel should be able to bring about.
static void report_crash(uint64_t addr, uint64_t stack)
{
    char line[1024];
    bool is_full = addr - (stack - STACK_NEAR) < 2 * STACK_NEAR;
    if (is_full)
        snprintf(line, sizeof line, "warpfence: error: the engine's stack is full while %s the kernel %s\n", work.doing, work.kernel);
    else
        snprintf(line, sizeof line,
                 "warpfence: error: the engine touched 0x%llx, where nothing is, while %s the kernel %s; this is a fault of "
                 "warpfence\n",
                 (unsigned long long)addr, work.doing, work.kernel);
    say(line);
}

static const char *kind_words(enum wf_mem_kind k)
{
    static const char *const words[] = {
        [WF_MEM_DEVICE] = "device memory",   [WF_MEM_PINNED] = "pinned host memory",
        [WF_MEM_MANAGED] = "managed memory", [WF_MEM_MODULE] = "a device variable",
        [WF_MEM_INTERNAL] = "launch memory",
    };
    return words[k];
}

static void describe_object(uint64_t addr, bool is_known, const struct wf_mem_block *b, char *buf,
                            size_t n)
{
    if (!is_known)
        snprintf(buf, n, "no allocation");
    else if (b->name)
        snprintf(buf, n, "%s + %llu", b->name, (unsigned long long)(addr - b->addr));
    else
        snprintf(buf, n, "allocation %llu (%llu bytes) + %llu", (unsigned long long)b->serial,
                 (unsigned long long)b->bytes, (unsigned long long)(addr - b->addr));
}

// Host code followed an address that only the device may.
static void report_host(uint64_t addr, bool is_write)
{
    const char *verb = is_write ? "write" : "read";
    struct wf_mem_block b;
    bool is_known = wf_heap_find(addr, &b);
    bool is_inside = is_known && addr - b.addr < b.bytes;
    bool is_freed = is_known && b.state == WF_MEM_FREED;
    struct wf_finding f = wf_finding_make(is_freed ? WF_F_MEM_FREED : WF_F_MEM_SPACE, NULL, 0);
    f.address = addr;
    snprintf(f.space, sizeof f.space, "host");
    describe_object(addr, is_known, &b, f.object, sizeof f.object);
    if (!is_known)
        snprintf(f.sentence, sizeof f.sentence,
                 "host %s at device address 0x%llx, where nothing is allocated", verb,
                 (unsigned long long)addr);
    else
        snprintf(f.sentence, sizeof f.sentence, "host %s of %s%s: %s, address 0x%llx%s%s%s", verb,
                 is_freed ? "freed " : "", kind_words(b.kind), f.object, (unsigned long long)addr,
                 is_inside ? "" : ", past its end", b.alloc_where ? ", from " : "",
                 b.alloc_where ? b.alloc_where : "");
    snprintf(f.why, sizeof f.why, "the host cannot follow a device pointer; on a GPU this crashes");
    snprintf(f.fix, sizeof f.fix,
             "copy the data with cudaMemcpy, or allocate it with "
             "cudaMallocManaged");
    struct wf_party *p = wf_finding_party(&f, WF_PARTY_ACCESS, NULL);
    snprintf(p->op, sizeof p->op, "host %s", verb);
    wf_finding_add(&f);
    void (*fn)(void) = atomic_load(&on_host);
    if (fn) {
        fn();
        return;
    }
    char line[1024]; // nobody else tells it
    snprintf(line, sizeof line, "warpfence: %s: %s\nwarpfence: %s\n", wf_finding_slug(f.kind),
             f.sentence, f.fix);
    say(line);
}

// A kernel's access outside every allocation: lend the page, note the first address.
static bool lend(const struct wf_space *s, uint64_t engine_addr)
{
    uint64_t page = engine_addr & ~(PAGE - 1);
    if (mprotect((void *)(uintptr_t)page, PAGE, PROT_READ | PROT_WRITE) != 0)
        return false;
    unsigned i = atomic_fetch_add(&n_lent, 1);
    if (i < MAX_LENT)
        atomic_store(&lent[i], page);
    if (!atomic_exchange(&is_pending, true))
        atomic_store(&first_fault, engine_addr - (uint64_t)s->delta);
    return true;
}

// A handler that came after ours may call ours as "the one before", and ours calls it: that must
// not go round for ever. A handler may also leave by siglongjmp, so a count would not do: the mark
// lies in the frame that calls out, and is seen only from a frame below that is still on it.
struct mark {
    const struct mark *self;
    uint64_t magic;
};
static _Thread_local const struct mark *calling;

static bool is_called_back(const void *frame)
{
    const struct mark *m = calling;
    return m && (uintptr_t)frame < (uintptr_t)m && m->self == m && m->magic == MARK_MAGIC;
}

static void call_before(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *old = &before[sig == SIGBUS];
    volatile struct mark mark = {0};
    if (!is_called_back((const void *)&mark) && old->sa_handler != SIG_DFL &&
        old->sa_handler != SIG_IGN) {
        mark.self = (const struct mark *)&mark;
        mark.magic = MARK_MAGIC;
        calling = (const struct mark *)&mark;
        if (old->sa_flags & SA_SIGINFO)
            old->sa_sigaction(sig, info, context);
        else
            old->sa_handler(sig);
        mark.magic = 0;
        calling = NULL;
        return;
    }
    struct sigaction dfl = {.sa_handler = SIG_DFL};
    sigemptyset(&dfl.sa_mask);
    sigaction(sig, &dfl, NULL); // the access is made again and ends the process
}

static void handle(int sig, siginfo_t *info, void *context)
{
    static atomic_flag is_reporting = ATOMIC_FLAG_INIT;
    const struct wf_space *s = wf_space_get(NULL);
    uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
    bool is_fault = info->si_code > 0; // not sent by kill()
    if (s && is_fault && addr - (s->base + (uint64_t)s->delta) < s->bytes && lend(s, addr))
        return;
    if (s && is_fault &&
        wf__guard_fault(addr, (((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0, context))
        return;
    if (s && is_fault && addr - s->base < s->bytes && !atomic_flag_test_and_set(&is_reporting)) {
        const ucontext_t *u = context;
        report_host(addr, (u->uc_mcontext.gregs[REG_ERR] & 2) != 0);
    } else if (is_fault && work.doing && !atomic_flag_test_and_set(&is_reporting)) {
        report_crash(addr, (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP]);
    }
    call_before(sig, info, context);
}

void wf_mem_fault_install(void)
{
    static const int signals[2] = {SIGSEGV, SIGBUS};
    if (!wf_space_get(NULL)) // made now, so that the handler need not
        return;
    for (int i = 0; i < 2; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) != 0 ||
            ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle))
            continue;
        pthread_mutex_lock(&lock);
        struct sigaction ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&ours.sa_mask);
        if (sigaction(signals[i], NULL, &now) == 0 &&
            !((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)) {
            before[i] = now;
            sigaction(signals[i], &ours, NULL);
        }
        pthread_mutex_unlock(&lock);
    }
}

void wf_mem_fault_on_host(void (*fn)(void))
{
    atomic_store(&on_host, fn);
}

bool wf_mem_fault_pending(void)
{
    return atomic_load_explicit(&is_pending, memory_order_relaxed);
}

bool wf_mem_fault_take(uint64_t *addr)
{
    if (!wf_mem_fault_pending())
        return false;
    pthread_mutex_lock(&lock);
    bool taken = atomic_load(&is_pending);
    if (taken) {
        *addr = atomic_load(&first_fault);
        unsigned n = atomic_exchange(&n_lent, 0);
        for (unsigned i = 0; i < n && i < MAX_LENT; i++)
            wf__heap_take_back(atomic_load(&lent[i]), PAGE);
        atomic_store(&is_pending, false);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

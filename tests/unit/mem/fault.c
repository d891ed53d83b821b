// SPDX-License-Identifier: Apache-2.0
// Faults: host code on a device pointer dies with a report, a kernel's stray access is lent a page,
// other faults reach the handler that was there before.
#include "test.h"

#include <pthread.h> // pthread_create
#include <setjmp.h> // sigsetjmp
#include <signal.h> // sigaction

#include "base/os.h"      // wf_os_signal_stack
#include "core/finding.h" // wf_finding_total
#include "mem/fault.h"    // wf_mem_fault_install
#include "mem/space.h"    // wf_heap_alloc

static sigjmp_buf back;
static void jump(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static uint64_t device_block(uint64_t bytes)
{
    uint64_t a = 0;
    CHECK_EQ(wf_heap_alloc(WF_MEM_DEVICE, bytes, 0, NULL, &a, NULL), WF_OK);
    return a;
}

// The exit signal of a child that runs fn with its standard error in buf.
static int died_of(void (*fn)(void), char *buf, size_t n)
{
    int fd[2];
    CHECK(pipe(fd) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd[1], 2);
        signal(SIGSEGV, SIG_DFL); // a sanitizer's handler is not what is tested
        fn();
        _exit(0);
    }
    close(fd[1]);
    size_t got = 0;
    ssize_t r;
    while (got + 1 < n && (r = read(fd[0], buf + got, n - 1 - got)) > 0)
        got += (size_t)r;
    buf[got] = 0;
    close(fd[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void follow_device_pointer(void)
{
    wf_mem_fault_install();
    uint64_t a = device_block(4000);
    ((volatile int *)(uintptr_t)a)[3] = 5;
}

WF_TEST(host_write_of_device_memory_is_named)
{
    char text[20000];
    CHECK_EQ(died_of(follow_device_pointer, text, sizeof text), SIGSEGV);
    CHECK(strstr(text, "host write of device memory: allocation 1 (4000 bytes) + 12") != NULL);
    CHECK(strstr(text, "mem-space") != NULL);
}

static void follow_null(void)
{
    wf_mem_fault_install();
    volatile uintptr_t at = 8; // volatile: the compiler must not know
    *(volatile int *)at = 1;
}

WF_TEST(other_faults_are_not_ours)
{
    char text[20000];
    CHECK_EQ(died_of(follow_null, text, sizeof text), SIGSEGV);
    CHECK_STR(text, "");
}

static void crash_in_kernel(void)
{
    wf_mem_fault_work((struct wf_mem_work){"running", "_Z4copyPi"});
    follow_null();
}

static volatile int depth;
static int fill_stack(volatile char *above)
{
    volatile char room[4096];
    room[0] = *above;
    return ++depth > 1 << 24 ? 0 : fill_stack(room) + room[0];
}

static void *overflow(void *arg)
{
    char top = 1;
    wf_os_signal_stack();
    wf_mem_fault_install();
    wf_mem_fault_work((struct wf_mem_work){"compiling", "big"});
    printf("%d", fill_stack(&top));
    return arg;
}

static void overflow_in_thread(void)
{
    pthread_t t;
    pthread_create(&t, NULL, overflow, NULL);
    pthread_join(t, NULL);
}

WF_TEST(crashes_of_the_engine_name_the_kernel)
{
    char text[20000];
    CHECK_EQ(died_of(crash_in_kernel, text, sizeof text), SIGSEGV);
    CHECK(strstr(text, "touched 0x8, where nothing is, while running the kernel _Z4copyPi") != NULL);
    CHECK_EQ(died_of(overflow_in_thread, text, sizeof text), SIGSEGV);
    CHECK(strstr(text, "stack is full while compiling the kernel big") != NULL);
}

static volatile uintptr_t nowhere = 8; // volatile: the compiler must not know

WF_TEST(earlier_handlers_are_called)
{
    static volatile int times;
    struct sigaction sa = {.sa_handler = jump};
    sigaction(SIGSEGV, &sa, NULL);
    wf_mem_fault_install();
    sigsetjmp(back, 1);
    if (times++ < 3)
        *(volatile int *)nowhere = 1;
    CHECK_EQ(times, 4);
}

static struct sigaction ours;
static void call_ours(int sig, siginfo_t *info, void *context)
{
    ours.sa_sigaction(sig, info,
                      context); // as a program does that keeps the handler before its own
}

static void fault_in_a_ring(void)
{
    wf_mem_fault_install();
    struct sigaction sa = {.sa_sigaction = call_ours, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &sa, &ours);
    wf_mem_fault_install();
    *(volatile int *)nowhere = 1;
}

WF_TEST(handlers_that_call_each_other_end)
{
    char text[20000];
    CHECK_EQ(died_of(fault_in_a_ring, text, sizeof text), SIGSEGV);
}

WF_TEST(handlers_that_came_later_are_chained)
{
    wf_mem_fault_install();
    struct sigaction sa = {.sa_handler = jump};
    sigaction(SIGSEGV, &sa, NULL);
    wf_mem_fault_install();
    const struct wf_space *s = wf_space_get(NULL);
    *(volatile char *)wf_space_host(s, s->base + WF_HEAP_OFFSET + (UINT64_C(5) << 30)) = 1;
    uint64_t at;
    CHECK(wf_mem_fault_take(&at));
}

WF_TEST(kernel_faults_are_lent_and_recorded)
{
    wf_mem_fault_install();
    const struct wf_space *s = wf_space_get(NULL);
    uint64_t a = s->base + WF_HEAP_OFFSET + (UINT64_C(9) << 30) + 77, at = 0;
    CHECK(!wf_mem_fault_take(&at));
    volatile char *p = wf_space_host(s, a);
    CHECK_EQ(*p, 0);
    p[0] = 1, p[8192] = 2;
    CHECK(wf_mem_fault_pending());
    CHECK(wf_mem_fault_take(&at));
    CHECK_EQ(at, a);
    CHECK(!wf_mem_fault_take(&at));
    CHECK_EQ(*p, 0); // taken back, lent anew
    CHECK(wf_mem_fault_take(&at));
    CHECK_EQ(wf_finding_total(), 0);
}

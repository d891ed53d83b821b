// SPDX-License-Identifier: Apache-2.0
// A small unit test runner. A file is one executable: WF_TEST(name) { CHECK(...); ... } as often as
// wanted; a test registers itself and main is supplied here. Each test runs in its own process, so
// a crash fails that test only. Arguments: names of the tests to run (default all), or --no-fork.
#ifndef WF_TESTS_UNIT_TEST_H
#define WF_TESTS_UNIT_TEST_H

#include <stdint.h>   // uint64_t
#include <stdio.h>    // printf
#include <stdlib.h>   // exit
#include <string.h>   // strcmp
#include <sys/wait.h> // waitpid
#include <unistd.h>   // fork, alarm

#ifndef WF_TEST_SECONDS
#define WF_TEST_SECONDS 60 // a test that runs longer is killed
#endif

struct wf_test {
    const char *name;
    void (*fn)(void);
    struct wf_test *next;
};

static struct wf_test *wf_test_first, **wf_test_last = &wf_test_first;
static int wf_test_failures;

static inline void wf_test_register(struct wf_test *t)
{
    *wf_test_last = t;
    wf_test_last = &t->next;
}

#define WF_TEST(id)                                                                                \
    static void test_##id(void);                                                                   \
    static struct wf_test row_##id = {#id, test_##id, NULL};                                       \
    __attribute__((constructor)) static void register_##id(void)                                   \
    {                                                                                              \
        wf_test_register(&row_##id);                                                               \
    }                                                                                              \
    static void test_##id(void)

// Long texts are shown from a little before the first difference on.
static inline void wf_test_same_text(const char *file, int line, const char *what, const char *a,
                                     const char *b)
{
    if (a && b && strcmp(a, b) == 0)
        return;
    a = a ? a : "(null)";
    b = b ? b : "(null)";
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    size_t from = at > 60 ? at - 60 : 0;
    wf_test_failures++;
    printf("%s:%d: %s is%s \"%.300s\",\n  expected%s \"%.300s\"\n", file, line, what,
           from ? " ..." : "", a + from, from ? " ..." : "", b + from);
}

#define WF_TEST_FAIL(...)                                                                          \
    (wf_test_failures++, printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), printf("\n"))

#define CHECK(x) ((x) ? (void)0 : (void)WF_TEST_FAIL("%s does not hold", #x))
#define CHECK_EQ(a, b)                                                                             \
    do {                                                                                           \
        unsigned long long eq_a_ = (unsigned long long)(a), eq_b_ = (unsigned long long)(b);       \
        if (eq_a_ != eq_b_)                                                                        \
            WF_TEST_FAIL("%s is %lld (0x%llx), %s is %lld (0x%llx)", #a, (long long)eq_a_, eq_a_,  \
                         #b, (long long)eq_b_, eq_b_);                                             \
    } while (0)
#define CHECK_STR(a, b) wf_test_same_text(__FILE__, __LINE__, #a, (a), (b))
// The text a contains the piece b.
#define CHECK_HAS(a, b)                                                                            \
    do {                                                                                           \
        const char *has_a_ = (a), *has_b_ = (b);                                                   \
        if (!has_a_ || !strstr(has_a_, has_b_))                                                    \
            WF_TEST_FAIL("%s is \"%s\", which lacks \"%s\"", #a, has_a_ ? has_a_ : "(null)",       \
                         has_b_);                                                                  \
    } while (0)

static inline int wf_test_run_one(const struct wf_test *t, int forks)
{
    if (!forks) {
        int before = wf_test_failures;
        t->fn();
        return wf_test_failures != before;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(WF_TEST_SECONDS);
        t->fn();
        exit(wf_test_failures != 0); // not _exit: leak checkers look at exit
    }
    int st = 0;
    if (pid < 0 || waitpid(pid, &st, 0) != pid)
        return 1;
    if (WIFSIGNALED(st))
        printf("%s: killed by signal %d\n", t->name, WTERMSIG(st));
    return st != 0;
}

int main(int argc, char **argv)
{
    int forks = 1, n = 0, bad = 0, named = 0;
    for (int i = 1; i < argc; i++) {
        forks &= strcmp(argv[i], "--no-fork") != 0;
        named += strcmp(argv[i], "--no-fork") != 0;
    }
    for (struct wf_test *t = wf_test_first; t; t = t->next) {
        int wanted = !named;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], t->name) == 0;
        if (!wanted)
            continue;
        n++;
        if (wf_test_run_one(t, forks)) {
            bad++;
            printf("FAILED %s\n", t->name);
        }
    }
    printf("%d of %d tests passed\n", n - bad, n);
    return bad != 0 || n == 0;
}

#endif

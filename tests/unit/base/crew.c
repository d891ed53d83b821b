// SPDX-License-Identifier: Apache-2.0
// Kept threads: each start runs its work, a wait sees all of it, and a forked child starts afresh.
#include "base/crew.h"

#include <stdatomic.h>
#include <sys/wait.h> // waitpid
#include <unistd.h>   // fork

#include "test.h"

static atomic_int done;

static void add(void *arg)
{
    atomic_fetch_add(&done, *(int *)arg);
}

static int sum_of(int rounds)
{
    atomic_store(&done, 0);
    for (int r = 0; r < rounds; r++) {
        int value[3] = {1, 10, 100};
        struct wf_crew_member *m[3];
        for (int i = 0; i < 3; i++)
            m[i] = wf_crew_start(add, &value[i]);
        for (int i = 0; i < 3; i++)
            if (m[i])
                wf_crew_wait(m[i]);
            else
                add(&value[i]);
    }
    return atomic_load(&done);
}

WF_TEST(work_is_done_when_waited_for)
{
    CHECK(sum_of(1) == 111);
    CHECK(sum_of(1000) == 111000);
}

WF_TEST(a_child_has_threads_of_its_own)
{
    int status = 1;
    CHECK(sum_of(1) == 111);
    pid_t child = fork();
    if (!child)
        _exit(sum_of(10) == 1110 ? 0 : 1);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

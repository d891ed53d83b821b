// SPDX-License-Identifier: Apache-2.0
// Order of work: within a stream, the default stream's rule, events, callbacks, waiting.
#include "stub.h"

#include <pthread.h> // pthread_create

#include "mem/outside.h" // wf_mem_outside_may_write
#include "rt/copy.h"     // wf_rt_copy_linear
#include "rt/ctx.h"      // wf_rt_device_sync
#include "rt/event.h"    // wf_rt_event_record
#include "rt/memory.h"   // wf_rt_malloc_host
#include "rt/stream.h"   // wf_rt_stream_create

static uint64_t stream_new(unsigned flags)
{
    uint64_t s = 0;
    CHECK_EQ(wf_rt_stream_create(&s, flags, 0), WF_CU_SUCCESS);
    return s;
}

static volatile uint32_t *pinned(uint64_t *addr)
{
    CHECK_EQ(wf_rt_malloc_host(addr, 64, 0), WF_CU_SUCCESS);
    memset((void *)(uintptr_t)*addr, 0, 64);
    return (volatile uint32_t *)(uintptr_t)*addr;
}

WF_TEST(kernels_run_beside_the_host)
{
    uint64_t a, flag, s = stream_new(0);
    volatile uint32_t *v = pinned(&a), *f = pinned(&flag);
    CHECK_EQ(stub_go(&host_wait, s, flag, 0), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_put, s, a, 7), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_query(s), WF_CU_NOT_READY);
    CHECK_EQ(*v, 0);
    atomic_store((atomic_int *)(uintptr_t)f, 1);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_SUCCESS);
    CHECK_EQ(*v, 7);
    CHECK_EQ(wf_rt_stream_query(s), WF_CU_SUCCESS);
}

WF_TEST(streams_do_not_wait_for_each_other)
{
    uint64_t a, flag, s = stream_new(0), t = stream_new(0);
    volatile uint32_t *v = pinned(&a), *f = pinned(&flag);
    CHECK_EQ(stub_go(&host_wait, s, flag, 0), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_put, t, a, 3), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_sync(t), WF_CU_SUCCESS);
    CHECK_EQ(*v, 3);
    CHECK_EQ(wf_rt_stream_query(s), WF_CU_NOT_READY);
    atomic_store((atomic_int *)(uintptr_t)f, 1);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
}

WF_TEST(default_stream_waits_for_blocking_streams)
{
    uint64_t a, flag, s = stream_new(0), t = stream_new(1);
    volatile uint32_t *v = pinned(&a), *f = pinned(&flag);
    CHECK_EQ(stub_go(&host_wait, s, flag, 0), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_put, WF_RT_STREAM_LEGACY, a, 1), WF_CU_SUCCESS); // behind s
    CHECK_EQ(stub_go(&host_put, t, a + 4, 2), WF_CU_SUCCESS);               // free
    CHECK_EQ(wf_rt_stream_sync(t), WF_CU_SUCCESS);
    CHECK_EQ(v[1], 2);
    CHECK_EQ(v[0], 0);
    CHECK_EQ(wf_rt_stream_query(WF_RT_STREAM_LEGACY), WF_CU_NOT_READY);
    atomic_store((atomic_int *)(uintptr_t)f, 1);
    CHECK_EQ(wf_rt_stream_sync(0), WF_CU_SUCCESS);
    CHECK_EQ(v[0], 1);
}

WF_TEST(blocking_streams_wait_for_the_default_stream)
{
    uint64_t a, flag, s = stream_new(0), t = stream_new(1);
    volatile uint32_t *v = pinned(&a), *f = pinned(&flag);
    CHECK_EQ(stub_go(&host_wait, 0, flag, 0), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_put, s, a, 1), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_put, WF_RT_STREAM_PER_THREAD, a + 8, 3), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_put, t, a + 4, 2), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_sync(t), WF_CU_SUCCESS);
    stub_sleep_ms(20);
    CHECK_EQ(v[0], 0);
    CHECK_EQ(v[2], 0);
    atomic_store((atomic_int *)(uintptr_t)f, 1);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_sync(WF_RT_STREAM_PER_THREAD), WF_CU_SUCCESS);
    CHECK_EQ(v[0], 1);
    CHECK_EQ(v[2], 3);
}

WF_TEST(events_order_streams_and_take_time)
{
    uint64_t a, s = stream_new(1), t = stream_new(1), e0, e1;
    volatile uint32_t *v = pinned(&a);
    float ms;
    CHECK_EQ(wf_rt_event_create(&e0, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_create(&e1, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_query(e0), WF_CU_SUCCESS); // never recorded
    CHECK_EQ(wf_rt_event_elapsed(&ms, e0, e1), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(wf_rt_event_record(e0, s, 0), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_slow, s, a, 5), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_record(e1, s, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_query(e1), WF_CU_NOT_READY);
    CHECK_EQ(wf_rt_event_elapsed(&ms, e0, e1), WF_CU_NOT_READY);
    CHECK_EQ(wf_rt_stream_wait_event(t, e1, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_copy_linear(a + 8, a, 4, WF_RT_COPY_DEFAULT, true, t), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_sync(t), WF_CU_SUCCESS);
    CHECK_EQ(v[2], 5);
    CHECK_EQ(wf_rt_event_sync(e1), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_elapsed(&ms, e0, e1), WF_CU_SUCCESS);
    CHECK(ms > 50 && ms < 5000);
    CHECK_EQ(wf_rt_event_elapsed(&ms, e0, e0), WF_CU_SUCCESS);
    CHECK(ms == 0);
    CHECK_EQ(wf_rt_event_destroy(e1), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_query(e1), WF_CU_INVALID_RESOURCE_HANDLE);
    uint64_t untimed;
    CHECK_EQ(wf_rt_event_create(&untimed, 2), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_record(untimed, s, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_elapsed(&ms, untimed, untimed), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(wf_rt_event_create(&untimed, 4), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_event_create(&untimed, 99), WF_CU_INVALID_VALUE);
}

WF_TEST(a_destroyed_stream_finishes_its_work)
{
    uint64_t a, s = stream_new(1), e;
    volatile uint32_t *v = pinned(&a);
    CHECK_EQ(wf_rt_event_create(&e, 0), WF_CU_SUCCESS);
    CHECK_EQ(stub_go(&host_slow, s, a, 9), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_event_record(e, s, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_destroy(s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_destroy(s), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(stub_go(&host_put, s, a, 1), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(wf_rt_event_sync(e), WF_CU_SUCCESS);
    CHECK_EQ(*v, 9);
    CHECK_EQ(wf_rt_event_destroy(e), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_destroy(0), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(wf_rt_stream_destroy(WF_RT_STREAM_PER_THREAD), WF_CU_INVALID_RESOURCE_HANDLE);
}

static atomic_int called, called_status, inside;
static void on_call(uint64_t stream, int status, void *user)
{
    CHECK(stream != 0);
    CHECK(user == &called);
    called_status = status;
    inside = (int)wf_rt_enter();
    called++;
}
static void on_host_fn(void *user)
{
    CHECK(user == &called);
    called += 10;
}

WF_TEST(callbacks_run_in_order_and_may_not_call_back)
{
    uint64_t a, s = stream_new(0);
    pinned(&a);
    CHECK_EQ(stub_go(&host_slow, s, a, 1), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_callback(s, on_call, &called), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_host_fn(s, on_host_fn, &called), WF_CU_SUCCESS);
    CHECK_EQ(called, 0);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_SUCCESS);
    CHECK_EQ(called, 11);
    CHECK_EQ(called_status, WF_CU_SUCCESS);
    CHECK_EQ(inside, WF_CU_NOT_PERMITTED);
    CHECK_EQ(wf_rt_stream_host_fn(s, NULL, NULL), WF_CU_INVALID_VALUE);
}

WF_TEST(priorities_and_flags_are_kept)
{
    uint64_t s;
    int p;
    unsigned f;
    CHECK_EQ(wf_rt_stream_create(&s, 0, -99), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_priority(s, &p), WF_CU_SUCCESS);
    CHECK_EQ(p, -5);
    CHECK_EQ(wf_rt_stream_create(&s, 1, 99), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_priority(s, &p), WF_CU_SUCCESS);
    CHECK_EQ(p, 0);
    CHECK_EQ(wf_rt_stream_flags(s, &f), WF_CU_SUCCESS);
    CHECK_EQ(f, 1);
    CHECK_EQ(wf_rt_stream_create(&s, 9, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_stream_create(NULL, 0, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_stream_sync(0x55550), WF_CU_INVALID_RESOURCE_HANDLE);
}

static atomic_int may_while_waiting;
static void *ask_later(void *flag)
{
    stub_sleep_ms(100);
    may_while_waiting = wf_mem_outside_may_write(1);
    atomic_store((atomic_int *)flag, 1);
    return NULL;
}

WF_TEST(who_could_end_a_standstill)
{
    uint64_t flag, s = stream_new(0), t = stream_new(1);
    volatile uint32_t *f = pinned(&flag);
    CHECK_EQ(stub_go(&host_wait, s, flag, 0), WF_CU_SUCCESS);
    stub_sleep_ms(30);
    CHECK(wf_mem_outside_may_write(1)); // this thread
    CHECK_EQ(wf_rt_stream_query(s), WF_CU_NOT_READY);
    CHECK(!wf_mem_outside_may_write(1)); // which only asks
    CHECK_EQ(stub_go(&host_wait, t, flag, 0), WF_CU_SUCCESS);
    stub_sleep_ms(30);
    CHECK(wf_mem_outside_may_write(1)); // the other kernel
    CHECK(!wf_mem_outside_may_write(2));
    pthread_t thread;
    pthread_create(&thread, NULL, ask_later, (void *)(uintptr_t)f);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
    pthread_join(thread, NULL);
    CHECK(may_while_waiting);
}

WF_TEST(a_forked_child_has_no_device_and_ends)
{
    uint64_t flag, s = stream_new(0);
    volatile uint32_t *f = pinned(&flag);
    CHECK_EQ(stub_go(&host_wait, s, flag, 0), WF_CU_SUCCESS);
    pid_t pid = fork();
    if (pid == 0) {
        bool is_right = wf_rt_device_sync() == WF_CU_INITIALIZATION_ERROR;
        wf_rt_finish(); // must not wait for the parent's kernel
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK_EQ(status, 0);
    atomic_store((atomic_int *)(uintptr_t)f, 1);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_SUCCESS);
}

static void *many(void *arg)
{
    uint64_t addr = (uint64_t)(uintptr_t)arg, s = 0, e = 0;
    wf_rt_stream_create(&s, 0, 0);
    wf_rt_event_create(&e, 0);
    for (uint32_t i = 1; i <= 200; i++) {
        stub_go(&host_put, s, addr, i);
        wf_rt_event_record(e, s, 0);
        if (i % 10 == 0)
            stub_go(&host_noop, 0, 0, 0);
        if (i % 50 == 0)
            wf_rt_event_sync(e);
        wf_rt_stream_wait_event(WF_RT_STREAM_PER_THREAD, e, 0);
        stub_go(&host_put, WF_RT_STREAM_PER_THREAD, addr + 4, i);
    }
    wf_rt_stream_sync(WF_RT_STREAM_PER_THREAD);
    wf_rt_stream_destroy(s);
    wf_rt_event_destroy(e);
    return NULL;
}

WF_TEST(many_threads)
{
    pthread_t t[6];
    uint64_t a[6];
    volatile uint32_t *v[6];
    for (int i = 0; i < 6; i++) {
        v[i] = pinned(&a[i]);
        pthread_create(&t[i], NULL, many, (void *)(uintptr_t)a[i]);
    }
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(v[i][0], 200);
        CHECK_EQ(v[i][1], 200);
    }
}

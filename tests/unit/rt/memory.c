// SPDX-License-Identifier: Apache-2.0
// Allocation, copies with their checks and staging, symbols, registered memory, pools.
#include "stub.h"

#include "rt/copy.h"   // wf_rt_copy_linear
#include "rt/ctx.h"    // wf_rt_device_sync
#include "rt/memory.h" // wf_rt_malloc
#include "rt/pool.h"   // wf_rt_malloc_async
#include "rt/stream.h" // wf_rt_stream_create

#define H(p) ((uint64_t)(uintptr_t)(p))

static uint64_t device(uint64_t bytes)
{
    uint64_t a = 0;
    CHECK_EQ(wf_rt_malloc(&a, bytes), WF_CU_SUCCESS);
    return a;
}

static enum wf_cu copy(uint64_t dst, uint64_t src, uint64_t n, int kind)
{
    return wf_rt_copy_linear(dst, src, n, kind, false, 0);
}

WF_TEST(allocation_and_free)
{
    uint64_t a = 1, p;
    char h[8];
    CHECK_EQ(wf_rt_malloc(&a, UINT64_C(1) << 45), WF_CU_MEMORY_ALLOCATION);
    CHECK_EQ(wf_rt_malloc(NULL, 4), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_malloc(&a, 0), WF_CU_SUCCESS);
    CHECK_EQ(a, 0);
    a = device(100);
    CHECK_EQ(wf_rt_free(a + 4), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_free_host(a), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_free(a), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_free(a), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_free(H(h)), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_free(0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc_host(&p, 100, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_free(p), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_free_host(p), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc_host(&p, 100, 0x100), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_malloc_managed(&p, 4, 7), WF_CU_INVALID_VALUE);
    uint64_t pitch;
    CHECK_EQ(wf_rt_malloc_pitch(&a, &pitch, 1000, 10), WF_CU_SUCCESS);
    CHECK_EQ(pitch, 1024);
    CHECK_EQ(wf_rt_malloc_pitch(&a, &pitch, UINT64_MAX, 10), WF_CU_MEMORY_ALLOCATION);
}

WF_TEST(directions_are_checked_as_on_a_gpu)
{
    uint64_t d = device(100), e = device(100);
    char h[64] = "host", k[64];
    CHECK_EQ(copy(d, H(h), 64, WF_RT_HOST_TO_DEVICE), WF_CU_SUCCESS);
    CHECK_EQ(copy(e, d, 64, WF_RT_DEVICE_TO_DEVICE), WF_CU_SUCCESS);
    CHECK_EQ(copy(H(k), e, 64, WF_RT_DEVICE_TO_HOST), WF_CU_SUCCESS);
    CHECK_STR(k, "host");
    CHECK_EQ(copy(d, H(h), 64, WF_RT_DEVICE_TO_HOST), WF_CU_INVALID_VALUE);
    CHECK_EQ(copy(H(h), d, 64, WF_RT_HOST_TO_DEVICE), WF_CU_INVALID_VALUE);
    CHECK_EQ(copy(H(h), d, 64, WF_RT_DEVICE_TO_DEVICE), WF_CU_INVALID_VALUE);
    CHECK_EQ(copy(H(h), d, 64, WF_RT_HOST_TO_HOST), WF_CU_SUCCESS);
    CHECK_EQ(copy(H(h), d, 64, WF_RT_COPY_DEFAULT), WF_CU_SUCCESS);
    CHECK_EQ(copy(H(h), d, 64, 7), WF_CU_INVALID_MEMCPY_DIRECTION);
    CHECK_EQ(copy(0, d, 64, WF_RT_DEVICE_TO_HOST), WF_CU_INVALID_VALUE);
    CHECK_EQ(copy(0, d, 0, WF_RT_DEVICE_TO_HOST), WF_CU_SUCCESS);
    CHECK_EQ(copy(H(h), 0, 4, WF_RT_DEVICE_TO_HOST), WF_CU_INVALID_VALUE);
    CHECK_EQ(copy(d, H(h), 1 << 20, WF_RT_HOST_TO_DEVICE), WF_CU_INVALID_VALUE);
    CHECK_EQ(copy(H(h), d + 90, 64, WF_RT_DEVICE_TO_HOST), WF_CU_INVALID_VALUE);
    CHECK_EQ(copy(H(h), d, UINT64_MAX - 8, WF_RT_DEVICE_TO_HOST), WF_CU_INVALID_VALUE);
}

WF_TEST(a_pageable_source_may_change_after_the_call)
{
    uint64_t s, flag, d = device(64);
    int v = 5, back = 0;
    CHECK_EQ(wf_rt_stream_create(&s, 0, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc_host(&flag, 4, 0), WF_CU_SUCCESS);
    *(volatile int *)(uintptr_t)flag = 0;
    CHECK_EQ(stub_go(&host_wait, s, flag, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_copy_linear(d, H(&v), 4, WF_RT_HOST_TO_DEVICE, true, s), WF_CU_SUCCESS);
    v = 6;
    CHECK_EQ(wf_rt_stream_query(s), WF_CU_NOT_READY); // the call did not wait
    atomic_store((atomic_int *)(uintptr_t)flag, 1);
    CHECK_EQ(wf_rt_copy_linear(H(&back), d, 4, WF_RT_DEVICE_TO_HOST, true, s), WF_CU_SUCCESS);
    CHECK_EQ(back, 5); // complete on return
}

WF_TEST(two_and_three_dimensions)
{
    uint64_t d, pitch;
    unsigned char h[6 * 10], k[6 * 10] = {0};
    for (int i = 0; i < 60; i++)
        h[i] = (unsigned char)i;
    CHECK_EQ(wf_rt_malloc_pitch(&d, &pitch, 10, 6), WF_CU_SUCCESS);
    struct wf_rt_copy c = {.dst = {d, pitch, pitch * 3},
                           .src = {H(h), 10, 30},
                           .width = 10,
                           .height = 3,
                           .depth = 2,
                           .kind = WF_RT_HOST_TO_DEVICE};
    CHECK_EQ(wf_rt_copy(&c, 0), WF_CU_SUCCESS);
    CHECK_EQ(((unsigned char *)stub_host(d))[pitch * 4 + 3], 43);
    struct wf_rt_copy b = {.dst = {H(k), 10, 30},
                           .src = {d, pitch, pitch * 3},
                           .width = 10,
                           .height = 3,
                           .depth = 2,
                           .kind = WF_RT_DEVICE_TO_HOST};
    CHECK_EQ(wf_rt_copy(&b, 0), WF_CU_SUCCESS);
    CHECK(memcmp(h, k, 60) == 0);
    b.width = 600;
    CHECK_EQ(wf_rt_copy(&b, 0), WF_CU_INVALID_PITCH_VALUE);
    b.width = 10;
    b.depth = 3;
    CHECK_EQ(wf_rt_copy(&b, 0), WF_CU_INVALID_VALUE);
    struct wf_rt_box box = {d, pitch, 0};
    CHECK_EQ(wf_rt_fill(&box, 4, 2, 1, 0x55, 1, false, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_fill(&box, 1000, 2, 1, 0x55, 1, false, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
    CHECK_EQ(((unsigned char *)stub_host(d))[pitch + 3], 0x55);
    CHECK_EQ(((unsigned char *)stub_host(d))[pitch + 4], 14);
    struct wf_rt_box words = {d, 16, 16};
    CHECK_EQ(wf_rt_fill(&words, 16, 1, 1, 0x01020304, 4, true, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
    CHECK_EQ(((uint32_t *)stub_host(d))[3], 0x01020304);
    CHECK_EQ(wf_rt_fill(&(struct wf_rt_box){H(h), 4, 4}, 4, 1, 1, 0, 1, false, 0),
             WF_CU_INVALID_VALUE);
}

WF_TEST(pointers_are_described)
{
    struct wf_rt_pointer p;
    uint64_t d = device(100), pinned, managed;
    char h;
    wf_rt_pointer(d + 5, &p);
    CHECK(p.type == WF_RT_MEMORY_DEVICE && p.device == d + 5 && p.host == 0 && p.base == d);
    wf_rt_pointer(H(&h), &p);
    CHECK(p.type == WF_RT_MEMORY_UNREGISTERED && p.device == 0 && p.host == H(&h));
    wf_rt_malloc_host(&pinned, 10, 7);
    wf_rt_pointer(pinned, &p);
    CHECK(p.type == WF_RT_MEMORY_HOST && p.device == pinned && p.host == pinned);
    wf_rt_malloc_managed(&managed, 10, 1);
    wf_rt_pointer(managed, &p);
    CHECK(p.type == WF_RT_MEMORY_MANAGED && p.device == managed && p.host == managed);
    unsigned flags;
    CHECK_EQ(wf_rt_host_flags(&flags, pinned), WF_CU_SUCCESS);
    CHECK_EQ(flags, 7);
    CHECK_EQ(wf_rt_host_flags(&flags, H(&h)), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_managed_range(managed, 10), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_managed_range(managed, 11), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_managed_range(d, 1), WF_CU_INVALID_VALUE);
}

WF_TEST(registered_memory_is_shared_with_kernels)
{
    uint64_t dev;
    char *own = malloc(20000);
    uint32_t *word = (uint32_t *)(own + 5000 - H(own + 5000) % 4);
    strcpy(own, "kept");
    CHECK_EQ(wf_rt_host_register(H(own), 20000, 2), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_host_register(H(own), 20000, 2), WF_CU_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK_EQ(wf_rt_host_device_pointer(&dev, H(word), 0), WF_CU_SUCCESS);
    uint64_t shown = 0;
    CHECK(wf_heap_alias_find(H(word), &shown));
    CHECK_EQ(shown, dev);
    CHECK_EQ(stub_go(&host_put, 0, dev, 1234), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
    CHECK_EQ(*(volatile uint32_t *)word, 1234);
    CHECK_STR(own, "kept");
    CHECK_EQ(wf_rt_host_unregister(H(own)), WF_CU_SUCCESS);
    CHECK(!wf_heap_alias_find(H(word), &shown));
    CHECK_EQ(*(volatile uint32_t *)word, 1234);
    CHECK_EQ(wf_rt_host_unregister(H(own)), WF_CU_HOST_MEMORY_NOT_REGISTERED);
    CHECK_EQ(wf_rt_host_register(0, 100, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_host_register(H(own), 0, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_host_register(UINT64_C(1) << 46, 4096, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_host_device_pointer(&dev, H(own), 0), WF_CU_INVALID_VALUE);
    free(own);
}

WF_TEST(symbols)
{
    uint64_t addr, n;
    CHECK_EQ(wf_rt_symbol(&host_gvar, &addr, &n), WF_CU_SUCCESS);
    CHECK_EQ(n, 40);
    CHECK_EQ(wf_rt_symbol(&n, &addr, &n), WF_CU_INVALID_SYMBOL);
    CHECK_EQ(wf_rt_symbol(NULL, &addr, &n), WF_CU_INVALID_SYMBOL);
    *(volatile int *)host_mvar = 3; // the host's pointer was set by loading
    CHECK_EQ(wf_rt_symbol(host_mvar, &addr, &n), WF_CU_SUCCESS);
    CHECK_EQ(addr, H(host_mvar));
    CHECK_EQ(*(int *)stub_host(addr), 3);
}

WF_TEST(pools_count)
{
    uint64_t p, q, a, v, s;
    CHECK_EQ(wf_rt_pool_default(&p), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_pool_get(p, 0, &v), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_pool_get(p, 1, &v), WF_CU_SUCCESS);
    CHECK_EQ(v, 1);
    CHECK_EQ(wf_rt_stream_create(&s, 1, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc_async(&a, 1000, 0, s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_pool_get(p, WF_RT_POOL_USED, &v), WF_CU_SUCCESS);
    CHECK_EQ(v, 1000);
    CHECK_EQ(wf_rt_pool_get(p, WF_RT_POOL_RESERVED, &v), WF_CU_SUCCESS);
    CHECK_EQ(v, 33554432);
    CHECK_EQ(stub_go(&host_put, s, a, 1), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_free_async(a, s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_pool_get(p, WF_RT_POOL_USED, &v), WF_CU_SUCCESS);
    CHECK_EQ(v, 0);
    CHECK_EQ(wf_rt_free_async(a, s), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_malloc_async(&a, 0, 0, s), WF_CU_SUCCESS);
    CHECK_EQ(a, 0);
    CHECK_EQ(wf_rt_malloc_async(&a, 16, 0, s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_free(a), WF_CU_SUCCESS);
    a = device(16);
    CHECK_EQ(wf_rt_free_async(a, s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_pool_create(&q), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc_async(&a, 64, q, s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_pool_destroy(q), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_pool_destroy(q), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_pool_destroy(p), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_free_async(a, s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_free_async(0, s), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc_async(&a, 64, 0, 0x777), WF_CU_INVALID_RESOURCE_HANDLE);
}

// SPDX-License-Identifier: Apache-2.0
// Error state, launches that are refused, faults, reset: the codes are those of an H200 with
// runtime 13.0.
#include "stub.h"

#include "core/finding.h" // wf_finding_total
#include "rt/ctx.h"       // wf_rt_last_error
#include "rt/memory.h"    // wf_rt_malloc
#include "rt/stream.h"    // wf_rt_stream_create

WF_TEST(last_error_is_kept_until_read)
{
    CHECK_EQ(wf_rt_result(wf_rt_malloc(NULL, 1)), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_result(WF_CU_SUCCESS), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_result(WF_CU_NOT_READY), WF_CU_NOT_READY); // not an error
    CHECK_EQ(wf_rt_last_error(false), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_last_error(true), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_last_error(true), WF_CU_SUCCESS);
}

static enum wf_cu shape(uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                        uint32_t bz, uint64_t shared)
{
    struct wf_rt_launch l = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .dynamic_shared = shared};
    return stub_launch(&host_noop, &l);
}

WF_TEST(shapes)
{
    CHECK_EQ(shape(0, 1, 1, 1, 1, 1, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 0, 1, 1, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 1025, 1, 1, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 2, 1024, 1, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 1, 1, 65, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 65536, 1, 1, 1, 1, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 65536, 1, 1, 1, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1u << 31, 1, 1, 1, 1, 1, 0), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 1, 1, 1, 49153), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 1, 1, 1, 300000), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 1, 1, 1, UINT64_C(1) << 40), WF_CU_INVALID_VALUE);
    CHECK_EQ(shape(1, 1, 1, 1, 1, 1, 49152), WF_CU_SUCCESS);
    CHECK_EQ(shape(2147483647, 1, 1, 1024, 1, 1, 0), WF_CU_SUCCESS);
    struct wf_rt_launch l = stub_shape(1, 256, 0, NULL);
    CHECK_EQ(stub_launch(&host_bounded, &l), WF_CU_INVALID_VALUE);
    CHECK_EQ(stub_launch(&host_put, &l), WF_CU_INVALID_VALUE); // no arguments
    CHECK_EQ(stub_launch(NULL, &l), WF_CU_INVALID_DEVICE_FUNCTION);
    CHECK_EQ(stub_launch(&l, &l), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
}

WF_TEST(cooperative_grids_must_be_resident)
{
    struct wf_rt_launch l = stub_shape(132 * 2, 1024, 0, NULL);
    l.is_cooperative = true;
    CHECK_EQ(stub_launch(&host_noop, &l), WF_CU_SUCCESS);
    CHECK_EQ(wf_finding_total(), 0);
    l.grid.x++;
    CHECK_EQ(stub_launch(&host_noop, &l), WF_CU_COOPERATIVE_LAUNCH_TOO_LARGE);
    CHECK_EQ(wf_finding_total(), 1); // whoever looks at the code or not
    CHECK(strstr(wf_finding_get(0)->sentence, "only 264 can be resident") != NULL);
    l = stub_shape(132 * 4, 32, 0, NULL);
    l.is_cooperative = true;
    l.dynamic_shared = 48000;
    CHECK_EQ(stub_launch(&host_noop, &l), WF_CU_SUCCESS);
    l.grid.x++;
    CHECK_EQ(stub_launch(&host_noop, &l), WF_CU_COOPERATIVE_LAUNCH_TOO_LARGE);
    l.grid.x = 1;
    l.dynamic_shared = 100000;
    CHECK_EQ(stub_launch(&host_noop, &l), WF_CU_COOPERATIVE_LAUNCH_TOO_LARGE);
    l = stub_shape(0, 32, 0, NULL);
    l.is_cooperative = true;
    CHECK_EQ(stub_launch(&host_noop, &l), WF_CU_INVALID_VALUE);
}

static enum wf_cu cluster(const void *host, uint32_t grid, uint32_t size)
{
    struct wf_rt_launch l = stub_shape(grid, 128, 0, NULL);
    l.has_cluster = size != UINT32_MAX;
    l.cluster = (struct wf_dim3){size, 1, 1};
    return stub_launch(host, &l);
}

WF_TEST(clusters)
{
    static const uint32_t good[] = {1, 2, 3, 4, 8}, bad[] = {0, 9, 16, 32};
    for (unsigned i = 0; i < 5; i++)
        CHECK_EQ(cluster(&host_noop, good[i] * 4, good[i]), WF_CU_SUCCESS);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(cluster(&host_noop, bad[i] * 4 + !bad[i], bad[i]), WF_CU_INVALID_CLUSTER_SIZE);
    CHECK_EQ(cluster(&host_noop, 7, 2), WF_CU_INVALID_CLUSTER_SIZE);
    CHECK_EQ(cluster(&host_pair, 3, UINT32_MAX), WF_CU_INVALID_CLUSTER_SIZE);
    CHECK_EQ(cluster(&host_pair, 4, UINT32_MAX), WF_CU_SUCCESS);
    CHECK_EQ(cluster(&host_pair, 8, 4), WF_CU_INVALID_CLUSTER_SIZE);
    struct wf_rt_function *f;
    CHECK_EQ(wf_rt_function_find(&host_noop, &f), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_function_set(f, WF_RT_FUNC_NONPORTABLE_CLUSTER, 1), WF_CU_SUCCESS);
    CHECK_EQ(cluster(&host_noop, 64, 16), WF_CU_SUCCESS);
    CHECK_EQ(cluster(&host_noop, 68, 17), WF_CU_INVALID_CLUSTER_SIZE);
}

WF_TEST(function_attributes)
{
    struct wf_rt_function *f;
    struct wf_rt_function_info i;
    CHECK_EQ(wf_rt_function_find(&host_put, &f), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_function_info(f, &i), WF_CU_SUCCESS);
    CHECK_EQ(i.max_threads, 1024);
    CHECK_EQ(i.max_dynamic_shared, 49152);
    CHECK_EQ(i.ptx_version, 90);
    CHECK_EQ(i.binary_version, 90);
    CHECK_EQ(i.carveout, -1);
    CHECK_EQ(wf_rt_function_set(f, WF_RT_FUNC_MAX_DYNAMIC_SHARED, 232448), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_function_set(f, WF_RT_FUNC_MAX_DYNAMIC_SHARED, 232449), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_function_set(f, WF_RT_FUNC_MAX_DYNAMIC_SHARED, -1), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_function_set(f, WF_RT_FUNC_CARVEOUT, 101), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_function_set(f, 3, 1), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_function_info(f, &i), WF_CU_SUCCESS);
    CHECK_EQ(i.max_dynamic_shared, 232448);
    uint64_t offset, bytes;
    CHECK_EQ(wf_rt_function_param(f, 1, &offset, &bytes), WF_CU_SUCCESS);
    CHECK_EQ(offset, 8);
    CHECK_EQ(bytes, 4);
    CHECK_EQ(wf_rt_function_param(f, 2, &offset, &bytes), WF_CU_INVALID_VALUE);
}

WF_TEST(occupancy_as_measured)
{
    static const int threads[] = {1,   32,  33,  64,  96,   128,  192,
                                  256, 384, 512, 768, 1000, 1024, 1025};
    static const int blocks[] = {32, 32, 32, 32, 21, 16, 10, 8, 5, 4, 2, 2, 2, 0};
    struct wf_rt_function *f;
    int n;
    uint64_t bytes;
    CHECK_EQ(wf_rt_function_find(&host_noop, &f), WF_CU_SUCCESS);
    for (int i = 0; i < 14; i++) {
        CHECK_EQ(wf_rt_occupancy_blocks(f, threads[i], 0, 0, &n), WF_CU_SUCCESS);
        CHECK_EQ(n, blocks[i]);
    }
    CHECK_EQ(wf_rt_occupancy_blocks(f, 256, 60000, 0, &n), WF_CU_SUCCESS);
    CHECK_EQ(n, 0);
    CHECK_EQ(wf_rt_occupancy_blocks(f, 0, 0, 0, &n), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_occupancy_blocks(f, 256, 0, 7, &n), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_occupancy_shared(f, 4, 256, &bytes), WF_CU_SUCCESS);
    CHECK_EQ(bytes, 49152);
    CHECK_EQ(wf_rt_occupancy_shared(f, 8, 256, &bytes), WF_CU_SUCCESS);
    CHECK_EQ(bytes, 29184);
    CHECK_EQ(wf_rt_occupancy_shared(f, 16, 256, &bytes), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_function_set(f, WF_RT_FUNC_MAX_DYNAMIC_SHARED, 232448), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_occupancy_blocks(f, 256, 100000, 0, &n), WF_CU_SUCCESS);
    CHECK_EQ(n, 2);
    CHECK_EQ(wf_rt_function_set(f, WF_RT_FUNC_CARVEOUT, 50), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_occupancy_blocks(f, 256, 100000, 0, &n), WF_CU_SUCCESS);
    CHECK_EQ(n, 1);
    CHECK_EQ(wf_rt_occupancy_blocks(f, 256, 0, 0, &n), WF_CU_SUCCESS);
    CHECK_EQ(n, 8);
}

WF_TEST(an_error_nobody_asked_for_is_a_finding)
{
    struct wf_rt_launch l = stub_shape(1, 2000, 0, NULL);
    l.is_unseen = true;
    wf_rt_result(stub_launch(&host_noop, &l));
    CHECK_EQ(wf_rt_last_error(true), WF_CU_INVALID_VALUE);
    wf_rt_finish();
    CHECK_EQ(wf_finding_total(), 0); // it was asked for
    wf_rt_result(stub_launch(&host_noop, &l));
    wf_rt_finish();
    CHECK_EQ(wf_finding_total(), 1);
    CHECK_EQ(wf_finding_get(0)->kind, WF_F_LAUNCH_CONFIG);
    CHECK(strstr(wf_finding_get(0)->sentence, "2000x1x1") != NULL);
}

WF_TEST(a_fault_breaks_the_context)
{
    uint64_t a, s;
    CHECK_EQ(wf_rt_malloc(&a, 100), WF_CU_SUCCESS);
    struct wf_rt_launch l = stub_shape(1, 1, 0, NULL);
    CHECK_EQ(stub_launch(&host_fault, &l), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_result(wf_rt_device_sync()), WF_CU_ILLEGAL_ADDRESS);
    CHECK_EQ(wf_rt_last_error(false), WF_CU_ILLEGAL_ADDRESS);
    CHECK_EQ(wf_rt_last_error(true), WF_CU_ILLEGAL_ADDRESS);
    CHECK_EQ(wf_rt_last_error(true), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc(&a, 100), WF_CU_ILLEGAL_ADDRESS);
    CHECK_EQ(wf_rt_free(0), WF_CU_ILLEGAL_ADDRESS);
    CHECK_EQ(wf_rt_stream_create(&s, 0, 0), WF_CU_ILLEGAL_ADDRESS);
    int runs = stub_runs;
    CHECK_EQ(stub_launch(&host_trap, &l), WF_CU_ILLEGAL_ADDRESS);
    CHECK_EQ(stub_runs, runs);
    CHECK_EQ(wf_rt_device_reset(), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc(&a, 100), WF_CU_DEVICES_UNAVAILABLE);
}

WF_TEST(a_fault_stops_what_is_queued_behind_it)
{
    uint64_t s, flag;
    CHECK_EQ(wf_rt_stream_create(&s, 0, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_malloc_host(&flag, 4, 0), WF_CU_SUCCESS);
    *(volatile int *)(uintptr_t)flag = 0;
    struct wf_rt_launch l = stub_shape(1, 1, s, NULL);
    CHECK_EQ(stub_go(&host_wait, s, flag, 0), WF_CU_SUCCESS);
    CHECK_EQ(stub_launch(&host_trap, &l), WF_CU_SUCCESS);
    CHECK_EQ(stub_launch(&host_noop, &l), WF_CU_SUCCESS);
    atomic_store((atomic_int *)(uintptr_t)flag, 1);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_LAUNCH_FAILURE);
    CHECK_EQ(stub_runs, 2);
}

WF_TEST(reset_starts_anew)
{
    uint64_t a, s, g, n;
    CHECK_EQ(wf_rt_malloc(&a, 100), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_stream_create(&s, 0, 0), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_symbol(&host_gvar, &g, &n), WF_CU_SUCCESS);
    CHECK_EQ(n, 40);
    *(int *)stub_host(g) = 9;
    CHECK_EQ(wf_rt_device_reset(), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_free(a), WF_CU_INVALID_VALUE);
    CHECK_EQ(wf_rt_stream_sync(s), WF_CU_INVALID_RESOURCE_HANDLE);
    CHECK_EQ(wf_rt_symbol(&host_gvar, &g, &n), WF_CU_SUCCESS);
    CHECK_EQ(*(int *)stub_host(g), 0);
    CHECK_EQ(stub_loads, 2);
    CHECK_EQ(stub_go(&host_put, 0, g, 4), WF_CU_SUCCESS);
    CHECK_EQ(wf_rt_device_sync(), WF_CU_SUCCESS);
    CHECK_EQ(*(int *)stub_host(g), 4);
}

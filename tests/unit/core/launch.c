// SPDX-License-Identifier: Apache-2.0
// Occupancy against values worked out by hand from the rules of the CUDA guide.
#include "core/launch.h"

#include "test.h"

WF_TEST(names)
{
    CHECK_STR(wf_gpu_default()->name, "h200");
    CHECK_EQ(wf_gpu_default()->sm, 90);
    CHECK(wf_gpu_find("T4") == wf_gpu_find("t4"));
    CHECK(wf_gpu_find("t4") != NULL);
    CHECK(wf_gpu_find("voodoo") == NULL);
}

WF_TEST(limits_one_at_a_time)
{
    const struct wf_gpu *g = wf_gpu_find("h200");
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 32, 16, 0, 0), 32);  // blocks
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 256, 32, 0, 0), 8);  // warps
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 256, 33, 0, 0), 6);  // 1280 a warp, 12 warps a quarter
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 256, 255, 0, 0), 1); // 2 warps a quarter
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 1024, 64, 0, 0), 1);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 1024, 65, 0, 0), 0);        // 7 warps a quarter
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 128, 16, 48 * 1024, 0), 4); // 49 KiB each of 228
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 128, 16, 0, 227 * 1024), 1);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 128, 16, 1, 227 * 1024), 0);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 33, 16, 0, 0), 32); // two warps
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 0, 16, 0, 0), 0);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 1025, 16, 0, 0), 0);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 128, 256, 0, 0), 0);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 256, 0, 0, 0), wf_gpu_blocks_per_sm(g, 256, 32, 0, 0));
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 128, 16, UINT32_MAX, UINT32_MAX), 0); // no wrap-around
}

WF_TEST(older_gpu)
{
    const struct wf_gpu *g = wf_gpu_find("t4");
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 32, 16, 0, 0), 16);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 1024, 32, 0, 0), 1);
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 64, 16, 16 * 1024, 0), 4);     // nothing reserved
    CHECK_EQ(wf_gpu_blocks_per_sm(g, 64, 16, 16 * 1024 + 1, 0), 3); // units of 256 bytes
}

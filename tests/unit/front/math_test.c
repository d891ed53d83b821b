// SPDX-License-Identifier: Apache-2.0
// Compiles math_ulp.cpp for the host and runs it: the device math of include/cuda against
// libquadmath.
#include "base/file.h"
#include "test.h"

WF_TEST(device_math_is_within_the_documented_ulps)
{
    char cxx[512], dir[256], exe[300];
    int rc = 1;
    struct wf_str log = {0};
    if (!wf_file_which("g++", cxx, sizeof cxx)) {
        printf("skipped: g++ is not installed\n");
        return;
    }
    CHECK_EQ(wf_file_tempdir(dir, sizeof dir, NULL), WF_OK);
    snprintf(exe, sizeof exe, "%s/ulp", dir);
    char *build[] = {cxx,
                     "-O1",
                     "-std=gnu++17",
                     "-ffp-contract=off",
                     "-Wno-attributes",
                     "-I" WF_TEST_DATA "/../include/cuda",
                     WF_TEST_DATA "/unit/front/math_ulp.cpp",
                     "-lquadmath",
                     "-o",
                     exe,
                     NULL};
    char *run[] = {exe, NULL};
    CHECK_EQ(wf_process_run(build, &log, &rc, NULL), WF_OK);
    if (rc == 0)
        CHECK_EQ(wf_process_run(run, &log, &rc, NULL), WF_OK);
    if (rc != 0)
        WF_TEST_FAIL("%s", wf_str_get(&log));
    wf_str_fini(&log);
    wf_file_remove_tree(dir);
}

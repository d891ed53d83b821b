// SPDX-License-Identifier: Apache-2.0
// Which position of an inlined chain is the user's. Compilers inline intrinsics from headers, so
// the innermost position of `__shfl_down_sync(...)` is a line of sm_30_intrinsics.hpp; two shuffles
// of the user then share it. What a finding is about, and what tells two of them apart, is the
// first position outside such headers.
#ifndef WF_CORE_LOC_H
#define WF_CORE_LOC_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <string.h>  // strstr

#include "core/finding.h" // struct wf_loc

#define WF_LOC_DEPTH 64 // longer chains are cut

// A header of the CUDA toolkit, of Warpfence's own CUDA headers, of the compiler or of the system.
static inline bool wf_loc_is_library(const char *file)
{
    static const char *const within[] = {
        "/usr/include/",
        "/usr/lib/",
        "/lib/clang/",
        "/site-packages/nvidia/",
        "/include/warpfence/cuda/",
        "/warpfence_cuda/",
        "/include/cuda/cuda/",
        "/include/cuda/cooperative_groups",
        "/include/cuda/cuda_runtime.h",
    };
    for (size_t i = 0; i < sizeof within / sizeof *within; i++)
        if (strstr(file, within[i]))
            return true;
    const char *targets = strstr(file, "/targets/"); // <toolkit>/targets/x86_64-linux/include
    const char *version = strstr(file, "/cuda-");    // <root>/cuda-13.0/include
    return (targets && strstr(targets, "-linux/include/")) ||
           (version && version[6] >= '0' && version[6] <= '9' && strstr(version, "/include/")) ||
           strstr(file, "/cuda/include/");
}

// The innermost position in the user's own source; the innermost one of all when there is none
// (code of a library kernel, or no line information). NULL for NULL.
static inline const struct wf_loc *wf_loc_user(const struct wf_loc *l)
{
    int depth = 0;
    for (const struct wf_loc *at = l; at && depth < WF_LOC_DEPTH; at = at->inlined, depth++)
        if (at->file && at->line && !wf_loc_is_library(at->file))
            return at;
    return l;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Words for error codes, the version, the profiler's switches, and calls that are not done.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dladdr
#endif
#include <dlfcn.h>  // dladdr
#include <string.h> // strstr

#include "core/trouble.h" // wf_trouble_add
#include "cuda/priv.h"

enum wf_cu wf__unsupported(const char *name)
{
    struct wf_err err;
    wf_err_set(&err, WF_E_UNSUPPORTED, "%s is not supported", name);
    wf_trouble_add(&err, NULL); // equal lines are told once
    return WF_CU_NOT_SUPPORTED;
}

static enum wf_cu words(CUresult e, const char **out, bool is_name)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    const char *name = wf_rt_error_driver_name(e);
    *out = !name ? NULL : is_name ? name : wf_rt_error_words(e);
    return *out ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}
FREE(cuGetErrorName, (CUresult e, const char **out), words(e, out, true))
FREE(cuGetErrorString, (CUresult e, const char **out), words(e, out, false))
FREE(cuDriverGetVersion, (int *out), wf__put_int(out, 13000))
API(cuProfilerStart, (void), WF_CU_SUCCESS)
API(cuProfilerStop, (void), WF_CU_SUCCESS)

// NVIDIA's compilers ask as well, and do without.
static bool is_compiler(const void *caller)
{
    Dl_info at;
    return dladdr(caller, &at) && strstr(at.dli_fname, "/libnv");
}

// Tables of entry points without names: NVIDIA's own runtime and libraries ask for them. They would
// replace ours, so the program is told instead of answered.
static enum wf_cu export_table(const void *caller)
{
    struct wf_err err;
    if (is_compiler(caller))
        return WF_CU_NOT_SUPPORTED;
    wf_err_set(&err, WF_E_UNSUPPORTED,
               "NVIDIA's own runtime library is in this process and asks for NVIDIA's driver, which "
               "is not there");
    wf_err_hint(&err, "link the program with nvcc -cudart shared, or build it with warpfence build");
    wf_trouble_add(&err, NULL);
    return WF_CU_NOT_SUPPORTED;
}
FREE(cuGetExportTable, (const void **table, const void *id),
     ((void)table, (void)id, export_table(__builtin_return_address(0))))

// SPDX-License-Identifier: Apache-2.0
// Error state and words, versions.
#include "cudart/priv.h"

WF_EXPORT const char *cudaGetErrorName(cudaError_t e);
WF_EXPORT const char *cudaGetErrorName(cudaError_t e)
{
    const char *s = wf_rt_error_name(e);
    return s ? s : "unrecognized error code";
}

WF_EXPORT const char *cudaGetErrorString(cudaError_t e);
WF_EXPORT const char *cudaGetErrorString(cudaError_t e)
{
    const char *s = wf_rt_error_words(e);
    return s ? s : "unrecognized error code";
}

WF_EXPORT cudaError_t cudaGetLastError(void);
WF_EXPORT cudaError_t cudaGetLastError(void)
{
    return (cudaError_t)wf_rt_last_error(true);
}

WF_EXPORT cudaError_t cudaPeekAtLastError(void);
WF_EXPORT cudaError_t cudaPeekAtLastError(void)
{
    return (cudaError_t)wf_rt_last_error(false);
}

static enum wf_cu version(int *out, int value)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = value;
    return WF_CU_SUCCESS;
}

API(cudaDriverGetVersion, (int *out), version(out, 13000))

API(cudaProfilerStart, (void), WF_CU_SUCCESS)
API(cudaProfilerStop, (void), WF_CU_SUCCESS)

// No driver stands below: no entry point is found, which the call reports as its status.
static enum wf_cu no_entry_point(const char *symbol, void **fn, int *status)
{
    if (!symbol || !fn)
        return WF_CU_INVALID_VALUE;
    *fn = NULL;
    if (status)
        *status = 1; // symbol not found
    return status ? WF_CU_SUCCESS : WF_CU_SYMBOL_NOT_FOUND;
}

BOTH(cudaGetDriverEntryPoint, _ptsz,
     (const char *symbol, void **fn, unsigned long long flags, int *status),
     ((void)flags, no_entry_point(symbol, fn, status)))
BOTH(cudaGetDriverEntryPointByVersion, _ptsz,
     (const char *symbol, void **fn, unsigned cuda_version, unsigned long long flags, int *status),
     ((void)flags, (void)cuda_version, no_entry_point(symbol, fn, status)))

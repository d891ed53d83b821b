// SPDX-License-Identifier: Apache-2.0
// Error state and words, versions.
#include <dlfcn.h>  // dlopen
#include <string.h> // memcpy

#include "cudart/priv.h"

#define VERSION 13000

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

API(cudaDriverGetVersion, (int *out), version(out, VERSION))

API(cudaProfilerStart, (void), WF_CU_SUCCESS)
API(cudaProfilerStop, (void), WF_CU_SUCCESS)

// The driver's functions are those of our libcuda.so.1, which is loaded when the first is asked for.
static enum wf_cu entry_point(const char *symbol, void **fn, int version, uint64_t flags, int *status)
{
    typedef int (*get)(const char *, void **, int, uint64_t, int *);
    int how = 1; // symbol not found
    if (!symbol || !fn)
        return WF_CU_INVALID_VALUE;
    *fn = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *found;
    get ask = NULL;
    if (library && (found = dlsym(library, "cuGetProcAddress_v2")))
        memcpy(&ask, &found, sizeof ask);
    if (ask)
        ask(symbol, fn, version, flags, &how);
    if (status)
        *status = how;
    return *fn || status ? WF_CU_SUCCESS : WF_CU_SYMBOL_NOT_FOUND;
}

BOTH(cudaGetDriverEntryPoint, _ptsz,
     (const char *symbol, void **fn, unsigned long long flags, int *status),
     entry_point(symbol, fn, VERSION, flags ? flags : is_per_thread ? 2 : 1, status))
BOTH(cudaGetDriverEntryPointByVersion, _ptsz,
     (const char *symbol, void **fn, unsigned cuda_version, unsigned long long flags, int *status),
     entry_point(symbol, fn, (int)cuda_version, flags ? flags : is_per_thread ? 2 : 1, status))

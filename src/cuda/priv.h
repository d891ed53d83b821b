// SPDX-License-Identifier: Apache-2.0
// What every API family here needs: export, the state that a call demands, streams.
//
// A function is one row `API(name, (parameters), expression)`: the expression gives the error code and is
// not reached when the driver is not initialised or no context is current. INIT needs no context, FREE
// nothing. With BOTH a second function is made that takes stream 0 for the calling thread's stream (_ptsz
// takes a stream, _ptds uses the default one). SAME makes a further name of one meaning.
#ifndef WF_CUDA_PRIV_H
#define WF_CUDA_PRIV_H

#include "rt/pool_abi.h" // struct abi_location
#include "cuda/abi.h"  // CUresult
#include "rt/ctx.h"    // wf_rt_enter
#include "rt/stream.h" // WF_RT_STREAM_LEGACY

#define WF_EXPORT __attribute__((visibility("default")))

static inline uint64_t wf__stream(CUstream s, bool is_per_thread)
{
    uint64_t handle = (uint64_t)(uintptr_t)s;
    if (handle)
        return handle;
    return is_per_thread ? WF_RT_STREAM_PER_THREAD : WF_RT_STREAM_LEGACY;
}

#define ADDR(p) ((uint64_t)(uintptr_t)(p))
#define HANDLE(n) ((void *)(uintptr_t)(n))
#define S(stream) wf__stream((stream), is_per_thread)

enum wf_cu wf__cuda_ready(void); // NOT_INITIALIZED before cuInit
enum wf_cu wf__cuda_enter(void); // INVALID_CONTEXT without a current one, and what has broken it

#define WF__DEFINE(name, params, check, per_thread, expression)                                    \
    WF_EXPORT CUresult name params;                                                                \
    WF_EXPORT CUresult name params                                                                 \
    {                                                                                              \
        const bool is_per_thread = (per_thread);                                                   \
        (void)is_per_thread;                                                                       \
        enum wf_cu entry = (check);                                                                \
        if (entry == WF_CU_SUCCESS)                                                                \
            entry = (expression);                                                                  \
        return (CUresult)entry;                                                                    \
    }
#define FREE(name, params, expression) WF__DEFINE(name, params, WF_CU_SUCCESS, false, expression)
#define INIT(name, params, expression) WF__DEFINE(name, params, wf__cuda_ready(), false, expression)
#define API(name, params, expression) WF__DEFINE(name, params, wf__cuda_enter(), false, expression)
#define BOTH(name, suffix, params, expression)                                                     \
    API(name, params, expression)                                                                  \
    WF__DEFINE(name##suffix, params, wf__cuda_enter(), true, expression)
#define SAME(name, old)                                                                            \
    WF_EXPORT __typeof__(old) name __attribute__((alias(#old)));

// Says once that the function is not done, and is NOT_SUPPORTED.
enum wf_cu wf__unsupported(const char *name);
// Device numbers: there is one device, 0.
static inline enum wf_cu wf__device(CUdevice device)
{
    return device == 0 ? WF_CU_SUCCESS : WF_CU_INVALID_DEVICE;
}
static inline enum wf_cu wf__put_int(int *out, int value)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = value;
    return WF_CU_SUCCESS;
}

#endif

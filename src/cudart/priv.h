// SPDX-License-Identifier: Apache-2.0
// What every API family here needs: export, error state, streams.
//
// A function is one row `API(name, (parameters), expression)`: the expression gives the error code.
// With BOTH a second function is made that takes stream 0 for the calling thread's stream; its
// suffix says which kind of call it is (_ptsz takes a stream, _ptds uses the default one). Inside,
// S(stream) is the runtime's handle.
#ifndef WF_CUDART_PRIV_H
#define WF_CUDART_PRIV_H

#include "rt/pool_abi.h" // struct abi_location
#include "cudart/abi.h" // cudaError_t
#include "rt/ctx.h"     // wf_rt_result
#include "rt/stream.h"  // WF_RT_STREAM_LEGACY

#define WF_EXPORT __attribute__((visibility("default")))

static inline uint64_t wf__stream(cudaStream_t s, bool is_per_thread)
{
    uint64_t handle = (uint64_t)(uintptr_t)s;
    if (handle)
        return handle;
    return is_per_thread ? WF_RT_STREAM_PER_THREAD : WF_RT_STREAM_LEGACY;
}

#define ADDR(p) ((uint64_t)(uintptr_t)(p))
#define S(stream) wf__stream((stream), is_per_thread)
#define API(name, params, expression)                                                              \
    WF_EXPORT cudaError_t name params;                                                             \
    WF_EXPORT cudaError_t name params                                                              \
    {                                                                                              \
        const bool is_per_thread = false;                                                          \
        (void)is_per_thread;                                                                       \
        return (cudaError_t)wf_rt_result(expression);                                              \
    }
#define BOTH(name, suffix, params, expression)                                                     \
    API(name, params, expression)                                                                  \
    WF_EXPORT cudaError_t name##suffix params;                                                     \
    WF_EXPORT cudaError_t name##suffix params                                                      \
    {                                                                                              \
        const bool is_per_thread = true;                                                           \
        (void)is_per_thread;                                                                       \
        return (cudaError_t)wf_rt_result(expression);                                              \
    }

// Says once that the function is not done, and is NOT_SUPPORTED.
enum wf_cu wf__unsupported(const char *name);
// Device numbers: there is one device, 0.
static inline enum wf_cu wf__device(int device)
{
    return device == 0 ? WF_CU_SUCCESS : WF_CU_INVALID_DEVICE;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Streams, and their capture into graphs.
#include "rt/stream.h" // wf_rt_stream_create

#include "cudart/graph.h"

static enum wf_cu create(cudaStream_t *out, unsigned flags, int priority)
{
    uint64_t handle = 0;
    enum wf_cu e = wf_rt_stream_create(out ? &handle : NULL, flags, priority);
    if (e == WF_CU_SUCCESS)
        *out = (cudaStream_t)(uintptr_t)handle;
    return e;
}
API(cudaStreamCreate, (cudaStream_t * out), create(out, 0, 0))
API(cudaStreamCreateWithFlags, (cudaStream_t * out, unsigned flags), create(out, flags, 0))
API(cudaStreamCreateWithPriority, (cudaStream_t * out, unsigned flags, int priority),
    create(out, flags, priority))
API(cudaStreamDestroy, (cudaStream_t stream), wf_rt_stream_destroy(ADDR(stream)))

BOTH(cudaStreamQuery, _ptsz, (cudaStream_t stream), wf_rt_stream_query(S(stream)))
BOTH(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), wf_rt_stream_sync(S(stream)))
BOTH(cudaStreamWaitEvent, _ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     wf_rt_stream_wait_event(S(stream), ADDR(event), flags))
BOTH(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned *flags),
     wf_rt_stream_flags(S(stream), flags))
BOTH(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int *priority),
     wf_rt_stream_priority(S(stream), priority))
BOTH(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long *id),
     wf_rt_stream_id(S(stream), id))

static enum wf_cu zero_int(int *out, uint64_t stream)
{
    enum wf_cu e = wf_rt_stream_check(stream);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = 0;
    return WF_CU_SUCCESS;
}
BOTH(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int *device), zero_int(device, S(stream)))

// ---- capture ----

// Edges of captured work are plain ones; a program that asks for their data gets zeros.
enum wf_cu wf__capture_answer(uint64_t stream, int *status, unsigned long long *id, uint64_t *graph,
                              const uint64_t **deps, const struct abi_edge **edges, size_t *n)
{
    static const struct abi_edge plain[64];
    struct wf_rt_capture_info i;
    if (!status)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_capture_info(stream, &i);
    if (e != WF_CU_SUCCESS)
        return e;
    *status = (int)i.status;
    if (i.status != WF_RT_CAPTURE_ACTIVE)
        return WF_CU_SUCCESS;
    if (id)
        *id = i.id;
    if (graph)
        *graph = i.graph;
    if (deps)
        *deps = i.deps;
    if (n)
        *n = i.n_deps;
    if (edges)
        *edges = i.n_deps <= 64 ? plain : NULL;
    return WF_CU_SUCCESS;
}
BOTH(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, int *status),
     wf__capture_answer(S(stream), status, NULL, NULL, NULL, NULL, NULL))
BOTH(cudaStreamGetCaptureInfo, _ptsz,
     (cudaStream_t stream, int *status, unsigned long long *id, uint64_t *graph,
      const uint64_t **deps, const struct abi_edge **edges, size_t *n),
     wf__capture_answer(S(stream), status, id, graph, deps, edges, n))
BOTH(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, int mode),
     wf_rt_capture_begin(S(stream), mode, 0, NULL, 0))
BOTH(cudaStreamBeginCaptureToGraph, _ptsz,
     (cudaStream_t stream, uint64_t graph, const uint64_t *deps, const struct abi_edge *edges,
      size_t n, int mode),
     ((void)edges, graph ? wf_rt_capture_begin(S(stream), mode, graph, deps, n) : WF_CU_INVALID_VALUE))
BOTH(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, uint64_t *graph),
     wf_rt_capture_end(S(stream), graph))
API(cudaThreadExchangeStreamCaptureMode, (int *mode), wf_rt_capture_exchange_mode(mode))

// The callback's first parameter is a stream handle: a pointer to the program, a number to us.
BOTH(cudaStreamAddCallback, _ptsz,
     (cudaStream_t stream, void (*fn)(uint64_t, int, void *), void *user, unsigned flags),
     flags ? WF_CU_INVALID_VALUE : wf_rt_stream_callback(S(stream), fn, user))
BOTH(cudaLaunchHostFunc, _ptsz, (cudaStream_t stream, void (*fn)(void *), void *user),
     wf_rt_stream_host_fn(S(stream), fn, user))

BOTH(cudaStreamGetAttribute, _ptsz, (cudaStream_t stream, int attr, void *out),
     wf_rt_stream_get_attr(S(stream), attr, out))
BOTH(cudaStreamSetAttribute, _ptsz, (cudaStream_t stream, int attr, const void *value),
     wf_rt_stream_set_attr(S(stream), attr, value))
BOTH(cudaStreamCopyAttributes, _ptsz, (cudaStream_t dst, cudaStream_t src),
     wf_rt_stream_check(S(dst)) != WF_CU_SUCCESS ? wf_rt_stream_check(S(dst))
                                                 : wf_rt_stream_check(S(src)))

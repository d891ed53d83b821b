// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include "rt/stream.h" // wf_rt_stream_create

#include "cuda/context.h"
#include "cuda/priv.h"
#include "rt/event.h" // wf_rt_event_create

static enum wf_cu give(void **out, enum wf_cu e, uint64_t handle, enum wf__kind kind)
{
    if (e == WF_CU_SUCCESS) {
        *out = HANDLE(handle);
        wf__context_own(kind, handle);
    }
    return e;
}

static enum wf_cu create(CUstream *out, unsigned flags, int priority)
{
    uint64_t handle = 0;
    enum wf_cu e = wf_rt_stream_create(out ? &handle : NULL, flags, priority);
    return give(out, e, handle, WF__KIND_STREAM);
}
API(cuStreamCreate, (CUstream * out, unsigned flags), create(out, flags, 0))
API(cuStreamCreateWithPriority, (CUstream * out, unsigned flags, int priority),
    create(out, flags, priority))
static enum wf_cu destroy(CUstream stream)
{
    enum wf_cu e = wf_rt_stream_destroy(ADDR(stream));
    if (e == WF_CU_SUCCESS)
        wf__context_disown(ADDR(stream));
    return e;
}
API(cuStreamDestroy_v2, (CUstream stream), destroy(stream))
SAME(cuStreamDestroy, cuStreamDestroy_v2)

BOTH(cuStreamQuery, _ptsz, (CUstream stream), wf_rt_stream_query(S(stream)))
BOTH(cuStreamSynchronize, _ptsz, (CUstream stream), wf_rt_stream_sync(S(stream)))
BOTH(cuStreamWaitEvent, _ptsz, (CUstream stream, CUevent event, unsigned flags),
     wf_rt_stream_wait_event(S(stream), ADDR(event), flags))
BOTH(cuStreamGetFlags, _ptsz, (CUstream stream, unsigned *flags),
     wf_rt_stream_flags(S(stream), flags))
BOTH(cuStreamGetPriority, _ptsz, (CUstream stream, int *priority),
     wf_rt_stream_priority(S(stream), priority))
BOTH(cuStreamGetId, _ptsz, (CUstream stream, unsigned long long *id),
     wf_rt_stream_id(S(stream), id))

static enum wf_cu context_of(uint64_t stream, CUcontext *out)
{
    enum wf_cu e = wf_rt_stream_check(stream);
    if (e == WF_CU_SUCCESS && !out)
        e = WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = wf__context_of(stream);
    return e;
}
BOTH(cuStreamGetCtx, _ptsz, (CUstream stream, CUcontext *out), context_of(S(stream), out))
BOTH(cuStreamGetCtx_v2, _ptsz, (CUstream stream, CUcontext *out, void **green),
     green ? (*green = NULL, context_of(S(stream), out)) : context_of(S(stream), out))

static enum wf_cu zero(int *out, uint64_t stream)
{
    enum wf_cu e = wf_rt_stream_check(stream);
    return e == WF_CU_SUCCESS ? wf__put_int(out, 0) : e;
}
BOTH(cuStreamGetDevice, _ptsz, (CUstream stream, int *out), zero(out, S(stream)))

// The callback's first parameter is a stream handle: a pointer to the program, a number to us.
BOTH(cuStreamAddCallback, _ptsz,
     (CUstream stream, void (*fn)(uint64_t, int, void *), void *user, unsigned flags),
     flags ? WF_CU_INVALID_VALUE : wf_rt_stream_callback(S(stream), fn, user))
BOTH(cuLaunchHostFunc, _ptsz, (CUstream stream, void (*fn)(void *), void *user),
     wf_rt_stream_host_fn(S(stream), fn, user))

BOTH(cuStreamGetAttribute, _ptsz, (CUstream stream, int attr, void *out),
     wf_rt_stream_get_attr(S(stream), attr, out))
BOTH(cuStreamSetAttribute, _ptsz, (CUstream stream, int attr, const void *value),
     wf_rt_stream_set_attr(S(stream), attr, value))
BOTH(cuStreamCopyAttributes, _ptsz, (CUstream dst, CUstream src),
     wf_rt_stream_check(S(dst)) != WF_CU_SUCCESS ? wf_rt_stream_check(S(dst))
                                                 : wf_rt_stream_check(S(src)))

// --- events

static enum wf_cu event_create(CUevent *out, unsigned flags)
{
    uint64_t handle = 0;
    enum wf_cu e = wf_rt_event_create(out ? &handle : NULL, flags);
    return give(out, e, handle, WF__KIND_EVENT);
}
API(cuEventCreate, (CUevent * out, unsigned flags), event_create(out, flags))
static enum wf_cu event_destroy(CUevent event)
{
    enum wf_cu e = wf_rt_event_destroy(ADDR(event));
    if (e == WF_CU_SUCCESS)
        wf__context_disown(ADDR(event));
    return e;
}
API(cuEventDestroy_v2, (CUevent event), event_destroy(event))
SAME(cuEventDestroy, cuEventDestroy_v2)
BOTH(cuEventRecord, _ptsz, (CUevent event, CUstream stream),
     wf_rt_event_record(ADDR(event), S(stream), 0))
BOTH(cuEventRecordWithFlags, _ptsz, (CUevent event, CUstream stream, unsigned flags),
     wf_rt_event_record(ADDR(event), S(stream), flags))
API(cuEventQuery, (CUevent event), wf_rt_event_query(ADDR(event)))
API(cuEventSynchronize, (CUevent event), wf_rt_event_sync(ADDR(event)))
API(cuEventElapsedTime, (float *ms, CUevent start, CUevent end),
    wf_rt_event_elapsed(ms, ADDR(start), ADDR(end)))
SAME(cuEventElapsedTime_v2, cuEventElapsedTime)

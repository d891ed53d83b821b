// SPDX-License-Identifier: Apache-2.0
// Events.
#include "rt/event.h" // wf_rt_event_create

#include "cudart/priv.h"

static enum wf_cu create(cudaEvent_t *out, unsigned flags)
{
    uint64_t handle = 0;
    enum wf_cu e = wf_rt_event_create(out ? &handle : NULL, flags);
    if (e == WF_CU_SUCCESS)
        *out = (cudaEvent_t)(uintptr_t)handle;
    return e;
}
API(cudaEventCreate, (cudaEvent_t * out), create(out, 0))
API(cudaEventCreateWithFlags, (cudaEvent_t * out, unsigned flags), create(out, flags))
API(cudaEventDestroy, (cudaEvent_t event), wf_rt_event_destroy(ADDR(event)))
BOTH(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
     wf_rt_event_record(ADDR(event), S(stream), 0))
BOTH(cudaEventRecordWithFlags, _ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
     wf_rt_event_record(ADDR(event), S(stream), flags))
API(cudaEventQuery, (cudaEvent_t event), wf_rt_event_query(ADDR(event)))
API(cudaEventSynchronize, (cudaEvent_t event), wf_rt_event_sync(ADDR(event)))
API(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end),
    wf_rt_event_elapsed(ms, ADDR(start), ADDR(end)))

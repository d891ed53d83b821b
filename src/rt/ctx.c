// SPDX-License-Identifier: Apache-2.0
// Context state. The broken flag is an atomic; the last error is a thread's own.
#include "rt/ctx.h"

#include <stdatomic.h> // atomic_int
#include <stdio.h>     // fflush

#include "rt/array.h"  // wf__array_reset
#include "rt/event.h"  // wf__event_reset
#include "rt/graph.h"  // wf__graph_reset
#include "rt/ipc.h"    // wf__ipc_reset
#include "rt/launch.h" // wf__launch_note_checked
#include "rt/memory.h" // wf__memory_reset
#include "rt/module.h" // wf__module_reset
#include "rt/pool.h"   // wf__pool_reset
#include "rt/queue.h"  // wf__queue_drain
#include "rt/stream.h" // wf__stream_reset

static atomic_int broken; // enum wf_cu
static _Thread_local enum wf_cu last_error;
static _Thread_local bool is_in_callback, has_result;

enum wf_cu wf_rt_result(enum wf_cu e)
{
    has_result = true;
    if (e != WF_CU_SUCCESS && e != WF_CU_NOT_READY)
        last_error = e;
    return e;
}

bool wf_rt_result_seen(void)
{
    return has_result;
}

enum wf_cu wf_rt_last_error(bool clear)
{
    enum wf_cu e = last_error;
    wf__launch_note_checked();
    if (clear)
        last_error = WF_CU_SUCCESS;
    return e;
}

enum wf_cu wf_rt_broken(void)
{
    return (enum wf_cu)atomic_load(&broken);
}

enum wf_cu wf_rt_enter(void)
{
    if (is_in_callback)
        return WF_CU_NOT_PERMITTED;
    if (wf__queue_is_child())
        return WF_CU_INITIALIZATION_ERROR;
    return wf_rt_broken();
}

enum wf_cu wf_rt_break(enum wf_cu e)
{
    int healthy = WF_CU_SUCCESS;
    atomic_compare_exchange_strong(&broken, &healthy, (int)e);
    return wf_rt_broken();
}

void wf_rt_set_in_callback(bool is_in)
{
    is_in_callback = is_in;
}

enum wf_cu wf_rt_device_sync(void)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if ((e = wf__capture_forbids_stream(0)) != WF_CU_SUCCESS)
        return e;
    wf__queue_drain();
    fflush(stdout); // device printf appears when the host has waited
    return wf_rt_broken();
}

enum wf_cu wf_rt_device_reset(void)
{
    if (is_in_callback)
        return WF_CU_NOT_PERMITTED;
    if (wf__queue_is_child())
        return WF_CU_INITIALIZATION_ERROR;
    wf__queue_drain();
    fflush(stdout);
    wf__stream_reset();
    wf__event_reset();
    wf__pool_reset();
    wf__array_reset();
    wf__graph_reset();
    wf__module_reset();
    wf__ipc_reset();
    wf__memory_reset();
    if (wf_rt_broken() != WF_CU_SUCCESS)
        atomic_store(&broken, WF_CU_DEVICES_UNAVAILABLE);
    return WF_CU_SUCCESS;
}

void wf_rt_finish(void)
{
    if (!is_in_callback) // a callback that calls exit() cannot wait for itself
        wf__queue_drain();
    fflush(stdout);
    wf__launch_report_unchecked();
}

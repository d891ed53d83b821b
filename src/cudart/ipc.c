// SPDX-License-Identifier: Apache-2.0
// Memory and events of other processes.
#include "rt/ipc.h" // wf_rt_ipc_memory

#include "cudart/priv.h"

API(cudaIpcGetMemHandle, (struct wf_rt_ipc * out, void *p), wf_rt_ipc_memory(out, ADDR(p)))
static enum wf_cu open_memory(void **out, const struct wf_rt_ipc *from, unsigned flags)
{
    uint64_t addr;
    enum wf_cu e = wf_rt_ipc_open_memory(out ? &addr : NULL, from, flags);
    if (e == WF_CU_SUCCESS)
        *out = (void *)(uintptr_t)addr;
    return e;
}
API(cudaIpcOpenMemHandle, (void **out, struct wf_rt_ipc from, unsigned flags), open_memory(out, &from, flags))
API(cudaIpcCloseMemHandle, (void *p), wf_rt_ipc_close_memory(ADDR(p)))
API(cudaIpcGetEventHandle, (struct wf_rt_ipc * out, cudaEvent_t event), wf_rt_ipc_event(out, ADDR(event)))
static enum wf_cu open_event(cudaEvent_t *out, const struct wf_rt_ipc *from)
{
    uint64_t handle;
    enum wf_cu e = wf_rt_ipc_open_event(out ? &handle : NULL, from);
    if (e == WF_CU_SUCCESS)
        *out = (cudaEvent_t)(uintptr_t)handle;
    return e;
}
API(cudaIpcOpenEventHandle, (cudaEvent_t * out, struct wf_rt_ipc from), open_event(out, &from))

API(cudaMemPoolExportToShareableHandle, (void *out, cudaMemPool_t pool, int type, unsigned flags),
    wf_rt_ipc_export_pool(out, ADDR(pool), type, flags))
static enum wf_cu import_pool(cudaMemPool_t *out, void *descriptor, int type, unsigned flags)
{
    uint64_t handle;
    enum wf_cu e = wf_rt_ipc_import_pool(out ? &handle : NULL, (int)(intptr_t)descriptor, type, flags);
    if (e == WF_CU_SUCCESS)
        *out = (cudaMemPool_t)(uintptr_t)handle;
    return e;
}
API(cudaMemPoolImportFromShareableHandle, (cudaMemPool_t * out, void *descriptor, int type, unsigned flags),
    import_pool(out, descriptor, type, flags))
API(cudaMemPoolExportPointer, (struct wf_rt_ipc * out, void *p), wf_rt_ipc_export(out, ADDR(p)))
static enum wf_cu import(void **out, cudaMemPool_t pool, const struct wf_rt_ipc *from)
{
    uint64_t addr;
    enum wf_cu e = wf_rt_ipc_import(out ? &addr : NULL, ADDR(pool), from);
    if (e == WF_CU_SUCCESS)
        *out = (void *)(uintptr_t)addr;
    return e;
}
API(cudaMemPoolImportPointer, (void **out, cudaMemPool_t pool, struct wf_rt_ipc *from), import(out, pool, from))

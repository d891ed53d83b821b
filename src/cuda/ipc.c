// SPDX-License-Identifier: Apache-2.0
// Memory and events of other processes.
#include "rt/ipc.h" // wf_rt_ipc_memory

#include "cuda/context.h"
#include "cuda/priv.h"

API(cuIpcGetMemHandle, (struct wf_rt_ipc * out, CUdeviceptr p), wf_rt_ipc_memory(out, p))
API(cuIpcOpenMemHandle_v2, (CUdeviceptr * out, struct wf_rt_ipc from, unsigned flags), wf_rt_ipc_open_memory(out, &from, flags))
SAME(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2)
API(cuIpcCloseMemHandle, (CUdeviceptr p), wf_rt_ipc_close_memory(p))
API(cuIpcGetEventHandle, (struct wf_rt_ipc * out, CUevent event), wf_rt_ipc_event(out, ADDR(event)))
static enum wf_cu open_event(CUevent *out, const struct wf_rt_ipc *from)
{
    uint64_t handle;
    enum wf_cu e = wf_rt_ipc_open_event(out ? &handle : NULL, from);
    if (e == WF_CU_SUCCESS) {
        *out = HANDLE(handle);
        wf__context_own(WF__KIND_EVENT, handle);
    }
    return e;
}
API(cuIpcOpenEventHandle, (CUevent * out, struct wf_rt_ipc from), open_event(out, &from))

API(cuMemPoolExportToShareableHandle, (void *out, CUmemoryPool pool, int type, unsigned long long flags),
    wf_rt_ipc_export_pool(out, ADDR(pool), type, flags))
static enum wf_cu import_pool(CUmemoryPool *out, void *descriptor, int type, uint64_t flags)
{
    uint64_t handle;
    enum wf_cu e = wf_rt_ipc_import_pool(out ? &handle : NULL, (int)(intptr_t)descriptor, type, flags);
    if (e == WF_CU_SUCCESS)
        *out = HANDLE(handle);
    return e;
}
API(cuMemPoolImportFromShareableHandle, (CUmemoryPool * out, void *descriptor, int type, unsigned long long flags),
    import_pool(out, descriptor, type, flags))
API(cuMemPoolExportPointer, (struct wf_rt_ipc * out, CUdeviceptr p), wf_rt_ipc_export(out, p))
API(cuMemPoolImportPointer, (CUdeviceptr * out, CUmemoryPool pool, struct wf_rt_ipc *from), wf_rt_ipc_import(out, ADDR(pool), from))

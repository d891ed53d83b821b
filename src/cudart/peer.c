// SPDX-License-Identifier: Apache-2.0
// Peers (there are none: one device), and calls about persisting caches and remote writes.
#include "cudart/priv.h"

static enum wf_cu can_access(int *out, int device, int peer)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    if (device != 0 || peer != 0)
        return WF_CU_INVALID_DEVICE;
    *out = 0;
    return WF_CU_SUCCESS;
}
API(cudaDeviceCanAccessPeer, (int *out, int device, int peer), can_access(out, device, peer))

static enum wf_cu enable(int peer, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (flags)
        return WF_CU_INVALID_VALUE;
    return peer == 0 ? WF_CU_PEER_ACCESS_UNSUPPORTED : WF_CU_INVALID_DEVICE;
}
API(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), enable(peer, flags))
API(cudaDeviceDisablePeerAccess, (int peer),
    peer == 0 ? WF_CU_PEER_ACCESS_NOT_ENABLED : WF_CU_INVALID_DEVICE)

static enum wf_cu p2p_attribute(int *out, int attr, int src, int dst)
{
    if (!out || attr < 1 || attr > 4)
        return WF_CU_INVALID_VALUE;
    (void)src, (void)dst; // a pair of different devices cannot be named
    return WF_CU_INVALID_DEVICE;
}
API(cudaDeviceGetP2PAttribute, (int *out, int attr, int src, int dst),
    p2p_attribute(out, attr, src, dst))

API(cudaCtxResetPersistingL2Cache, (void), wf_rt_enter())
API(cudaDeviceFlushGPUDirectRDMAWrites, (int target, int scope),
    ((void)target, (void)scope, wf_rt_enter()))

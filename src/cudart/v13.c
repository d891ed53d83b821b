// SPDX-License-Identifier: Apache-2.0
// What libcudart.so.13 means by names that had another meaning in runtime 12.
#include "cudart/advise.h" // wf__prefetch
#include "cudart/priv.h"
#include "cudart/prop.h" // wf__device_prop

API(cudaRuntimeGetVersion, (int *out), out ? (*out = 13000, WF_CU_SUCCESS) : WF_CU_INVALID_VALUE)

static enum wf_cu properties(struct abi_device_prop *out, int device)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        wf__device_prop(out);
    return e;
}
API(cudaGetDeviceProperties, (struct abi_device_prop * out, int device), properties(out, device))

BOTH(cudaMemPrefetchAsync, _ptsz,
     (const void *p, size_t n, struct abi_location at, unsigned flags, cudaStream_t stream),
     wf__prefetch(p, n, at, flags, S(stream)))
API(cudaMemAdvise, (const void *p, size_t n, int advice, struct abi_location at),
    wf__advise(p, n, advice, at))

// SPDX-License-Identifier: Apache-2.0
// Prefetch and advice on managed memory: checked, without effect, since host and device share it.
#ifndef WF_CUDART_ADVISE_H
#define WF_CUDART_ADVISE_H

#include "cudart/priv.h"
#include "rt/memory.h" // wf_rt_managed_range

static inline bool wf__is_location(struct abi_location at)
{
    return (at.type == 1 && at.id == 0) || (at.type >= 2 && at.type <= 4);
}

static inline enum wf_cu wf__prefetch(const void *p, size_t n, struct abi_location at,
                                      unsigned flags, uint64_t stream)
{
    enum wf_cu e = wf_rt_stream_check(stream);
    if (e != WF_CU_SUCCESS)
        return e;
    if (at.type == 1 && at.id != 0)
        return WF_CU_INVALID_DEVICE;
    if (flags || !wf__is_location(at))
        return WF_CU_INVALID_VALUE;
    return wf_rt_managed_range(ADDR(p), n);
}

static inline enum wf_cu wf__advise(const void *p, size_t n, int advice, struct abi_location at)
{
    if (advice < 1 || advice > 6)
        return WF_CU_INVALID_VALUE;
    bool needs_location = advice == 3 || advice >= 5; // preferred location, accessed by
    if (needs_location && !wf__is_location(at))
        return WF_CU_INVALID_VALUE;
    return wf_rt_managed_range(ADDR(p), n);
}

// A device number of runtime 12: -1 is the host.
static inline struct abi_location wf__location_of(int device)
{
    return device == -1 ? (struct abi_location){2, 0} : (struct abi_location){1, device};
}

#endif

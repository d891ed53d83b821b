// SPDX-License-Identifier: Apache-2.0
// What all forms of memcpy_async share: `count` threads copy to shared memory with cp.async, in the
// largest pieces that both addresses allow; what cp.async cannot do is copied plainly.
#ifndef WF_CUDA_MEMCPY_ASYNC_H
#define WF_CUDA_MEMCPY_ASYNC_H

#include "../cuda_pipeline.h"

#ifdef __CUDACC__
WF_DEV void wf_copy_async(void *to, const void *from, size_t bytes, unsigned int rank,
                          unsigned int count)
{
    char *d = (char *)to;
    const char *s = (const char *)from;
    unsigned long long ways = (unsigned long long)d | (unsigned long long)s | bytes;
    if (!__isShared(to) || !__isGlobal(from) || (ways & 3)) {
        for (size_t i = rank; i < bytes; i += count)
            d[i] = s[i];
    } else if (!(ways & 15)) {
        for (size_t i = 16 * (size_t)rank; i < bytes; i += 16 * (size_t)count)
            __pipeline_memcpy_async(d + i, s + i, 16);
    } else if (!(ways & 7)) {
        for (size_t i = 8 * (size_t)rank; i < bytes; i += 8 * (size_t)count)
            __pipeline_memcpy_async(d + i, s + i, 8);
    } else {
        for (size_t i = 4 * (size_t)rank; i < bytes; i += 4 * (size_t)count)
            __pipeline_memcpy_async(d + i, s + i, 4);
    }
}
// The barrier's pending count takes note of this thread's copies so far.
WF_DEV void wf_copy_arrive_on(void *bar)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(wf_shared_addr(bar)) : "memory");
}
WF_DEV void wf_copy_wait_all()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}
#endif

#endif

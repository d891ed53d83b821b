// SPDX-License-Identifier: Apache-2.0
// The C primitives of asynchronous copies and shared memory barriers (CUDA guide, "Pipeline
// Primitives Interface" and "Arrive/Wait primitives"): cp.async and mbarrier.
#ifndef WF_CUDA_PIPELINE_PRIMITIVES_H
#define WF_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

#ifdef __CUDACC__
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

// The size must be a constant in effect: the branches fold away. Bytes behind `size - zfill` become
// zero.
WF_DEV void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from,
                                    size_t size, size_t zfill = 0)
{
    unsigned int d = wf_shared_addr(to), n = (unsigned int)(size - zfill);
    unsigned long long s = __cvta_generic_to_global(from);
    if (size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(d), "l"(s), "r"(n)
                     : "memory");
    else if (size == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(d), "l"(s), "r"(n)
                     : "memory");
    else if (size == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(d), "l"(s), "r"(n)
                     : "memory");
    else
        __trap();
}
WF_DEV void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// The instruction wants a constant. Counts above eight wait for more than they must, which is safe.
WF_DEV void __pipeline_wait_prior(size_t n)
{
#define WF_WAIT_GROUP(k)                                                                           \
    case k:                                                                                        \
        asm volatile("cp.async.wait_group %0;" ::"n"(k) : "memory");                               \
        break
    switch (n) {
        WF_WAIT_GROUP(0);
        WF_WAIT_GROUP(1);
        WF_WAIT_GROUP(2);
        WF_WAIT_GROUP(3);
        WF_WAIT_GROUP(4);
        WF_WAIT_GROUP(5);
        WF_WAIT_GROUP(6);
        WF_WAIT_GROUP(7);
    default:
        asm volatile("cp.async.wait_group 8;" ::: "memory");
    }
#undef WF_WAIT_GROUP
}
WF_DEV void __pipeline_arrive_on(__mbarrier_t *bar)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(wf_shared_addr(bar)) : "memory");
}

WF_DEV void __mbarrier_init(__mbarrier_t *bar, unsigned int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(wf_shared_addr(bar)), "r"(count)
                 : "memory");
}
WF_DEV void __mbarrier_inval(__mbarrier_t *bar)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(wf_shared_addr(bar)) : "memory");
}
WF_DEV __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *bar)
{
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(wf_shared_addr(bar))
                 : "memory");
    return token;
}
WF_DEV __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *bar)
{
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(wf_shared_addr(bar))
                 : "memory");
    return token;
}
WF_DEV bool __mbarrier_test_wait(__mbarrier_t *bar, __mbarrier_token_t token)
{
    unsigned int done;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(wf_shared_addr(bar)), "l"(token)
        : "memory");
    return done != 0;
}
WF_DEV unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    unsigned int n;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(token));
    return n;
}
#endif

#endif

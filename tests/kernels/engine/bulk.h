// SPDX-License-Identifier: Apache-2.0
// Bulk copies and mbarriers in inline PTX, as the compilers' headers write them.
#pragma once
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ __forceinline__ void mbar_init(unsigned long long *b, unsigned n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ __forceinline__ void mbar_expect(unsigned long long *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void mbar_wait(unsigned long long *b, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at(b)), "r"(parity)
                     : "memory");
}
// Macros, so that the line of a copy is its user's.
#define bulk_in(to, from, bytes, b)                                                                                    \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), \
                 "l"(__cvta_generic_to_global(from)), "r"((unsigned)(bytes)), "r"(at(b))                               \
                 : "memory")
#define bulk_out(to, from, bytes)                                                                                      \
    do {                                                                                                               \
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), \
                     "r"(at(from)), "r"((unsigned)(bytes))                                                             \
                     : "memory");                                                                                      \
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");                                                      \
    } while (0)
static __device__ __forceinline__ void bulk_read_done()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
static __device__ __forceinline__ void bulk_done()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
static __device__ __forceinline__ void proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// SPDX-License-Identifier: Apache-2.0
// Bulk copies from global to shared memory and the barriers they complete on (sm_90; PTX ISA,
// "cp.async.bulk" and "mbarrier"). The code of other targets is empty and must not be reached: a
// launcher asks wf_has_bulk() first.
// Bulk copies belong to the async proxy. A thread that wrote shared memory by ordinary stores calls
// wf_bulk_fence() before the arrival that lets another thread start a bulk copy there.
#ifndef WF_BULK_CUH
#define WF_BULK_CUH

#include "wf_base.cuh"

// An mbarrier in shared memory. Phase k (0, 1, 2, ...) has parity k & 1.
typedef unsigned long long wf_mbar;

WF_DEVICE void wf_mbar_init(wf_mbar *b, unsigned count)
{
    WF_SM90_CODE(asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(wf_shared_at(b)), "r"(count)
                              : "memory");)
}

// After the initialisations, before the block's barrier: bulk copies see them too.
WF_DEVICE void wf_mbar_init_done(void)
{
    WF_SM90_CODE(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");)
}

WF_DEVICE void wf_mbar_arrive(wf_mbar *b)
{
    WF_SM90_CODE(asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared::cta.b64 state, [%0];\n\t}" ::"r"(
                                  wf_shared_at(b))
                              : "memory");)
}

// Arrives and makes the phase wait for so many bytes of bulk copies.
WF_DEVICE void wf_mbar_arrive_expect(wf_mbar *b, unsigned bytes)
{
    WF_SM90_CODE(
        asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n\t}" ::"r"(
                         wf_shared_at(b)),
                     "r"(bytes)
                     : "memory");)
}

// Waits until the phase of this parity is complete.
WF_DEVICE void wf_mbar_wait(wf_mbar *b, unsigned parity)
{
    WF_SM90_CODE(unsigned done; do {
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(wf_shared_at(b)), "r"(parity)
                     : "memory");
    } while (!done);)
}

// Copies `bytes` (a multiple of 16, both ends aligned to 16) and counts them on `b`.
WF_DEVICE void wf_bulk_load(void *shared, const void *global, unsigned bytes, wf_mbar *b)
{
    WF_SM90_CODE(asm volatile("{\n\t.reg .u64 a;\n\tcvta.to.global.u64 a, %1;\n\t"
                              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [a], %2, "
                              "[%3];\n\t}" ::"r"(wf_shared_at(shared)),
                              "l"(global), "r"(bytes), "r"(wf_shared_at(b))
                              : "memory");)
}

WF_DEVICE void wf_bulk_fence(void)
{
    WF_SM90_CODE(asm volatile("fence.proxy.async.shared::cta;" ::: "memory");)
}

// Whether `kernel` was compiled with the instructions above. WF_NO_BULK: as if it was not.
static inline bool wf_has_bulk(const void *kernel)
{
#ifdef WF_NO_BULK
    (void)kernel;
    return false;
#else
    return wf_has_sm90(kernel);
#endif
}

#endif

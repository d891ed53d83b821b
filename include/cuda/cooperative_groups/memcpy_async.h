// SPDX-License-Identifier: Apache-2.0
// cooperative_groups::memcpy_async, wait and wait_prior on the threads' cp.async groups.
#ifndef WF_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define WF_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../warpfence_cuda/memcpy_async.h"

#ifdef __CUDACC__
namespace cooperative_groups
{
template <class G, class To, class From, class Size>
WF_DEV void memcpy_async(const G &g, To *to, const From *from, Size bytes)
{
    wf_copy_async(to, from, (size_t)bytes, (unsigned int)g.thread_rank(), (unsigned int)g.size());
    __pipeline_commit();
}
// With lengths in elements on both sides.
template <class G, class T, class A, class B>
WF_DEV void memcpy_async(const G &g, T *to, A to_count, const T *from, B from_count)
{
    size_t n = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;
    memcpy_async(g, to, from, n * sizeof(T));
}
template <class G> WF_DEV void wait(const G &g)
{
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    g.sync();
}
template <unsigned int N, class G> WF_DEV void wait_prior(const G &g)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
    g.sync();
}
} // namespace cooperative_groups
#endif

#endif

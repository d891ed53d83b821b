// SPDX-License-Identifier: Apache-2.0
// cooperative_groups::inclusive_scan and exclusive_scan: a ladder of upward shuffles.
#ifndef WF_COOPERATIVE_GROUPS_SCAN_H
#define WF_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#ifdef __CUDACC__
namespace cooperative_groups
{
template <class G, class T, class Op>
WF_DEV auto inclusive_scan(const G &g, T &&value, Op &&op) -> wf_detail::bare_t<T>
{
    wf_detail::bare_t<T> v = value;
    unsigned int n = g.size(), rank = g.thread_rank();
    for (unsigned int d = 1; d < n; d *= 2) {
        wf_detail::bare_t<T> other = g.shfl_up(v, d);
        if (rank >= d)
            v = op(other, v);
    }
    return v;
}
template <class G, class T>
WF_DEV auto inclusive_scan(const G &g, T &&value) -> wf_detail::bare_t<T>
{
    return inclusive_scan(g, value, plus<wf_detail::bare_t<T>>());
}
// The first thread gets a value of zero bytes (the guide leaves it undefined but for sums).
template <class G, class T, class Op>
WF_DEV auto exclusive_scan(const G &g, T &&value, Op &&op) -> wf_detail::bare_t<T>
{
    wf_detail::bare_t<T> v = g.shfl_up(inclusive_scan(g, value, op), 1);
    return g.thread_rank() ? v : wf_detail::bare_t<T>{};
}
template <class G, class T>
WF_DEV auto exclusive_scan(const G &g, T &&value) -> wf_detail::bare_t<T>
{
    return exclusive_scan(g, value, plus<wf_detail::bare_t<T>>());
}
} // namespace cooperative_groups
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
// cooperative_groups::reduce: redux.sync for 32-bit integers where one operator does it, else a
// tree of shuffles.
#ifndef WF_COOPERATIVE_GROUPS_REDUCE_H
#define WF_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#ifdef __CUDACC__
namespace cooperative_groups
{
#define WF_OPERATOR(name, expression)                                                              \
    template <class T = void> struct name {                                                        \
        WF_MEM_HD T operator()(const T &a, const T &b) const                                       \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
WF_OPERATOR(plus, a + b)
WF_OPERATOR(less, b < a ? b : a)
WF_OPERATOR(greater, a < b ? b : a)
WF_OPERATOR(bit_and, a &b)
WF_OPERATOR(bit_or, a | b)
WF_OPERATOR(bit_xor, a ^ b)
#undef WF_OPERATOR

namespace wf_detail
{
template <class T> struct bare {
    typedef T type;
};
template <class T> struct bare<T &> : bare<T> {
};
template <class T> struct bare<T &&> : bare<T> {
};
template <class T> struct bare<const T> : bare<T> {
};
template <class T> using bare_t = typename bare<T>::type;

// Is there a redux instruction for this operator and type? If so, run() is it.
template <class T, class Op> struct redux {
    static constexpr bool exists = false;
};
#define WF_REDUX(T, op, builtin)                                                                   \
    template <> struct redux<T, op<T>> {                                                           \
        static constexpr bool exists = true;                                                       \
        static WF_MEM T run(unsigned int mask, T v)                                                \
        {                                                                                          \
            return (T)builtin(mask, v);                                                            \
        }                                                                                          \
    };
#define WF_REDUX_BITS(T, op, builtin)                                                              \
    template <> struct redux<T, op<T>> {                                                           \
        static constexpr bool exists = true;                                                       \
        static WF_MEM T run(unsigned int mask, T v)                                                \
        {                                                                                          \
            return (T)builtin(mask, (unsigned int)v);                                              \
        }                                                                                          \
    };
WF_REDUX(int, plus, __reduce_add_sync)
WF_REDUX(unsigned int, plus, __reduce_add_sync)
WF_REDUX(int, less, __reduce_min_sync)
WF_REDUX(unsigned int, less, __reduce_min_sync)
WF_REDUX(int, greater, __reduce_max_sync)
WF_REDUX(unsigned int, greater, __reduce_max_sync)
WF_REDUX_BITS(int, bit_and, __reduce_and_sync)
WF_REDUX_BITS(unsigned int, bit_and, __reduce_and_sync)
WF_REDUX_BITS(int, bit_or, __reduce_or_sync)
WF_REDUX_BITS(unsigned int, bit_or, __reduce_or_sync)
WF_REDUX_BITS(int, bit_xor, __reduce_xor_sync)
WF_REDUX_BITS(unsigned int, bit_xor, __reduce_xor_sync)
#undef WF_REDUX
#undef WF_REDUX_BITS
} // namespace wf_detail

template <unsigned int Size, class P, class T, class Op>
WF_DEV auto reduce(const thread_block_tile<Size, P> &g, T &&value, Op &&op) -> wf_detail::bare_t<T>
{
    typedef wf_detail::bare_t<T> V;
    typedef wf_detail::redux<V, wf_detail::bare_t<Op>> R;
    if constexpr (Size > 32) { // each warp for itself, then what the first lanes have
        V v = reduce(thread_block_tile<32>(0, 1), value, op), r = g.shfl(v, 0);
        for (unsigned int w = 32; w < Size; w += 32)
            r = op(r, g.shfl(v, (int)w));
        return r;
    } else if constexpr (R::exists) {
        return R::run(g.wf_mask(), value);
    } else {
        V v = value;
#pragma unroll
        for (unsigned int d = Size / 2; d; d /= 2)
            v = op(v, g.shfl_xor(v, d));
        return v;
    }
}
template <class T, class Op>
WF_DEV auto reduce(const coalesced_group &g, T &&value, Op &&op) -> wf_detail::bare_t<T>
{
    typedef wf_detail::bare_t<T> V;
    typedef wf_detail::redux<V, wf_detail::bare_t<Op>> R;
    if constexpr (R::exists) {
        return R::run(g.wf_mask(), value);
    } else { // halves by rank, then the result goes to all
        V v = value;
        unsigned int n = g.size(), rank = g.thread_rank();
        for (unsigned int d = 1; d < n; d *= 2) {
            V other = g.shfl_down(v, d);
            if (rank + d < n && rank % (2 * d) == 0)
                v = op(v, other);
        }
        return g.shfl(v, 0);
    }
}
} // namespace cooperative_groups
#endif

#endif

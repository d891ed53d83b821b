// SPDX-License-Identifier: Apache-2.0
// Warp reductions and scans over any set of lanes: `mask` names the lanes that call, exactly these,
// in convergence; the caller knows them from its own control flow (wf_lanes_below for the first count
// threads of a block), never from what happens to be active. Partial warps are nothing special.
// Lanes are combined in the order of their rank among the named lanes, in a tree that depends on the
// number of lanes alone. Operators: wf_ops.cuh; a reduction's need not be commutative here.
#ifndef WF_WARP_CUH
#define WF_WARP_CUH

#include "wf_ops.cuh"

// The lanes of this thread's warp whose index in the block is below `count` (one-dimensional block).
WF_DEVICE unsigned wf_lanes_below(unsigned count)
{
    const unsigned first = threadIdx.x & ~31u;
    if (count <= first)
        return 0;
    return count - first >= 32 ? WF_FULL_MASK : (1u << (count - first)) - 1;
}

// This lane's number among the lanes of the mask.
WF_DEVICE unsigned wf_rank(unsigned mask)
{
    return __popc(mask & ((1u << wf_lane()) - 1));
}

// The next higher lane of the mask; 32 if there is none.
WF_DEVICE unsigned wf_next_lane(unsigned mask)
{
    const unsigned above = mask & ~(2u * (1u << wf_lane()) - 1);
    return above ? __ffs((int)above) - 1 : 32;
}

// All lanes of the mask get the combination of their values.
template <class Op>
WF_DEVICE typename Op::acc_type wf_warp_reduce(const Op &op, unsigned mask, typename Op::acc_type a)
{
    typedef typename Op::acc_type acc_type;
    const unsigned lanes = __popc(mask), rank = wf_rank(mask);
    unsigned partner = wf_next_lane(mask); // the lane of rank + step
    for (unsigned step = 1; step < lanes; step *= 2) {
        const bool there = rank + step < lanes;
        const unsigned from = there ? partner : wf_lane();
        const acc_type b = wf_shfl(mask, a, from);
        const unsigned beyond = wf_shfl(mask, partner, from);
        if (there && rank % (2 * step) == 0)
            a = op.combine(a, b);
        partner = there ? beyond : 32;
    }
    return wf_shfl(mask, a, __ffs((int)mask) - 1);
}

// Each lane of the mask gets the combination of the values of the lanes up to it.
template <class Op>
WF_DEVICE typename Op::acc_type wf_warp_inclusive_scan(const Op &op, unsigned mask,
                                                       typename Op::acc_type a)
{
    typedef typename Op::acc_type acc_type;
    const unsigned lanes = __popc(mask), rank = wf_rank(mask);
    const unsigned below = mask & ((1u << wf_lane()) - 1);
    unsigned partner = below ? 31 - __clz((int)below) : 32; // the lane of rank - step
    for (unsigned step = 1; step < lanes; step *= 2) {
        const bool there = rank >= step;
        const unsigned from = there ? partner : wf_lane();
        const acc_type b = wf_shfl(mask, a, from);
        const unsigned beyond = wf_shfl(mask, partner, from);
        if (there)
            a = op.combine(b, a);
        partner = there ? beyond : 32;
    }
    return a;
}

// Each lane of the mask gets the combination of the values of the lanes before it; the first gets
// the identity.
template <class Op>
WF_DEVICE typename Op::acc_type wf_warp_exclusive_scan(const Op &op, unsigned mask,
                                                       typename Op::acc_type a)
{
    const typename Op::acc_type upto = wf_warp_inclusive_scan(op, mask, a);
    const unsigned below = mask & ((1u << wf_lane()) - 1);
    const typename Op::acc_type left = wf_shfl(mask, upto, below ? 31 - __clz((int)below) : wf_lane());
    return below ? left : op.identity();
}

#endif

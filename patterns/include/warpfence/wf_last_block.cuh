// SPDX-License-Identifier: Apache-2.0
// Last block: lets the last block of a grid to arrive work on what all blocks wrote before.
// One atomic per block, release and acquire in one: what any thread of any block wrote before its
// arrival can be read, with plain loads, by every thread of the last block after it.
#ifndef WF_LAST_BLOCK_CUH
#define WF_LAST_BLOCK_CUH

#include "wf_base.cuh"

// Every thread of the block calls, in convergence, with a counter in global memory that was 0 before
// the kernel; `blocks` is the number of blocks that arrive. True in every thread of the last one.
// The counter is 0 again afterwards, ready for the next launch.
WF_DEVICE bool wf_last_block(unsigned *counter, unsigned blocks)
{
    __shared__ unsigned is_last;
    __syncthreads(); // everything the block wrote comes before the arrival
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        is_last = wf_inc_wrap_acq_rel(counter, blocks - 1) == blocks - 1;
    __syncthreads(); // and the arrival before everything the last block reads
    return is_last != 0;
}

#endif

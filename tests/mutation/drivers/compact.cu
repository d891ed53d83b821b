// SPDX-License-Identifier: Apache-2.0
// Compaction: one tile, the blocks of a cluster, and tiles that look back themselves. (More tiles, which a block
// serves, are in the driver of scan.)
#include "warpfence/wf_compact.cuh"

#include "driver.h"

// Tiles of 1024 elements: look-back with little work.
static void compact(size_t n)
{
    typedef wf_pred<unsigned, WF_LT> pred_type;
    unsigned *in = device_array<unsigned>(n), *out = device_array<unsigned>(n);
    uint64_t *count = device_array<uint64_t>(1);
    pred_type pred;
    pred.bound = 500;
    TWO_PHASE((wf_compact_launch<pred_type, uint32_t, 64>(temp, &bytes, in, out, count, n, pred, 0)));
}

int main()
{
    compact(1024);
    compact(3 * 1024);
    compact(40 * 1024 + 5);
    compact(70 * 1024);
    return 0;
}

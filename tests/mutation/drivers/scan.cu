// SPDX-License-Identifier: Apache-2.0
// Scan: one tile, a few tiles that look back themselves, and so many that a block serves them.
#include "warpfence/wf_scan.cuh"

#include "driver.h"

// Tiles of 128 elements: look-back with little work.
typedef wf_op_sum<unsigned, unsigned> sum_type;
typedef wf_cut<64, 1, 0, 1> cut_type;

static void scan(size_t n)
{
    unsigned *in = device_array<unsigned>(n), *out = device_array<unsigned>(n);
    TWO_PHASE((wf_scan_launch<sum_type, cut_type, false>(temp, &bytes, in, out, n, sum_type(), 0u, 0)));
}

int main()
{
    scan(256);
    scan(256 * 5);
    scan(256 * 70);
    return 0;
}

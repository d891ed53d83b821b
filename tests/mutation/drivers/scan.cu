// SPDX-License-Identifier: Apache-2.0
// Scan: one tile, the blocks of a cluster, a few tiles that look back themselves, so many that a block
// serves them, and blocks that stay.
#include "warpfence/wf_scan.cuh"

#include "driver.h"

// Tiles of 256 elements: look-back with little work.
typedef wf_op_sum<unsigned, unsigned> sum_type;
typedef wf_stream_cut<wf_cut<64, 1, 1>, 3, 1> cut_type;

static void scan(size_t n)
{
    unsigned *in = device_array<unsigned>(n), *out = device_array<unsigned>(n);
    TWO_PHASE((wf_scan_launch<sum_type, cut_type::cut, false>(temp, &bytes, in, out, n, sum_type(), 0u, 0)));
}

static void scan_stream(size_t n)
{
    unsigned *in = device_array<unsigned>(n), *out = device_array<unsigned>(n);
    bool done;
    TWO_PHASE((temp ? wf_scan_launch_stream<sum_type, cut_type, false>(temp, &bytes, in, out, n, sum_type(), 0u, 3, 0,
                                                                       &done)
                    : wf_scan_launch<sum_type, cut_type::cut, false>(NULL, &bytes, in, out, n, sum_type(), 0u, 0)));
}

int main()
{
    scan(256);
    scan(256 * 5);
    scan(256 * 20);
    scan(256 * 70);
    scan_stream(256 * 40 + 3);
    return 0;
}

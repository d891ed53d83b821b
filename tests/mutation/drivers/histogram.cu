// SPDX-License-Identifier: Apache-2.0
// Histogram: counters with copies in one and in several blocks, two counters a word, counters in global
// memory.
#include "warpfence/wf_histogram.cuh"

#include "driver.h"

int main()
{
    const size_t n = 3 * 4096;
    uint32_t *keys = device_array<uint32_t>(n);
    uint64_t *counts = device_array<uint64_t>(65536);
    TWO_PHASE(wf_histogram_even_u32(temp, &bytes, keys, counts, (size_t)2048, 0, 1024, 64, 0));
    TWO_PHASE(wf_histogram_even_u32(temp, &bytes, keys, counts, n, 0, 1024, 64, 0));
    TWO_PHASE(wf_histogram_even_u32(temp, &bytes, keys, counts, n, 0, 65536, 65536, 0));

    // Counters that share words pay only for many keys: the plan is given here.
    typedef wf_bin_shift<uint32_t> binner_type;
    binner_type binner;
    binner.lower = 0;
    binner.range_last = 1023;
    binner.shift = 0;
    struct wf_hist_plan plan = {WF_HIST_PACKED, 2, 64, 0, 2048};
    must(wf_hist_launch<binner_type, WF_HIST_PACKED>(&plan, keys, (unsigned long long *)counts, n, binner, 1024u,
                                                     1024, 0));
    must(cudaDeviceSynchronize());
    return 0;
}

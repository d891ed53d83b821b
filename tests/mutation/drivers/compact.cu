// SPDX-License-Identifier: Apache-2.0
// Compaction: one tile, and three. (Look-back over more tiles is the driver of scan.)
#include "warpfence/wf_compact.cuh"

#include "driver.h"

int main()
{
    const size_t n = 3 * 4096;
    unsigned *in = device_array<unsigned>(n), *out = device_array<unsigned>(n);
    uint64_t *count = device_array<uint64_t>(1);
    TWO_PHASE(wf_compact_lt_u32(temp, &bytes, in, 500u, out, count, (size_t)4096, 0));
    TWO_PHASE(wf_compact_lt_u32(temp, &bytes, in, 500u, out, count, n, 0));
    return 0;
}

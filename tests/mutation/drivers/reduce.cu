// SPDX-License-Identifier: Apache-2.0
// Reduction: one block of several warps, and several blocks with a second kernel.
#include "warpfence/wf_reduce.cuh"

#include "driver.h"

int main()
{
    const size_t n = 34 * 8 * 1024; // 34 partials: two warps fold them
    float *in = device_array<float>(n), *out = device_array<float>(1);
    TWO_PHASE(wf_reduce_sum_f32(temp, &bytes, in, out, (size_t)4 * 1024, 0));
    TWO_PHASE(wf_reduce_sum_f32(temp, &bytes, in, out, n, 0));
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Histogram: counters with copies in one and in several blocks, two counters a word, counters in global
// memory.
#include "warpfence/wf_histogram.cuh"

#include "driver.h"

// Counters that share words, and none in shared memory, pay only for many keys: the plan is given here.
template <class Binner, enum wf_hist_mode Mode>
static void by_plan(const Binner &binner, unsigned threads, const uint32_t *keys, uint64_t *counts, size_t n)
{
    struct wf_hist_plan plan = {Mode, 2, threads, 0, Mode == WF_HIST_PACKED ? 2048u : 0u};
    must(wf_hist_launch<Binner, Mode>(&plan, keys, (unsigned long long *)counts, n, binner, 1024u, 1024, 0));
    must(cudaDeviceSynchronize());
}

// Aligned keys and others, which have a kernel of their own.
template <class Binner>
static void packed_and_global(const Binner &binner, const uint32_t *keys, uint64_t *counts, size_t n)
{
    for (int skip = 0; skip < 2; skip++) {
        by_plan<Binner, WF_HIST_PACKED>(binner, 64, keys + skip, counts, n - skip);
        by_plan<Binner, WF_HIST_GLOBAL>(binner, 64, keys + skip, counts, n - skip);
    }
}

static wf_bin_shift<uint32_t> shift_rule()
{
    wf_bin_shift<uint32_t> r = {0, 1023, 0};
    return r;
}

static wf_bin_divide<uint32_t> divide_rule()
{
    wf_bin_divide<uint32_t> r = {0, 1024, 1000, ~0ull / 1000};
    return r;
}

// One bin takes nearly all keys: halves of words overflow again and again, and are carried out in time or not. Some
// keys of each block's first 1024 go elsewhere, so that an overflow does not come with the last key before a barrier.
static int many_equal(uint64_t *counts)
{
    const size_t n = 4 << 20, others = 160;
    uint32_t *keys;
    uint64_t got[4];
    must(cudaMalloc(&keys, n * sizeof *keys));
    must(cudaMemset(keys, 0, n * sizeof *keys));
    for (int b = 0; b < 2; b++)
        must(cudaMemset(keys + b * 1024, 1, others * sizeof *keys)); // beyond the last bin
    by_plan<wf_bin_shift<uint32_t>, WF_HIST_PACKED>(shift_rule(), 64, keys, counts, n);
    must(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));
    return got[0] != n - 2 * others || got[1] || got[2] || got[3];
}

int main()
{
    const size_t n = 3 * 4096;
    uint32_t *keys = device_array<uint32_t>(n);
    uint64_t *counts = device_array<uint64_t>(65536);
    TWO_PHASE(wf_histogram_even_u32(temp, &bytes, keys, counts, (size_t)2048, 0, 1024, 64, 0));
    TWO_PHASE(wf_histogram_even_u32(temp, &bytes, keys, counts, n, 0, 1024, 64, 0));
    TWO_PHASE(wf_histogram_even_u32(temp, &bytes, keys, counts, n, 0, 65536, 65536, 0));

    packed_and_global<wf_bin_shift<uint32_t> >(shift_rule(), keys, counts, n);
    packed_and_global<wf_bin_divide<uint32_t> >(divide_rule(), keys, counts, n);
    return many_equal(counts);
}

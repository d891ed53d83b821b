// SPDX-License-Identifier: Apache-2.0
// wf_warp: reductions and scans over arbitrary sets of lanes, partial last warps, and an operator
// that does not commute.
#include "warpfence/wf_warp.cuh"

#include "wf_test.h"

// Digits written one after another: associative on (length, value), not commutative.
struct op_concat {
    typedef wf_indexed<unsigned> acc_type; // value: the digits; low: 10^length modulo 2^32
    __device__ acc_type identity() const
    {
        acc_type a = {0, 1, 0};
        return a;
    }
    __device__ acc_type combine(acc_type a, acc_type b) const
    {
        acc_type c = {a.value * b.low + b.value, a.low * b.low, 0};
        return c;
    }
};

static __global__ void concat_kernel(const unsigned *masks, const unsigned *digits, unsigned *all, unsigned *upto,
                                     unsigned *before)
{
    const unsigned mask = masks[blockIdx.x], at = blockIdx.x * 32 + threadIdx.x;
    if (!(mask >> threadIdx.x & 1))
        return;
    op_concat op;
    op_concat::acc_type a = {digits[at], 10, 0};
    all[at] = wf_warp_reduce(op, mask, a).value;
    upto[at] = wf_warp_inclusive_scan(op, mask, a).value;
    before[at] = wf_warp_exclusive_scan(op, mask, a).value;
}

static __global__ void partial_kernel(const double *in, unsigned n, double *out)
{
    const unsigned mask = wf_lanes_below(n);
    if (threadIdx.x < n) {
        wf_op_sum<double, double> op;
        double sum = wf_warp_reduce(op, mask, in[threadIdx.x]);
        if (wf_lane() == 0)
            out[threadIdx.x / 32] = sum;
    }
}

int main(int argc, char **argv)
{
    const unsigned sets = wf_test_size(argc, argv) == WF_SMALL ? 40 : 4000;
    unsigned *masks = (unsigned *)malloc(sets * 4), *x = (unsigned *)malloc(sets * 128);
    unsigned *got[3] = {(unsigned *)malloc(sets * 128), (unsigned *)malloc(sets * 128), (unsigned *)malloc(sets * 128)};
    const unsigned fixed[] = {1, 0x80000000u, 0xffffffffu, 0x7fffffffu, 0xfffffffeu, 0x80000001u, 3, 0x55555555u};
    for (unsigned s = 0; s < sets; s++) {
        masks[s] = s < 8 ? fixed[s] : (unsigned)(wf_random() >> 20) & (unsigned)(s % 3 ? ~0u : wf_random() >> 20);
        if (masks[s] == 0)
            masks[s] = 16;
    }
    for (unsigned i = 0; i < sets * 32; i++)
        x[i] = (unsigned)(wf_random() % 10);
    wf_array<unsigned> m(sets), digits(sets * 32), all(sets * 32), upto(sets * 32), before(sets * 32);
    m.put(masks);
    digits.put(x);
    concat_kernel<<<sets, 32>>>(m.data, digits.data, all.data, upto.data, before.data);
    CK(cudaDeviceSynchronize());
    all.get(got[0]);
    upto.get(got[1]);
    before.get(got[2]);
    for (unsigned s = 0; s < sets; s++) {
        unsigned total = 0, value = 0, bad = 0;
        for (unsigned lane = 0; lane < 32; lane++)
            if (masks[s] >> lane & 1)
                total = total * 10 + x[s * 32 + lane];
        for (unsigned lane = 0; lane < 32; lane++)
            if (masks[s] >> lane & 1) {
                bad += got[2][s * 32 + lane] != value;
                value = value * 10 + x[s * 32 + lane];
                bad += got[1][s * 32 + lane] != value || got[0][s * 32 + lane] != total;
            }
        EXPECT(bad == 0, "lanes %08x: %u wrong", masks[s], bad);
    }
    for (unsigned n = 1; n <= 100; n++) {
        double v[100], sums[4], want = 0, sum = 0;
        for (unsigned i = 0; i < n; i++)
            want += v[i] = (double)(wf_random() % 1000);
        wf_array<double> in(n), out(4);
        in.put(v);
        partial_kernel<<<1, 128>>>(in.data, n, out.data);
        CK(cudaDeviceSynchronize());
        out.get(sums);
        for (unsigned w = 0; w * 32 < n; w++)
            sum += sums[w];
        EXPECT(sum == want, "first %u lanes: %g, not %g", n, sum, want);
    }
    free(masks);
    free(x);
    for (int i = 0; i < 3; i++)
        free(got[i]);
    return wf_test_end("test_warp");
}

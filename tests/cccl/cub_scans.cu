// SPDX-License-Identifier: Apache-2.0
// CUB's one-pass algorithms, in which blocks wait for each other: scan, and pairs of run lengths (states of 16 bytes).
// The folder whole/ has the others.
// only: nvcc
// expect: clean
// stdout: PASS
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>

#include "verify.h"

int main()
{
    for (int n : {1, 37, 20000 + 91}) {
        std::vector<int> in = some<int>(n, 3, n), sums(n), values, lengths;
        for (int i = 0; i < n; i++) {
            sums[i] = in[i] + (i ? sums[i - 1] : 0);
            if (!i || in[i] != in[i - 1]) {
                values.push_back(in[i]);
                lengths.push_back(0);
            }
            lengths.back()++;
        }
        on_device<int> d(in), out(n), len(n), count(1);
        twice("scan", [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, d.p, out.p, n); });
        same("scan", out.read(), sums);
        twice("runs", [&](void *t, size_t &b) {
            return cub::DeviceRunLengthEncode::Encode(t, b, d.p, out.p, len.p, count.p, n);
        });
        same("values", out.read(count.first()), values);
        same("lengths", len.read(count.first()), lengths);
    }
    return verdict();
}

// SPDX-License-Identifier: Apache-2.0
// CUB's radix sort: large kernels, compiled in seconds. Its blocks hand on counts through volatile, which is a warning.
// only: nvcc
// expect: race-volatile=warning
// stdout: PASS
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

#include "verify.h"

int main()
{
    for (int n : {37, 20000 + 91}) {
        std::vector<unsigned> in = some<unsigned>(n, 1 << 24, n), wanted = in;
        on_device<unsigned> d(in), out(n);
        twice("sort", [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, d.p, out.p, n); });
        std::sort(wanted.begin(), wanted.end());
        same("sort", out.read(), wanted);
    }
    return verdict();
}

// SPDX-License-Identifier: Apache-2.0
// wf_last_block: exactly one block is last, it reads everything all blocks wrote, and the counter is
// ready for the next launch.
#include "warpfence/wf_last_block.cuh"

#include "wf_test.h"

static __global__ void sum_kernel(const int *in, int n, int *part, unsigned *counter, int *out, int *lasts)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    part[blockIdx.x * blockDim.x + threadIdx.x] = sum; // every thread its own, plain stores
    if (!wf_last_block(counter, gridDim.x))
        return;
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x)
        sum += part[i];
    atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = total;
        *lasts += 1;
    }
}

int main(int argc, char **argv)
{
    const bool small = wf_test_size(argc, argv) == WF_SMALL;
    const int n = small ? 5000 : 1000000, rounds = small ? 4 : 200;
    int *x = (int *)malloc((size_t)n * sizeof(int)), want = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (int)(wf_random() % 1000);
        want += x[i];
    }
    const int grids[] = {1, 2, 7, small ? 9 : 1000};
    wf_array<int> in((size_t)n), part((size_t)grids[3] * 96), out(1), lasts(1);
    wf_array<unsigned> counter(1);
    unsigned zero = 0, left;
    int none = 0, got, count = 0;
    in.put(x);
    counter.put(&zero);
    lasts.put(&none);
    for (int r = 0; r < rounds; r++) {
        part.poison();
        out.poison();
        sum_kernel<<<grids[r % 4], 96>>>(in.data, n, part.data, counter.data, out.data, lasts.data);
        CK(cudaDeviceSynchronize());
        out.get(&got);
        EXPECT(got == want, "round %d: %d, not %d", r, got, want);
    }
    lasts.get(&count);
    counter.get(&left);
    EXPECT(count == rounds && left == 0, "%d last blocks in %d rounds, counter %u", count, rounds, left);
    free(x);
    return wf_test_end("test_last_block");
}

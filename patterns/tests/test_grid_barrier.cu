// SPDX-License-Identifier: Apache-2.0
// wf_grid_barrier: what any thread wrote before the barrier is read after it, round after round; a
// grid that does not fit is refused and nothing runs.
#include "warpfence/wf_grid_barrier.cuh"

#include "wf_test.h"

// Each round, every thread adds the value of a thread of another block to its own.
static __global__ void rounds_kernel(struct wf_grid grid, unsigned *a, unsigned *b, int rounds)
{
    const unsigned n = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        const unsigned *from = r % 2 ? b : a;
        unsigned *to = r % 2 ? a : b;
        to[me] = from[me] + from[(me + blockDim.x * (unsigned)(r + 1) + 1) % n];
        wf_grid_sync(grid);
    }
}

static void test(int blocks, int threads, int rounds)
{
    const unsigned n = (unsigned)(blocks * threads);
    unsigned *x = (unsigned *)malloc(n * 4), *y = (unsigned *)malloc(n * 4), *got = (unsigned *)malloc(n * 4);
    wf_array<unsigned> a(n), b(n);
    for (unsigned i = 0; i < n; i++)
        x[i] = (unsigned)wf_random();
    a.put(x);
    void *args[] = {0, &a.data, &b.data, &rounds};
    TWO_PHASE(wf_grid_launch(temp, &bytes, (const void *)rounds_kernel, blocks, threads, 0, args, 0));
    for (int r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < n; i++)
            y[i] = x[i] + x[(i + (unsigned)threads * (unsigned)(r + 1) + 1) % n];
        unsigned *t = x;
        x = y;
        y = t;
    }
    (rounds % 2 ? b : a).get(got);
    EXPECT(!memcmp(x, got, n * 4), "%d blocks of %d, %d rounds", blocks, threads, rounds);
    free(x);
    free(y);
    free(got);
}

int main(int argc, char **argv)
{
    const bool small = wf_test_size(argc, argv) == WF_SMALL;
    int capacity = 0;
    CK(wf_grid_capacity(&capacity, (const void *)rounds_kernel, 64, 0));
    EXPECT(capacity > 0, "capacity %d", capacity);
    test(1, 64, 3);
    test(2, 32, 5);
    test(small ? 4 : 100, 64, small ? 5 : 50);
    if (!small)
        test(capacity, 64, 20);

    wf_array<unsigned> a(1), b(1);
    wf_array<char> temp(64);
    int rounds = 1;
    size_t bytes = 64;
    void *args[] = {0, &a.data, &b.data, &rounds};
    EXPECT(wf_grid_launch(temp.data, &bytes, (const void *)rounds_kernel, capacity + 1, 64, 0, args, 0) ==
               cudaErrorCooperativeLaunchTooLarge, "one block too many must be refused");
    CK(cudaDeviceSynchronize());
    return wf_test_end("test_grid_barrier");
}

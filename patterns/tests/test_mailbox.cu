// SPDX-License-Identifier: Apache-2.0
// wf_mailbox: a box hands values over in order; a ring with many producers and consumers in many
// blocks loses none, doubles none, and tears none.
#include "warpfence/wf_grid_barrier.cuh"
#include "warpfence/wf_mailbox.cuh"

#include "wf_test.h"

struct letter {
    unsigned number, twice, thrice;
};

static __global__ void box_kernel(struct wf_grid, struct wf_box<letter> *box, unsigned letters, unsigned *wrong)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        for (unsigned i = 1; i <= letters; i++) {
            letter l = {i, 2 * i, 3 * i};
            wf_box_put(box, l);
        }
    } else if (blockIdx.x == 1) {
        for (unsigned i = 1; i <= letters; i++) {
            letter l = wf_box_take(box);
            if (l.number != i || l.twice != 2 * i || l.thrice != 3 * i)
                atomicAdd(wrong, 1u);
        }
    }
}

// Even blocks produce, odd blocks consume until every letter has been taken.
static __global__ void ring_kernel(struct wf_grid grid, struct wf_ring<letter> *ring, struct wf_cell<letter> *cells,
                                   unsigned capacity, unsigned each, unsigned *seen, unsigned *taken, unsigned *wrong)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        wf_ring_init(ring, cells, capacity);
    wf_grid_sync(grid);
    const unsigned producers = (gridDim.x + 1) / 2 * blockDim.x, all = producers * each;
    if (blockIdx.x % 2 == 0) {
        const unsigned me = blockIdx.x / 2 * blockDim.x + threadIdx.x;
        for (unsigned i = 0; i < each; i++) {
            const unsigned number = me * each + i;
            letter l = {number, 2 * number, 3 * number};
            while (!wf_ring_try_put(ring, l))
                continue;
        }
    } else {
        while (wf_load_relaxed(taken) < all) {
            letter l;
            if (!wf_ring_try_take(ring, &l))
                continue;
            if (l.number >= all || l.twice != 2 * l.number || l.thrice != 3 * l.number)
                atomicAdd(wrong, 1u);
            else
                atomicAdd(&seen[l.number], 1u);
            wf_add_relaxed(taken, 1);
        }
    }
}

static void test_box(unsigned letters)
{
    wf_array<wf_box<letter> > box(1);
    wf_array<unsigned> wrong(1);
    unsigned got;
    CK(cudaMemset(box.data, 0, sizeof(wf_box<letter>)));
    CK(cudaMemset(wrong.data, 0, 4));
    void *args[] = {0, &box.data, &letters, &wrong.data};
    TWO_PHASE(wf_grid_launch(temp, &bytes, (const void *)box_kernel, 2, 32, 0, args, 0));
    wrong.get(&got);
    EXPECT(got == 0, "box: %u of %u letters wrong", got, letters);
}

static void test_ring(int blocks, int threads, unsigned capacity, unsigned each)
{
    const unsigned all = (unsigned)((blocks + 1) / 2 * threads) * each;
    wf_array<wf_ring<letter> > ring(1);
    wf_array<wf_cell<letter> > cells(capacity);
    wf_array<unsigned> seen(all), taken(1), wrong(1);
    unsigned *got = (unsigned *)malloc(all * 4), bad, odd = 0;
    CK(cudaMemset(cells.data, 0, capacity * sizeof(wf_cell<letter>)));
    CK(cudaMemset(seen.data, 0, all * 4));
    CK(cudaMemset(taken.data, 0, 4));
    CK(cudaMemset(wrong.data, 0, 4));
    void *args[] = {0, &ring.data, &cells.data, &capacity, &each, &seen.data, &taken.data, &wrong.data};
    TWO_PHASE(wf_grid_launch(temp, &bytes, (const void *)ring_kernel, blocks, threads, 0, args, 0));
    wrong.get(&bad);
    seen.get(got);
    for (unsigned i = 0; i < all; i++)
        odd += got[i] != 1;
    EXPECT(bad == 0 && odd == 0, "ring of %u, %d blocks: %u torn, %u not seen once", capacity, blocks, bad, odd);
    free(got);
}

int main(int argc, char **argv)
{
    const bool small = wf_test_size(argc, argv) == WF_SMALL;
    test_box(small ? 20 : 20000);
    test_ring(2, 1, 2, small ? 5 : 1000);
    test_ring(4, small ? 4 : 64, 8, small ? 3 : 50);
    if (!small)
        test_ring(64, 128, 1024, 20);
    return wf_test_end("test_mailbox");
}

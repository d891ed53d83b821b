// SPDX-License-Identifier: Apache-2.0
// wf_ticket_lock: plain read-modify-write of several words by whole blocks, none lost; more blocks
// than can be resident.
#include "warpfence/wf_ticket_lock.cuh"

#include "wf_test.h"

static __global__ void add_kernel(struct wf_ticket_lock *lock, unsigned *words, int times)
{
    for (int i = 0; i < times; i++) {
        wf_lock_enter(lock);
        words[threadIdx.x] += threadIdx.x + 1;
        words[blockDim.x + (threadIdx.x + 1) % blockDim.x] += 1; // another thread's word next time
        wf_lock_leave(lock);
    }
}

int main(int argc, char **argv)
{
    const bool small = wf_test_size(argc, argv) == WF_SMALL;
    const int blocks = small ? 9 : 6000, threads = 64, times = small ? 2 : 3;
    wf_array<wf_ticket_lock> lock(1);
    wf_array<unsigned> words(2 * threads);
    unsigned got[2 * threads];
    int bad = 0;
    CK(cudaMemset(lock.data, 0, sizeof(wf_ticket_lock)));
    CK(cudaMemset(words.data, 0, sizeof got));
    add_kernel<<<blocks, threads>>>(lock.data, words.data, times);
    CK(cudaDeviceSynchronize());
    words.get(got);
    for (int i = 0; i < threads; i++)
        bad += got[i] != (unsigned)(blocks * times * (i + 1)) || got[threads + i] != (unsigned)(blocks * times);
    EXPECT(bad == 0, "%d of %d words lost additions", bad, threads);
    return wf_test_end("test_ticket_lock");
}

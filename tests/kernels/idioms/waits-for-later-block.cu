// Blocks wait for the last block's word. Fault: there are more blocks than the GPU holds at once, so it never starts.
#include "../engine/host.h"
#include <cuda/atomic>
__device__ int word;

__global__ void follow(int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> w(word);
#ifdef FIX
    unsigned leader = 0;
#else
    unsigned leader = gridDim.x - 1;
#endif
    if (blockIdx.x == leader) {
        if (threadIdx.x == 0)
            w.store(7, cuda::std::memory_order_release);
    } else if (threadIdx.x == 0) {
        while (w.load(cuda::std::memory_order_acquire) == 0)
            ;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = w.load(cuda::std::memory_order_relaxed);
}

int main()
{
    const int B = 40;
    int want[B];
    for (int i = 0; i < B; i++) want[i] = 7;
    Dev<int> dout(B);
    follow<<<B, 64>>>(dout.p);
    same("follow", dout.get(), want, B);
    return done();
}
// twin: -DFIX
// options: --resident-blocks=16
// expect: deadlock-residency @18

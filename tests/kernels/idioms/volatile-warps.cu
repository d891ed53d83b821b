// One warp hands a row to another through a volatile flag in shared memory. Fault: volatile orders nothing.
#include "../engine/host.h"
#include <cuda/atomic>

__global__ void hand(const int *in, int *out)
{
    __shared__ int row[32];
#ifdef FIX
    __shared__ int ready;
#else
    __shared__ volatile int ready;
#endif
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        ready = 0;
    __syncthreads();
    if (t < 32) {
        row[lane] = in[lane] * 2;
        __syncwarp();
        if (lane == 0)
#ifdef FIX
            cuda::atomic_ref<int, cuda::thread_scope_block>(ready).store(1, cuda::std::memory_order_release);
#else
            ready = 1;
#endif
    } else {
#ifdef FIX
        while (cuda::atomic_ref<int, cuda::thread_scope_block>(ready).load(cuda::std::memory_order_acquire) == 0)
            ;
#else
        while (ready == 0)
            ;
#endif
        out[lane] = row[31 - lane];
    }
}

int main()
{
    int in[32], want[32];
    for (int i = 0; i < 32; i++) { in[i] = i * 3; want[31 - i] = in[i] * 2; }
    Dev<int> di(32), dout(32);
    di.put(in);
    hand<<<1, 64>>>(di.p, dout.p);
    same("hand", dout.get(), want, 32);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @18 @34
// expect: race-volatile @24 @31

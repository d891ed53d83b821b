// A cuda::barrier for one warp of each block. Fault: it expects the whole block.
#include "../engine/host.h"
#include <cuda/barrier>
const int T = 64;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void front(const int *in, int *out)
{
    __shared__ Barrier bar;
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t == 0)
#ifdef FIX
        init(&bar, 32);
#else
        init(&bar, blockDim.x);
#endif
    __syncthreads();
    if (t < 32) {
        s[t] = in[t];
        bar.arrive_and_wait();
        out[t] = s[31 - t];
    }
}

int main()
{
    int in[32], want[32];
    for (int i = 0; i < 32; i++) want[31 - i] = in[i] = i * 5;
    Dev<int> di(32), dout(32);
    di.put(in);
    front<<<1, T>>>(di.p, dout.p);
    same("front", dout.get(), want, 32);
    return done();
}
// twin: -DFIX
// expect: deadlock-barrier @21

// A tile by cuda::memcpy_async on a barrier. Fault: the tile is read before the barrier's phase is over.
#include "../engine/host.h"
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int T = 64;

__global__ void turn(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ alignas(16) int s[T];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, T);
    __syncthreads();
    cuda::memcpy_async(block, s, in, sizeof(int) * T, bar);
#ifdef FIX
    bar.arrive_and_wait();
#else
    __syncthreads();
#endif
    out[t] = s[T - 1 - t];
}

int main()
{
    int in[T], want[T];
    for (int i = 0; i < T; i++) want[T - 1 - i] = in[i] = i * 4;
    Dev<int> di(T), dout(T);
    di.put(in);
    turn<<<1, T>>>(di.p, dout.p);
    same("turn", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-shared @17 @23
// allow: mem-uninit

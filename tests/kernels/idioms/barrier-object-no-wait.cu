// Warps meet at a cuda::barrier. Fault: they arrive, but nobody waits for the others.
#include "../engine/host.h"
#include <cuda/barrier>
#include <utility>
const int T = 96;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void rotate(const int *in, int *out)
{
    __shared__ Barrier bar;
    __shared__ int s[T];
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, T);
    __syncthreads();
    s[t] = in[t];
#ifdef FIX
    bar.wait(bar.arrive());
#else
    (void)bar.arrive();
#endif
    out[t] = s[(t + 40) % T];
}

int main()
{
    int in[T], want[T];
    for (int i = 0; i < T; i++) in[i] = 100 - i;
    for (int i = 0; i < T; i++) want[i] = in[(i + 40) % T];
    Dev<int> di(T), dout(T);
    di.put(in);
    rotate<<<1, T>>>(di.p, dout.p);
    same("rotate", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-shared @16 @22
// allow: mem-uninit

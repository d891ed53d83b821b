// A cuda::barrier is made by thread 0. Fault: the others use it before they can know that it is made.
#include "../engine/host.h"
#include <cuda/barrier>
const int T = 128;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void rotate(const int *in, int *out)
{
    __shared__ Barrier bar;
    __shared__ int s[T];
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, T);
#ifdef FIX
    __syncthreads();
#endif
    s[t] = in[t];
    bar.arrive_and_wait();
    out[t] = s[(t + 64) % T];
}

int main()
{
    int in[T], want[T];
    for (int i = 0; i < T; i++) in[i] = 9 * i;
    for (int i = 0; i < T; i++) want[i] = in[(i + 64) % T];
    Dev<int> di(T), dout(T);
    di.put(in);
    rotate<<<1, T>>>(di.p, dout.p);
    same("rotate", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: barrier-misuse @13 @18
// allow: race-shared

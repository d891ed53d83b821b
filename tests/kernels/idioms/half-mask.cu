// Sum of a warp by shuffles. Fault: the mask names the lower half only, but all lanes call.
#include "../engine/host.h"
#ifdef FIX
#define MASK 0xffffffffu
#else
#define MASK 0xffffu
#endif

__global__ void sums(const int *in, int *out)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(MASK, v, d);
    if (threadIdx.x % 32 == 0)
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;
}

int main()
{
    const int N = 192;
    int in[N], want[N / 32] = {};
    for (int i = 0; i < N; i++) want[i / 32] += in[i] = i % 7;
    Dev<int> di(N), dout(N / 32);
    di.put(in);
    sums<<<2, N / 2>>>(di.p, dout.p);
    same("sums", dout.get(), want, N / 32);
    return done();
}
// twin: -DFIX
// expect: warp-mask @13

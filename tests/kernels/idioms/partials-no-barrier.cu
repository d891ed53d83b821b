// Sum of a block by shuffles; each warp leaves its part in shared memory. Fault: warp 0 reads the parts at once.
#include "../engine/host.h"
const int T = 224;

__global__ void sum(const int *in, int *out)
{
    __shared__ int part[T / 32];
    int t = threadIdx.x, v = in[blockIdx.x * T + t];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        part[t / 32] = v;
#ifdef FIX
    __syncthreads();
#endif
    if (t < 32) {
        v = t < T / 32 ? part[t] : 0;
        for (int d = 4; d; d /= 2)
            v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

int main()
{
    const int B = 3;
    int in[B * T], want[B] = {};
    for (int i = 0; i < B * T; i++) want[i / T] += in[i] = i % 15;
    Dev<int> di(B * T), dout(B);
    di.put(in);
    sum<<<B, T>>>(di.p, dout.p);
    same("sum", dout.get(), want, B);
    return done();
}
// twin: -DFIX
// expect: race-shared @12 @17
// allow: mem-uninit race-warp

// Dynamic shared memory holds keys and counts. Fault: the launch gives room for the keys only.
#include "../engine/host.h"
const int T = 64;

__global__ void count(const int *in, int *out)
{
    extern __shared__ int room[];
    int *keys = room, *counts = room + blockDim.x;
    int t = threadIdx.x;
    keys[t] = in[t];
    counts[t] = 0;
    __syncthreads();
    for (int i = 0; i < T; i++)
        counts[t] += keys[i] == keys[t];
    out[t] = counts[t];
}

int main()
{
    int in[T], want[T] = {};
    for (int i = 0; i < T; i++) in[i] = i * i % 10;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) want[i] += in[i] == in[j];
    Dev<int> di(T), dout(T);
    di.put(in);
#ifdef FIX
    count<<<1, T, 2 * T * sizeof(int)>>>(di.p, dout.p);
#else
    count<<<1, T, T * sizeof(int)>>>(di.p, dout.p);
#endif
    same("count", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: mem-bounds @11
// allow: mem-bounds

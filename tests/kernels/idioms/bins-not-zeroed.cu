// Histogram in shared memory. Fault: the bins start with whatever was there.
#include "../engine/host.h"
const int T = 128, BINS = 16;

__global__ void histogram(const int *in, int n, int *out)
{
    __shared__ int bins[BINS];
    int t = threadIdx.x;
#ifdef FIX
    if (t < BINS)
        bins[t] = 0;
    __syncthreads();
#endif
    for (int i = t; i < n; i += T)
        atomicAdd(&bins[in[i] % BINS], 1);
    __syncthreads();
    if (t < BINS)
        out[t] = bins[t];
}

int main()
{
    const int N = 700;
    int in[N], want[BINS] = {};
    for (int i = 0; i < N; i++) want[(in[i] = i * 13) % BINS]++;
    Dev<int> di(N), dout(BINS);
    di.put(in);
    histogram<<<1, T>>>(di.p, N, dout.p);
    same("histogram", dout.get(), want, BINS);
    return done();
}
// twin: -DFIX
// expect: mem-uninit @15

// Histogram in shared memory. Fault: no barrier between clearing the bins and counting in them.
#include "../engine/host.h"
const int T = 160, BINS = 64;

__global__ void histogram(const unsigned char *in, int n, int *out)
{
    __shared__ int bins[BINS];
    int t = threadIdx.x;
    for (int b = t; b < BINS; b += T)
        bins[b] = 0;
#ifdef FIX
    __syncthreads();
#endif
    for (int i = t; i < n; i += T)
        atomicAdd(&bins[in[i] % BINS], 1);
    __syncthreads();
    for (int b = t; b < BINS; b += T)
        atomicAdd(&out[b], bins[b]);
}

int main()
{
    const int N = 3000;
    unsigned char in[N];
    int want[BINS] = {};
    for (int i = 0; i < N; i++) want[(in[i] = (unsigned char)(i * 11)) % BINS]++;
    Dev<unsigned char> di(N);
    Dev<int> dout(BINS);
    di.put(in);
    histogram<<<1, T>>>(di.p, N, dout.p);
    same("histogram", dout.get(), want, BINS);
    return done();
}
// twin: -DFIX
// expect: race-shared @10 @15
// allow: mem-uninit

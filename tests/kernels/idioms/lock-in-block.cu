// A spin lock for each bin. Fault: the unlock is a plain store.
#include "../engine/host.h"
const int BINS = 4, N = 256;
__device__ int lock[BINS];

__global__ void fill(const int *in, int *sum)
{
    int b = threadIdx.x % BINS;
    bool done = false;
    while (!done)
        if (atomicCAS(&lock[b], 0, 1) == 0) {
            __threadfence();
            sum[b] += in[blockIdx.x * blockDim.x + threadIdx.x];
            __threadfence();
#ifdef FIX
            atomicExch(&lock[b], 0);
#else
            lock[b] = 0;
#endif
            done = true;
        }
}

int main()
{
    int in[N], want[BINS] = {};
    for (int i = 0; i < N; i++) want[i % BINS] += in[i] = i % 50;
    Dev<int> di(N), ds(BINS);
    di.put(in);
    fill<<<2, N / 2>>>(di.p, ds.p);
    same("fill", ds.get(), want, BINS);
    return done();
}
// twin: -DFIX
// expect: race-global @11 @18
// allow: contention

// The lanes of one warp take turns at a record under a lock. Fault: the lock orders nothing between its holders.
#include "../engine/host.h"
__device__ int held;

__global__ void add(const int *in, int *sum)
{
    while (atomicCAS(&held, 0, 1) != 0)
        ;
#ifdef FIX
    __threadfence();
#endif
    *sum += in[threadIdx.x];
#ifdef FIX
    __threadfence();
#endif
    atomicExch(&held, 0);
}

int main()
{
    const int N = 32;
    int in[N], want = 0;
    for (int i = 0; i < N; i++) want += in[i] = 2 * i + 1;
    Dev<int> di(N), dsum(1);
    di.put(in);
    add<<<1, N>>>(di.p, dsum.p);
    same("add", dsum.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @12 @16 @7
// allow: contention

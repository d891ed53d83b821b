// Every thread takes the same spin lock; lanes of one warp too, which is allowed since Volta. Fault: no fences.
#include "../engine/host.h"
__device__ int held;
__device__ long long total;

__global__ void add(const int *in)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    while (atomicCAS(&held, 0, 1) != 0)
        ;
#ifdef FIX
    __threadfence();
#endif
    total += v;
#ifdef FIX
    __threadfence();
#endif
    atomicExch(&held, 0);
}

__global__ void show(long long *out) { *out = total; }

int main()
{
    const int N = 128;
    int in[N];
    long long want = 0;
    for (int i = 0; i < N; i++) want += in[i] = i + 1;
    Dev<int> di(N);
    Dev<long long> dout(1);
    di.put(in);
    add<<<2, N / 2>>>(di.p);
    show<<<1, 1>>>(dout.p);
    same("add", dout.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @14 @18 @9
// allow: race-warp contention
